"""The value, error and state of a run: always JSON, always bounded."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import (
    CallFailed,
    describe_error,
    image_item,
    serialize_state,
    to_json,
)
from pilothouse.code.sandbox.code_compiler import FILE


class _Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class _BrokenError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (None, None),
        ({"a": [1, 2.5, True, None, "é"]}, {"a": [1, 2.5, True, None, "é"]}),
        ((1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (Path("/a/b"), "/a/b"),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (math.nan, "nan"),
        ({"a": math.inf}, "{'a': inf}"),
        (b"raw", "b'raw'"),
        ([object], ["<class 'object'>"]),
        (_Broken(), "<_Broken>"),
        ({(1, 2): 3}, "{(1, 2): 3}"),
    ],
)
def test_values_become_json_or_text(value: object, fields: object) -> None:
    assert to_json(value) == fields


def test_a_number_too_long_to_write_is_named() -> None:
    assert to_json(10**5000) == "<int>"


def test_a_value_that_holds_itself_becomes_text() -> None:
    value: list[Any] = []
    value.append(value)
    assert to_json(value) == "[[...]]"


def test_a_value_nested_too_deeply_becomes_text() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert to_json(value) == "<list>"


def test_a_huge_value_is_cut_and_says_so() -> None:
    fields = to_json("x" * 3_000_000)
    assert len(fields) < 20_000
    assert fields.endswith("(cut: the value has 3000002 characters)")


@pytest.mark.parametrize(
    ("value", "mime"),
    [
        ({"type": "image", "data": "aGk="}, "image/png"),
        ({"data": "aGk=", "mime": "image/jpeg", "width": 3}, "image/jpeg"),
        ({"data": "aGk=", "mime": "application/pdf"}, None),
        ({"data": 5, "mime": "image/png"}, None),
        ("text", None),
    ],
)
def test_pictures_are_known_by_their_shape(value: object, mime: str | None) -> None:
    image = image_item(value)
    assert (image and image["mimeType"]) == mime


def test_state_that_json_has_is_kept_and_the_rest_is_named() -> None:
    stored, lost = serialize_state(
        {"n": 1, "list": (1, 2), 5: "five", "file": object(), "nan": math.nan}
    )
    assert stored == {"n": 1, "list": [1, 2], "5": "five"}
    assert lost == ["state['file']", "state['nan']"]


def test_huge_state_is_not_kept() -> None:
    stored, lost = serialize_state({"text": "x" * 2_000_000})
    assert stored == {}
    assert lost == ["state: it is longer than 1 MB"]


def failing(source: str, **names: Any) -> dict[str, Any]:
    try:
        exec(compile(source, FILE, "exec"), names)
    except BaseException as error:  # noqa: BLE001 - any error is described
        return describe_error(error, source.splitlines(keepends=True))
    raise AssertionError("nothing was raised")


def test_an_error_has_the_innermost_line_of_the_code() -> None:
    fields = failing("import json\ndef f(text):\n    return json.loads(text)\nf('{')")
    assert fields["kind"] == "JSONDecodeError"
    assert (fields["line"], fields["text"]) == (3, "return json.loads(text)")
    assert "line 4" in fields["trace"]
    assert "decoder.py" not in fields["trace"]


def test_an_assertion_without_words_shows_its_line() -> None:
    fields = failing("x = 1\nassert x == 2")
    assert fields["message"] == "assertion failed: assert x == 2"
    assert failing("assert False, 'so it is'")["message"] == "assertion failed: so it is"


def test_a_refused_call_has_its_hint_and_its_kind() -> None:
    fields = failing("raise error", error=CallFailed("no such element", "look again", "ToolError"))
    assert (fields["kind"], fields["message"], fields["hint"]) == (
        "ToolError",
        "no such element",
        "look again",
    )


@pytest.mark.parametrize(
    "source",
    [
        "raise PermissionError(13, 'Permission denied')",
        "import urllib.error\nraise urllib.error.URLError('no')",
    ],
)
def test_a_sandbox_error_has_a_hint(source: str) -> None:
    assert "scratch directory" in failing(source)["hint"]


def test_gathering_calls_that_are_over_gets_a_hint() -> None:
    source = "import asyncio\nasync def f():\n    await asyncio.gather({'a': 1})\nasyncio.run(f())"
    assert "parallel" in failing(source)["hint"]


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("tab.clik()", "did you mean tab.click?"),
        ("tab.zzzzzz", "help(tab) lists what there is"),
        ("tab.press()", "it takes: keys, target, frame, nth, timeout"),
        ("tab.goto('a', colour='red')", "it takes: url, wait_until, timeout"),
        ("'text'.clik", ""),
        ("len(5)", ""),
    ],
)
def test_an_unknown_method_or_argument_has_a_hint(source: str, hint: str) -> None:
    fields = failing(source, tab=Tab(lambda method, **params: None))
    assert fields.get("hint", "") == hint


def test_an_error_whose_str_fails_is_reported_by_its_class_name() -> None:
    fields = failing("raise error", error=_BrokenError())
    assert fields["message"] == "_BrokenError"


def test_the_traceback_of_deep_recursion_is_short() -> None:
    fields = failing("def f():\n    f()\nf()")
    assert fields["kind"] == "RecursionError"
    assert fields["line"] == 2
    assert len(fields["trace"]) < 5_000


def test_causes_show_only_the_codes_own_lines() -> None:
    source = (
        "import json\ntry:\n    json.loads('')\nexcept ValueError as e:\n    raise KeyError from e"
    )
    fields = failing(source)
    assert "direct cause" in fields["trace"]
    assert "decoder.py" not in fields["trace"]


def test_an_error_description_is_json() -> None:
    json.dumps(failing("raise ExceptionGroup('many', [ValueError('a'), KeyError('b')])"))
