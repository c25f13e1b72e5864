"""Finds the WebSocket URL of a browser from what the user named.

Knows: URLs, `/json/version`, DevToolsActivePort files, and how each can be wrong. Must not know:
connections. Query strings and passwords never appear in errors, because they may be tokens.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec

from pilothouse.errors import BrowserError, describe_error
from pilothouse.security.redaction import redact_endpoint

__all__ = [
    "HOW_TO_ENABLE",
    "PORT_FILE",
    "Endpoint",
    "EndpointNotReady",
    "discover",
    "may_ask_consent",
    "parse_endpoint",
    "rewrite_debugger_url",
    "unreachable_error",
    "wait_for_endpoint",
]

POLL_EVERY_S = 0.15
_REPLY_WITHIN_S = 2.0
PORT_FILE = "DevToolsActivePort"
_FORMS = (
    "give http://HOST:PORT, ws://HOST:PORT/devtools/browser/ID, a port, a DevToolsActivePort file"
    " or a user-data-dir"
)
HOW_TO_ENABLE = (
    "start Chrome with --remote-debugging-port=0 and its own --user-data-dir, or enable"
    " remote debugging at chrome://inspect/#remote-debugging"
)


class EndpointNotReady(BrowserError):
    """Nothing answers yet, but it may in a moment. Does not leave this package: whoever waited long
    enough raises `final()`."""

    def final(self) -> BrowserError:
        """Return it as an error for the caller."""
        return self.as_kind(BrowserError)


class Endpoint(msgspec.Struct, frozen=True):
    """A URL (`http`, `https`, `ws`, `wss`), or a DevToolsActivePort file."""

    url: str = ""
    file: Path | None = None

    def __str__(self) -> str:
        return str(self.file) if self.file else redact_endpoint(self.url)


def parse_endpoint(text: str) -> Endpoint:
    """Parse an endpoint. Raises BrowserError if it is not one."""
    named = text.strip()
    if named.isdigit():
        return Endpoint(_validate_url(f"http://127.0.0.1:{named}"))
    if re.match(r"[a-z][a-z0-9+.-]*://", named, re.IGNORECASE):
        return Endpoint(_validate_url(named))
    if named.startswith(("/", "~", "./", "../")):
        place = Path(named).expanduser()
        return Endpoint(file=place / PORT_FILE if place.is_dir() else place)
    if re.fullmatch(r"(\[[0-9a-fA-F:]+\]|[\w.-]+):\d+", named):
        return Endpoint(_validate_url(f"http://{named}"))
    raise BrowserError(f"{redact_endpoint(named)!r} is not a browser endpoint", hint=_FORMS)


def may_ask_consent(named: str) -> bool:
    """Tell whether the browser may ask its user for consent, for every connection.

    Only browsers named by their profile do: a Chrome whose user enabled remote debugging by hand
    publishes its endpoint nowhere else.
    """
    try:
        return parse_endpoint(named).file is not None
    except BrowserError:
        return False


async def discover(endpoint: Endpoint) -> str:
    """Find the WebSocket URL, in one attempt. Raises EndpointNotReady or BrowserError."""
    if endpoint.file is not None:
        return _read_port_file(endpoint.file)
    if endpoint.url.startswith("ws"):
        return endpoint.url
    return await asyncio.to_thread(_request_version, endpoint)


async def wait_for_endpoint(
    endpoint: Endpoint, within: float, last: EndpointNotReady | None = None
) -> str:
    """Retry `discover` until it succeeds. Raises the last error when the time is up."""
    last = last or EndpointNotReady(f"{endpoint} did not answer within {within:g} s", hint=_FORMS)
    try:
        async with asyncio.timeout(within):
            while True:
                try:
                    return await discover(endpoint)
                except EndpointNotReady as error:
                    last = error
                await asyncio.sleep(POLL_EVERY_S)
    except TimeoutError:
        raise last.final() from None


def rewrite_debugger_url(debugger_url: str, asked: SplitResult) -> str:
    """Return the WebSocket URL as we can reach it.

    A browser behind a tunnel or in a container reports its own loopback address, which is not ours.
    """
    said = urlsplit(debugger_url)
    if _is_loopback(said.hostname) and not _is_loopback(asked.hostname):
        scheme = "wss" if asked.scheme == "https" else "ws"
        place = asked.netloc.rpartition("@")[2]
        return urlunsplit((scheme, place, said.path, said.query or asked.query, ""))
    return debugger_url


def _validate_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BrowserError(f"{redact_endpoint(url)!r} is malformed: {error}", hint=_FORMS) from None
    if parts.scheme.lower() not in ("http", "https", "ws", "wss"):
        raise BrowserError(
            f"{redact_endpoint(url)!r}: {parts.scheme}:// is not supported", hint=_FORMS
        )
    if not parts.hostname or port == 0 or re.search(r"[\s<>\"\\^`{|}]", url):
        raise BrowserError(f"{redact_endpoint(url)!r} is malformed", hint=_FORMS)
    return urlunsplit(parts._replace(scheme=parts.scheme.lower()))


def _read_port_file(place: Path) -> str:
    try:
        lines = place.read_text().splitlines()
    except FileNotFoundError:
        if place.parent.is_dir() and place.name == PORT_FILE:
            raise EndpointNotReady(
                f"no browser with remote debugging uses the profile folder {place.parent}",
                hint=HOW_TO_ENABLE,
            ) from None
        raise BrowserError(f"{place} does not exist", hint=_FORMS) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BrowserError(
            f"{place} cannot be read: {describe_error(error)}", hint=_FORMS
        ) from None
    if not lines and place.name == PORT_FILE:
        raise EndpointNotReady(f"{place} is still empty", hint=HOW_TO_ENABLE)
    if len(lines) < 2 or not lines[0].isdigit() or not lines[1].startswith("/"):
        raise BrowserError(f"{place} is not a DevToolsActivePort file", hint=_FORMS)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"


def _request_version(endpoint: Endpoint) -> str:
    asked = urlsplit(endpoint.url)
    status, body = _get(endpoint, asked)
    if status == 500 and b"Host header" in body:
        raise BrowserError(
            f"{endpoint}: Chrome refuses the host name {asked.hostname!r}",
            hint="use the IP address of the host, or localhost",
        )
    if status != 200:
        raise BrowserError(
            f"{endpoint} is not a debugging endpoint: it returns {status} for /json/version",
            hint="check the port; if it was enabled at chrome://inspect, give the user-data-dir",
        )
    try:
        said: Any = json.loads(body)
    except ValueError:
        raise BrowserError(
            f"{endpoint} is not a debugging endpoint: its reply is not JSON", hint="check the port"
        ) from None
    url = said.get("webSocketDebuggerUrl") if isinstance(said, dict) else None
    if not isinstance(url, str) or not url.startswith(("ws://", "wss://")):
        raise BrowserError(
            f"{endpoint} is not a browser: its reply has no webSocketDebuggerUrl",
            hint="check the port; Node.js and other programs have endpoints of their own",
        )
    return rewrite_debugger_url(url, asked)


def _get(endpoint: Endpoint, asked: SplitResult) -> tuple[int, bytes]:
    """Request /json/version without a proxy: those of the environment are for the web."""
    import http.client  # late: browsers that we launch have no endpoint

    secure = asked.scheme == "https"
    made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    assert asked.hostname is not None
    connection = made(asked.hostname, asked.port, timeout=_REPLY_WITHIN_S)
    path = asked.path.rstrip("/")
    if not path.endswith("/json/version"):
        path += "/json/version"
    try:
        connection.request("GET", path + (f"?{asked.query}" if asked.query else ""))
        response = connection.getresponse()
        return response.status, response.read(1_000_000)
    except (OSError, http.client.HTTPException) as error:
        raise unreachable_error(str(endpoint), error, secure=secure) from None
    finally:
        connection.close()


def unreachable_error(where: str, error: BaseException, *, secure: bool) -> BrowserError:
    """Make the error for a failed connection; EndpointNotReady if a retry may succeed."""
    import http.client

    match error:
        case ssl.SSLCertVerificationError():
            return BrowserError(
                f"{where}: its certificate is not trusted: {error.verify_message}",
                hint="use a certificate this machine trusts",
            )
        case ssl.SSLError():
            return BrowserError(
                f"{where}: the TLS handshake failed: {error.reason or error}",
                hint="if the port has no TLS, use http:// or ws://",
            )
        case ConnectionRefusedError():
            return EndpointNotReady(
                f"{where} refuses the connection: nothing listens", hint=HOW_TO_ENABLE
            )
        case socket.gaierror():
            return BrowserError(f"{where}: the host name is unknown", hint="check the host name")
        case TimeoutError():
            return EndpointNotReady(f"{where} does not answer", hint="check host and port")
        case http.client.HTTPException() | ConnectionResetError() if not secure:
            return BrowserError(
                f"{where} does not speak HTTP",
                hint="if the port speaks TLS, use https:// or wss://",
            )
    return EndpointNotReady(f"{where}: {describe_error(error)}", hint="check host and port")


def _is_loopback(host: str | None) -> bool:
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
