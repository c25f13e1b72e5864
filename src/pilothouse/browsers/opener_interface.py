"""What the function that opens a kind returns, and what it gets.

Knows: the shape of an opened browser. Must not know: any kind in particular.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from pilothouse.browsers.kinds import BrowserKind, HeadlessKind
from pilothouse.browsers.launcher import BrowserLaunch, ChildProcess, GuardianClient, RunDirectories
from pilothouse.cdp import Command, Connection
from pilothouse.cdp.protocol import Browser
from pilothouse.supervisor.capabilities import BackendFeatures

__all__ = ["BrowserOpener", "BrowserVersion", "OpenedBrowser", "OpenerContext", "ask_version"]

K = TypeVar("K")


class BrowserVersion(msgspec.Struct, frozen=True):
    """Product and versions, as `Browser.getVersion` returns them."""

    product: str = ""
    user_agent: str = ""
    protocol: str = ""


class OpenerContext(msgspec.Struct):
    """What openers share: run directories, guardian, environment and started processes."""

    runs: RunDirectories
    guardian: GuardianClient
    environ: Mapping[str, str]
    children: set[ChildProcess] = msgspec.field(default_factory=set)
    # Browsers that were launched before the event loop ran.
    launched: dict[HeadlessKind, BrowserLaunch] = msgspec.field(default_factory=dict)


class OpenedBrowser(msgspec.Struct, frozen=True, eq=False):
    """A browser that answers. `close(kill)` ends it or disconnects, depending on its kind."""

    kind: BrowserKind
    connection: Connection
    version: BrowserVersion
    close: Callable[[bool], Awaitable[None]]
    pid: int | None = None
    owned: bool = False
    notes: tuple[str, ...] = ()
    target: str | None = None
    page_setup: tuple[Command[Any], ...] = ()
    # Why `kill` does not end it; empty if it does.
    why_not_killed: str = ""
    # Its capabilities, if they must not be probed.
    features: BackendFeatures | None = None
    # Ends a slow `close` at once by killing the process, if we started it.
    kill_now: Callable[[], None] = lambda: None
    # Resolves when the process that we started has ended.
    exited: asyncio.Future[int] | None = None


# An opener either returns a browser or leaves nothing behind, even if it is cancelled.
BrowserOpener = Callable[[K, OpenerContext], Awaitable[OpenedBrowser]]


async def ask_version(connection: Connection, deadline: float) -> BrowserVersion:
    """Send Browser.getVersion, the first command: a browser that replies is ready.

    Raises CdpError.
    """
    reply = await connection.send(Browser.getVersion(), deadline)
    return BrowserVersion(
        reply.get("product", ""), reply.get("userAgent", ""), reply.get("protocolVersion", "")
    )
