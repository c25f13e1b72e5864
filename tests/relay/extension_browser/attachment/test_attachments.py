"""When the debugger is put on a tab and taken off it, and by whom."""

from __future__ import annotations

import pytest

from pilothouse.errors import CommandFailed
from pilothouse.relay.extension_browser.user_stop_reasons import CANCELLED, STOPPED, TAKEN_BACK
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage

WORLDS = ("Runtime.executionContextCreated", "Runtime.executionContextsCleared")


async def test_the_debugger_leaves_a_tab_that_nobody_uses_after_a_while() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab), linger_s=0.0) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        await stage.settle()
        assert stage.extension.wire("detachTab") == []
        await stage.send("Target.detachFromTarget", sessionId=two.id)
        await stage.until(lambda: stage.extension.wire("detachTab") == [{"tabId": 1}])
        await stage.attach(tab)
        assert len(stage.extension.wire("attachTab")) == 2


async def test_who_comes_back_in_time_finds_the_debugger_still_on() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab), linger_s=60.0) as stage:
        one = await stage.attach(tab)
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        await stage.attach(tab)
        assert len(stage.extension.wire("attachTab")) == 1


async def test_a_page_that_says_nothing_is_attached_all_the_same() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Page.getFrameTree"] = lambda _: HELD
    async with open_stage(extension) as stage:
        assert (await stage.attach(tab)).target_id == tab.target_id


async def test_a_tab_that_chrome_refuses_says_why() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2, "chrome://settings/"))
    async with open_stage(extension) as stage:
        with pytest.raises(CommandFailed, match="Cannot access a chrome:// URL"):
            await stage.attach(extension.tabs[2])
        await stage.attach(extension.tabs[1])


async def test_a_debugger_that_fell_off_a_living_tab_is_put_on_again_with_everything_set() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        for domain in ("Page", "Runtime"):
            await stage.send(f"{domain}.enable", session)
        await stage.send("Page.addScriptToEvaluateOnNewDocument", session, source="1")
        await stage.send("Runtime.addBinding", session, name="ring")
        await stage.send("Emulation.setTimezoneOverride", session, timezoneId="Asia/Tokyo")
        before = len(extension.calls)
        extension.detaches(1)
        await stage.settle()
        # It waits until the debugger is back.
        await stage.send("Runtime.evaluate", session, expression="1")
        again = [call.method for call in extension.calls[before:]]
        assert again[:2] == ["Page.enable", "Runtime.enable"]
        assert {"Runtime.addBinding", "Emulation.setTimezoneOverride"} <= set(again)
        assert again[-1] == "Runtime.evaluate"
        assert len(extension.wire("attachTab")) == 2
        # The same worlds, but every object in them is gone: so they are told as new ones.
        told = [e for e in stage.events if e.method in WORLDS]
        assert [e.method for e in told] == [WORLDS[0], WORLDS[1], WORLDS[0]]
        assert stage.heard("Target.detachedFromTarget") == []


async def test_a_tab_that_takes_no_debugger_any_more_ends_its_sessions() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, FakeTab(2))
    async with open_stage(extension, retry_s=(0.0, 0.01, 0.01, 0.01)) as stage:
        session = await stage.attach(tab)
        tab.url = "chrome://settings/"
        extension.detaches(1)
        await stage.until(lambda: session.id not in stage.connection.sessions)
        assert len(extension.wire("attachTab")) == 5
        assert stage.heard("Target.targetDestroyed") == []


async def test_cancel_by_the_user_is_final_for_all_tabs_until_the_user_attaches() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2))
    async with open_stage(extension) as stage:
        one, two = await stage.attach(extension.tabs[1]), await stage.attach(extension.tabs[2])
        extension.detaches(1, "canceled_by_user")
        await stage.settle()
        gone = {e["sessionId"] for e in stage.heard("Target.detachedFromTarget")}
        assert gone == {one.id, two.id}
        assert stage.lent.status()["state"] == "cancelled"
        for tab in extension.tabs.values():
            with pytest.raises(CommandFailed, match="the user pressed Cancel on Chrome's"):
                await stage.attach(tab)
            assert stage.lent.user_stop_of(tab.target_id) == CANCELLED
        with pytest.raises(CommandFailed, match="the user pressed Cancel on Chrome's"):
            await stage.send("Target.createTarget", url="about:blank")
        assert len(extension.wire("attachTab")) == 2
        extension.tells("userAction", {"kind": "attach", "tabId": 1})
        await stage.settle()
        await stage.attach(extension.tabs[1])
        assert stage.lent.status()["state"] == "connected"


async def test_a_tab_that_the_user_took_back_is_not_attached_again() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2))
    async with open_stage(extension) as stage:
        one, two = await stage.attach(extension.tabs[1]), await stage.attach(extension.tabs[2])
        extension.tells("userAction", {"kind": "detach", "tabId": 1})
        await stage.settle()
        assert set(stage.connection.sessions) == {two.id}
        with pytest.raises(CommandFailed, match="the user took this tab back"):
            await stage.attach(extension.tabs[1])
        assert stage.lent.user_stop_of(extension.tabs[1].target_id) == TAKEN_BACK
        assert stage.lent.user_stop_of(extension.tabs[2].target_id) is None
        extension.tells("userAction", {"kind": "detach", "state": "stopped"})
        await stage.settle()
        assert stage.lent.status()["state"] == "stopped"
        assert stage.lent.user_stop_of(extension.tabs[2].target_id) == STOPPED
        assert one.id not in stage.connection.sessions


async def test_a_pause_by_the_user_refuses_everything_until_it_ends() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        extension.sets(paused=True)
        await stage.settle()
        with pytest.raises(CommandFailed, match="the user paused all agents"):
            await stage.send("Page.enable", session)
        extension.sets(paused=False)
        await stage.settle()
        await stage.send("Page.enable", session)


async def test_the_users_restrictions_hold_for_what_goes_to_a_tab() -> None:
    tab = FakeTab(1, "https://mine.test/")
    extension = FakeExtension(tab, settings={"lockUrl": True, "noNewTabs": True})
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.navigate", session, url="https://mine.test/other")
        with pytest.raises(CommandFailed, match=r"locked this tab to https://mine\.test"):
            await stage.send("Page.navigate", session, url="https://else.test/")
        with pytest.raises(CommandFailed, match="no new tabs"):
            await stage.send("Target.createTarget", url="about:blank")
        await stage.send("Page.enable", session)
        frame = {"id": tab.frame_id, "url": "https://else.test/", "loaderId": "L9"}
        extension.event(1, "Page.frameNavigated", {"frame": frame, "type": "Navigation"})
        await stage.settle()
        with pytest.raises(CommandFailed, match="it is elsewhere"):
            await stage.send("Runtime.evaluate", session, expression="1")


async def test_a_tab_that_rests_gets_its_debugger_back_with_the_next_command() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.enable", session)
        extension.detaches(1, "idle")
        await stage.settle()
        assert len(extension.wire("attachTab")) == 1
        assert stage.heard("Target.detachedFromTarget") == []
        await stage.send("Runtime.evaluate", session, expression="1")
        assert len(extension.wire("attachTab")) == 2
        assert extension.methods().count("Page.enable") == 2


@pytest.mark.parametrize("reason", ["detached_by_user", "not_shared"])
async def test_what_the_user_took_away_is_not_tried_again(reason: str) -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        extension.detaches(1, reason)
        await stage.settle()
        assert session.id not in stage.connection.sessions
        assert len(extension.wire("attachTab")) == 1


async def test_a_debugger_from_a_life_before_is_taken_off_first() -> None:
    tab = FakeTab(1, attached=True)
    tab.enabled[""] = {"Runtime"}
    async with open_stage(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        assert [name for name, _ in stage.extension.asked[1:3]] == ["detachTab", "attachTab"]
        await stage.send("Runtime.enable", session)
        assert len(stage.heard("Runtime.executionContextCreated", session)) == 1


async def test_who_attaches_by_itself_gets_the_tabs_when_the_user_allows_it_again() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2))
    async with open_stage(extension) as stage:
        await stage.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False)
        extension.tells("userAction", {"kind": "detach"})
        await stage.settle()
        assert stage.connection.sessions == {}
        extension.tells("userAction", {"kind": "attach"})
        await stage.until(lambda: len(stage.connection.sessions) == 2)


async def test_of_a_tab_that_is_closed_nobody_is_told_that_its_scripts_ended_before() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab, FakeTab(2))) as stage:
        session = await stage.attach(tab)
        await stage.send("Runtime.enable", session)
        stage.extension.closes(1)
        await stage.until(lambda: stage.heard("Target.detachedFromTarget"))
        assert not stage.heard("Runtime.executionContextsCleared", session)


class Ending(FakeExtension):
    """Its Chrome tells of the end of the scripts before that of the tab."""

    def closes(self, tab_id: int) -> None:
        self.event(tab_id, "Runtime.executionContextsCleared", {})
        super().closes(tab_id)


async def test_ends_of_scripts_are_not_told_of_a_page_that_is_being_closed() -> None:
    tab = FakeTab(1)
    async with open_stage(Ending(tab, FakeTab(2))) as stage:
        session = await stage.attach(tab)
        await stage.send("Runtime.enable", session)
        await stage.send("Target.closeTarget", targetId=tab.target_id)
        await stage.until(lambda: stage.heard("Target.detachedFromTarget"))
        assert not stage.heard("Runtime.executionContextsCleared", session)
