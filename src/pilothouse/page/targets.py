"""What an agent says to name an element, taken apart: a ref, one of many selectors, or a point.

    e12  f2e12                a ref of the last snapshot
    #save  .row > button      CSS; it looks into shadow roots too
    text=Sign in              a part of the text; text="Sign in" is the whole of it
    button=Save               role and name; also role=button, role=button[name="Save"]
    label=Email  placeholder=Search  testid=submit  alt=Logo  title=Help
    //form//input  xpath=...  XPath
    120,340                   a point of the viewport, in CSS pixels

Knows: how these are written, and the dialects of others that would silently fail. Pure.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from pilothouse.errors import ToolError
from pilothouse.page.refs import Ref, parse_ref

__all__ = ["Point", "Query", "Target", "parse_target"]

_ROLES = (
    "alert alertdialog article banner button cell checkbox columnheader combobox "
    "complementary contentinfo dialog form generic grid gridcell group heading img image link "
    "list listbox listitem main menu menubar menuitem menuitemcheckbox menuitemradio meter "
    "navigation option progressbar radio radiogroup region row rowheader scrollbar search "
    "searchbox separator slider spinbutton status switch tab table tablist tabpanel textbox "
    "toolbar tooltip tree treeitem"
)
ROLES = frozenset(_ROLES.split())
_PREFIXES = ("css", "text", "role", "label", "placeholder", "testid", "alt", "title", "xpath")

_PREFIXED = re.compile(r"(?P<kind>[a-z]+)=(?P<value>.*)", re.DOTALL)
_SLASHED = re.compile(r"(?:p-)?(?P<kind>text|xpath|pierce|aria|css)/(?P<value>.+)", re.DOTALL)
_ROLE = re.compile(
    r"(?P<role>[a-z]+)\s*(?:\[name=(?P<name>\"[^\"]*\"|'[^']*'|[^\]]*?)\s*(?P<flag>[is])?\]|"
    r"(?P<quoted>\"[^\"]*\"|'[^']*'))?\Z"
)
_POINT = re.compile(r"\(?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)?\Z")

_ONE_SELECTOR = "one selector; for frames a ref, or frame=…"
# Selectors joined as others do it; a text in quotes may have it.
_CHAINED = re.compile(r"\s>>\s*(?:[a-z-]+=|$)")

# Dialects of other tools; in CSS they would be syntax errors at best.
_FOREIGN = (
    (re.compile(r":has-text\(|:text(?:-is|-matches)?\(|:contains\("), "text=… or button=…"),
    (re.compile(r":(?:visible|hidden)\b(?!-)"), "leave it out: only shown elements are chosen"),
    (re.compile(r":nth-match\(|:eq\(|:(?:first|last)(?![\w-])"), "nth=… beside the target"),
    (re.compile(r":(?:near|right-of|left-of|above|below)\("), "a ref of the snapshot"),
    (re.compile(r">>"), _ONE_SELECTOR),
    (re.compile(r"\bgetBy\w+\(|\blocator\("), "button=Save, label=Email, text=…"),
    (re.compile(r"^p-\w+/|^::-p-\w+|::-p-"), "text=…, xpath=… or a ref"),
    (re.compile(r"^(?:internal:|_react|_vue|react=|vue=|data-testid=|id=)"), "CSS or testid=…"),
)


class Query(msgspec.Struct, frozen=True):
    """A selector: elements that fit it are looked for in the page."""

    kind: str
    value: str
    name: str = ""
    exact: bool = False
    said: str = ""
    nth: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The same for the page's side."""
        asked: dict[str, Any] = {
            "kind": self.kind,
            "value": self.value,
            "name": self.name,
            "exact": self.exact,
        }
        if self.nth is not None:
            asked["nth"] = self.nth
        return asked


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
    return _query(said, field, nth)


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


def _query(said: str, field: str, nth: int | None) -> Query:
    if said.startswith(("//", "(//", "./", "../")):
        return Query("xpath", said, said=said, nth=nth)
    if slashed := _SLASHED.match(said):
        kind = {"pierce": "css", "aria": "label"}.get(slashed["kind"], slashed["kind"])
        value, exact = _unquoted(slashed["value"])
        if named := re.fullmatch(r"\[name=[\"']?(.*?)[\"']?\]", value):
            value = named[1]
        return Query(kind, value, exact=exact, said=said, nth=nth)
    prefixed = _PREFIXED.match(said)
    if prefixed and prefixed["kind"] in (*_PREFIXES, *ROLES):
        return _prefixed(prefixed["kind"], prefixed["value"].strip(), said, field, nth)
    for foreign, instead in _FOREIGN:
        if found := foreign.search(said):
            raise _foreign(found[0], instead, said, field)
    return Query("css", said, said=said, nth=nth)


def _foreign(found: str, instead: str, said: str, field: str) -> ToolError:
    return ToolError(
        f"{field}: {found!r} in {said!r} is a dialect that is not spoken here",
        hint=f"use {instead}",
    )


def _prefixed(kind: str, value: str, said: str, field: str, nth: int | None) -> Query:
    if not value:
        raise ToolError(f"{field}: nothing stands after {kind}=", hint=f"write {kind}=something")
    if (chained := _CHAINED.search(value)) and not _unquoted(value)[1]:
        raise _foreign(chained[0], _ONE_SELECTOR, said, field)
    if kind == "role":
        found = _ROLE.match(value)
        if found is None:
            raise ToolError(
                f"{field}: {value!r} is no role",
                hint='write role=button or role=button[name="Save"]',
            )
        name, exact = _unquoted(found["name"] or found["quoted"] or "")
        exact = exact and found["flag"] != "i"
        return Query("role", found["role"], name, exact, said, nth)
    if kind in ("css", "xpath"):
        return Query(kind, value, said=said, nth=nth)
    text, exact = _unquoted(value)
    if kind in ROLES:
        return Query("role", kind, text, exact, said, nth)
    return Query(kind, text, exact=exact or kind == "testid", said=said, nth=nth)


def _unquoted(value: str) -> tuple[str, bool]:
    """The text, and whether it stood in quotes: then it is meant as a whole."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1], True
    return value, False
