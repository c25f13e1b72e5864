"""Errors for elements that cannot be acted on, with hints for the next step. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.errors import ElementNotFound, NotActionable, ToolError, UsageError, plural

__all__ = ["describe_element", "no_match_error", "not_actionable_error"]


def describe_element(result: Mapping[str, Any], prefix: str = "") -> str:
    """Return `button "Save" [e12]`."""
    name = f' "{result["name"]}"' if result.get("name") else f" {result.get('tag', '')}".rstrip()
    return f"{result['role']}{name} [{prefix}e{result['number']}]"


def _describe_all(result: Sequence[Mapping[str, Any]], prefix: str) -> str:
    return ", ".join(describe_element(one, prefix) for one in result)


def no_match_error(selector: str, result: Mapping[str, Any], prefix: str) -> ToolError:
    """Return the error for a selector that is invalid or matches no element, or several."""
    if result["state"] == "invalid":
        return UsageError(
            f"{selector!r} is not a valid selector: {result['message']}",
            hint="use a ref, CSS, text=…, button=…, label=…, placeholder=…, testid=… or XPath",
        )
    if result["state"] == "many":
        more = result["count"] - len(result["some"])
        rest = f" and {more} more" if more > 0 else ""
        some = _describe_all(result["some"], prefix)
        return ToolError(
            f"{selector!r} matches {result['count']} elements: {some}{rest}",
            hint=f"use the ref of the one you mean, or '{selector} >> nth=0' for the first of them",
        )
    if result["count"]:
        last = result["count"] - 1
        how_many = plural(result["count"], "element")
        return ElementNotFound(
            f"{selector!r}: nth is out of range, it matches {how_many}",
            hint="nth counts from 0; -1 is the last" if not last else f"nth is 0 to {last}",
            untrusted=(),
        )
    hint = "take a snapshot to see what is there, or wait until the element appears"
    if result.get("inFrame"):
        hint = "selectors do not lead into frames: use a ref of the snapshot, or frame=…"
    return ElementNotFound(f"{selector!r} matches nothing on the page now", hint=hint, untrusted=())


def not_actionable_error(selector: str, result: Mapping[str, Any], prefix: str) -> ToolError:
    """Return the error for an element that exists (or did) but is not actionable."""
    if result["state"] == "stale":
        return _stale_error(selector, result, prefix)
    what = describe_element(result, prefix) if "number" in result else repr(selector)
    match result["state"]:
        case "covered":
            return NotActionable(
                f"{what} is covered by {result.get('cover') or 'something else'}",
                hint="close the covering element or act on it, or scroll",
            )
        case "disabled":
            return NotActionable(
                f"{what} is disabled", hint="enable it first; a snapshot shows [disabled]"
            )
        case "readonly":
            return NotActionable(f"{what} is read-only", hint="act on the control that changes it")
        case "moving":
            return NotActionable(f"{what} keeps moving", hint="wait until its animation has ended")
        case "scrolled":
            return NotActionable(
                f"{what} could not be scrolled into view", hint="scroll to its frame"
            )
        case "unreached":
            return NotActionable(
                f"{what} cannot be clicked: it is outside the page, or clipped to a point",
                hint="press Enter on it instead of clicking, or open its container",
            )
    return NotActionable(
        f"{what} is hidden: no part of it is visible and clickable",
        hint="open its container (a menu, a tab, a section), then take a snapshot",
    )


def _stale_error(selector: str, result: Mapping[str, Any], prefix: str) -> ToolError:
    near = result.get("near") or ()
    quotes = ("message", "hint") if near else ("message",)
    hint = f"nearest now: {_describe_all(near, prefix)}" if near else "take a fresh snapshot"
    if "role" not in result:
        frame_gone = result.get("why") == "frame"
        why = "its frame is gone" if frame_gone else "no snapshot has given this ref"
        return ElementNotFound(
            f"{selector}: {why}", hint="take a fresh snapshot and use its refs", untrusted=()
        )
    name = f' "{result["name"]}"' if result["name"] else ""
    was = f"{selector} was {result['role']}{name}"
    match result["why"]:
        case "changed":
            return ElementNotFound(
                f"{was}; that element is a different one now", hint=hint, untrusted=quotes
            )
        case "document":
            gone_on = f"{was}; the page has navigated to another document since"
            return ElementNotFound(gone_on, hint=hint, untrusted=quotes)
    return ElementNotFound(f"{was}; it is no longer on the page", hint=hint, untrusted=quotes)
