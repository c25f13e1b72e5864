"""The few things of ASGI that all parts of the web server use.

Knows: scopes, messages, headers. Must not know: routes.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

__all__ = ["Message", "Receive", "Scope", "Send", "header", "refuse", "with_headers"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


def header(found: Scope | Message, name: bytes) -> str:
    """Return a header of a request or reply as text, or an empty string."""
    for key, value in found.get("headers", ()):
        if key.lower() == name:
            return str(value.decode("latin-1"))
    return ""


def with_headers(send: Send, headers: Iterable[tuple[bytes, bytes]]) -> Send:
    """Return a `send` that adds headers to the reply."""
    added = list(headers)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *added]
        await send(message)

    return sending


async def refuse(send: Send, status: int, words: str) -> None:
    """Reply with an error as JSON."""
    body = json.dumps({"error": words}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
