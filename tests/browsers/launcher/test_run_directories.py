"""Run directories: made whole, swept when their owner is dead, never touched otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from pilothouse.browsers.launcher import run_directories as rooms
from pilothouse.browsers.launcher.guardian import RUN_VARIABLE, process_start_id
from pilothouse.browsers.launcher.run_directories import (
    RunDirectories,
    RunRecord,
    default_root,
    default_roots,
    read_record,
)
from pilothouse.errors import BrowserError
from tests.small_disk import small_disk


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A living process, leader of its own group."""
    process = subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def dead_owner() -> tuple[int, str]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    word = process_start_id(process.pid)
    process.communicate()
    assert word is not None
    return process.pid, word


def left_by_the_dead(runs: RunDirectories, **known: object) -> RunRecord:
    run = runs.reserve()
    pid, word = dead_owner()
    record = replace(runs.record(run, "test"), owner=pid, owner_started=word)
    record = replace(record, **known)
    runs.create(run, record)
    return record


def test_directory_appears_with_its_record(root: Path) -> None:
    runs = RunDirectories(root)
    run = runs.reserve()
    record = runs.record(run, "test")
    runs.create(run, record)
    assert read_record(run.path) == record
    assert [path.name for path in root.iterdir()] == [run.path.name]
    assert run.path.stat().st_mode & 0o077 == 0


def test_run_of_a_living_owner_is_left_alone(root: Path) -> None:
    runs = RunDirectories(root)
    run = runs.reserve()
    runs.create(run, runs.record(run, "test"))
    assert runs.sweep() == []
    assert run.path.is_dir()


def test_run_of_a_dead_owner_is_swept_with_its_browser(
    root: Path, bystander: subprocess.Popen[bytes]
) -> None:
    """F21, F19: pid and start time match, so it is the browser that was left."""
    runs = RunDirectories(root)
    word = process_start_id(bystander.pid)
    record = left_by_the_dead(runs, browser=bystander.pid, browser_started=word)
    assert runs.sweep() == [record.path]
    assert bystander.wait(5) == -signal.SIGKILL
    assert list(root.iterdir()) == []


def test_process_that_got_a_dead_browsers_pid_is_not_killed(
    root: Path, bystander: subprocess.Popen[bytes]
) -> None:
    """F21: pid reuse safe (compare start time)."""
    runs = RunDirectories(root)
    left_by_the_dead(runs, browser=bystander.pid, browser_started="00000000-1")
    assert len(runs.sweep()) == 1
    assert bystander.poll() is None
    assert list(root.iterdir()) == []


def test_owner_whose_pid_was_given_to_another_is_dead(root: Path) -> None:
    """F21: a record of our own pid with another start time is an orphan."""
    runs = RunDirectories(root)
    run = runs.reserve()
    runs.create(run, replace(runs.record(run, "test"), owner_started="00000000-1"))
    assert runs.sweep() == [str(run.path)]


def test_stray_process_is_known_by_its_mark(root: Path) -> None:
    """F19: killed between the spawn and the record, a browser is found by its environment."""
    runs = RunDirectories(root)
    record = left_by_the_dead(runs)
    stray = subprocess.Popen(["/bin/sleep", "60"], env={RUN_VARIABLE: record.path})
    assert runs.sweep() == [record.path]
    assert stray.wait(5) == -signal.SIGKILL


def test_sweepers_at_once_do_not_clash(root: Path) -> None:
    runs = RunDirectories(root)
    records = [left_by_the_dead(runs) for _ in range(5)]
    with ThreadPoolExecutor(4) as pool:
        swept = [
            path
            for paths in pool.map(lambda _: RunDirectories(root).sweep(), range(4))
            for path in paths
        ]
    assert set(swept) == {record.path for record in records}
    assert list(root.iterdir()) == []


def test_half_made_directory_is_left_while_it_is_young_and_swept_when_old(root: Path) -> None:
    young, old = root / ".aaaaaaaa", root / ".bbbbbbbb"
    for place in (young, old):
        place.mkdir()
    os.utime(old, (1, 1))
    assert RunDirectories(root).sweep() == [str(root / "bbbbbbbb")]
    assert list(root.iterdir()) == [young]


def test_path_in_a_record_is_never_believed(root: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    runs = RunDirectories(root)
    run = runs.reserve()
    pid, word = dead_owner()
    record = replace(runs.record(run, "test"), owner=pid, owner_started=word, path=str(precious))
    runs.create(run, record)
    runs.sweep()
    assert precious.is_dir()
    assert not run.path.exists()


def test_root_open_to_others_is_refused(root: Path) -> None:
    root.chmod(0o755)
    with pytest.raises(BrowserError, match="other users have access") as error:
        RunDirectories(root).sweep()
    assert "chmod 700" in error.value.hint


def test_root_that_is_a_link_is_refused(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    runs = RunDirectories(link)
    run = runs.reserve()
    with pytest.raises(BrowserError, match="not a directory of yours"):
        runs.create(run, runs.record(run, "test"))


def test_runs_are_made_in_memory_where_there_is_room_and_nobody_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How much is free there is the machine's: a folder and other bounds stand for that."""
    memory = tmp_path / "m"
    memory.mkdir()
    monkeypatch.setattr(rooms, "_IN_MEMORY", memory)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/tmp")
    monkeypatch.delenv("TMPDIR", raising=False)
    name = f"pilothouse-{os.geteuid()}"
    monkeypatch.setattr(rooms, "_MIN_FREE_BYTES", 0)
    assert default_root() == memory / name
    monkeypatch.setattr(rooms, "_MIN_FREE_BYTES", 1 << 60)
    assert default_root() == Path("/tmp", name)
    monkeypatch.setattr(rooms, "_MIN_FREE_BYTES", 0)
    monkeypatch.setenv("TMPDIR", "/tmp")
    assert default_root() == Path("/tmp", name)
    assert set(default_roots()) == {memory / name, Path("/tmp", name)}


def test_what_lies_where_memory_was_short_is_swept_too(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The places are the user's own, and may hold living runs: others stand for them."""
    foreign = tmp_path / "foreign"
    foreign.mkdir(mode=0o755)
    elsewhere = tmp_path / "elsewhere"
    record = left_by_the_dead(RunDirectories(elsewhere))
    monkeypatch.setattr(rooms, "default_root", lambda: root)
    monkeypatch.setattr(rooms, "default_roots", lambda: (root, elsewhere, foreign))
    assert RunDirectories().sweep() == [record.path]
    assert foreign.is_dir()


def test_full_disk_is_an_error_that_names_the_directory() -> None:
    with small_disk() as disk:
        runs = RunDirectories(disk.path)
        run, early = runs.reserve(), runs.reserve()
        runs.create(early, runs.record(early, "headless browser"))
        disk.fill()
        record = runs.record(run, "headless browser")
        with pytest.raises(BrowserError, match=rf"{run.path}: No space left on device"):
            runs.create(run, record)
        with pytest.raises(BrowserError, match=rf"{early.path}: No space left on device"):
            runs.update(early, runs.record(early, "x" * 9000))
        assert read_record(early.path) == runs.record(early, "headless browser")
