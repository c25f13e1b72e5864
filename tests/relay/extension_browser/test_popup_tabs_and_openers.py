"""Popups of the user's Chrome: whose they are, and those that are gone at once."""

from __future__ import annotations

from typing import Any

from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import Stage, open_stage

OPENS = {"url": "about:blank", "windowName": "", "windowFeatures": [], "userGesture": True}


async def watched(stage: Stage, *tabs: FakeTab) -> None:
    """Somebody discovers targets and is on these tabs."""
    await stage.send("Target.setDiscoverTargets", discover=True)
    for tab in tabs:
        await stage.send("Page.enable", await stage.attach(tab))


def told_of(stage: Stage, tab: FakeTab) -> list[dict[str, Any]]:
    """How a tab was told of."""
    created = [e["targetInfo"] for e in stage.heard("Target.targetCreated")]
    return [info for info in created if info["targetId"] == tab.target_id]


async def test_popup_is_its_openers_and_not_that_of_the_tab_in_front() -> None:
    front, behind = FakeTab(1), FakeTab(2)
    async with open_stage(FakeExtension(front, behind)) as stage:
        await watched(stage, front, behind)
        stage.extension.event(2, "Page.windowOpen", OPENS)
        # Chrome names the tab that is in front.
        popup = stage.extension.opens(FakeTab(3, opener=1, opened_by=behind.target_id))
        await stage.until(lambda: told_of(stage, popup))
        (info,) = told_of(stage, popup)
        assert (info["openerId"], info["canAccessOpener"]) == (behind.target_id, True)
        assert len(stage.heard("Page.windowOpen")) == 1


async def test_popup_of_a_page_that_nobody_debugs_is_not_that_of_the_tab_in_front() -> None:
    front, other = FakeTab(1), FakeTab(2)
    async with open_stage(FakeExtension(front, other)) as stage:
        await watched(stage, front)
        popup = stage.extension.opens(FakeTab(3, opener=1, opened_by=other.target_id))
        await stage.until(lambda: told_of(stage, popup))
        assert told_of(stage, popup)[0]["openerId"] == other.target_id


async def test_tab_that_the_user_opens_beside_a_debugged_one_is_nobodys() -> None:
    front = FakeTab(1)
    async with open_stage(FakeExtension(front)) as stage:
        await watched(stage, front)
        tab = stage.extension.opens(FakeTab(2, opener=1))
        await stage.until(lambda: told_of(stage, tab))
        assert not {"openerId", "openedBy"} & told_of(stage, tab)[0].keys()


async def test_link_that_a_client_opens_in_a_tab_of_its_own_has_no_opener_but_is_its() -> None:
    front = FakeTab(1)
    async with open_stage(FakeExtension(front)) as stage:
        await watched(stage, front)
        session = await stage.attach(front)
        click = {"type": "mouseReleased", "x": 1, "y": 1, "button": "middle"}
        await stage.send("Input.dispatchMouseEvent", session, **click)
        tab = stage.extension.opens(FakeTab(2, opener=1))
        await stage.until(lambda: told_of(stage, tab))
        (info,) = told_of(stage, tab)
        assert "openerId" not in info
        assert info["openedBy"] == front.target_id


async def test_popup_is_told_of_once_and_only_when_it_is_known_whose_it_is() -> None:
    front = FakeTab(1)
    extension = FakeExtension(front)
    async with open_stage(extension) as stage:
        await watched(stage, front)
        extension.event(1, "Page.windowOpen", OPENS)
        popup = extension.opens(FakeTab(2, opener=1, opened_by=front.target_id))
        extension.updates(2, title="Loading", url="https://popup.test/")
        await stage.until(lambda: told_of(stage, popup))
        kinds = [
            e.method
            for e in stage.events
            if e.params.get("targetInfo", {}).get("targetId") == popup.target_id
        ]
        assert kinds.count("Target.targetCreated") == 1
        assert kinds[0] == "Target.targetCreated"


async def test_popup_that_is_gone_at_once_is_told_to_have_come_and_gone() -> None:
    front = FakeTab(1)
    extension = FakeExtension(front)
    async with open_stage(extension) as stage:
        await watched(stage, front)
        extension.event(1, "Page.windowOpen", OPENS)
        popup = FakeTab(2, opener=1)
        extension.tells("tabCreated", {"tab": popup.shown()})  # and is closed: it cannot be held
        extension.tells("tabRemoved", {"tabId": 2})
        await stage.until(lambda: told_of(stage, popup))
        assert told_of(stage, popup)[0]["openerId"] == front.target_id
        answer = await stage.send("Target.attachToTarget", targetId=popup.target_id, flatten=True)
        told = stage.heard("Target.detachedFromTarget")[-1]
        assert told == {"sessionId": answer["sessionId"], "targetId": popup.target_id}
        gone = {"targetId": popup.target_id}
        await stage.until(lambda: gone in stage.heard("Target.targetDestroyed"))
        assert stage.heard("Target.targetDestroyed").count(gone) == 1


async def test_popup_that_the_extension_only_glimpsed_is_told_of_too() -> None:
    front = FakeTab(1)
    extension = FakeExtension(front)
    async with open_stage(extension) as stage:
        await watched(stage, front)
        before = len(stage.heard("Target.targetCreated"))
        extension.event(1, "Page.windowOpen", OPENS)
        glimpsed = {"tabId": 7, "targetId": "", "windowId": 1, "url": "about:blank", "title": ""}
        extension.tells("tabGlimpsed", {"tab": glimpsed})
        await stage.until(lambda: len(stage.heard("Target.targetCreated")) > before)
        info = stage.heard("Target.targetCreated")[-1]["targetInfo"]
        assert info["openerId"] == front.target_id
        assert len(info["targetId"]) == 32


async def test_tab_that_is_glimpsed_though_no_page_opened_it_is_told_to_nobody() -> None:
    front = FakeTab(1)
    extension = FakeExtension(front)
    async with open_stage(extension) as stage:
        await watched(stage, front)
        before = len(stage.heard("Target.targetCreated"))
        glimpsed = {"tabId": 7, "targetId": "", "windowId": 1, "url": "about:blank", "title": ""}
        extension.tells("tabGlimpsed", {"tab": glimpsed})
        await stage.settle()
        assert len(stage.heard("Target.targetCreated")) == before


async def test_popup_that_goes_while_a_client_comes_for_it_is_told_to_have_come_and_gone() -> None:
    front = FakeTab(1)
    extension = FakeExtension(front)
    async with open_stage(extension) as stage:
        await watched(stage, front)
        extension.event(1, "Page.windowOpen", OPENS)
        popup = extension.opens(FakeTab(2, opener=1, opened_by=front.target_id))
        await stage.until(lambda: told_of(stage, popup))
        extension.closes(2)
        await stage.settle()
        answer = await stage.send("Target.attachToTarget", targetId=popup.target_id, flatten=True)
        told = stage.heard("Target.detachedFromTarget")[-1]
        assert told == {"sessionId": answer["sessionId"], "targetId": popup.target_id}
        gone = {"targetId": popup.target_id}
        await stage.until(lambda: gone in stage.heard("Target.targetDestroyed"))
        assert len(told_of(stage, popup)) == 1
