"""The relay starts with the user's session if the user wants it."""

from __future__ import annotations

import plistlib
import stat
from pathlib import Path

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.relay.login_autostart import (
    autostart_environment,
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
    variables = {"PILOTHOUSE_CONFIG": "/Users/ann/a & b.yaml"}
    read = plistlib.loads(autostart_text(command, variables, "darwin").encode())
    assert (read["ProgramArguments"], read["RunAtLoad"]) == (list(command), True)
    assert read["EnvironmentVariables"] == variables
    plain = plistlib.loads(autostart_text(command, {}, "darwin").encode())
    assert "EnvironmentVariables" not in plain
    assert autostart_file({"HOME": "/Users/ann"}, "darwin").parent.name == "LaunchAgents"


def test_the_file_keeps_paths_port_and_browser(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "PILOTHOUSE_RUNTIME_DIR": "/srv/agents/run",
        "PILOTHOUSE_RELAY_PORT": "20000",
        "PILOTHOUSE_BROWSER": "/opt/my chrome/chrome",
    }
    lines = set_autostart(True, environ).read_text().splitlines()
    (line,) = [one for one in lines if one.startswith("Exec=")]
    assert line.startswith(
        'Exec=env "PILOTHOUSE_BROWSER=/opt/my chrome/chrome" PILOTHOUSE_RELAY_PORT=20000'
        " PILOTHOUSE_RUNTIME_DIR=/srv/agents/run /"
    )
    assert line.endswith(" -m pilothouse relay start")


def test_the_file_never_keeps_a_variable_that_may_hold_a_secret(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "PILOTHOUSE_CDP_URL": "wss://cloud.test/?token=hush",
        "PILOTHOUSE_PROXY": "http://ann:hush@proxy.test",
        "PILOTHOUSE_TOKEN": "hush",
        "PILOTHOUSE_OWNER": "hush",
        "AWS_SECRET_ACCESS_KEY": "hush",
    }
    assert autostart_environment(environ) == {}
    assert "hush" not in set_autostart(True, environ).read_text()


def test_paths_are_absolute_and_the_default_folder_is_not_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ann")
    environ = {"PILOTHOUSE_CONFIG": "mine.yaml", "PILOTHOUSE_DATA_DIR": "~/data"}
    assert autostart_environment(environ) == {
        "PILOTHOUSE_CONFIG": str(tmp_path / "mine.yaml"),
        "PILOTHOUSE_DATA_DIR": "/home/ann/data",
    }
    usual = {"XDG_RUNTIME_DIR": str(tmp_path), "PILOTHOUSE_RUNTIME_DIR": f"{tmp_path}/pilothouse"}
    assert autostart_environment(usual) == {}


def test_words_are_quoted_as_desktop_entries_are() -> None:
    text = autostart_text(("/py", 'a"b', "c$d", "e\\f", "100%"), {}, "linux")
    assert 'Exec=/py "a\\\\"b" "c\\\\$d" "e\\\\\\\\f" 100%%\n' in text


def test_a_value_of_two_lines_is_refused(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PILOTHOUSE_PROFILE": "work\nExec=evil"}
    with pytest.raises(PilothouseError, match="PILOTHOUSE_PROFILE: the value contains a line"):
        set_autostart(True, environ)
    assert not is_autostarted(environ)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / ".config").write_text("")
    with pytest.raises(PilothouseError, match="autostart"):
        set_autostart(True, {"HOME": str(tmp_path)})
