"""The owner's end of the guardian: starts it, tells it what to guard, lets it go.

Knows: the guardian's pipe. Must not know: what is guarded, or why. It needs no event loop: what is
started before there is one is guarded all the same.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from pilothouse.browsers.launcher import guardian
from pilothouse.browsers.launcher.guardian import Run
from pilothouse.browsers.launcher.process import Child, start

__all__ = ["Guard"]

_LEAVES_WITHIN_S = 1.0


class Guard:
    """One guardian per owner, started when there is something to guard.

    A guardian that died is started anew at the next `watch` and told everything again.
    """

    def __init__(self) -> None:
        self._guarded: dict[str, Run] = {}
        self._pid = 0
        self._pipe = -1

    @property
    def pid(self) -> int | None:
        """The guardian's process, if one runs."""
        # One that died is reaped by whoever looks; until then its number is nobody else's.
        if self._pid and os.waitpid(self._pid, os.WNOHANG)[0]:
            self._pid = 0
        return self._pid or None

    def watch(self, run: Run) -> None:
        """Guard a run, or know it better. Returns when the order is in the pipe, which the
        guardian reads even if we die in the next instant."""
        self._guarded[run.path] = run
        if self.pid is None or not self._tell(guardian.guard_line(run)):
            self._start()

    def leave(self, path: str) -> None:
        """The run is over, or goes on by itself."""
        if self._guarded.pop(path, None) is not None and self.pid is not None:
            self._tell(guardian.unguard_line(path))

    async def close(self) -> None:
        """Let the guardian go. What is still guarded it ends when this process does."""
        pid, self._pid = self.pid, 0
        self._hang_up()
        if pid is None or self._guarded:
            return
        child = Child(pid)
        if not await child.ended(_LEAVES_WITHIN_S):
            child.signal_group(signal.SIGKILL)
            await child.ended(_LEAVES_WITHIN_S)

    def _start(self) -> None:
        if (outdated := self.pid) is not None:
            # What it knows is out of date from here on.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(outdated, signal.SIGKILL)
            os.waitpid(outdated, 0)
        self._hang_up()
        theirs, self._pipe = os.pipe()
        os.set_blocking(self._pipe, False)
        try:
            for run in self._guarded.values():
                os.write(self._pipe, guardian.guard_line(run))
            self._pid = start(
                [sys.executable, "-I", "-S", guardian.__file__, str(os.getpid())],
                {name: value for name, value in os.environ.items() if name != guardian.MARK},
                descriptors={0: theirs},
                # From its first instant, not only once its own code runs.
                blocked=guardian.DEAF_TO,
            )
        finally:
            os.close(theirs)

    def _tell(self, line: bytes) -> bool:
        try:
            os.write(self._pipe, line)
        except OSError:
            # It died and is not reaped yet, or is stuck with a full pipe: a new one is due.
            return False
        return True

    def _hang_up(self) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
