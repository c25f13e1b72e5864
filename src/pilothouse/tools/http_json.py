"""JSON over HTTP, for services that the user has set up: a model that sees, a search engine.

Knows: HTTP and how such calls fail. Must not know: what is asked. Nothing here goes where a page
says: addresses come from the settings alone, and redirects are not followed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pilothouse.errors import ToolError, words_of

__all__ = ["fetch_json", "key_from"]

LARGEST_ANSWER = 8 << 20
TOLD = 300


def key_from(settings: Mapping[str, Any], section: str) -> str:
    """The key that a service wants, from the variable that `key_env` names; "" if it names none.
    Raises ToolError if that is not set."""
    variable = str(settings.get("key_env") or "")
    if not variable:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise ToolError(
            f"{section}: the variable {variable} is not set",
            hint=f"set {variable} where the daemon is started, or change {section}.key_env",
        )
    return key


async def fetch_json(
    url: str,
    *,
    what: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = 60.0,
) -> Any:
    """The JSON at an address; with a `body` it is posted. Raises ToolError that says what failed.
    `what` names the service in errors."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ToolError(f"{what}: {url!r} is no address", hint="http://… or https://…")
    import http.client  # few have such a service

    try:
        status, told = await asyncio.to_thread(_ask, url, body, dict(headers or {}), timeout)
    except (OSError, http.client.HTTPException) as error:
        why = words_of(error)
        raise ToolError(
            f"{what} at {parts.netloc} cannot be reached: {why}", hint="is it running there?"
        ) from None
    said = told[:TOLD].decode("utf-8", "replace").strip()
    if status >= 400 or status in range(300, 400):
        hints = {401: "check the key", 403: "check the key, or what it allows", 429: "wait a while"}
        raise ToolError(
            f"{what} answered {status}: {said or 'nothing'}",
            hint=hints.get(status, "check its address in the settings"),
        )
    try:
        return json.loads(told)
    except ValueError:
        raise ToolError(
            f"{what} did not answer with JSON: {said or 'nothing'}",
            hint="check its address in the settings",
        ) from None


def _ask(url: str, body: Any, headers: dict[str, str], timeout: float) -> tuple[int, bytes]:
    import http.client
    import ssl

    parts = urlsplit(url)
    assert parts.hostname is not None
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=timeout, context=context
        )
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {"Accept": "application/json", **headers}
    try:
        if body is None:
            connection.request("GET", path, headers=sent)
        else:
            data = json.dumps(body).encode()
            connection.request(
                "POST", path, body=data, headers={"Content-Type": "application/json", **sent}
            )
        answer = connection.getresponse()
        return answer.status, answer.read(LARGEST_ANSWER)
    finally:
        connection.close()
