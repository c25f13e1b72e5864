"""Ends what a dead owner left: its processes, then their directory.

This file is a module and a program. As a program it is the guardian, a small process that
outlives its owner: it reads on its standard input what to guard, and when the owner dies, in
whatever way, it ends all of it. As a module it offers the same work to the owner (closing) and to
the next start (sweeping what a power cut left).

Knows: processes, start times, directories; the standard library alone, because the guardian runs
without site-packages to be up within milliseconds.
Must not know: CDP, asyncio, the rest of Pilothouse.

The program reads JSON lines: {"guard": RUN} or {"unguard": PATH}; RUN as in `Run`. A second line
for the same path replaces the first.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = [
    "DEAF_TO",
    "MARK",
    "Run",
    "end_run",
    "growing",
    "guard_line",
    "processes_of",
    "started",
    "unguard_line",
]

# The name of the environment variable by which a browser's processes are known as ours.
MARK = "PILOTHOUSE_RUN"

# Whatever asks the owner to end must not end the guardian before it.
DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

_END_WITHIN_S = 8.0
_LOOK_EVERY_S = 0.05

# A process between fork and exec looks like its parent; only a second clean look is believed.
_CLEAN_LOOKS = 2


class Run(NamedTuple):
    """One browser's run: its directory, its process group's leader, where its profile lies."""

    path: str
    profile: str = ""
    leader: int = 0
    leader_started: str = ""


class _Process(NamedTuple):
    pid: int
    group: int
    zombie: bool
    command: bytes
    environ: bytes


def started(pid: int) -> str | None:
    """A word that tells this process from any other that ever has the same pid; None if gone.

    A zombie still counts as itself: its pid cannot be given to another.
    """
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
            boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        except OSError:
            return None
        # The name, in brackets, may hold anything; the 22nd field is the start in clock ticks.
        return f"{boot[:8]}-{stat.rpartition(')')[2].split()[19]}"
    return "-".join(_ps("-o", "lstart=", "-p", str(pid)).decode().split()) or None


def processes_of(run: Run) -> list[int]:
    """The living processes that belong to a run. A process is ours if it carries the run's mark
    or names a path in its directory; or if its group is the leader's and the leader is known by
    its start time, or it names the profile."""
    group_is_ours = bool(run.leader) and started(run.leader) == run.leader_started
    path, profile = re.escape(os.fsencode(run.path)), re.escape(os.fsencode(run.profile))
    names_path = re.compile(rb"--[\w-]+=" + path + rb"(/|\0| |$)")
    names_profile = re.compile(rb"--[\w-]+=" + profile + rb"(/|\0| |$)") if run.profile else None
    mark = re.compile(rb"(^|\0| )" + MARK.encode() + b"=" + path + rb"(\0| |$)")
    ours = []
    for process in _processes():
        if process.zombie or process.pid == os.getpid():
            continue
        in_group = run.leader and process.group == run.leader
        if (
            (in_group and group_is_ours)
            or (in_group and names_profile and names_profile.search(process.command))
            or names_path.search(process.command)
            or mark.search(process.environ)
        ):
            ours.append(process.pid)
    return ours


def end_run(run: Run, *, looks: int = _CLEAN_LOOKS) -> bool:
    """Kill what belongs to a run and remove its directory. False if something is still there, or
    someone else is at it. `looks` is how often nothing must be found before that is believed."""
    import shutil  # with all it brings; nobody waits for it here

    with _claimed(run.path) as mine:
        if not mine:
            return False
        give_up = time.monotonic() + _END_WITHIN_S
        clean_looks = 0
        while time.monotonic() < give_up:
            ours = processes_of(run)
            for pid in ours:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not ours:
                places = (run.path, growing(run.path))
                for place in places:
                    shutil.rmtree(place, ignore_errors=True)
                clean_looks += 1
                if clean_looks >= looks and not any(map(os.path.lexists, places)):
                    return True
            time.sleep(_LOOK_EVERY_S / 5 if ours else _LOOK_EVERY_S)
        return False


def growing(path: str) -> str:
    """What a run's directory is called until it is whole."""
    return os.path.join(os.path.dirname(path), "." + os.path.basename(path))


@contextlib.contextmanager
def _claimed(path: str) -> Iterator[bool]:
    """Whether this process alone may end the run. A directory that is not there needs no claim."""
    try:
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield True
        return
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(directory)


def _processes() -> Iterator[_Process]:
    if sys.platform != "linux":
        yield from _processes_by_ps()
        return
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        place = Path("/proc", name)
        try:
            fields = (place / "stat").read_bytes().rpartition(b")")[2].split()
            command = (place / "cmdline").read_bytes()
        except OSError:
            continue  # it ended while we looked
        try:
            environ = (place / "environ").read_bytes()
        except OSError:
            environ = b""  # another user's, or a sandboxed renderer: its command line must do
        yield _Process(int(name), int(fields[2]), fields[0] in b"ZX", command, environ)


def _processes_by_ps() -> Iterator[_Process]:
    for line in _ps("-axwwE", "-o", "pid=,pgid=,stat=,command=").splitlines():
        pid, group, stat, command = (*line.split(None, 3), b"", b"", b"")[:4]
        if pid.isdigit() and group.isdigit():
            yield _Process(int(pid), int(group), stat.startswith(b"Z"), command, command)


def _ps(*words: str) -> bytes:
    import subprocess  # where there is /proc nobody needs it

    return subprocess.run(["/bin/ps", *words], capture_output=True, check=False).stdout


class _Guardian:
    """The program: hears what to guard until the owner is gone, then ends it all."""

    def __init__(self, owner: int) -> None:
        self._owner = owner
        self._guarded: dict[str, Run] = {}
        self._rest = b""

    def run(self) -> None:
        # The pipe's end alone is not the owner's death: it may be its farewell, and a forked
        # child of the owner may hold the pipe open after it.
        watched = [0]
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                watched.append(os.pidfd_open(self._owner))
        patience = None if len(watched) > 1 else 0.2
        while os.getppid() == self._owner:
            ready, _, _ = select.select(watched, [], [], patience)
            if 0 in ready and not self._hear():
                if not self._guarded:
                    return
                watched.remove(0)
                patience = 0.02
        while 0 in watched and select.select([0], [], [], 0)[0] and self._hear():
            pass
        for run in self._guarded.values():
            end_run(run)

    def _hear(self) -> bool:
        data = os.read(0, 65536)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "guard" in order:
                self._guarded[order["guard"]["path"]] = Run(**order["guard"])
            else:
                self._guarded.pop(order["unguard"], None)
        return bool(data)


def guard_line(run: Run) -> bytes:
    """What to tell the guardian so that it guards a run."""
    return json.dumps({"guard": run._asdict()}).encode() + b"\n"


def unguard_line(path: str) -> bytes:
    """What to tell the guardian so that it forgets a run."""
    return json.dumps({"unguard": path}).encode() + b"\n"


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, DEAF_TO)
    _Guardian(int(sys.argv[1])).run()
