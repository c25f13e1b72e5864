"""Requests to the daemon's web server, by hand: bytes out, status and body back.

Knows: HTTP as far as it is needed. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

__all__ = ["Site", "raw"]

ANSWERS_WITHIN_S = 60.0


async def raw(port: int, data: bytes, *, end: bool = True) -> bytes:
    """Send bytes, and read whatever comes back until the other side is done."""
    async with asyncio.timeout(ANSWERS_WITHIN_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(data)
            if end:
                writer.write_eof()
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


class Site:
    """One web server, and the token for it."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token

    async def request(
        self, method: str = "POST", path: str = "/mcp", body: Any = None, **changed: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request with the right headers, some of them changed or (None) left out."""
        data = b"" if body is None else json.dumps(body).encode()
        headers: dict[str, str | None] = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(data)),
            "Connection": "close",
            **{name.replace("_", "-"): value for name, value in changed.items()},
        }
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        sent = "\r\n".join((*lines, "", "")).encode("latin-1") + data
        head, _, rest = (await raw(self.port, sent, end=False)).partition(b"\r\n\r\n")
        first, *more = head.decode("latin-1").split("\r\n")
        pairs = [line.split(": ", 1) for line in more if ": " in line]
        found = {name.lower(): value for name, value in pairs}
        return int(first.split(" ")[1]) if first else 0, found, rest

    async def greet(self, **changed: str | None) -> tuple[int, dict[str, str], bytes]:
        """Begin a session."""
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        }
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        return await self.request("POST", "/mcp", body, **changed)
