"""Tabs above pages, as Puppeteer wants them: a session on a tab leads to the page below."""

from __future__ import annotations

import pytest

from pilothouse.relay.hub.synthetic_tab_targets import tab_id
from tests.relay.hub_client import Talk, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TABS = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    "filter": [{"type": "page", "exclude": True}, {}],
}


async def opened(me: Talk) -> tuple[str, str]:
    """A new tab: the page's target, and the tab's session."""
    target = (await me.ask("Target.createTarget", {"url": "about:blank"}))["targetId"]
    above = tab_id(target)
    attached = await me.event(
        "Target.attachedToTarget", where=lambda p: p["targetInfo"]["targetId"] == above
    )
    assert attached["targetInfo"]["type"] == "tab"
    return target, attached["sessionId"]


async def test_the_page_is_attached_on_the_session_of_its_tab(place: Hosted) -> None:
    me = await came(place.hub)
    await me.ask("Target.setAutoAttach", TABS)
    target, tab = await opened(me)
    await me.ask("Target.setAutoAttach", {**TABS, "filter": [{}]}, tab)
    await me.ask("Runtime.runIfWaitingForDebugger", {}, tab)
    page = await me.event("Target.attachedToTarget", tab)
    assert (page["targetInfo"]["targetId"], page["waitingForDebugger"]) == (target, True)
    await me.ask("Runtime.runIfWaitingForDebugger", {}, page["sessionId"])
    assert await me.value(page["sessionId"], "1") == 1
    info = (await me.ask("Target.getTargetInfo", {}, tab))["targetInfo"]
    assert (info["type"], info["targetId"]) == ("tab", tab_id(target))
    await me.ask("Target.closeTarget", {"targetId": target})
    await me.event("Target.detachedFromTarget", where=lambda p: p["sessionId"] == tab)
    me.guest.on_disconnect("done")


async def test_a_tab_whose_page_nobody_wants_runs_all_the_same(place: Hosted) -> None:
    me = await came(place.hub)
    await me.ask("Target.setAutoAttach", TABS)
    target, tab = await opened(me)
    await me.ask("Runtime.runIfWaitingForDebugger", {}, tab)
    await me.ask("Target.detachFromTarget", {"sessionId": tab})
    params = {"targetId": target, "flatten": True}
    session = (await me.ask("Target.attachToTarget", params))["sessionId"]
    assert await me.value(session, "1") == 1
    me.guest.on_disconnect("done")


async def test_a_client_that_comes_later_finds_the_tabs_of_its_owner(place: Hosted) -> None:
    first = await came(place.hub, owner="shared")
    target, _ = await first.page()
    second = await came(place.hub, owner="shared")
    await second.ask("Target.setAutoAttach", TABS)
    tab = (await second.event("Target.attachedToTarget"))["sessionId"]
    await second.ask("Target.setAutoAttach", {**TABS, "filter": [{}]}, tab)
    page = await second.event("Target.attachedToTarget", tab)
    assert page["targetInfo"]["targetId"] == target
    assert await second.value(page["sessionId"], "3") == 3
    for client in (first, second):
        client.guest.on_disconnect("done")
