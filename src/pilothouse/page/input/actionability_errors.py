"""Why an element cannot be acted on, in words an agent can act on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.errors import ToolError

__all__ = ["describe_element", "no_match_error", "not_actionable_error"]


def describe_element(found: Mapping[str, Any], prefix: str = "") -> str:
    """`button "Save" [e12]`."""
    name = f' "{found["name"]}"' if found.get("name") else f" {found.get('tag', '')}".rstrip()
    return f"{found['role']}{name} [{prefix}e{found['number']}]"


def _describe_all(found: Sequence[Mapping[str, Any]], prefix: str) -> str:
    return ", ".join(describe_element(one, prefix) for one in found)


def no_match_error(said: str, found: Mapping[str, Any], prefix: str) -> ToolError:
    """Nothing fits the selector, or more than one thing does."""
    if found["state"] == "invalid":
        return ToolError(
            f"{said!r} is no valid selector: {found['message']}",
            hint="use a ref, CSS, text=…, button=…, label=…, placeholder=…, testid=… or XPath",
        )
    if found["state"] == "many":
        more = found["count"] - len(found["some"])
        rest = f" and {more} more" if more > 0 else ""
        return ToolError(
            f"{said!r} matches {found['count']} elements: {_describe_all(found['some'], prefix)}{rest}",
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
    """The element is there (or was), but not so that it can be acted on."""
    if found["state"] == "stale":
        return _stale_error(said, found, prefix)
    what = describe_element(found, prefix) if "number" in found else repr(said)
    match found["state"]:
        case "covered":
            return ToolError(
                f"{what} is covered by {found.get('cover') or 'something else'}",
                hint="close or act on what covers it, or scroll",
            )
        case "disabled":
            return ToolError(
                f"{what} is disabled", hint="do first what enables it; a snapshot shows [disabled]"
            )
        case "readonly":
            return ToolError(f"{what} is read-only", hint="act on what changes it instead")
        case "moving":
            return ToolError(f"{what} does not stand still", hint="wait until it has stopped")
        case "scrolled":
            return ToolError(f"{what} could not be scrolled into view", hint="scroll to its frame")
        case "unreached":
            return ToolError(
                f"{what} cannot be clicked: it is off the page, or cut down to a point",
                hint="press Enter on it instead of clicking, or open what it is in",
            )
    return ToolError(
        f"{what} is hidden: nothing of it is painted where it could be clicked",
        hint="open what it is in (a menu, a tab, a section), then take a snapshot",
    )


def _stale_error(said: str, found: Mapping[str, Any], prefix: str) -> ToolError:
    near = found.get("near") or ()
    quotes = ("message", "hint") if near else ("message",)
    hint = f"nearest now: {_describe_all(near, prefix)}" if near else "take a fresh snapshot"
    if "role" not in found:
        why = "its frame is gone" if found.get("why") == "frame" else "no such ref was ever given"
        return ToolError(
            f"{said}: {why}", hint="take a fresh snapshot and use its refs", untrusted=()
        )
    name = f' "{found["name"]}"' if found["name"] else ""
    was = f"{said} was {found['role']}{name}"
    match found["why"]:
        case "changed":
            return ToolError(
                f"{was}; that element is something else now", hint=hint, untrusted=quotes
            )
        case "document":
            gone_on = f"{was}; the page has gone on to another document since"
            return ToolError(gone_on, hint=hint, untrusted=quotes)
    return ToolError(f"{was}; it is not on the page any more", hint=hint, untrusted=quotes)
