"""Commands for the browser as a whole."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pilothouse.cdp import Command, Reply, SessionId
from pilothouse.errors import CdpError, CommandFailed
from pilothouse.relay.extension_browser.root_commands import UNSUPPORTED
from tests.relay.fake_extension import HELD, PRODUCT, USER_AGENT, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


async def test_the_browser_says_its_real_name() -> None:
    async with open_stage(FakeExtension(FakeTab(1))) as stage:
        version = await stage.send("Browser.getVersion")
        assert (version["product"], version["userAgent"]) == (PRODUCT, USER_AGENT)
        info = (await stage.send("Target.getTargetInfo"))["targetInfo"]
        assert info["type"] == "browser"
        contexts = await stage.send("Target.getBrowserContexts")
        assert contexts["browserContextIds"] == []


async def test_every_attach_gives_a_session_of_its_own_and_tells_of_it_first() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        first = await stage.send("Target.attachToTarget", targetId=tab.target_id, flatten=True)
        second = await stage.send("Target.attachToTarget", targetId=tab.target_id, flatten=True)
        told = [e["sessionId"] for e in stage.heard("Target.attachedToTarget")]
        assert told == [first["sessionId"], second["sessionId"]]
        assert all(re.fullmatch(r"[0-9A-F]{32}", name) for name in told)
        assert stage.extension.wire("attachTab") == [{"tabId": 1}]


async def test_a_session_that_is_gone_is_said_to_be_gone() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        await stage.send("Target.detachFromTarget", sessionId=session.id)
        gone = stage.heard("Target.detachedFromTarget")
        assert gone == [{"sessionId": session.id, "targetId": tab.target_id}]
        frames: list[bytes] = []
        stage.connection.trace(lambda way, frame: frames.append(frame))
        number = stage.connection.reserve_id()
        stage.connection.write(
            b'{"id":%d,"method":"Page.enable","sessionId":"%b"}' % (number, session.id.encode())
        )
        assert b"-32001" in frames[-1]
        with pytest.raises(CommandFailed, match="No session with given id"):
            await stage.send("Target.detachFromTarget", sessionId=session.id)


async def test_browser_sessions_have_lives_of_their_own() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.browser(), await stage.browser()
        page, other = await stage.attach(tab, one), await stage.attach(tab, two)
        await stage.send("Target.setDiscoverTargets", two, discover=True)
        assert stage.heard("Target.targetCreated", one) == []
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        assert page.id not in stage.connection.sessions
        await stage.send("Page.enable", other)


async def test_auto_attach_is_answered_when_all_tabs_have_been_told() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2), FakeTab(3, "chrome://settings/"))
    async with open_stage(extension) as stage:
        await stage.send(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )
        told = stage.heard("Target.attachedToTarget")
        ids = [e["targetInfo"]["targetId"] for e in told]
        assert ids == [extension.tabs[1].target_id, extension.tabs[2].target_id]
        extension.opens(FakeTab(4))
        await stage.until(lambda: len(stage.heard("Target.attachedToTarget")) == 3)
        made = await stage.send("Target.createTarget", url="about:blank")
        last = stage.heard("Target.attachedToTarget")[-1]
        assert last["targetInfo"]["targetId"] == made["targetId"]
        assert (
            len({e["targetInfo"]["targetId"] for e in stage.heard("Target.attachedToTarget")}) == 4
        )
        await stage.send("Target.setAutoAttach", autoAttach=False, waitForDebuggerOnStart=False)
        assert stage.connection.sessions == {}


async def test_a_tab_is_opened_activated_and_closed_by_the_extension() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        made = await stage.send("Target.createTarget", url="https://new.test/", background=True)
        assert extension.wire("createTab") == [{"url": "https://new.test/", "active": False}]
        await stage.send("Target.activateTarget", targetId=made["targetId"])
        session = (
            await stage.send("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        )["sessionId"]
        assert await stage.send("Target.closeTarget", targetId=made["targetId"]) == {
            "success": True
        }
        await stage.settle()
        gone = stage.heard("Target.detachedFromTarget")
        assert gone == [{"sessionId": session, "targetId": made["targetId"]}]


@pytest.mark.parametrize(
    "method",
    [
        "Browser.cancelDownload",
        "Browser.grantPermissions",
        "Browser.close",
        "Storage.clearCookies",
        "Target.createBrowserContext",
    ],
)
async def test_what_an_extension_cannot_do_is_refused_by_name(method: str) -> None:
    async with open_stage(FakeExtension(FakeTab(1))) as stage:
        with pytest.raises(CommandFailed, match=f"Pilothouse refuses {method}: ") as failed:
            await stage.send(method)
        assert failed.value.code == -32000


async def test_unknown_commands_and_targets_are_said_to_be_unknown() -> None:
    async with open_stage(FakeExtension(FakeTab(1))) as stage:
        for method in ("SystemInfo.getInfo", "Browser.getHistograms", "Page.enable"):
            with pytest.raises(CommandFailed, match=f"'{method}' wasn't found") as failed:
                await stage.send(method)
            assert failed.value.code == -32601
        with pytest.raises(CommandFailed, match="No target with given id"):
            await stage.send("Target.attachToTarget", targetId="nobody", flatten=True)
        with pytest.raises(CommandFailed, match="browser context"):
            await stage.send("Target.createTarget", url="about:blank", browserContextId="X")


async def test_cookies_go_through_an_awake_tab_and_the_debugger_leaves_it_again() -> None:
    extension = FakeExtension(
        FakeTab(1, "about:blank"), FakeTab(2, discarded=True), FakeTab(3), FakeTab(4)
    )
    async with open_stage(extension, linger_s=0.0) as stage:
        contexts = await stage.send("Target.getBrowserContexts")
        own = contexts["defaultBrowserContextId"]
        assert await stage.send("Storage.getCookies", browserContextId=own) == {"cookies": []}
        assert extension.wire("attachTab") == [{"tabId": 3}]
        assert extension.sent("Storage.getCookies") == [{}]
        await stage.until(lambda: extension.wire("detachTab") == [{"tabId": 3}])
        session = await stage.attach(extension.tabs[4])
        await stage.send("Storage.setCookies", cookies=[])
        assert extension.calls[-1].tab.tab_id == 4
        assert session.id in stage.connection.sessions


async def test_windows_are_those_of_the_tabs() -> None:
    tab = FakeTab(1, window_id=9)
    async with open_stage(FakeExtension(tab)) as stage:
        found = await stage.send("Browser.getWindowForTarget", targetId=tab.target_id)
        assert found["windowId"] == 9
        bounds = (await stage.send("Browser.getWindowBounds", windowId=9))["bounds"]
        assert bounds == found["bounds"]
        await stage.send("Browser.setWindowBounds", windowId=9, bounds={"width": 500})
        assert stage.extension.wire("setWindow")[0]["bounds"] == {"width": 500}
        with pytest.raises(CommandFailed, match="window not found"):
            await stage.send("Browser.getWindowBounds", windowId=1)


async def test_a_title_is_asked_of_the_debugger_where_it_is_on() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    fresh = {"targetInfo": {"title": "Now", "url": "https://now.test/"}}
    extension.script["Target.getTargetInfo"] = lambda _: fresh
    async with open_stage(extension) as stage:
        before = await stage.send("Target.getTargetInfo", targetId=tab.target_id)
        assert before["targetInfo"]["title"] == "Example"
        await stage.attach(tab)
        after = await stage.send("Target.getTargetInfo", targetId=tab.target_id)
        assert after["targetInfo"]["title"] == "Now"
        assert after["targetInfo"]["targetId"] == tab.target_id


async def test_commands_in_flight_fail_when_their_tab_closes() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, FakeTab(2))
    extension.script["Runtime.evaluate"] = lambda _: HELD
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        waiting: Reply[Any] = session.send(Command("Runtime.evaluate"), 5.0)
        extension.closes(1)
        with pytest.raises(CdpError):
            await waiting
        assert SessionId(session.id) not in stage.connection.sessions


def test_every_limit_names_what_is_refused() -> None:
    for method, wrong in UNSUPPORTED.items():
        assert wrong.code == -32000
        assert wrong.message.startswith(f"Pilothouse refuses {method}: ")
