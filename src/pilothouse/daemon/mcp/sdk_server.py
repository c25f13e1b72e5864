"""The official SDK's server with our handlers. Imported late, in a thread: it takes a second.

Knows: the SDK's server and MCP's requests. Must not know: transports (web/mcp_routes.py),
or what tools do (session.py).
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
from pilothouse.asyncio_tasks import is_own_cancellation
from pilothouse.daemon.mcp.initialize import HANDSHAKE_VERSIONS, INSTRUCTIONS, NAME
from pilothouse.daemon.mcp.prompts import list_prompts, render_prompt
from pilothouse.daemon.mcp.protocol import (
    COMPLETE,
    COMPLETE_UNCACHED,
    LOG_LEVELS,
    ROOTS_REQUIRED,
)
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.errors import PilothouseError, explain

__all__ = ["COMPLETE", "COMPLETE_UNCACHED", "McpRequestContext", "McpServer"]

_log = logging.getLogger(__name__)

McpRequestContext = ServerRequestContext[Any, Any]
McpSessionLookup = Callable[[McpRequestContext], McpSession]

ROOTS_TIMEOUT_S = 5.0
MAX_SESSIONS = 256
_LEVEL = "mcp log level"


class _SdkServer(Server[Any]):
    """Announces on every transport that the list of tools can change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


class McpServer:
    """Answers MCP requests. `session_for` returns the McpSession that a request belongs to."""

    def __init__(self, session_for: McpSessionLookup) -> None:
        self.session_for = session_for
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus, max_subscriptions=MAX_SESSIONS)
        # Sessions to notify of changed tools. Ended ones are harmless and the limit removes them.
        self._sessions: OrderedDict[str, ServerSession] = OrderedDict()
        self.server = self.build()

    def build(self) -> Server[Any]:
        """Build the SDK's server with our request and notification handlers."""
        server = _SdkServer(NAME, version=__version__, instructions=INSTRUCTIONS)
        # Removes the SDK's tracing: nothing collects its spans, and every message would pay for it.
        server.middleware.clear()
        server.middleware.append(_reply_to_errors)
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
        hear("notifications/initialized", types.NotificationParams, self._on_initialized)
        hear("notifications/roots/list_changed", types.NotificationParams, self._on_roots_changed)
        return server

    async def notify_tools_changed(self) -> None:
        """Tell all clients that the list of tools has changed."""
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_notification(types.ToolListChangedNotification())

    def close(self) -> None:
        """End the streams of subscribed clients."""
        self._listen.close()

    # Requests.

    async def list_tools(
        self, context: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        """Handle tools/list."""
        try:
            return {"tools": self.session_for(context).list_tools(), **COMPLETE_UNCACHED}
        except PilothouseError as error:
            raise MCPError(types.INVALID_PARAMS, error.format_line()) from None

    async def call_tool(
        self, context: McpRequestContext, params: types.CallToolRequestParams
    ) -> Any:
        """Handle tools/call. Asks for the client's roots before its first call."""
        mcp_session = self.session_for(context)
        able = context.session.client_capabilities
        if able is not None:
            mcp_session.set_client_capabilities({"experimental": able.experimental})
        if not mcp_session.has_roots and able is not None and able.roots:
            if context.session.can_send_request:
                await self._ask_roots(context, mcp_session)
            elif not _take_roots(mcp_session, params.input_responses):
                return ROOTS_REQUIRED
        wanted = context.meta is not None and "progress_token" in context.meta
        say = (lambda at, text: context.session.report_progress(at, None, text)) if wanted else None
        result = await mcp_session.call_tool(params.name, params.arguments, say)
        if result["isError"]:
            fields = result.get("structuredContent", {})
            await self._log_failure(
                context, mcp_session, {"tool": params.name, "error": fields.get("error")}
            )
        return {**result, **COMPLETE}

    async def list_resources(
        self, context: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        """Handle resources/list."""
        return {"resources": self.session_for(context).list_resources(), **COMPLETE_UNCACHED}

    async def list_templates(
        self, context: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        """Handle resources/templates/list."""
        return {
            "resourceTemplates": self.session_for(context).list_resource_templates(),
            **COMPLETE_UNCACHED,
        }

    async def read_resource(
        self, context: McpRequestContext, params: types.ReadResourceRequestParams
    ) -> Any:
        """Handle resources/read."""
        try:
            return {
                "contents": [await self.session_for(context).read_resource(str(params.uri))],
                **COMPLETE_UNCACHED,
            }
        except PilothouseError as error:
            more = {"uri": str(params.uri), "hint": error.hint}
            raise MCPError(types.INVALID_PARAMS, error.message, more) from None

    async def list_prompts(
        self, context: McpRequestContext, params: types.PaginatedRequestParams
    ) -> Any:
        """Handle prompts/list."""
        return {"prompts": list_prompts(), **COMPLETE_UNCACHED}

    async def get_prompt(
        self, context: McpRequestContext, params: types.GetPromptRequestParams
    ) -> Any:
        """Handle prompts/get."""
        try:
            return {**render_prompt(params.name, params.arguments or {}), **COMPLETE}
        except PilothouseError as error:
            raise MCPError(types.INVALID_PARAMS, error.format_line()) from None

    async def _set_level(
        self, context: McpRequestContext, params: types.SetLevelRequestParams
    ) -> Any:
        self.session_for(context).tool_session.memory[_LEVEL] = params.level
        return {}

    # Notifications.

    async def _on_initialized(
        self, context: McpRequestContext, params: types.NotificationParams
    ) -> None:
        owner = self.session_for(context).tool_session.owner
        self._sessions[owner] = context.session
        self._sessions.move_to_end(owner)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)

    def forget_session(self, owner: str) -> None:
        """Stop notifying a session that has ended."""
        self._sessions.pop(owner, None)

    async def _on_roots_changed(
        self, context: McpRequestContext, params: types.NotificationParams
    ) -> None:
        self.session_for(context).has_roots = False  # the next call asks again

    # Messages to the client.

    async def _ask_roots(self, context: McpRequestContext, mcp_session: McpSession) -> None:
        """Ask the client for its roots once, on the stream of its first call."""
        async with mcp_session.roots_lock:
            if mcp_session.has_roots:
                return
            try:
                found = await context.session.send_request(
                    types.ListRootsRequest(),
                    types.ListRootsResult,
                    request_read_timeout_seconds=ROOTS_TIMEOUT_S,
                    metadata=ServerMessageMetadata(related_request_id=context.request_id),
                )
                mcp_session.set_roots([str(root.uri) for root in found.roots])
            except (MCPError, ValidationError) as error:
                _log.warning("no roots from %s: %s", mcp_session.tool_session.owner, error)
                mcp_session.set_roots([])

    async def _log_failure(
        self, context: McpRequestContext, mcp_session: McpSession, data: dict[str, Any]
    ) -> None:
        """Send a log message about a failed call to clients that context for logging."""
        # Newer clients name a level with each request; older ones set it once.
        level = mcp_session.tool_session.memory.get(_LEVEL, "emergency")
        if context.protocol_version in HANDSHAKE_VERSIONS:
            wanted = LOG_LEVELS.index(level) <= LOG_LEVELS.index("warning")
        else:
            wanted = "warning" in allowed_log_levels(context.protocol_version, context.meta)
        if not wanted:
            return
        params = types.LoggingMessageNotificationParams(level="warning", logger=NAME, data=data)
        await context.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=context.request_id
        )


async def _reply_to_errors(ctx: McpRequestContext, call_next: CallNext) -> HandlerResult:
    """Reply to every request, whatever its handler raises.

    A CancelledError that does not cancel this request would end the whole session, because the SDK
    takes it for the cancellation of its task group."""
    try:
        return await call_next(ctx)
    except asyncio.CancelledError as error:
        if is_own_cancellation():
            raise
        raise MCPError(types.INTERNAL_ERROR, explain(error, ctx.method).format_line()) from None
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
        _log.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, explain(error, ctx.method).format_line()) from None


def _take_roots(mcp_session: McpSession, said: Mapping[str, Any] | None) -> bool:
    """Take the roots that came with a call. Returns False if the call carries no responses.

    A client that answers with something else is not context again."""
    if said is None:
        return False
    roots = said.get("roots")
    listed = roots.roots if isinstance(roots, types.ListRootsResult) else []
    mcp_session.set_roots([str(root.uri) for root in listed])
    return True
