"""Selectors: everything that names an element.

    e12  f2e12                a ref of the last snapshot -> Ref
    120,340                   a point of the viewport, in CSS pixels -> Point
    #save  .row > button      CSS; it looks into shadow roots too -> Query, as all that follow
    text=Sign in              the text; a part of it if no element has exactly this text
    text="Sign in"            only the whole text
    button=Save               role and name; also role=button, role=button[name="Save"]
    label=Email  placeholder=Search  testid=submit  alt=Logo  title=Help
    //form//input  xpath=...  XPath
    .row >> text=Delete       a step inside the one before it
    button=Delete >> nth=1    one of several, counted from 0; -1 is the last

Accepted from other tools: Playwright's `:has-text("x")`; Puppeteer's `text/x`,
`aria/x[role="button"]`, `pierce/x`, `::-p-text(x)`, `::-p-aria(x)`, `::-p-xpath(x)` and `>>>`.
Other dialects are refused with a suggestion, because as CSS they would fail or match something
else.

Knows: the syntax. Must not know: how elements are found. Pure.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from pilothouse.errors import UsageError
from pilothouse.page.snapshot import Ref, parse_ref

__all__ = ["ROLES", "Point", "Query", "Selector", "parse_query", "parse_selector"]

_ROLES = (
    "alert alertdialog article banner button cell checkbox columnheader combobox "
    "complementary contentinfo dialog form generic grid gridcell group heading img image link "
    "list listbox listitem main menu menubar menuitem menuitemcheckbox menuitemradio meter "
    "navigation option progressbar radio radiogroup region row rowheader scrollbar search "
    "searchbox separator slider spinbutton status switch tab table tablist tabpanel textbox "
    "toolbar tooltip tree treeitem"
)
ROLES = frozenset(_ROLES.split())
# What follows these prefixes is text of the page: it may contain anything, even `>>`.
_TEXT_PREFIXES = frozenset({"text", "label", "placeholder", "testid", "alt", "title"}) | ROLES
_PREFIXES = _TEXT_PREFIXES | {"css", "role", "xpath"}

_PREFIXED = re.compile(r"(?P<kind>[a-z]+)=(?P<value>.*)", re.DOTALL)
_SLASHED = re.compile(r"(?:p-)?(?P<kind>text|xpath|pierce|aria|css)/(?P<value>.+)", re.DOTALL)
_ROLE = re.compile(
    r"(?P<role>[a-z]+)\s*(?:\[name=(?P<name>\"[^\"]*\"|'[^']*'|[^\]]*?)\s*(?P<flag>[is])?\]|"
    r"(?P<quoted>\"[^\"]*\"|'[^']*'))?\Z"
)
# Puppeteer's `Save[role="button"]` and `[name="Save"][role="button"]`.
_ARIA = re.compile(r"\[\s*(?P<key>name|role)\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\]\"']*)\s*\]")

_POINT = re.compile(r"\(?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)?\Z")

_NTH = re.compile(r"nth=(-?\d+)\Z")
_LAST_NTH = re.compile(r"\s+(nth=-?\d+)\Z")
# Inside a text only an unmistakable next step ends it: "Home >> Products" is one text.
_STEP_IN_TEXT = re.compile(
    rf"\s>>\s*(?=(?:nth|{'|'.join(sorted(_PREFIXES))})=|//|\.\.?(?:/|$|\s)|(?:text|aria|xpath|pierce)/|$)"
)
_QUOTED_TEXT = re.compile(
    r"(?P<head>[a-z]+=(?P<quote>[\"']).*?(?P=quote))\s*>>\s*(?P<rest>.*)\Z", re.DOTALL
)
# Pseudo-elements inside CSS that become steps of their own.
_PSEUDO = re.compile(r"(?P<name>::-p-[a-z]+|:has-text|:contains)\(")

_SUGGESTION = "text=…, button=… or a ref; >> between steps"
# Syntax of other tools that we do not support; as CSS it would be an error at best.
_UNSUPPORTED = (
    (re.compile(r":text(?:-is|-matches)?\("), "text=… or button=…"),
    (re.compile(r":(?:visible|hidden)\b(?!-)"), "leave it out: only shown elements are chosen"),
    (re.compile(r":nth-match\(|:eq\(|:(?:first|last)(?![\w-])"), "nth: li >> nth=0"),
    (re.compile(r":(?:near|right-of|left-of|above|below)\("), "a ref of the snapshot"),
    (re.compile(r"\bgetBy\w+\(|\blocator\("), "button=Save, label=Email, text=…"),
    (re.compile(r"^p-[\w-]+/"), "text=…, aria/… or CSS"),
    (re.compile(r"^(?:internal:|_react|_vue|react=|vue=|data-testid=|id=)"), "CSS or testid=…"),
)


class Query(msgspec.Struct, frozen=True):
    """One step of a selector. `within` is the step before it.

    `relation` says how the two are related: "in" (anywhere inside), "child" or "self".
    """

    kind: str
    value: str
    name: str = ""
    exact: bool = False
    selector: str = ""
    nth: int | None = None
    within: Query | None = None
    relation: str = "in"

    @property
    def is_plain_css(self) -> bool:
        """Whether it is CSS and nothing more."""
        return self.kind == "css" and not self.name and self.nth is None and self.within is None

    def as_json(self) -> dict[str, Any]:
        """Return the same as an argument for our page script."""
        argument: dict[str, Any] = {
            "kind": self.kind,
            "value": self.value,
            "name": self.name,
            "exact": self.exact,
        }
        if self.nth is not None:
            argument["nth"] = self.nth
        if self.within is not None:
            argument |= {"within": self.within.as_json(), "relation": self.relation}
        return argument


class Point(msgspec.Struct, frozen=True):
    """A point of the viewport in CSS pixels."""

    x: float
    y: float


Selector = Ref | Query | Point


def parse_selector(text: Any, *, field: str = "target", nth: int | None = None) -> Selector:
    """Parse a selector as an agent writes it. Raises ToolError with a suggestion."""
    if isinstance(text, dict) and set(text) == {"x", "y"}:
        return _point(text["x"], text["y"], field)
    if isinstance(text, list | tuple) and len(text) == 2:
        return _point(text[0], text[1], field)
    if not isinstance(text, str) or not text.strip():
        kind = "an empty string" if isinstance(text, str) else f"{text!r}"
        raise UsageError(
            f"{field}: expected a selector, got {kind}",
            hint="give a ref such as e12, a selector, or a point [x, y]",
        )
    selector = text.strip()
    ref = parse_ref(selector)
    if ref is not None:
        return ref
    if point := _POINT.match(selector):
        return _point(point[1], point[2], field)
    return parse_query(selector, field, nth)


def _point(x: Any, y: Any, field: str) -> Point:
    try:
        at = Point(float(x), float(y))
    except (TypeError, ValueError):
        at = Point(math.nan, math.nan)
    if not (math.isfinite(at.x) and math.isfinite(at.y)):
        raise UsageError(
            f"{field}: {x!r}, {y!r} is not a point",
            hint="give x and y in CSS pixels, such as 120,340",
        )
    return at


def parse_query(selector: str, field: str, nth: int | None = None) -> Query:
    """Parse a selector that is neither a ref nor a point; `nth` was given beside it.

    Raises ToolError with a suggestion.
    """
    parser = _Parser(selector, field)
    query: Query | None = None
    for step in _split_steps(selector, parser):
        if one := _NTH.match(step):
            if query is None:
                raise parser.error(f"{step} alone names no element", "li >> nth=0")
            query = parser.with_nth(query, int(one[1]))
        elif step:
            query = parser.step(step, query)
    if query is None:
        raise parser.error(f"{selector!r} names nothing", "a ref such as e12, or a selector")
    if nth is not None:
        query = parser.with_nth(query, nth)
    return msgspec.structs.replace(query, selector=selector)


def _split_steps(selector: str, parser: _Parser) -> list[str]:
    """Split a selector into its steps."""
    steps: list[str] = []
    rest = selector
    # A trailing `nth=` counts even without `>>` before it, and even after a text.
    if last := _LAST_NTH.search(rest):
        rest = rest[: last.start()]
        rest = rest[:-2].rstrip() if rest.endswith(">>") else rest
    while True:
        head, rest, found = _split_first_step(rest)
        if head or not found:
            steps.append(head)
        # Puppeteer's selectors may begin with it: anywhere in the document.
        elif steps or not found.startswith(">>>"):
            raise parser.error(f"nothing before {found}", _SUGGESTION)
        if not found:
            break
        if not rest:
            raise parser.error(f"nothing after {found}", _SUGGESTION)
    return [*steps, last[1]] if last else steps


def _split_first_step(text: str) -> tuple[str, str, str]:
    """Return the first step, the rest, and the separator; empty if there is only one step."""
    text = text.strip()
    prefixed = _PREFIXED.match(text)
    slashed = _SLASHED.match(text)
    if (prefixed and prefixed["kind"] in _TEXT_PREFIXES) or (
        slashed and slashed["kind"] in _TEXT_PREFIXES
    ):
        if quoted := _QUOTED_TEXT.match(text):
            return quoted["head"], quoted["rest"].strip(), ">>"
        if prefixed and _unquote(prefixed["value"].strip())[1]:
            return text, "", ""
        if found := _STEP_IN_TEXT.search(text):
            return text[: found.start()].strip(), text[found.end() :].strip(), ">>"
        return text, "", ""
    at = _find_separator(text)
    if at < 0:
        return text, "", ""
    end = at
    while end < len(text) and text[end] == ">":
        end += 1
    return text[:at].strip(), text[end:].strip(), text[at:end]


def _find_separator(text: str) -> int:
    """Return the index of the first `>>` outside quotes and brackets; -1 if there is none."""
    quote = ""
    depth = 0
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[index - 1] != "\\" else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == ">" and not depth and text.startswith(">>", index):
            return index
    return -1


class _Parser:
    """Parses the steps of one selector."""

    def __init__(self, selector: str, field: str) -> None:
        self._selector = selector
        self._field = field

    def error(self, why: str, instead: str) -> UsageError:
        """Return an error that quotes the selector."""
        where = "" if self._selector in why else f" in {self._selector!r}"
        return UsageError(f"{self._field}: {why}{where}", hint=f"use {instead}")

    def with_nth(self, query: Query, nth: int) -> Query:
        """Return the query with `nth`. A second `nth` may only be 0 or -1, since one element is
        left."""
        if query.nth is None:
            return msgspec.structs.replace(query, nth=nth)
        if nth in (0, -1):
            return query
        raise self.error(f"nth is given twice, {query.nth} and {nth}", "one nth")

    def step(self, text: str, within: Query | None) -> Query:
        """Parse one step, inside the one before it."""
        if text == ".." or text.startswith(("//", "(//", "./", "../")):
            return Query("xpath", text, within=within)
        if slashed := _SLASHED.match(text):
            return self._slashed(slashed["kind"], slashed["value"], within)
        prefixed = _PREFIXED.match(text)
        if prefixed and prefixed["kind"] in _PREFIXES:
            return self._prefixed(prefixed["kind"], prefixed["value"].strip(), within)
        if _PSEUDO.search(text):
            return self._with_pseudos(text, within)
        return self._css(text, within, "in")

    def _css(self, text: str, within: Query | None, relation: str, name: str = "") -> Query:
        for unsupported, instead in _UNSUPPORTED:
            if found := unsupported.search(text):
                raise self.error(f"{found[0]!r} is not supported", instead)
        return Query("css", text, name, within=within, relation=relation)

    def _slashed(self, kind: str, value: str, within: Query | None) -> Query:
        if kind == "aria":
            return self._aria(value, within, "in")
        value, exact = _unquote(value)
        return Query("css" if kind == "pierce" else kind, value, exact=exact, within=within)

    def _aria(self, text: str, within: Query | None, relation: str) -> Query:
        attributes = {found["key"]: _unquote(found["value"])[0] for found in _ARIA.finditer(text)}
        name = _ARIA.sub("", text).strip()
        name, role = _unquote(name)[0] or attributes.get("name", ""), attributes.get("role", "")
        if not name and not role:
            raise self.error(f"{text!r} has neither name nor role", 'aria/Save[role="button"]')
        return Query("role", role, name, within=within, relation=relation)

    def _prefixed(self, kind: str, value: str, within: Query | None) -> Query:
        if not value:
            raise self.error(f"nothing after {kind}=", f"{kind}=something")
        if kind == "role":
            found = _ROLE.match(value)
            if found is None:
                raise self.error(
                    f"{value!r} is not a role", 'role=button or role=button[name="Save"]'
                )
            name, exact = _unquote(found["name"] or found["quoted"] or "")
            exact = exact and found["flag"] != "i"
            return Query("role", found["role"], name, exact, within=within)
        if kind == "css":
            pseudo = _PSEUDO.search(value)
            return (
                self._with_pseudos(value, within) if pseudo else Query(kind, value, within=within)
            )
        if kind == "xpath":
            return Query(kind, value, within=within)
        text, exact = _unquote(value)
        if kind in ROLES:
            return Query("role", kind, text, exact, within=within)
        return Query(kind, text, exact=exact or kind == "testid", within=within)

    def _with_pseudos(self, text: str, within: Query | None) -> Query:
        """Parse CSS with pseudo-elements: a step for each, and for the CSS between them."""
        query, at = within, 0
        while found := _PSEUDO.search(text, at):
            css, relation, next_relation = self._css_before(text[at : found.start()], bool(at))
            argument, at = self._argument(text, found)
            if found["name"] in (":has-text", ":contains"):
                query = self._css(css or "*", query, relation, name=argument)
                continue
            if css:
                query, relation = self._css(css, query, relation), next_relation
            query = self._pseudo(found["name"], argument, query, relation)
        assert query is not None
        if not text[at:].strip():
            return query
        css, relation = self._css_after(text[at:])
        return self._css(css, query, relation)

    def _css_before(self, raw: str, follows: bool) -> tuple[str, str, str]:
        """Return the CSS before a pseudo-element, its relation to the step before, and the next
        relation."""
        css, relation = raw.strip(), "in"
        if follows:
            css, relation = self._css_after(raw) if css else ("", "in" if raw else "self")
        next_relation = "in" if raw[-1:].isspace() else "self"
        if css.endswith(">"):
            css, next_relation = css[:-1].rstrip(), "child"
        if css.endswith((",", "+", "~")) or css.count("(") != css.count(")"):
            raise self.error(f"{css[-1]!r} before a pseudo-element", _SUGGESTION)
        return css, relation, next_relation

    def _css_after(self, css: str) -> tuple[str, str]:
        """Return CSS that follows a pseudo-element, and its relation to it."""
        bare = css.strip()
        if bare.startswith(">"):
            return bare[1:].lstrip(), "child"
        if not css[0].isspace() or bare[0] in ",+~":
            raise self.error(f"{bare[:20]!r} after a pseudo-element", _SUGGESTION)
        return bare, "in"

    def _argument(self, text: str, found: re.Match[str]) -> tuple[str, int]:
        """Return the argument of a pseudo-element, and the index after its closing bracket."""
        quote, depth = "", 1
        for index in range(found.end(), len(text)):
            char = text[index]
            if quote:
                quote = "" if char == quote and text[index - 1] != "\\" else quote
            elif char in "\"'" and not text[found.end() : index].strip():
                quote = char
            elif char in "()":
                depth += 1 if char == "(" else -1
                if not depth:
                    return _unquote(text[found.end() : index].strip())[0], index + 1
        raise self.error(f"{found[0]!r} is not closed", _SUGGESTION)

    def _pseudo(self, name: str, argument: str, within: Query | None, relation: str) -> Query:
        kind = name.removeprefix("::-p-")
        if not argument or kind not in ("text", "aria", "xpath"):
            raise self.error(f"{name}({argument}) is not supported", _SUGGESTION)
        if kind == "aria":
            return self._aria(argument, within, relation)
        return Query(kind, argument, within=within, relation=relation)


def _unquote(value: str) -> tuple[str, bool]:
    """Return the text, and whether it was quoted: a quoted text must match as a whole."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1], True
    return value, False
