"""Targets as agents write them: refs, points, and selectors (test_selectors.py)."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.page.input.selector_parts import Point, Query, parse_target
from pilothouse.page.snapshot.refs import Ref


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("e12", Ref(0, 12)),
        ("f2e12", Ref(2, 12)),
        ("120,340", Point(120, 340)),
        ("(12.5, -3)", Point(12.5, -3)),
        ([10, 20], Point(10, 20)),
        ((10.5, 20), Point(10.5, 20)),
        ({"x": 1, "y": 2}, Point(1, 2)),
    ],
)
def test_refs_and_points_are_known(said: Any, target: Ref | Point) -> None:
    assert parse_target(said) == target


def test_anything_else_is_a_selector() -> None:
    assert parse_target(" button=Save ", nth=1) == Query(
        "role", "button", "Save", False, "button=Save", 1
    )
    target = parse_target("#save")
    assert isinstance(target, Query)
    assert "nth" not in target.as_json()


@pytest.mark.parametrize(
    "said",
    [None, "", "  ", 7, ["a", "b"], [1], [1, 2, 3], {"x": "a", "y": 2}, {"x": 1}, [None, 1],
     {"x": float("nan"), "y": 1}, [float("inf"), 2], "text=", "role=", "role=[name=x]", "button="],
)  # fmt: skip
def test_what_names_nothing_is_refused_by_its_field(said: Any) -> None:
    with pytest.raises(ToolError, match=r"^from: ") as refused:
        parse_target(said, field="from")
    assert refused.value.hint


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_target_or_a_tool_error(said: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(parse_target(said), Ref | Query | Point)
