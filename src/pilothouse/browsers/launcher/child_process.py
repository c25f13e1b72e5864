"""Starts processes in a group of their own, watches, signals and reaps them.

Knows: posix_spawn, process groups, exit statuses. Must not know: browsers, CDP. `start_process`
works before there is an event loop; only watching needs one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pilothouse.browsers.launcher.guardian import process_start_id
from pilothouse.errors import BrowserError

if TYPE_CHECKING:
    import asyncio

__all__ = ["ChildProcess", "spawn", "start_process"]

# The child gets descriptors below this; their sources must be above, or dup2 would clobber them.
_SAFE_FD = 10


class ChildProcess:
    """A process we started, leader of its own group. `exited` resolves when it has ended."""

    def __init__(self, pid: int) -> None:
        import asyncio

        self.pid = pid
        self.started = process_start_id(pid) or ""
        self._loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[int] = self._loop.create_future()
        self._pidfd = -1
        self._watch()

    def signal_group(self, number: signal.Signals) -> None:
        """Signal every process of its group, as long as the group is certainly its own."""
        # Until it is reaped, no other process can get its pid, and so the id of the group.
        if not self.exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    async def wait_ended(self, within: float) -> bool:
        """Wait until it has ended; False if it does not end in time."""
        import asyncio

        await asyncio.wait([self.exited], timeout=within)
        return self.exited.done()

    def stop_watching(self) -> None:
        """Stop watching a process that keeps running without us."""
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
        # Kill its children. While it is a zombie, the id of the group is still ours.
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
) -> ChildProcess:
    """Start a program, as `start_process` does, and watch it."""
    return ChildProcess(
        start_process(argv, environ, log=log, descriptors=descriptors, blocked=blocked)
    )


def start_process(
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
