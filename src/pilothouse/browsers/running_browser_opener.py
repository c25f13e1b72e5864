"""Opens a browser that is already running: connects, and on close only disconnects."""

from __future__ import annotations

import asyncio
import re

from pilothouse.browsers.endpoint import (
    POLL_EVERY_S,
    Endpoint,
    EndpointNotReady,
    discover,
    parse_endpoint,
    unreachable_error,
    wait_for_endpoint,
)
from pilothouse.browsers.kinds import ConnectedKind
from pilothouse.browsers.opener_interface import (
    BrowserVersion,
    OpenedBrowser,
    OpenerContext,
    ask_version,
)
from pilothouse.cdp import Connection, Receiver, Transport, dial_websocket
from pilothouse.cdp.websocket import WebSocketTimeouts
from pilothouse.errors import BrowserError, CdpError, ConnectionLost
from pilothouse.security.redaction import redact_endpoint

__all__ = ["CONSENT_WITHIN_S", "connect", "consent_error", "open_connected"]

# Errors must come within 5 s; this leaves some room for a busy machine.
READY_WITHIN_S = 4.2
# How long the user may take to allow remote debugging in Chrome's prompt.
CONSENT_WITHIN_S = 300.0


async def open_connected(kind: ConnectedKind, context: OpenerContext) -> OpenedBrowser:
    """Connect to a running browser. Raises BrowserError."""
    endpoint = parse_endpoint(kind.endpoint)
    consent = CONSENT_WITHIN_S if endpoint.file is not None else 0.0
    connection, version = await connect(endpoint, READY_WITHIN_S, consent)

    async def close(kill: bool) -> None:
        await connection.close()

    return OpenedBrowser(
        kind,
        connection,
        version,
        close,
        target=kind.target,
        why_not_killed="Pilothouse did not start it",
    )


async def connect(
    endpoint: Endpoint, within: float, consent: float = 0.0
) -> tuple[Connection, BrowserVersion]:
    """Open a connection that reconnects by itself, discovering the endpoint again each time.

    A browser that accepts the socket but does not answer the handshake is asking its user for
    consent. Wait `consent` more seconds on the same socket, because each new socket would prompt
    again. Raises BrowserError.
    """
    loop = asyncio.get_running_loop()
    give_up = loop.time() + within
    # The last error. An attempt that the deadline cuts off knows nothing better.
    last: EndpointNotReady | None = None
    while True:
        url = await wait_for_endpoint(endpoint, give_up - loop.time(), last)
        dial = _Dial(endpoint, url, within + consent)
        try:
            async with asyncio.timeout_at(give_up + consent):
                connection = await Connection.open(dial, reconnects=True, name=str(endpoint))
            break
        except TimeoutError:
            if last is not None:
                raise last.final() from None
            raise consent_error(redact_endpoint(url)) from None
        except ConnectionLost as error:
            why = _connect_error(endpoint, redact_endpoint(url), error, dial.cause)
            if not isinstance(why, EndpointNotReady):
                raise why from None
            if loop.time() + POLL_EVERY_S > give_up:
                raise why.final() from None
            last = why
            await asyncio.sleep(POLL_EVERY_S)
    try:
        left = within if consent else give_up - loop.time()
        return connection, await ask_version(connection, max(left, 0.1))
    except BaseException as error:
        await connection.close()
        if isinstance(error, CdpError):
            raise BrowserError(
                f"{redact_endpoint(url)} opens a WebSocket but does not speak CDP: {error.message}",
                hint="give the endpoint of the browser itself",
                untrusted=("message",),
            ) from None
        raise


def consent_error(where: str) -> BrowserError:
    """Make the error for a browser that listens but does not complete the handshake."""
    return BrowserError(
        f"{where} does not answer",
        hint="if Chrome asks whether to allow remote debugging, allow it, then try again",
    )


class _Dial:
    """Connects to the known URL first, and to a newly discovered one after each drop."""

    def __init__(self, endpoint: Endpoint, url: str, handshake_s: float) -> None:
        self._endpoint = endpoint
        self._timeouts = WebSocketTimeouts(
            handshake_s=max(handshake_s, WebSocketTimeouts().handshake_s)
        )
        self._known: str | None = url
        self.cause: BaseException | None = None

    async def __call__(self, receiver: Receiver) -> Transport:
        url, self._known = self._known, None
        try:
            url = url or await discover(self._endpoint)
            return await dial_websocket(url, timeouts=self._timeouts)(receiver)
        except BrowserError as error:
            raise error.as_kind(ConnectionLost) from None
        except ConnectionLost as error:
            # The message contains the whole URL, which may hold a token.
            self.cause = error.__cause__
            raise ConnectionLost(
                error.message.replace(url or "", redact_endpoint(url or ""))
            ) from None


def _connect_error(
    endpoint: Endpoint, where: str, lost: ConnectionLost, cause: BaseException | None
) -> BrowserError:
    secure = where.startswith("wss")
    if endpoint.file is not None:
        where = f"{where}, named by {endpoint.file},"
    if isinstance(cause, OSError):
        return unreachable_error(where, cause, secure=secure)
    if status := re.search(r"\b([45]\d\d)\b", lost.message.replace(where, "")):
        return BrowserError(
            f"{where} refuses the WebSocket with status {status[1]}",
            hint="the browser may have restarted; give its http:// endpoint instead",
        )
    return BrowserError(
        f"{where} does not open a WebSocket: {lost.message.replace(where, 'it')}",
        hint="check the address; for TLS use wss://",
        untrusted=("message",),
    )
