"""Each speed-up can be switched off, and answers are the same with and without them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

import pilothouse
from pilothouse import speedup_switches
from pilothouse.errors import PilothouseError
from pilothouse.settings import load
from pilothouse.speedup_switches import Speedups
from tests.page_server import Pages
from tests.relay.hub_server import hosted
from tests.speedup_switches import ALL_SPEEDUPS, without_speedups

WITHIN_S = 60
FLOOD = 4000


@pytest.fixture(params=[(), ALL_SPEEDUPS], ids=["as set", "all off"])
def both_ways(request: pytest.FixtureRequest) -> Iterator[Speedups]:
    """Run the test with speed-ups, and with none."""
    with without_speedups(*request.param):
        yield speedup_switches.in_use()


def test_every_speed_up_has_a_setting_and_a_variable_and_is_on_by_default() -> None:
    nothing = Path("no-such-file")
    assert load(nothing, {}).speedups == Speedups()
    off = {f"PILOTHOUSE_{name.upper()}": "false" for name in ALL_SPEEDUPS}
    assert load(nothing, off).speedups == Speedups(*(False for _ in ALL_SPEEDUPS))
    with pytest.raises(PilothouseError, match=r"speedups\.warm_up"):
        load(nothing, {"PILOTHOUSE_WARM_UP": "sometimes"})


@pytest.mark.browser
async def test_pages_are_read_the_same_with_and_without_speed_ups(
    both_ways: Speedups, chromium_path: Path, pages: Pages
) -> None:
    pages.add("/inner", "<title>Inner</title><button>Within</button>")
    frame = f"<iframe src='{pages.url('/inner', host='a.localhost')}'></iframe>"
    pages.add(
        "/shop",
        f"<title>Shop</title><button onclick='out.textContent = ++n'>Add</button>"
        f"<p id=out>0</p><script>n = 0</script>{frame}",
    )
    pages.add("/next", "<title>Next</title><h1>Arrived</h1>")
    async with pilothouse.launch(executable=str(chromium_path)) as browser:
        page = await browser.new_page(pages.url("/shop"))
        first = str(await page.snapshot())
        assert 'button "Add"' in first
        assert 'button "Within"' in first
        for count in (1, 2):
            await page.click("button=Add")
            assert f"- text: {count}" in str(await page.snapshot())
        # Unchanged, then changed by the page itself.
        assert "- text: 2" in str(await page.snapshot())
        await page.evaluate("out.textContent = 'sold out'")
        assert "- text: sold out" in str(await page.snapshot())
        await page.goto(pages.url("/next"))
        assert "Arrived" in str(await page.snapshot())
        await page.back()
        assert 'button "Within"' in str(await page.snapshot())


@pytest.mark.browser
async def test_no_event_of_a_flood_is_lost_with_and_without_speed_ups(
    both_ways: Speedups, chromium_path: Path
) -> None:
    async with pilothouse.launch(executable=str(chromium_path)) as browser:
        page = await browser.new_page("data:text/html,<title>Flood</title>")
        await page.console()
        await page.evaluate(f"for (let i = 1; i <= {FLOOD}; i++) console.log('line ' + i)")
        assert f"line {FLOOD}" in str(await page.console())
        assert await page.evaluate("6 * 7") == 42


@pytest.mark.browser
async def test_a_relay_client_uses_all_tabs_with_and_without_lazy_ones(
    both_ways: Speedups, chromium_path: Path
) -> None:
    async with hosted() as place, async_playwright() as playwright, asyncio.timeout(WITHIN_S):
        place.pages.add("/main", "<title>Main</title><button onclick='document.title = 1'>go")
        connect = playwright.chromium.connect_over_cdp
        holder = await connect(place.url(owner="me", label="holder"))
        await (await holder.contexts[0].new_page()).goto(place.pages.url("/main"))
        client = await connect(place.url(owner="me", attach="lazy", label="lazy"))
        hub_client = next(c for c in place.hub.clients() if c.label == "lazy")
        lazy = [session for session in hub_client.sessions.values() if session.lazy is not None]
        assert bool(lazy) is both_ways.lazy_tabs
        (page,) = client.contexts[0].pages
        assert await page.title() == "Main"
        await page.locator("button").click()
        assert await page.title() == "1"
        await client.close()
        await holder.close()
