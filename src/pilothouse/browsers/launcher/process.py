"""Processes we start: spawned in a group of their own, watched, ended, reaped.

Knows: posix_spawn, process groups, exit statuses. Must not know: browsers, CDP. One can be started
before there is an event loop (`start`); only who watches it needs one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pilothouse.browsers.launcher.guardian import started
from pilothouse.errors import BrowserError

if TYPE_CHECKING:
    import asyncio

__all__ = ["Child", "spawn", "start"]

# Descriptors below this are targets of the mapping; their sources must lie above.
_SAFE_FD = 10


class Child:
    """A process we started, leader of its own group. `exited` settles when it has ended."""

    def __init__(self, pid: int) -> None:
        import asyncio

        self.pid = pid
        self.started = started(pid) or ""
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self._pidfd = -1
        self._watch()

    def signal_group(self, number: signal.Signals) -> None:
        """Signal every process of its group, as long as the group is certainly its own."""
        # Until it is reaped its pid, and so the group's id, belongs to nobody else.
        if not self.exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    async def ended(self, within: float) -> bool:
        """Wait for the end; False if it does not come in time."""
        import asyncio

        await asyncio.wait([self.exited], timeout=within)
        return self.exited.done()

    def forget(self) -> None:
        """Stop watching a process that goes on without us."""
        if self._pidfd >= 0:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = -1
        self.exited.cancel()

    def _watch(self) -> None:
        if hasattr(os, "pidfd_open"):
            self._pidfd = os.pidfd_open(self.pid)
            self._loop.add_reader(self._pidfd, self._on_exit)
        else:
            import threading

            threading.Thread(target=self._wait, name=f"wait {self.pid}", daemon=True).start()

    def _on_exit(self) -> None:
        # Its children must not outlive it; while it is a zombie the group's id is still ours.
        self.signal_group(signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._pidfd = -1
        self._settle(os.waitstatus_to_exitcode(status))

    def _wait(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        with contextlib.suppress(RuntimeError):  # the loop may be closed by now
            self._loop.call_soon_threadsafe(self._settle, os.waitstatus_to_exitcode(status))

    def _settle(self, code: int) -> None:
        if not self.exited.done():
            self.exited.set_result(code)


def spawn(
    argv: Sequence[str],
    environ: Mapping[str, str],
    *,
    log: Path | None = None,
    descriptors: Mapping[int, int] | None = None,
    blocked: Sequence[signal.Signals] = (),
) -> Child:
    """Start a program, as `start` does, and watch it."""
    return Child(start(argv, environ, log=log, descriptors=descriptors, blocked=blocked))


def start(
    argv: Sequence[str],
    environ: Mapping[str, str],
    *,
    log: Path | None = None,
    descriptors: Mapping[int, int] | None = None,
    blocked: Sequence[signal.Signals] = (),
) -> int:
    """Start a program in a session of its own, its output in `log`, with only the descriptors
    given (its number: ours), deaf to the signals that are blocked; its pid. Raises BrowserError if
    the system refuses."""
    sink = str(log) if log else os.devnull
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 1, sink, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    moved = []
    try:
        wanted = dict(descriptors or {})
        if 0 not in wanted:
            actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
        for theirs, ours in wanted.items():
            moved.append(fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, _SAFE_FD))
            actions.append((os.POSIX_SPAWN_DUP2, moved[-1], theirs))
        return os.posix_spawn(
            argv[0],
            list(argv),
            dict(environ),
            file_actions=actions,
            setsid=True,
            setsigmask=blocked,
        )
    except OSError as error:
        raise BrowserError(
            f"{argv[0]} cannot be started: {error.strerror}",
            hint="check that it is a program for this machine",
        ) from error
    finally:
        for descriptor in moved:
            os.close(descriptor)
