"""One user's hold on a browser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pilothouse.browsers.kinds import Kind
from pilothouse.browsers.open_result import Opened
from pilothouse.browsers.page_picker import TargetInfo, choose_target
from pilothouse.cdp import Command, Connection, Status
from pilothouse.cdp.protocol import Target
from pilothouse.supervisor.capabilities import BackendFeatures

__all__ = ["BrowserHandle"]


class BrowserHandle:
    """A browser that was acquired. Give it back with `release`, once; more often does no harm."""

    def __init__(self, opened: Opened, release: Callable[[bool], Awaitable[None]]) -> None:
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
    def kind(self) -> Kind:
        """What was asked for."""
        return self._opened.kind

    @property
    def connection(self) -> Connection:
        """The one wire to the browser, shared by all who hold it."""
        return self._opened.connection

    @property
    def product(self) -> str:
        """Such as `Chrome/156.0.8078.79`."""
        return self._opened.version.product

    @property
    def user_agent(self) -> str:
        """What pages see, unless it is overridden."""
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
        """Whether we started it."""
        return self._opened.owned

    @property
    def goes_on(self) -> str:
        """Why killing it does not apply; empty for a browser or application that we started."""
        return self._opened.goes_on

    @property
    def notes(self) -> tuple[str, ...]:
        """What its user should know, such as a sandbox that is off."""
        return self._opened.notes

    @property
    def page_setup(self) -> tuple[Command[Any], ...]:
        """What must be sent on the session of every new page before it is used: the size of
        the viewport, which no switch can set to the pixel, and who it says it is."""
        return self._opened.page_setup

    @property
    def features(self) -> BackendFeatures | None:
        """What the browser can do, if that is not to be tried on a tab of it."""
        return self._opened.features

    @property
    def alive(self) -> bool:
        """False once the wire is closed for good; acquire the browser again."""
        return self.connection.status is not Status.CLOSED

    async def targets(self) -> list[TargetInfo]:
        """All targets of the browser. Raises CdpError."""
        answer = await self.connection.send(Target.getTargets())
        return [
            TargetInfo(info["targetId"], info["type"], info["title"], info["url"], info["attached"])
            for info in answer["targetInfos"]
        ]

    async def target(self, wanted: str | None = None) -> TargetInfo:
        """The page that is meant: by a part of its URL or title, else as the kind says, else the
        first real one. Raises BrowserError that lists the candidates."""
        return choose_target(await self.targets(), wanted or self._opened.target)

    async def release(self, *, kill: bool = False) -> None:
        """Give the browser back. The last one closes it: a launched one ends, a connected one is
        left alone, an application goes on unless we started it and `kill` is set (`goes_on`)."""
        if not self._released:
            self._released = True
            await self._release(kill)
