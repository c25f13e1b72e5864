"""A client that answers for passwords is asked; for any other nobody is there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.relay.hub_client import Talk, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def questions(me: Talk) -> list[dict[str, Any]]:
    return [m["params"] for m in me.heard if m.get("method") == "Fetch.authRequired"]


async def test_a_client_with_a_password_is_asked_and_its_answer_passed_on(place: Hosted) -> None:
    url = place.pages.add("/locked.html", "no", status=401, headers={"WWW-Authenticate": "Basic"})
    me = await came(place.hub)
    _, session = await me.page()
    params = {"handleAuthRequests": True, "patterns": [{"urlPattern": "*.never"}]}
    await me.ask("Fetch.enable", params, session)
    number = me.tell("Page.navigate", {"url": url}, session)
    asked = await me.event("Fetch.authRequired", session)
    assert asked["authChallenge"]["scheme"] == "basic"
    given = {"response": "ProvideCredentials", "username": "u", "password": "p"}
    answer = {"requestId": asked["requestId"], "authChallengeResponse": given}
    await me.ask("Fetch.continueWithAuth", answer, session)
    await me.find(lambda m: len(questions(me)) == 2)
    assert {question["requestId"] for question in questions(me)} == {asked["requestId"]}
    cancel = {"requestId": asked["requestId"], "authChallengeResponse": {"response": "CancelAuth"}}
    me.tell("Fetch.continueWithAuth", cancel, session)
    assert "errorText" not in (await me.find(lambda m: m.get("id") == number))["result"]
    assert not [i for i in place.sup.state.interrupts.values() if i.kind == "auth"]
    me.guest.on_disconnect("done")


async def test_for_a_client_without_one_it_is_as_if_nobody_was_there(place: Hosted) -> None:
    url = place.pages.add("/shut.html", "no", status=401, headers={"WWW-Authenticate": "Basic"})
    me = await came(place.hub)
    _, session = await me.page()
    result = await me.ask("Page.navigate", {"url": url}, session)
    assert result["errorText"] == "net::ERR_INVALID_AUTH_CREDENTIALS"
    me.guest.on_disconnect("done")
