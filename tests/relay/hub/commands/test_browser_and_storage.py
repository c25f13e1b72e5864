"""Commands about the browser hold for the client's own cookie jar."""

from __future__ import annotations

import pytest

from tests.page_server import Pages
from tests.relay.hub_client import Failure, came
from tests.relay.hub_server import Hosted, hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_cookies_are_those_of_the_client_s_jar(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    cookie = {"name": "k", "value": "v", "url": place.pages.url("/")}
    await me.ask("Storage.setCookies", {"cookies": [cookie]})
    assert len((await me.ask("Storage.getCookies"))["cookies"]) == 1
    assert (await other.ask("Storage.getCookies"))["cookies"] == []
    await other.ask("Storage.clearCookies")
    assert len((await me.ask("Storage.getCookies"))["cookies"]) == 1
    await me.ask("Storage.clearCookies")
    assert (await me.ask("Storage.getCookies"))["cookies"] == []
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_another_s_jar_is_not_there(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    jar = (await other.ask("Target.createBrowserContext"))["browserContextId"]
    for method in ("Storage.getCookies", "Browser.resetPermissions", "Storage.clearCookies"):
        with pytest.raises(Failure, match="Failed to find browser context"):
            await me.ask(method, {"browserContextId": jar})
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_a_profile_that_is_not_the_client_s_is_never_cleared(place: Hosted) -> None:
    tab = await place.sup.open_tab("somebody")
    target = place.sup.state.tabs[tab].target_id
    me = await came(place.hub, tabs=(target,))
    params = {"targetId": target, "flatten": True}
    session = (await me.ask("Target.attachToTarget", params))["sessionId"]
    for method in ("Network.clearBrowserCookies", "Network.clearBrowserCache"):
        with pytest.raises(Failure, match=f"Pilothouse refuses {method}"):
            await me.ask(method, {}, session)
    _, own = await me.page()
    await me.ask("Network.clearBrowserCookies", {}, own)
    me.guest.on_disconnect("done")
    await place.sup.close_tab(tab)


async def test_windows_are_those_of_the_client_s_tabs(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    window = (await me.ask("Browser.getWindowForTarget", {}, session))["windowId"]
    assert (await me.ask("Browser.getWindowForTarget", {"targetId": target}))["windowId"] == window
    assert "bounds" in await me.ask("Browser.getWindowBounds", {"windowId": window})
    with pytest.raises(Failure, match="Browser window not found"):
        await me.ask("Browser.getWindowBounds", {"windowId": window + 1000})
    me.guest.on_disconnect("done")


@pytest.mark.boundary
@pytest.mark.parametrize("method", ["Tracing.start", "SystemInfo.getInfo", "Browser.getHistograms"])
async def test_what_tells_of_others_is_refused_also_while_nobody_else_is_there(
    place: Hosted, method: str
) -> None:
    me = await came(place.hub)
    with pytest.raises(Failure, match=f"Pilothouse refuses {method}"):
        await me.ask(method)
    me.guest.on_disconnect("done")


async def test_the_browser_is_real_and_outlives_who_closes_it(place: Hosted) -> None:
    me, other = await came(place.hub), await came(place.hub)
    target, _ = await me.page()
    foreign, session = await other.page()
    assert (await me.ask("Browser.getVersion"))["product"].startswith("Chrome/")
    await me.ask("Browser.close")
    assert me.closed
    assert place.sup.state.tab_of_target(target) is None
    assert place.sup.state.tab_of_target(foreign) is not None
    assert await other.value(session, "1") == 1
    other.guest.on_disconnect("done")


async def test_certificates_that_a_client_ignores_are_ignored_in_its_own_tabs(
    place: Hosted,
) -> None:
    me, other = await came(place.hub), await came(place.hub)
    _, before = await me.page()
    await me.ask("Security.setIgnoreCertificateErrors", {"ignore": True})
    _, after = await me.page()
    _, foreign = await other.page()
    with Pages(https=True) as pages:
        pages.add("/", "<title>secret</title>")
        address = {"url": pages.url("/")}
        for session in (before, after):
            assert "errorText" not in await me.ask("Page.navigate", address, session)
        refused = await other.ask("Page.navigate", address, foreign)
    assert "ERR_CERT" in refused["errorText"]
    for client in (me, other):
        client.guest.on_disconnect("done")


async def test_what_holds_for_the_whole_browser_is_for_whoever_is_alone_in_it(
    place: Hosted,
) -> None:
    me = await came(place.hub)
    assert (await me.ask("Emulation.getScreenInfos"))["screenInfos"]
    tab = await place.sup.open_tab("somebody")
    screen = {"left": 800, "top": 0, "width": 640, "height": 480}
    with pytest.raises(Failure, match=r"Pilothouse refuses Emulation\.addScreen"):
        await me.ask("Emulation.addScreen", screen)
    await place.sup.close_tab(tab)
    me.guest.on_disconnect("done")


async def test_the_blank_first_tab_of_a_browser_is_nobodys() -> None:
    async with hosted() as place:
        me = await came(place.hub)
        screen = {"left": 800, "top": 0, "width": 640, "height": 480}
        added = (await me.ask("Emulation.addScreen", screen))["screenInfo"]["id"]
        await me.ask("Emulation.removeScreen", {"screenId": added})
        me.guest.on_disconnect("done")
