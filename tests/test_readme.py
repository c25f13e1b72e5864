"""What the README shows works as it stands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.code_and_docs_rules import ROOT
from tests.daemon.daemon_process import Home, open_daemon
from tests.page_server import Pages

README = (ROOT / "README.md").read_text("utf-8")
PAGE = """<title>Hi</title>
<button onclick="document.title = prompt('Name?')">Sign in</button>"""
WITHIN_S = 60


def blocks(language: str) -> list[str]:
    """The README's code of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path) as made:
        yield made


@pytest.mark.browser
@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, ['- button "Sign in" [ref=e1]', "clicked button", "Ada"]),
        (1, ["Hi 1"]),
    ],
)
def test_the_python_examples_run_as_printed(number: int, expected: list[str], home: Home) -> None:
    with Pages() as pages:
        pages.add("/", PAGE)
        example = blocks("python")[number].replace("https://example.com/", pages.url("/"))
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", example],
            env=home.environ(),
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    for line in expected:
        assert line in ran.stdout


def test_the_configuration_for_mcp_clients_starts_pilothouse() -> None:
    (config,) = blocks("json")
    assert json.loads(config) == {
        "mcpServers": {"pilothouse": {"command": "pilothouse", "args": ["mcp"]}}
    }


def test_an_agents_user_finds_the_first_command_on_the_first_screen() -> None:
    first_screen = README.splitlines()[:30]
    assert any("claude mcp add pilothouse" in line for line in first_screen)
    assert any("codex mcp add pilothouse" in line for line in first_screen)


def test_contributors_have_two_commands() -> None:
    section = README.partition("## Contribute")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert [line.partition("#")[0].strip() for line in block.splitlines()] == [
        "./dev demo",
        "./dev test",
    ]
