"""Opens a browser of our own: launched on a pipe, ended with its last user.

Knows: how a launch can fail and how to leave nothing behind. Must not know: pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING

from pilothouse.browsers.kinds import Headless
from pilothouse.browsers.launcher import Child, Launch, diagnose, exit_words, forget_build
from pilothouse.browsers.open_result import Grounds, Opened, Version, ask_version
from pilothouse.browsers.stealth import Build, Machine, commands
from pilothouse.cdp import Command, Connection, dial_pipe
from pilothouse.cdp.protocol import Browser, Emulation, Page
from pilothouse.errors import BrowserError, CdpError

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import Empty

__all__ = ["open_headless"]

READY_WITHIN_S = 30.0

# A kept profile is closed with care; who is in a hurry cuts it off.
_CLOSES_WITHIN_S = 5.0
_TERMINATES_WITHIN_S = 2.0
_DIES_WITHIN_S = 0.5


# Our own worlds ask Chrome for names and roles (flags.py switches that on); no page need know that
# it can be asked.
_HIDE_NAMES = Page.addScriptToEvaluateOnNewDocument(
    source="delete Element.prototype.computedRole; delete Element.prototype.computedName;",
    runImmediately=True,
)


async def open_headless(kind: Headless, grounds: Grounds) -> Opened:
    """Launch a browser. Raises BrowserError with the browser's own reason if it does not start."""
    launch = grounds.launched.pop(kind, None)
    if launch is None:
        plan = (kind, grounds.runs, grounds.guard, grounds.environ)
        launch = await asyncio.to_thread(Launch, *plan)
    running = _Running(launch)
    try:
        version = await running.start(kind.describe())
    except CdpError as error:
        reason = await running.why(error)
        await running.end()
        raise reason from error
    except BaseException:
        await running.end()
        raise
    if _is_another(launch.build, version):
        forget_build(launch.executable, grounds.environ)
        if launch.remembered:
            await running.end()
            return await open_headless(kind, grounds)
    connection, child = running.connection, running.child
    assert connection is not None
    assert child is not None
    own = commands(kind, launch.build, Machine.here(), version.product, version.user_agent)
    notes = launch.notes
    if launch.build is None and "Headless" in version.user_agent and kind.stealth != "off":
        notes += ("stealth: the program does not tell its version, so it keeps its own name",)
    return Opened(
        kind=kind,
        connection=connection,
        version=version,
        close=running.close,
        pid=child.pid,
        owned=True,
        notes=notes,
        page_setup=(_HIDE_NAMES, *([] if kind.headed else [_metrics(kind)]), *own),
        exited=child.exited,
        cut_off=lambda: child.signal_group(signal.SIGKILL),
    )


class _Running:
    """One launched browser, watched and spoken to, to the last removed file."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self.child: Child | None = None
        self.connection: Connection | None = None

    async def start(self, name: str) -> Version:
        if self._launch.pipe is None:
            self._launch.begin()
        assert self._launch.pipe is not None
        self.child = Child(self._launch.pid)
        try:
            self.connection = await Connection.open(dial_pipe(self._launch.pipe), name=name)
        except BaseException:
            self._launch.pipe.close()
            raise
        return await ask_version(self.connection, READY_WITHIN_S)

    async def why(self, error: CdpError) -> BrowserError:
        """What the browser itself says about its failure."""
        assert self.child is not None
        gone = await self.child.ended(_DIES_WITHIN_S)
        how = exit_words(self.child.exited.result()) if gone else error.message
        with contextlib.suppress(OSError):
            reason, hint = diagnose(self._launch.run.log.read_text(errors="replace"))
            if reason:
                return BrowserError(f"the browser did not start: {reason} ({how})", hint=hint)
        return BrowserError(
            f"the browser did not start: it {how}" if gone else f"the browser did not start: {how}",
            hint="check that it is Chrome, Chromium, Edge or Brave",
        )

    async def close(self, kill: bool) -> None:
        """End the browser: a kept profile with care, a passing one at once."""
        if self._launch.kept and not kill:
            await self._close_with_care()
        await self.end()

    async def end(self) -> None:
        """Kill what still lives and remove what lies about. Harmless when done before."""
        if self.connection is not None:
            await self.connection.close()
        if self.child is not None:
            self.child.signal_group(signal.SIGKILL)
            await self.child.ended(_DIES_WITHIN_S)
        await asyncio.to_thread(self._launch.abandon)

    async def _close_with_care(self) -> None:
        assert self.child is not None
        assert self.connection is not None
        # The reply is of no interest: a browser that obeys may end before it answers.
        self.connection.send(Browser.close(), _CLOSES_WITHIN_S)
        if not await self.child.ended(_CLOSES_WITHIN_S):
            self.child.signal_group(signal.SIGTERM)
            await self.child.ended(_TERMINATES_WITHIN_S)


def _metrics(kind: Headless) -> Command[Empty]:
    view = kind.viewport
    return Emulation.setDeviceMetricsOverride(
        width=view.width, height=view.height, deviceScaleFactor=view.scale, mobile=False
    )


def _is_another(build: Build | None, version: Version) -> bool:
    """Whether the program that was started is of another version than it said."""
    number = version.product.partition("/")[2]
    return build is not None and bool(number) and number.partition(".")[0] != build.major
