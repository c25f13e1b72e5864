"""Named profiles and Chrome's lock on them (F21)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pilothouse.browsers.launcher.profiles import lock_owner, open_profile, profile_path
from pilothouse.errors import BrowserError


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "/etc", ".hidden", "a\0b", "x" * 65, "-x"]
)
def test_name_with_path_tricks_is_refused(name: str) -> None:
    with pytest.raises(BrowserError, match="profile: invalid name"):
        profile_path(name, {"HOME": "/home/me"})


def test_profiles_lie_in_the_data_home() -> None:
    usual = Path("/home/me/.local/share/pilothouse/profiles/work")
    assert profile_path("work", {"HOME": "/home/me"}) == usual
    assert profile_path("work", {"HOME": "/h", "XDG_DATA_HOME": "/d"}) == Path(
        "/d/pilothouse/profiles/work"
    )


def lock(profile: Path, owner: str) -> Path:
    profile.mkdir(parents=True, exist_ok=True)
    place = profile / "SingletonLock"
    place.symlink_to(owner)
    return place


def test_lock_of_a_dead_browser_is_removed(tmp_path: Path) -> None:
    """F21: stale removed."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    environ = {"HOME": str(tmp_path)}
    stale = lock(profile_path("work", environ), f"{socket.gethostname()}-{ended.pid}")
    assert open_profile("work", environ) == stale.parent
    assert not os.path.lexists(stale)


def test_lock_whose_pid_now_belongs_to_another_program_is_stale(tmp_path: Path) -> None:
    """F21: pid reuse safe."""
    lock(tmp_path, f"{socket.gethostname()}-{os.getpid()}")
    assert lock_owner(tmp_path) is None


def test_lock_of_another_machine_is_respected(tmp_path: Path) -> None:
    """F21: live refused, with its pid; another machine's browser cannot be asked."""
    lock(tmp_path, "elsewhere-4711")
    with pytest.raises(BrowserError, match=r"'elsewhere' .*4711"):
        lock_owner(tmp_path)
