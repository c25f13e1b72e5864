"""Other spellings of options and methods."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from pilothouse.code.client.option_aliases import either_spelling


@either_spelling
def goto(url: str, wait_until: str = "load", *, full_page: bool = False) -> tuple[Any, ...]:
    """Go."""
    return url, wait_until, full_page


@either_spelling
def choose(target: str, *values: str, nth: int = 0) -> tuple[Any, ...]:
    return target, values, nth


def test_camel_case_options_are_accepted() -> None:
    assert goto("a", waitUntil="commit", fullPage=True) == ("a", "commit", True)  # type: ignore[call-arg]
    assert goto("a", wait_until="commit") == ("a", "commit", False)
    assert goto("a") == ("a", "load", False)


def test_a_selector_is_a_target_where_there_is_one() -> None:
    assert choose(selector="#a") == ("#a", (), 0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="selector"):
        goto("a", selector="#a")  # type: ignore[call-arg]


def test_what_takes_any_number_may_be_given_as_a_list_by_name() -> None:
    assert choose("#a", values=["x", "y"]) == ("#a", ("x", "y"), 0)  # type: ignore[call-arg]
    assert choose("#a", values="x", nth=1) == ("#a", ("x",), 1)  # type: ignore[call-arg]


def test_unknown_names_are_errors_as_ever_and_signatures_stay() -> None:
    with pytest.raises(TypeError, match="waitFor"):
        goto("a", waitFor="x")  # type: ignore[call-arg]
    assert list(inspect.signature(goto).parameters) == ["url", "wait_until", "full_page"]
    assert inspect.getdoc(goto) == "Go."
