"""The official conformance suite's things on our stdio session, behind a web port: the suite speaks
HTTP only, so the SDK's transport carries its messages to sessions of ours, and back.

Knows: what the suite's scenarios ask. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import mcp_types as types
import pytest
import uvicorn
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.mcp import protocol
from pilothouse.daemon.mcp.protocol import McpRequest
from pilothouse.daemon.mcp.session import McpSession
from pilothouse.daemon.mcp.stdio_session import Answer, McpStdioSession, Work
from pilothouse.daemon.web.asgi import Receive, Scope, Send
from tests.daemon.mcp_conformance_server import (
    DEFAULTS,
    ENUMS,
    FIXED,
    PAUSE_S,
    USER,
    prompt_blocks,
    prompt_listings,
    resource_content,
    resource_listings,
    tool_listings,
)

__all__ = ["StdioBehindHttp", "offer_methods_of_the_suite"]

ANSWERS_WITHIN_S = 20.0


def offer_methods_of_the_suite(patch: pytest.MonkeyPatch) -> None:
    """Add the methods that the suite wants and we do not have."""
    for method in ("completion/complete", "resources/subscribe", "resources/unsubscribe"):
        patch.setitem(protocol.HANDSHAKE_METHODS, method, dict)


def _said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


class _Session(McpStdioSession):
    """Our session with the suite's things beside ours."""

    def answer_table(self) -> dict[str, Answer]:
        ours = super().answer_table()
        mine = self._mcp_session
        completion = {"values": ["paris", "park"], "total": 2, "hasMore": False}
        return {
            **ours,
            "tools/list": lambda _: {"tools": [*tool_listings(), *mine.list_tools()]},
            "resources/list": lambda _: {
                "resources": [*resource_listings(), *mine.list_resources()]
            },
            "resources/subscribe": lambda _: {},
            "resources/unsubscribe": lambda _: {},
            "prompts/list": lambda _: {"prompts": prompt_listings()},
            "prompts/get": self._prompt,
            "completion/complete": lambda _: {"completion": completion},
        }

    def work_table(self) -> dict[str, Work]:
        ours = super().work_table()

        async def read(request: McpRequest) -> Mapping[str, Any]:
            found = resource_content(request.params.uri)
            return {"contents": [found]} if found else await ours["resources/read"](request)

        async def call(request: McpRequest) -> Mapping[str, Any]:
            return await self._suite_tool(request) or await ours["tools/call"](request)

        return {**ours, "resources/read": read, "tools/call": call}

    def _prompt(self, request: McpRequest) -> dict[str, Any]:
        blocks = prompt_blocks(request.params.name, request.params.arguments or {})
        return {"messages": [{"role": "user", "content": block} for block in blocks]}

    async def _suite_tool(self, request: McpRequest) -> dict[str, Any] | None:
        given = request.params.arguments or {}
        match request.params.name:
            case name if name in FIXED:
                return FIXED[name]
            case "test_tool_with_logging":
                for text in ("started", "processing data", "completed"):
                    self.notify("notifications/message", {"level": "info", "data": text})
                    await asyncio.sleep(PAUSE_S)
                return _said("done")
            case "test_tool_with_progress":
                for at in (0, 50, 100):
                    told = {"progressToken": request.progress_token, "progress": at, "total": 100}
                    self.notify("notifications/progress", told)
                    await asyncio.sleep(PAUSE_S)
                return _said("done")
            case "test_sampling":
                content = {"type": "text", "text": given["prompt"]}
                asked = {"messages": [{"role": "user", "content": content}], "maxTokens": 100}
                answer = await self.ask("sampling/createMessage", ANSWERS_WITHIN_S, asked)
                return _said(f"LLM response: {answer.result['content']['text']}")
            case "test_elicitation":
                return await self._elicit("User response", given["message"], USER, list(USER))
            case "test_elicitation_sep1034_defaults":
                return await self._elicit("Elicitation completed", "Defaults", DEFAULTS, [])
            case "test_elicitation_sep1330_enums":
                return await self._elicit("Elicitation completed", "Enums", ENUMS, [])
        return None

    async def _elicit(
        self, head: str, message: str, fields: dict[str, Any], required: list[str]
    ) -> dict[str, Any]:
        schema = {"type": "object", "properties": fields, "required": required}
        asked = {"mode": "form", "message": message, "requestedSchema": schema}
        told = (await self.ask("elicitation/create", ANSWERS_WITHIN_S, asked)).result
        content = json.dumps(told.get("content"))
        return _said(f"{head}: action={told['action']}, content={content}")


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the test."""
        yield


class StdioBehindHttp:
    """A web port; each session on it is one stdio session of ours."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._tasks = Tasks()
        self._transports: dict[str, StreamableHTTPServerTransport] = {}
        self._server: _Uvicorn | None = None
        self._serving: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the transport of its session."""
        key = dict(scope["headers"]).get(b"mcp-session-id", b"").decode()
        transport = self._transports.get(key)
        if transport is None:
            key = uuid.uuid4().hex
            transport = self._transports[key] = StreamableHTTPServerTransport(key)
            ready = asyncio.Event()
            self._tasks.start(self._carry(transport, key, ready), "carry messages")
            await ready.wait()
        await transport.handle_request(scope, receive, send)

    async def _carry(
        self, transport: StreamableHTTPServerTransport, key: str, ready: asyncio.Event
    ) -> None:
        """Carry lines between a transport and a session."""
        newest: int | str | None = None
        said: asyncio.Queue[bytes] = asyncio.Queue()
        session = _Session(McpSession(self._daemon, key), said.put_nowait)
        async with transport.connect() as (heard, say):

            async def send() -> None:
                while True:
                    message = types.jsonrpc_message_adapter.validate_json(await said.get())
                    metadata = ServerMessageMetadata(related_request_id=newest)
                    await say.send(SessionMessage(message, metadata))

            sending = self._tasks.start(send(), "send messages")
            ready.set()
            async for item in heard:
                assert isinstance(item, SessionMessage)
                if isinstance(item.message, types.JSONRPCRequest):
                    newest = item.message.id
                line = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                session.feed(line.encode())
            sending.cancel()
        await session.close()

    async def start(self, sock: Any) -> None:
        """Serve on a socket that listens."""
        config = uvicorn.Config(
            self,
            loop="none",
            ws="none",
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        self._server = _Uvicorn(config)
        self._serving = self._tasks.start(self._server.serve(sockets=[sock]), "serve HTTP")

    async def close(self) -> None:
        """Stop everything."""
        for transport in self._transports.values():
            await transport.terminate()
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await asyncio.wait([self._serving], timeout=5)
        await self._tasks.close()
