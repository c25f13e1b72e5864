"""Emulation of devices, places and lines, on a real Chromium."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.emulation.devices import DEVICES
from pilothouse.page.emulation.emulation import TabEmulation
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# What the page's very first script saw, and what a worker sees.
FIRST = """<!doctype html><meta name=viewport content="width=device-width"><script>
var look = () => ({
  agent: navigator.userAgent, platform: navigator.platform, languages: navigator.languages,
  hints: navigator.userAgentData?.platform, mobile: navigator.userAgentData?.mobile,
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  number: (1234.5).toLocaleString(), online: navigator.onLine, touch: navigator.maxTouchPoints,
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  calm: matchMedia("(prefers-reduced-motion: reduce)").matches,
  print: matchMedia("print").matches,
  size: [innerWidth, innerHeight, devicePixelRatio],
});
var first = JSON.stringify(look());
var worker = new Promise(done => {
  const source = "postMessage([navigator.userAgent, " +
    "Intl.DateTimeFormat().resolvedOptions().timeZone])";
  new Worker(URL.createObjectURL(new Blob([source]))).onmessage = event => done(event.data);
});
</script>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add("/inner.html", FIRST)
        inner = made.pages.url("/inner.html", "localhost")
        made.pages.add("/outer.html", f'{FIRST}<iframe name="spot" src="{inner}"></iframe>')
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


class Watched:
    """A tab that tells what it believes."""

    def __init__(self, stage: Stage, tab: str) -> None:
        self.stage = stage
        self.tab_context = TabContext(stage.sup, tab)
        self.emulation = TabEmulation(self.tab_context)

    async def go(self, path: str = "/outer.html", host: str = "127.0.0.1") -> None:
        old = self.tab_context.main().loader
        await self.stage.sup.cdp(
            "Page.navigate", {"url": self.stage.pages.url(path, host)}, tab=self.tab_context.tab_id
        )
        await self.stage.loaded(self.tab_context.tab_id, but=old)

    async def now(self, name: str = "") -> dict[str, Any]:
        frame = await self.stage.loaded(self.tab_context.tab_id, name)
        found: dict[str, Any] = json.loads(
            await self.stage.value(frame.id, "JSON.stringify(look())")
        )
        return found

    async def first(self, name: str = "") -> dict[str, Any]:
        frame = await self.stage.loaded(self.tab_context.tab_id, name)
        found: dict[str, Any] = json.loads(await self.stage.value(frame.id, "first"))
        if name:
            # Its size may come after the first script (docs/cdp/frames-without-a-size.md).
            found["size"] = (await self.now(name))["size"]
        return found

    async def worker(self, name: str = "") -> Any:
        frame = await self.stage.loaded(self.tab_context.tab_id, name)
        return await self.stage.value(frame.id, "worker")


@pytest_asyncio.fixture(loop_scope="module")
async def tab(stage: Stage) -> Watched:
    watched = Watched(stage, await stage.sup.open_tab("owner", stage.pages.url("/outer.html")))
    await stage.loaded(watched.tab_context.tab_id, "spot")
    return watched


async def test_frames_there_and_frames_to_come_believe_the_same(tab: Watched) -> None:
    emulation = tab.emulation
    await emulation.user_agent("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36")
    await emulation.locale("de-DE")
    await emulation.timezone("Asia/Tokyo")
    await emulation.media(color_scheme="dark", reduced_motion="reduce")

    def believes(seen: dict[str, Any]) -> None:
        assert "Windows NT 10.0" in seen["agent"]
        assert (seen["platform"], seen["hints"]) == ("Win32", "Windows")
        assert seen["languages"] == ["de-DE", "de"]
        assert (seen["number"], seen["zone"]) == ("1.234,5", "Asia/Tokyo")
        assert seen["dark"]
        assert seen["calm"]

    for name in ("", "spot"):
        believes(await tab.now(name))
    await tab.go()
    for name in ("", "spot"):
        believes(await tab.first(name))
        agent, zone = await tab.worker(name)
        assert ("Windows NT 10.0" in agent, zone) == (True, "Asia/Tokyo")
    visit = tab.stage.pages.visits_to("/inner.html")[-1]
    assert "Windows NT 10.0" in visit.headers["User-Agent"]
    assert visit.headers["Accept-Language"].startswith("de-DE,de")


async def test_everything_ends_with_a_reset(tab: Watched) -> None:
    before = {name: await tab.now(name) for name in ("", "spot")}
    emulation = tab.emulation
    await emulation.device("Pixel 8")
    await emulation.locale("fr-FR")
    await emulation.timezone("Asia/Tokyo")
    await emulation.media(color_scheme="dark", type="print")
    await emulation.throttle("slow-3g")
    await emulation.cpu(4)
    await emulation.geolocation(48.1, 11.6)
    await emulation.permit("geolocation")
    assert set(emulation.status()) == {
        "viewport",
        "user_agent",
        "locale",
        "timezone",
        "media",
        "network",
        "cpu",
        "geolocation",
        "permissions",
    }
    assert (await emulation.reset()).value == {}
    assert {name: await tab.now(name) for name in ("", "spot")} == before
    await tab.go()
    assert {name: await tab.first(name) for name in ("", "spot")} == before


async def test_a_device_is_its_screen_and_its_agent(tab: Watched) -> None:
    outcome = await tab.emulation.device("iphone 15")
    assert outcome.value is not None
    assert outcome.value["viewport"]["device"] == "iPhone 15"
    await tab.go()
    seen = await tab.first()
    assert seen["size"] == [393, 852, 3]
    assert (seen["platform"], seen["touch"]) == ("iPhone", 5)
    assert seen["agent"] == DEVICES["iPhone 15"].user_agent
    assert not [h for h in tab.stage.pages.visits[-1].headers if h.lower().startswith("sec-ch")]
    await tab.emulation.device("Pixel 8", landscape=True)
    seen = await tab.now()
    assert seen["size"][:2] == [915, 412]
    assert (seen["hints"], seen["mobile"]) == ("Android", True)


async def test_one_thing_ends_alone(tab: Watched) -> None:
    own = (await tab.now())["agent"]
    await tab.emulation.user_agent("robot")
    await tab.emulation.locale("de-DE")
    await tab.emulation.reset("user_agent")
    seen = await tab.now()
    assert (seen["agent"], seen["number"], seen["languages"][0]) == (own, "1.234,5", "de-DE")
    await tab.emulation.user_agent("robot")
    await tab.emulation.reset("locale")
    seen = await tab.now()
    assert (seen["agent"], seen["number"], seen["languages"][0]) == ("robot", "1,234.5", "en-US")
    with pytest.raises(ToolError, match="'locale' is not emulated"):
        await tab.emulation.reset("locale")


async def test_a_viewport_is_the_size_of_the_page(tab: Watched) -> None:
    before = (await tab.now())["size"]
    for _ in range(10):
        await tab.emulation.viewport(500, 400, 2)
        assert (await tab.now())["size"] == [500, 400, 2]
        await tab.emulation.reset("viewport")
        assert (await tab.now())["size"] == before


async def fetched(tab: Watched, name: str = "") -> Any:
    frame = await tab.stage.loaded(tab.tab_context.tab_id, name)
    ask = "fetch('/part.html?' + Math.random()).then(() => 'fetched', () => 'failed')"
    return await tab.stage.value(frame.id, ask)


async def test_offline_holds_for_every_frame_and_ends(tab: Watched) -> None:
    assert await fetched(tab) == await fetched(tab, "spot") == "fetched"
    await tab.emulation.throttle(latency=20)
    outcome = await tab.emulation.offline()
    assert outcome.value is not None
    assert outcome.value["network"]["latency"] == 20
    assert await fetched(tab) == await fetched(tab, "spot") == "failed"
    assert (await tab.now())["online"] is False
    await tab.emulation.offline(False)
    assert await fetched(tab) == await fetched(tab, "spot") == "fetched"


async def test_a_slow_line_is_slow(tab: Watched) -> None:
    await tab.emulation.throttle("4g", latency=250)
    top = await tab.stage.loaded(tab.tab_context.tab_id)
    ask = "(async () => { const t = performance.now(); await fetch('/part.html'); "
    took = await tab.stage.value(top.id, ask + "return performance.now() - t; })()")
    assert took >= 240


async def test_a_position_needs_its_permission(tab: Watched) -> None:
    top = await tab.stage.loaded(tab.tab_context.tab_id)
    ask = (
        "new Promise(done => navigator.geolocation.getCurrentPosition("
        "p => done([p.coords.latitude, p.coords.longitude]), e => done(e.code)))"
    )
    await tab.emulation.geolocation(48.1, 11.6)
    assert await tab.stage.value(top.id, ask) == 1
    await tab.emulation.permit("geolocation")
    assert await tab.stage.value(top.id, ask) == [48.1, 11.6]
    await tab.emulation.reset("permissions")
    assert await tab.stage.value(top.id, ask) == 1


async def test_a_permission_is_for_one_origin_or_all(tab: Watched) -> None:
    top = await tab.stage.loaded(tab.tab_context.tab_id)
    ask = "navigator.permissions.query({name: 'notifications'}).then(p => p.state)"
    await tab.emulation.permit("notifications", "allow", "https://other.example/page")
    assert await tab.stage.value(top.id, ask) == "denied"
    status = await tab.emulation.permit("notifications", origin="*")
    assert status["permissions"][-1] == {
        "name": "notifications",
        "origin": "*",
        "setting": "granted",
    }
    assert await tab.stage.value(top.id, ask) == "granted"
    await tab.emulation.reset()
    assert await tab.stage.value(top.id, ask) == "denied"


async def test_style_sheets_are_asked_for_print(tab: Watched) -> None:
    await tab.emulation.media(type="print")
    await tab.emulation.media(color_scheme="dark")
    seen = await tab.now()
    assert (seen["print"], seen["dark"]) == (True, True)


async def test_a_dialog_does_not_hang_it(tab: Watched) -> None:
    top = await tab.stage.loaded(tab.tab_context.tab_id)
    await tab.stage.run(top.id, "setTimeout(() => alert('wait')); 0")
    await tab.stage.dialog(tab.tab_context.tab_id)
    outcome = await tab.emulation.viewport(500, 400)
    assert outcome.blocked_by
    assert not outcome.action_id
    assert tab.emulation.status() == {}
    await tab.stage.sup.answer(accept=True, tab=tab.tab_context.tab_id)


async def test_bad_input_says_what_is_allowed(tab: Watched) -> None:
    with pytest.raises(ToolError) as refused:
        await tab.emulation.device("Nokia 3310")
    assert "iPhone 15" in refused.value.hint
    with pytest.raises(ToolError) as refused:
        await tab.emulation.throttle("5g")
    assert "slow-3g" in refused.value.hint
    with pytest.raises(ToolError) as refused:
        await tab.emulation.media(colour="red")
    assert "color_scheme" in refused.value.hint
    with pytest.raises(ToolError, match="user_agent"):
        await tab.emulation.user_agent("two\nlines")
    blank = TabEmulation(TabContext(tab.stage.sup, await tab.stage.sup.open_tab("owner")))
    with pytest.raises(ToolError, match="origin"):
        await blank.permit("camera")
    assert tab.emulation.status() == {}
