"""The whole page in one object: its parts work together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.page import SnapshotOptions
from pilothouse.page.page import Page
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def test_page_is_gone_to_read_filled_and_left(stage: Stage) -> None:
    stage.pages.add(
        "/form.html",
        """<title>Order</title><h1>Order</h1><form action="/thanks.html">
        <label>Name <input name=name required></label><button>Send</button></form>""",
    )
    stage.pages.add("/thanks.html", "<title>Thanks</title><h1>Thank you</h1>")
    page = Page(stage.sup, await stage.sup.open_tab("me"))
    await page.start()
    arrived = (await page.goto(stage.pages.url("/form.html"))).value
    assert arrived is not None
    assert (arrived.status, arrived.title) == (200, "Order")
    filled = (await page.fill("label=Name", "Ada")).value
    assert filled is not None
    assert filled.value == "Ada"
    sent = (await page.click("button=Send")).value
    assert sent is not None
    assert "/thanks.html?name=Ada" in sent.navigated
    assert 'heading "Thank you"' in (await page.snapshot(SnapshotOptions())).text
    assert [e.status for e in page.network.entries(url="thanks")] == [200]
    await page.close()


@pytest.mark.parametrize("late_ms", [0, 120])
async def test_receipt_waits_for_what_the_answer_to_a_click_brings(
    stage: Stage, late_ms: int
) -> None:
    """Also where the answer comes when a page that asks for nothing would count as quiet."""
    answer = stage.pages.add_slow("/answer.txt", "done")
    stage.pages.add(
        "/fetch.html",
        """<button onclick="fetch('/answer.txt').then(r => r.text()).then(
        t => setTimeout(() => document.body.append(t), 20))">Ask</button>""",
    )
    page = Page(stage.sup, await stage.sup.open_tab("me", stage.pages.url("/fetch.html")))
    await page.start()
    await page.waits.for_selector("button", timeout=WITHIN_S)
    asyncio.get_running_loop().call_later(late_ms / 1000, answer.set)
    asked = (await page.click("button=Ask")).value
    assert asked is not None
    assert asked.dom["nodes added"] == 1
    await page.close()
