"""The MCP session of one stdio client, from its first message to its last.

Knows: which message comes next, what runs, and the client's open requests and ours. Must not know:
the connection, the SDK, or how messages are checked (protocol.py). It does not use the SDK: that
takes a second to import, 40 MB, and more time for a snapshot's message than the snapshot takes
(docs/adr/0020). A test compares its replies with the SDK's.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from pilothouse.asyncio_tasks import Tasks, is_own_cancellation
from pilothouse.daemon.mcp import json_rpc_lines as lines
from pilothouse.daemon.mcp.initialize import (
    BATCH_VERSION,
    HANDSHAKE_VERSIONS,
    NAME,
    RESUME,
    initialize_problem,
    initialize_result,
)
from pilothouse.daemon.mcp.json_rpc_lines import (
    InvalidLine,
    LineNotification,
    LineRequest,
    LineResponse,
    RequestId,
)
from pilothouse.daemon.mcp.prompts import list_prompts, render_prompt
from pilothouse.daemon.mcp.protocol import (
    DISCOVERY,
    LOG_LEVELS,
    ROOTS_REQUIRED,
    SUBSCRIPTION_ID,
    McpRefusal,
    McpRequest,
    Phase,
    parse_request,
    phase_after_notification,
    phase_after_request,
    shape_result,
)
from pilothouse.daemon.mcp.session import McpSession, ProgressCallback
from pilothouse.daemon.rpc import messages
from pilothouse.errors import PilothouseError, explain

__all__ = ["CALLS_AT_ONCE", "ROOTS_TIMEOUT_S", "McpStdioSession"]

_log = logging.getLogger(__name__)

ROOTS_TIMEOUT_S = 5.0
CALLS_AT_ONCE = 256
MAX_SUBSCRIPTIONS = 64
FAILURE_LEVEL = "warning"

# Takes the reply to one message, or None if there will be none.
Reply = Callable[[Mapping[str, Any] | None], object]
Answer = Callable[[McpRequest], Mapping[str, Any]]
Work = Callable[[McpRequest], Awaitable[Mapping[str, Any]]]


class McpStdioSession:
    """One client. `send` writes a line to it."""

    def __init__(self, mcp_session: McpSession, send: Callable[[bytes], object]) -> None:
        self._mcp_session = mcp_session
        self._send = send
        self._tasks = Tasks()
        self.phase = Phase.OPENING
        self._version = HANDSHAKE_VERSIONS[-1]
        self._log_level = "emergency"  # nothing of ours is as grave
        self.running: dict[RequestId, asyncio.Task[None]] = {}
        self._cancelled: set[RequestId] = set()
        self._closing = False
        # Our requests that the client has not answered yet.
        self._asked: dict[str, asyncio.Future[LineResponse]] = {}
        self._numbers = itertools.count(1)
        self._can_list_roots = False  # the client, by its capabilities
        self._roots: asyncio.Task[None] | None = None
        # Requests subscriptions/listen that want to hear of changed tools.
        self._listening: set[RequestId] = set()
        self.answers = self.answer_table()
        self.works = self.work_table()

    def answer_table(self) -> dict[str, Answer]:
        """Return the methods that are answered at once."""
        return {
            "ping": lambda request: {},
            "server/discover": lambda request: DISCOVERY,
            "tools/list": self._list_tools,
            "resources/list": lambda request: {"resources": self._mcp_session.list_resources()},
            "resources/templates/list": self._list_templates,
            "prompts/list": lambda request: {"prompts": list_prompts()},
            "prompts/get": self._get_prompt,
            "logging/setLevel": self._set_level,
        }

    def work_table(self) -> dict[str, Work]:
        """Return the methods that take a while, and can be cancelled."""
        return {
            "tools/call": self._call_tool,
            "resources/read": self._read_resource,
            "subscriptions/listen": self._listen,
        }

    # Messages of the client.

    def feed(self, line: bytes) -> None:
        """Handle a line from the client."""
        message = lines.parse_line(line)
        if isinstance(message, list):
            self._receive_batch(message)
        else:
            self._receive(message, self._reply)

    def _receive(self, message: lines.Message, reply: Reply) -> None:
        match message:
            case LineRequest():
                self._receive_request(message, reply)
            case LineNotification():
                self._receive_notification(message)
            case LineResponse():
                asked = self._asked.get(message.id) if isinstance(message.id, str) else None
                if asked is not None and not asked.done():
                    asked.set_result(message)
            case InvalidLine():
                reply(lines.error_reply(message.id, message.code, message.problem))

    def _receive_batch(self, values: list[Any]) -> None:
        if self._version != BATCH_VERSION or not values:
            problem = f"expected one message; a batch needs protocol version {BATCH_VERSION}"
            self._reply(lines.error_reply(None, messages.INVALID_REQUEST, problem))
            return
        parsed = [lines.parse_message(value) for value in values]
        batch = _Batch(
            sum(isinstance(one, LineRequest | InvalidLine) for one in parsed), self._write
        )
        for message in parsed:
            self._receive(message, batch.reply)

    def _receive_request(self, line: LineRequest, reply: Reply) -> None:
        number, method = line.id, line.method
        try:
            self.phase = phase_after_request(self.phase, line)
            if method == "initialize":
                result: Mapping[str, Any] = self._initialize(line.params)
            else:
                request = parse_request(self.phase, line)
                work = self.works.get(method)
                if work is not None:
                    self._start(request, work, reply)
                    return
                result = self.answers[method](request)
            reply(lines.result_reply(number, shape_result(self.phase, method, result)))
        except Exception as error:  # noqa: BLE001 - the client gets a reply, whatever fails
            reply(_failure(number, method, error))

    def _receive_notification(self, line: LineNotification) -> None:
        self.phase = phase_after_notification(self.phase, line.method)
        if self.phase is Phase.GREETED and line.method == "notifications/initialized":
            self._on_initialized()
        elif self.phase is Phase.GREETED and line.method == "notifications/roots/list_changed":
            self._mcp_session.has_roots = False
            self._on_initialized()
        elif line.method == "notifications/cancelled":
            self._cancel(line.params.get("requestId"))
        elif self.phase is Phase.OPENING and line.method == RESUME:
            self._resume(line.params)

    # Requests that take a while.

    def _start(self, request: McpRequest, work: Work, reply: Reply) -> None:
        number = request.id
        if number in self.running:
            problem = f"id: {number!r} is already used by a running call"
            raise McpRefusal(messages.INVALID_REQUEST, problem)
        if len(self.running) >= CALLS_AT_ONCE:
            raise McpRefusal(messages.REFUSED, f"{CALLS_AT_ONCE} calls are already running")
        task = self._tasks.start(self._run(request, work, reply), f"MCP {request.method}")
        self.running[number] = task
        task.add_done_callback(lambda done: self._on_done(request, reply, done))

    async def _run(self, request: McpRequest, work: Work, reply: Reply) -> None:
        try:
            result = await work(request)
        except asyncio.CancelledError as error:
            # If it is not about this task, it escaped from another one, and is a failure.
            if is_own_cancellation():
                raise
            reply(_failure(request.id, request.method, error))
        except Exception as error:  # noqa: BLE001 - the client gets a reply, whatever fails
            reply(_failure(request.id, request.method, error))
        else:
            shaped = shape_result(self.phase, request.method, result)
            reply(lines.result_reply(request.id, shaped))

    def _on_done(self, request: McpRequest, reply: Reply, task: asyncio.Task[None]) -> None:
        """Settle a request whose task ended without a reply."""
        self.running.pop(request.id, None)
        withdrawn = request.id in self._cancelled
        self._cancelled.discard(request.id)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if withdrawn or self._closing:
            reply(None)
        elif error is not None:
            reply(_failure(request.id, request.method, error))

    def _cancel(self, number: Any) -> None:
        """Cancel a request of the client. It gets no reply."""
        if isinstance(number, int | str) and not isinstance(number, bool):
            task = self.running.get(number)
            if task is not None and task.cancel():  # False: it has just been answered
                self._cancelled.add(number)

    # The handshake.

    def _initialize(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        if problem := initialize_problem(params):
            raise McpRefusal(messages.INVALID_PARAMS, problem)
        return self._greet(params)

    def _greet(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        self._mcp_session.set_client_capabilities(params["capabilities"])
        self._mcp_session.set_client_name(params["clientInfo"]["name"])
        self._can_list_roots = isinstance(params["capabilities"].get("roots"), dict)
        result = initialize_result(params["protocolVersion"])
        self._version = result["protocolVersion"]
        return result

    def _resume(self, params: Mapping[str, Any]) -> None:
        """Go on after a handshake that `pilothouse mcp`, or an earlier daemon, has answered."""
        greeting = params.get("initialize")
        if problem := initialize_problem(greeting):
            _log.warning("%s: %s", RESUME, problem)
            return
        assert isinstance(greeting, dict)
        self.phase = Phase.GREETED
        self._greet(greeting)
        if params.get("initialized"):
            self._on_initialized()

    def _on_initialized(self) -> None:
        if self._can_list_roots and not self._mcp_session.has_roots:
            self._ask_roots()

    # Methods.

    def _list_tools(self, request: McpRequest) -> Mapping[str, Any]:
        return {"tools": self._mcp_session.list_tools()}

    def _list_templates(self, request: McpRequest) -> Mapping[str, Any]:
        return {"resourceTemplates": self._mcp_session.list_resource_templates()}

    def _get_prompt(self, request: McpRequest) -> Mapping[str, Any]:
        return render_prompt(request.params.name, request.params.arguments or {})

    def _set_level(self, request: McpRequest) -> Mapping[str, Any]:
        self._log_level = request.params.level
        return {}

    async def _read_resource(self, request: McpRequest) -> Mapping[str, Any]:
        uri = request.params.uri
        try:
            return {"contents": [await self._mcp_session.read_resource(uri)]}
        except PilothouseError as error:
            more = {"uri": uri, "hint": error.hint}
            raise McpRefusal(messages.INVALID_PARAMS, error.message, more) from None

    async def _call_tool(self, request: McpRequest) -> Mapping[str, Any]:
        params, mcp_session = request.params, self._mcp_session
        if self.phase is not Phase.ENVELOPE:
            await self._wait_for_roots()
        elif not self._take_envelope(request):
            return ROOTS_REQUIRED
        result = await mcp_session.call_tool(
            params.name, params.arguments, self._progress_callback(request.progress_token)
        )
        if result["isError"] and self._wants_log(request):
            error = result.get("structuredContent", {}).get("error")
            data = {"tool": params.name, "error": error}
            said = {"level": FAILURE_LEVEL, "logger": NAME, "data": data}
            self.notify("notifications/message", said)
        return result

    def _take_envelope(self, request: McpRequest) -> bool:
        """Take what came with a call. Returns False if the call must be repeated with the roots.

        A client that answers with something else than roots is not asked again."""
        capabilities, mcp_session = request.capabilities, self._mcp_session
        assert capabilities is not None
        mcp_session.set_client_capabilities({"experimental": capabilities.experimental})
        mcp_session.set_client_name(request.client_name)
        if mcp_session.has_roots or capabilities.roots is None:
            return True
        if request.params.input_responses is None:
            return False
        mcp_session.set_roots(_root_uris(request.params.input_responses.get("roots")))
        return True

    def _wants_log(self, request: McpRequest) -> bool:
        level = request.log_level if self.phase is Phase.ENVELOPE else self._log_level
        return level is not None and LOG_LEVELS.index(level) <= LOG_LEVELS.index(FAILURE_LEVEL)

    def _progress_callback(self, token: int | str | None) -> ProgressCallback | None:
        if token is None:
            return None

        async def say(at: int, text: str) -> None:
            told = {"progressToken": token, "progress": at, "message": text}
            self.notify("notifications/progress", told)

        return say

    async def _listen(self, request: McpRequest) -> Mapping[str, Any]:
        """Acknowledge a subscription and keep it until the client cancels it."""
        if len(self._listening) >= MAX_SUBSCRIPTIONS:
            raise McpRefusal(messages.INTERNAL, "Subscription limit reached")
        honored = request.params.notifications.honored()
        told = {
            "_meta": {SUBSCRIPTION_ID: request.id},
            "notifications": msgspec.to_builtins(honored),
        }
        self.notify("notifications/subscriptions/acknowledged", told)
        if honored.tools_list_changed:
            self._listening.add(request.id)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._listening.discard(request.id)
        raise AssertionError("a subscription ends only by cancellation")

    # Messages to the client.

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self._write(lines.notification(method, params))

    def notify_tools_changed(self) -> None:
        """Tell the client that the list of tools has changed."""
        changed = "notifications/tools/list_changed"
        if self.phase is Phase.GREETED:
            self.notify(changed)
        for number in self._listening:
            self.notify(changed, {"_meta": {SUBSCRIPTION_ID: number}})

    async def ask(
        self, method: str, timeout: float, params: Mapping[str, Any] | None = None
    ) -> LineResponse:
        """Send a request to the client and wait for its response. Raises TimeoutError."""
        number = f"{NAME}-{next(self._numbers)}"
        asked: asyncio.Future[LineResponse] = asyncio.get_running_loop().create_future()
        self._asked[number] = asked
        self._write({**lines.notification(method, params), "id": number})
        try:
            async with asyncio.timeout(timeout):
                return await asked
        except TimeoutError:
            self.notify("notifications/cancelled", {"requestId": number, "reason": "timed out"})
            raise
        finally:
            del self._asked[number]

    def _ask_roots(self) -> asyncio.Task[None]:
        """Ask the client for its roots, and forget an earlier request."""
        if self._roots is not None:
            self._roots.cancel()
        self._roots = self._tasks.start(self._fetch_roots(), "MCP roots/list")
        return self._roots

    async def _wait_for_roots(self) -> None:
        """Wait until the client has answered the newest request for its roots."""
        while self._can_list_roots and not self._mcp_session.has_roots:
            asked = self._roots or self._ask_roots()
            await asyncio.wait({asked})
            if asked is self._roots:
                return

    async def _fetch_roots(self) -> None:
        try:
            response = await self.ask("roots/list", ROOTS_TIMEOUT_S)
            uris = _root_uris(response.result)
        except TimeoutError:
            _log.warning("%s did not list its roots", self._mcp_session.tool_session.owner)
            uris = []
        self._mcp_session.set_roots(uris)

    def _reply(self, message: Mapping[str, Any] | None) -> None:
        if message is not None:
            self._write(message)

    def _write(self, message: Any) -> None:
        self._send(lines.encode_line(message))

    async def close(self) -> None:
        """Cancel what still runs. Open requests get no reply: the connection ends."""
        self._closing = True
        await self._tasks.close()


class _Batch:
    """Collects the replies to one batch and sends them as a list."""

    def __init__(self, count: int, write: Callable[[Any], object]) -> None:
        self._open = count
        self._write = write
        self._replies: list[Mapping[str, Any]] = []

    def reply(self, message: Mapping[str, Any] | None) -> None:
        """Take one reply, or None for a request that gets none."""
        self._open -= 1
        if message is not None:
            self._replies.append(message)
        if not self._open and self._replies:
            self._write(self._replies)


def _failure(number: RequestId, method: str, error: BaseException) -> Mapping[str, Any]:
    """Return the error reply for an exception."""
    if isinstance(error, McpRefusal):
        reply = lines.error_reply(number, error.code, error.problem, error.data)
    elif isinstance(error, PilothouseError):
        reply = lines.error_reply(number, messages.INVALID_PARAMS, error.format_line())
    else:
        _log.error("%s failed", method, exc_info=error)
        reply = lines.error_reply(number, messages.INTERNAL, explain(error, method).format_line())
    return reply


def _root_uris(result: Any) -> list[str]:
    """Return the URIs in a result of roots/list."""
    roots = result.get("roots") if isinstance(result, Mapping) else None
    listed = roots if isinstance(roots, list) else []
    return [str(root["uri"]) for root in listed if isinstance(root, Mapping) and "uri" in root]
