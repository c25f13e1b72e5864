"""What an opener returns, and what it may use.

Knows: the shape of an opened browser. Must not know: any kind in particular.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from pilothouse.browsers.kinds import Headless, Kind
from pilothouse.browsers.launcher import Child, Guard, Launch, Runs
from pilothouse.cdp import Command, Connection
from pilothouse.cdp.protocol import Browser
from pilothouse.supervisor.capabilities import BackendFeatures

__all__ = ["Grounds", "Opened", "Opener", "Version", "ask_version"]

K = TypeVar("K")


class Version(msgspec.Struct, frozen=True):
    """What the browser says it is."""

    product: str = ""
    user_agent: str = ""
    protocol: str = ""


class Grounds(msgspec.Struct):
    """What an opener may use: the registry's run directories, guardian and environment."""

    runs: Runs
    guard: Guard
    environ: Mapping[str, str]
    children: set[Child] = msgspec.field(default_factory=set)
    # What was started before there was an event loop.
    launched: dict[Headless, Launch] = msgspec.field(default_factory=dict)


class Opened(msgspec.Struct, frozen=True, eq=False):
    """A browser that answers. `close(kill)` ends our hold on it, in the way of its kind."""

    kind: Kind
    connection: Connection
    version: Version
    close: Callable[[bool], Awaitable[None]]
    pid: int | None = None
    owned: bool = False
    notes: tuple[str, ...] = ()
    target: str | None = None
    page_setup: tuple[Command[Any], ...] = ()
    # Why `kill` does not end it; empty where it does.
    goes_on: str = ""
    # What it can do, for a browser that may not be tried.
    features: BackendFeatures | None = None
    # Ends a slow `close` at once: kills what it waits for, if that is ours to kill.
    cut_off: Callable[[], None] = lambda: None
    # Settles when the process of a browser we started has ended.
    exited: asyncio.Future[int] | None = None


# An opener either returns a browser or leaves nothing behind, also when it is cancelled.
Opener = Callable[[K, Grounds], Awaitable[Opened]]


async def ask_version(connection: Connection, deadline: float) -> Version:
    """The first question: a browser that answers it is ready. Raises CdpError."""
    said = await connection.send(Browser.getVersion(), deadline)
    return Version(
        said.get("product", ""), said.get("userAgent", ""), said.get("protocolVersion", "")
    )
