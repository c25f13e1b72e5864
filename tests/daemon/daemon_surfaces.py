"""One daemon seen through each of its surfaces: tools over MCP on stdio, MCP by HTTP and RPC.

    async with surface("http", home) as used:
        fields = await used.use("browser_snapshot", {"tab": "main"})

Knows: how each surface carries a call. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.daemon.raw_http_requests import Site
from tests.daemon.raw_mcp_client import Talk

__all__ = ["SURFACES", "TOOLSETS", "Surface", "surface"]

SURFACES = ("stdio", "http", "rpc")
TOOLSETS = "browser,browser-data,code"


class Surface(Protocol):
    """Somewhere tools can be called; calls may run side by side."""

    async def use(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the tool's reply. Raises TimeoutError if there is none."""

    async def answer(self, tool: str, given: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether the call failed, and all the text of the reply."""

    async def ping(self) -> None:
        """Return once the daemon has seen everything sent before."""


class _Stdio:
    """`pilothouse mcp` as an agent's program starts it."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._count = 1000
        self._waiting: dict[Any, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        while True:
            try:
                message = await self._talk.hear()
            except TimeoutError:
                continue
            waiting = self._waiting.pop(message.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)

    async def _ask(self, method: str, params: Any) -> dict[str, Any]:
        self._count += 1
        reply = self._waiting[self._count] = asyncio.get_running_loop().create_future()
        self._talk.send(method, params, self._count)
        answer: dict[str, Any] = await reply
        return answer

    async def use(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        return _fields(await self._ask("tools/call", {"name": tool, "arguments": given}))

    async def answer(self, tool: str, given: Mapping[str, Any]) -> tuple[bool, str]:
        return _text(await self._ask("tools/call", {"name": tool, "arguments": given}))

    async def ping(self) -> None:
        await self._ask("ping", {})

    def close(self) -> None:
        self._reading.cancel()


class _Http:
    """MCP by HTTP, one session."""

    def __init__(self, site: Site, key: str) -> None:
        self._site = site
        self._key = key
        self._count = 0

    async def _ask(self, method: str, params: Any) -> dict[str, Any]:
        self._count += 1
        body = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        status, _, answer = await self._site.request(body=body, Mcp_Session_Id=self._key)
        lines = [x for x in answer.splitlines() if x.startswith(b"data: {")]
        assert status == 200, answer
        assert lines, answer
        message: dict[str, Any] = json.loads(lines[-1].removeprefix(b"data: "))
        return message

    async def use(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        return _fields(await self._ask("tools/call", {"name": tool, "arguments": given}))

    async def answer(self, tool: str, given: Mapping[str, Any]) -> tuple[bool, str]:
        return _text(await self._ask("tools/call", {"name": tool, "arguments": given}))

    async def ping(self) -> None:
        await self._ask("ping", {})


class _Rpc:
    """The daemon's own socket, as the command line and the Python client use it."""

    def __init__(self, line: DaemonClient, toolsets: str) -> None:
        self._line = line
        self._toolsets = toolsets
        # As many calls at once as there are tools: a thread waits for each.
        self._threads = ThreadPoolExecutor(64)

    async def _call(self, method: str, **given: Any) -> Any:
        asked = partial(self._line.call, method, **given)
        return await asyncio.get_running_loop().run_in_executor(self._threads, asked)

    async def use(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        asked = {"name": tool, "arguments": given, "toolsets": self._toolsets}
        found: dict[str, Any] = await self._call("tool", **asked)
        return found

    async def answer(self, tool: str, given: Mapping[str, Any]) -> tuple[bool, str]:
        fields = await self.use(tool, given)
        return not fields["success"], json.dumps(fields)

    async def ping(self) -> None:
        await self._call("verbs")


def _fields(message: Mapping[str, Any]) -> dict[str, Any]:
    assert "result" in message, message
    result = message["result"]
    fields: dict[str, Any] = result.get("structuredContent") or {"success": not result["isError"]}
    return fields


def _text(message: Mapping[str, Any]) -> tuple[bool, str]:
    assert "result" in message, message
    result = message["result"]
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    return result["isError"], "\n".join(texts)


@asynccontextmanager
async def surface(kind: str, home: Home, toolsets: str = TOOLSETS) -> AsyncIterator[Surface]:
    """One of SURFACES, with a session of its own."""
    if kind == "rpc":
        yield _Rpc(await asyncio.to_thread(home.line, "rpc"), toolsets)
    elif kind == "http":
        line = await asyncio.to_thread(home.line, "web")
        served = await asyncio.to_thread(line.call, "serve", port=0, toolsets=toolsets)
        token = await asyncio.to_thread(Path(served["token_file"]).read_text)
        site = Site(int(served["url"].rpartition(":")[2].partition("/")[0]), token.strip())
        _, headers, _ = await site.greet()
        try:
            yield _Http(site, headers["mcp-session-id"])
        finally:
            line.close()
    else:
        async with _stdio(home, toolsets) as made:
            yield made


@asynccontextmanager
async def _stdio(home: Home, toolsets: str) -> AsyncIterator[_Stdio]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilothouse", "mcp", "--toolsets", toolsets),
        stdin=PIPE,
        stdout=PIPE,
        env=home.environ(),
        limit=1 << 26,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    talk = Talk(process.stdout, process.stdin)
    await talk.greet()
    made = _Stdio(talk)
    try:
        yield made
    finally:
        made.close()
        if process.returncode is None:
            process.kill()
        await process.wait()
