"""The handle on a browser that a caller acquired."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pilothouse.browsers.kinds import BrowserKind
from pilothouse.browsers.opener_interface import OpenedBrowser
from pilothouse.browsers.target_choice import TargetInfo, choose_target
from pilothouse.cdp import Command, Connection, Status
from pilothouse.cdp.protocol import Target
from pilothouse.supervisor.capabilities import BackendFeatures

__all__ = ["BrowserHandle"]


class BrowserHandle:
    """A browser that was acquired. Call `release` when done; repeated calls do nothing."""

    def __init__(self, opened: OpenedBrowser, release: Callable[[bool], Awaitable[None]]) -> None:
        self._opened = opened
        self._release = release
        self._released = False

    def __repr__(self) -> str:
        return f"<BrowserHandle {self.kind.describe()} {self.product} pid={self.pid}>"

    async def __aenter__(self) -> BrowserHandle:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.release()

    @property
    def kind(self) -> BrowserKind:
        """The kind that was asked for."""
        return self._opened.kind

    @property
    def connection(self) -> Connection:
        """The connection to the browser, shared by all handles."""
        return self._opened.connection

    @property
    def product(self) -> str:
        """Such as `Chrome/156.0.8078.79`."""
        return self._opened.version.product

    @property
    def user_agent(self) -> str:
        """The user agent that pages see, unless it is overridden."""
        return self._opened.version.user_agent

    @property
    def protocol_version(self) -> str:
        """The version of CDP."""
        return self._opened.version.protocol

    @property
    def pid(self) -> int | None:
        """The browser's main process, if it is known and on this machine."""
        return self._opened.pid

    @property
    def owned(self) -> bool:
        """True if we started it."""
        return self._opened.owned

    @property
    def why_not_killed(self) -> str:
        """Why `release(kill=True)` does not end it; empty if we started it."""
        return self._opened.why_not_killed

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user, such as a sandbox that is off."""
        return self._opened.notes

    @property
    def page_setup(self) -> tuple[Command[Any], ...]:
        """Commands for the session of every new page, before it is used: the viewport size, which
        no switch can set exactly, and the user agent."""
        return self._opened.page_setup

    @property
    def features(self) -> BackendFeatures | None:
        """Its capabilities, if they must not be probed on one of its tabs."""
        return self._opened.features

    @property
    def alive(self) -> bool:
        """False once the connection is closed for good; then acquire the browser again."""
        return self.connection.status is not Status.CLOSED

    async def targets(self) -> list[TargetInfo]:
        """List all targets of the browser. Raises CdpError."""
        answer = await self.connection.send(Target.getTargets())
        return [
            TargetInfo(info["targetId"], info["type"], info["title"], info["url"], info["attached"])
            for info in answer["targetInfos"]
        ]

    async def target(self, wanted: str | None = None) -> TargetInfo:
        """Choose a page: by `wanted` (part of its URL or title), else by the kind's target, else
        the first visible page. Raises BrowserError that lists the candidates."""
        return choose_target(await self.targets(), wanted or self._opened.target)

    async def release(self, *, kill: bool = False) -> None:
        """Release the browser. The last release closes it: a launched browser ends, a connected one
        keeps running, an application keeps running unless we started it and `kill` is set."""
        if not self._released:
            self._released = True
            await self._release(kill)
