"""The relay starts with the user's session if the user wants it."""

from __future__ import annotations

import plistlib
import stat
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.autostart import (
    autostart_file,
    autostart_text,
    is_autostarted,
    set_autostart,
)


def test_it_is_switched_on_and_off_by_one_file_of_the_desktop(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    assert not is_autostarted(environ)
    file = set_autostart(True, environ)
    assert is_autostarted(environ)
    assert file == tmp_path / ".config" / "autostart" / "pilothouse-relay.desktop"
    text = file.read_text()
    assert text.startswith("[Desktop Entry]\n")
    assert " -m pilothouse relay start\n" in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    set_autostart(False, environ)
    set_autostart(False, environ)
    assert not is_autostarted(environ)


def test_a_folder_that_is_named_is_used_and_a_relative_one_is_not(tmp_path: Path) -> None:
    named = {"HOME": "/home/ann", "XDG_CONFIG_HOME": str(tmp_path)}
    assert autostart_file(named, "linux").parent == tmp_path / "autostart"
    named["XDG_CONFIG_HOME"] = "here"
    assert autostart_file(named, "linux").parent == Path("/home/ann/.config/autostart")


def test_on_a_mac_it_is_a_launch_agent_with_every_word_of_its_own() -> None:
    command = ("/opt/py & co/python", "-m", "pilothouse")
    read = plistlib.loads(autostart_text(command, "darwin").encode())
    assert (read["ProgramArguments"], read["RunAtLoad"]) == (list(command), True)
    assert autostart_file({"HOME": "/Users/ann"}, "darwin").parent.name == "LaunchAgents"


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("")
    with pytest.raises(PilothouseError, match="autostart"):
        set_autostart(True, {"HOME": str(tmp_path)})
