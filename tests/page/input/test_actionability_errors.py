"""Why something cannot be acted on: each reason in words, with what to do about it."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.page.input.actionability_errors import (
    describe_element,
    no_match_error,
    not_actionable_error,
)

SAVE = {"role": "button", "name": "Save", "number": 12, "tag": "<button#save>"}
BARE = {"role": "generic", "name": "", "number": 3, "tag": "<div.row>"}


def test_elements_are_named_as_the_snapshot_names_them() -> None:
    assert describe_element(SAVE) == 'button "Save" [e12]'
    assert describe_element(BARE, "f2") == "generic <div.row> [f2e3]"
    assert describe_element({"role": "generic", "name": "", "number": 1}) == "generic [e1]"


def test_an_invalid_selector_says_why() -> None:
    error = no_match_error("a[", {"state": "invalid", "message": "not a selector"}, "")
    assert error.message == "'a[' is not a valid selector: not a selector"
    assert "text=" in error.hint


def test_many_matches_are_counted_and_some_are_named() -> None:
    error = no_match_error("button", {"state": "many", "count": 7, "some": [SAVE, BARE]}, "f1")
    assert error.message == (
        "'button' matches 7 elements: button \"Save\" [f1e12], generic <div.row> [f1e3] and 5 more"
    )
    assert (
        error.hint == "use the ref of the one you mean, or 'button >> nth=0' for the first of them"
    )


def test_no_match_says_so() -> None:
    error = no_match_error("#x", {"state": "missing", "count": 0}, "")
    assert error.message == "'#x' matches nothing on the page now"
    assert "frame" not in error.hint
    framed = no_match_error("iframe >> a", {"state": "missing", "count": 0, "inFrame": True}, "")
    assert "frame=" in framed.hint


def test_a_number_that_is_too_large_says_how_many_there_are() -> None:
    error = no_match_error("li >> nth=7", {"state": "missing", "count": 3}, "")
    assert error.message == "'li >> nth=7': nth is out of range, it matches 3 elements"
    assert error.hint == "nth is 0 to 2"
    only = no_match_error("li >> nth=7", {"state": "missing", "count": 1}, "")
    assert only.message.endswith("it matches 1 element")


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({"state": "covered", "cover": "<div#c>"}, 'button "Save" [e12] is covered by <div#c>'),
        ({"state": "covered"}, 'button "Save" [e12] is covered by something else'),
        ({"state": "disabled"}, 'button "Save" [e12] is disabled'),
        ({"state": "readonly"}, 'button "Save" [e12] is read-only'),
        ({"state": "moving"}, 'button "Save" [e12] keeps moving'),
        (
            {"state": "unreached"},
            'button "Save" [e12] cannot be clicked: it is outside the page, or clipped to a point',
        ),
        ({"state": "scrolled"}, 'button "Save" [e12] could not be scrolled into view'),
    ],
)
def test_what_is_in_the_way_is_named(found: dict[str, Any], message: str) -> None:
    error = not_actionable_error("e12", {**SAVE, **found}, "")
    assert error.message == message
    assert error.hint


def test_what_is_hidden_says_so_even_without_a_description() -> None:
    assert not_actionable_error("e12", {"state": "hidden"}, "").message.startswith(
        "'e12' is hidden"
    )


@pytest.mark.parametrize(
    ("why", "message"),
    [
        ("changed", 'e12 was button "Save"; that element is a different one now'),
        ("gone", 'e12 was button "Save"; it is no longer on the page'),
        ("document", 'e12 was button "Save"; the page has navigated to another document since'),
    ],
)
def test_a_stale_ref_says_what_it_was_and_what_is_nearest(why: str, message: str) -> None:
    found = {"state": "stale", "why": why, "role": "button", "name": "Save", "near": [BARE, SAVE]}
    error = not_actionable_error("e12", found, "")
    assert error.message == message
    assert error.hint == 'nearest now: generic <div.row> [e3], button "Save" [e12]'


def test_a_stale_ref_with_nothing_like_it_asks_for_a_snapshot() -> None:
    found = {"state": "stale", "why": "gone", "role": "link", "name": "", "near": []}
    error = not_actionable_error("e1", found, "")
    assert (error.message, error.hint) == (
        "e1 was link; it is no longer on the page",
        "take a fresh snapshot",
    )


def test_refs_nobody_gave_and_frames_that_are_gone_are_told_apart() -> None:
    unknown = not_actionable_error("e99", {"state": "stale", "why": "unknown"}, "")
    gone = not_actionable_error("f2e1", {"state": "stale", "why": "frame"}, "")
    assert unknown.message == "e99: no snapshot has given this ref"
    assert gone.message == "f2e1: its frame is gone"
