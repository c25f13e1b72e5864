"""Where the daemon lives, and who may not get at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pilothouse import settings
from pilothouse.errors import PilothouseError
from pilothouse.paths import (
    SETTING_VARIABLES,
    RuntimePaths,
    data_dir,
    relay_token_path,
    settings_environment,
)


def test_everything_is_below_one_directory(tmp_path: Path) -> None:
    paths = RuntimePaths(tmp_path / "daemon")
    found = (paths.socket, paths.lock, paths.log, paths.ledger, paths.scratch, paths.uploads)
    assert len(set(found)) == 6
    assert {place.parent for place in found} == {tmp_path / "daemon"}
    assert paths.socket_path == str(paths.socket)


def test_the_directory_is_made_for_its_user_alone(tmp_path: Path) -> None:
    paths = RuntimePaths(tmp_path / "new" / "daemon")
    paths.prepare()
    paths.prepare()
    assert paths.root.stat().st_mode & 0o777 == 0o700
    assert paths.scratch.stat().st_mode & 0o777 == 0o700


def test_a_directory_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "daemon"
    root.mkdir()
    root.chmod(0o755)
    with pytest.raises(PilothouseError, match="other users have access to it") as caught:
        RuntimePaths(root).prepare()
    assert f"chmod 700 {root}" in caught.value.hint


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_somebody_else_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "daemon"
    root.mkdir(mode=0o700)
    os.chown(root, 12345, 12345)
    with pytest.raises(PilothouseError, match="belongs to another user"):
        RuntimePaths(root).prepare()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a link away")
def test_a_link_that_somebody_else_laid_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    link = tmp_path / "daemon"
    link.symlink_to(own)
    RuntimePaths(link).prepare()
    os.lchown(link, 12345, 12345)
    with pytest.raises(PilothouseError, match="belongs to another user"):
        RuntimePaths(link).prepare()


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "daemon").write_text("", "utf-8")
    with pytest.raises(PilothouseError, match="File exists") as caught:
        RuntimePaths(tmp_path / "daemon").prepare()
    assert "PILOTHOUSE_RUNTIME_DIR" in caught.value.hint


def test_a_path_too_long_for_a_socket_is_refused_in_time(tmp_path: Path) -> None:
    with pytest.raises(PilothouseError, match="too long for a socket"):
        RuntimePaths(tmp_path / ("x" * 100)).prepare()


def test_a_relative_directory_is_the_same_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert RuntimePaths(Path("here")).root == tmp_path / "here"


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"PILOTHOUSE_RUNTIME_DIR": "/r/x", "XDG_RUNTIME_DIR": "/tmp"}, "/r/x"),
        ({"PILOTHOUSE_RUNTIME_DIR": "~/x", "HOME": "/home/me"}, "/home/me/x"),
        ({"XDG_RUNTIME_DIR": "/tmp"}, "/tmp/pilothouse"),
        ({"XDG_RUNTIME_DIR": "/not/there"}, f"/tmp/pilothouse-daemon-{os.getuid()}"),
        ({}, f"/tmp/pilothouse-daemon-{os.getuid()}"),
    ],
)
def test_the_environment_says_where(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], root: str
) -> None:
    for name in ("PILOTHOUSE_RUNTIME_DIR", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert str(RuntimePaths().root) == root


def test_knowing_the_door_costs_no_imports() -> None:
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom pilothouse.paths import RuntimePaths\n"
        "RuntimePaths().socket_path\nnew = set(sys.modules) - before\n"
        "print(sorted({'pathlib', 'asyncio', 'typing'} & new))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.append({_source()!r})\n{code}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def _source() -> str:
    import pilothouse

    return str(Path(pilothouse.__file__).parent.parent)


def test_every_variable_that_settings_read_is_told_to_a_running_daemon(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert sorted(settings._ENVIRONMENT) == sorted(SETTING_VARIABLES)
    for name in (*SETTING_VARIABLES, "PILOTHOUSE_CONFIG", "PILOTHOUSE_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert settings_environment() == {}
    monkeypatch.setenv("PILOTHOUSE_STEALTH", "off")
    monkeypatch.setenv("PILOTHOUSE_CONFIG", "mine.yaml")
    monkeypatch.chdir(tmp_path)
    assert settings_environment() == {
        "PILOTHOUSE_STEALTH": "off",
        "PILOTHOUSE_CONFIG": str(tmp_path / "mine.yaml"),
    }


def test_the_data_directory_follows_the_standard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PILOTHOUSE_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_dir() == tmp_path / "xdg" / "pilothouse"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_dir() == tmp_path / ".local" / "share" / "pilothouse"
    monkeypatch.setenv("PILOTHOUSE_DATA_DIR", "~/named")
    assert data_dir() == Path(os.path.expanduser("~/named"))
    assert relay_token_path() == data_dir() / "relay.token"
