"""What fields take, and whether they hold what was meant."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.input.field_value_checks import (
    accepts_file,
    as_checked,
    as_text,
    check_value,
    value_error,
)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("text", "a\r\nb\rc", "a\nb\nc"),
        ("text", 12, "12"),
        ("number", -1.5, "-1.5"),
        ("number", "1e3", "1e3"),
        ("number", "", ""),
        ("date", "2024-02-29", "2024-02-29"),
        ("datetime-local", "2024-02-29 08:30", "2024-02-29T08:30"),
        ("time", "08:30:15.5", "08:30:15.5"),
        ("week", "2025-W01", "2025-W01"),
        ("month", "2025-12", "2025-12"),
        ("color", "#FF8800", "#ff8800"),
        ("range", 5, "5"),
    ],
)
def test_values_are_written_as_their_field_takes_them(kind: str, value: object, text: str) -> None:
    assert as_text(value, kind) == text


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", True),
        ("text", None),
        ("text", ["a"]),
        ("number", "1,5"),
        ("number", "abc"),
        ("date", "1.2.2025"),
        ("date", "2025-13-01"),
        ("time", "24:00"),
        ("week", "2025-W54"),
        ("month", "2025-00"),
        ("color", "blue"),
        ("color", ""),
        ("range", ""),
        ("datetime-local", "2025-01-01"),
    ],
)
def test_what_a_field_cannot_hold_is_refused(kind: str, value: object) -> None:
    with pytest.raises(ToolError, match="value: "):
        as_text(value, kind)


def test_checkboxes_take_plain_yes_and_no() -> None:
    assert as_checked(True)
    assert as_checked("True")
    assert not as_checked("false")
    for wrong in ("on", 1, None):
        with pytest.raises(ToolError):
            as_checked(wrong)


@pytest.mark.parametrize(
    ("wanted", "held", "before"),
    [
        ("1231", "12/31", ""),
        ("5551234567", "+1 (555) 123-4567", ""),
        ("1234.5", "$1,234.50", ""),
        ("abc", "ABC", ""),
        ("  abc ", "abc", "old"),
        ("12", "12", "12"),
        ("abc", "Abc", "abc"),
    ],
)
def test_the_same_in_another_form_was_taken(wanted: str, held: str, before: str) -> None:
    verdict = check_value(wanted, held, before)
    assert verdict.accepted
    assert bool(verdict.note) == (wanted != held)


@pytest.mark.parametrize(
    ("wanted", "held", "before", "says"),
    [
        ("abc", "", "", "it is empty still"),
        ("abc", "", "old", "it is empty now"),
        ("abc", "old", "old", "it holds 'old' still"),
        ("abcdef", "abc", "", "it holds 'abc' now"),
        ("new", "old new", "old", "it holds 'old new' now"),
        ("", "x", "x", "it holds 'x' still"),
    ],
)
def test_anything_else_was_refused(wanted: str, held: str, before: str, says: str) -> None:
    verdict = check_value(wanted, held, before)
    assert (verdict.accepted, verdict.note) == (False, says)


def test_editors_may_tell_paragraphs_by_more_line_ends() -> None:
    assert check_value("one\ntwo\n\nthree", "one\n\ntwo\n\n\n\nthree\n", "old", rich=True).accepted
    assert check_value("", "\n", "old", rich=True).accepted
    assert not check_value("new", "old\nnew", "old", rich=True).accepted


def test_secrets_are_in_no_verdict() -> None:
    for held in ("", "geheim-", "other"):
        assert "geheim" not in check_value("geheim", held, "", secret=True).note


@pytest.mark.parametrize(
    ("accept", "name", "yes"),
    [
        ("", "a.exe", True),
        (".png,.jpg", "A.PNG", True),
        (".png", "a.txt", False),
        ("image/*", "a.jpeg", True),
        ("image/*", "a.txt", False),
        ("application/pdf", "a.pdf", True),
        ("application/pdf", "a.png", False),
        ("image/*", "a.unheardof", True),
        ("*/*", "a.txt", True),
    ],
)
def test_what_a_file_input_accepts(accept: str, name: str, yes: bool) -> None:
    assert accepts_file(accept, name) is yes


def test_a_bar_names_the_limit() -> None:
    assert (
        "4 characters; it takes at most 3"
        in value_error("it", "four", {"why": "long", "limit": 3}).format_line()
    )
    assert (
        "from 0 to 10"
        in value_error("it", "11", {"why": "range", "min": "0", "max": "10"}).format_line()
    )
    assert (
        "from anything to 5" in value_error("it", "6", {"why": "range", "max": "5"}).format_line()
    )
    assert "date or time exists" in value_error("it", "2025-02-31", {"why": "format"}).format_line()
