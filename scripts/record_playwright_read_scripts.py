"""Write extension/background/read_only_scripts.json:
the scripts that Playwright sends when it only reads a page.

    .venv/bin/python -m scripts.record_playwright_read_scripts

Playwright reads a page through a proxy that records every script it sends. In read-only mode, the
extension lets only scripts with these digests through. Review the texts under `reviewed` before you
commit the file: every listed script may run in the user's pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.async_api import Page, async_playwright, expect
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pilothouse.browsers.launcher.browser_executable import find_browser
from pilothouse.security.read_only_script_hashes import (
    _LIBRARY,
    UTILITY,
    digest,
    find_code_arguments,
)

FILE = Path(__file__).parents[1] / "extension" / "background" / "read_only_scripts.json"
LONGEST_SHOWN = 2000
PAGE = (
    "<title>T</title><h1>Find flights</h1><p>Hello <b>there</b></p><input id=q value=abc>"
    "<button>Search</button><select><option>a<option selected>b</select><ul><li>1<li>2</ul>"
    '<input type=checkbox checked id=c><iframe srcdoc="<p>inner"></iframe>'
)

Read = Callable[[], Awaitable[Any]]


def reads(page: Page) -> Iterator[Read]:
    """Read everything that a client may read of a page."""
    at = page.locator
    yield from (page.title, page.content)
    for one in (at("h1"), at("li").nth(1), at("li").filter(has_text="2"), page.get_by_text("Find")):
        yield from (one.inner_text, one.text_content, one.inner_html, one.is_visible, one.is_hidden)
    field, box = at("#q"), at("#c")
    yield from (field.input_value, field.is_editable, field.is_enabled, field.is_disabled)
    yield lambda: field.get_attribute("id")
    yield from (box.is_checked, at("h1").bounding_box, at("body").aria_snapshot)
    yield from (at("li").count, at("li").all, at("li").all_inner_texts, at("li").all_text_contents)
    yield page.get_by_role("button", name="Search").count
    yield at("h1").wait_for
    yield lambda: at("h9").wait_for(state="hidden")
    yield lambda: at("h9").is_visible()
    yield page.frame_locator("iframe").locator("p").inner_text
    yield lambda: expect(at("h1")).to_have_text("Find flights")
    yield lambda: expect(at("li")).to_have_count(2)
    yield lambda: expect(at("h1")).to_be_visible()
    yield lambda: page.query_selector_all("li")
    yield lambda: _element(page)


async def _element(page: Page) -> None:
    found = await page.query_selector("h1")
    assert found is not None
    await found.inner_text()
    await found.text_content()
    await found.get_attribute("id")
    await found.is_visible()
    await found.bounding_box()


class Recorder:
    """A proxy between Playwright and the browser that records the scripts."""

    def __init__(self, browser: str) -> None:
        self._browser = browser
        self.texts: set[str] = set()

    async def serve(self, client: ServerConnection) -> None:
        """Forward one connection."""
        async with connect(self._browser, max_size=None) as browser:

            async def out() -> None:
                async for frame in client:
                    self._keep(json.loads(frame))
                    await browser.send(frame)

            async def back() -> None:
                async for frame in browser:
                    await client.send(frame)

            # Playwright disconnects when it has read everything.
            with contextlib.suppress(ConnectionClosed):
                await asyncio.gather(out(), back())

    def _keep(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        if message["method"] == "Runtime.evaluate":
            library = _LIBRARY.match(params["expression"])
            self.texts.add(library[1] + library[3] if library else params["expression"])
        elif message["method"] == "Runtime.callFunctionOn":
            assert params["functionDeclaration"] == UTILITY, params["functionDeclaration"]
            arguments = params["arguments"]
            self.texts |= {arguments[3]["value"], *find_code_arguments(arguments[5:])}


async def record(browser: str) -> set[str]:
    """Return the scripts of all reads."""
    recorder = Recorder(browser)
    async with (
        serve(recorder.serve, "127.0.0.1", 0, max_size=None) as server,
        async_playwright() as p,
    ):
        port = server.sockets[0].getsockname()[1]
        connected = await p.chromium.connect_over_cdp(f"ws://127.0.0.1:{port}/")
        page = await connected.contexts[0].new_page()
        await page.goto(f"data:text/html,{quote(PAGE)}")
        for read in reads(page):
            await read()
        await connected.close()
    return recorder.texts


def table(texts: set[str]) -> dict[str, Any]:
    """Return the file: digests, lengths, and short texts for the reviewer."""
    return {
        "playwright": version("playwright"),
        "texts": sorted(digest(text) for text in texts),
        "lengths": sorted({len(text.encode("utf-16-le")) // 2 for text in texts}),
        "reviewed": {
            digest(text): text
            for text in sorted(texts, key=lambda text: (len(text), text))
            if len(text) < LONGEST_SHOWN
        },
    }


def main() -> None:
    """Start a browser, read a page with Playwright, and write the file."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(find_browser()), "--headless=new", "--no-sandbox", "about:blank"]
        options = ["--remote-debugging-port=0", f"--user-data-dir={profile}"]
        process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            found = (re.search(r"ws://\S+", line) for line in process.stderr)
            browser = next(one[0] for one in found if one)
            texts = asyncio.run(record(browser))
        finally:
            process.kill()
            process.wait()
    FILE.write_text(json.dumps(table(texts), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
