"""The RPC server: a Unix socket that only the daemon's user can open, with many clients.

Knows: lines, clients, write queues. Must not know: what methods do. No client can delay another:
each call is a task, and a client that stops reading its replies is dropped.
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

from pilothouse.asyncio_tasks import Tasks, is_own_cancellation
from pilothouse.daemon.rpc import messages
from pilothouse.daemon.rpc.messages import RpcRequest
from pilothouse.errors import PilothouseError, explain

__all__ = ["RpcClient", "RpcServer"]

_log = logging.getLogger(__name__)

UNREAD_BYTES = 64 * 1024 * 1024
UNREAD_S = 30.0
PROGRESS_BYTES = 64 * 1024
# No sane client has so many calls in flight; one that does ignores its replies.
CALLS_AT_ONCE = 256
FLUSH_S = 0.5

CallKey = int | str | tuple[str, int]
RequestHandler = Callable[["RpcClient", RpcRequest], Awaitable[Any]]


class RpcClient:
    """One connection. `owner` is set by the method `hello`."""

    def __init__(
        self,
        number: int,
        writer: asyncio.StreamWriter,
        count_bytes: Callable[[int], object] = lambda size: None,
    ) -> None:
        self.number = number
        self._count_bytes = count_bytes
        self.owner = ""
        self._writer = writer
        self._stuck_since = 0.0
        # Receives every later line, once the connection has switched to MCP.
        self.line_handler: Callable[[bytes], Awaitable[None]] | None = None
        # Keyed by the call's id. Notifications have none, so they get ("notice", number).
        self.running: dict[CallKey, asyncio.Task[None]] = {}

    def send(self, line: bytes) -> bool:
        """Queue a line. Returns False if the client does not read and was dropped."""
        transport = self._writer.transport
        if transport.is_closing():
            return False
        unread = transport.get_write_buffer_size()
        now = asyncio.get_running_loop().time()
        if not unread:
            self._stuck_since = now
        if unread + len(line) > UNREAD_BYTES or (unread and now - self._stuck_since > UNREAD_S):
            _log.warning("dropped client %d: %d bytes unread", self.number, unread)
            self.drop()
            return False
        self._writer.write(line)
        self._count_bytes(len(line))
        return True

    def drop(self) -> None:
        """Abort the connection at once."""
        self._writer.transport.abort()

    def hang_up(self) -> None:
        """Close the connection after the queued lines are sent."""
        self._writer.close()

    def progress(self, number: int | str | None, text: str, **more: Any) -> None:
        """Send progress of a call, unless the client is behind with reading."""
        if self._writer.transport.get_write_buffer_size() > PROGRESS_BYTES:
            return
        self.send(messages.notice("progress", {"id": number, "text": text, **more}))


class RpcServer:
    """Listens on a Unix socket and passes each request to `answer`."""

    def __init__(
        self,
        answer: RequestHandler,
        on_disconnect: Callable[[RpcClient], Awaitable[None]],
        count_bytes: Callable[[int], object] = lambda size: None,
    ) -> None:
        # Called with the size of each message, in and out.
        self._count_bytes = count_bytes
        self._handler = answer
        self._on_disconnect = on_disconnect
        self._server: asyncio.AbstractServer | None = None
        self._path: Path | None = None
        self._tasks = Tasks()
        self._serving = Tasks()
        self._serving_now: set[asyncio.Task[None]] = set()
        self._count = 0
        self._unnamed = 0
        self.clients: set[RpcClient] = set()

    async def start(self, path: Path) -> None:
        """Listen on a socket at `path` that only this user may open."""
        mask = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(
                self._accept,
                path=str(path),
                limit=messages.LONGEST_LINE,
            )
        finally:
            os.umask(mask)
        self._path = path

    def stop_listening(self) -> None:
        """Remove the socket, so that new clients start another daemon. Running calls go on."""
        if self._server is not None and self._path is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
            self._server = self._path = None

    async def close(self) -> None:
        """Stop listening, cancel running calls and close all connections."""
        self.stop_listening()
        await self._tasks.close()
        for client in list(self.clients):
            client.hang_up()
        # A client that does not read its last replies must not keep the daemon running.
        if self._serving_now:
            await asyncio.wait(self._serving_now, timeout=FLUSH_S)
        await self._serving.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._serving.start(self._serve(reader, writer), "serve a client")
        self._serving_now.add(task)
        task.add_done_callback(self._serving_now.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None or not _same_user(writer):  # None: stopped while it connected
            writer.transport.abort()
            return
        self._count += 1
        client = RpcClient(self._count, writer, self._count_bytes)
        self.clients.add(client)
        try:
            while line := await _read_line(reader, client):
                self._count_bytes(len(line))
                if client.line_handler is not None:
                    await client.line_handler(line)
                else:
                    self._handle_line(client, line)
        finally:
            self.clients.discard(client)
            for task in list(client.running.values()):
                task.cancel()
            writer.close()
            await self._on_disconnect(client)

    def _handle_line(self, client: RpcClient, line: bytes) -> None:
        if not line.strip():
            return
        request = messages.parse(line)
        if isinstance(request, bytes):
            client.send(request)
        elif request.method == "cancel":
            self._cancel(client, request)
        elif request.id is not None and request.id in client.running:
            message = f"id: {request.id!r} is already used by a running call"
            client.send(messages.error(request.id, messages.INVALID_REQUEST, message))
        elif len(client.running) >= CALLS_AT_ONCE:
            message = f"{CALLS_AT_ONCE} calls are already running"
            client.send(messages.error(request.id, messages.REFUSED, message))
        else:
            self._unnamed += 1
            key: CallKey = ("notice", self._unnamed) if request.id is None else request.id
            task = self._tasks.start(self._run_call(client, request), f"call {request.method}")
            client.running[key] = task
            task.add_done_callback(lambda done: self._on_call_done(client, request, key, done))

    def _on_call_done(
        self, client: RpcClient, request: RpcRequest, key: CallKey, task: asyncio.Task[None]
    ) -> None:
        client.running.pop(key, None)
        if request.id is None:
            return
        # Not inside the task: a task that is cancelled before its first step never runs.
        if task.cancelled():
            message, data = "cancelled", {"kind": "Cancelled", "hint": ""}
            if self._server is None:  # not cancelled by the client: the daemon is stopping
                message = "the daemon stopped during the call"
                data = {"kind": "Gone", "hint": "call again: a new daemon starts automatically"}
            client.send(messages.error(request.id, messages.REFUSED, message, data))
        elif (error := task.exception()) is not None:  # encoding the reply failed
            message = f"{request.method}: the reply could not be sent"
            data = {"kind": type(error).__name__, "hint": "request less data at once"}
            client.send(messages.error(request.id, messages.INTERNAL, message, data))

    def _cancel(self, client: RpcClient, request: RpcRequest) -> None:
        wanted = request.params.get("id")
        running = client.running.get(wanted) if isinstance(wanted, int | str) else None
        if running is not None:
            running.cancel()
        if request.id is not None:
            client.send(messages.result(request.id, {"cancelled": running is not None}))

    async def _run_call(self, client: RpcClient, request: RpcRequest) -> None:
        try:
            answer = messages.result(request.id, await self._handler(client, request))
        except asyncio.CancelledError as error:
            # A CancelledError from inside the method is a failure, and needs a reply.
            if is_own_cancellation():
                raise
            answer = _error_reply(request, error)
        except (PilothouseError, TimeoutError) as error:
            answer = _error_reply(request, error)
        except Exception as error:  # noqa: BLE001
            # Last resort: a bug in one method must not end the daemon.
            _log.exception("%s failed", request.method)
            message = explain(error, request.method)
            data = {"kind": type(message).__name__, "hint": message.hint}
            answer = messages.error(request.id, messages.INTERNAL, message.message, data)
        if request.id is not None:
            client.send(answer)


def _error_reply(request: RpcRequest, error: BaseException) -> bytes:
    message = explain(error, request.method)
    kind = "TimeoutError" if isinstance(error, TimeoutError) else type(message).__name__
    data: dict[str, Any] = {"kind": kind, "hint": message.hint}
    if message.hints:
        data["hints"] = message.hints
    return messages.error(request.id, messages.REFUSED, message.message, data)


async def _read_line(reader: asyncio.StreamReader, client: RpcClient) -> bytes:
    try:
        return await reader.readline()
    except ConnectionError:
        return b""
    except ValueError:
        message = f"a message is longer than {messages.LONGEST_LINE} bytes"
        client.send(messages.error(None, messages.INVALID_REQUEST, message))
        return b""  # the start of the next line is unknown, so the connection ends


def _same_user(writer: asyncio.StreamWriter) -> bool:
    sock: socket.socket = writer.get_extra_info("socket")
    if hasattr(socket, "SO_PEERCRED"):
        packed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", packed)[1] == os.getuid())
    return True  # macOS: only this user can open the socket's directory
