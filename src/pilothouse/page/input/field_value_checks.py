"""Field values: what a field may be given, and whether it took it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.errors import ToolError, UsageError

__all__ = ["ValueCheck", "accepts_file", "as_checked", "as_text", "check_value", "value_error"]

LONGEST_QUOTE = 120
MASK_ADDS = 4

_DATE = r"\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?"
_NUMBER = r"-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
_FORMATS: dict[str, tuple[str, str]] = {
    "date": (_DATE, "yyyy-mm-dd, such as 2025-03-31"),
    "time": (_TIME, "hh:mm, such as 08:30"),
    "datetime-local": (f"{_DATE}T{_TIME}", "yyyy-mm-ddThh:mm"),
    "month": (r"\d{4,}-(0[1-9]|1[0-2])", "yyyy-mm, such as 2025-03"),
    "week": (r"\d{4,}-W(0[1-9]|[1-4]\d|5[0-3])", "yyyy-Wnn, such as 2025-W07"),
    "color": (r"#[0-9a-f]{6}", "#rrggbb, such as #ff8800"),
    "number": (_NUMBER, "a number, such as 12.5"),
    "range": (_NUMBER, "a number, such as 12.5"),
}
# Fields of these types always hold a value.
_NEVER_EMPTY = frozenset({"color", "range"})


def as_text(value: Any, kind: str) -> str:
    """Return the value as text for a field of this type. Raises ToolError if it does not fit."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(
            f"value: expected text, got {value!r}",
            hint="give a string; true and false are for checkboxes",
        )
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)  # JSON and JavaScript write 42, not 42.0
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    if kind == "datetime-local":
        text = text.replace(" ", "T", 1)
    if kind == "color":
        text = text.lower()
    if kind not in _FORMATS or (not text and kind not in _NEVER_EMPTY):
        return text
    pattern, wanted = _FORMATS[kind]
    if not re.fullmatch(pattern, text):
        raise UsageError(f"value: {_quote(text)} is not a valid {kind}", hint=f"write {wanted}")
    return text


def as_checked(value: Any) -> bool:
    """Return a value for a checkbox. Raises ToolError unless it is true or false."""
    if isinstance(value, str) and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    if not isinstance(value, bool):
        raise UsageError(
            f"value: expected true or false for a checkbox, got {value!r}",
            hint="give true or false",
        )
    return value


def value_error(what: str, text: str, found: Mapping[str, Any]) -> ToolError:
    """Return the error for a value that the field itself declares invalid."""
    match found["why"]:
        case "long":
            return ToolError(
                f"value: {len(text)} characters; {what} takes at most {found['limit']}",
                hint="shorten the value; nothing was changed",
            )
        case "range":
            low, high = found.get("min") or "anything", found.get("max") or "anything"
            return ToolError(
                f"value: {_quote(text)} is outside the range of {what}",
                hint=f"use a value from {low} to {high}; nothing was changed",
                untrusted=("message", "hint"),
            )
    return ToolError(
        f"value: {what} does not accept {_quote(text)}",
        hint="check that the date or time exists; nothing was changed",
    )


class ValueCheck(msgspec.Struct, frozen=True):
    """Whether the field holds what was meant; `note` says how it differs."""

    accepted: bool
    note: str = ""


def check_value(
    wanted: str, held: str, before: str, *, rich: bool = False, secret: bool = False
) -> ValueCheck:
    """Check whether a field that held `before` and now holds `held` has accepted `wanted`."""
    if rich:
        # Rich text shows paragraphs by CSS margins, so the number of line breaks means little.
        wanted, held, before = (
            _normalize_lines(wanted),
            _normalize_lines(held),
            _normalize_lines(before),
        )
    if held == wanted:
        return ValueCheck(True)
    if _is_reformatted(wanted, held, before):
        shown = "another form" if secret else f"{_quote(held)} for {_quote(wanted)}"
        return ValueCheck(True, f"the page changed it to {shown}")
    if not _alphanumerics(wanted) and held.strip() == wanted.strip():
        return ValueCheck(True, "the page removed the surrounding spaces")
    if secret:
        return ValueCheck(False, "it does not hold the given value")
    state = "it is empty" if not held else f"it holds {_quote(held)}"
    return ValueCheck(False, f"{state} {'still' if held == before else 'now'}")


def _is_reformatted(wanted: str, held: str, before: str) -> bool:
    """Whether an input mask made `held` of `wanted`: punctuation, a prefix or zeros added or
    dropped.

    What was there before must be gone.
    """
    wanted, held, before = _alphanumerics(wanted), _alphanumerics(held), _alphanumerics(before)
    if not wanted or wanted not in held or len(held) - len(wanted) > MASK_ADDS:
        return False
    return not before or held == wanted or before not in held or before in wanted


def _normalize_lines(text: str) -> str:
    text = text.replace("\u00a0", " ").replace("\u200b", "").replace("\ufeff", "")
    return re.sub(r"\s*\n\s*", "\n", text).strip()


def _alphanumerics(text: str) -> str:
    """Return letters and digits only: masks add and drop the rest."""
    return "".join(mark for mark in text.casefold() if mark.isalnum())


def _quote(text: str) -> str:
    """Return the text in quotes, shortened."""
    return repr(text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…")


def accepts_file(accept: str, filename: str) -> bool:
    """Whether a file input with this `accept` attribute takes a file of this name."""
    tokens = [token.strip().casefold() for token in accept.split(",") if token.strip()]
    name = filename.casefold()
    import mimetypes  # few fields take files

    # Use only Python's built-in table: the result must not depend on the machine.
    kind = mimetypes.MimeTypes().guess_type(name)[0] or ""
    return not tokens or any(_accepts_token(token, name, kind) for token in tokens)


def _accepts_token(token: str, name: str, kind: str) -> bool:
    if token.startswith("."):
        return name.endswith(token)
    if token in ("*", "*/*"):
        return True
    # A file of unknown type is let through; the page decides.
    return not kind or (kind.startswith(token[:-1]) if token.endswith("/*") else kind == token)
