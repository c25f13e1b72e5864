"""Replies to the first MCP requests without the SDK: initialize, tools/list, tools/call, ping.

The SDK takes a second to import, and a client should not wait for it. tools/call stays here even
afterwards, because the SDK needs more time for a snapshot's message than the snapshot takes.

Knows: these few messages. Must not know: the connection or the SDK. Replies are exactly those of
the SDK (a test compares them). All other lines are kept for it in order, and so are the lines of
the handshake, which it must process too.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.asyncio_tasks import Tasks
from pilothouse.daemon.mcp.initialize import can_answer_initialize, initialize_result
from pilothouse.daemon.mcp.session import McpSession, ProgressCallback
from pilothouse.daemon.rpc import messages
from pilothouse.errors import PilothouseError, explain

__all__ = ["EarlyRequests"]

_log = logging.getLogger(__name__)

ROOTS_TIMEOUT_S = 5.0
ROOTS_ID = "pilothouse-roots"
CALLS_AT_ONCE = 256
MAX_EARLY_LINE = 1_000_000
# After one of these, calls need logging or new roots, which only the SDK handles.
ONLY_THE_SDK = (b"logging/setLevel", b"notifications/roots/list_changed")
ABOUT_EARLIER_CALLS = (b"notifications/cancelled", ROOTS_ID.encode())

RequestId = int | str


class EarlyRequests:
    """Answers the common messages of one session. `send` writes a line to the client."""

    def __init__(self, mcp_session: McpSession, send: Callable[[bytes], object]) -> None:
        self._mcp_session = mcp_session
        self._send = send
        self._tasks = Tasks()
        self._initialized = False
        self._answers_calls = True  # False: tools/call goes to the SDK from now on
        self._roots: asyncio.Future[list[str]] | None = None
        self.running: dict[RequestId, asyncio.Task[None]] = {}
        self._cancelled: set[RequestId] = set()  # by the client
        # For the SDK: lines it must process although they were answered, and lines still to answer.
        self.answered: list[bytes] = []
        self.unanswered: list[bytes] = []

    def feed(self, line: bytes) -> None:
        """Answer a line, or keep it for the SDK. Order is kept: after one kept line, all are."""
        if self.unanswered or not self._handle(line):
            self.unanswered.append(line)

    def _handle(self, line: bytes) -> bool:
        if len(line) > MAX_EARLY_LINE:
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
                return self._handle_response(number, message.get("result"))
            return isinstance(method, str) and self._handle_request(line, method, number, params)
        return "id" not in message and self._handle_notification(line, method, params)

    def _handle_request(
        self, line: bytes, method: str, number: RequestId, params: dict[str, Any]
    ) -> bool:
        if method == "initialize" and not self._initialized and can_answer_initialize(params):
            self._initialized = True
            self.answered.append(line)
            self._mcp_session.set_client_capabilities(params["capabilities"])
            self._mcp_session.set_client_name(params["clientInfo"]["name"])
            if isinstance(params["capabilities"].get("roots"), dict):
                self._roots = asyncio.get_running_loop().create_future()
            self._reply(number, initialize_result(params["protocolVersion"]))
        elif not self._initialized or set(params) - {"name", "arguments", "_meta"}:
            return False
        elif method == "ping":
            self._reply(number, {})
        elif method == "tools/list" and "name" not in params:
            self._list(number)
        elif method == "tools/call" and _is_tool_call(params) and len(self.running) < CALLS_AT_ONCE:
            if number in self.running:
                return False
            task = self._tasks.start(self._call(number, params), f"early call {params['name']}")
            self.running[number] = task
            task.add_done_callback(lambda done: self._on_call_done(number, done))
        else:
            return False
        return True

    def _on_call_done(self, number: RequestId, task: asyncio.Task[None]) -> None:
        """Reply to a call that ended without a reply, unless the client cancelled it."""
        self.running.pop(number, None)
        withdrawn = number in self._cancelled
        self._cancelled.discard(number)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None and not withdrawn:
            self._refuse(number, messages.INTERNAL, explain(error, "the call"))

    def _list(self, number: RequestId) -> None:
        try:
            self._reply(number, {"tools": self._mcp_session.list_tools()})
        except PilothouseError as error:
            self._refuse(number, messages.INVALID_PARAMS, error)
        except Exception as error:  # noqa: BLE001 - a fault of ours; the client still gets a reply
            _log.exception("listing the tools failed")
            self._refuse(number, messages.INTERNAL, explain(error, "listing the tools"))

    def _refuse(self, number: RequestId, code: int, error: PilothouseError) -> None:
        self._write({"id": number, "error": {"code": code, "message": error.format_line()}})

    def _handle_notification(self, line: bytes, method: Any, params: dict[str, Any]) -> bool:
        if method == "notifications/initialized" and self._initialized:
            self.answered.append(line)
            if self._roots is not None:
                self._write({"id": ROOTS_ID, "method": "roots/list"})
            return True
        return method == "notifications/cancelled" and self.cancel(params.get("requestId"))

    def cancel(self, number: Any) -> bool:
        """Cancel a call that runs here. Returns whether there is one. It gets no reply."""
        task = self.running.get(number) if isinstance(number, int | str) else None
        if task is not None:
            self._cancelled.add(number)
            task.cancel()
        return task is not None

    def handle_after_handover(self, line: bytes) -> bool:
        """Answer a line although the SDK has taken over; return False if it is for the SDK.

        Calls stay here because the SDK needs more time for a message than a snapshot takes."""
        if any(word in line for word in ONLY_THE_SDK):
            self._answers_calls = False
        about_calls = self._answers_calls and b'"tools/call"' in line
        return (about_calls or any(word in line for word in ABOUT_EARLIER_CALLS)) and self._handle(
            line
        )

    def _handle_response(self, number: RequestId, result: Any) -> bool:
        """Take the client's response to roots/list, the only request sent here."""
        if number != ROOTS_ID:
            return False
        if self._roots is not None and not self._roots.done():
            roots = result.get("roots") if isinstance(result, dict) else None
            listed = roots if isinstance(roots, list) else []
            self._roots.set_result(
                [str(root["uri"]) for root in listed if isinstance(root, dict) and "uri" in root]
            )
        return True

    async def _call(self, number: RequestId, params: dict[str, Any]) -> None:
        if self._roots is not None and not self._mcp_session.has_roots:
            async with self._mcp_session.roots_lock:
                if not self._mcp_session.has_roots:
                    await asyncio.wait({self._roots}, timeout=ROOTS_TIMEOUT_S)
                    self._mcp_session.set_roots(self._roots.result() if self._roots.done() else [])
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        say = None if token is None else self._progress_callback(token)
        result = await self._mcp_session.call_tool(params["name"], params.get("arguments"), say)
        self._reply(number, result)

    def _progress_callback(self, token: Any) -> ProgressCallback:
        async def say(at: int, text: str) -> None:
            params = {"progressToken": token, "progress": at, "message": text}
            self._write({"method": "notifications/progress", "params": params})

        return say

    def notify_tools_changed(self) -> None:
        """Tell the client that the list of tools has changed."""
        if self._initialized:
            self._write({"method": "notifications/tools/list_changed"})

    def _reply(self, number: RequestId, result: Mapping[str, Any]) -> None:
        self._write({"id": number, "result": result})

    def _write(self, message: Mapping[str, Any]) -> None:
        whole = {"jsonrpc": "2.0", **message}
        self._send(json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    async def close(self) -> None:
        """Cancel the calls that still run."""
        await self._tasks.close()


def _is_tool_call(params: dict[str, Any]) -> bool:
    given = params.get("arguments", {})
    return isinstance(params.get("name"), str) and isinstance(given, dict)
