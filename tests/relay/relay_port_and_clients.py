"""A relay's port with guests that remember, and clients of it made of bare sockets.

Knows: HTTP and frames as far as they are needed, real sockets on loopback. Must not know: what is
asserted.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pilothouse.cdp.websocket.client_codec import TEXT, FrameReader, encode_frame, read_close
from pilothouse.relay.interfaces import (
    ClientSpec,
    Hello,
    HttpRefusal,
    MessageHandler,
    MessageSocket,
)
from pilothouse.relay.server.auth import RequestAuth
from pilothouse.relay.server.client_slots import ClientMode
from pilothouse.relay.server.http_and_websocket_connection import SocketLimits
from pilothouse.relay.server.json_bodies import BrowserFacts
from pilothouse.relay.server.pairing_proofs_and_codes import compute_proof, new_secret
from pilothouse.relay.server.pairing_store import PairingStore
from pilothouse.relay.server.server import RelayServer
from pilothouse.security.relay_tokens import TokenBook

__all__ = ["EXTENSION_ID", "KEY", "WITHIN_S", "Peer", "Port", "Visitor", "opened"]

# The machine may be busy: a wait is bounded, its length is not asserted.
WITHIN_S = 60.0
EXTENSION_ID = "abcdefghijklmnopabcdefghijklmnop"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MOST = 2**30
READ_BYTES = 4 * 1024 * 1024


class Visitor:
    """A guest that remembers what it hears, and sends it back."""

    def __init__(self, who: ClientSpec | Hello, line: MessageSocket) -> None:
        self.who = who
        self.line = line
        self.frames: list[bytes] = []
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def on_message(self, frame: bytes) -> None:
        assert type(frame) is bytes
        assert not self.gone.done()
        self.frames.append(frame)
        self.line.send(frame)

    def on_disconnect(self, reason: str) -> None:
        self.gone.set_result(reason)

    async def went(self) -> str:
        """Why it went, once it has."""
        async with asyncio.timeout(WITHIN_S):
            return await asyncio.shield(self.gone)


Answer = tuple[int, dict[str, str], bytes]


class Peer:
    """A client made of a bare socket, which does only what it is told."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._frames = FrameReader(MOST)
        self._waiting: list[tuple[int, bytes]] = []

    def send(self, payload: bytes, opcode: int = TEXT) -> None:
        """Send one message."""
        self.writer.write(encode_frame(opcode, payload, b"\x37\xfa\x21\x3d"))

    def say(self, method: str, params: Any) -> None:
        """Send one message of the extension's wire."""
        self.send(json.dumps({"method": method, "params": params}).encode())

    async def frame(self) -> tuple[int, bytes]:
        """The next message."""
        async with asyncio.timeout(WITHIN_S):
            while not self._waiting:
                data = await self.reader.read(READ_BYTES)
                if not data:
                    raise ConnectionError("the line is down")
                self._waiting = self._frames.feed(data)
        return self._waiting.pop(0)

    async def text(self) -> bytes:
        """The next message, which is a text."""
        opcode, payload = await self.frame()
        assert opcode == TEXT, (opcode, payload)
        return payload

    async def closed(self) -> tuple[int, str]:
        """The code and reason with which the other side closes; (0, "") if it just hangs up."""
        try:
            while True:
                opcode, payload = await self.frame()
                if opcode == 8:
                    return read_close(payload)
        except ConnectionError:
            return 0, ""

    async def head(self) -> Answer:
        """The head of an answer, and its body if it has one."""
        async with asyncio.timeout(WITHIN_S):
            first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
            headers = dict(line.lower().split(": ", 1) for line in lines)
            status = int(first.split(" ")[1])
            return status, headers, b"" if status == 101 else await self.reader.read()

    def close(self) -> None:
        """Hang up without a word."""
        self.writer.transport.abort()


class Port:
    """One relay's server, all who came, and ways to come."""

    def __init__(self, tmp_path: Path, mode: ClientMode, patience: SocketLimits) -> None:
        self.token = secrets.token_urlsafe(32)
        self.book = TokenBook(self.token)
        self.secret = new_secret()
        self.pairings = PairingStore(tmp_path / "relay" / "pairings.json")
        self.pairings.add("install-1", self.secret)
        self.clients: list[Visitor] = []
        self.extensions: list[Visitor] = []
        self.facts: BrowserFacts | HttpRefusal = {"version": {"product": "Chrome/156.0.1"}}
        # What befalls who wants to join.
        self.on_join: Callable[[ClientSpec, MessageSocket], HttpRefusal | None] = (
            lambda spec, line: None
        )
        self.on_lend: Callable[[Hello], HttpRefusal | None] = lambda hello: None
        self.gate = asyncio.Event()
        self.gate.set()
        # Whether who came is kept, with all it said.
        self.remembers = True
        self.server = RelayServer(
            RequestAuth(lambda: self.book, EXTENSION_ID),
            self._join,
            self._extension,
            self._facts,
            pairings=self.pairings,
            mode=mode,
            limits=patience,
        )
        self._peers: list[Peer] = []

    @property
    def port(self) -> int:
        return self.server.port

    async def _join(self, spec: ClientSpec, line: MessageSocket) -> MessageHandler | HttpRefusal:
        await self.gate.wait()
        refused = self.on_join(spec, line)
        if refused is not None:
            return refused
        return self._visitor(self.clients, spec, line)

    def _extension(self, hello: Hello, line: MessageSocket) -> MessageHandler | HttpRefusal:
        refused = self.on_lend(hello)
        if refused is not None:
            return refused
        return self._visitor(self.extensions, hello, line)

    def _visitor(
        self, kept: list[Visitor], who: ClientSpec | Hello, line: MessageSocket
    ) -> Visitor:
        visitor = Visitor(who, line)
        if self.remembers:
            kept.append(visitor)
        return visitor

    async def _facts(self, spec: ClientSpec) -> BrowserFacts | HttpRefusal:
        return self.facts

    async def connect(self, *, receive_bytes: int = 0, to: int = 0) -> Peer:
        """A bare connection, to the relay or to another port."""
        sock = socket.socket()
        if receive_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", to or self.port))
        self._peers.append(Peer(*await asyncio.open_connection(sock=sock, limit=READ_BYTES)))
        return self._peers[-1]

    def head(self, path: str, *lines: str, host: str = "", method: str = "GET") -> bytes:
        """A request, with its Host."""
        first = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        return "\r\n".join((*first, *lines, "", "")).encode("latin-1")

    def upgrade(self, path: str, *lines: str, host: str = "") -> bytes:
        """The same, asking for a WebSocket."""
        wants = (
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {KEY}",
        )
        return self.head(path, *wants, *lines, host=host)

    @property
    def bearer(self) -> str:
        return f"Authorization: Bearer {self.token}"

    async def ask(self, request: bytes) -> Answer:
        """What is answered to bytes; (0, {}, b"") if nothing is."""
        peer = await self.connect()
        try:
            peer.writer.write(request)
            return await peer.head()
        except (ConnectionError, asyncio.IncompleteReadError):
            return 0, {}, b""
        finally:
            peer.close()

    async def get(self, path: str, *lines: str) -> Any:
        """What a page says to who holds the token."""
        status, _, body = await self.ask(self.head(path, self.bearer, *lines))
        assert status == 200, body
        return json.loads(body)

    async def join(self, query: str = "", *lines: str, receive_bytes: int = 0) -> Peer:
        """A client that was let in."""
        peer = await self.connect(receive_bytes=receive_bytes)
        peer.writer.write(self.upgrade(f"/cdp?{query}", self.bearer, *lines))
        status, _, body = await peer.head()
        assert status == 101, body
        return peer

    async def knock(self, origin: str = f"chrome-extension://{EXTENSION_ID}") -> Peer:
        """An extension that was let ask, and has not been challenged yet."""
        peer = await self.connect()
        peer.writer.write(self.upgrade("/extension", f"Origin: {origin}"))
        status, _, body = await peer.head()
        assert status == 101, body
        return peer

    async def hello(self, peer: Peer, key: str = "", **said: Any) -> None:
        """Hear the challenge, and answer it."""
        challenge = json.loads(await peer.text())
        assert challenge["method"] == "challenge"
        nonce = secrets.token_hex(32)
        theirs = challenge["params"]["nonce"]
        proof = compute_proof(key or self.secret, "extension", self.port, theirs, nonce)
        params: dict[str, Any] = {"install": "install-1", "nonce": nonce, "proof": proof}
        params |= {"wire": 2, "port": self.port, "version": "1"}
        peer.say("hello", {**params, **said})

    async def lend(self, **said: Any) -> Peer:
        """An extension that was welcomed."""
        peer = await self.knock()
        await self.hello(peer, **said)
        assert json.loads(await peer.text())["method"] == "welcome"
        return peer

    async def close(self) -> None:
        """End it all."""
        for peer in self._peers:
            peer.close()
        await self.server.close()


@asynccontextmanager
async def opened(
    tmp_path: Path, mode: ClientMode = "multi-client", **patience: Any
) -> AsyncIterator[Port]:
    """A server on a free port, for as long as the block lasts."""
    port = Port(tmp_path, mode, SocketLimits()._replace(**patience))
    await port.server.start("127.0.0.1", 0)
    try:
        yield port
    finally:
        await port.close()
