"""Stopped requests and whose turn it is."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from pilothouse.relay.extension_browser.fetch_interception import (
    EmitEvent,
    FetchInterception,
    SendFetchCommand,
)

EVERY = {"urlPattern": "*", "requestStage": "Request"}


def stop(
    fetching: FetchInterception, url: str = "https://x.test/a", **more: Any
) -> list[SendFetchCommand | EmitEvent]:
    params = {"requestId": "R", "request": {"url": url}, "resourceType": "XHR", **more}
    return fetching.on_paused("Fetch.requestPaused", msgspec.Raw(json.dumps(params).encode()))


def asked(acts: list[SendFetchCommand | EmitEvent] | None) -> list[str]:
    return [act.session for act in acts or () if isinstance(act, EmitEvent)]


def test_patterns_of_all_go_together_and_the_last_turns_it_off() -> None:
    fetching = FetchInterception()
    first = fetching.enable("a", {"patterns": [{"urlPattern": "*a"}]})
    assert first == SendFetchCommand(
        "Fetch.enable", {"patterns": [{"urlPattern": "*a"}], "handleAuthRequests": False}
    )
    assert fetching.enable("b", {"patterns": [{"urlPattern": "*a"}]}) is None
    united = fetching.enable("c", {"handleAuthRequests": True})
    assert united == SendFetchCommand(
        "Fetch.enable", {"patterns": [{"urlPattern": "*a"}, EVERY], "handleAuthRequests": True}
    )
    assert fetching.replay() == [united]
    assert [a for a in fetching.disable("c") if isinstance(a, SendFetchCommand)] == [first]
    fetching.disable("a")
    assert fetching.disable("b") == [SendFetchCommand("Fetch.disable", {})]


def test_the_last_that_came_is_asked_first_and_a_plain_answer_passes_on() -> None:
    fetching = FetchInterception()
    for name in ("a", "b"):
        fetching.enable(name, {})
    assert asked(stop(fetching)) == ["b"]
    assert fetching.on_decision("a", "Fetch.continueRequest", {"requestId": "R"}) is None
    passed = fetching.on_decision("b", "Fetch.continueRequest", {"requestId": "R"})
    assert asked(passed) == ["a"]
    last = fetching.on_decision("a", "Fetch.continueRequest", {"requestId": "R"})
    assert last == [SendFetchCommand("Fetch.continueRequest", {"requestId": "R"})]
    assert fetching.on_decision("a", "Fetch.continueRequest", {"requestId": "R"}) is None


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("Fetch.fulfillRequest", {"responseCode": 200}),
        ("Fetch.failRequest", {"errorReason": "Failed"}),
        ("Fetch.continueRequest", {"headers": []}),
    ],
)
def test_an_answer_that_decides_ends_the_chain(method: str, more: dict[str, Any]) -> None:
    fetching = FetchInterception()
    for name in ("a", "b"):
        fetching.enable(name, {})
    stop(fetching)
    params = {"requestId": "R", **more}
    assert fetching.on_decision("b", method, params) == [SendFetchCommand(method, params)]


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ({"urlPattern": "*/a"}, True),
        ({"urlPattern": "https://x.test/?"}, True),
        ({"urlPattern": "https://x.test/\\?"}, False),
        ({"urlPattern": "*", "resourceType": "Document"}, False),
        ({"urlPattern": "*", "resourceType": "XHR"}, True),
        ({"requestStage": "Response"}, False),
        ({}, True),
    ],
)
def test_only_sessions_whose_patterns_fit_are_asked(pattern: dict[str, Any], fits: bool) -> None:
    fetching = FetchInterception()
    fetching.enable("a", {"patterns": [pattern]})
    acts = stop(fetching)
    assert asked(acts) == (["a"] if fits else [])
    if not fits:
        assert acts == [SendFetchCommand("Fetch.continueRequest", {"requestId": "R"})]


def test_who_asks_for_the_response_gets_it() -> None:
    fetching = FetchInterception()
    for name in ("a", "b"):
        fetching.enable(name, {})
    stop(fetching, networkId="N")
    go = {"requestId": "R", "interceptResponse": True}
    assert asked(fetching.on_decision("b", "Fetch.continueRequest", go)) == ["a"]
    assert fetching.on_decision("a", "Fetch.continueRequest", {"requestId": "R"}) == [
        SendFetchCommand("Fetch.continueRequest", go)
    ]
    assert asked(stop(fetching, networkId="N", responseStatusCode=200)) == ["b"]
    assert fetching.on_decision("b", "Fetch.continueResponse", {"requestId": "R"}) == [
        SendFetchCommand("Fetch.continueResponse", {"requestId": "R"})
    ]


def test_a_password_is_for_those_who_take_such_questions_and_default_passes_on() -> None:
    fetching = FetchInterception()
    fetching.enable("a", {"handleAuthRequests": True})
    fetching.enable("b", {})
    fetching.enable("c", {"handleAuthRequests": True})
    params = {"requestId": "R", "request": {"url": "https://x.test/"}}
    acts = fetching.on_paused("Fetch.authRequired", msgspec.Raw(json.dumps(params).encode()))
    assert asked(acts) == ["c"]
    default = {"requestId": "R", "authChallengeResponse": {"response": "Default"}}
    assert asked(fetching.on_decision("c", "Fetch.continueWithAuth", default)) == ["a"]
    given = {"requestId": "R", "authChallengeResponse": {"response": "ProvideCredentials"}}
    assert fetching.on_decision("a", "Fetch.continueWithAuth", given) == [
        SendFetchCommand("Fetch.continueWithAuth", given)
    ]


def test_what_a_leaving_session_holds_goes_to_the_next() -> None:
    fetching = FetchInterception()
    for name in ("a", "b", "c"):
        fetching.enable(name, {})
    stop(fetching)
    assert asked(fetching.disable("c")) == ["b"]
    fetching.disable("a")
    assert fetching.disable("b") == [
        SendFetchCommand("Fetch.continueRequest", {"requestId": "R"}),
        SendFetchCommand("Fetch.disable", {}),
    ]
    assert fetching.disable("b") == []
