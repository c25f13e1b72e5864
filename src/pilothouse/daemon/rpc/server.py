"""The daemon's door: a Unix socket for its own user, many clients, none of which can hold up
another.

Knows: lines, clients, queues. Must not know: what methods do. A client that stops reading is
dropped: its answers pile up nowhere but here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pilothouse.daemon.rpc import messages
from pilothouse.daemon.rpc.messages import Request
from pilothouse.errors import PilothouseError, explain
from pilothouse.tasks import Tasks, is_own_cancellation

__all__ = ["Client", "Server"]

_log = logging.getLogger(__name__)

UNREAD_BYTES = 64 * 1024 * 1024
UNREAD_S = 30.0
PROGRESS_BYTES = 64 * 1024
# More calls at once than any client means: it does not wait for answers.
CALLS_AT_ONCE = 256
LAST_WORDS_S = 0.5

Key = int | str | tuple[str, int]
Answer = Callable[["Client", Request], Awaitable[Any]]


class Client:
    """One connection. `owner` is set when it says hello."""

    def __init__(
        self,
        number: int,
        writer: asyncio.StreamWriter,
        spent: Callable[[int], object] = lambda size: None,
    ) -> None:
        self.number = number
        self._spent = spent
        self.owner = ""
        self._writer = writer
        self._stuck_since = 0.0
        # Takes the lines of a client that speaks another protocol from now on.
        self.lines: Callable[[bytes], Awaitable[None]] | None = None
        # By the call's id; notices have none and get a number of ours.
        self.running: dict[Key, asyncio.Task[None]] = {}

    def send(self, line: bytes) -> bool:
        """Queue a line; False when the client does not read and is given up."""
        transport = self._writer.transport
        if transport.is_closing():
            return False
        unread = transport.get_write_buffer_size()
        now = asyncio.get_running_loop().time()
        if not unread:
            self._stuck_since = now
        if unread + len(line) > UNREAD_BYTES or (unread and now - self._stuck_since > UNREAD_S):
            _log.warning("client %d does not read: dropped with %d bytes", self.number, unread)
            self.drop()
            return False
        self._writer.write(line)
        self._spent(len(line))
        return True

    def drop(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()

    def hang_up(self) -> None:
        """End the connection once what was queued is sent."""
        self._writer.close()

    def progress(self, number: int | str | None, text: str, **more: Any) -> None:
        """Tell how far a call has come; a client that lags behind is spared that."""
        if self._writer.transport.get_write_buffer_size() > PROGRESS_BYTES:
            return
        self.send(messages.notice("progress", {"id": number, "text": text, **more}))


class Server:
    """Listens, and has each request answered by `answer`."""

    def __init__(
        self,
        answer: Answer,
        gone: Callable[[Client], Awaitable[None]],
        spent: Callable[[int], object] = lambda size: None,
    ) -> None:
        # Told of the size of each message, in and out.
        self._spent = spent
        self._answer = answer
        self._gone = gone
        self._server: asyncio.AbstractServer | None = None
        self._path: Path | None = None
        self._tasks = Tasks()
        self._serving = Tasks()
        self._serving_now: set[asyncio.Task[None]] = set()
        self._count = 0
        self._unnamed = 0
        self.clients: set[Client] = set()

    async def start(self, path: Path) -> None:
        """Listen at a path that nobody else may open."""
        mask = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(
                self._enter,
                path=str(path),
                limit=messages.LONGEST_LINE,
            )
        finally:
            os.umask(mask)
        self._path = path

    def shut(self) -> None:
        """Let nobody in any more: whoever comes now finds no daemon here. Calls go on."""
        if self._server is not None and self._path is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
            self._server = self._path = None

    async def close(self) -> None:
        """Listen no more; what runs is ended."""
        self.shut()
        await self._tasks.close()
        for client in list(self.clients):
            client.hang_up()
        # Who does not read its last answers does not keep the daemon open.
        if self._serving_now:
            await asyncio.wait(self._serving_now, timeout=LAST_WORDS_S)
        await self._serving.close()

    def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._serving.start(self._serve(reader, writer), "serve a client")
        self._serving_now.add(task)
        task.add_done_callback(self._serving_now.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None or not _same_user(writer):  # shut as it came in
            writer.transport.abort()
            return
        self._count += 1
        client = Client(self._count, writer, self._spent)
        self.clients.add(client)
        try:
            while line := await _read_line(reader, client):
                self._spent(len(line))
                if client.lines is not None:
                    await client.lines(line)
                else:
                    self._take(client, line)
        finally:
            self.clients.discard(client)
            for task in list(client.running.values()):
                task.cancel()
            writer.close()
            await self._gone(client)

    def _take(self, client: Client, line: bytes) -> None:
        if not line.strip():
            return
        request = messages.parse(line)
        if isinstance(request, bytes):
            client.send(request)
        elif request.method == "cancel":
            self._cancel(client, request)
        elif request.id is not None and request.id in client.running:
            told = f"id: {request.id!r} is in use by a call under way"
            client.send(messages.error(request.id, messages.INVALID_REQUEST, told))
        elif len(client.running) >= CALLS_AT_ONCE:
            told = f"{CALLS_AT_ONCE} calls are under way already"
            client.send(messages.error(request.id, messages.REFUSED, told))
        else:
            self._unnamed += 1
            key: Key = ("notice", self._unnamed) if request.id is None else request.id
            task = self._tasks.start(self._reply(client, request), f"call {request.method}")
            client.running[key] = task
            task.add_done_callback(lambda done: self._replied(client, request, key, done))

    def _replied(
        self, client: Client, request: Request, key: Key, task: asyncio.Task[None]
    ) -> None:
        client.running.pop(key, None)
        if request.id is None:
            return
        # Not in the task itself: one that is cancelled before it starts never runs.
        if task.cancelled():
            told, data = "cancelled", {"kind": "Cancelled", "hint": ""}
            if self._server is None:  # nobody asked for it: the daemon closes
                told = "the daemon is gone in the middle of a call"
                data = {"kind": "Gone", "hint": "call again: a new one starts by itself"}
            client.send(messages.error(request.id, messages.REFUSED, told, data))
        elif (error := task.exception()) is not None:  # its answer could not even be written
            told = f"{request.method}: its answer could not be sent"
            data = {"kind": type(error).__name__, "hint": "ask for less at once"}
            client.send(messages.error(request.id, messages.INTERNAL, told, data))

    def _cancel(self, client: Client, request: Request) -> None:
        wanted = request.params.get("id")
        running = client.running.get(wanted) if isinstance(wanted, int | str) else None
        if running is not None:
            running.cancel()
        if request.id is not None:
            client.send(messages.result(request.id, {"cancelled": running is not None}))

    async def _reply(self, client: Client, request: Request) -> None:
        try:
            answer = messages.result(request.id, await self._answer(client, request))
        except asyncio.CancelledError as error:
            # Only the client's own cancellation, or the daemon's end, ends a call in silence.
            if is_own_cancellation():
                raise
            answer = _refusal(request, error)
        except (PilothouseError, TimeoutError) as error:
            answer = _refusal(request, error)
        except Exception as error:  # noqa: BLE001
            # The one place where everything ends up: a fault of ours must not end the daemon.
            _log.exception("%s failed", request.method)
            told = explain(error, request.method)
            data = {"kind": type(told).__name__, "hint": told.hint}
            answer = messages.error(request.id, messages.INTERNAL, told.message, data)
        if request.id is not None:
            client.send(answer)


def _refusal(request: Request, error: BaseException) -> bytes:
    told = explain(error, request.method)
    kind = "TimeoutError" if isinstance(error, TimeoutError) else type(told).__name__
    data = {"kind": kind, "hint": told.hint}
    return messages.error(request.id, messages.REFUSED, told.message, data)


async def _read_line(reader: asyncio.StreamReader, client: Client) -> bytes:
    try:
        return await reader.readline()
    except ConnectionError:
        return b""
    except ValueError:
        told = f"a message is longer than {messages.LONGEST_LINE} bytes"
        client.send(messages.error(None, messages.INVALID_REQUEST, told))
        return b""  # where the next one begins cannot be known


def _same_user(writer: asyncio.StreamWriter) -> bool:
    sock: socket.socket = writer.get_extra_info("socket")
    if hasattr(socket, "SO_PEERCRED"):
        packed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", packed)[1] == os.getuid())
    return True  # macOS: the socket's directory is for its user alone
