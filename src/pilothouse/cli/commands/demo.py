"""`pilothouse demo`: detect and answer a dialog in a cross-site frame of a local demo site."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from rich.console import Console

from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.cli.commands.look import open_page, supervise
from pilothouse.cli.output import (
    describe_browser,
    escape_page_text,
    print_json,
    show_browser,
    spinner,
)
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.agent_view import pending_dialogs, recent_dialogs

__all__ = ["demo"]

FRAMES_WITHIN_S = 10.0
RESULT_WITHIN_S = 5.0


async def demo(options: argparse.Namespace) -> int:
    """Open the demo site, click in its frame, answer the dialog."""
    console = Console(quiet=options.json)
    async with _serve_demo_site() as url, Browsers() as browsers:
        with spinner("starting a browser", options.json):
            handle = await browsers.acquire(HeadlessKind(args=("--site-per-process",)))
        async with supervise(handle) as supervisor:
            with spinner(f"opening {url}", options.json):
                tab = await open_page(supervisor, url)
                pilot = await _frame(supervisor, "/pilot")
                await _frame(supervisor, "/chart")
            found = describe_browser(handle, supervisor, [tab])
            show_browser(found, console)
            told = await _dialog(supervisor, pilot, console)
        if options.json:
            print_json({**found, "dialog": told})
    return 0


async def _frame(supervisor: Supervisor, path: str) -> str:
    """Wait for the frame with this path and its execution context; return its id."""
    frame = await supervisor.wait_for(
        lambda s: next(
            (f for f in s.frames.values() if f.url.endswith(path) and s.context_of(f)), None
        ),
        FRAMES_WITHIN_S,
    )
    return frame.id


async def _dialog(supervisor: Supervisor, frame: str, console: Console) -> dict[str, Any]:
    """Click the button, print the dialog that blocks the click, answer it, get the click's
    result."""
    click = {"expression": "document.querySelector('button').click()", "awaitPromise": False}
    started = time.monotonic()
    outcome = await supervisor.cdp("Runtime.evaluate", click, frame_id=frame)
    waited = (time.monotonic() - started) * 1000
    (dialog,) = pending_dialogs(supervisor.state)
    console.print(
        f"\nclick      came back after [bold]{waited:.0f} ms[/], blocked by "
        f"{dialog['type']} [yellow]{dialog['id']}[/]: {escape_page_text(dialog['message'])}",
        soft_wrap=True,
    )
    await supervisor.answer(accept=True)
    await supervisor.actions.result(outcome.action_id, RESULT_WITHIN_S)
    log = {"expression": "document.querySelector('output').textContent", "returnByValue": True}
    read = await supervisor.cdp("Runtime.evaluate", log, frame_id=frame)
    said = (read.value or {})["result"]["value"]
    (closed,) = recent_dialogs(supervisor.state, clock=supervisor.clock)
    console.print(
        f"answered   accept, closed by {closed['closed_by']}; the page got {closed['page_got']}"
    )
    console.print(f"page       went on: [green]{escape_page_text(said)}[/]")
    return {"blocked_after_ms": round(waited), "closed": closed, "page_said": said}


# The demo site: one page with frames of two other sites, on loopback.

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
async def _serve_demo_site() -> AsyncIterator[str]:
    """Serve the demo site while the block runs; yield its URL."""
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
