"""What a client is told of targets: its own come, change and go; others never were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pilothouse.relay.hub.synthetic_tab_targets import tab_id
from tests.relay.hub_client import came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def about(target: str, url: str = "") -> Callable[[dict[str, Any]], bool]:
    """Whether an event is about a target, at an address if one is given."""

    def matches(params: dict[str, Any]) -> bool:
        info = params.get("targetInfo", params)
        return bool(info["targetId"] == target and (not url or info["url"] == url))

    return matches


async def test_a_target_is_told_from_its_birth_to_its_end(place: Hosted) -> None:
    url = place.pages.add("/told.html", "<title>told</title>")
    me = await came(place.hub)
    await me.ask("Target.setDiscoverTargets", {"discover": True, "filter": [{}]})
    await me.event("Target.targetCreated", where=lambda p: p["targetInfo"]["type"] == "browser")
    target, _ = await me.page(url)
    above = tab_id(target)
    for name in (target, above):
        await me.event("Target.targetCreated", where=about(name))
    await me.event("Target.targetInfoChanged", where=about(target, url))
    await me.ask("Target.closeTarget", {"targetId": target})
    for name in (target, above):
        await me.event("Target.targetDestroyed", where=about(name))
    # As Chrome does: a tab target has a beginning and an end, and no changes.
    changes = [m["params"] for m in me.heard if m.get("method") == "Target.targetInfoChanged"]
    assert [p for p in changes if p["targetInfo"]["type"] == "tab"] == []
    me.guest.on_disconnect("done")


async def test_a_popup_is_told_with_its_opener_and_a_stranger_s_tab_is_not(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    await me.ask("Target.setDiscoverTargets", {"discover": True})
    target, session = await me.page()
    foreign, _ = await other.page()
    params = {"expression": "void window.open('about:blank')", "userGesture": True}
    await me.ask("Runtime.evaluate", params, session)
    popup = await me.event(
        "Target.targetCreated", where=lambda p: p["targetInfo"].get("openerId") == target
    )
    assert popup["targetInfo"]["type"] == "page"
    told = [m["params"]["targetInfo"]["targetId"] for m in me.heard if "targetInfo" in str(m)]
    assert foreign not in told
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_a_tab_that_was_given_is_seen_without_its_opener(place: Hosted) -> None:
    opener = await place.sup.open_tab("giver")
    run = {"expression": "void window.open('about:blank')", "userGesture": True}
    await place.sup.cdp("Runtime.evaluate", run, tab=opener)
    popup = await place.sup.wait_for(
        lambda s: next((t for t in s.tabs.values() if t.opener == opener), None), 20
    )
    me = await came(place.hub, tabs=(popup.target_id,))
    infos = (await me.ask("Target.getTargets"))["targetInfos"]
    assert [(i["targetId"], "openerId" in i) for i in infos] == [(popup.target_id, False)]
    me.guest.on_disconnect("done")
    for tab in (popup.id, opener):
        await place.sup.close_tab(tab)
