"""Request JSON over HTTP from services the user has configured: a vision model, a search engine.

Knows: HTTP and how such requests fail. Must not know: what is requested. URLs come from the
settings only, never from a page, and redirects are not followed.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pilothouse.errors import ToolError, UsageError, describe_error

__all__ = ["fetch_json", "read_api_key"]

MAX_RESPONSE_BYTES = 8 << 20
ERROR_TEXT_SHOWN = 300


def read_api_key(settings: Mapping[str, Any], section: str) -> str:
    """Return a service's API key from the environment variable that `key_env` names; "" if
    `key_env` is not set. Raises ToolError if the variable is not set."""
    variable = str(settings.get("key_env") or "")
    if not variable:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise ToolError(
            f"{section}.key_env: the environment variable {variable} is not set",
            hint=f"set {variable} and restart the daemon, or change {section}.key_env",
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
    """Get the JSON at a URL; with a `body`, POST it. `what` names the service in errors. `timeout`
    is in seconds. Raises ToolError."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{what}: {url!r} is not a URL", hint="write http://… or https://…")
    import http.client  # imported late: few users have such a service

    try:
        status, response = await asyncio.to_thread(_send, url, body, dict(headers or {}), timeout)
    except (OSError, http.client.HTTPException) as error:
        why = describe_error(error)
        raise ToolError(
            f"{what} at {parts.netloc} cannot be reached: {why}", hint="check that it runs there"
        ) from None
    excerpt = response[:ERROR_TEXT_SHOWN].decode("utf-8", "replace").strip()
    if status >= 400 or status in range(300, 400):
        hints = {
            401: "check the key",
            403: "check the key and its permissions",
            429: "wait a while",
        }
        raise ToolError(
            f"{what} responded with status {status}: {excerpt or 'nothing'}",
            hint=hints.get(status, "check its URL in config.yaml"),
        )
    try:
        return json.loads(response)
    except ValueError:
        raise ToolError(
            f"{what} did not respond with JSON: {excerpt or 'nothing'}",
            hint="check its URL in config.yaml",
        ) from None


def _send(url: str, body: Any, headers: dict[str, str], timeout: float) -> tuple[int, bytes]:
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
        return answer.status, answer.read(MAX_RESPONSE_BYTES)
    finally:
        connection.close()
