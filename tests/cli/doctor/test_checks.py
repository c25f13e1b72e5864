"""What the doctor looks at, on machines that are made to be ill."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pilothouse.cli.doctor import checks

PATIENT = ("PILOTHOUSE_BROWSER", "PILOTHOUSE_CDP_URL")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a runtime directory of its own."""
    for name in PATIENT:
        monkeypatch.delenv(name, raising=False)
    runtime = tmp_path / "rt"
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("PILOTHOUSE_CONFIG", str(tmp_path / "config.yaml"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return runtime


def test_every_check_gives_a_finding_and_changes_nothing(machine: Path) -> None:
    before = sorted(machine.parent.rglob("*"))
    for name, check in checks.CHECKS:
        found = check()
        assert found.state in ("ok", "warn", "broken"), name
        assert found.found
        assert bool(found.mend) == (found.state != "ok"), name
    assert sorted(machine.parent.rglob("*")) == before


def test_this_python_will_do() -> None:
    assert sys.executable in checks.python().found


def test_settings_with_a_mistake_are_broken(machine: Path) -> None:
    (machine.parent / "config.yaml").write_text("browser:\n  headles: true\n")
    found = checks.settings()
    assert found.state == "broken"
    assert "config.yaml:2" in found.found
    assert found.mend == "did you mean browser.headless?"


def test_a_browser_that_does_not_start_is_broken(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = machine.parent / "chromium"
    program.write_text("#!/bin/sh\necho cannot >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PILOTHOUSE_BROWSER", str(program))
    found = checks.browser()
    assert (found.state, found.found) == ("broken", f"{program}: cannot")


def test_a_browser_that_tells_its_version_is_fine(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = machine.parent / "chromium"
    program.write_text("#!/bin/sh\necho Chromium 1.2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PILOTHOUSE_BROWSER", str(program))
    assert checks.browser().found == f"Chromium 1.2 at {program}"


def test_a_runtime_directory_open_to_others_is_broken(machine: Path) -> None:
    assert checks.runtime().found == f"{machine} (the first command creates it)"
    machine.mkdir(mode=0o700)
    assert checks.runtime().state == "ok"
    machine.chmod(0o755)
    found = checks.runtime()
    assert (found.state, found.mend) == ("broken", f"chmod 700 {machine}")


def test_a_path_too_long_for_a_socket_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", "/tmp/" + "x" * 100)
    assert checks.runtime().mend == "set PILOTHOUSE_RUNTIME_DIR"


def test_the_socket_of_a_dead_daemon_is_known_and_a_living_one_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A path of pytest's own may be too long for a socket.
    with TemporaryDirectory(prefix="ph-", dir="/tmp") as folder:
        monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", folder)
        assert checks.daemon().found == "not running: the first command starts it"
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(f"{folder}/daemon.sock")
            sock.listen()
            assert checks.daemon().state == "ok"
        assert checks.daemon().state == "warn"


def test_a_browser_to_join_that_does_not_answer_is_broken(
    monkeypatch: pytest.MonkeyPatch, refusing_port: int
) -> None:
    monkeypatch.setenv("PILOTHOUSE_CDP_URL", str(refusing_port))
    found = checks.ports()
    assert found.state == "broken"
    assert f"127.0.0.1:{refusing_port}" in found.found


def test_a_browser_to_join_that_listens_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PILOTHOUSE_CDP_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert checks.ports().state == "ok"


def test_what_a_dead_daemon_left_in_scratch_is_told(machine: Path) -> None:
    left = machine / "scratch" / "r1"
    left.mkdir(parents=True)
    found = checks.leftovers()
    assert found.state == "warn"
    assert str(left) in found.found


def test_a_lock_of_a_dead_browser_is_told(machine: Path) -> None:
    profile = machine.parent / "data" / "pilothouse" / "profiles" / "work"
    profile.mkdir(parents=True)
    assert checks.profiles().found == "1 named"
    (profile / "SingletonLock").symlink_to(f"{socket.gethostname()}-{2**22 + 1}")
    found = checks.profiles()
    assert (found.state, found.found) == ("warn", "locked by browsers that died: work")


def test_asking_for_walls_raises_none_around_the_asker() -> None:
    checks.code_sandbox()
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), 5).close()
    os.waitpid(_child(), 0)


def _child() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    return child


def test_a_full_disk_is_told_also_where_profiles_lie_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No disk can be filled for a test: what is said of it is."""
    monkeypatch.delenv("TMPDIR", raising=False)
    disk = tempfile.gettempdir()
    measure = shutil.disk_usage

    def full(place: object) -> object:
        usage = measure(str(place))
        return usage._replace(free=1024**2) if str(place) == disk else usage

    monkeypatch.setattr(shutil, "disk_usage", full)
    found = checks.disk_space()
    assert (found.state, found.found) == ("broken", f"1 MB are free in {disk}")
