"""The state in short: what a story ends in, without the ids that differ from run to run."""

from __future__ import annotations

from typing import Any

from pilothouse.supervisor.agent_view import is_oopif
from pilothouse.supervisor.model.state import Frame, State

__all__ = ["summary"]


def summary(state: State) -> dict[str, Any]:
    """Tabs, frame trees by address, what waits and how dialogs ended."""
    return {
        "tabs": {tab.id: _tab(state, tab.id) for tab in state.tabs.values()},
        "sessions": sorted(info.kind for info in state.sessions.values()),
        "pending": [[d.id, d.type, d.message, d.via, d.tab] for d in state.dialogs.values()],
        "recent": [
            [c.dialog.id, c.dialog.type, c.dialog.via, c.closed_by, c.accepted, c.text]
            for c in state.recent_dialogs
        ],
        "interrupts": [[i.kind, i.tab] for i in state.interrupts.values()],
        "downloads": [[d.filename, d.state, d.tab] for d in state.downloads.values()],
    }


def _tab(state: State, tab_id: str) -> dict[str, Any]:
    tab = state.tabs[tab_id]
    shown = {
        "owner": tab.owner,
        "opener": tab.opener,
        "crashed": tab.crashed,
        "attached": tab.session in state.sessions,
    }
    shown = {key: value for key, value in shown.items() if value}
    main = state.frames.get(tab.target_id)
    return {"url": tab.url, **shown, "frame": _frame(state, main) if main else None}


def _frame(state: State, frame: Frame) -> dict[str, Any]:
    below = [f for f in state.frames.values() if f.parent == frame.id]
    shown: dict[str, Any] = {"url": frame.url}
    if is_oopif(state, frame):
        shown["oopif"] = True
    if state.context_of(frame):
        shown["world"] = True
    if below:
        shown["frames"] = sorted((_frame(state, f) for f in below), key=lambda f: str(f["url"]))
    return shown
