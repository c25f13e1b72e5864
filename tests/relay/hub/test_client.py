"""A client's commands go where they belong, and are answered exactly once."""

from __future__ import annotations

import json

import pytest

from tests.relay.hub_client import Failure, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_what_is_no_command_is_answered_as_chrome_does(place: Hosted) -> None:
    me = await came(place.hub)
    me.guest.on_message(b"nonsense")
    me.guest.on_message(b'{"id":1}')
    me.guest.on_message(b'{"id":2,"method":"Page.enable","sessionId":"none"}')
    assert [m["error"]["code"] for m in me.heard] == [-32700, -32600, -32001]
    me.guest.on_disconnect("done")


async def test_replies_carry_the_id_and_session_of_the_command(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    number = me.tell("Runtime.evaluate", {"expression": "1"}, session)
    reply = await me.find(lambda m: m.get("id") == number)
    assert reply["sessionId"] == session
    root = me.tell("Browser.getVersion")
    assert "sessionId" not in await me.find(lambda m: m.get("id") == root)
    assert len([m for m in me.heard if m.get("id") in (number, root)]) == 2
    me.guest.on_disconnect("done")


async def test_params_that_are_null_are_none(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    message = {"id": 900, "method": "Page.enable", "params": None, "sessionId": session}
    me.guest.on_message(json.dumps(message).encode())
    assert "result" in await me.find(lambda m: m.get("id") == 900)
    me.guest.on_disconnect("done")


async def test_a_command_that_would_stall_chrome_is_refused(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    with pytest.raises(Failure, match="send it in parts"):
        await me.value(session, "'" + "x" * (101 * 1024 * 1024) + "'")
    assert await me.value(session, "1") == 1
    me.guest.on_disconnect("done")


async def test_the_tabs_of_a_client_that_left_are_not_answered_for(place: Hosted) -> None:
    me = await came(place.hub)
    await me.page()
    clients = len(place.hub.clients())
    me.guest.on_disconnect("done")
    me.guest.on_disconnect("again")
    assert len(place.hub.clients()) == clients - 1
