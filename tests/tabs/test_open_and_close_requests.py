"""What `open` and `close` take, and how they say what they do not take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import ToolError, UsageError
from pilothouse.tabs.open_and_close_requests import (
    App,
    CloseRequest,
    OpenRequest,
    clamp_timeout,
    popup_name,
    with_preferred,
)


@pytest.mark.parametrize(
    ("asked", "given_"),
    [(None, 30.0), (0, 1.0), (-5, 1.0), (1, 1.0), (2.5, 2.5), (300, 300.0)],
)
def test_timeout_is_at_least_1_second_and_30_by_default(asked: float | None, given_: float) -> None:
    assert clamp_timeout(asked) == given_


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        (301, "give seconds, at most 300; call again to wait longer"),
        (5000, "give seconds, not milliseconds: 5; at most 300"),
        (1e9, "give seconds, at most 300; call again to wait longer"),
        (float("inf"), "give seconds, at most 300; call again to wait longer"),
    ],
)
def test_timeout_that_is_too_long_is_refused_with_its_unit(asked: float, hint: str) -> None:
    with pytest.raises(UsageError, match="timeout: expected at most 300 seconds, got") as refused:
        clamp_timeout(asked)
    assert refused.value.hint == hint


@pytest.mark.parametrize("asked", ["soon", True, [1], float("nan"), {}])
def test_timeout_that_is_no_number_is_refused_by_name(asked: Any) -> None:
    with pytest.raises(ToolError, match="timeout:") as refused:
        clamp_timeout(asked)
    assert "1 to 300" in refused.value.hint


@given(st.floats())
def test_timeout_of_any_number_is_within_bounds_or_refused(asked: float) -> None:
    try:
        assert 1.0 <= clamp_timeout(asked) <= 300.0
    except UsageError:
        assert asked != asked or asked > 300


@pytest.mark.parametrize("name", ["main", "a b", "x.1", "käse", "a:b/c@d-e_f", "0", "n" * 64])
def test_usual_names_can_name_a_tab(name: str) -> None:
    assert OpenRequest(name=name).name == name
    assert CloseRequest(name=name).name == name


@pytest.mark.parametrize("name", ["", " x", "a\nb", "n" * 65, "a\x00", ".", 5, None, "a\n"])
def test_names_that_cannot_be_told_apart_or_shown_are_refused(name: Any) -> None:
    for make in (OpenRequest, CloseRequest):
        with pytest.raises(ToolError, match="name:"):
            make(name=name)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"wait_until": "lunch"}, "wait_until:"),
        ({"wait_until": 3}, "wait_until:"),
        ({"dialogs": "maybe"}, "dialogs:"),
        ({"url": 7}, "url:"),
        ({"profile": ["x"]}, "profile:"),
        ({"headed": "yes"}, "headed:"),
        ({"stealth": "total"}, "stealth:"),
        ({"stealth": True}, "stealth:"),
        ({"app": App(path="/bin/x"), "stealth": "full"}, "stealth:"),
        ({"viewport": [800, 600]}, "viewport:"),
        ({"viewport": {"height": 600}}, "viewport.width:"),
        ({"viewport": {"width": 99, "height": 600}}, "viewport.width:"),
        ({"viewport": {"width": True, "height": 600}}, "viewport.width:"),
        ({"viewport": {"width": 800, "height": 9000}}, "viewport.height:"),
        ({"viewport": {"width": 800, "height": float("nan")}}, "viewport.height:"),
        ({"viewport": {"width": 800, "height": 600, "scale": 9}}, "viewport.scale:"),
        ({"viewport": {"width": 800, "height": 600, "depth": 3}}, "viewport.depth:"),
        ({"app": App(path="/bin/x"), "profile": "p"}, "profile:"),
    ],
)
def test_open_names_the_field_that_will_not_do(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(ToolError, match=named) as refused:
        OpenRequest(**fields)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"path": "/x", "cdp_url": "http://127.0.0.1:1"}, "both"),
        ({}, "neither"),
        ({"target": "t"}, "neither"),
        ({"path": 5}, "app.path:"),
        ({"cdp_url": 9222}, "app.cdp_url:"),
        ({"path": "/x", "target": 1}, "app.target:"),
        ({"path": "/x", "args": "--a"}, "app.args:"),
        ({"path": "/x", "args": (1,)}, "app.args:"),
    ],
)
def test_app_is_a_path_or_an_endpoint_and_nothing_else(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(ToolError, match=named):
        App(**fields)


@pytest.mark.parametrize("fields", [{"all": "yes"}, {"kill": 1}])
def test_close_takes_only_true_and_false(fields: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="expected true or false"):
        CloseRequest(**fields)


def test_viewport_within_bounds_is_taken() -> None:
    asked = OpenRequest(viewport={"width": 800, "height": 600.5, "scale": 2})
    assert asked.viewport == {"width": 800, "height": 600.5, "scale": 2}


def test_popups_are_numbered_after_their_opener_with_the_first_free_number() -> None:
    assert popup_name("main", {"main"}) == "main.1"
    assert popup_name("main", {"main", "main.1", "main.3"}) == "main.2"
    assert popup_name("main.1", {"main", "main.1"}) == "main.1.1"


def test_the_users_chrome_is_asked_for_with_the_tab_that_is_meant() -> None:
    asked = OpenRequest(browser="extension", target="Inbox", profile="work")
    assert (asked.browser, asked.target, asked.profile) == ("extension", "Inbox", "work")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"browser": "firefox"}, "browser: unknown value 'firefox'"),
        ({"browser": 1}, "browser: expected a string, got 1"),
        (
            {"browser": "extension", "app": App(path="/x")},
            "browser: extension and app are both given",
        ),
        (
            {"browser": "extension", "stealth": "full"},
            "stealth: not available in the user's Chrome",
        ),
        ({"browser": "extension", "headed": True}, "headed: not available in the user's Chrome"),
        (
            {"browser": "managed", "target": "Inbox"},
            "target: only for pages of a connected browser",
        ),
        ({"profile": "work", "target": "Inbox"}, "target: only for pages of a connected browser"),
        (
            {"app": App(path="/x"), "target": "Inbox"},
            "target: only for pages of a connected browser",
        ),
    ],
)
def test_what_does_not_go_with_the_users_chrome_is_named(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError, match=told) as refused:
        OpenRequest(**fields)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("asked", "fresh", "made"),
    [
        ({}, True, {"headed": True, "viewport": {"width": 5}}),
        ({}, False, {"headed": True}),
        ({"viewport": {"width": 9}}, True, {"headed": True, "viewport": {"width": 9}}),
        ({"headed": False}, False, {"headed": False}),
        ({"profile": "work"}, True, {"profile": "work", "viewport": {"width": 5}}),
        ({"app": {"path": "/x"}}, False, {"app": {"path": "/x"}}),
    ],
)
def test_what_a_session_prefers_holds_where_a_call_names_no_browser(
    asked: dict[str, Any], fresh: bool, made: dict[str, Any]
) -> None:
    preferred = {"headed": True, "viewport": {"width": 5}}
    assert with_preferred(asked, preferred, fresh=fresh) == made


def test_a_page_that_is_meant_is_one_of_the_browser_that_the_session_joins() -> None:
    preferred = {"app": {"cdp_url": "http://127.0.0.1:9222"}}
    made = with_preferred({"target": "Inbox"}, preferred, fresh=True)
    assert made == {"app": {"cdp_url": "http://127.0.0.1:9222", "target": "Inbox"}}
    assert with_preferred({"target": "Inbox"}, {}, fresh=True) == {"target": "Inbox"}
