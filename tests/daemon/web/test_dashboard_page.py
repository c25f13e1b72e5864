"""The dashboard's page in a real browser: what it shows, what a person can do there, and that words
of web pages stay words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>\"'`${1}&lt;b&gt;"


class Watched:
    """An agent and the page of a person who watches it."""

    def __init__(self, line: DaemonClient, page: Page, link: str) -> None:
        self.line = line
        self.page = page
        self.link = link
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    async def call(self, method: str, **params: Any) -> Any:
        return await asyncio.to_thread(lambda: self.line.call(method, **params))


@asynccontextmanager
async def watched(home: Home, chromium: Path, **more: Any) -> AsyncIterator[Watched]:
    line = await asyncio.to_thread(DaemonClient, "agent", paths=home.paths, start=False)
    made = await asyncio.to_thread(lambda: line.call("dashboard", port=0))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(chromium), args=["--no-sandbox"]
        )
        context = await browser.new_context(**more)
        page = await context.new_page()
        scene = Watched(line, page, made["url"])
        try:
            await page.goto(made["url"])
            await page.wait_for_selector(".live.on")
            yield scene
            assert scene.problems == []
        finally:
            await browser.close()
            await asyncio.to_thread(lambda: line.call("close", all=True))
            await asyncio.to_thread(lambda: line.call("dashboard", revoke=True))
            line.close()


async def test_a_person_sees_tabs_calls_and_dialogs_as_they_come_and_answers_one(
    lived_in: Home, served: Pages, chromium_path: Path
) -> None:
    words = "name = prompt('Your name?', 'Ann'); document.title = name"
    served.add("/ask.html", f'<title>Ask</title><button onclick="{words}">Go</button>')
    async with watched(lived_in, chromium_path) as scene:
        page = scene.page
        await scene.call("open", url=served.url("/ask.html"))
        await page.wait_for_selector("button.tab:has-text('Ask')")
        await page.wait_for_selector(".picture img:not([hidden])")
        await scene.call("tab.click", target="button=Go")
        form = page.locator("form.interrupt")
        await form.wait_for()
        assert await page.title() == "(1) Pilothouse"
        assert await form.locator("input").input_value() == "Ann"
        # By keyboard alone.
        await form.locator("input").fill("Bea")
        await page.keyboard.press("Enter")
        await form.wait_for(state="detached")
        told = await scene.call("tab.dialogs")
        last = told["recent_dialogs"][-1]
        assert (last["closed_by"], last["page_got"]) == ("human", "Bea")
        await page.wait_for_selector("button.tab:has-text('Bea')")
        await page.wait_for_selector("#timeline >> text=blocked by dialog prompt")
        assert "closed by a person" in (await page.text_content("#announcement") or "")
        await scene.call("close", all=True)
        await page.wait_for_selector("button.tab:has-text('Bea')", state="detached")


async def test_a_person_chooses_an_answer_to_an_agents_request(
    lived_in: Home, served: Pages, chromium_path: Path
) -> None:
    served.add("/trip.html", "<title>Trip</title><p>two classes</p>")
    async with watched(lived_in, chromium_path) as scene:
        await scene.call("open", url=served.url("/trip.html"))
        asked = await scene.call(
            "tab.request_human", reason="Which <b>class</b>?", choices=["Economy", "Business"]
        )
        form = scene.page.locator("form.interrupt")
        await form.wait_for()
        assert "Which <b>class</b>?" in (await form.text_content() or "")
        await form.get_by_role("button", name="Send the answer").click()
        await form.locator(".problem:has-text('text: missing')").wait_for()
        await form.get_by_role("button", name="Business").click()
        await form.wait_for(state="detached")
        result = await scene.call("tab.result", action_id=asked["action_id"])
        assert (result["outcome"], result["answer"]) == ("answered", "Business")
        asked = await scene.call("tab.request_human", reason="Which code?")
        await form.locator("input").fill("482911")
        await scene.page.keyboard.press("Enter")
        await form.wait_for(state="detached")
        result = await scene.call("tab.result", action_id=asked["action_id"])
        assert (result["outcome"], result["answer"]) == ("answered", "482911")
        await scene.call("close", all=True)


async def test_words_of_pages_stay_words(
    lived_in: Home, served: Pages, chromium_path: Path
) -> None:
    async with watched(lived_in, chromium_path) as scene:
        page = scene.page
        served.add("/x.html", "<title>plain</title><a href='' download>x</a>")
        await scene.call("open", url=served.url("/x.html"))
        await scene.call(
            "tab.evaluate",
            code="(words) => { document.title = words; console.error(words); "
            "const f = document.createElement('iframe'); f.name = words; "
            "f.src = '/x.html?' + words; document.body.append(f); "
            "f.onload = () => setTimeout(() => confirm(words)) }",
            args=[HOSTILE],
        )
        await page.wait_for_selector("form.interrupt >> text=onerror=window.pwned")
        tab = page.locator("button.tab:has-text('onerror')")
        await tab.click()
        for view in ("frames", "console", "network"):
            await page.click(f"#view-{view}")
            await page.wait_for_selector("#view >> text=onerror")
        assert await page.evaluate("window.pwned") is None
        assert await page.locator("#page img[src='x'], #page script").count() == 0
        await page.click("form.interrupt button:has-text('Dismiss')")
        await page.wait_for_selector("form.interrupt", state="detached")


async def test_a_reload_keeps_the_session_and_leaving_ends_it(
    lived_in: Home, served: Pages, chromium_path: Path
) -> None:
    served.add("/later.html", "<title>Later</title>")
    async with watched(lived_in, chromium_path) as scene:
        page = scene.page
        await scene.call("open", url=served.url("/later.html"))
        await page.wait_for_selector("button.tab:has-text('Later')")
        await page.reload()
        await page.wait_for_selector("button.tab:has-text('Later')")
        other = await page.context.new_page()
        await other.goto(scene.link)
        await other.wait_for_selector("text=used before")
        assert scene.link.partition("#")[2] not in other.url
        await page.click("#leave")
        await page.wait_for_selector("#entrance:not([hidden])")
        assert await page.is_hidden("#page")
        await page.reload()
        await page.wait_for_selector("#entrance:not([hidden])")
