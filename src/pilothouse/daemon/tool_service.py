"""The daemon's tools: which exist, which each tool session may use, and the gate in front of them.

Knows: tools, toolsets, plugins, external servers, tool sessions. Must not know: what tools do, or
how a client is connected (rpc/server.py, mcp/).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.external_mcp_servers import ExternalMcpServers
from pilothouse.daemon.mcp import parse_toolsets
from pilothouse.daemon.tool_settings import ToolSettings
from pilothouse.errors import PilothouseError, UsageError
from pilothouse.tools import catalog
from pilothouse.tools.context import DaemonCall, ToolSession
from pilothouse.tools.gate import Gate
from pilothouse.tools.plugins import load_plugins
from pilothouse.tools.selection import Selection
from pilothouse.tools.tool import TOOLS, Tool

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["ToolService"]

WATCH_EVERY_S = 1.0
# Identifies a tool session: owner, platform, toolsets that the client asked for.
SessionKey = tuple[str, str, tuple[str, ...]]
_CALL_TOOLSETS: ContextVar[tuple[str, ...]] = ContextVar("toolsets asked for", default=())
# External servers start after a second without calls, but after five seconds in any case.
QUIET_S = 1.0
QUIET_TRIES = 5
MAX_NOTICES = 20
NO_SEARCH = "no search engine is set up: set search.backend in config.yaml, then restart the daemon"


class ToolService:
    """All tools of one daemon, and the tool sessions of its clients."""

    def __init__(self, daemon: Daemon) -> None:
        assert catalog.DECLARED  # importing it has declared the tools
        self._daemon = daemon
        self.brought = load_plugins(TOOLS)
        self.tools: dict[str, Tool] = {**TOOLS, **self.brought.tools}
        self.tool_settings = ToolSettings(
            self.tools, self._on_change, plugins=self.brought.toolsets
        )
        self.gate = Gate(
            self.tools,
            daemon.tab_calls,
            self._caller_for,
            switch=self._find_refusal,
            redact=daemon.redactor.redact,
            settings=_settings(daemon),
        )
        # Called when the list of tools changes: MCP sessions then notify their clients.
        self.on_change: list[Callable[[], object]] = []
        self._sessions: dict[SessionKey, ToolSession] = {}
        self._tasks = Tasks()
        self.servers = ExternalMcpServers(self, daemon.paths.root)
        # The tools each session could use when it last listed them.
        self._last_usable: dict[SessionKey, frozenset[str]] = {}
        if not daemon.settings.search.backend and not self.tools["web_search"].source:
            self.disable("web_search", NO_SEARCH)

    def _caller_for(self, owner: str) -> DaemonCall:
        async def call(method: str, params: dict[str, Any]) -> Any:
            return await self._daemon.call(owner, method, params)

        return call

    def session_for(
        self, owner: str, platform: str = "cli", toolsets: tuple[str, ...] = ()
    ) -> ToolSession:
        """Return the tool session of a client: the same object on each call."""
        session = self._sessions.get((owner, platform, toolsets))
        if session is None:
            session = ToolSession(owner, platform, toolsets, notices=self.brought.troubles())
            session.files = self._daemon.files.for_owner(owner)
            self._sessions[owner, platform, toolsets] = session
        return session

    def forget_session(self, session: ToolSession) -> None:
        """Forget the session of a client that cannot come back."""
        self._sessions.pop(_session_key(session), None)
        self._last_usable.pop(_session_key(session), None)
        if not any(owner == session.owner for owner, *_ in self._sessions):
            self.tool_settings.forget_owner(session.owner)
            self._daemon.files.forget(session.owner)

    def available_tools(self, session: ToolSession) -> list[Tool]:
        """Return the tools to list for a session. Raises PilothouseError for invalid settings."""
        selection = self._selection(session)
        if not _CALL_TOOLSETS.get():
            self._last_usable[_session_key(session)] = selection.usable
        return [self.tools[name] for name in selection.listed]

    def unlisted_tools(self, session: ToolSession) -> list[Tool]:
        """Return the tools that a session can only call through browser_batch."""
        selection = self._selection(session)
        return [self.tools[name] for name in sorted(selection.usable - {*selection.listed})]

    def _selection(self, session: ToolSession) -> Selection:
        flags = _CALL_TOOLSETS.get() or session.toolsets
        return self.tool_settings.selection(session.owner, session.platform, flags)

    def _find_refusal(self, session: ToolSession, tool: Tool) -> tuple[str, str] | None:
        verdict = self._selection(session).verdicts[tool.name]
        return None if verdict.on else (verdict.reason, verdict.hint)

    def disable(self, name: str, reason: str, owner: str = "") -> None:
        """Disable a tool, a toolset, or all tools with a flag (`cdp`), and say why."""
        self.tool_settings.disable(name, reason, owner)

    def enable(self, name: str, owner: str = "") -> None:
        """Enable again what `disable` disabled."""
        self.tool_settings.enable(name, owner)

    def add(self, tools: Iterable[Tool]) -> None:
        """Add the tools of an external server or a plugin."""
        self.tools.update({tool.name: tool for tool in tools})
        self.tool_settings.invalidate()

    def remove(self, names: Iterable[str]) -> None:
        """Remove tools by name."""
        for name in names:
            self.tools.pop(name, None)
        self.tool_settings.invalidate()

    def start(self) -> None:
        """Start watching config.yaml, so that clients are notified of changes."""
        self._tasks.start(self._watch(), "watch tool settings")
        self._tasks.start(self._start_servers(), "start external MCP servers")

    async def close(self) -> None:
        """Stop watching and end all external servers."""
        await self._tasks.close()
        await self.servers.close()

    async def _start_servers(self) -> None:
        """Start external servers once the daemon is quiet: its first clients come first."""
        self.servers.set_servers(self.tool_settings.read_choices().servers)
        for _ in range(QUIET_TRIES):
            calls = self._daemon.calls
            await asyncio.sleep(QUIET_S)
            if calls == self._daemon.calls:
                break
        self.servers.allow_start()

    async def _watch(self) -> None:
        while True:
            self.servers.set_servers(self.tool_settings.read_choices().servers)
            await asyncio.sleep(WATCH_EVERY_S)

    def _on_change(self) -> None:
        """Queue a notice for each session whose usable tools changed, and call `on_change`."""
        for key, before in list(self._last_usable.items()):
            session = self._sessions.get(key)
            if session is None:
                continue  # forgotten meanwhile
            # Servers may come and go all day while a session is idle: keep the latest notices.
            del session.notices[:-MAX_NOTICES]
            try:
                # Not self._selection: the toolsets of the current call are not this session's.
                selection = self.tool_settings.selection(
                    session.owner, session.platform, session.toolsets
                )
            except PilothouseError as error:
                session.notices.append(error.format_line())
                continue
            gone: dict[str, list[str]] = {}
            for name in sorted(before - selection.usable):
                verdict = selection.verdicts.get(name)
                gone.setdefault(verdict.reason if verdict else "removed", []).append(name)
            for reason, names in gone.items():
                verb = "is" if len(names) == 1 else "are"
                session.notices.append(f"{', '.join(names)} {verb} off now: {reason}")
            if come := sorted(selection.usable - before):
                session.notices.append(f"on now: {', '.join(come)}")
            self._last_usable[key] = selection.usable
            if file_error := self.tool_settings.file_error:
                line = file_error.format_line()
                session.notices.append(f"the previous tool settings stay in effect: {line}")
        for callback in list(self.on_change):
            callback()

    async def call_tool(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `tool`: call one tool by name."""
        name, given = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(given, Mapping):
            raise UsageError(
                "tool: expected a name (string) and arguments (object)",
                hint='give {"name": "browser_snapshot", "arguments": {}}',
            )
        if name not in self.tools:
            await self.servers.wait_for_tool(name)
        with _call_toolsets(params):
            return await self.gate.use(self._session_of(owner, params), name, given)

    async def list_tools(self, owner: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Handle the RPC method `tools`: list the tools that the owner may use."""
        with _call_toolsets(params):
            available_tools = self.available_tools(self._session_of(owner, params))
        return [
            {"name": tool.name, "about": tool.about, "toolset": tool.toolset, "schema": tool.schema}
            for tool in available_tools
        ]

    async def catalogue(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Handle the RPC method `catalogue`: every tool, toolset and plugin, and what is off."""
        chosen = self.tool_settings.read_choices()
        file_error = self.tool_settings.file_error
        return {
            "tools": [tool.describe() for tool in self.tools.values()],
            "toolsets": [asdict(toolset) for toolset in self.brought.toolsets.values()],
            "plugins": [asdict(plugin) for plugin in self.brought.plugins],
            "shut": self.tool_settings.disabled_for(owner),
            "config": str(chosen.path),
            "complaint": file_error.format_line() if file_error else "",
        }

    def _session_of(self, owner: str, params: Mapping[str, Any]) -> ToolSession:
        session = self.session_for(owner, str(params.get("platform") or "cli"))
        if "sees" in params:
            session.accepts_images = bool(params["sees"])
        return session


def _session_key(session: ToolSession) -> SessionKey:
    return session.owner, session.platform, session.toolsets


@contextmanager
def _call_toolsets(params: Mapping[str, Any]) -> Iterator[None]:
    """Use the toolsets named in this call, for it and for the tools it calls. Raises ToolError.

    A context variable keeps concurrent calls apart."""
    token = _CALL_TOOLSETS.set(parse_toolsets(params))
    try:
        yield
    finally:
        _CALL_TOOLSETS.reset(token)


def _settings(daemon: Daemon) -> dict[str, Any]:
    """Return the settings that tools get: configured services and the daemon's folders."""
    return {
        "vision": asdict(daemon.settings.vision),
        "search": asdict(daemon.settings.search),
        "downloads": daemon.settings.browser.downloads,
        "uploads": str(daemon.paths.uploads),
        "outputs": str(daemon.paths.root / "outputs"),
    }
