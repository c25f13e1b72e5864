"""Answers of the daemon, as fields of a tool's answer."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.tools.formatting import (
    describe_changes,
    drop_empty,
    element_label,
    fields_without_page_text,
    format_action,
    format_dialogs,
    format_image,
    format_navigation,
    js_type,
    merge_changes,
    shorten_url,
)


def test_changes_are_told_one_by_one() -> None:
    receipt = {
        "navigated": "went to http://a/",
        "dialogs": ["alert 'x'"],
        "new_tabs": ["main.1"],
        "downloads": [
            {"filename": "a.txt", "state": "completed", "bytes": 7, "path": "/files/a.txt"}
        ],
        "focus": "button",
        "dom": {"nodes added": 2, "removed": 0},
        "scrolled": True,
        "requests_pending": 3,
        "console_errors": ["oops"],
    }
    assert describe_changes(receipt) == [
        "went to http://a/",
        "dialog opened: alert 'x'",
        "new tab main.1",
        "downloaded a.txt to /files/a.txt (7 bytes)",
        "scrolled",
        "3 requests still pending",
        "console error: oops",
    ]
    refused = {"refused": ["Name: fill it in"], "alerts": ["alert: no"], "invalid": ["Zip: bad"]}
    assert describe_changes({**receipt, **refused, "navigated": ""})[:3] == [
        "not submitted: Name: fill it in",
        "not valid: Zip: bad",
        "alert: no",
    ]
    stays = describe_changes({"focus": "button", "dom": {"nodes added": 2, "removed": 0}})
    assert stays == ["focus on button", "page changed (2 nodes added)"]
    one = describe_changes({"dom": {"nodes added": 1, "texts": 1}, "requests_pending": 1})
    assert one == ["page changed (1 node added, 1 text)", "1 request still pending"]


def test_several_receipts_are_told_as_one() -> None:
    first = {"alerts": ["alert: no @"], "focus": "textbox", "dom": {"inputs": 1}}
    second = {"alerts": ["alert: no @"], "focus": "button", "dom": {"inputs": 2, "removed": 1}}
    assert merge_changes([first, second]) == [
        "alert: no @",
        "focus on button",
        "page changed (3 inputs, 1 removed)",
    ]


def test_what_of_an_error_quotes_no_page_is_known() -> None:
    assert fields_without_page_text(ToolError("x", hint="y")) == {"hint"}
    assert fields_without_page_text(ToolError("x", hint="y", untrusted=())) == {"error", "hint"}
    assert (
        fields_without_page_text(ToolError("x", hint="y", untrusted=("message", "hint"))) == set()
    )


def test_action_without_effect_has_no_changes() -> None:
    assert format_action({"url": "http://a/", "dom": {"removed": 0}}, clicked="e1") == {
        "clicked": "e1",
        "changes": [],
    }


def test_action_that_leads_away_tells_where_and_what_to_know() -> None:
    told = format_action(
        {"navigated": "went", "url": "http://b/", "new_tabs": ["t"], "notes": ["n"]}
    )
    assert (told["url"], told["new_tabs"], told["notes"]) == ("http://b/", ["t"], ["n"])


def test_element_is_as_met_or_as_said() -> None:
    assert element_label({"target": 'button "Go" [e1]'}, "e1") == 'button "Go" [e1]'
    assert element_label({}, "e1") == "e1"


def test_usual_arrival_tells_address_and_title_only() -> None:
    arrival: dict[str, Any] = {"url": "http://a/", "kind": "document", "title": "A", "status": 200}
    assert format_navigation(arrival) == {"url": "http://a/", "title": "A"}


def test_unusual_arrival_tells_why() -> None:
    told = format_navigation(
        {
            "url": "http://a/",
            "kind": "download",
            "status": 206,
            "filename": "a.zip",
            "redirects": [{"url": "http://b/", "status": 302}],
            "timed_out": True,
            "loaded": "commit",
            "hanging": ["http://c/"],
        }
    )
    assert told == {
        "url": "http://a/",
        "title": "",
        "kind": "download",
        "status": 206,
        "filename": "a.zip",
        "redirects": ["http://b/"],
        "timed_out": "reached commit in time",
        "hanging": ["http://c/"],
    }


def test_picture_is_image_content_with_its_measures() -> None:
    taken = {"data": "QQ==", "mime": "image/png", "width": 2, "height": 1, "factor": 1.33333}
    assert format_image({**taken, "note": "", "path": "/a.png"}) == {
        "image": {"data": "QQ==", "mimeType": "image/png"},
        "width": 2,
        "height": 1,
        "factor": 1.3333,
        "path": "/a.png",
    }


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_values_are_called_as_javascript_calls_them(value: Any, kind: str) -> None:
    assert js_type(value) == kind


def test_long_addresses_are_cut_and_say_so() -> None:
    assert shorten_url("http://a/") == "http://a/"
    assert shorten_url("data:" + "x" * 1000).endswith("… (1005 long)")


def test_empty_fields_are_left_out_and_false_is_not() -> None:
    assert drop_empty({"a": "", "b": None, "c": [], "d": False, "e": 0}) == {"d": False, "e": 0}


def test_dialogs_are_told_without_what_only_a_debugger_would_want() -> None:
    shown = {
        "id": "d-1",
        "type": "confirm",
        "message": "Sink?",
        "tab": "t1",
        "frame_id": "F",
        "session_id": "S",
        "origin": "http://x",
        "via": "native",
        "opened_at": 1731751234.5678,
    }
    (told,) = format_dialogs([shown])
    assert told == {
        "id": "d-1",
        "type": "confirm",
        "message": "Sink?",
        "origin": "http://x",
        "opened_at": 1731751234.6,
    }
