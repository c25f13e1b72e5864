"""What the user's settings allow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.relay.lent_shapes import Tab
from pilothouse.relay.lent_strand import MARKER, RUN
from pilothouse.relay.restrictions import (
    attachable,
    judge,
    judge_opening,
    judge_tab,
    site_of,
    table,
)

READ_ONLY = {"readOnly": True}
LOCKED = {"lockUrl": True}


def tab(url: str = "https://mine.test/a", locked_to: str = "https://mine.test") -> Tab:
    return Tab(1, "T", url=url, locked_to=locked_to)


def words(*asked: Any) -> str:
    wrong = judge(*asked)
    return wrong.message if wrong is not None else ""


def test_without_restrictions_all_but_the_destructive_is_allowed() -> None:
    assert words({}, "Runtime.evaluate", {"expression": "1"}, tab()) == ""
    assert words({}, "Page.navigate", {"url": "https://else.test/"}, tab()) == ""
    for method in table().never:
        assert words({}, method, {}, tab()).startswith(f"Pilothouse refuses {method}: ")


@pytest.mark.parametrize(
    "method",
    [
        "Page.navigate",
        "Page.reload",
        "Input.dispatchMouseEvent",
        "Input.insertText",
        "DOM.setFileInputFiles",
        "DOM.setAttributeValue",
        "Fetch.enable",
        "Network.setCookie",
        "Storage.setCookies",
        "Storage.getCookies",
        "Emulation.setUserAgentOverride",
        "Runtime.compileScript",
        "No.suchMethod",
    ],
)
def test_reading_only_allows_nothing_that_is_not_on_the_list(method: str) -> None:
    assert "reading only" in words(READ_ONLY, method, {}, tab())


def test_reading_only_allows_scripts_that_cannot_change_anything() -> None:
    for method in ("Runtime.evaluate", "Runtime.callFunctionOn"):
        assert "throwOnSideEffect" in words(READ_ONLY, method, {"expression": "x = 1"}, tab())
        assert "throwOnSideEffect" in words(READ_ONLY, method, {"throwOnSideEffect": 1 > 2}, tab())
        assert words(READ_ONLY, method, {"throwOnSideEffect": True}, tab()) == ""
    assert words(READ_ONLY, "Page.captureScreenshot", {}, tab()) == ""


def test_a_locked_tab_stays_on_its_site() -> None:
    assert words(LOCKED, "Page.navigate", {"url": "https://mine.test/b"}, tab()) == ""
    for url in (
        "https://else.test/",
        "http://mine.test/",
        "javascript:1",
        "",
        "https://mine.test:8/",
    ):
        assert "locked this tab" in words(LOCKED, "Page.navigate", {"url": url}, tab())
    assert "locked" in words(LOCKED, "Page.navigateToHistoryEntry", {"entryId": 1}, tab())
    gone = tab("https://else.test/")
    assert "it is elsewhere" in words(LOCKED, "Runtime.evaluate", {}, gone)
    assert words({}, "Runtime.evaluate", {}, gone) == ""


def test_a_pause_refuses_everything() -> None:
    assert "paused" in words({"paused": True}, "Page.enable", {}, tab())
    assert judge_tab({"paused": False}, tab()) is None


@pytest.mark.parametrize(
    ("settings", "url", "says"),
    [
        ({}, "https://a.test/", ""),
        ({"paused": True}, "", "paused"),
        ({"readOnly": True}, "", "reading only"),
        ({"noNewTabs": True}, "", "no new tabs"),
        ({"mode": "manual"}, "", "single tabs only"),
        ({"share": "tab"}, "", "single tabs only"),
        ({"share": "window"}, "", ""),
        ({}, "chrome://settings/", "no agent can work on chrome://settings/"),
    ],
)
def test_tabs_are_opened_only_where_the_user_allows_it(
    settings: dict[str, Any], url: str, says: str
) -> None:
    wrong = judge_opening(settings, url)
    assert (wrong.message if wrong else "").endswith(says) if not says else says in str(wrong)


def test_a_refusal_carries_what_the_user_says() -> None:
    told = words({"paused": True, "userInstructions": "back at noon"}, "Page.enable", {}, tab())
    assert told.endswith("(the user says: back at noon)")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://a.test/x?y#z", "https://a.test"),
        ("https://A.test:443/", "https://a.test"),
        ("http://u:p@a.test:80/", "http://a.test"),
        ("http://a.test:8080/", "http://a.test:8080"),
        ("file:///etc/passwd", "file://"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("http://[bad", ""),
    ],
)
def test_the_site_of_an_address(url: str, site: str) -> None:
    assert site_of(url) == site


def test_addresses_that_chrome_keeps_to_itself_are_known() -> None:
    for url in ("chrome://x", "devtools://x", "view-source:http://a/", "CHROME://x"):
        assert not attachable(url)
    assert not attachable("https://chromewebstore.google.com/detail/x")
    assert attachable("https://chromewebstore.google.com.evil.test/")
    assert attachable("https://a.test/")


def test_both_sides_judge_by_the_same_table() -> None:
    shipped = Path(__file__).parents[2] / "extension" / "readonly.json"
    told = json.loads(shipped.read_text())
    assert table().read == set(told["read"])
    assert table().never == told["never"]


def test_what_is_sent_along_for_newcomers_is_allowed_where_only_reading_is() -> None:
    for method in (
        MARKER,
        RUN,
        "Page.getFrameTree",
        "Target.setAutoAttach",
        "Target.getTargetInfo",
    ):
        assert words(READ_ONLY, method, {}, tab()) == ""
