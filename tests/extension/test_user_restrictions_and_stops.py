"""What the user decides holds, in a real Chromium: settings, taking back, pausing, stopping."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.extension.chrome_relay_and_pages import Stage
from tests.extension.chrome_with_extension import ORIGIN
from tests.extension.fake_relay import WireError

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CLICK = {"type": "mousePressed", "x": 5, "y": 5, "button": "left", "clickCount": 1}


def gone(stage: Stage, tab_id: int, since: int = 0) -> Any:
    """The tab is no longer the relay's to see."""
    return stage.relay.until("tabRemoved", lambda p: p["tabId"] == tab_id, since)


def detached(stage: Stage, tab_id: int, since: int = 0) -> Any:
    """The debugger is off the tab, and the relay was told why."""
    return stage.relay.until("tabDetached", lambda p: p["tabId"] == tab_id, since)


async def test_manual_mode_leaks_no_title_and_no_address(stage: Stage) -> None:
    await stage.set(mode="manual")
    since = len(stage.relay.told)
    secret = stage.page("<title>Diagnosis of Ann</title>")
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    await stage.chrome.open(secret)
    loaded = (
        "(async () => { for (;;) { const [tab] = await chrome.tabs.query({title: 'Diagnosis*'});"
        " if (tab) return tab.id; await new Promise((d) => setTimeout(d, 20)); } })()"
    )
    tab_id = await stage.on_panel(loaded)
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    for method, more in (
        ("attachTab", {}),
        ("closeTab", {}),
        ("activateTab", {}),
        ("window", {}),
        ("share", {"client": "claude", "tabIds": [tab_id]}),
        ("cdpCommand", {"method": "Page.captureScreenshot", "params": {}}),
    ):
        with pytest.raises(WireError) as caught:
            await stage.relay.ask(method, **{"tabId": tab_id, **more})
        assert "Diagnosis" not in str(caught.value)
    with pytest.raises(WireError, match="shares only the tabs they pick"):
        await stage.relay.ask("createTab", url="about:blank")
    said = str(stage.relay.visit.said) + str(stage.relay.told[since:])
    assert "Diagnosis" not in said
    assert secret not in said
    # The user shares it by hand.
    await stage.press("attach", tabId=tab_id)
    await stage.relay.until("userAction", lambda p: p == {"kind": "attach", "tabId": tab_id})
    (tab,) = (await stage.relay.ask("listTabs"))["tabs"]
    assert tab["title"] == "Diagnosis of Ann"
    await stage.relay.ask("attachTab", tabId=tab_id)


async def test_a_held_tab_tells_nothing_of_the_targets_of_others(stage: Stage) -> None:
    other = await stage.shown("<title>Diagnosis of Ann</title>")
    tab_id = await stage.held()
    for method in ("Target.getTargetInfo", "Target.closeTarget"):
        with pytest.raises(WireError, match="not this tab's"):
            await stage.relay.cdp(tab_id, method, targetId=other["targetId"])
    assert (await stage.relay.cdp(tab_id, "Target.getTargetInfo"))["targetInfo"]["attached"]


async def test_read_only_is_an_allow_list(stage: Stage) -> None:
    tab_id = await stage.held("<title>calm</title><p>text</p>")
    await stage.set(readOnly=True, userInstructions="Look, do not touch.")
    for method, params in (
        ("Input.dispatchMouseEvent", CLICK),
        ("Input.insertText", {"text": "x"}),
        ("Page.navigate", {"url": "about:blank"}),
        ("Runtime.evaluate", {"expression": "document.title"}),
        ("Runtime.callFunctionOn", {"functionDeclaration": "() => 1", "executionContextId": 1}),
        ("Page.addScriptToEvaluateOnNewDocument", {"source": "1"}),
        ("DOM.setAttributeValue", {"nodeId": 1, "name": "a", "value": "b"}),
        ("Fetch.enable", {}),
        ("Storage.getCookies", {}),
        ("Some.newMethod", {}),
    ):
        with pytest.raises(WireError, match=f"refuses {method}: .*do not touch") as caught:
            await stage.relay.cdp(tab_id, method, **params)
        assert caught.value.code == -32000
    for method in ("createTab", "closeTab"):
        with pytest.raises(WireError, match="reading only"):
            await stage.relay.ask(method, tabId=tab_id, url="about:blank")
    # What only reads is fine, and V8 itself holds an expression to it.
    assert (await stage.relay.cdp(tab_id, "Page.getFrameTree"))["frameTree"]
    assert (await stage.relay.cdp(tab_id, "Page.captureScreenshot"))["data"]
    read = {"throwOnSideEffect": True, "returnByValue": True}
    got = await stage.relay.cdp(tab_id, "Runtime.evaluate", expression="document.title", **read)
    assert got["result"]["value"] == "calm"
    for expression in ("document.title = 'x'", "Promise.resolve().then(() => document.title = 1)"):
        got = await stage.relay.cdp(tab_id, "Runtime.evaluate", expression=expression, **read)
        assert "side-effect" in got["exceptionDetails"]["exception"]["description"]
    await stage.set(readOnly=False)
    assert await stage.relay.value(tab_id, "document.title") == "calm"


@pytest.mark.parametrize(
    "method",
    ["Network.clearBrowserCookies", "Storage.clearDataForOrigin", "Target.createTarget",
     "Target.exposeDevToolsProtocol", "Page.setDownloadBehavior", "Page.crash"],
)  # fmt: skip
async def test_what_harms_the_user_is_always_refused(stage: Stage, method: str) -> None:
    tab_id = await stage.held()
    with pytest.raises(WireError, match=f"Pilothouse refuses {method}: ") as caught:
        await stage.relay.cdp(tab_id, method)
    assert caught.value.code == -32000


async def test_a_tab_that_leaves_the_site_it_is_locked_to_is_taken_back(stage: Stage) -> None:
    await stage.set(lockUrl=True)
    tab_id = await stage.held("<title>home</title>")
    elsewhere = stage.page("<title>elsewhere</title>", host="localhost")
    with pytest.raises(WireError, match=r"locked this tab to http://127\.0\.0\.1"):
        await stage.relay.cdp(tab_id, "Page.navigate", url=elsewhere)
    since = len(stage.relay.told)
    await stage.relay.cdp(tab_id, "Page.navigate", url=stage.page("<title>next door</title>"))
    await stage.relay.until(
        "tabUpdated", lambda p: p["tabId"] == tab_id and p.get("title") == "next door", since
    )
    await stage.relay.value(tab_id, f"void (location = '{elsewhere}')")
    assert (await detached(stage, tab_id, since))["reason"] == "left_locked_site"
    with pytest.raises(WireError, match="took this tab back"):
        await stage.relay.ask("attachTab", tabId=tab_id)
    await gone(stage, tab_id, since)


async def test_no_new_tabs_means_none_to_open_and_none_from_pages(stage: Stage) -> None:
    tab_id = await stage.held("<title>opener</title>")
    await stage.set(noNewTabs=True)
    with pytest.raises(WireError, match="no new tabs"):
        await stage.relay.ask("createTab", url="about:blank")
    popup = stage.page("<title>popup</title>")
    await stage.relay.cdp(
        tab_id, "Runtime.evaluate", expression=f"void open('{popup}')", userGesture=True
    )
    await stage.pages.visited(popup.removeprefix(stage.pages.url("")))
    listed = (await stage.relay.ask("listTabs"))["tabs"]
    assert popup not in [tab["url"] for tab in listed]


async def test_only_one_tab_or_window_may_be_shared(stage: Stage) -> None:
    kept, other = await stage.held("<title>kept</title>"), await stage.held("<title>other</title>")
    since = len(stage.relay.told)
    await stage.press("narrow", share="tab", tabId=kept)
    assert (await detached(stage, other, since))["reason"] == "not_shared"
    await gone(stage, other, since)
    assert [tab["tabId"] for tab in (await stage.relay.ask("listTabs"))["tabs"]] == [kept]
    assert await stage.relay.value(kept, "document.title") == "kept"
    window = await stage.on_panel(
        "chrome.windows.create({url: 'about:blank'}).then((made) => made.id)"
    )
    await stage.press("narrow", share="window", windowId=window)
    await gone(stage, kept, since)
    made = await stage.relay.ask("createTab", url="about:blank")
    assert made["windowId"] == window


@pytest.mark.figures
async def test_a_tab_taken_back_is_free_within_a_second_and_stays_so(stage: Stage) -> None:
    tab_id = await stage.held(client="claude")
    since = len(stage.relay.told)
    started = time.monotonic()
    await stage.press("detach", tabId=tab_id)
    assert (await detached(stage, tab_id, since))["reason"] == "detached_by_user"
    assert time.monotonic() - started < 1.0
    await gone(stage, tab_id, since)
    for _ in range(2):
        with pytest.raises(WireError, match="took this tab back"):
            await stage.relay.ask("attachTab", tabId=tab_id)
    await stage.press("attach", tabId=tab_id)
    await stage.relay.until("userAction", lambda p: p == {"kind": "attach", "tabId": tab_id}, since)
    await stage.relay.ask("attachTab", tabId=tab_id)


async def test_paused_agents_can_do_nothing_and_pages_do_not_wait_for_them(stage: Stage) -> None:
    tab_id = await stage.held("<title>busy</title>")
    await stage.relay.cdp(tab_id, "Fetch.enable")
    stage.pages.add("/data.json", "{}")
    stage.pages.add("/more.json", "{}")
    await stage.relay.value(tab_id, "void fetch('/data.json').then(() => (self.first = 1))")
    await stage.relay.event(tab_id, "Fetch.requestPaused")
    await stage.press("pause")
    await stage.relay.until("userAction", lambda p: p["kind"] == "pause")
    # The request that waited for the agent went on without it.
    await stage.pages.visited("/data.json")
    for asked in (
        stage.relay.cdp(tab_id, "Runtime.evaluate", expression="1"),
        stage.relay.ask("attachTab", tabId=tab_id),
        stage.relay.ask("createTab", url="about:blank"),
        stage.relay.ask("closeTab", tabId=tab_id),
    ):
        with pytest.raises(WireError, match="paused all agents"):
            await asked
    await stage.press("resume")
    await stage.relay.until("userAction", lambda p: p["kind"] == "resume")
    assert await stage.relay.value(tab_id, "document.title") == "busy"


async def test_a_tab_dragged_out_of_its_group_is_taken_back_and_one_dragged_in_is_shared(
    stage: Stage,
) -> None:
    made = await stage.relay.ask("createTab", url="about:blank", client="claude")
    group = await stage.on_panel(
        f"(async () => {{ for (;;) {{ const tab = await chrome.tabs.get({made['tabId']});"
        " if (tab.groupId !== -1) return tab.groupId;"
        " await new Promise((done) => setTimeout(done, 20)); } })()"
    )
    stranger = await stage.shown("<title>stranger</title>")
    await stage.set(mode="manual")
    # The user's hand: chrome.tabs.ungroup and group are what a drag comes to.
    since = len(stage.relay.told)
    await stage.on_panel(f"chrome.tabs.group({{tabIds: [{stranger['tabId']}], groupId: {group}}})")
    told = await stage.relay.until("userAction", lambda p: p["kind"] == "attach", since)
    assert (told["tabId"], told["client"]) == (stranger["tabId"], "claude")
    await stage.on_panel(f"chrome.tabs.ungroup({stranger['tabId']})")
    told = await stage.relay.until("userAction", lambda p: p["kind"] == "detach", since)
    assert told["tabId"] == stranger["tabId"]


async def test_cancel_on_chromes_bar_takes_everything_back_until_the_user_allows_it(
    stage: Stage,
) -> None:
    one, two = await stage.held("<title>one</title>"), await stage.held("<title>two</title>")
    since = len(stage.relay.told)
    # What the button on the bar comes to: there is no other way to press it from here.
    await stage.chrome.in_worker(
        f"chrome.debugger.onDetach.dispatch({{tabId: {one}}}, 'canceled_by_user')"
    )
    for tab_id in (one, two):
        assert (await detached(stage, tab_id, since))["reason"] == "canceled_by_user"
        await gone(stage, tab_id, since)
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    with pytest.raises(WireError, match="pressed Cancel on Chrome's debugging bar"):
        await stage.relay.ask("attachTab", tabId=one)
    assert await stage.on_panel("chrome.action.getBadgeText({})") == "!"
    # Not even a worker that starts anew undoes it.
    welcomes = stage.relay.welcomes()
    await stage.chrome.kill_worker()
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    assert (await stage.relay.ask("listTabs"))["tabs"] == []
    await stage.press("attach", tabId=one)
    await stage.relay.until("userAction", lambda p: p["kind"] == "attach", since)
    assert [tab["tabId"] for tab in (await stage.relay.ask("listTabs"))["tabs"]] == [one]
    await stage.relay.ask("attachTab", tabId=one)
    with pytest.raises(WireError, match="pressed Cancel on Chrome's debugging bar"):
        await stage.relay.ask("attachTab", tabId=two)


async def test_tabs_nobody_uses_are_let_go_and_only_an_agents_own_are_closed(stage: Stage) -> None:
    mine = await stage.held("<title>mine</title>")
    url = stage.page("<title>theirs</title>")
    theirs = (await stage.relay.ask("createTab", url=url))["tabId"]
    # A tab that still loads would wake the worker before its memory is made older.
    await stage.listed(url)
    await stage.set(autoDetachMinutes=5, autoCloseMinutes=10)
    since = len(stage.relay.told)
    await _as_if_minutes_passed(stage, 6)
    assert (await detached(stage, mine, since))["reason"] == "idle"
    await _as_if_minutes_passed(stage, 11)
    await gone(stage, theirs, since)
    left = [tab["tabId"] for tab in (await stage.relay.ask("listTabs"))["tabs"]]
    assert mine in left


async def _as_if_minutes_passed(stage: Stage, minutes: int) -> None:
    """The worker starts anew with a memory that is older, and its clock rings."""
    welcomes = stage.relay.welcomes()
    await stage.on_panel(
        "(async () => { const {memory} = await chrome.storage.session.get('memory');"
        f" for (const tab of Object.values(memory.tabs)) tab.usedAt -= {minutes} * 60000;"
        " window.older = memory; })()"
    )
    await stage.chrome.kill_worker()
    await stage.on_panel("chrome.storage.session.set({memory: window.older})")
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    await stage.relay.ask("listTabs")
    await stage.on_panel("chrome.alarms.create('tick', {when: Date.now(), periodInMinutes: 0.5})")


async def test_cookies_of_sites_that_are_not_shared_stay_in_the_browser(stage: Stage) -> None:
    tab_id = await stage.held()
    for host in ("127.0.0.1", "clinic.example"):
        await stage.relay.cdp(
            tab_id, "Network.setCookie", name="who", value="ann", url=f"http://{host}/"
        )
    for method in ("Storage.getCookies", "Network.getAllCookies"):
        cookies = (await stage.relay.cdp(tab_id, method))["cookies"]
        assert {c["domain"] for c in cookies} == {"127.0.0.1", "clinic.example"}
    await stage.press("narrow", share="tab", tabId=tab_id)
    await stage.relay.until("settingsChanged", lambda p: p["settings"]["share"] == "tab")
    for method, params in (
        ("Storage.getCookies", {}),
        ("Network.getAllCookies", {}),
        ("Network.getCookies", {"urls": ["http://clinic.example/", "http://127.0.0.1/"]}),
    ):
        cookies = (await stage.relay.cdp(tab_id, method, **params))["cookies"]
        assert {c["domain"] for c in cookies} == {"127.0.0.1"}
    theirs = {"name": "who", "value": "eve", "url": "http://clinic.example/"}
    writes: list[tuple[str, dict[str, Any]]] = [
        ("Network.setCookie", theirs),
        ("Network.setCookie", {"name": "who", "value": "eve", "domain": "clinic.example"}),
        ("Network.setCookies", {"cookies": [theirs]}),
        ("Storage.setCookies", {"cookies": [theirs]}),
        ("Network.deleteCookies", {"name": "who", "domain": "clinic.example"}),
    ]
    for method, wanted in writes:
        with pytest.raises(WireError, match=f"refuses {method}: the user shares no tab of clinic"):
            await stage.relay.cdp(tab_id, method, **wanted)
    await stage.relay.cdp(
        tab_id, "Network.setCookie", name="who", value="bob", url="http://127.0.0.1/"
    )
    kept = (await stage.chrome.call("Storage.getCookies"))["cookies"]
    assert {c["domain"]: c["value"] for c in kept} == {"127.0.0.1": "bob", "clinic.example": "ann"}


async def test_a_reload_does_not_give_back_what_the_user_took(stage: Stage) -> None:
    tab_id = await stage.held()
    await stage.press("detach", tabId=tab_id)
    await detached(stage, tab_id)
    with pytest.raises(WireError, match="took tabs back"):
        await stage.relay.ask("reload")


async def test_no_agent_gets_onto_pages_of_the_extension_itself(stage: Stage) -> None:
    tab_id = await stage.held("<title>a page</title>")
    own = f"{ORIGIN}/settings/settings.html"
    for url in (own, f" {own}", "chrome://settings/", "view-source:http://127.0.0.1/"):
        with pytest.raises(WireError, match=r"refuses (Page\.navigate|createTab)"):
            await stage.relay.cdp(tab_id, "Page.navigate", url=url)
        with pytest.raises(WireError, match=r"refuses (Page\.navigate|createTab)"):
            await stage.relay.ask("createTab", url=url)
    # One that the user takes there is let go.
    since = len(stage.relay.told)
    await stage.on_panel(f"chrome.tabs.update({tab_id}, {{url: '{own}'}})")
    assert (await detached(stage, tab_id, since))["reason"] == "not_shared"
    await gone(stage, tab_id, since)
    # And one that could go back there is not held.
    away = stage.page("<title>away</title>")
    await stage.on_panel(f"chrome.tabs.update({tab_id}, {{url: '{away}'}})")
    assert (await stage.listed(away))["tabId"] == tab_id
    with pytest.raises(WireError, match="Pilothouse's own pages"):
        await stage.relay.ask("attachTab", tabId=tab_id)
    with pytest.raises(WireError, match="not attached"):
        await stage.relay.cdp(tab_id, "Page.getFrameTree")


@pytest.mark.parametrize("url", ["chrome://version/", "about:version"])
async def test_no_agent_goes_back_to_a_page_of_the_browser(stage: Stage, url: str) -> None:
    tab = await stage.shown("<title>first</title>")
    tab_id, here = tab["tabId"], stage.page("<title>here</title>")
    for step in (url, here):
        await stage.on_panel(
            f"(async () => {{ await chrome.tabs.update({tab_id}, {{url: {json.dumps(step)}}});"
            f" for (let tab = {{}}; tab.status !== 'complete' || tab.pendingUrl;)"
            f" {{ await new Promise((done) => setTimeout(done, 20));"
            f" tab = await chrome.tabs.get({tab_id}); }} }})()"
        )
    await stage.relay.ask("attachTab", tabId=tab_id)
    entries = (await stage.relay.cdp(tab_id, "Page.getNavigationHistory"))["entries"]
    first, browsers, _ = entries[-3:]
    assert browsers["url"] == "chrome://version/"
    with pytest.raises(WireError, match=r"refuses Page\.navigateToHistoryEntry"):
        await stage.relay.cdp(tab_id, "Page.navigateToHistoryEntry", entryId=browsers["id"])
    assert await stage.relay.value(tab_id, "document.title") == "here"
    await stage.relay.cdp(tab_id, "Page.navigateToHistoryEntry", entryId=first["id"])


async def test_a_tab_that_the_user_takes_to_a_file_is_let_go(stage: Stage, tmp_path: Path) -> None:
    tab_id = (await stage.relay.ask("createTab", url=stage.page("<title>agent's</title>")))["tabId"]
    await stage.relay.ask("attachTab", tabId=tab_id)
    private = tmp_path / "diary.html"
    private.write_text("<title>diary</title>")
    since = len(stage.relay.told)
    await stage.on_panel(f"chrome.tabs.update({tab_id}, {{url: '{private.as_uri()}'}})")
    await gone(stage, tab_id, since)
    told = json.dumps([stage.relay.told[since:], await stage.relay.ask("listTabs")])
    assert "diary" not in told
    with pytest.raises(WireError, match="No tab with given id"):
        await stage.relay.ask("attachTab", tabId=tab_id)


async def test_digests_of_scripts_are_those_of_sha256(stage: Stage) -> None:
    # Around the borders of blocks: 64 bytes, of which 9 are padding. And texts that are not ASCII.
    texts = ["x" * size for size in (0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 10_000)]
    texts += ["ü" * 32, "片" * 99, "🚢" * 16]
    digests = await stage.on_panel(
        "(async () => { const { sha256 } = await import('/background/sha256.js');"
        f" return {json.dumps(texts)}.map(sha256); }})()"
    )
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in texts]
