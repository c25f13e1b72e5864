"""Opens a browser that somebody else runs: connect, and on closing only disconnect."""

from __future__ import annotations

import asyncio
import re

from pilothouse.browsers.endpoint import (
    POLL_EVERY_S,
    Endpoint,
    NotReady,
    discover,
    parse_endpoint,
    unreachable,
    wait_for_endpoint,
)
from pilothouse.browsers.kinds import Connected
from pilothouse.browsers.open_result import Grounds, Opened, Version, ask_version
from pilothouse.cdp import Connection, Receiver, Transport, dial_websocket
from pilothouse.cdp.websocket import WebSocketTimeouts
from pilothouse.errors import BrowserError, CdpError, ConnectionLost
from pilothouse.security.redaction import redact_endpoint

__all__ = ["CONSENT_WITHIN_S", "connect", "no_consent", "open_connected"]

# Every error must be there within 5 s, with some room for a busy machine.
READY_WITHIN_S = 4.2
# A person who is asked whether to allow remote debugging may take so long.
CONSENT_WITHIN_S = 300.0


async def open_connected(kind: Connected, grounds: Grounds) -> Opened:
    """Connect to a running browser. Raises BrowserError."""
    endpoint = parse_endpoint(kind.endpoint)
    consent = CONSENT_WITHIN_S if endpoint.file is not None else 0.0
    connection, version = await connect(endpoint, READY_WITHIN_S, consent)

    async def close(kill: bool) -> None:
        await connection.close()

    return Opened(
        kind, connection, version, close, target=kind.target, goes_on="it was not started by us"
    )


async def connect(
    endpoint: Endpoint, within: float, consent: float = 0.0
) -> tuple[Connection, Version]:
    """A connection that restores itself, asking anew where the browser is. Raises BrowserError.

    A browser that listens but does not answer the handshake asks its user first. It is waited for
    `consent` seconds more, on the same socket: every new one would be another question."""
    loop = asyncio.get_running_loop()
    give_up = loop.time() + within
    # What was said last. A try that the deadline cuts off has learned nothing better.
    last: NotReady | None = None
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
            raise no_consent(redact_endpoint(url)) from None
        except ConnectionLost as error:
            why = _why(endpoint, redact_endpoint(url), error, dial.cause)
            if not isinstance(why, NotReady):
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
                hint="name the browser's own endpoint",
            ) from None
        raise


def no_consent(where: str) -> BrowserError:
    """The error for a browser that listens and lets nobody in."""
    return BrowserError(
        f"{where} gives no answer",
        hint="if Chrome asks whether to allow remote debugging, allow it, then try again",
    )


class _Dial:
    """Dials the known URL first, and whatever is discovered then after a drop."""

    def __init__(self, endpoint: Endpoint, url: str, patience: float) -> None:
        self._endpoint = endpoint
        self._timeouts = WebSocketTimeouts(handshake_s=max(patience, WebSocketTimeouts().handshake_s))
        self._known: str | None = url
        self.cause: BaseException | None = None

    async def __call__(self, receiver: Receiver) -> Transport:
        url, self._known = self._known, None
        try:
            url = url or await discover(self._endpoint)
            return await dial_websocket(url, timeouts=self._timeouts)(receiver)
        except BrowserError as error:
            raise ConnectionLost(error.message, hint=error.hint) from None
        except ConnectionLost as error:
            # The wire's own words hold the whole URL.
            self.cause = error.__cause__
            raise ConnectionLost(
                error.message.replace(url or "", redact_endpoint(url or ""))
            ) from None


def _why(
    endpoint: Endpoint, where: str, lost: ConnectionLost, cause: BaseException | None
) -> BrowserError:
    secure = where.startswith("wss")
    if endpoint.file is not None:
        where = f"{where}, named by {endpoint.file},"
    if isinstance(cause, OSError):
        return unreachable(where, cause, secure=secure)
    if status := re.search(r"\b([45]\d\d)\b", lost.message.replace(where, "")):
        return BrowserError(
            f"{where} refuses the WebSocket with status {status[1]}",
            hint="the browser behind it may be another by now; name its http:// endpoint instead",
        )
    return BrowserError(
        f"{where} opens no WebSocket: {lost.message.replace(where, 'it')}",
        hint="check the address; for TLS use wss://",
    )
