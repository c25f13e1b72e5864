"""The only way out for browsers with a URL policy: a local proxy that applies it.

CDP can stop requests on a session, but not sockets, preconnects and whatever else a page does
besides requests. All of it goes through a proxy, or not at all. The proxy resolves each host once,
and connects to the address that it judged.

Knows: HTTP proxies, and name resolution. Must not know: pages or sessions.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from pilothouse.asyncio_tasks import Tasks
from pilothouse.errors import BrowserError
from pilothouse.security.hosts_and_ip_addresses import Address, Origin, parse_origin
from pilothouse.security.url_policy import UrlPolicy, Verdict, classify, classify_address

if TYPE_CHECKING:
    from pilothouse.browsers.filtering_proxy.http_exchange import HttpExchange, RequestHead

__all__ = ["FilteringProxy", "Resolve"]

_log = logging.getLogger(__name__)

HEAD_WITHIN_S = 30.0
CONNECT_WITHIN_S = 20.0
CLOSE_WITHIN_S = 5.0
CHUNK = 1 << 16
MAX_CONNECTIONS = 512

Resolve = Callable[[str, int], Awaitable[list[Address]]]


async def _resolve(host: str, port: int) -> list[Address]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


class FilteringProxy:
    """A proxy for one URL policy. Call `start`, pass `server` to a browser, then `close`."""

    def __init__(self, policy: UrlPolicy, resolve: Resolve = _resolve) -> None:
        self.policy = policy
        self.refused = 0
        self._resolve = resolve
        self._server: asyncio.Server | None = None
        self._new_exchange: Callable[[], HttpExchange]
        self._tasks = Tasks()
        self._open = 0

    @property
    def server(self) -> str:
        """The address for the browser."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def start(self) -> None:
        """Listen on a free port. Raises BrowserError if there is none."""
        # Imported late: h11 is slow to import, and most browsers need no proxy.
        from pilothouse.browsers.filtering_proxy.http_exchange import HttpExchange

        self._new_exchange = HttpExchange
        try:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        except OSError as error:
            raise BrowserError(f"the filtering proxy could not start: {error.strerror}") from error

    async def close(self) -> None:
        """Close all connections and stop listening."""
        if self._server is not None:
            self._server.close()
        await self._tasks.close()

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._open >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._open += 1
        self._tasks.start(self._serve_connection(reader, writer), "proxy connection")

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await self._forward(reader, writer)
            await _close_gracefully(reader, writer)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            _log.debug("a connection ended: %r", error)
        finally:
            self._open -= 1
            writer.transport.abort()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchange = self._new_exchange()
        async with asyncio.timeout(HEAD_WITHIN_S):
            head = await _read_head(reader, exchange)
        verdict, streams = await self._connect(head.url)
        if streams is None:
            self.refused += not verdict
            status = 403 if not verdict else 502
            reason = verdict.reason or "the host cannot be reached"
            await _send(writer, exchange.refuse(status, reason))
            return
        out, into = streams
        try:
            if head.tunnel:
                accepted, early = exchange.open_tunnel()
                await _send(writer, accepted)
                into.write(early)
                await _run_until_second_ends(_pump(reader, into), _pump(out, writer))
            else:
                into.write(exchange.open_request())
                await _run_until_second_ends(
                    _copy_request(reader, into, exchange), _copy_response(out, writer, exchange)
                )
        finally:
            into.transport.abort()

    async def _connect(
        self, url: str
    ) -> tuple[Verdict, tuple[asyncio.StreamReader, asyncio.StreamWriter] | None]:
        """Connect to the host of a URL if the policy allows it."""
        verdict = self._classify(url)
        origin = parse_origin(url.replace("tunnel://", "https://", 1))
        if not verdict or origin is None:
            return verdict, None
        try:
            async with asyncio.timeout(CONNECT_WITHIN_S):
                for address in await self._addresses(origin):
                    verdict = classify_address(origin, address, self.policy, own=_is_own(address))
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

    def _classify(self, url: str) -> Verdict:
        """Classify a URL. A tunnel (CONNECT) may be for any scheme, so try https and http."""
        if not url.startswith("tunnel://"):
            return classify(url, self.policy)
        rest = url.removeprefix("tunnel")
        first, second = classify(f"https{rest}", self.policy), classify(f"http{rest}", self.policy)
        return first if first else second

    async def _addresses(self, origin: Origin) -> list[Address]:
        if origin.addresses:
            return [ip_address(origin.host)]
        if origin.host == "localhost" or origin.host.endswith(".localhost"):
            return [ip_address("127.0.0.1"), ip_address("::1")]  # browsers never resolve it
        return await self._resolve(origin.host, origin.port)


def _is_own(address: Address) -> bool:
    """Tell whether an address is one of this machine's: only those can be bound."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


async def _close_gracefully(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Close so that the last bytes arrive: closing with unread data would reset the socket."""
    async with asyncio.timeout(CLOSE_WITHIN_S):
        await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        while await reader.read(CHUNK):
            pass


async def _send(writer: asyncio.StreamWriter, text: bytes) -> None:
    writer.write(text)
    await writer.drain()


async def _run_until_second_ends(
    first: Coroutine[Any, Any, None], second: Coroutine[Any, Any, None]
) -> None:
    """Run both until the second ends: a request may end before its response.

    A request that turns out to be invalid HTTP ends both. A request that cannot be written does
    not: a server may respond and close before it has read all.
    """
    request, response = asyncio.ensure_future(first), asyncio.ensure_future(second)
    try:
        await asyncio.wait((request, response), return_when=asyncio.FIRST_COMPLETED)
        if not response.done() and isinstance(request.exception(), ValueError):
            await request
        await response
    finally:
        request.cancel()
        response.cancel()
        await asyncio.gather(request, response, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def _read_head(reader: asyncio.StreamReader, exchange: HttpExchange) -> RequestHead:
    while (head := exchange.read_head(await reader.read(CHUNK))) is None:
        pass
    return head


async def _copy_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, exchange: HttpExchange
) -> None:
    """Copy the body of one request and no more: what follows may be for another host."""
    await writer.drain()
    while not exchange.request_is_complete:
        await _send(writer, exchange.copy_request(await reader.read(CHUNK)))
    # Read no further. If the client has gone, the write of the response fails.


async def _copy_response(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, exchange: HttpExchange
) -> None:
    while not exchange.response_is_complete:
        data = await reader.read(CHUNK)
        try:
            copied = exchange.copy_response(data)
        except ValueError as error:
            _log.debug("a response ended: %r", error)
            # After its head there is no other way to tell the browser than to close.
            if not exchange.response_has_started:
                await _send(
                    writer, exchange.refuse(502, f"the host sent an invalid response: {error}")
                )
            return
        await _send(writer, copied)
