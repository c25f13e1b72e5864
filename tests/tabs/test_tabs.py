"""Who holds what: tabs by owner and name, in a real browser."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pilothouse.browsers import ConnectedKind, HeadlessKind
from pilothouse.cdp.protocol import Target
from pilothouse.errors import ToolError
from pilothouse.tabs.open_and_close_requests import App, CloseRequest, OpenRequest
from pilothouse.tabs.tabs import ClosedTabs
from tests.browsers.machine_processes import gone, mentioning
from tests.chromium import running_chromium
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_tab_of_a_name_is_reused_and_navigated_when_an_address_is_given(room: Room) -> None:
    first = await room.tabs.open("a", OpenRequest(url=room.page("<title>one</title>")))
    again = await room.tabs.open("a", OpenRequest())
    assert (first.reused, again.reused) == (False, True)
    assert again.tab is first.tab
    assert again.arrival is None
    assert await room.do(again.tab, "title") == "one"
    there = await room.tabs.open("a", OpenRequest(url=room.page("<title>two</title>")))
    assert there.reused
    assert there.tab.tab_id == first.tab.tab_id
    assert await room.do(there.tab, "title") == "two"
    await room.tabs.close("a", CloseRequest(all=True))


async def test_tab_is_recreated_when_its_dialogs_are_to_end_otherwise(room: Room) -> None:
    asking = await room.open(owner="a", dialogs="accept", url=room.page("hello"))
    assert await room.js(asking, "confirm('sure?')") is True
    same = await room.open(owner="a", dialogs="accept")
    assert same is asking
    assert await room.open(owner="a") is asking, "what is not named is left as it is"
    other = await room.open(owner="a", dialogs="dismiss", url=room.page("hello"))
    assert other.tab_id != asking.tab_id
    assert not asking.alive
    assert await room.js(other, "confirm('sure?')") is False
    await room.tabs.close("a", CloseRequest(all=True))


async def test_tab_keeps_its_dialog_policy_whatever_its_name_and_the_tabs_after_it(
    room: Room,
) -> None:
    tab = await room.open("0", owner="a", dialogs="accept", url=room.page("hello"))
    await room.open("1", owner="a", dialogs="dismiss")
    assert await room.js(tab, "confirm('sure?')") is True
    await room.tabs.close("a", CloseRequest(all=True))


async def test_dialog_that_waits_for_its_owner_blocks_and_is_answered(room: Room) -> None:
    tab = await room.open(owner="a", dialogs="ask", url=room.page("hello"))
    blocked = await room.do(tab, "evaluate", code="prompt('name?', 'x')")
    assert blocked["blocked_by"][0]["message"] == "name?"
    await room.do(tab, "handle_dialog", accept=True, text="me")
    assert await room.do(tab, "result", action_id=blocked["action_id"]) == "me"
    await room.tabs.close("a", CloseRequest(all=True))


async def test_tab_bound_to_one_browser_is_refused_for_another(room: Room) -> None:
    await room.open(owner="a")
    with pytest.raises(ToolError, match='tab "main" is bound to a different browser') as refused:
        await room.open(owner="a", headed=True)
    assert refused.value.hint.startswith("close it first")
    with pytest.raises(ToolError, match="different browser"):
        await room.open(owner="a", app=App(cdp_url="http://127.0.0.1:9"))
    await room.tabs.close("a", CloseRequest(all=True))


async def test_two_levels_of_stealth_are_two_browsers(room: Room) -> None:
    usual = await room.open(owner="a", url=room.page("usual"))
    plain = await room.open(owner="a", name="plain", stealth="off", url=room.page("plain"))
    assert plain.supervisor is not usual.supervisor
    assert await room.js(usual, "navigator.webdriver") is False
    assert await room.js(plain, "navigator.webdriver") is True
    assert plain.describe()["browser"] == "headless browser, stealth off"
    with pytest.raises(ToolError, match="bound to a different browser"):
        await room.open(owner="a", stealth="full")
    await room.tabs.close("a", CloseRequest(all=True))


async def test_viewport_is_set_at_open_and_at_reuse(room: Room) -> None:
    tab = await room.open(owner="a", viewport={"width": 640, "height": 480}, url=room.page(""))
    assert await room.js(tab, "[innerWidth, innerHeight]") == [640, 480]
    await room.open(owner="a", viewport={"width": 800, "height": 500, "scale": 2})
    assert await room.js(tab, "[innerWidth, innerHeight, devicePixelRatio]") == [800, 500, 2]
    await room.tabs.close("a", CloseRequest(all=True))


@pytest.mark.parametrize("how", ["", "noopener"])
async def test_popup_is_named_after_its_opener_and_told_in_the_receipt(
    room: Room, how: str
) -> None:
    there = room.page("<title>child</title><button>inside</button>")
    html = f'<a target=_blank rel="{how or "opener"}" href="{there}">go</a>'
    tab = await room.open(owner="p", url=room.page(html))
    receipt = await room.do(tab, "click", target="text=go")
    (new,) = receipt["new_tabs"]
    popup = next(t for t in room.tabs.owned_by("p") if t.tab_id == new)
    assert popup.name == "main.1"
    assert room.tabs.get("p", "main.1") is room.tabs.get("p", new) is popup
    await room.do(popup, "wait_for", text="inside")
    assert await room.do(popup, "title") == "child"
    assert [t.name for t in room.tabs.owned_by("p")] == ["main", "main.1"]
    assert [t.name for t in room.tabs.owned_by("q")] == []
    await room.tabs.close("p", CloseRequest(all=True))


async def test_popup_that_closes_itself_is_forgotten(room: Room) -> None:
    tab = await room.open(owner="p", url=room.page("<button onclick='w=window.open()'>go</button>"))
    await room.do(tab, "click", target="text=go")
    popup = room.tabs.get("p", "main.1")
    await room.js(tab, "w.close()")
    await tab.supervisor.wait_for(lambda s: popup.tab_id not in s.tabs, 10)
    assert [t.name for t in room.tabs.owned_by("p")] == ["main"]
    await room.tabs.close("p", CloseRequest(all=True))


async def test_close_closes_one_tab_by_name_or_id_and_all_of_an_owner(room: Room) -> None:
    for name in ("one", "two", "three", "four"):
        await room.open(name, owner="c")
    other = await room.open("one", owner="d")
    assert await room.tabs.close("c", CloseRequest("one")) == ClosedTabs(["one"])
    two = room.tabs.get("c", "two")
    assert await room.tabs.close("c", CloseRequest(two.tab_id)) == ClosedTabs(["two"])
    assert not two.alive
    assert await room.tabs.close("c", CloseRequest("one")) == ClosedTabs()
    with pytest.raises(ToolError, match='there is no tab "one"') as refused:
        room.tabs.get("c", "one")
    assert refused.value.hint == "open it first; your tabs: three, four"
    assert await room.tabs.close("c", CloseRequest(all=True)) == ClosedTabs(["three", "four"])
    assert await room.tabs.close("c", CloseRequest(all=True)) == ClosedTabs()
    assert other.alive
    await room.tabs.close("d", CloseRequest(all=True))


async def test_tab_whose_page_is_gone_says_so_and_is_opened_anew(room: Room) -> None:
    tab = await room.open(owner="g")
    await tab.supervisor.close_tab(tab.tab_id)
    with pytest.raises(ToolError, match='tab "main" is not alive') as refused:
        room.tabs.get("g")
    assert "open" in refused.value.hint
    fresh = await room.open(owner="g", url=room.page("<title>anew</title>"))
    assert await room.do(fresh, "title") == "anew"
    await room.tabs.close("g", CloseRequest(all=True))


async def test_tabs_opened_at_once_share_their_owners_cookies(room: Room) -> None:
    url = room.page("cookies")
    async with asyncio.timeout(60):
        tabs = await asyncio.gather(*(room.open(f"n{i}", owner="s", url=url) for i in range(5)))
    await room.js(tabs[0], "document.cookie = 'mine=1'")
    for tab in tabs:
        assert await room.js(tab, "document.cookie") == "mine=1"
    await room.tabs.close("s", CloseRequest(all=True))


async def test_opening_one_name_at_once_makes_one_tab(room: Room) -> None:
    async with asyncio.timeout(60):
        tabs = await asyncio.gather(*(room.open(owner="s") for _ in range(5)))
    assert len({tab.tab_id for tab in tabs}) == 1
    await room.tabs.close("s", CloseRequest(all=True))


async def test_closing_while_another_tab_opens_leaves_the_new_one_usable(room: Room) -> None:
    await room.open("old", owner="s")
    async with asyncio.timeout(60):
        new, _ = await asyncio.gather(
            room.open("new", owner="s", url=room.page("<title>new</title>")),
            room.tabs.close("s", CloseRequest("old")),
        )
    assert await room.do(room.tabs.get("s", "new"), "title") == "new"
    assert new.alive
    await room.tabs.close("s", CloseRequest(all=True))


async def test_nothing_of_an_owner_stays_in_a_browser_that_others_use(room: Room) -> None:
    kept = room.tabs.get("whoever keeps the browser open", "kept")
    connection = kept.supervisor.connection
    before = (await connection.send(Target.getBrowserContexts()))["browserContextIds"]
    tab = await room.open(owner="n", url=room.page("cookies"))
    await room.js(tab, "document.cookie = 'left=1; max-age=999'")
    await room.tabs.close("n", CloseRequest(all=True))
    after = (await connection.send(Target.getBrowserContexts()))["browserContextIds"]
    assert sorted(after) == sorted(before)
    again = await room.open(owner="n", url=room.page("cookies"))
    assert await room.js(again, "document.cookie") == ""
    await room.tabs.close("n", CloseRequest(all=True))
    assert room.browsers.open_kinds() == [HeadlessKind()]


async def test_open_waits_for_the_turn_of_a_tab_that_is_busy(room: Room) -> None:
    tab = await room.open(owner="w")
    async with tab.lease.hold("run", 1.0):
        with pytest.raises(ToolError, match='tab "main" is busy with run'):
            await room.tabs.open("w", OpenRequest(timeout=0.05))
        inside = await room.tabs.open("w", OpenRequest(url=room.page("")), holding=tab)
        assert inside.reused
    await room.tabs.close("w", CloseRequest(all=True))


async def test_idle_tabs_are_closed_and_busy_ones_are_not(room: Room) -> None:
    idle, busy = await room.open("idle", owner="i"), await room.open("busy", owner="i")
    kept = room.tabs.get("whoever keeps the browser open", "kept")
    now = asyncio.get_running_loop().time()
    kept.used_at = now + 60
    async with busy.lease.hold("run", 1.0):
        assert await room.tabs.close_idle(now + 1) == [idle]
    assert [t.name for t in room.tabs.owned_by("i")] == ["busy"]
    await room.tabs.close("i", CloseRequest(all=True))


async def test_browser_somebody_else_runs_is_joined_and_left_as_it_was(
    room: Room, chromium_path: Path
) -> None:
    with running_chromium(chromium_path) as endpoint:
        url = f"http://127.0.0.1:{endpoint.port}"
        before = {t["id"] for t in endpoint.get("/json/list")}
        adopted = await room.open("theirs", owner="j", app=App(cdp_url=url, target="about:blank"))
        ours = await room.open("ours", owner="j", app=App(cdp_url=url), url=room.page("ours"))
        assert (adopted.adopted, ours.adopted) == (True, False)
        assert adopted.supervisor is ours.supervisor
        assert isinstance(ours.kind, ConnectedKind)
        assert await room.js(adopted, "location.href") == "about:blank"
        assert await room.open("theirs", owner="j", app=App(cdp_url=url)) is adopted
        closed = await room.tabs.close("j", CloseRequest(all=True, kill=True))
        assert closed == ClosedTabs(["ours"], ["theirs"])
        assert {t["id"] for t in endpoint.get("/json/list")} == before
        await room.tabs.connect("j", url)
        await room.open("more", owner="j", app=App(cdp_url=url))
        assert await room.tabs.disconnect("j", url) == ClosedTabs(["more"])
        assert {t["id"] for t in endpoint.get("/json/list")} == before
        assert endpoint.get("/json/version")["Browser"]


async def test_application_is_ended_only_when_it_is_to_be_killed(
    room: Room, chromium_path: Path, tmp_path: Path
) -> None:
    script = tmp_path / "app"
    script.write_text(
        f"#!/bin/sh\nexec {chromium_path} --headless=new --no-sandbox --no-first-run "
        f'--user-data-dir={tmp_path}/profile "$@" about:blank\n'
    )
    script.chmod(0o755)
    app = App(path=str(script))
    tab = await room.open(owner="k", app=app, timeout=60.0)
    assert tab.adopted
    assert await room.js(tab, "1 + 1") == 2
    assert await room.tabs.close("k", CloseRequest(kill=True)) == ClosedTabs(["main"])
    assert not gone(mentioning(tmp_path / "profile"), 10.0)
    assert all(kind == HeadlessKind() for kind in room.browsers.open_kinds())
