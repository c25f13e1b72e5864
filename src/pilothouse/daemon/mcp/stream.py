"""A client's line as the SDK wants it: a stream of messages each way.

Knows: lines of JSON-RPC and the SDK's messages. Must not know: what is asked. What is no message is
answered here; so is a client that asks more at once than anybody means.
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

__all__ = ["McpLine"]

CALLS_AT_ONCE = 256
# More messages than this wait on the line, not here.
WAITING = 64

Send = Callable[[bytes], object]


class _Stream:
    """What both directions have to have."""

    async def aclose(self) -> None:
        """Nothing to close: the line is not ours."""

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


class _Inward(_Stream):
    def __init__(self) -> None:
        self.waiting: asyncio.Queue[SessionMessage | Exception | None] = asyncio.Queue(WAITING)
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


class _Outward(_Stream):
    def __init__(self, send: Send) -> None:
        self._send = send
        # What was asked and is not answered yet; answers that were given already.
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


class McpLine:
    """One client's line, served by the SDK from now on."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._inward = _Inward()
        self._outward = _Outward(send)

    async def serve(self, server: Server[Any]) -> None:
        """Serve until the line ends."""
        options = server.create_initialization_options()
        try:
            await server.run(self._inward, self._outward, options)
        finally:
            self._inward.over = True
            while not self._inward.waiting.empty():  # whoever waits for room need not
                self._inward.waiting.get_nowait()

    async def feed(self, line: bytes, *, answered: bool = False) -> None:
        """A line came. `answered`: its answer was given already, and is not given again."""
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError as error:
            self._refuse(line, error)
            return
        except RecursionError:
            self._send(messages.error(None, messages.PARSE_ERROR, "that is nested too deep"))
            return
        metadata = None
        if isinstance(message, types.JSONRPCRequest):
            number = message.id
            if len(self._outward.open) >= CALLS_AT_ONCE:
                told = f"{CALLS_AT_ONCE} calls are under way already"
                self._send(messages.error(number, messages.REFUSED, told))
                return
            self._outward.open.add(number)
            if answered:
                self._outward.given.add(number)

            async def forget() -> None:
                self._outward.open.discard(number)

            metadata = ServerMessageMetadata(on_request_unanswered=forget)
        await self._put(SessionMessage(message, metadata))

    async def _put(self, item: SessionMessage | None) -> None:
        if not self._inward.over:
            await self._inward.waiting.put(item)

    def _refuse(self, line: bytes, error: ValidationError) -> None:
        if any(one["type"] == "json_invalid" for one in error.errors(include_url=False)):
            self._send(messages.error(None, messages.PARSE_ERROR, "that is no JSON"))
        elif b'"method"' in line:  # what looks like an answer is not answered
            told = "a JSON-RPC 2.0 message is wanted"
            self._send(messages.error(None, messages.INVALID_REQUEST, told))

    async def end(self) -> None:
        """No more lines will come."""
        await self._put(None)
