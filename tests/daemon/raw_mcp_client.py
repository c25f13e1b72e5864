"""A client that speaks MCP by hand, over the daemon's own socket: every line is seen.

    async with talking(home) as talk:
        await talk.greet()
        result = await talk.ask("tools/list")

Knows: lines of JSON-RPC. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home

__all__ = ["LONGEST", "Talk", "talking"]

ANSWERS_WITHIN_S = 60.0
LONGEST = 1 << 26


class Talk:
    """One session. What comes and was not asked for is in `heard`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._count = 0
        self.heard: list[dict[str, Any]] = []
        self.roots: list[str] | None = None

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    def send(self, method: str, params: Any = None, number: Any = None) -> None:
        """Send a message; with a number it is a request."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if number is not None:
            message["id"] = number
        if params is not None:
            message["params"] = params
        self.write(json.dumps(message).encode() + b"\n")

    async def hear(self) -> dict[str, Any]:
        """The next message. Raises EOFError when the line is closed."""
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            line = await self._reader.readline()
        if not line:
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "roots/list" and self.roots is not None:
            roots = [{"uri": uri, "name": "root"} for uri in self.roots]
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}
            self.write(json.dumps(answer).encode() + b"\n")
        return message

    async def answer(self, number: Any) -> dict[str, Any]:
        """The whole answer to a request."""
        while True:
            message = await self.hear()
            if message.get("id") == number and "method" not in message:
                return message
            self.heard.append(message)

    async def until(self, method: str) -> dict[str, Any]:
        """The next notice of a kind."""
        for message in self.heard:
            if message.get("method") == method:
                self.heard.remove(message)
                return message
        while (message := await self.hear()).get("method") != method:
            self.heard.append(message)
        return message

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The result of a request that must work."""
        self._count += 1
        self.send(method, params, self._count)
        answer = await self.answer(self._count)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def greet(self, version: str = "2025-11-25", **able: Any) -> dict[str, Any]:
        """Begin the session."""
        info = {"name": "talk", "version": "1"}
        params = {"protocolVersion": version, "capabilities": able, "clientInfo": info}
        greeting = await self.ask("initialize", params)
        self.send("notifications/initialized")
        return greeting

    async def call(self, name: str, **given: Any) -> dict[str, Any]:
        """The result of a tool."""
        return await self.ask("tools/call", {"name": name, "arguments": given})

    def hang_up(self) -> None:
        """End the session."""
        self._writer.close()


@asynccontextmanager
async def talking(home: Home, owner: str = "", **asked: Any) -> AsyncIterator[Talk]:
    """A session that has not begun yet."""
    line = await asyncio.to_thread(DaemonClient, owner, paths=home.paths, start=False)
    await asyncio.to_thread(line.call, "mcp", **asked)
    reader, writer = await asyncio.open_unix_connection(sock=line.hand_over(), limit=LONGEST)
    try:
        yield Talk(reader, writer)
    finally:
        writer.close()
