"""Ends what a dead owner left behind: its processes, then their directory.

This file is both a module and a program. As a program it is the guardian, a small process that
outlives its owner. It reads from its standard input which runs to guard. When the owner dies, in
whatever way, it ends all of them. As a module it does the same work for the owner on close, and for
the next start, which sweeps what a power cut left.

The program reads JSON lines: {"guard": RUN} or {"unguard": PATH}; RUN as in `GuardedRun`. A second
line for the same path replaces the first.

Knows: processes, start times, directories. Uses only the standard library, because the guardian
runs without site-packages, to be up within milliseconds. Must not know: CDP, asyncio, the rest of
Pilothouse.
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
    "BLOCKED_SIGNALS",
    "RUN_VARIABLE",
    "GuardedRun",
    "end_run",
    "guard_message",
    "process_start_id",
    "processes_of",
    "unfinished_path",
    "unguard_message",
]

# Environment variable that marks a browser's processes as ours; its value is the run's path.
RUN_VARIABLE = "PILOTHOUSE_RUN"

# Signals that ask the owner to end must not end the guardian first.
BLOCKED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)

_END_WITHIN_S = 8.0
_SCAN_EVERY_S = 0.05

# A process between fork and exec looks like its parent, so one scan without matches proves nothing.
_CLEAN_SCANS = 2


class GuardedRun(NamedTuple):
    """One run of a browser: its directory, its profile, and the leader of its process group."""

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


def process_start_id(pid: int) -> str | None:
    """Return a string that distinguishes this process from any other with the same pid.

    None if it is gone. A zombie still counts: no other process can get its pid.
    """
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
            boot = Path("/proc/sys/kernel/random/boot_id").read_text()
        except OSError:
            return None
        # The name, in brackets, may contain anything. Field 22 is the start time in clock ticks.
        return f"{boot[:8]}-{stat.rpartition(')')[2].split()[19]}"
    return "-".join(_ps("-o", "lstart=", "-p", str(pid)).decode().split()) or None


def processes_of(run: GuardedRun) -> list[int]:
    """List the living processes of a run.

    A process is ours if it has the run's environment variable, or a switch with a path in the run's
    directory. It is also ours if it is in the leader's group, and the leader's start time matches
    or a switch names the profile.
    """
    group_is_ours = bool(run.leader) and process_start_id(run.leader) == run.leader_started
    path, profile = re.escape(os.fsencode(run.path)), re.escape(os.fsencode(run.profile))
    names_path = re.compile(rb"--[\w-]+=" + path + rb"(/|\0| |$)")
    names_profile = re.compile(rb"--[\w-]+=" + profile + rb"(/|\0| |$)") if run.profile else None
    mark = re.compile(rb"(^|\0| )" + RUN_VARIABLE.encode() + b"=" + path + rb"(\0| |$)")
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


def end_run(run: GuardedRun, *, scans: int = _CLEAN_SCANS) -> bool:
    """Kill the processes of a run and remove its directory.

    scans: how many scans without a match are needed
    Returns False if something is left, or if another process is ending the run.
    """
    import shutil  # late: slow to import

    with _lock_run(run.path) as is_locked:
        if not is_locked:
            return False
        give_up = time.monotonic() + _END_WITHIN_S
        clean_scans = 0
        while time.monotonic() < give_up:
            ours = processes_of(run)
            for pid in ours:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not ours:
                paths = (run.path, unfinished_path(run.path))
                for path in paths:
                    shutil.rmtree(path, ignore_errors=True)
                clean_scans += 1
                if clean_scans >= scans and not any(map(os.path.lexists, paths)):
                    return True
            time.sleep(_SCAN_EVERY_S / 5 if ours else _SCAN_EVERY_S)
        return False


def unfinished_path(path: str) -> str:
    """Return the temporary path of a run directory, used until it is complete."""
    return os.path.join(os.path.dirname(path), "." + os.path.basename(path))


@contextlib.contextmanager
def _lock_run(path: str) -> Iterator[bool]:
    """Lock the run directory; yields False if another process holds the lock.

    A directory that does not exist needs no lock.
    """
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
        folder = Path("/proc", name)
        try:
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        try:
            environ = (folder / "environ").read_bytes()
        except OSError:
            environ = b""  # another user's, or a sandboxed renderer: only the command line is left
        yield _Process(int(name), int(fields[2]), fields[0] in b"ZX", command, environ)


def _processes_by_ps() -> Iterator[_Process]:
    for line in _ps("-axwwE", "-o", "pid=,pgid=,stat=,command=").splitlines():
        pid, group, stat, command = (*line.split(None, 3), b"", b"", b"")[:4]
        if pid.isdigit() and group.isdigit():
            yield _Process(int(pid), int(group), stat.startswith(b"Z"), command, command)


def _ps(*words: str) -> bytes:
    import subprocess  # late: not needed where there is /proc

    return subprocess.run(["/bin/ps", *words], capture_output=True, check=False).stdout


class _Guardian:
    """The program: reads which runs to guard until the owner dies, then ends them."""

    def __init__(self, owner: int) -> None:
        self._owner = owner
        self._guarded: dict[str, GuardedRun] = {}
        self._rest = b""

    def run(self) -> None:
        # End of file on the pipe alone does not mean that the owner died: it may have closed it,
        # and a forked child of the owner may keep the pipe open after its death. So watch its pid,
        # too.
        watched = [0]
        if hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                watched.append(os.pidfd_open(self._owner))
        poll_s = None if len(watched) > 1 else 0.2
        while os.getppid() == self._owner:
            ready, _, _ = select.select(watched, [], [], poll_s)
            if 0 in ready and not self._read_messages():
                if not self._guarded:
                    return
                watched.remove(0)
                poll_s = 0.02
        while 0 in watched and select.select([0], [], [], 0)[0] and self._read_messages():
            pass
        for run in self._guarded.values():
            end_run(run)

    def _read_messages(self) -> bool:
        data = os.read(0, 65536)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "guard" in message:
                self._guarded[message["guard"]["path"]] = GuardedRun(**message["guard"])
            else:
                self._guarded.pop(message["unguard"], None)
        return bool(data)


def guard_message(run: GuardedRun) -> bytes:
    """Format the message that makes the guardian guard a run."""
    return json.dumps({"guard": run._asdict()}).encode() + b"\n"


def unguard_message(path: str) -> bytes:
    """Format the message that makes the guardian forget a run."""
    return json.dumps({"unguard": path}).encode() + b"\n"


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED_SIGNALS)
    _Guardian(int(sys.argv[1])).run()
