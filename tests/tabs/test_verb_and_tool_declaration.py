"""Typed functions as declarations: what they take, and what is said of what they do not take."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack

import msgspec
import pytest

from pilothouse.errors import ToolError
from pilothouse.tabs.verb_and_tool_declaration import Declaration, Parameter, check_arguments


class Point(msgspec.Struct, forbid_unknown_fields=True):
    """A place."""

    left: float
    top: float = 0


class Pen(TypedDict, total=False):
    """Options that several functions share."""

    colour: str
    width: float | None


async def trace(tab: Any, shape: str, **pen: Unpack[Pen]) -> None:
    """Trace a shape.

    colour: of the line
    """


async def draw_(
    tab: Any,
    shape: Literal["circle", "square"],
    at: Point | None = None,
    points: list[Point] = [],  # noqa: B006
    size: float = 1.5,
    names: dict[str, str] = {},  # noqa: B006
    filled: bool = False,
) -> None:
    """Draw a shape; size: how large; at: where

    points: of its edge
    """


DRAW = Declaration(draw_)


def test_declaration_has_names_defaults_and_words() -> None:
    assert DRAW.name == "draw"
    assert [(p.name, p.default) for p in DRAW.parameters] == [
        ("shape", ...),
        ("at", None),
        ("points", []),
        ("size", 1.5),
        ("names", {}),
        ("filled", False),
    ]
    told = {p.name: p.about for p in DRAW.parameters}
    assert (told["size"], told["at"], told["points"]) == ("how large", "where", "of its edge")


def test_extra_parameters_are_asked_for_beside_its_own() -> None:
    more = Declaration(draw_, "paint", extra=(Parameter("tab", str, "", "which"),))
    assert more.name == "paint"
    assert check_arguments(more, {"shape": "circle"})["tab"] == ""
    assert check_arguments(more, {"shape": "circle", "tab": "x"})["tab"] == "x"


def test_shared_options_are_parameters_that_may_be_left_out() -> None:
    found = Declaration(trace)
    assert found.parameters == (
        Parameter("shape", str, ...),
        Parameter("colour", str, "", "of the line"),
        Parameter("width", float | None, None),
    )
    assert check_arguments(found, {"shape": "x", "width": 2}) == {
        "shape": "x",
        "colour": "",
        "width": 2.0,
    }
    with pytest.raises(ToolError, match="trace: width: expected a number or null"):
        check_arguments(found, {"shape": "x", "width": "wide"})


def test_what_is_given_is_converted_and_the_rest_is_as_declared() -> None:
    made = check_arguments(
        DRAW, {"shape": "circle", "size": "2", "points": [{"left": 1}], "filled": "true"}
    )
    assert made == {
        "shape": "circle",
        "at": None,
        "points": [Point(1, 0)],
        "size": 2.0,
        "names": {},
        "filled": True,
    }


def test_defaults_that_can_change_are_not_shared() -> None:
    check_arguments(DRAW, {"shape": "circle"})["points"].append(1)
    assert check_arguments(DRAW, {"shape": "circle"})["points"] == []


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({}, "draw: missing required field shape", "use only: shape, at, points"),
        ({"shap": "circle"}, "draw: unknown parameter 'shap'", "did you mean shape?"),
        ({"zzz": 1}, "draw: unknown parameter 'zzz'", "use only: shape, at"),
        (
            {"shape": "circl"},
            "draw: shape: unknown value 'circl'",
            "did you mean circle? use one of circle, square",
        ),
        ({"shape": "xyz"}, "draw: shape: unknown value 'xyz'", "use one of circle, square"),
        (
            {"shape": "circle", "at": {"lft": 1}},
            "draw: at: contains unknown field lft",
            "did you mean left? use only: left, top",
        ),
        (
            {"shape": "circle", "points": [{"top": 1}]},
            "draw: points: missing required field left",
            "use only: left, top",
        ),
        (
            {"shape": "circle", "size": "large"},
            "draw: size: expected a number, got a string",
            "use only: shape, at, points, size, names, filled",
        ),
        ({"shape": "circle", "names": []}, "names: expected an object, got a list", "use only:"),
    ],
)
def test_mistakes_are_named_with_what_would_be_right(
    given: dict[str, Any], error: str, hint: str
) -> None:
    with pytest.raises(ToolError) as refused:
        check_arguments(DRAW, given)
    assert error in refused.value.message
    assert refused.value.hint.startswith(hint)


@pytest.mark.parametrize("odd", ["\ud800", ["a", "\udc00"], {"a": {"\ud83d": 1}}])
def test_half_a_surrogate_pair_is_refused_wherever_it_is(odd: Any) -> None:
    def say(tab: Any, words: Any = "") -> None:
        """Say it."""

    with pytest.raises(ToolError, match="say: words: contains a lone surrogate") as refused:
        check_arguments(Declaration(say), {"words": odd})
    assert refused.value.hint
    assert check_arguments(Declaration(say), {"words": "é 漢 😀"}) == {"words": "é 漢 😀"}
