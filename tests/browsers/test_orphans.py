"""However an owner ends, nothing of its browsers is left: no process, no zombie, no file."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.browsers.machine_processes import ended, freeze_family, gone, mentioning
from tests.chromium import ARGS
from tests.soak_extent import repeats

pytestmark = pytest.mark.browser

CYCLES = repeats(10)
WAYS = ("SIGKILL", "SIGTERM", "SIGINT", "close", "crash")
CHILD = Path(__file__).with_name("owner_child.py")


@contextlib.contextmanager
def owner(
    root: Path, environ: dict[str, str], way: str, *more: str
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(CHILD), str(root), way, *more],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "\n"
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def ready(process: subprocess.Popen[str]) -> dict[str, int]:
    assert process.stdout is not None
    told: dict[str, int] = json.loads(process.stdout.readline())
    return told


@pytest.mark.figures
@pytest.mark.soak
@pytest.mark.timeout(60 + 10 * CYCLES)
def test_no_way_to_end_an_owner_leaves_anything(root: Path, environ: dict[str, str]) -> None:
    """F19, F20: 0 processes, 0 zombies, 0 directories left; signals end it within 3 s."""
    families: list[psutil.Process] = []
    for cycle in range(CYCLES):
        way = WAYS[cycle % len(WAYS)]
        with owner(root, environ, "wait" if way.startswith("SIG") else way) as process:
            ready(process)
            family = psutil.Process(process.pid).children(recursive=True)
            asked = time.monotonic()
            if way.startswith("SIG"):
                process.send_signal(signal.Signals[way])
            code = process.wait(5)
            took = time.monotonic() - asked
        expected = {"SIGKILL": -9, "SIGTERM": 143, "SIGINT": 130}.get(way, 0)
        assert (way, code) == (way, expected)
        assert took < 3, f"{way} took {took:.1f} s"
        families += family
        assert ended(family), way
        assert mentioning(root) == [], way
        assert list(root.iterdir()) == [], way
    assert gone(families) == []


def test_sigkill_at_any_moment_of_a_launch_leaves_nothing(
    root: Path, environ: dict[str, str]
) -> None:
    """F19: the owner dies while it launches, from before the spawn to after the first answer."""
    for moment in (0.0, 0.004, 0.01, 0.03, 0.06, 0.12, 0.25, 0.4, 0.6):
        with owner(root, environ, "wait") as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moment)
            guardian, family = freeze_family(process)
            process.kill()
            process.wait(5)
        # The guardian is the last of the family; it ends when all is clean.
        assert ended([*family, *([guardian] if guardian else [])]), moment
        assert mentioning(root) == [], moment
        assert list(root.iterdir()) == [], moment


def test_owner_killed_with_its_guardian_is_swept_at_the_next_start(
    root: Path, environ: dict[str, str]
) -> None:
    """F19: a power cut ends owner and guardian alike; the record lets the next start sweep."""
    with owner(root, environ, "wait") as process:
        told = ready(process)
        guardian, family = freeze_family(process)
        assert guardian is not None
        assert guardian.pid == told["guardian"]
        # The browser is stopped, or the closing pipe would end it before the sweep can.
        os.kill(told["browser"], signal.SIGSTOP)
        guardian.kill()
        process.kill()
        process.wait(5)
    assert len(list(root.iterdir())) == 1
    with owner(root, environ, "close") as process:
        assert process.wait(10) == 0
    assert ended(family)
    assert mentioning(root) == []
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM"])
def test_application_ends_with_an_owner_that_dies_but_not_with_one_that_leaves(
    root: Path, environ: dict[str, str], chromium_path: Path, way: str
) -> None:
    """F19: an application listens on a port, so nothing but the guardian would end it."""
    with tempfile.TemporaryDirectory(prefix="ph-app-", ignore_cleanup_errors=True) as data:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        args = [*ARGS, *sandbox, f"--user-data-dir={data}"]
        with owner(root, environ, "wait", str(chromium_path), *args) as process:
            told = ready(process)
            app = psutil.Process(told["browser"])
            # The guardian is the last to end: it also kills what the application starts meanwhile.
            family = [app, *app.children(recursive=True), psutil.Process(told["guardian"])]
            process.send_signal(signal.Signals[way])
            process.wait(5)
        if way == "SIGTERM":
            assert app.is_running()
            os.killpg(app.pid, signal.SIGKILL)
        # Some of its processes started after the family was listed.
        assert ended([*family, *mentioning(Path(data))])
        assert mentioning(Path(data)) == []


@pytest.mark.figures
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_a_hanging_browser_with_a_kept_profile_in_time(
    root: Path, environ: dict[str, str], number: signal.Signals
) -> None:
    """F20: exit within 3 s, with 143 or 130, also when Chrome does not react any more."""
    with owner(root, environ, "wait", "work") as process:
        told = ready(process)
        family = psutil.Process(process.pid).children(recursive=True)
        os.killpg(told["browser"], signal.SIGSTOP)
        asked = time.monotonic()
        process.send_signal(number)
        assert process.wait(5) == 128 + number
        assert time.monotonic() - asked < 3
    assert ended(family)
    assert list(root.iterdir()) == []
