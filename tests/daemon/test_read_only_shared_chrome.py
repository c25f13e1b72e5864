"""Where the user allows reading only, agents read and change nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Error, async_playwright

from pilothouse.errors import PilothouseError
from tests.daemon.shared_user_chrome import Lent, is_shared, restricted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# What each verb is tried with under "read only"; the rest of the verbs need nothing.
TRIED: dict[str, dict[str, Any]] = {
    "answer": {"interrupt_id": "i-1", "action": "dismiss"}, "attr": {"target": "p", "name": "id"},
    "box": {"target": "p"}, "check": {"target": "#c"}, "clear": {"target": "#q"},
    "click": {"target": "button"}, "clipboard_write": {"text": "x"}, "count": {"target": "p"},
    "dblclick": {"target": "button"}, "drag": {"source": "p", "destination": "button"},
    "emulate": {"locale": "de-DE"}, "evaluate": {"code": "document.title"},
    "fill": {"target": "#q", "value": "x"}, "focus": {"target": "#q"},
    "goto": {"url": "about:blank"}, "handle_dialog": {"accept": True}, "hover": {"target": "p"},
    "html": {"target": "p"},
    "is_checked": {"target": "#c"}, "is_enabled": {"target": "#q"}, "is_visible": {"target": "p"},
    "key_down": {"key": "a"}, "key_up": {"key": "a"}, "load_state": {"state": {"cookies": []}},
    "press": {"keys": "a"}, "request": {"id": "1"}, "result": {"action_id": "a-1"},
    "route": {"pattern": "*", "action": "abort"}, "save_download": {"id": "1"},
    "scroll": {"dy": 100}, "scroll_into_view": {"target": "p"},
    "select": {"target": "select", "values": ["b"]}, "set_cookies": {"cookies": []},
    "set_storage": {"key": "k", "value": "v"}, "text": {"target": "p"},
    "type": {"target": "#q", "text": "x"}, "uncheck": {"target": "#c"}, "unroute": {},
    "upload": {"target": "#q", "paths": []}, "value": {"target": "#q"},
    "viewport": {"width": 500, "height": 400}, "wait_for": {"text": "Look"},
    "wait_for_response": {"pattern": "*", "timeout": 1},
    "wait_for_url": {"pattern": "**/calm.html"},
}  # fmt: skip
# What they answer, if they read; every other verb is refused or has nothing to do.
READ: dict[str, Any] = {
    "attr": "p", "count": 1, "evaluate": "Calm", "extract": "Look here", "frames": "calm.html",
    "html": '<p id="p">', "images": [], "is_checked": True, "is_enabled": True, "is_visible": True,
    "observe": "calm.html", "pdf": "JVBE", "screenshot": "image/png", "snapshot": "Look here",
    "text": "Look here", "title": "Calm", "url": "calm.html", "value": "abc",
    "wait_for": "frame_id",
    "wait_for_url": "calm.html",
}  # fmt: skip
CALM = """<title>Calm</title><p id=p>Look here</p><input id=q value=abc><button>Go</button>
<input type=checkbox id=c checked><select><option>a<option>b</select><div style="height:3000px">"""


async def test_under_read_only_what_reads_answers_and_nothing_changes(lent: Lent) -> None:
    url = lent.pages.add("/calm.html", CALM)
    eye = await lent.chrome.attach(await lent.chrome.open(url))
    look = "JSON.stringify([document.documentElement.outerHTML, q.value, c.checked, scrollY])"
    line = lent.daemon.home.line("reads")
    await is_shared(lent, url)
    await lent.call(line, "open", browser="extension", target=url)
    panel = await lent.chrome.open_page("settings/settings.html")
    await lent.chrome.evaluate(panel, "chrome.storage.local.set({readOnly: true})")
    await restricted(lent, "readOnly", True)
    try:
        before = await lent.chrome.evaluate(eye, look)
        for verb in await lent.call(line, "verbs"):
            answer, refused = None, ""

            try:
                answer = await lent.call(line, f"tab.{verb}", **TRIED.get(verb, {}))
            except PilothouseError as error:
                refused = error.format_line()
            if verb in READ:
                told = json.dumps(answer, ensure_ascii=False).replace('\\"', '"')
                wanted = READ[verb]
                assert (wanted in told if isinstance(wanted, str) else answer == wanted), (
                    verb, refused, told[:200],
                )  # fmt: skip
            assert await lent.chrome.evaluate(eye, look) == before, f"{verb} changed the page"
        with pytest.raises(PilothouseError, match="the user allows reading only") as clicked:
            await lent.call(line, "tab.click", target="button")
        assert clicked.value.hint == "use a method that only reads"
        with pytest.raises(PilothouseError, match="the user allows reading only"):
            await lent.call(line, "tab.evaluate", code="document.title = 'x'")
        await lent.call(line, "close", all=True)
        await _playwright_reads(lent, url)
        assert await lent.chrome.evaluate(eye, look) == before
    finally:
        await lent.chrome.evaluate(panel, "chrome.storage.local.set({readOnly: false})")
        await restricted(lent, "readOnly", False)


async def _playwright_reads(lent: Lent, url: str) -> None:
    there = lent.daemon.url(browser="extension", attach="lazy", label="reads")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(there)
        page = next(one for one in browser.contexts[0].pages if one.url == url)
        at = page.locator
        assert await page.title() == "Calm"
        assert "Look here" in await page.content()
        assert await at("#p").inner_text() == "Look here"
        assert await at("option").all_inner_texts() == ["a", "b"]
        assert (await at("option").count(), await at("#c").is_checked()) == (2, True)
        assert await at("#q").input_value() == "abc"
        assert "textbox" in await at("body").aria_snapshot()
        await at("button").wait_for()
        for act in (
            at("button").click(timeout=5000),
            at("#q").fill("x", timeout=5000),
            page.evaluate("document.title"),
            page.goto("about:blank"),
            page.reload(),
        ):
            with pytest.raises(Error, match="the user allows reading only"):
                await act
        await browser.close()
