"""Dialogs of a client's tabs are the client's to answer, through the supervisor; no others are."""

from __future__ import annotations

import pytest

from tests.relay.hub_client import Failure, Talk, came
from tests.relay.hub_server import WITHIN_S, Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

OPENING, CLOSED = "Page.javascriptDialogOpening", "Page.javascriptDialogClosed"
HANDLE = "Page.handleJavaScriptDialog"


async def ready(me: Talk, **wanted: str) -> str:
    """A session that hears of dialogs."""
    _, session = await me.page(**wanted)
    await me.ask("Page.enable", {}, session)
    return session


def asks(me: Talk, session: str, expression: str) -> int:
    return me.tell("Runtime.evaluate", {"expression": expression, "returnByValue": True}, session)


async def said(me: Talk, number: int) -> object:
    return (await me.find(lambda m: m.get("id") == number))["result"]["result"].get("value")


async def test_a_client_hears_of_its_dialog_and_answers_it(place: Hosted) -> None:
    me = await came(place.hub)
    session = await ready(me)
    number = asks(me, session, "prompt('q', 'd')")
    opening = await me.event(OPENING, session)
    assert (opening["type"], opening["message"], opening["defaultPrompt"]) == ("prompt", "q", "d")
    await me.ask(HANDLE, {"accept": True, "promptText": "text"}, session)
    closed = await me.event(CLOSED, session)
    assert (closed["result"], closed["userInput"]) == (True, "text")
    assert await said(me, number) == "text"
    with pytest.raises(Failure, match="No dialog is showing") as caught:
        await me.ask(HANDLE, {"accept": True}, session)
    assert caught.value.code == -32602
    me.guest.on_disconnect("done")


async def test_a_dialog_of_a_frame_in_another_process_is_told_too(place: Hosted) -> None:
    inner = place.pages.add("/asks.html", "<script>got = prompt('in')</script>")
    inner = inner.replace("127.0.0.1", "localhost")
    url = place.pages.add("/frames.html", f"<iframe src='{inner}'></iframe>")
    me = await came(place.hub)
    session = await ready(me)
    me.tell("Page.navigate", {"url": url}, session)
    opening = await me.event(OPENING, session)
    assert opening["message"] == "in"
    await me.ask(HANDLE, {"accept": True, "promptText": "yes"}, session)
    await me.event(CLOSED, session)
    me.guest.on_disconnect("done")


async def test_a_client_that_leaves_them_to_the_daemon_hears_of_none(place: Hosted) -> None:
    me = await came(place.hub, dialogs="daemon")
    session = await ready(me)
    number = asks(me, session, "confirm('q')")
    dialog = await place.sup.wait_for(
        lambda s: next((d for d in s.dialogs.values() if d.message == "q"), None), WITHIN_S
    )
    with pytest.raises(Failure, match=r"Pilothouse refuses Page\.handleJavaScriptDialog"):
        await me.ask(HANDLE, {"accept": True}, session)
    await place.sup.answer(accept=True, dialog_id=dialog.id)
    assert await said(me, number) is True
    assert not [m for m in me.heard if m.get("method") in (OPENING, CLOSED)]
    me.guest.on_disconnect("done")


async def test_a_second_client_on_the_tab_cannot_answer_for_the_first(place: Hosted) -> None:
    first = await came(place.hub, owner="dialogs")
    session = await ready(first)
    target = (await first.ask("Target.getTargetInfo", {}, session))["targetInfo"]["targetId"]
    second = await came(place.hub, owner="dialogs")
    params = {"targetId": target, "flatten": True}
    other = (await second.ask("Target.attachToTarget", params))["sessionId"]
    await second.ask("Page.enable", {}, other)
    number = asks(first, session, "confirm('mine')")
    await first.event(OPENING, session)
    with pytest.raises(Failure, match="the owner of this tab answers its dialogs"):
        await second.ask(HANDLE, {"accept": True}, other)
    await first.ask(HANDLE, {"accept": False}, session)
    assert await said(first, number) is False
    assert not [m for m in second.heard if m.get("method") in (OPENING, CLOSED)]
    for client in (first, second):
        client.guest.on_disconnect("done")


async def shared(place: Hosted, *wanted: str) -> list[tuple[Talk, str]]:
    """Clients on one tab, which the first of them opened, with who answers their dialogs."""
    first = await came(place.hub, owner="shared", dialogs=wanted[0])
    there = [(first, await ready(first))]
    told = await first.ask("Target.getTargetInfo", {}, there[0][1])
    params = {"targetId": told["targetInfo"]["targetId"], "flatten": True}
    for dialogs in wanted[1:]:
        client = await came(place.hub, owner="shared", dialogs=dialogs)
        session = (await client.ask("Target.attachToTarget", params))["sessionId"]
        await client.ask("Page.enable", {}, session)
        there.append((client, session))
    return there


async def test_dialog_that_a_client_opened_is_its_own_in_anothers_tab_too(place: Hosted) -> None:
    (first, one), (second, two) = await shared(place, "client", "client")
    number = asks(second, two, "confirm('second')")
    await second.event(OPENING, two)
    with pytest.raises(Failure, match="the owner of this tab answers its dialogs"):
        await first.ask(HANDLE, {"accept": False}, one)
    await second.ask(HANDLE, {"accept": True}, two)
    assert await said(second, number) is True
    assert not [m for m in first.heard if m.get("method") in (OPENING, CLOSED)]
    for client in (first, second):
        client.guest.on_disconnect("done")


async def test_dialog_goes_to_the_client_that_wants_dialogs(place: Hosted) -> None:
    (first, one), (second, two) = await shared(place, "client", "daemon")
    number = asks(second, two, "confirm('for the first')")
    await first.event(OPENING, one)
    await first.ask(HANDLE, {"accept": True}, one)
    assert await said(second, number) is True
    assert not [m for m in second.heard if m.get("method") in (OPENING, CLOSED)]
    for client in (first, second):
        client.guest.on_disconnect("done")
