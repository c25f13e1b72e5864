"""Errors for elements that cannot be acted on, with hints for the next step. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.errors import ToolError

__all__ = ["describe_element", "no_match_error", "not_actionable_error"]


def describe_element(found: Mapping[str, Any], prefix: str = "") -> str:
    """Return `button "Save" [e12]`."""
    name = f' "{found["name"]}"' if found.get("name") else f" {found.get('tag', '')}".rstrip()
    return f"{found['role']}{name} [{prefix}e{found['number']}]"


def _describe_all(found: Sequence[Mapping[str, Any]], prefix: str) -> str:
    return ", ".join(describe_element(one, prefix) for one in found)


def no_match_error(said: str, found: Mapping[str, Any], prefix: str) -> ToolError:
    """Return the error for a selector that is invalid or matches no element, or several."""
    if found["state"] == "invalid":
        return ToolError(
            f"{said!r} is not a valid selector: {found['message']}",
            hint="use a ref, CSS, text=…, button=…, label=…, placeholder=…, testid=… or XPath",
        )
    if found["state"] == "many":
        more = found["count"] - len(found["some"])
        rest = f" and {more} more" if more > 0 else ""
        some = _describe_all(found["some"], prefix)
        return ToolError(
            f"{said!r} matches {found['count']} elements: {some}{rest}",
            hint=f"use the ref of the one you mean, or '{said} >> nth=0' for the first of them",
        )
    if found["count"]:
        last = found["count"] - 1
        how_many = "1 element" if not last else f"{found['count']} elements"
        return ToolError(
            f"{said!r}: nth is out of range, it matches {how_many}",
            hint="nth counts from 0; -1 is the last" if not last else f"nth is 0 to {last}",
            untrusted=(),
        )
    hint = "take a snapshot, or wait for it with a wait for the selector"
    if found.get("inFrame"):
        hint = "selectors do not lead into frames: use a ref of the snapshot, or frame=…"
    return ToolError(f"{said!r} matches nothing on the page now", hint=hint, untrusted=())


def not_actionable_error(said: str, found: Mapping[str, Any], prefix: str) -> ToolError:
    """Return the error for an element that exists (or did) but is not actionable."""
    if found["state"] == "stale":
        return _stale_error(said, found, prefix)
    what = describe_element(found, prefix) if "number" in found else repr(said)
    match found["state"]:
        case "covered":
            return ToolError(
                f"{what} is covered by {found.get('cover') or 'something else'}",
                hint="close the covering element or act on it, or scroll",
            )
        case "disabled":
            return ToolError(
                f"{what} is disabled", hint="enable it first; a snapshot shows [disabled]"
            )
        case "readonly":
            return ToolError(f"{what} is read-only", hint="act on the control that changes it")
        case "moving":
            return ToolError(f"{what} keeps moving", hint="wait until its animation has ended")
        case "scrolled":
            return ToolError(f"{what} could not be scrolled into view", hint="scroll to its frame")
        case "unreached":
            return ToolError(
                f"{what} cannot be clicked: it is outside the page, or clipped to a point",
                hint="press Enter on it instead of clicking, or open its container",
            )
    return ToolError(
        f"{what} is hidden: no part of it is visible and clickable",
        hint="open its container (a menu, a tab, a section), then take a snapshot",
    )


def _stale_error(said: str, found: Mapping[str, Any], prefix: str) -> ToolError:
    near = found.get("near") or ()
    quotes = ("message", "hint") if near else ("message",)
    hint = f"nearest now: {_describe_all(near, prefix)}" if near else "take a fresh snapshot"
    if "role" not in found:
        frame_gone = found.get("why") == "frame"
        why = "its frame is gone" if frame_gone else "no snapshot has given this ref"
        return ToolError(
            f"{said}: {why}", hint="take a fresh snapshot and use its refs", untrusted=()
        )
    name = f' "{found["name"]}"' if found["name"] else ""
    was = f"{said} was {found['role']}{name}"
    match found["why"]:
        case "changed":
            return ToolError(
                f"{was}; that element is a different one now", hint=hint, untrusted=quotes
            )
        case "document":
            gone_on = f"{was}; the page has navigated to another document since"
            return ToolError(gone_on, hint=hint, untrusted=quotes)
    return ToolError(f"{was}; it is no longer on the page", hint=hint, untrusted=quotes)
