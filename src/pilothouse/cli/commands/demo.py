"""`pilothouse demo`: a dialog in a frame of another site, seen, answered, and what came of it."""

from __future__ import annotations

import argparse
import time
from typing import Any

from rich.console import Console

from pilothouse.browsers import Browsers, Headless
from pilothouse.cli.commands.demo_site import demo_site
from pilothouse.cli.commands.look import open_page, supervised
from pilothouse.cli.output import describe, plain, print_json, progress, show
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.agent_view import pending_dialogs, recent_dialogs

__all__ = ["demo"]

FRAMES_WITHIN_S = 10.0
RESULT_WITHIN_S = 5.0


async def demo(options: argparse.Namespace) -> int:
    """Open the demo site, click in its frame, answer the dialog."""
    console = Console(quiet=options.json)
    async with demo_site() as url, Browsers() as browsers:
        with progress("starting a browser", options.json):
            handle = await browsers.acquire(Headless(args=("--site-per-process",)))
        async with supervised(handle) as supervisor:
            with progress(f"opening {url}", options.json):
                tab = await open_page(supervisor, url)
                pilot = await _frame(supervisor, "/pilot")
                await _frame(supervisor, "/chart")
            found = describe(handle, supervisor, [tab])
            show(found, console)
            told = await _dialog(supervisor, pilot, console)
        if options.json:
            print_json({**found, "dialog": told})
    return 0


async def _frame(supervisor: Supervisor, path: str) -> str:
    """The frame that shows a path, once its document can be evaluated in."""
    frame = await supervisor.wait_for(
        lambda s: next(
            (f for f in s.frames.values() if f.url.endswith(path) and s.context_of(f)), None
        ),
        FRAMES_WITHIN_S,
    )
    return frame.id


async def _dialog(supervisor: Supervisor, frame: str, console: Console) -> dict[str, Any]:
    """Click the button, see what blocks the click, answer it, get the click's own result."""
    click = {"expression": "document.querySelector('button').click()", "awaitPromise": False}
    started = time.monotonic()
    outcome = await supervisor.cdp("Runtime.evaluate", click, frame_id=frame)
    waited = (time.monotonic() - started) * 1000
    (dialog,) = pending_dialogs(supervisor.state)
    console.print(
        f"\nclick      came back after [bold]{waited:.0f} ms[/], blocked by "
        f"{dialog['type']} [yellow]{dialog['id']}[/]: {plain(dialog['message'])}",
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
    console.print(f"page       went on: [green]{plain(said)}[/]")
    return {"blocked_after_ms": round(waited), "closed": closed, "page_said": said}
