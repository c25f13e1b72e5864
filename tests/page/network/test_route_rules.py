"""Rules: which requests they mean, and what Chrome is told."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.network.route_rules import (
    Action,
    BlockRequest,
    ChangeRequest,
    MockResponse,
    PausedRequest,
    RouteRule,
    find_rule,
    make_command,
    make_fallback_command,
    make_fetch_patterns,
    make_rule,
    parse_paused_request,
)

ORIGIN = {"Origin": "http://page"}
PREFLIGHT = ORIGIN | {
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "x-a",
}


def paused(url: str = "http://a/api/x", **fields: Any) -> PausedRequest:
    fields = {"method": "GET", "type": "XHR", "headers": {"Accept": "*/*"}} | fields
    return PausedRequest("id", url, **fields)


def rule(action: Action, pattern: str = "**", **fields: Any) -> RouteRule:
    return make_rule("route-1", pattern, action, **fields)


def told(action: Action, request: PausedRequest | None = None) -> tuple[str, dict[str, Any]]:
    command, _ = make_command(rule(action), request or paused())
    return command.method, dict(command.params or {})


def headers_of(params: dict[str, Any], field: str = "responseHeaders") -> dict[str, str]:
    return {header["name"]: header["value"] for header in params[field]}


def test_newest_rule_that_fits_wins() -> None:
    rules = [
        make_rule("1", "**/api/*", BlockRequest()),
        make_rule("2", "/x", BlockRequest(), times=1),
        make_rule("3", "/y", BlockRequest()),
        make_rule("4", "**", BlockRequest(), types=["image"]),
    ]
    assert getattr(find_rule(rules, {}, paused()), "id", "") == "2"
    assert getattr(find_rule(rules, {"2": 1}, paused()), "id", "") == "1"
    assert getattr(find_rule(rules, {}, paused(type="Image")), "id", "") == "4"
    assert find_rule(rules, {}, paused("http://a/other")) is None


def test_the_two_ways_to_ask_from_a_script_are_one_type() -> None:
    only = [make_rule("1", "**", BlockRequest(), types=["Fetch"])]
    assert find_rule(only, {}, paused(type="XHR")) is not None
    assert find_rule(only, {}, paused(type="Fetch")) is not None
    assert make_fetch_patterns(only) == (
        {"urlPattern": "*", "requestStage": "Request", "resourceType": "XHR"},
    )


def test_chrome_stops_each_pattern_once() -> None:
    rules = [
        rule(BlockRequest(), "/x"),
        rule(MockResponse(), "/x"),
        rule(BlockRequest(), "/y", types=["Image", "Font"]),
    ]
    assert [(p["urlPattern"], p.get("resourceType")) for p in make_fetch_patterns(rules)] == [
        ("*/x*", None),
        ("*/y*", "Font"),
        ("*/y*", "Image"),
    ]


def test_block_fails_the_request() -> None:
    assert told(BlockRequest("TimedOut")) == (
        "Fetch.failRequest",
        {"requestId": "id", "errorReason": "TimedOut"},
    )


def test_mock_answers() -> None:
    method, params = told(MockResponse(201, {"X-A": "1"}, b"\x00body"))
    assert (method, params["responseCode"]) == ("Fetch.fulfillRequest", 201)
    assert base64.b64decode(params["body"]) == b"\x00body"
    assert headers_of(params) == {"X-A": "1", "Content-Type": "text/plain; charset=utf-8"}


def test_mock_keeps_its_own_headers() -> None:
    given = {"content-type": "image/png", "access-control-allow-origin": "*"}
    _, params = told(MockResponse(headers=given, body=b"x"), paused(headers=ORIGIN))
    assert headers_of(params) == given


def test_page_of_another_origin_may_read_a_mock() -> None:
    _, params = told(MockResponse(body=b"x"), paused(headers=ORIGIN))
    assert headers_of(params)["Access-Control-Allow-Origin"] == "http://page"
    assert headers_of(params)["Access-Control-Allow-Credentials"] == "true"


@pytest.mark.parametrize("action", [MockResponse(body=b"x"), ChangeRequest(url="http://b/")])
def test_preflight_of_what_we_answer_is_allowed_and_uses_nothing_up(action: Action) -> None:
    command, uses = make_command(rule(action), paused(method="OPTIONS", headers=PREFLIGHT))
    params = dict(command.params or {})
    assert (command.method, params["responseCode"], uses) == ("Fetch.fulfillRequest", 204, False)
    assert headers_of(params) == {
        "Access-Control-Allow-Origin": "http://page",
        "Access-Control-Allow-Credentials": "true",
        "Vary": "Origin",
        "Access-Control-Allow-Methods": "PUT",
        "Access-Control-Max-Age": "0",
        "Access-Control-Allow-Headers": "x-a",
    }


def test_preflight_of_what_goes_to_its_server_goes_there_too() -> None:
    change = rule(ChangeRequest(headers={"X-A": "1"}))
    command, uses = make_command(change, paused(method="OPTIONS", headers=PREFLIGHT))
    assert (command.method, command.params, uses) == (
        "Fetch.continueRequest",
        {"requestId": "id"},
        False,
    )


def test_preflight_of_what_is_blocked_is_blocked() -> None:
    command, uses = make_command(rule(BlockRequest()), paused(method="OPTIONS", headers=PREFLIGHT))
    assert (command.method, uses) == ("Fetch.failRequest", True)


def test_change_alters_only_what_it_names() -> None:
    request = paused(headers={"Accept": "*/*", "X-Old": "1", "X-Gone": "2"})
    change = ChangeRequest(headers={"x-old": "new", "X-Gone": None, "X-New": "3"})
    method, params = told(change, request)
    assert method == "Fetch.continueRequest"
    assert headers_of(params, "headers") == {"Accept": "*/*", "x-old": "new", "X-New": "3"}
    assert set(params) == {"requestId", "headers"}
    _, params = told(ChangeRequest(url="https://b/", method="POST", post_data=b"p"))
    assert params == {"requestId": "id", "url": "https://b/", "method": "POST", "postData": "cA=="}


@pytest.mark.parametrize(
    ("action", "fields", "field"),
    [
        (BlockRequest("Nonsense"), {}, "reason"),
        (BlockRequest(), {"types": ["Picture"]}, "types"),
        (BlockRequest(), {"times": -1}, "times"),
        (MockResponse(101), {}, "status"),
        (MockResponse(body=b"x" * 3_000_000), {}, "body"),
        (MockResponse(headers={"a b": "c"}), {}, "headers"),
        (MockResponse(headers={"a": "b\r\nc: d"}), {}, "headers"),
        (ChangeRequest(url="file:///etc/passwd"), {}, "url"),
        (ChangeRequest(method="get it"), {}, "method"),
        (ChangeRequest(url="http:///x"), {}, "url"),
        (ChangeRequest(post_data=b"x" * 3_000_000), {}, "post_data"),
        (ChangeRequest(headers={"Host": "b"}), {}, "headers"),
        (ChangeRequest(headers={"Proxy-Authorization": "b"}), {}, "headers"),
    ],
)
def test_rule_that_makes_no_sense_is_refused(
    action: Action, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolError, match=f"^{field}:") as refused:
        rule(action, **fields)
    assert refused.value.hint


def test_what_was_to_stay_here_stays_when_chrome_refuses_the_answer() -> None:
    assert make_fallback_command(rule(MockResponse()), "id").method == "Fetch.failRequest"
    assert make_fallback_command(rule(ChangeRequest()), "id").method == "Fetch.continueRequest"


def test_rule_is_shown_with_what_is_left_of_it() -> None:
    shown = rule(MockResponse(404, body=b"no"), "/x", types=["XHR"], times=3).as_dict(1)
    assert shown == {
        "id": "route-1",
        "pattern": "/x",
        "used": 1,
        "action": "mock",
        "status": 404,
        "bytes": 2,
        "types": ["XHR"],
        "left": 2,
    }


def test_stopped_request_is_read() -> None:
    asked = {"url": "http://a/", "method": "OPTIONS", "headers": PREFLIGHT}
    read = parse_paused_request({"requestId": "1", "request": asked, "resourceType": "XHR"})
    assert (read.id, read.type, read.preflight_for) == ("1", "XHR", "PUT")
    plain = {"url": "http://a/", "method": "OPTIONS"}
    assert parse_paused_request({"requestId": "1", "request": plain}).preflight_for == ""
