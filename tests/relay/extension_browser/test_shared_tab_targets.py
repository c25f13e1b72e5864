"""Tabs of the user's Chrome as targets, without a debugger on any of them."""

from __future__ import annotations

import pytest

from pilothouse.cdp import SessionId
from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


async def test_tabs_are_targets_with_their_real_ids_and_nothing_is_attached() -> None:
    extension = FakeExtension(*(FakeTab(n, f"https://site{n}.test/") for n in range(1, 61)))
    async with open_stage(extension) as stage:
        infos = (await stage.send("Target.getTargets"))["targetInfos"]
        assert [i["targetId"] for i in infos] == [t.target_id for t in extension.tabs.values()]
        assert {i["type"] for i in infos} == {"page"}
        assert len({i["browserContextId"] for i in infos}) == 1
        assert not any(i["attached"] for i in infos)
        assert extension.wire("attachTab") == []


async def test_discovery_tells_what_is_there_before_its_answer_and_what_follows() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        told = stage.heard("Target.targetCreated")
        assert [e["targetInfo"]["targetId"] for e in told] == [extension.tabs[1].target_id]
        popup = extension.opens(FakeTab(2, "https://popup.test/", opener=1))
        extension.updates(2, title="Ours")
        extension.closes(2)
        await stage.settle()
        created = stage.heard("Target.targetCreated")[-1]["targetInfo"]
        assert created["targetId"] == popup.target_id
        assert created["openerId"] == extension.tabs[1].target_id
        assert stage.heard("Target.targetInfoChanged")[-1]["targetInfo"]["title"] == "Ours"
        assert stage.heard("Target.targetDestroyed") == [{"targetId": popup.target_id}]


async def test_a_filter_decides_by_its_first_fitting_entry() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        browser = await stage.browser()
        await stage.send("Target.setDiscoverTargets", browser, discover=True, filter=[{}])
        kinds = [e["targetInfo"]["type"] for e in stage.heard("Target.targetCreated", browser)]
        assert kinds == ["browser", "page"]
        other = await stage.browser()
        excluding = [{"type": "page", "exclude": True}, {}]
        await stage.send("Target.setDiscoverTargets", other, discover=True, filter=excluding)
        kinds = [e["targetInfo"]["type"] for e in stage.heard("Target.targetCreated", other)]
        assert kinds == ["browser"]


async def test_a_tab_that_is_told_of_twice_is_one_target() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        extension.opens(FakeTab(2))
        extension.tells("tabCreated", {"tab": extension.tabs[2].shown()})
        await stage.settle()
        assert len(stage.heard("Target.targetCreated")) == 2


async def test_a_tab_whose_target_is_not_known_yet_is_announced_once_it_is() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        tab = FakeTab(2)
        extension.tabs[2] = tab
        extension.tells("tabCreated", {"tab": {**tab.shown(), "targetId": ""}})
        await stage.until(lambda: len(stage.heard("Target.targetCreated")) == 2)
        assert stage.heard("Target.targetCreated")[-1]["targetInfo"]["targetId"] == tab.target_id


async def test_the_main_frame_of_a_prerendered_tab_is_known_by_the_name_of_the_tab() -> None:
    shown, real = "A" * 32, "B" * 32
    tab = FakeTab(1, target_id=shown, frame_id=real)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        made = await stage.send("Target.attachToTarget", targetId=shown, flatten=True)
        session = stage.connection.sessions[SessionId(made["sessionId"])]
        tree = await stage.send("Page.getFrameTree", session)
        assert tree["frameTree"]["frame"]["id"] == shown
        await stage.send("Runtime.enable", session)
        (told,) = stage.heard("Runtime.executionContextCreated", session)
        assert told["context"]["auxData"]["frameId"] == shown
        await stage.send("Page.createIsolatedWorld", session, frameId=shown, worldName="w")
        assert extension.sent("Page.createIsolatedWorld") == [{"frameId": real, "worldName": "w"}]
        # Nobody hears that the tab is another one.
        assert stage.heard("Target.targetDestroyed") == []
        infos = (await stage.send("Target.getTargets"))["targetInfos"]
        assert [i["targetId"] for i in infos] == [shown]


async def test_words_of_a_prerendered_page_that_hold_an_id_reach_both_sides_unchanged() -> None:
    shown, real = "A" * 32, "B" * 32
    tab = FakeTab(1, target_id=shown, frame_id=real)
    extension = FakeExtension(tab)
    said = {"type": "object", "value": {"text": f"{shown} and {real}", "frameId": real}}
    extension.script["Runtime.evaluate"] = lambda _: {"result": said}
    async with open_stage(extension) as stage:
        made = await stage.send("Target.attachToTarget", targetId=shown, flatten=True)
        session = stage.connection.sessions[SessionId(made["sessionId"])]
        asked = {"expression": f"find('{shown}', '{real}')", "returnByValue": True}
        assert await stage.send("Runtime.evaluate", session, **asked) == {"result": said}
        assert extension.sent("Runtime.evaluate") == [asked]


async def test_a_tab_with_another_number_stays_the_target_it_was() -> None:
    extension = FakeExtension(FakeTab(1, target_id="A" * 32), FakeTab(2))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        tab = extension.tabs.pop(1)
        tab.tab_id = 7
        extension.tabs[7] = tab
        extension.tells("tabReplaced", {"tabId": 1, "newTabId": 7})
        await stage.settle()
        assert stage.heard("Target.targetDestroyed") == []
        await stage.attach(tab)
        assert extension.wire("attachTab") == [{"tabId": 7}]


async def test_a_tab_that_shows_the_dashboard_is_no_target_however_it_is_shared() -> None:
    dashboard = "http://127.0.0.1:7411/"
    extension = FakeExtension(FakeTab(1), FakeTab(2, dashboard))
    async with open_stage(extension, hides=lambda url: url.startswith(dashboard)) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        shown = {tab.target_id for tab in extension.tabs.values() if tab.tab_id == 1}
        infos = (await stage.send("Target.getTargets"))["targetInfos"]
        assert {info["targetId"] for info in infos} == shown
        with pytest.raises(CommandFailed):
            await stage.send(
                "Target.attachToTarget", targetId=extension.tabs[2].target_id, flatten=True
            )
        extension.opens(FakeTab(3, f"{dashboard}#tab"))
        extension.updates(1, url=dashboard)
        await stage.settle()
        created = [e["targetInfo"]["targetId"] for e in stage.heard("Target.targetCreated")]
        assert set(created) == shown
        assert (await stage.send("Target.getTargets"))["targetInfos"] == []
        assert extension.wire("attachTab") == []
