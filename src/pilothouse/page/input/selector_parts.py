"""What an agent says to name an element, taken apart: a ref, a selector, or a point.

    e12  f2e12                a ref of the last snapshot
    120,340                   a point of the viewport, in CSS pixels
    button=Save  #save  ...   a selector (selectors.py)

Knows: how refs and points are written. Pure.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from pilothouse.errors import ToolError
from pilothouse.page.input.selectors import ROLES, Query, parse_selector
from pilothouse.page.snapshot import Ref, parse_ref

__all__ = ["ROLES", "Point", "Query", "Target", "parse_target"]

_POINT = re.compile(r"\(?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)?\Z")


class Point(msgspec.Struct, frozen=True):
    """A point of the viewport in CSS pixels."""

    x: float
    y: float


Target = Ref | Query | Point


def parse_target(text: Any, *, field: str = "target", nth: int | None = None) -> Target:
    """A target as an agent writes it. Raises ToolError that says what would work."""
    if isinstance(text, dict) and set(text) == {"x", "y"}:
        return _point(text["x"], text["y"], field)
    if isinstance(text, list | tuple) and len(text) == 2:
        return _point(text[0], text[1], field)
    if not isinstance(text, str) or not text.strip():
        kind = "empty" if isinstance(text, str) else f"a {type(text).__name__}"
        raise ToolError(f"{field}: it is {kind}", hint="give a ref such as e12, or a selector")
    said = text.strip()
    ref = parse_ref(said)
    if ref is not None:
        return ref
    if point := _POINT.match(said):
        return _point(point[1], point[2], field)
    return parse_selector(said, field, nth)


def _point(x: Any, y: Any, field: str) -> Point:
    try:
        at = Point(float(x), float(y))
    except (TypeError, ValueError):
        at = Point(math.nan, math.nan)
    if not (math.isfinite(at.x) and math.isfinite(at.y)):
        raise ToolError(
            f"{field}: {x!r}, {y!r} is no point", hint="give x and y in CSS pixels, such as 120,340"
        )
    return at
