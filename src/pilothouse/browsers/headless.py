"""Opens a browser of our own: launched on a pipe, ended with its last user.

Knows: how a launch can fail and how to leave nothing behind. Must not know: pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pilothouse.browsers.builds import ask_build, forget_build
from pilothouse.browsers.diagnose import diagnose, exit_words
from pilothouse.browsers.find import check_executable, find_browser
from pilothouse.browsers.flags import check_args, headless_argv
from pilothouse.browsers.guardian import MARK, end_run
from pilothouse.browsers.kinds import Headless, Proxy
from pilothouse.browsers.opened import Grounds, Opened, Version, ask_version
from pilothouse.browsers.process import Child, spawn
from pilothouse.browsers.profiles import open_profile
from pilothouse.browsers.runs import Record, RunDirectory
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
    notes = check_args(kind.args)
    if kind.executable is not None:
        executable = check_executable(kind.executable, "browser")
    else:
        executable = find_browser(grounds.environ)
    proxy = kind.proxy or Proxy.from_environment(grounds.environ)
    as_root = os.geteuid() == 0
    if as_root and not notes:
        notes = ("sandbox off: running as root",)
    build, remembered = await _build(executable, kind, grounds.environ)
    profile = open_profile(kind.profile, grounds.environ) if kind.profile else None
    launch = _Launch(kind, grounds, profile)
    argv = headless_argv(
        executable, kind, launch.profile, proxy=proxy, sandbox=not as_root, build=build
    )
    try:
        version = await launch.start(argv)
    except CdpError as error:
        reason = await launch.why(error)
        await launch.end()
        raise reason from error
    except BaseException:
        await launch.end()
        raise
    if _is_another(build, version):
        forget_build(executable, grounds.environ)
        if remembered:
            await launch.end()
            return await open_headless(kind, grounds)
    connection, child = launch.connection, launch.child
    assert connection is not None
    assert child is not None
    own = commands(kind, build, Machine.here(), version.product, version.user_agent)
    if build is None and "Headless" in version.user_agent and kind.stealth != "off":
        notes += ("stealth: the program does not tell its version, so it keeps its own name",)
    return Opened(
        kind=kind,
        connection=connection,
        version=version,
        close=launch.close,
        pid=child.pid,
        owned=True,
        notes=notes,
        page_setup=(_HIDE_NAMES, *([] if kind.headed else [_metrics(kind)]), *own),
        exited=child.exited,
        cut_off=lambda: child.signal_group(signal.SIGKILL),
    )


class _Launch:
    """One launched browser, from the reserved directory to the last removed file."""

    def __init__(self, kind: Headless, grounds: Grounds, profile: Path | None) -> None:
        self._grounds = grounds
        self._run: RunDirectory = grounds.runs.reserve()
        self._kept = profile is not None
        self._record: Record = grounds.runs.record(self._run, kind.describe(), profile)
        self.profile = profile or self._run.profile
        self.child: Child | None = None
        self.connection: Connection | None = None

    async def start(self, argv: list[str]) -> Version:
        # Guarded before it exists: there is no instant in which our death leaves something.
        self._grounds.guard.watch(self._record.run())
        self._grounds.runs.create(self._run, self._record)
        ours, theirs = socket.socketpair()
        try:
            self.child = spawn(
                argv,
                {**self._grounds.environ, "TMPDIR": str(self._run.tmp), MARK: str(self._run.path)},
                log=self._run.log,
                descriptors={3: theirs.fileno(), 4: theirs.fileno()},
            )
            self._record = replace(
                self._record, browser=self.child.pid, browser_started=self.child.started
            )
            self._grounds.guard.watch(self._record.run())
            self._grounds.runs.update(self._run, self._record)
            self.connection = await Connection.open(dial_pipe(ours), name=self._record.kind)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return await ask_version(self.connection, READY_WITHIN_S)

    async def why(self, error: CdpError) -> BrowserError:
        """What the browser itself says about its failure."""
        assert self.child is not None
        gone = await self.child.ended(_DIES_WITHIN_S)
        how = exit_words(self.child.exited.result()) if gone else error.message
        with contextlib.suppress(OSError):
            reason, hint = diagnose(self._run.log.read_text(errors="replace"))
            if reason:
                return BrowserError(f"the browser did not start: {reason} ({how})", hint=hint)
        return BrowserError(
            f"the browser did not start: it {how}" if gone else f"the browser did not start: {how}",
            hint="check that it is Chrome, Chromium, Edge or Brave",
        )

    async def close(self, kill: bool) -> None:
        """End the browser: a kept profile with care, a passing one at once."""
        if self._kept and not kill:
            await self._close_with_care()
        await self.end()

    async def end(self) -> None:
        """Kill what still lives and remove what lies about. Harmless when done before."""
        if self.connection is not None:
            await self.connection.close()
        if self.child is not None:
            self.child.signal_group(signal.SIGKILL)
            await self.child.ended(_DIES_WITHIN_S)
        if await asyncio.to_thread(end_run, self._record.run(), looks=1):
            self._grounds.guard.leave(self._record.path)

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


async def _build(
    executable: Path, kind: Headless, environ: Mapping[str, str]
) -> tuple[Build | None, bool]:
    """Which program that is; asked only if its own name would stand out."""
    if kind.headed or kind.stealth == "off":
        return None, False
    try:
        return await asyncio.to_thread(ask_build, executable, environ)
    except (OSError, subprocess.SubprocessError):
        return None, False  # Whatever is wrong with it, the launch will tell it better.


def _is_another(build: Build | None, version: Version) -> bool:
    """Whether the program that was started is of another version than it said."""
    number = version.product.partition("/")[2]
    return build is not None and bool(number) and number.partition(".")[0] != build.major
