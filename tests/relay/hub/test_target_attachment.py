"""What is attached by itself, and what waits: nothing of a client's runs before its word."""

from __future__ import annotations

import asyncio

import pytest

from tests.relay.hub_client import Talk, came
from tests.relay.hub_server import WITHIN_S, Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
RESUME = "Runtime.runIfWaitingForDebugger"


async def attached(me: Talk, target: str = "", parent: str = "") -> str:
    """The session that was attached, on a target if one is named."""
    params = await me.event(
        "Target.attachedToTarget",
        parent,
        lambda p: not target or p["targetInfo"]["targetId"] == target,
    )
    return str(params["sessionId"])


async def test_a_page_runs_when_both_clients_of_its_owner_have_spoken(place: Hosted) -> None:
    first, second = await came(place.hub, owner="pair"), await came(place.hub, owner="pair")
    clients = [first, second]
    for client in clients:
        await client.ask("Target.setAutoAttach", AUTO)
    target = (await first.ask("Target.createTarget", {"url": "about:blank"}))["targetId"]
    sessions = [await attached(client, target) for client in clients]
    number = first.tell(RESUME, {}, sessions[0])
    script = {"source": "window.late = 1", "runImmediately": True}
    second.tell("Page.enable", {}, sessions[1])
    added = second.tell("Page.addScriptToEvaluateOnNewDocument", script, sessions[1])
    assert not [m for m in first.heard if m.get("id") == number]
    await second.ask(RESUME, {}, sessions[1])
    await first.find(lambda m: m.get("id") == number)
    await second.find(lambda m: m.get("id") == added)
    assert await first.value(sessions[0], "window.late") == 1
    for client in clients:
        client.guest.on_disconnect("done")


async def test_a_client_that_leaves_keeps_nothing_waiting(place: Hosted) -> None:
    me = await came(place.hub, owner="leaver")
    await me.ask("Target.setAutoAttach", AUTO)
    target = (await me.ask("Target.createTarget", {"url": "about:blank"}))["targetId"]
    await attached(me, target)
    me.guest.on_disconnect("done")
    tab = await place.sup.wait_for(lambda s: s.tab_of_target(target), WITHIN_S)
    outcome = await place.sup.cdp("Runtime.evaluate", {"expression": "1"}, tab=tab.id)
    assert outcome.value is not None
    await place.sup.close_tab(tab.id)


async def test_a_stranger_with_auto_attach_holds_up_nobody_s_tabs(place: Hosted) -> None:
    stranger = await came(place.hub)
    await stranger.ask("Target.setAutoAttach", AUTO)
    tab = await place.sup.open_tab("me")
    outcome = await place.sup.cdp("Runtime.evaluate", {"expression": "1"}, tab=tab)
    assert outcome.value is not None
    assert not [m for m in stranger.heard if m.get("method") == "Target.attachedToTarget"]
    stranger.guest.on_disconnect("done")
    await place.sup.close_tab(tab)


async def test_a_worker_of_a_page_waits_for_the_client(place: Hosted) -> None:
    place.pages.add("/work.js", "postMessage(self.before)")
    url = place.pages.add(
        "/work.html", "<script>new Worker('/work.js').onmessage = e => got = e.data</script>"
    )
    me = await came(place.hub)
    _, page = await me.page()
    await me.ask("Target.setAutoAttach", AUTO, page)
    await me.ask("Page.enable", {}, page)
    await me.ask("Page.navigate", {"url": url}, page)
    worker = await attached(me, parent=page)
    me.tell("Runtime.evaluate", {"expression": "self.before = 5"}, worker)
    await me.ask(RESUME, {}, worker)
    wait = "new Promise(r => { (function f() { window.got ? r(got) : setTimeout(f, 5) })() })"
    assert await me.value(page, wait) == 5
    me.guest.on_disconnect("done")


async def test_a_service_worker_of_the_client_s_jar_is_attached_at_the_root(place: Hosted) -> None:
    place.pages.add("/serve.js", "self.x = 42")
    url = place.pages.add(
        "/serve.html", "<script>navigator.serviceWorker.register('/serve.js')</script>"
    )
    me = await came(place.hub)
    await me.ask("Target.setAutoAttach", AUTO)
    target = (await me.ask("Target.createTarget", {"url": "about:blank"}))["targetId"]
    page = await attached(me, target)
    await me.ask(RESUME, {}, page)
    await me.ask("Page.navigate", {"url": url}, page)
    found = await me.event(
        "Target.attachedToTarget", where=lambda p: p["targetInfo"]["type"] == "service_worker"
    )
    await me.ask(RESUME, {}, found["sessionId"])
    # Its script runs some time after it was let run.
    async with asyncio.timeout(WITHIN_S):
        while await me.value(found["sessionId"], "self.x ?? 0") != 42:
            pass
    me.guest.on_disconnect("done")
