"""What shells offer after Tab."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pilothouse.cli.completion import script
from pilothouse.cli.declarations.commands import all_commands


def offered(line: str) -> set[str]:
    """What bash offers at the end of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    asks = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _pilothouse"
    code = f'{script("bash")}\n{asks}\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    return set(done.stdout.split())


def test_bash_offers_commands_options_and_choices() -> None:
    assert offered("pilothouse cl") == {"click", "close", "clear", "clipboard-read",
                                        "clipboard-write"}  # fmt: skip
    assert offered("pilothouse click e1 --mod") == {"--modifiers"}
    assert offered("pilothouse dialog ac") == {"accept"}
    assert offered("pilothouse reload --wait-until net") == {"networkidle0", "networkidle2"}
    assert "--no-hidden" in offered("pilothouse images --")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_its_options_are_there(shell: str) -> None:
    text = script(shell)
    for command in all_commands():
        assert command.name in text
    assert "full-page" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_itself_can_read_it(shell: str) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} on this machine")
    done = subprocess.run(
        [found, "-n"], input=script(shell), capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
