"""The state as an agent reads it: small dicts with a fixed vocabulary and capped sizes."""

from __future__ import annotations

from typing import Any

from pilothouse.supervisor.model import ClosedDialog, Dialog, Frame, Interrupt, State

__all__ = [
    "FRAMES_SHOWN",
    "OOPIF_DEPTH",
    "describe_dialog",
    "frame_tree",
    "interrupts",
    "is_oopif",
    "page_got",
    "pending_dialogs",
    "recent_dialogs",
]

FRAMES_SHOWN = 30
OOPIF_DEPTH = 2


def pending_dialogs(
    state: State, tab: str | None = None, clock: float = 0.0
) -> list[dict[str, Any]]:
    """List the open dialogs. `clock` is the offset from monotonic to wall time."""
    return [describe_dialog(d, clock) for d in state.dialogs.values() if tab in (None, d.tab)]


def recent_dialogs(
    state: State, tab: str | None = None, clock: float = 0.0
) -> list[dict[str, Any]]:
    """List the last closed dialogs, the newest last."""
    return [_closed(c, clock) for c in state.recent_dialogs if tab in (None, c.dialog.tab)]


def describe_dialog(dialog: Dialog, clock: float = 0.0) -> dict[str, Any]:
    """Return one dialog as a dict; empty fields are omitted."""
    shown: dict[str, Any] = {
        "id": dialog.id,
        "type": dialog.type,
        "message": dialog.message,
        "default_prompt": dialog.default_prompt,
        "tab": dialog.tab,
        "frame_id": dialog.frame_id,
        "session_id": dialog.session_id,
        "origin": dialog.origin,
        "via": "native" if dialog.via == "native" else "bridge",
        "opened_at": clock + dialog.opened_at,
        "orphaned": dialog.orphaned,
    }
    if dialog.type != "prompt":
        del shown["default_prompt"]
    if not dialog.orphaned:
        del shown["orphaned"]
    return shown


def _closed(closed: ClosedDialog, clock: float) -> dict[str, Any]:
    shown = describe_dialog(closed.dialog, clock)
    shown.pop("orphaned", None)
    return {
        **shown,
        "closed_at": clock + closed.closed_at,
        "closed_by": closed.closed_by,
        "page_got": page_got(closed),
    }


def page_got(closed: ClosedDialog) -> Any:
    """Return the value that the page's call returned."""
    match closed.dialog.type:
        case "prompt":
            return closed.text if closed.accepted else None
        case "confirm" | "beforeunload":
            return closed.accepted
    return None


def interrupts(state: State, tab: str | None = None, clock: float = 0.0) -> list[dict[str, Any]]:
    """List the pending interrupts."""
    return [_interrupt(i, clock) for i in state.interrupts.values() if tab in (None, i.tab)]


def _interrupt(interrupt: Interrupt, clock: float) -> dict[str, Any]:
    return {
        "id": interrupt.id,
        "kind": interrupt.kind,
        "tab": interrupt.tab,
        "frame_id": interrupt.frame_id,
        "origin": interrupt.origin,
        "opened_at": clock + interrupt.opened_at,
        "answers": list(interrupt.answers),
        "deadline_s": interrupt.deadline_s,
        **interrupt.detail,
    }


def frame_tree(state: State, tab_id: str) -> dict[str, Any]:
    """Return a tab's frames, breadth first, with the true totals; `truncated` if some are
    omitted."""
    tab = state.tabs.get(tab_id)
    top = state.frames.get(tab.target_id) if tab else None
    if top is None:
        return {"top": None, "children": [], "truncated": False, "total": 0, "total_oopif": 0}
    below = [state.frames[key] for key in state.frame_subtree(top.id)[1:]]
    depths = {top.id: 0}
    shown: list[dict[str, Any]] = []
    for frame in below:
        depth = depths.get(frame.parent, OOPIF_DEPTH + 1) + is_oopif(state, frame)
        depths[frame.id] = depth
        if depth <= OOPIF_DEPTH and len(shown) < FRAMES_SHOWN:
            shown.append(_frame(state, frame))
    return {
        "top": _frame(state, top),
        "children": shown,
        "truncated": len(shown) < len(below),
        "total": len(below) + 1,
        "total_oopif": sum(is_oopif(state, frame) for frame in below),
    }


def is_oopif(state: State, frame: Frame) -> bool:
    """Return whether the frame is out of process: the root of its own session."""
    info = state.sessions.get(frame.session)
    return info is not None and info.kind == "iframe" and info.target_id == frame.id


def _frame(state: State, frame: Frame) -> dict[str, Any]:
    shown: dict[str, Any] = {"frame_id": frame.id, "url": frame.url, "origin": frame.origin}
    if frame.name:
        shown["name"] = frame.name
    if not frame.parent:
        return shown
    shown["parent_frame_id"] = frame.parent
    shown["is_oopif"] = is_oopif(state, frame)
    if shown["is_oopif"]:
        shown["session_id"] = frame.session
    return shown
