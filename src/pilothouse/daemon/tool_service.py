"""The context in the daemon: which tools there are, who sits at it, and the gate in front.

Knows: how tools, toolsets and sessions come together. Must not know: what tools do, or over which
wire a client came (server.py, mcp.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from pilothouse.daemon.mcp import toolsets_of
from pilothouse.daemon.mcp_clients import Servers
from pilothouse.daemon.tool_settings import Choosing
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.tasks import Tasks
from pilothouse.tools import catalog
from pilothouse.tools.context import Call, ToolSession
from pilothouse.tools.gate import Gate
from pilothouse.tools.plugins import bring
from pilothouse.tools.selection import Selection
from pilothouse.tools.tool import TOOLS, Tool

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["Tooling"]

WATCH_EVERY_S = 1.0
# An owner on a platform, with the toolsets its session has.
Place = tuple[str, str, tuple[str, ...]]
_ASKED: ContextVar[tuple[str, ...]] = ContextVar("toolsets asked for", default=())
QUIET_S = 1.0
QUIET_TRIES = 5
NOTICES = 20
NO_SEARCH = "no search engine is set up: set search.backend in config.yaml, then restart the daemon"


class Tooling:
    """All tools of one daemon, and the sessions of its clients."""

    def __init__(self, daemon: Daemon) -> None:
        assert catalog.DECLARED  # importing it has declared the tools
        self._daemon = daemon
        self.brought = bring(TOOLS)
        self.tools: dict[str, Tool] = {**TOOLS, **self.brought.tools}
        self.choosing = Choosing(self.tools, self._changed, plugins=self.brought.toolsets)
        self.gate = Gate(
            self.tools,
            self._call_of,
            switch=self._switch,
            redact=daemon.redactor.redact,
            settings=_settings(daemon),
        )
        # Whoever shows a list of tools is told when it changes.
        self.on_change: list[Callable[[], object]] = []
        self._sessions: dict[Place, ToolSession] = {}
        self._tasks = Tasks()
        self.servers = Servers(self, daemon.paths.root)
        # What each session could use when it last looked.
        self._looked: dict[Place, frozenset[str]] = {}
        if not daemon.settings.search.backend and not self.tools["web_search"].source:
            self.shut("web_search", NO_SEARCH)

    def _call_of(self, owner: str) -> Call:
        async def call(method: str, params: dict[str, Any]) -> Any:
            return await self._daemon.call(owner, method, params)

        return call

    def session_for(
        self, owner: str, platform: str = "cli", toolsets: tuple[str, ...] = ()
    ) -> ToolSession:
        """Where a client sits; the same one each time it comes."""
        session = self._sessions.get((owner, platform, toolsets))
        if session is None:
            session = ToolSession(owner, platform, toolsets, notices=self.brought.troubles())
            session.files = self._daemon.files.of(owner)
            self._sessions[owner, platform, toolsets] = session
        return session

    def leave(self, session: ToolSession) -> None:
        """A client that cannot come back has gone."""
        self._sessions.pop(_place(session), None)
        self._looked.pop(_place(session), None)
        if not any(owner == session.owner for owner, *_ in self._sessions):
            self.choosing.forget(session.owner)
            self._daemon.files.forget(session.owner)

    def offered(self, session: ToolSession) -> list[Tool]:
        """The tools a session is shown now. Raises PilothouseError if the choices mean nothing."""
        selection = self._selection(session)
        if not _ASKED.get():
            self._looked[_place(session)] = selection.usable
        return [self.tools[name] for name in selection.listed]

    def unlisted(self, session: ToolSession) -> list[Tool]:
        """The tools a session may use through browser_batch and is not shown."""
        selection = self._selection(session)
        return [self.tools[name] for name in sorted(selection.usable - {*selection.listed})]

    def _selection(self, session: ToolSession) -> Selection:
        flags = _ASKED.get() or session.toolsets
        return self.choosing.selection(session.owner, session.platform, flags)

    def _switch(self, session: ToolSession, tool: Tool) -> tuple[str, str] | None:
        verdict = self._selection(session).verdicts[tool.name]
        return None if verdict.on else (verdict.reason, verdict.hint)

    def shut(self, name: str, reason: str, owner: str = "") -> None:
        """Say why a tool, a home, or all tools with a flag (`cdp`) cannot be used now."""
        self.choosing.shut(name, reason, owner)

    def open(self, name: str, owner: str = "") -> None:
        """Take that back."""
        self.choosing.open(name, owner)

    def add(self, tools: Iterable[Tool]) -> None:
        """More tools, as another server or a plugin brings them."""
        self.tools.update({tool.name: tool for tool in tools})
        self.choosing.changed()

    def remove(self, names: Iterable[str]) -> None:
        """Tools that are no more."""
        for name in names:
            self.tools.pop(name, None)
        self.choosing.changed()

    def start(self) -> None:
        """Watch the file of choices, so that clients are told of a change without asking."""
        self._tasks.start(self._watch(), "watch the choices of tools")
        self._tasks.start(self._begin(), "let other servers start")

    async def close(self) -> None:
        """Watch no more."""
        await self._tasks.close()
        await self.servers.close()

    async def _begin(self) -> None:
        """Let other servers start once the daemon is quiet: whoever came first goes before."""
        self.servers.settle(self.choosing.chosen().servers)
        for _ in range(QUIET_TRIES):
            calls = self._daemon.calls
            await asyncio.sleep(QUIET_S)
            if calls == self._daemon.calls:
                break
        self.servers.begin()

    async def _watch(self) -> None:
        while True:
            self.servers.settle(self.choosing.chosen().servers)
            await asyncio.sleep(WATCH_EVERY_S)

    def _changed(self) -> None:
        """Another answer may be given now: say so to each session with its next answer, and at once
        to whoever shows a list."""
        for key, before in list(self._looked.items()):
            session = self._sessions.get(key)
            if session is None:
                continue  # it left while it looked
            # Servers may come and go all day while a session is idle: the latest is what matters.
            del session.notices[:-NOTICES]
            try:
                # What the call asked for that found out is not what this session has.
                selection = self.choosing.selection(
                    session.owner, session.platform, session.toolsets
                )
            except PilothouseError as error:
                session.notices.append(error.line())
                continue
            gone: dict[str, list[str]] = {}
            for name in sorted(before - selection.usable):
                verdict = selection.verdicts.get(name)
                gone.setdefault(verdict.reason if verdict else "it left", []).append(name)
            for reason, names in gone.items():
                verb = "is" if len(names) == 1 else "are"
                session.notices.append(f"{', '.join(names)} {verb} off now: {reason}")
            if come := sorted(selection.usable - before):
                session.notices.append(f"on now: {', '.join(come)}")
            self._looked[key] = selection.usable
            if complaint := self.choosing.complaint:
                session.notices.append(f"the tools stay as they were: {complaint.line()}")
        for told in list(self.on_change):
            told()

    async def use(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The daemon's method `tool`: one call of a tool by name."""
        name, given = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(given, Mapping):
            raise ToolError("tool: name and arguments are wanted", hint='{"name": "browser_click"}')
        if name not in self.tools:
            await self.servers.wanted(name)
        with _asked(params):
            return await self.gate.use(self._session_of(owner, params), name, given)

    async def listed(self, owner: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The daemon's method `tools`: what may be used."""
        with _asked(params):
            offered = self.offered(self._session_of(owner, params))
        return [
            {"name": tool.name, "about": tool.about, "toolset": tool.toolset, "schema": tool.schema}
            for tool in offered
        ]

    async def catalogue(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The daemon's method `catalogue`: every tool, and what its choice depends on."""
        chosen = self.choosing.chosen()
        complaint = self.choosing.complaint
        return {
            "tools": [tool.described() for tool in self.tools.values()],
            "toolsets": [asdict(toolset) for toolset in self.brought.toolsets.values()],
            "plugins": [asdict(plugin) for plugin in self.brought.plugins],
            "shut": self.choosing.shut_for(owner),
            "config": str(chosen.path),
            "complaint": complaint.line() if complaint else "",
        }

    def _session_of(self, owner: str, params: Mapping[str, Any]) -> ToolSession:
        session = self.session_for(owner, str(params.get("platform") or "cli"))
        if "sees" in params:
            session.sees = bool(params["sees"])
        return session


def _place(session: ToolSession) -> Place:
    return session.owner, session.platform, session.toolsets


@contextmanager
def _asked(params: Mapping[str, Any]) -> Iterator[None]:
    """The toolsets that are asked for with this one call, for it and what it calls in turn; a
    call beside it has its own. Raises ToolError."""
    token = _ASKED.set(toolsets_of(params))
    try:
        yield
    finally:
        _ASKED.reset(token)


def _settings(daemon: Daemon) -> dict[str, Any]:
    """What tools know of the daemon: services the user has set up, and folders of its own."""
    return {
        "vision": asdict(daemon.settings.vision),
        "search": asdict(daemon.settings.search),
        "downloads": daemon.settings.browser.downloads,
        "uploads": str(daemon.paths.uploads),
        "outputs": str(daemon.paths.root / "outputs"),
    }
