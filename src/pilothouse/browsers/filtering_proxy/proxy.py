"""The one way out for browsers with a fence: a proxy on this machine that asks the rules.

Knows: HTTP proxies, and the addresses names turn out to have. Must not know: pages or sessions.
Requests can be stopped on a session, but sockets, early connections and whatever a page invents
beside requests cannot; all of it goes through a proxy, or not at all. A name is looked up here,
once, and the address that was judged is the one that is talked to.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

from pilothouse.browsers.filtering_proxy.http import Head, refusal, request_head, response_head
from pilothouse.errors import BrowserError
from pilothouse.security.ip_addresses import Address, Origin, parse_origin
from pilothouse.security.url_policy import UrlPolicy, Verdict, classify, classify_address
from pilothouse.tasks import Tasks

__all__ = ["FilteringProxy", "Resolve"]

_log = logging.getLogger(__name__)

HEAD_WITHIN_S = 30.0
CONNECT_WITHIN_S = 20.0
PART_WITHIN_S = 5.0
CHUNK = 1 << 16
MOST_CONNECTIONS = 512

Resolve = Callable[[str, int], Awaitable[list[Address]]]


async def _resolve(host: str, port: int) -> list[Address]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


class FilteringProxy:
    """A proxy for one policy. `start` it, give `server` to a browser, `close` it."""

    def __init__(self, fence: UrlPolicy, resolve: Resolve = _resolve) -> None:
        self.fence = fence
        self.refused = 0
        self._resolve = resolve
        self._server: asyncio.Server | None = None
        self._tasks = Tasks()
        self._open = 0

    @property
    def server(self) -> str:
        """What a browser is told."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Take connections. Raises BrowserError if this machine lets us have no port."""
        try:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        except OSError as error:
            raise BrowserError(f"the policies cannot be held: {error.strerror}") from error

    async def close(self) -> None:
        """Let nothing through any more."""
        if self._server is not None:
            self._server.close()
        await self._tasks.close()

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        self._open += 1
        self._tasks.start(self._guarded(reader, writer), "let a connection through")

    async def _guarded(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._let_through(reader, writer)
            await _parted(reader, writer)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            _log.debug("a connection ended: %r", error)
        finally:
            self._open -= 1
            writer.transport.abort()

    async def _let_through(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        async with asyncio.timeout(HEAD_WITHIN_S):
            head = request_head(await reader.readuntil(b"\r\n\r\n"))
        verdict, there = await self._reach(head.url)
        if there is None:
            self.refused += not verdict
            status = 403 if not verdict else 502
            await _say(writer, refusal(status, verdict.reason or "it cannot be reached"))
            return
        out, into = there
        try:
            if head.tunnel:
                await _say(writer, b"HTTP/1.1 200 Connection established\r\n\r\n")
                await _both(_pump(reader, into), _pump(out, writer))
            else:
                into.write(head.origin_form())
                await _both(_body(reader, into, head), _answer(out, writer))
        finally:
            into.transport.abort()

    async def _reach(
        self, url: str
    ) -> tuple[Verdict, tuple[asyncio.StreamReader, asyncio.StreamWriter] | None]:
        """A connection to where an address leads, if the rules let it be."""
        verdict = self._judged(url)
        origin = parse_origin(url.replace("tunnel://", "https://", 1))
        if not verdict or origin is None:
            return verdict, None
        try:
            async with asyncio.timeout(CONNECT_WITHIN_S):
                for address in await self._addresses(origin):
                    verdict = classify_address(origin, address, self.fence, own=_is_own(address))
                    if not verdict:
                        return verdict, None
                    try:
                        made = await asyncio.open_connection(str(address), origin.port)
                    except OSError:
                        continue
                    return verdict, made
        except (OSError, TimeoutError, UnicodeError) as error:
            _log.debug("%s cannot be reached: %r", origin.text, error)
        return verdict, None

    def _judged(self, url: str) -> Verdict:
        """A tunnel does not say what for: it may be any of the schemes that use one."""
        if not url.startswith("tunnel://"):
            return classify(url, self.fence)
        rest = url.removeprefix("tunnel")
        first, second = classify(f"https{rest}", self.fence), classify(f"http{rest}", self.fence)
        return first if first else second

    async def _addresses(self, origin: Origin) -> list[Address]:
        if origin.addresses:
            return [ip_address(origin.host)]
        if origin.host == "localhost" or origin.host.endswith(".localhost"):
            return [ip_address("127.0.0.1"), ip_address("::1")]  # as browsers have it
        return await self._resolve(origin.host, origin.port)


def _is_own(address: Address) -> bool:
    """Whether an address is one of this machine's now: only such can be bound to."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


async def _parted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hang up so that what was said last arrives: who closes with something unread, resets."""
    async with asyncio.timeout(PART_WITHIN_S):
        await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        while await reader.read(CHUNK):
            pass


async def _say(writer: asyncio.StreamWriter, text: bytes) -> None:
    writer.write(text)
    await writer.drain()


async def _both(first: Awaitable[None], second: Awaitable[None]) -> None:
    """Until the second is over: what is asked may end before what is answered."""
    asking = asyncio.ensure_future(first)
    try:
        await second
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def _body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: Head) -> None:
    """The body of one request and not a byte more: what follows may be for somebody else."""
    if head.chunked:
        while True:
            line = await reader.readuntil(b"\r\n")
            writer.write(line)
            size = int(line.partition(b";")[0], 16)
            await _copy(reader, writer, size + 2) if size else writer.write(b"\r\n")
            if not size:
                await writer.drain()
                break
    else:
        await _copy(reader, writer, head.length)
    # Nothing more is read; that the client has gone is seen by whoever writes to it.


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: int) -> None:
    while count > 0:
        data = await reader.read(min(count, CHUNK))
        if not data:
            return
        count -= len(data)
        writer.write(data)
        await writer.drain()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    final = False
    while not final:
        head, final = response_head(await reader.readuntil(b"\r\n\r\n"))
        writer.write(head)
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
