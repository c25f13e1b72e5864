"""The official SDK, set up for our mcp_session. It is imported late and in a thread: that takes a second.

Knows: the SDK's server and its requests. Must not know: wires (mcp_line.py, web.py), or what tools
do (mcp_desk.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic import ValidationError

from pilothouse import __version__
from pilothouse.daemon.mcp.greeting import HANDSHAKES, INSTRUCTIONS, NAME
from pilothouse.daemon.mcp.prompts import listed_prompts, prompt
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.errors import PilothouseError, explain
from pilothouse.tasks import is_own_cancellation

__all__ = ["FRESH", "WHOLE", "Asked", "McpServer"]

_log = logging.getLogger(__name__)

Asked = ServerRequestContext[Any, Any]
McpSessionLookup = Callable[[Asked], McpSession]

ROOTS_WITHIN_S = 5.0
SESSIONS_KEPT = 256
_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LEVEL = "mcp log level"
# What results of the newer protocol say besides; the SDK leaves it out for older ones. What is
# listed or read here is for one session, and may be another the next moment.
WHOLE = {"resultType": "complete"}
FRESH = {**WHOLE, "ttlMs": 0, "cacheScope": "private"}
# Newer clients are not asked in between: they call again and say it with the call.
ROOTS_WANTED = {
    "resultType": "input_required",
    "inputRequests": {"roots": {"method": "roots/list", "params": {}}},
}


class _Server(Server[Any]):
    """Says at every door that the list of tools can change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        told = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


class McpServer:
    """Answers MCP's requests, each at the mcp_session of the session it comes from."""

    def __init__(self, session_for: McpSessionLookup) -> None:
        self.session_for = session_for
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus, max_subscriptions=SESSIONS_KEPT)
        # Whom to tell of changes; those that have gone are not told, and fall out in time.
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self.server = self.build()

    def build(self) -> Server[Any]:
        """The SDK's server with all that it answers."""
        server = _Server(NAME, version=__version__, instructions=INSTRUCTIONS)
        # Nobody here collects spans, and each message would pay for them.
        server.middleware.clear()
        server.middleware.append(_answered)
        paged = types.PaginatedRequestParams
        ask = server.add_request_handler
        ask("tools/list", paged, self.list_tools)
        ask("tools/call", types.CallToolRequestParams, self.call_tool)
        ask("resources/list", paged, self.list_resources)
        ask("resources/templates/list", paged, self.list_templates)
        ask("resources/read", types.ReadResourceRequestParams, self.read_resource)
        ask("prompts/list", paged, self.list_prompts)
        ask("prompts/get", types.GetPromptRequestParams, self.get_prompt)
        ask("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        ask("subscriptions/listen", types.SubscriptionsListenRequestParams, self._listen)
        hear = server.add_notification_handler
        hear("notifications/initialized", types.NotificationParams, self._came)
        hear("notifications/roots/list_changed", types.NotificationParams, self._moved)
        return server

    async def changed(self) -> None:
        """The tools are others now."""
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_notification(types.ToolListChangedNotification())

    def close(self) -> None:
        """Let the streams of those who listen end."""
        self._listen.close()

    # Requests.

    async def list_tools(self, asked: Asked, params: types.PaginatedRequestParams) -> Any:
        """The tools that may be used now."""
        try:
            return {"tools": self.session_for(asked).listing(), **FRESH}
        except PilothouseError as error:
            raise MCPError(types.INVALID_PARAMS, error.line()) from None

    async def call_tool(self, asked: Asked, params: types.CallToolRequestParams) -> Any:
        """One call of a tool."""
        mcp_session = self.session_for(asked)
        able = asked.session.client_capabilities
        if able is not None:
            mcp_session.client_can({"experimental": able.experimental})
        if not mcp_session.rooted and able is not None and able.roots:
            if asked.session.can_send_request:
                await self._ask_roots(asked, mcp_session)
            elif not _told_roots(mcp_session, params.input_responses):
                return ROOTS_WANTED
        wanted = asked.meta is not None and "progress_token" in asked.meta
        say = (lambda at, text: asked.session.report_progress(at, None, text)) if wanted else None
        result = await mcp_session.use(params.name, params.arguments, say)
        if result["isError"]:
            fields = result.get("structuredContent", {})
            await self._tell(
                asked, mcp_session, {"tool": params.name, "error": fields.get("error")}
            )
        return {**result, **WHOLE}

    async def list_resources(self, asked: Asked, params: types.PaginatedRequestParams) -> Any:
        """What can be read."""
        return {"resources": self.session_for(asked).resources(), **FRESH}

    async def list_templates(self, asked: Asked, params: types.PaginatedRequestParams) -> Any:
        """The kinds of addresses that can be read."""
        return {"resourceTemplates": self.session_for(asked).templates(), **FRESH}

    async def read_resource(self, asked: Asked, params: types.ReadResourceRequestParams) -> Any:
        """What is at an address."""
        try:
            return {"contents": [await self.session_for(asked).read(str(params.uri))], **FRESH}
        except PilothouseError as error:
            more = {"uri": str(params.uri), "hint": error.hint}
            raise MCPError(types.INVALID_PARAMS, error.message, more) from None

    async def list_prompts(self, asked: Asked, params: types.PaginatedRequestParams) -> Any:
        """The jobs that a person can start with a few words."""
        return {"prompts": listed_prompts(), **FRESH}

    async def get_prompt(self, asked: Asked, params: types.GetPromptRequestParams) -> Any:
        """One of them, as a message to the model."""
        try:
            return {**prompt(params.name, params.arguments or {}), **WHOLE}
        except PilothouseError as error:
            raise MCPError(types.INVALID_PARAMS, error.line()) from None

    async def _set_level(self, asked: Asked, params: types.SetLevelRequestParams) -> Any:
        self.session_for(asked).tool_session.kept[_LEVEL] = params.level
        return {}

    # Notices.

    async def _came(self, asked: Asked, params: types.NotificationParams) -> None:
        owner = self.session_for(asked).tool_session.owner
        self._sessions[owner] = asked.session
        self._sessions.move_to_end(owner)
        while len(self._sessions) > SESSIONS_KEPT:
            self._sessions.popitem(last=False)

    def went(self, owner: str) -> None:
        """A session has ended."""
        self._sessions.pop(owner, None)

    async def _moved(self, asked: Asked, params: types.NotificationParams) -> None:
        self.session_for(asked).rooted = False  # it is asked again with the next call

    # What is asked and told.

    async def _ask_roots(self, asked: Asked, mcp_session: McpSession) -> None:
        """Ask once where files may be; with the call that comes first, whose stream is open."""
        async with mcp_session.rooting:
            if mcp_session.rooted:
                return
            try:
                found = await asked.session.send_request(
                    types.ListRootsRequest(),
                    types.ListRootsResult,
                    request_read_timeout_seconds=ROOTS_WITHIN_S,
                    metadata=ServerMessageMetadata(related_request_id=asked.request_id),
                )
                mcp_session.root_at([str(root.uri) for root in found.roots])
            except (MCPError, ValidationError) as error:
                _log.warning("%s does not say its roots: %s", mcp_session.tool_session.owner, error)
                mcp_session.root_at([])

    async def _tell(self, asked: Asked, mcp_session: McpSession, data: dict[str, Any]) -> None:
        """Log a call that failed, to clients that have asked for a log."""
        # Newer clients ask with each request; older ones must have set a level.
        level = mcp_session.tool_session.kept.get(_LEVEL, "emergency")
        if asked.protocol_version in HANDSHAKES:
            wanted = _LEVELS.index(level) <= _LEVELS.index("warning")
        else:
            wanted = "warning" in allowed_log_levels(asked.protocol_version, asked.meta)
        if not wanted:
            return
        params = types.LoggingMessageNotificationParams(level="warning", logger=NAME, data=data)
        await asked.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=asked.request_id
        )


async def _answered(ctx: Asked, call_next: CallNext) -> HandlerResult:
    """Answer every request, whatever its handler raises. A CancelledError that is not the request's
    own would end the whole session: the SDK takes it for the end of its group of tasks."""
    try:
        return await call_next(ctx)
    except asyncio.CancelledError as error:
        if is_own_cancellation():
            raise
        raise MCPError(types.INTERNAL_ERROR, explain(error, ctx.method).line()) from None
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
        _log.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, explain(error, ctx.method).line()) from None


def _told_roots(mcp_session: McpSession, said: Mapping[str, Any] | None) -> bool:
    """Whether a call says where files may be; one that says something else is not asked again."""
    if said is None:
        return False
    roots = said.get("roots")
    listed = roots.roots if isinstance(roots, types.ListRootsResult) else []
    mcp_session.root_at([str(root.uri) for root in listed])
    return True
