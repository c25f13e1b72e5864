"""On a page's session passes what stays within the page; nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.commands.page_session import ACTION_METHODS, PAGE_COMMANDS
from pilothouse.security.cdp_policy import RELAY, Check
from tests.relay.hub_client import Failure, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_every_decided_method_is_carried_out_and_nothing_else() -> None:
    assert PAGE_COMMANDS.keys() == RELAY.keys()
    judged = (Check.HANDLED, Check.URL, Check.HISTORY)
    handled = [method for method, decision in RELAY.items() if decision.check in judged]
    assert all(PAGE_COMMANDS[method] is not RelayClient.forward for method in handled)
    assert set(ACTION_METHODS) <= RELAY.keys()


@pytest.mark.boundary
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Tracing.start", {"transferMode": "ReportEvents"}),
        ("SystemInfo.getInfo", {}),
        ("SystemInfo.getProcessInfo", {}),
        ("Browser.getBrowserCommandLine", {}),
        ("Browser.getHistograms", {}),
        ("Memory.getBrowserSamplingProfile", {}),
        ("Target.exposeDevToolsProtocol", {"targetId": "x"}),
        ("Input.setIgnoreInputEvents", {"ignore": True}),
        ("IO.read", {"handle": "blob:x"}),
        (
            "Input.dispatchDragEvent",
            {"type": "drop", "x": 1, "y": 1, "data": {"items": [], "files": ["/etc/passwd"]}},
        ),
    ],
)
async def test_what_reaches_beyond_a_page_is_refused_with_a_reason(
    place: Hosted, method: str, params: dict[str, Any]
) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    with pytest.raises(Failure, match=f"Pilothouse refuses {method}: .*; instead "):
        await me.ask(method, params, session)
    me.guest.on_disconnect("done")


@pytest.mark.boundary
async def test_a_method_that_nobody_decided_about_does_not_exist(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    with pytest.raises(Failure, match=r"'Future\.readEverything' wasn't found"):
        await me.ask("Future.readEverything", {}, session)
    me.guest.on_disconnect("done")


@pytest.mark.boundary
async def test_quota_of_a_site_is_told_in_a_jar_of_one_s_own_only(place: Hosted) -> None:
    tab = await place.sup.open_tab("somebody")
    target = place.sup.state.tabs[tab].target_id
    me = await came(place.hub, tabs=(target,))
    params = {"targetId": target, "flatten": True}
    shared = (await me.ask("Target.attachToTarget", params))["sessionId"]
    _, own = await me.page()
    origin = {"origin": "https://bank.example"}
    assert (await me.ask("Storage.getUsageAndQuota", origin, own))["usage"] == 0
    with pytest.raises(Failure, match=r"Pilothouse refuses Storage\.getUsageAndQuota"):
        await me.ask("Storage.getUsageAndQuota", origin, shared)
    me.guest.on_disconnect("done")
    await place.sup.close_tab(tab)


async def test_acting_on_a_tab_takes_its_lease(place: Hosted) -> None:
    me = await came(place.hub, label="actor")
    target, session = await me.page()
    assert place.hub.conflict_detector.last_activity(target) is None
    await me.ask("Page.navigate", {"url": "about:blank"}, session)
    lease = place.hub.conflict_detector.last_activity(target)
    assert lease is not None
    assert lease.label == "actor"
    me.guest.on_disconnect("done")
    assert place.hub.conflict_detector.last_activity(target) is None


async def test_a_page_may_close_itself(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    me.tell("Page.close", {}, session)
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)
    me.guest.on_disconnect("done")
