"""Values of a page, put into words."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.supervisor.journal.remote_values import describe_value, format_console_call


def text(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def number(value: float) -> dict[str, Any]:
    return {"type": "number", "value": value}


ARRAY = {"type": "object", "subtype": "array", "description": "Array(3)", "overflow": True}
ARRAY |= {"properties": [{"name": "0", "type": "number", "value": "1"}]}
PARTS = [{"name": "f", "type": "function"}, {"name": "g", "type": "accessor"}]
POINT = {"type": "object", "description": "Point", "properties": PARTS}
INSIDE = [{"value": {"type": "string", "description": "a"}}, {"value": {"description": "2"}}]
SET = {"type": "object", "description": "Set(2)", "entries": INSIDE}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (text("a"), "a"),
        (number(1.5), "1.5"),
        ({"type": "object", "subtype": "null", "value": None}, "null"),
        ({"type": "bigint", "unserializableValue": "1n"}, "1n"),
        ({"type": "undefined"}, "undefined"),
        ({"type": "object", "preview": ARRAY}, "[1, …]"),
        ({"type": "object", "preview": POINT}, "Point {f: function, g: (getter)}"),
        ({"type": "object", "preview": SET}, 'Set(2) {"a", 2}'),
        ({"type": "object", "preview": {"type": "object", "description": "X"}}, "X"),
        ({"type": "object", "subtype": "error", "preview": {}, "description": "E: x"}, "E: x"),
        ({"type": "object", "className": "Thing"}, "Thing"),
        ({}, ""),
    ],
)
def test_value_is_described(value: dict[str, Any], words: str) -> None:
    assert describe_value(value) == words


def test_placeholders_are_filled() -> None:
    assert (
        format_console_call([text("%s=%d%c!%%"), text("a"), number(1), text("css")], 99) == "a=1!%"
    )
    assert format_console_call([text("%s %s"), text("a")], 99) == "a %s"
    assert format_console_call([text("100%"), text("b")], 99) == "100% b"
    assert format_console_call([number(1), text("%s")], 99) == "1 %s"
    assert format_console_call([], 99) == ""


def test_long_text_is_cut() -> None:
    assert format_console_call([text("abcdef")], 4) == "abc…"
