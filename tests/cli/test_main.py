"""The command line as a whole: what it imports, how it says what is wrong, how it exits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pilothouse import __version__
from pilothouse.cli.main import main
from tests.cli.cli_process import run

# What a warm call must not pay for.
HEAVY = ("asyncio", "msgspec", "rich", "psutil", "pilothouse.browsers", "subprocess", "typing")
WARM = """
import sys
before = set(sys.modules)
from pilothouse.cli.main import main
import pilothouse.cli.commands.tab_verbs, pilothouse.code.client.daemon_connection
assert main(["click", "e12", "--oops"]) == 2
print(*(set(sys.modules) - before))
"""


async def test_help_has_examples_and_needs_no_browser() -> None:
    code, out, _ = await run("--help")
    assert code == 0
    assert "examples:" in out
    assert "pilothouse look https://example.com" in out
    assert "exit codes: 0 done; 1 failed; 2 wrong usage; 3 blocked" in out


async def test_wrong_usage_is_exit_code_two() -> None:
    code, out, err = await run("dance")
    assert (code, out) == (2, "")
    assert "dance" in err


def test_wrong_usage_as_json_is_an_envelope(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clik", "e1", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "ok": False,
        "error": {
            "message": "unknown command 'clik'",
            "hint": "did you mean click?",
            "kind": "UsageError",
        },
    }


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"pilothouse {__version__}\n"


def test_a_command_has_help_with_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["click", "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: pilothouse click TARGET [OPTIONS]\n")
    assert 'pilothouse click "button=Sign in" --tab shop' in out
    assert "exit codes:" in out


def test_a_warm_call_imports_nothing_that_costs() -> None:
    """All that a click needs until it dials the daemon."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", WARM], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.split())
    assert "pilothouse.cli.declarations.tab_verbs" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    pipe = f"{sys.executable} -m pilothouse completion fish | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", pipe], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
