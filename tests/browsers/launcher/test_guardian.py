"""The guardian as a program, and how it tells what is its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from pilothouse.browsers.launcher.guardian import (
    RUN_VARIABLE,
    GuardedRun,
    end_run,
    process_start_id,
)
from tests.browsers.machine_processes import ended

# An owner that guards a run, maybe leaves it again, says the guardian's pid, and waits.
OWNER = """
import asyncio, json, sys
from pilothouse.browsers.launcher.guardian_client import GuardianClient
from pilothouse.browsers.launcher.guardian import GuardedRun

async def own(run, then):
    guard = GuardianClient()
    guard.guard(run)
    if then == "leave":
        guard.unguard(run.path)
    print(guard.pid, flush=True)
    await asyncio.to_thread(sys.stdin.read)

asyncio.run(own(GuardedRun(**json.loads(sys.argv[1])), sys.argv[2]))
"""


@pytest.fixture
def browser() -> Iterator[subprocess.Popen[bytes]]:
    """Something that lives in a group of its own."""
    process = subprocess.Popen(["/bin/sh", "-c", "sleep 60 & wait"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def owner_of(run: GuardedRun, then: str = "stay") -> tuple[subprocess.Popen[str], psutil.Process]:
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, json.dumps(run._asdict()), then],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, psutil.Process(int(process.stdout.readline()))


def end_owner(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def run_of(place: Path, browser: subprocess.Popen[bytes]) -> GuardedRun:
    place.mkdir()
    (place / "file").write_text("")
    return GuardedRun(str(place), "", browser.pid, process_start_id(browser.pid) or "")


def test_death_of_the_owner_ends_what_is_guarded(
    root: Path, browser: subprocess.Popen[bytes]
) -> None:
    run = run_of(root / "a", browser)
    owner, guard = owner_of(run)
    end_owner(owner)
    assert ended([guard])
    assert browser.wait(5) == -signal.SIGKILL
    assert list(root.iterdir()) == []


def test_guardian_is_deaf_to_signals_that_ask_it_to_end(
    root: Path, browser: subprocess.Popen[bytes]
) -> None:
    owner, guard = owner_of(run_of(root / "a", browser))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        guard.send_signal(number)
    end_owner(owner)
    assert ended([guard])
    assert browser.wait(5) == -signal.SIGKILL


def test_what_is_no_longer_guarded_lives_on(root: Path, browser: subprocess.Popen[bytes]) -> None:
    run = run_of(root / "a", browser)
    owner, guard = owner_of(run, "leave")
    end_owner(owner)
    assert ended([guard])
    assert browser.poll() is None
    assert (root / "a").is_dir()


def test_process_with_the_same_pid_but_another_start_is_spared(
    root: Path, browser: subprocess.Popen[bytes]
) -> None:
    """F21: pid reuse safe."""
    (root / "a").mkdir()
    assert end_run(GuardedRun(str(root / "a"), "", browser.pid, "00000000-1"))
    assert browser.poll() is None
    assert list(root.iterdir()) == []


def test_process_is_known_by_a_path_on_its_command_line(root: Path) -> None:
    script = ["/bin/sh", "-c", "sleep 60 & wait", f"--user-data-dir={root}/a/profile"]
    ours = subprocess.Popen(script, start_new_session=True)
    other = subprocess.Popen([*script[:3], f"--user-data-dir={root}/ab/profile"])
    assert end_run(GuardedRun(f"{root}/a"))
    assert ours.wait(5) == -signal.SIGKILL
    assert other.poll() is None
    other.kill()
    other.wait()


def test_group_without_its_leader_is_known_by_the_profile(root: Path) -> None:
    script = f"sh -c 'sleep 60; :' x --user-data-dir={root}/kept & echo $!"
    leader = subprocess.Popen(
        ["/bin/sh", "-c", script], start_new_session=True, stdout=subprocess.PIPE, text=True
    )
    word = process_start_id(leader.pid) or ""
    assert leader.stdout is not None
    member = psutil.Process(int(leader.stdout.readline()))
    leader.stdout.close()
    leader.wait()
    assert end_run(GuardedRun(f"{root}/a", f"{root}/kept", leader.pid, word))
    assert ended([member])
    ended(member.children())


def test_mark_in_the_environment_is_enough(root: Path) -> None:
    process = subprocess.Popen(["/bin/sleep", "60"], env={RUN_VARIABLE: f"{root}/a"})
    assert end_run(GuardedRun(f"{root}/a"))
    assert process.wait(5) == -signal.SIGKILL


def test_start_of_a_process_is_a_stable_word_and_none_after_it(
    browser: subprocess.Popen[bytes],
) -> None:
    word = process_start_id(browser.pid)
    assert word
    assert word == process_start_id(browser.pid)
    assert word != process_start_id(os.getpid()) or sys.platform != "linux"
    os.killpg(browser.pid, signal.SIGKILL)
    browser.wait()
    assert process_start_id(browser.pid) is None
