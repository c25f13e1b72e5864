"""The owner's side of the guardian: starts it, and tells it which runs to guard.

Knows: the guardian's pipe. Must not know: what is guarded, or why. It needs no event loop, so that
browsers which start before the loop runs are guarded, too.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from pilothouse.browsers.launcher import guardian
from pilothouse.browsers.launcher.child_process import ChildProcess, start_process
from pilothouse.browsers.launcher.guardian import GuardedRun

__all__ = ["GuardianClient"]

_EXITS_WITHIN_S = 1.0


class GuardianClient:
    """One guardian process per owner, started with the first run.

    If the guardian died, the next `guard` starts a new one and sends it all runs again.
    """

    def __init__(self) -> None:
        self._guarded: dict[str, GuardedRun] = {}
        self._pid = 0
        self._pipe = -1

    @property
    def pid(self) -> int | None:
        """The pid of the guardian, if one is running."""
        # Reap a dead guardian here. Until then no other process can have its pid.
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
        return self._pid or None

    def guard(self, run: GuardedRun) -> None:
        """Guard a run, or update what is known about it.

        Returns when the message is in the pipe. The guardian reads it even if we die right after.
        """
        self._guarded[run.path] = run
        if self.pid is None or not self._write(guardian.guard_message(run)):
            self._start()

    def unguard(self, path: str) -> None:
        """Stop guarding a run that is over, or that keeps running without us."""
        if self._guarded.pop(path, None) is not None and self.pid is not None:
            self._write(guardian.unguard_message(path))

    async def close(self) -> None:
        """End the guardian.

        If runs are still guarded, it stays and ends them after this process.
        """
        pid, self._pid = self.pid, 0
        self._close_pipe()
        if pid is None or self._guarded:
            return
        child = ChildProcess(pid)
        if not await child.wait_ended(_EXITS_WITHIN_S):
            child.signal_group(signal.SIGKILL)
            await child.wait_ended(_EXITS_WITHIN_S)

    def _start(self) -> None:
        if (outdated := self.pid) is not None:
            # It did not get the last message, so it is out of date.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(outdated, signal.SIGKILL)
            os.waitpid(outdated, 0)
        self._close_pipe()
        theirs, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        try:
            for run in self._guarded.values():
                os.write(self._pipe, guardian.guard_message(run))
            self._pid = start_process(
                [sys.executable, "-I", "-S", guardian.__file__, str(os.getpid())],
                {
                    name: value
                    for name, value in os.environ.items()
                    if name != guardian.RUN_VARIABLE
                },
                descriptors={0: theirs},
                # Blocked from the start, not only once its own code runs.
                blocked=guardian.BLOCKED_SIGNALS,
            )
        finally:
            os.close(theirs)

    def _write(self, line: bytes) -> bool:
        try:
            os.write(self._pipe, line)
        except OSError:
            # It died and is not reaped yet, or hangs with a full pipe: start a new one.
            return False
        return True

    def _close_pipe(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
