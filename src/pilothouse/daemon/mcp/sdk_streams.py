"""A client's connection as the SDK expects it: one message stream in each direction.

Knows: lines of JSON-RPC and the SDK's messages. Must not know: methods. Invalid messages are
answered here, and so are requests beyond CALLS_AT_ONCE.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

from pilothouse.daemon.rpc import messages

__all__ = ["McpStream"]

CALLS_AT_ONCE = 256
# Further messages wait in the socket's buffer.
MAX_WAITING = 64

Send = Callable[[bytes], object]


class _Stream:
    """The methods that the SDK expects of both directions."""

    async def aclose(self) -> None:
        """Do nothing: socket_service.py owns the connection."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        await self.aclose()
        return None


class _InboundStream(_Stream):
    def __init__(self) -> None:
        self.waiting: asyncio.Queue[SessionMessage | Exception | None] = asyncio.Queue(MAX_WAITING)
        self.over = False

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        item = None if self.over else await self.waiting.get()
        if item is None:
            self.over = True
            raise StopAsyncIteration
        return item


class _OutboundStream(_Stream):
    def __init__(self, send: Send) -> None:
        self._send = send
        # Ids of open requests, and of requests that EarlyRequests has already answered.
        self.open: set[Any] = set()
        self.given: set[Any] = set()

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self.open.discard(message.id)
            if message.id in self.given:
                self.given.discard(message.id)
                return
        written = message.model_dump_json(by_alias=True, exclude_unset=True)
        self._send(written.encode() + b"\n")


class McpStream:
    """One client's connection, served by the SDK."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._inbound = _InboundStream()
        self._outbound = _OutboundStream(send)

    async def serve(self, server: Server[Any]) -> None:
        """Serve until the connection ends."""
        options = server.create_initialization_options()
        try:
            await server.run(self._inbound, self._outbound, options)
        finally:
            self._inbound.over = True
            while not self._inbound.waiting.empty():  # wakes a `feed` that waits for space
                self._inbound.waiting.get_nowait()

    async def feed(self, line: bytes, *, answered: bool = False) -> None:
        """Pass a line to the SDK. `answered`: suppress its reply, the client already has one."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            self._refuse(line, error)
            return
        except RecursionError:
            self._send(
                messages.error(None, messages.PARSE_ERROR, "the message is nested too deeply")
            )
            return
        metadata = None
        if isinstance(message, types.JSONRPCRequest):
            number = message.id
            if len(self._outbound.open) >= CALLS_AT_ONCE:
                problem = f"{CALLS_AT_ONCE} calls are already running"
                self._send(messages.error(number, messages.REFUSED, problem))
                return
            self._outbound.open.add(number)
            if answered:
                self._outbound.given.add(number)

            async def forget() -> None:
                self._outbound.open.discard(number)

            metadata = ServerMessageMetadata(on_request_unanswered=forget)
        await self._put(SessionMessage(message, metadata))

    async def _put(self, item: SessionMessage | None) -> None:
        if not self._inbound.over:
            await self._inbound.waiting.put(item)

    def _refuse(self, line: bytes, error: ValidationError) -> None:
        if any(one["type"] == "json_invalid" for one in error.errors(include_url=False)):
            problem = "the message is not valid JSON"
            self._send(messages.error(None, messages.PARSE_ERROR, problem))
        elif b'"method"' in line:  # never reply to an invalid response
            problem = "expected a JSON-RPC 2.0 message"
            self._send(messages.error(None, messages.INVALID_REQUEST, problem))

    async def end(self) -> None:
        """Tell the SDK that no more lines will come."""
        await self._put(None)
