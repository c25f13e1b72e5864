"""What the extension tells of tabs and does with them, in a real Chromium."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.extension.chrome_relay_and_pages import Stage
from tests.extension.fake_relay import WireError

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

AUTO: dict[str, Any] = {"autoAttach": True, "flatten": True, "waitForDebuggerOnStart": True}


async def test_tabs_are_listed_with_their_real_ids_and_no_debugger(stage: Stage) -> None:
    told = await stage.shown("<title>Harbour</title>")
    assert (told["title"], told["attached"], told["discarded"]) == ("Harbour", False, False)
    targets = {t["targetId"]: t for t in await stage.chrome.targets()}
    assert targets[told["targetId"]]["url"] == told["url"]
    held = await stage.chrome.in_worker(
        "chrome.debugger.getTargets().then((all) => all.filter((t) => t.attached && t.tabId))"
    )
    # Only what this test itself holds over the debugging port: the panel.
    assert told["targetId"] not in {target["id"] for target in held}


async def test_pages_of_the_browser_are_not_listed(stage: Stage) -> None:
    await stage.chrome.open("chrome://version/")
    await stage.shown()
    urls = [tab["url"] for tab in (await stage.relay.ask("listTabs"))["tabs"]]
    assert all(url.startswith("http") or url == "about:blank" for url in urls)


async def test_attaching_gives_the_real_target_and_commands_work(stage: Stage) -> None:
    tab = await stage.shown("<title>Harbour</title>")
    info = (await stage.relay.ask("attachTab", tabId=tab["tabId"]))["targetInfo"]
    assert info["targetId"] == tab["targetId"]
    assert info["browserContextId"]
    assert await stage.relay.value(tab["tabId"], "document.title") == "Harbour"
    tree = await stage.relay.cdp(tab["tabId"], "Page.getFrameTree")
    assert tree["frameTree"]["frame"]["id"] == tab["targetId"]


async def test_attaching_twice_is_attaching_once(stage: Stage) -> None:
    tab_id = await stage.held()
    first, again = await asyncio.gather(
        stage.relay.ask("attachTab", tabId=tab_id), stage.relay.ask("attachTab", tabId=tab_id)
    )
    assert first == again


async def test_commands_arrive_in_the_order_they_were_sent(stage: Stage) -> None:
    tab_id = await stage.held("<script>var seen = []</script>")
    asked = [
        stage.relay.send(
            "cdpCommand",
            {
                "tabId": tab_id,
                "method": "Runtime.evaluate",
                "params": {"expression": f"seen.push({n})"},
            },
        )
        for n in range(50)
    ]
    await asyncio.gather(*asked)
    assert await stage.relay.value(tab_id, "seen.join()") == ",".join(map(str, range(50)))


async def test_errors_of_chrome_keep_their_code(stage: Stage) -> None:
    tab_id = await stage.held()
    with pytest.raises(WireError, match="wasn't found") as caught:
        await stage.relay.cdp(tab_id, "Browser.getVersion")
    assert caught.value.code == -32601
    with pytest.raises(WireError, match="not attached"):
        await stage.relay.cdp(tab_id + 100, "Page.enable")
    with pytest.raises(WireError, match="No tab with given id"):
        await stage.relay.ask("attachTab", tabId=987654321)
    with pytest.raises(WireError, match="'noSuchThing' wasn't found"):
        await stage.relay.ask("noSuchThing")


async def test_frames_of_other_sites_and_workers_are_sessions_of_their_own(stage: Stage) -> None:
    inner = stage.page("<title>inner</title><button>inside</button>", host="localhost")
    stage.pages.add("/worker.js", "self.onmessage = () => 0")
    url = stage.page(f'<title>outer</title><iframe src="{inner}"></iframe>')
    await stage.relay.ask("listTabs")
    await stage.chrome.open(url)
    tab_id = (await stage.listed(url))["tabId"]
    await stage.relay.ask("attachTab", tabId=tab_id)
    await stage.relay.cdp(tab_id, "Target.setAutoAttach", **AUTO)
    frame = await stage.relay.event(
        tab_id, "Target.attachedToTarget", lambda p: p["targetInfo"]["type"] == "iframe"
    )
    child = frame["params"]["sessionId"]
    assert await stage.relay.value(tab_id, "document.title", child) == "inner"
    await stage.relay.cdp(tab_id, "Runtime.enable", child)
    told = await stage.relay.until(
        "cdpEvent",
        lambda p: (
            p.get("childSessionId") == child and p["method"] == "Runtime.executionContextCreated"
        ),
    )
    assert told["tabId"] == tab_id
    await stage.relay.value(tab_id, "void (self.w = new Worker('/worker.js'))")
    worker = await stage.relay.event(
        tab_id, "Target.attachedToTarget", lambda p: p["targetInfo"]["type"] == "worker"
    )
    assert worker["params"]["waitingForDebugger"] is True
    inside = worker["params"]["sessionId"]
    await stage.relay.cdp(tab_id, "Runtime.runIfWaitingForDebugger", inside)
    assert await stage.relay.value(tab_id, "typeof importScripts", inside) == "function"


async def test_a_dialog_is_told_and_answered(stage: Stage) -> None:
    tab_id = await stage.held("<title>asks</title>")
    await stage.relay.cdp(tab_id, "Page.enable")
    asking = stage.relay.send(
        "cdpCommand",
        {
            "tabId": tab_id,
            "method": "Runtime.evaluate",
            "params": {"expression": "prompt('Who?', 'me')", "returnByValue": True},
        },
    )
    told = await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
    assert told["params"]["message"] == "Who?"
    await stage.relay.cdp(tab_id, "Page.handleJavaScriptDialog", accept=True, promptText="Ann")
    assert (await asking)["result"]["value"] == "Ann"


async def test_closing_over_a_dialog_of_a_foreign_frame_does_not_end_the_browser(
    stage: Stage,
) -> None:
    inner = stage.page("<script>setTimeout(() => alert('in the frame'))</script>", host="localhost")
    made = await stage.relay.ask("createTab", url="about:blank")
    tab_id = made["tabId"]
    await stage.relay.ask("attachTab", tabId=tab_id)
    await stage.relay.cdp(tab_id, "Page.enable")
    url = stage.page(f'<iframe src="{inner}"></iframe>')
    await stage.relay.cdp(tab_id, "Page.navigate", url=url)
    await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
    assert await stage.relay.ask("closeTab", tabId=tab_id) == {"closed": True}
    assert (await stage.chrome.call("Browser.getVersion"))["product"]


async def _popup_of(stage: Stage, opener: int) -> int:
    told = await stage.relay.until("tabCreated", lambda p: p["tab"].get("openerTabId") == opener)
    return int(told["tab"]["tabId"])


async def test_a_tab_that_is_just_navigating_is_closed_all_the_same(stage: Stage) -> None:
    """Chromium forgets some of such closes, though it answers that all went well."""
    nowhere = "http://127.0.0.1:1/"
    for _ in range(10):
        opener = await stage.held("<title>leaving</title>")
        await stage.relay.cdp(
            opener, "Runtime.evaluate", expression=f"void open('{nowhere}')", userGesture=True
        )
        popup = await _popup_of(stage, opener)
        await stage.relay.ask("attachTab", tabId=popup)
        # Answered as soon as the error is known; the page that tells of it comes a moment later.
        await stage.relay.cdp(popup, "Page.navigate", url=nowhere)
        # A popup of a page that an agent holds may be closed by agents, the user's own tab not.
        with pytest.raises(WireError, match="the user opened this tab"):
            await stage.relay.ask("closeTab", tabId=opener)
        assert await stage.relay.ask("closeTab", tabId=popup) == {"closed": True}
        await stage.set(mayClose=True)
        assert await stage.relay.ask("closeTab", tabId=opener) == {"closed": True}
        await stage.set(mayClose=False)


async def test_a_popup_is_told_with_its_opener(stage: Stage) -> None:
    popup = stage.page("<title>popup</title>")
    tab_id = await stage.held("<title>opener</title>")
    await stage.relay.cdp(
        tab_id,
        "Runtime.evaluate",
        expression=f"void window.open('{popup}')",
        userGesture=True,
    )
    told = await stage.listed(popup)
    assert told["openerTabId"] == tab_id
    info = await stage.relay.ask("attachTab", tabId=told["tabId"])
    assert info["targetInfo"]["targetId"] == told["targetId"]


async def test_a_download_is_told(stage: Stage) -> None:
    stage.pages.add_download("/cargo.bin", b"x" * 100, "cargo.bin")
    tab_id = await stage.held()
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.value(tab_id, "void (location = '/cargo.bin')")
    told = await stage.relay.event(tab_id, "Page.downloadWillBegin")
    assert told["params"]["suggestedFilename"] == "cargo.bin"


async def test_a_discarded_tab_is_listed_as_such_and_loads_when_it_is_attached(
    stage: Stage,
) -> None:
    tab = await stage.shown("<title>asleep</title>")
    await stage.shown("<title>in front</title>")
    await stage.on_panel(f"chrome.tabs.discard({tab['tabId']}).then(() => 1)")
    replaced = await stage.relay.until("tabReplaced", lambda p: p["tabId"] == tab["tabId"])
    tabs = (await stage.relay.ask("listTabs"))["tabs"]
    (asleep,) = (t for t in tabs if t["tabId"] == replaced["newTabId"])
    assert asleep["discarded"] is True
    assert asleep["url"] == tab["url"]
    await stage.relay.ask("attachTab", tabId=asleep["tabId"])
    assert await stage.relay.value(asleep["tabId"], "document.title") == "asleep"


async def test_a_tab_of_an_agent_opens_behind_in_its_group_and_closes(stage: Stage) -> None:
    since = len(stage.relay.told)
    await stage.relay.ask("listTabs")
    made = await stage.relay.ask(
        "createTab", url=stage.page("<title>work</title>"), client="claude"
    )
    # The relay heard of the tab before it heard that it was made.
    created = [p["tab"]["tabId"] for m, p in stage.relay.told[since:] if m == "tabCreated"]
    assert made["tabId"] in created
    assert (made["active"], made["client"], made["by"]) == (False, "claude", "agent")
    grouped = made
    if "groupId" not in made:
        grouped = await stage.relay.until(
            "tabUpdated", lambda p: p["tabId"] == made["tabId"] and p.get("groupId"), since
        )
    group = await stage.on_panel(f"chrome.tabGroups.get({grouped['groupId']})")
    assert group["title"] == "claude"
    assert await stage.relay.ask("closeTab", tabId=made["tabId"]) == {"closed": True}
    await stage.relay.until("tabRemoved", lambda p: p["tabId"] == made["tabId"], since)
    assert ("userAction", {"kind": "detach", "tabId": made["tabId"]}) not in stage.relay.told


async def test_a_tab_moves_to_the_group_of_whoever_has_it_now(stage: Stage) -> None:
    made = await stage.relay.ask("createTab", url="about:blank")
    await stage.relay.ask("attachTab", tabId=made["tabId"])
    since = len(stage.relay.told)
    for client in ("claude", "codex", "claude"):
        await stage.relay.ask("share", client=client, tabIds=[made["tabId"]])
        title = (
            f"chrome.tabs.get({made['tabId']})"
            ".then((tab) => chrome.tabGroups.get(tab.groupId)).then((group) => group.title)"
        )
        assert await stage.on_panel(title) == client
    # That was our doing, not the user's: nothing is taken back for it, not even later.
    await stage.on_panel("new Promise((done) => setTimeout(done, 400))")
    assert await stage.relay.value(made["tabId"], "1") == 1
    assert "userAction" not in [method for method, _ in stage.relay.told[since:]]


async def test_tabs_that_change_and_go_are_told(stage: Stage) -> None:
    tab = await stage.shown("<title>before</title>")
    since = len(stage.relay.told)
    await stage.on_panel(
        f"chrome.tabs.update({tab['tabId']}, {{url: '{stage.page('<title>b</title>')}'}})"
    )
    await stage.relay.until(
        "tabUpdated", lambda p: p["tabId"] == tab["tabId"] and p.get("title") == "b", since
    )
    await stage.on_panel(f"chrome.tabs.remove({tab['tabId']})")
    await stage.relay.until("tabRemoved", lambda p: p["tabId"] == tab["tabId"], since)


async def test_windows_are_told_and_moved(stage: Stage) -> None:
    tab = await stage.shown()
    moved = await stage.relay.ask(
        "setWindow", tabId=tab["tabId"], bounds={"width": 900, "left": 10}
    )
    assert moved["bounds"]["width"] == 900
    told = await stage.relay.ask("window", tabId=tab["tabId"])
    assert told["windowId"] == tab["windowId"]
    assert told["bounds"]["windowState"] == "normal"
    await stage.relay.ask("activateTab", tabId=tab["tabId"])
    listed = (await stage.relay.ask("listTabs"))["tabs"]
    assert next(t for t in listed if t["tabId"] == tab["tabId"])["active"] is True


async def test_a_result_of_twenty_megabytes_arrives_whole(stage: Stage) -> None:
    tab_id = await stage.held()
    text = await stage.relay.value(tab_id, "'x'.repeat(20 * 1024 * 1024)")
    assert len(text) == 20 * 1024 * 1024


async def test_popup_that_closes_itself_at_once_is_told_of(stage: Stage) -> None:
    tab_id = await stage.held()
    since = len(stage.relay.told)
    script = {"expression": "void open('about:blank').close()", "userGesture": True}
    await stage.relay.cdp(tab_id, "Runtime.evaluate", **script)

    def came() -> bool:
        # It was seen in time, or only that it was there.
        kinds = {method for method, _ in stage.relay.told[since:]}
        return "tabGlimpsed" in kinds or {"tabCreated", "tabRemoved"} <= kinds

    await stage.relay.wait(came)


async def test_tab_may_be_opened_in_a_window_of_its_own(stage: Stage) -> None:
    tab = await stage.shown()
    wanted = {"left": 10, "top": 20, "width": 640, "height": 480}
    made = await stage.relay.ask("createTab", url=stage.page("<title>apart</title>"), window=wanted)
    assert made["windowId"] != tab["windowId"]
    bounds = (await stage.relay.ask("window", tabId=made["tabId"]))["bounds"]
    assert (bounds["width"], bounds["height"]) == (640, 480)


async def test_a_popup_on_its_way_to_another_site_can_be_held_at_once(stage: Stage) -> None:
    opener = await stage.held()
    where = stage.pages.url(
        stage.page("<title>far</title>").removeprefix(stage.pages.url("")), "localhost"
    )
    for _ in range(5):
        since = len(stage.relay.told)
        await stage.relay.cdp(
            opener, "Runtime.evaluate", expression=f"void open({where!r})", userGesture=True
        )
        told = await stage.relay.until("tabCreated", since=since)
        held = await stage.relay.ask("attachTab", tabId=told["tab"]["tabId"])
        assert held["targetInfo"]["type"] == "page"
