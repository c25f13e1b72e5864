"""Every address that a client names is judged, on every command that takes one."""

from __future__ import annotations

import json

import pytest

from pilothouse.relay.hub.commands.page_session import PAGE_COMMANDS
from pilothouse.relay.hub.navigation_policy import INVALID_URL, NAVIGATION_COMMANDS
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from tests.relay.hub_client import Failure, Talk, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CLOSED = """
about:version
about:crash
about:settings
about:BLANK
about:blank/
about://version
chrome://settings
CHROME://history
chrome://accessibility
chrome-error://chromewebdata/
chrome-extension://abcdefghijklmnopabcdefghijklmnop/x.html
devtools://devtools/bundled/inspector.html
view-source:http://127.0.0.1/
javascript:1
file:///etc/hostname
filesystem:http://127.0.0.1/temporary/x
blob:chrome://settings/1
mailto:a@a.test
"""
ODD = (" about:version", "\tchrome://settings", "abo\nut:ver\tsion", "chrome://x ")


async def refused(me: Talk, method: str, params: object, session: str = "") -> str:
    """The words of a refusal."""
    with pytest.raises(Failure) as caught:
        await me.ask(method, params, session)  # type: ignore[arg-type]
    return caught.value.words


async def loaded(me: Talk, url: str) -> str:
    """A session of a tab of its own that has loaded an address."""
    _, session = await me.page()
    await me.ask("Page.enable", {}, session)
    await me.ask("Page.navigate", {"url": url}, session)
    await me.event("Page.loadEventFired", session)
    return session


async def test_a_tab_is_sent_to_web_pages_only(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    for url in (*CLOSED.split(), *ODD):
        words = await refused(me, "Page.navigate", {"url": url}, session)
        assert words.startswith("Pilothouse refuses Page.navigate: "), (url, words)
        words = await refused(me, "Target.createTarget", {"url": url})
        assert words.startswith("Pilothouse refuses Target.createTarget: "), (url, words)
    for url in ("about:blank#here", "data:text/html,x", place.pages.add("/web.html", "<p>web")):
        assert "errorText" not in await me.ask("Page.navigate", {"url": url}, session)
    assert await refused(me, "Page.navigate", {"url": "nowhere"}, session) == INVALID_URL
    me.guest.on_disconnect("done")


async def test_an_address_is_sent_on_as_it_was_judged(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    web = json.dumps(place.pages.add("/twice.html", "<title>twice</title>"))
    for params in (
        f'{{"url":{web},"url":"chrome://version"}}',
        f'{{"url":"chrome://version","url":{web}}}',
        '{"\\u0075rl":"chrome://version"}',
    ):
        frame = f'{{"id":900,"method":"Page.navigate","params":{params},"sessionId":"{session}"}}'
        me.guest.on_message(frame.encode())
        await me.find(lambda m: m.get("id") == 900)
        me.heard = [m for m in me.heard if m.get("id") != 900]
        assert not (await me.value(session, "location.href")).startswith("chrome")
    me.guest.on_disconnect("done")


async def person_goes(place: Hosted, target: str, url: str) -> None:
    """As a person goes there: no client asks for it."""
    tab = place.sup.state.tab_of_target(target)
    assert tab is not None
    await place.hub.call("Page.navigate", {"url": url}, tab.session.encode())
    await place.sup.wait_for(lambda s: (t := s.tab_of_target(target)) and t.url == url, 20)
    # Until its document answers, Chrome refuses commands: "Not attached to an active page".
    await place.hub.call("Runtime.evaluate", {"expression": "1"}, tab.session.encode())


async def test_history_leads_to_web_pages_only(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    first = place.pages.add("/first.html", "<title>first</title>")
    await person_goes(place, target, first)
    await person_goes(place, target, "chrome://version/")
    await person_goes(place, target, place.pages.add("/later.html", "<title>later</title>"))
    history = await me.ask("Page.getNavigationHistory", {}, session)
    by_url = {entry["url"]: entry["id"] for entry in history["entries"]}
    entry = {"entryId": by_url["chrome://version/"]}
    words = await refused(me, "Page.navigateToHistoryEntry", entry, session)
    assert "chrome: URLs are not allowed" in words
    words = await refused(me, "Page.navigateToHistoryEntry", {"entryId": 987654}, session)
    assert words == "No entry with passed id"
    await me.ask("Page.navigateToHistoryEntry", {"entryId": by_url[first]}, session)
    me.guest.on_disconnect("done")


async def test_a_page_that_a_person_opened_is_not_loaded_again(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    await person_goes(place, target, "chrome://version/")
    assert "chrome: URLs are not allowed" in await refused(me, "Page.reload", {}, session)
    me.guest.on_disconnect("done")


async def test_scripts_of_a_client_open_no_page_of_the_browser(place: Hosted) -> None:
    me = await came(place.hub)
    url = place.pages.add("/opener.html", "<title>opener</title>")
    session = await loaded(me, url)
    for closed in ("about:version", "about:BLANK", "chrome://settings", "file:///etc/hostname"):
        expression = f"void open({json.dumps(closed)})"
        asked = {"expression": expression, "userGesture": True}
        await me.ask("Runtime.evaluate", asked, session)
    listed = (await me.ask("Target.getTargets"))["targetInfos"]
    there = {info["url"] for info in listed if info["type"] == "page"}
    assert there <= {url, "", "about:blank", "about:blank#blocked"}
    me.guest.on_disconnect("done")


async def test_a_stopped_request_is_not_sent_on_to_what_is_closed(place: Hosted) -> None:
    me = await came(place.hub)
    session = await loaded(me, place.pages.add("/from.html", "<title>from</title>"))
    await me.ask("Fetch.enable", {"patterns": [{"urlPattern": "*/stopped"}]}, session)
    me.tell("Runtime.evaluate", {"expression": "void fetch('/stopped')"}, session)
    stopped = (await me.event("Fetch.requestPaused", session))["requestId"]
    for url in ("file:///etc/hostname", "http://169.254.169.254/latest/", "chrome://version"):
        params = {"requestId": stopped, "url": url}
        words = await refused(me, "Fetch.continueRequest", params, session)
        assert words.startswith("Pilothouse refuses Fetch.continueRequest: ")
    frame = (
        f'{{"id":901,"method":"Fetch.continueRequest","params":{{"requestId":"{stopped}",'
        f'"\\u0075rl":"http://169.254.169.254/"}},"sessionId":"{session}"}}'
    )
    me.guest.on_message(frame.encode())
    assert "error" in await me.find(lambda m: m.get("id") == 901)
    elsewhere = place.pages.add("/elsewhere", "else")
    await me.ask("Fetch.continueRequest", {"requestId": stopped, "url": elsewhere}, session)
    me.guest.on_disconnect("done")


async def test_no_resource_is_loaded_from_what_is_closed(place: Hosted) -> None:
    me = await came(place.hub)
    session = await loaded(me, place.pages.add("/loads.html", "<title>loads</title>"))
    frame = (await me.ask("Page.getFrameTree", {}, session))["frameTree"]["frame"]["id"]
    options = {"disableCache": False, "includeCredentials": False}
    for url in ("file:///etc/hostname", "chrome://version", "http://169.254.169.254/"):
        params = {"frameId": frame, "url": url, "options": options}
        words = await refused(me, "Network.loadNetworkResource", params, session)
        assert words.startswith("Pilothouse refuses Network.loadNetworkResource: ")
    me.guest.on_disconnect("done")


async def test_the_policy_of_the_owner_holds_for_its_clients(place: Hosted) -> None:
    me = await came(place.hub, owner="walled")
    place.sup.url_policy.set_policy(
        "walled", UrlPolicy(deny=(parse_rule("denied.test"),), schemes=(("file", True),))
    )
    _, session = await me.page()
    words = await refused(me, "Page.navigate", {"url": "http://denied.test/"}, session)
    assert "(policy: deny: denied.test)" in words
    await me.ask("Page.navigate", {"url": "file:///nowhere/at/all"}, session)
    me.guest.on_disconnect("done")
    place.sup.url_policy.remove_policy("walled")


async def test_everything_that_names_an_address_is_in_the_table() -> None:
    assert NAVIGATION_COMMANDS.items() <= PAGE_COMMANDS.items()
