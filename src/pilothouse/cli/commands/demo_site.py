"""A small site on loopback whose page has frames of other sites, for `pilothouse demo`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["demo_site"]

_HARBOUR = """<!doctype html><title>Harbour</title><h1>Harbour</h1>
<p>This page is one site; the frames below are two others, each in a process of its own.</p>
<iframe src="http://localhost:{port}/pilot" title="pilot"></iframe>"""
_PILOT = """<!doctype html><title>Pilot</title><h2>Pilot boat</h2>
<button onclick="log.textContent = confirm('Take the pilot aboard?') ? 'aboard' : 'ashore'">
Call</button><output id="log">waiting</output>
<iframe src="http://chart.localhost:{port}/chart" title="chart"></iframe>"""
_CHART = """<!doctype html><title>Chart</title><p>Depth 7 m.</p>"""
_PAGES = {"/": _HARBOUR, "/pilot": _PILOT, "/chart": _CHART}


@asynccontextmanager
async def demo_site() -> AsyncIterator[str]:
    """Serve the site while the block runs; gives its address."""
    port = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            page = _PAGES.get(request.split(b" ", 2)[1].decode("ascii", "replace"))
            body = (page or "not here").replace("{port}", str(port)).encode()
            status = "200 OK" if page else "404 Not Found"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # the browser opened a spare connection and left
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"http://127.0.0.1:{port}/"
