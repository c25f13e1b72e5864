"""Opens a browser of our own: launched on a pipe, ended with its last user.

Knows: how a launch can fail, and how to leave nothing behind. Must not know: pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING

from pilothouse.browsers.kinds import HeadlessKind
from pilothouse.browsers.launcher import (
    BrowserLaunch,
    ChildProcess,
    describe_exit,
    diagnose,
    forget_version,
)
from pilothouse.browsers.opener_interface import (
    BrowserVersion,
    OpenedBrowser,
    OpenerContext,
    ask_version,
)
from pilothouse.browsers.stealth import BrowserBuild, MachineInfo, session_commands
from pilothouse.cdp import Command, Connection, dial_pipe
from pilothouse.cdp.protocol import Browser, Emulation, Page
from pilothouse.errors import BrowserError, CdpError

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import Empty

__all__ = ["open_headless"]

READY_WITHIN_S = 30.0

# A kept profile is closed gracefully, so that Chrome saves its data; `kill_now` ends the wait.
_CLOSES_WITHIN_S = 5.0
_TERMINATES_WITHIN_S = 2.0
_DIES_WITHIN_S = 0.5


# Our isolated worlds read computedRole and computedName (flags.py enables them). Pages must not see
# that they exist.
_HIDE_NAMES = Page.addScriptToEvaluateOnNewDocument(
    source="delete Element.prototype.computedRole; delete Element.prototype.computedName;",
    runImmediately=True,
)


async def open_headless(kind: HeadlessKind, context: OpenerContext) -> OpenedBrowser:
    """Launch a browser. Raises BrowserError with the reason from its log if it does not start."""
    launch = context.launched.pop(kind, None)
    if launch is None:
        plan = (kind, context.runs, context.guardian, context.environ)
        launch = await asyncio.to_thread(BrowserLaunch, *plan)
    running = _LaunchedBrowser(launch)
    try:
        version = await running.start(kind.describe())
    except CdpError as error:
        reason = await running.explain_failure(error)
        await running.end()
        raise reason from error
    except BaseException:
        await running.end()
        raise
    if _has_other_version(launch.build, version):
        forget_version(launch.executable, context.environ)
        if launch.is_cached:
            await running.end()
            return await open_headless(kind, context)
    connection, child = running.connection, running.child
    assert connection is not None
    assert child is not None
    stealth = session_commands(
        kind, launch.build, MachineInfo.detect(), version.product, version.user_agent
    )
    notes = launch.notes
    if launch.build is None and "Headless" in version.user_agent and kind.stealth != "off":
        notes += ("stealth: the browser did not print its version, so it keeps its own user agent",)
    return OpenedBrowser(
        kind=kind,
        connection=connection,
        version=version,
        close=running.close,
        pid=child.pid,
        owned=True,
        notes=notes,
        page_setup=(_HIDE_NAMES, *([] if kind.headed else [_viewport_command(kind)]), *stealth),
        exited=child.exited,
        kill_now=lambda: child.signal_group(signal.SIGKILL),
    )


class _LaunchedBrowser:
    """One launched browser, from its process to the removal of its last file."""

    def __init__(self, launch: BrowserLaunch) -> None:
        self._launch = launch
        self.child: ChildProcess | None = None
        self.connection: Connection | None = None

    async def start(self, name: str) -> BrowserVersion:
        if self._launch.pipe is None:
            self._launch.start()
        assert self._launch.pipe is not None
        self.child = ChildProcess(self._launch.pid)
        try:
            self.connection = await Connection.open(dial_pipe(self._launch.pipe), name=name)
        except BaseException:
            self._launch.pipe.close()
            raise
        return await ask_version(self.connection, READY_WITHIN_S)

    async def explain_failure(self, error: CdpError) -> BrowserError:
        """Make the error for a failed start, with the reason from the browser's log."""
        assert self.child is not None
        gone = await self.child.wait_ended(_DIES_WITHIN_S)
        how = describe_exit(self.child.exited.result()) if gone else error.message
        with contextlib.suppress(OSError):
            reason, hint = diagnose(self._launch.run.log.read_text(errors="replace"))
            if reason:
                return BrowserError(
                    f"the browser did not start: {reason} ({how})",
                    hint=hint,
                    untrusted=("message",),
                )
        return BrowserError(
            f"the browser did not start: it {how}" if gone else f"the browser did not start: {how}",
            hint="check that it is Chrome, Chromium, Edge or Brave",
        )

    async def close(self, kill: bool) -> None:
        """End the browser: gracefully with a kept profile, at once with a temporary one."""
        if self._launch.keeps_profile and not kill:
            await self._close_gracefully()
        await self.end()

    async def end(self) -> None:
        """Kill remaining processes and remove all files. May be called repeatedly."""
        if self.connection is not None:
            await self.connection.close()
        if self.child is not None:
            self.child.signal_group(signal.SIGKILL)
            await self.child.wait_ended(_DIES_WITHIN_S)
        await asyncio.to_thread(self._launch.clean_up)

    async def _close_gracefully(self) -> None:
        assert self.child is not None
        assert self.connection is not None
        # Ignore the reply: the browser may end before it sends one.
        self.connection.send(Browser.close(), _CLOSES_WITHIN_S)
        if not await self.child.wait_ended(_CLOSES_WITHIN_S):
            self.child.signal_group(signal.SIGTERM)
            await self.child.wait_ended(_TERMINATES_WITHIN_S)


def _viewport_command(kind: HeadlessKind) -> Command[Empty]:
    view = kind.viewport
    return Emulation.setDeviceMetricsOverride(
        width=view.width, height=view.height, deviceScaleFactor=view.scale, mobile=False
    )


def _has_other_version(build: BrowserBuild | None, version: BrowserVersion) -> bool:
    """Tell whether the running browser has another major version than the one on record."""
    number = version.product.partition("/")[2]
    return build is not None and bool(number) and number.partition(".")[0] != build.major
