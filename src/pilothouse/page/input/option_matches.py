"""Match what an agent asks for against the options of a list. Pure.

A choice is a value, a label, or an index counted from 0: `2` or `"index=2"`. The prefixes `value=`
and `label=` say which one is meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.errors import ToolError, UsageError

__all__ = ["describe_options", "match_options", "parse_choices"]

MOST_LISTED = 20

Option = Mapping[str, Any]


def parse_choices(values: Any) -> list[str | int]:
    """Return the choices as a list. Raises ToolError for anything but strings and integers."""
    given = list(values) if isinstance(values, list | tuple) else [values]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise UsageError(
                f"values: expected a string or an index, got {one!r}",
                hint="give values, labels or indexes (0 is the first)",
            )
    return given


_QUOTES_PAGE = ("message", "hint")


def match_options(
    wanted: Sequence[str | int], options: Sequence[Option], *, multiple: bool, what: str
) -> list[Option]:
    """Return the options that are meant, in the order asked for. Raises ToolError."""
    if len(wanted) > 1 and not multiple:
        raise ToolError(
            f"values: {what} takes one option, not {len(wanted)}", hint="give one option"
        )
    if not wanted and not multiple:
        raise UsageError(
            "values: empty",
            hint=f"use one of {describe_options(options)}",
            untrusted=_QUOTES_PAGE,
        )
    return [_match_one(one, options, what) for one in wanted]


def _match_one(wanted: str | int, options: Sequence[Option], what: str) -> Option:
    found = _find_options(wanted, options)
    if not found:
        raise ToolError(
            f"values: {what} has no option {wanted!r}",
            hint=f"use one of {describe_options(options)}",
            untrusted=_QUOTES_PAGE,
        )
    usable = [option for option in found if not option["disabled"]]
    if not usable:
        raise ToolError(
            f"values: the option {found[0]['label']!r} of {what} is disabled",
            hint="enable it first, or choose another option",
        )
    if len(usable) > 1:
        places = ", ".join(f"index={option['index']}" for option in usable[:MOST_LISTED])
        raise ToolError(f"values: {wanted!r} matches {len(usable)} options", hint=f"use {places}")
    return usable[0]


def _find_options(wanted: str | int, options: Sequence[Option]) -> list[Option]:
    if isinstance(wanted, int):
        return [option for option in options if option["index"] == wanted]
    for prefix, key in (("value=", "value"), ("label=", "label")):
        if wanted.startswith(prefix):
            expected = wanted.removeprefix(prefix)
            return [option for option in options if option[key] == expected]
    exact = _by_text(wanted, options)
    if not exact and wanted.startswith("index=") and wanted[6:].strip().isdigit():
        return [option for option in options if option["index"] == int(wanted[6:])]
    return exact


def _by_text(wanted: str, options: Sequence[Option]) -> list[Option]:
    """Match by value, then by label, then by label ignoring case; the first match decides."""
    tidy = " ".join(wanted.split())
    folded = tidy.casefold()
    tests = (
        [o for o in options if o["value"] == wanted and (wanted or not o["label"])],
        [o for o in options if o["label"] == tidy],
        [o for o in options if o["label"].casefold() == folded],
    )
    return next((found for found in tests if found), [])


def describe_options(options: Sequence[Option]) -> str:
    """Return the options as text, shortened to a few."""
    if not options:
        return "no options"
    words = [_describe_option(option) for option in options[:MOST_LISTED]]
    more = len(options) - len(words)
    return ", ".join(words) + (f" and {more} more" if more else "")


def _describe_option(option: Option) -> str:
    label, value = str(option["label"]), str(option["value"])
    shown = repr(label[:60]) if label else repr(value[:60])
    if value and label and value != label:
        shown += f" (value {value[:40]!r})"
    return shown + (" [disabled]" if option["disabled"] else "")
