"""A Chrome made of sockets and scripts, to test the wire against.

It speaks CDP over WebSocket (with `/json/version` and `/json/list` on the same port) and over a
pipe, refuses what a real one refuses (`tests.fake_chrome_model`), and misbehaves when told to:

    async with FakeChrome() as chrome:
        chrome.answer("Runtime.evaluate", {"result": {"type": "number", "value": 2}})
        chrome.hold("Page.navigate")                  # no reply until chrome.release()
        chrome.emit("Page.loadEventFired", {"timestamp": 1.0}, session_id)
        chrome.drop()                                 # every wire, without a goodbye
        await chrome.heard("Page.navigate")           # bounded wait for a command to arrive

Faults per method: `delay`, `duplicate`, `corrupt`; for all: `fragment_size`, `send_raw`,
`refuse` and `accept` for new connections; `release(reverse=True)` reorders.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, AnyStr, Protocol

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response

from pilothouse.asyncio_tasks import Tasks
from tests.fake_chrome_model import Client, FakeError, Message, Model, Request, Target, known

__all__ = ["FakeChrome", "FakeError", "Request", "Target"]

Answer = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any]]

HEARD_WITHIN_S = 5.0
MAX_FRAME = 64 * 1024 * 1024
BROWSER_PATH = "/devtools/browser/fake"


class _Wire(Protocol):
    def send(self, data: str | bytes) -> None: ...
    def abort(self) -> None: ...


class FakeChrome:
    """One fake browser. All scripting calls are synchronous and take effect at once."""

    def __init__(self) -> None:
        self.model = Model()
        self.received: list[Request] = []
        self.fragment_size = 0
        self.port = 0
        self._wires: dict[int, tuple[_Wire, Client]] = {}
        self._connections = 0
        self._answers: dict[str, Answer] = {}
        self._held: dict[str, list[tuple[_Wire, Client, Request]]] = {}
        self._delays: dict[str, float] = {}
        self._duplicated: set[str] = set()
        self._corrupted: set[str] = set()
        self._server: Server | None = None
        self._tasks = Tasks()
        self._news = asyncio.Condition()

    async def __aenter__(self) -> FakeChrome:
        await self.accept()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.drop()
        await self.refuse()
        await self._tasks.close()

    @property
    def websocket_url(self) -> str:
        """Where to dial."""
        return f"ws://127.0.0.1:{self.port}{BROWSER_PATH}"

    @property
    def http_url(self) -> str:
        """Where to ask for the WebSocket's address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def connected(self) -> int:
        """How many wires are up."""
        return len(self._wires)

    def pipe(self) -> socket.socket:
        """Our end of a new pipe, for `dial_pipe`."""
        ours, theirs = socket.socketpair()
        self._tasks.start(self._serve_pipe(theirs), "fake chrome pipe")
        return ours

    # Scripts.

    def answer(self, method: str, answer: Answer) -> None:
        """Answer a command so from now on: a result, or a function from params to a result.
        The function may raise FakeError."""
        _must_exist(method, known()[0])
        self._answers[method] = answer

    def hold(self, method: str) -> None:
        """Act on a command only when released."""
        _must_exist(method, known()[0])
        self._held.setdefault(method, [])

    def release(self, method: str | None = None, *, reverse: bool = False) -> None:
        """Answer what is held, of one method or of all, and hold no longer."""
        methods = [method] if method else list(self._held)
        held = [entry for name in methods for entry in self._held.pop(name, [])]
        held.sort(key=lambda entry: entry[2].id, reverse=reverse)
        for wire, client, request in held:
            self._answer(wire, client, request)

    def emit(self, method: str, params: Mapping[str, Any], session_id: str = "") -> None:
        """Send an event on every wire that has the session."""
        _must_exist(method, known()[1])
        for _, client in self._wires.values():
            if not session_id or session_id in client.sessions:
                client.event(method, dict(params), session_id)
        self.flush()

    def send_raw(self, data: str | bytes) -> None:
        """Send anything at all on every wire: text as text, bytes as a binary frame."""
        for wire, _ in self._wires.values():
            wire.send(data)

    def attach(self, target: Target, parent: str = "") -> str:
        """Start a session nobody asked for, as auto-attach does for frames of a page."""
        _, client = next(iter(self._wires.values()))
        session_id = self.model.attach(client, target, parent)
        self.flush()
        return session_id

    def crash(self, target: Target) -> None:
        """Kill a renderer: what waits on it stays unanswered."""
        self.model.crash(target)
        self.flush()

    def close_target(self, target: Target) -> None:
        """Close a target from the browser's side."""
        self.model.close_target(target)
        self.flush()

    def flush(self) -> None:
        """Send what the model has said."""
        for wire, client in list(self._wires.values()):
            said, client.outbox = client.outbox, []
            for message in said:
                wire.send(json.dumps(message))

    # Faults.

    def delay(self, method: str, seconds: float) -> None:
        """Answer a command later."""
        self._delays[method] = seconds

    def duplicate(self, method: str) -> None:
        """Send each reply to a command twice."""
        self._duplicated.add(method)

    def corrupt(self, method: str) -> None:
        """Cut each reply to a command in half."""
        self._corrupted.add(method)

    def drop(self) -> None:
        """Reset every wire, with no closing handshake."""
        for wire, _ in list(self._wires.values()):
            wire.abort()

    async def refuse(self) -> None:
        """Close the port; wires that are up stay up."""
        if self._server is not None:
            self._server.close(close_connections=False)
            # The listening socket closes at once; waiting for the server would wait for the wires.
            self._server = None

    async def accept(self) -> None:
        """Open the port: a new one the first time, the same one after `refuse`."""
        self._server = await serve(
            self._serve_websocket,
            "127.0.0.1",
            self.port,
            compression=None,
            max_size=None,
            ping_interval=None,
            process_request=self._http,
        )
        self.port = self._server.sockets[0].getsockname()[1]

    # Watching.

    async def heard(self, method: str, times: int = 1) -> list[Request]:
        """Wait until a command has arrived so often; all that arrived."""

        def found() -> list[Request]:
            return [request for request in self.received if request.method == method]

        await self._until(lambda: len(found()) >= times)
        return found()

    async def has_wires(self, count: int) -> None:
        """Wait until exactly so many wires are up."""
        await self._until(lambda: len(self._wires) == count)

    async def _until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(HEARD_WITHIN_S), self._news:
            await self._news.wait_for(condition)

    def _tell(self) -> None:
        async def notify() -> None:
            async with self._news:
                self._news.notify_all()

        self._tasks.start(notify(), "fake chrome news")

    # The inside.

    def _connect(self, wire: _Wire) -> int:
        self._connections += 1
        client = Client()
        self.model.clients.append(client)
        self._wires[self._connections] = (wire, client)
        self._tell()
        return self._connections

    def _disconnect(self, key: int) -> None:
        _, client = self._wires.pop(key)
        self.model.clients.remove(client)
        self._tell()

    def _receive(self, key: int, text: str) -> None:
        wire, client = self._wires[key]
        try:
            request = self.model.read(client, text)
        except FakeError as error:
            wire.send(json.dumps(error.reply()))
            return
        self.received.append(request)
        self._tell()
        if request.method in self._held:
            self._held[request.method].append((wire, client, request))
        else:
            self._answer(wire, client, request)

    def _answer(self, wire: _Wire, client: Client, request: Request) -> None:
        target = self.model.targets.get(client.sessions.get(request.session_id, ""))
        if target is not None and target.crashed:
            return
        try:
            reply = request.reply("result", self._result(client, request))
        except FakeError as error:
            reply = request.reply("error", error.body())
        self.flush()
        self._reply(wire, request.method, reply)
        if "result" in reply:
            self.model.after(request)
            self.flush()

    def _result(self, client: Client, request: Request) -> Message:
        answer = self._answers.get(request.method)
        if answer is None:
            return self.model.perform(client, request)
        return dict(answer(request.params) if callable(answer) else answer)

    def _reply(self, wire: _Wire, method: str, reply: Message) -> None:
        text = json.dumps(reply)
        if method in self._corrupted:
            text = text[: len(text) // 2]
        for _ in range(2 if method in self._duplicated else 1):
            if seconds := self._delays.get(method):
                asyncio.get_running_loop().call_later(seconds, wire.send, text)
            else:
                wire.send(text)

    async def _serve_websocket(self, connection: ServerConnection) -> None:
        wire = _WebSocketWire(connection, self)
        key = self._connect(wire)
        writer = self._tasks.start(wire.write_all(), "fake chrome writer")
        try:
            async for message in connection:
                if isinstance(message, bytes):
                    # So does Chromium: a binary frame ends the connection at once.
                    wire.abort()
                else:
                    self._receive(key, message)
        except ConnectionClosed:
            pass  # The client left without a goodbye, as clients do.
        finally:
            writer.cancel()
            self._disconnect(key)

    async def _serve_pipe(self, theirs: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=theirs, limit=MAX_FRAME)
        key = self._connect(_PipeWire(writer, self))
        try:
            while True:
                frame = await reader.readuntil(b"\0")
                self._receive(key, frame[:-1].decode())
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # The other end closed.
        finally:
            self._disconnect(key)
            writer.transport.abort()

    def _http(self, connection: ServerConnection, request: HttpRequest) -> Response | None:
        match request.path.rstrip("/"):
            case path if path == BROWSER_PATH:
                return None
            case "/json/version":
                body: Any = {
                    "Browser": "Chrome/0.0.0.0",
                    "Protocol-Version": "1.3",
                    "webSocketDebuggerUrl": self.websocket_url,
                }
            case "/json/list" | "/json":
                body = [
                    {"id": t.id, "type": t.type, "title": t.url, "url": t.url}
                    for t in self.model.targets.values()
                ]
            case _:
                return connection.respond(HTTPStatus.NOT_FOUND, "")
        response = connection.respond(HTTPStatus.OK, json.dumps(body))
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "application/json; charset=UTF-8"
        return response


class _WebSocketWire:
    """Keeps the order of what is sent, whoever sends it."""

    def __init__(self, connection: ServerConnection, chrome: FakeChrome) -> None:
        self._connection = connection
        self._chrome = chrome
        self._queue: asyncio.Queue[str | bytes] = asyncio.Queue()

    def send(self, data: str | bytes) -> None:
        self._queue.put_nowait(data)

    def abort(self) -> None:
        self._connection.transport.abort()

    async def write_all(self) -> None:
        try:
            while True:
                data = await self._queue.get()
                size = self._chrome.fragment_size
                if not size:
                    await self._connection.send(data)
                elif isinstance(data, str):
                    await self._connection.send(_pieces(data, size))
                else:
                    await self._connection.send(_pieces(data, size))
        except ConnectionClosed:
            pass  # What was said to nobody is lost, as on any socket.


class _PipeWire:
    def __init__(self, writer: asyncio.StreamWriter, chrome: FakeChrome) -> None:
        self._writer = writer
        self._chrome = chrome

    def send(self, data: str | bytes) -> None:
        frame = (data.encode() if isinstance(data, str) else data) + b"\0"
        for piece in _pieces(frame, self._chrome.fragment_size or len(frame)):
            self._writer.write(piece)

    def abort(self) -> None:
        self._writer.transport.abort()


def _pieces(data: AnyStr, size: int) -> list[AnyStr]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _must_exist(method: str, names: Any) -> None:
    if method not in names:
        raise ValueError(f"{method} is not in the protocol: a script for it would never run")
