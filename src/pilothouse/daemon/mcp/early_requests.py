"""What an agent asks first, answered before the SDK is there: greeting, list of tools, calls. Calls
are answered here ever after: the SDK would take longer over a snapshot's message than the snapshot.

Knows: those few messages of MCP, and which it does not know. Must not know: the line or the SDK. It
says exactly what the SDK would say (a test compares them); whatever else comes is kept for it, in
order, and so is the greeting, which it must hear as well.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.daemon.mcp.greeting import greeting, greets
from pilothouse.daemon.mcp.session import McpSession, Say
from pilothouse.daemon.rpc import messages
from pilothouse.errors import PilothouseError, explain
from pilothouse.tasks import Tasks

__all__ = ["Early"]

_log = logging.getLogger(__name__)

ROOTS_WITHIN_S = 5.0
ROOTS_ID = "pilothouse-roots"
CALLS_AT_ONCE = 256
LONGEST_EARLY = 1_000_000
# After these a call tells or asks more than is known here.
ONLY_THE_SDK = (b"logging/setLevel", b"notifications/roots/list_changed")
ABOUT_EARLIER = (b"notifications/cancelled", ROOTS_ID.encode())

Key = int | str


class Early:
    """The first messages of one session. `send` writes a line."""

    def __init__(self, mcp_session: McpSession, send: Callable[[bytes], object]) -> None:
        self._mcp_session = mcp_session
        self._send = send
        self._tasks = Tasks()
        self._greeted = False
        self._calls = True  # while those that come after the SDK are answered here
        self._roots: asyncio.Future[list[str]] | None = None
        self.running: dict[Key, asyncio.Task[None]] = {}
        self._withdrawn: set[Key] = set()  # those that the client has cancelled
        # For the SDK: what it must hear though it was answered, and what only it can answer.
        self.heard: list[bytes] = []
        self.kept: list[bytes] = []

    def feed(self, line: bytes) -> None:
        """A line came, and is answered or kept."""
        if self.kept or not self._answer(line):
            self.kept.append(line)

    def _answer(self, line: bytes) -> bool:
        if len(line) > LONGEST_EARLY:
            return False
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, number, params = message.get("method"), message.get("id"), message.get("params", {})
        if not isinstance(params, dict) or "io.modelcontextprotocol/protocolVersion" in str(
            params.get("_meta", "")
        ):
            return False
        if isinstance(number, int | str) and not isinstance(number, bool):
            if method is None:
                return self._told(number, message.get("result"))
            return isinstance(method, str) and self._request(line, method, number, params)
        return "id" not in message and self._notice(line, method, params)

    def _request(self, line: bytes, method: str, number: Key, params: dict[str, Any]) -> bool:
        if method == "initialize" and not self._greeted and greets(params):
            self._greeted = True
            self.heard.append(line)
            self._mcp_session.client_can(params["capabilities"])
            self._mcp_session.called(params["clientInfo"]["name"])
            if isinstance(params["capabilities"].get("roots"), dict):
                self._roots = asyncio.get_running_loop().create_future()
            self._reply(number, greeting(params["protocolVersion"]))
        elif not self._greeted or set(params) - {"name", "arguments", "_meta"}:
            return False
        elif method == "ping":
            self._reply(number, {})
        elif method == "tools/list" and "name" not in params:
            self._list(number)
        elif method == "tools/call" and _calls(params) and len(self.running) < CALLS_AT_ONCE:
            if number in self.running:
                return False
            task = self._tasks.start(self._call(number, params), f"early call {params['name']}")
            self.running[number] = task
            task.add_done_callback(lambda done: self._ended(number, done))
        else:
            return False
        return True

    def _ended(self, number: Key, task: asyncio.Task[None]) -> None:
        """See that a call was answered, however it ended, unless the client itself cancelled it."""
        self.running.pop(number, None)
        withdrawn = number in self._withdrawn
        self._withdrawn.discard(number)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None and not withdrawn:
            self._refuse(number, messages.INTERNAL, explain(error, "the call"))

    def _list(self, number: Key) -> None:
        try:
            self._reply(number, {"tools": self._mcp_session.listing()})
        except PilothouseError as error:
            self._refuse(number, messages.INVALID_PARAMS, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
            _log.exception("the tools cannot be listed")
            self._refuse(number, messages.INTERNAL, explain(error, "listing the tools"))

    def _refuse(self, number: Key, code: int, error: PilothouseError) -> None:
        self._write({"id": number, "error": {"code": code, "message": error.line()}})

    def _notice(self, line: bytes, method: Any, params: dict[str, Any]) -> bool:
        if method == "notifications/initialized" and self._greeted:
            self.heard.append(line)
            if self._roots is not None:
                self._write({"id": ROOTS_ID, "method": "roots/list"})
            return True
        return method == "notifications/cancelled" and self.cancel(params.get("requestId"))

    def cancel(self, number: Any) -> bool:
        """Stop a call that was begun here. One that was cancelled is not answered."""
        task = self.running.get(number) if isinstance(number, int | str) else None
        if task is not None:
            self._withdrawn.add(number)
            task.cancel()
        return task is not None

    def still_answers(self, line: bytes) -> bool:
        """Whether a line that came after the SDK is answered here all the same: calls, and what
        belongs to those that were begun here."""
        if any(word in line for word in ONLY_THE_SDK):
            self._calls = False
        about_calls = self._calls and b'"tools/call"' in line
        return (about_calls or any(word in line for word in ABOUT_EARLIER)) and self._answer(line)

    def _told(self, number: Key, result: Any) -> bool:
        """The client's answer to the one thing it is asked here."""
        if number != ROOTS_ID:
            return False
        if self._roots is not None and not self._roots.done():
            roots = result.get("roots") if isinstance(result, dict) else None
            listed = roots if isinstance(roots, list) else []
            self._roots.set_result(
                [str(root["uri"]) for root in listed if isinstance(root, dict) and "uri" in root]
            )
        return True

    async def _call(self, number: Key, params: dict[str, Any]) -> None:
        if self._roots is not None and not self._mcp_session.rooted:
            async with self._mcp_session.rooting:
                if not self._mcp_session.rooted:
                    await asyncio.wait({self._roots}, timeout=ROOTS_WITHIN_S)
                    self._mcp_session.root_at(self._roots.result() if self._roots.done() else [])
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        say = None if token is None else self._saying(token)
        result = await self._mcp_session.use(params["name"], params.get("arguments"), say)
        self._reply(number, result)

    def _saying(self, token: Any) -> Say:
        async def say(at: int, text: str) -> None:
            told = {"progressToken": token, "progress": at, "message": text}
            self._write({"method": "notifications/progress", "params": told})

        return say

    def changed(self) -> None:
        """The tools are others now."""
        if self._greeted:
            self._write({"method": "notifications/tools/list_changed"})

    def _reply(self, number: Key, result: Mapping[str, Any]) -> None:
        self._write({"id": number, "result": result})

    def _write(self, message: Mapping[str, Any]) -> None:
        whole = {"jsonrpc": "2.0", **message}
        self._send(json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    async def close(self) -> None:
        """End the calls that still run."""
        await self._tasks.close()


def _calls(params: dict[str, Any]) -> bool:
    given = params.get("arguments", {})
    return isinstance(params.get("name"), str) and isinstance(given, dict)
