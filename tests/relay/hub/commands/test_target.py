"""Commands about targets: a client has what is its own, and the rest is not there."""

from __future__ import annotations

import pytest

from tests.relay.hub_client import Failure, Talk, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


async def test_a_new_tab_is_attached_before_the_reply_tells_of_it(place: Hosted) -> None:
    me = await came(place.hub)
    await me.ask("Target.setAutoAttach", AUTO)
    number = me.tell("Target.createTarget", {"url": "about:blank"})
    reply = await me.find(lambda m: m.get("id") == number)
    attached = await me.event("Target.attachedToTarget")
    assert attached["targetInfo"]["targetId"] == reply["result"]["targetId"]
    assert attached["waitingForDebugger"] is True
    order = [m.get("method") or m.get("id") for m in me.heard]
    assert order.index("Target.attachedToTarget") < order.index(number)
    me.guest.on_disconnect("done")


async def test_a_tab_with_an_address_shows_it_with_the_client_s_scripts(place: Hosted) -> None:
    url = place.pages.add("/seen.html", "<script>seen = window.before</script>")
    me = await came(place.hub)
    await me.ask("Target.setAutoAttach", AUTO)
    number = me.tell("Target.createTarget", {"url": url})
    session = (await me.event("Target.attachedToTarget"))["sessionId"]
    me.tell("Page.enable", {}, session)
    script = {"source": "window.before = 1"}
    me.tell("Page.addScriptToEvaluateOnNewDocument", script, session)
    me.tell("Runtime.runIfWaitingForDebugger", {}, session)
    await me.find(lambda m: m.get("id") == number)
    await me.event("Page.frameNavigated", session, lambda p: p["frame"]["url"] == url)
    loaded = "document.readyState == 'complete' ? r(window.seen) : onload = () => r(window.seen)"
    assert await me.value(session, f"new Promise(r => {loaded})") == 1
    me.guest.on_disconnect("done")


async def test_targets_of_others_are_not_there(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    foreign, session = await other.page()
    own, _ = await me.page()
    listed = (await me.ask("Target.getTargets"))["targetInfos"]
    assert [info["targetId"] for info in listed if info["type"] == "page"] == [own]
    asked: list[tuple[str, dict[str, object]]] = [
        ("Target.attachToTarget", {"targetId": foreign, "flatten": True}),
        ("Target.closeTarget", {"targetId": foreign}),
        ("Target.activateTarget", {"targetId": foreign}),
        ("Target.getTargetInfo", {"targetId": foreign}),
        ("Browser.getWindowForTarget", {"targetId": foreign}),
    ]
    for method, params in asked:
        with pytest.raises(Failure, match="No target with given id found"):
            await me.ask(method, params)
    with pytest.raises(Failure, match="Session with given id not found") as caught:
        await me.ask("Page.enable", {}, session)
    assert caught.value.code == -32001
    assert await other.value(session, "1") == 1
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_who_asks_for_no_target_gets_the_one_it_speaks_to(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    assert (await me.ask("Target.getTargetInfo"))["targetInfo"]["type"] == "browser"
    own = (await me.ask("Target.getTargetInfo", {}, session))["targetInfo"]
    assert (own["targetId"], own["attached"]) == (target, True)
    me.guest.on_disconnect("done")


async def test_each_attach_gives_a_session_of_its_own(place: Hosted) -> None:
    me = await came(place.hub)
    target, first = await me.page()
    params = {"targetId": target, "flatten": True}
    second = (await me.ask("Target.attachToTarget", params))["sessionId"]
    assert first != second
    await me.ask("Target.detachFromTarget", {"sessionId": second})
    with pytest.raises(Failure, match="Session with given id not found"):
        await me.value(second, "1")
    assert await me.value(first, "1") == 1
    for wrong in (second, "nonsense", ""):
        with pytest.raises(Failure, match="No session with given id"):
            await me.ask("Target.detachFromTarget", {"sessionId": wrong})
    with pytest.raises(Failure, match="only flat sessions"):
        await me.ask("Target.attachToTarget", {"targetId": target})
    me.guest.on_disconnect("done")


async def test_a_browser_session_beside_the_root_has_tabs_of_its_own(place: Hosted) -> None:
    me = await came(place.hub)
    beside = (await me.ask("Target.attachToBrowserTarget"))["sessionId"]
    target, _ = await me.page()
    params = {"targetId": target, "flatten": True}
    session = (await me.ask("Target.attachToTarget", params, beside))["sessionId"]
    assert (await me.event("Target.attachedToTarget", beside))["sessionId"] == session
    assert await me.value(session, "2") == 2
    await me.ask("Target.detachFromTarget", {"sessionId": beside})
    with pytest.raises(Failure, match="Session with given id not found"):
        await me.value(session, "1")
    me.guest.on_disconnect("done")


async def test_cookie_jars_are_the_client_s_and_end_with_it(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    jar = (await me.ask("Target.createBrowserContext"))["browserContextId"]
    assert (await me.ask("Target.getBrowserContexts"))["browserContextIds"] == [jar]
    assert (await other.ask("Target.getBrowserContexts"))["browserContextIds"] == []
    for method in ("Target.createTarget", "Target.disposeBrowserContext"):
        with pytest.raises(Failure, match="Failed to find browser context"):
            await other.ask(method, {"url": "about:blank", "browserContextId": jar})
    target, _ = await me.page(browserContextId=jar)
    await me.ask("Target.disposeBrowserContext", {"browserContextId": jar})
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_what_no_client_may_do_is_refused_by_name(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    for method in ("Target.exposeDevToolsProtocol", "Browser.crash", "Extensions.loadUnpacked"):
        with pytest.raises(Failure, match=f"Pilothouse refuses {method}: .*; instead "):
            await me.ask(method)
    with pytest.raises(Failure, match=r"Pilothouse refuses Browser\.crash"):
        await me.ask("Browser.crash", {}, session)
    with pytest.raises(Failure, match=r"'Foo\.bar' wasn't found") as caught:
        await me.ask("Foo.bar")
    assert caught.value.code == -32601
    me.guest.on_disconnect("done")


async def closed(me: Talk, target: str) -> None:
    assert await me.ask("Target.closeTarget", {"targetId": target}) == {"success": True}
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)


async def test_a_tab_is_closed_and_its_session_s_end_is_told(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    await closed(me, target)
    with pytest.raises(Failure, match="Session with given id not found"):
        await me.value(session, "1")
    me.guest.on_disconnect("done")
