"""What the dashboard shows of the daemon, and the events that tell it of changes. Pure.

    view = DaemonView(tabs=..., interrupts=...)
    events = compare(before, after)      # TabOpened, TabChanged, ...

Knows: the shapes that the dashboard's page reads (dashboard/types.js). Must not know: how a view is
made (event_publisher.py) or sent (dashboard_routes.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = [
    "CallFinished",
    "CallStarted",
    "ClientView",
    "DaemonView",
    "InterruptEnded",
    "InterruptShown",
    "InterruptView",
    "TabChanged",
    "TabClosed",
    "TabOpened",
    "TabView",
    "ViewersChanged",
    "WebEvent",
    "compare",
    "summarize_answer",
]

SUMMARY_LINES = 6
SUMMARY_CHARS = 200


class TabView(msgspec.Struct, frozen=True):
    """A tab of an owner. `id` is unique in the daemon: `1.t3` is tab t3 of the first browser."""

    id: str
    owner: str
    name: str
    url: str = ""
    title: str = ""
    browser: str = ""
    # The call that holds the tab's lease now; what was done in it last.
    busy: str = ""
    last_action: str = ""
    state: str = "open"  # or crashed, gone


class InterruptView(msgspec.Struct, frozen=True):
    """A dialog, or another interrupt that waits for an answer."""

    id: str
    tab: str
    kind: str
    type: str = ""
    message: str = ""
    default_prompt: str = ""
    origin: str = ""
    opened_at: float = 0.0
    answers: tuple[str, ...] = ()
    # What an agent lets a person choose from, where it asks a question.
    choices: tuple[str, ...] = ()
    # Why nobody can answer it any more.
    orphaned: str = ""


class ClientView(msgspec.Struct, frozen=True):
    """A program that can see what is in the daemon: MCP, a relay client, the command line."""

    kind: str
    owner: str
    name: str = ""


class DaemonView(msgspec.Struct, frozen=True):
    """All tabs of all owners, and what waits in them, by id."""

    tabs: Mapping[str, TabView] = msgspec.field(default_factory=dict)
    interrupts: Mapping[str, InterruptView] = msgspec.field(default_factory=dict)
    # By id, of those that closed lately: who closed it.
    closed_by: Mapping[str, str] = msgspec.field(default_factory=dict)


class WebEvent(msgspec.Struct, frozen=True, tag_field="type"):
    """One event of the stream. The subclass is its `type`."""


class TabOpened(WebEvent, frozen=True, tag="tab_opened"):
    """An owner has a new tab."""

    tab: TabView


class TabChanged(WebEvent, frozen=True, tag="tab_changed"):
    """A tab navigated, or its title or state changed."""

    tab: TabView


class TabClosed(WebEvent, frozen=True, tag="tab_closed"):
    """A tab was closed or released."""

    id: str


class InterruptShown(WebEvent, frozen=True, tag="interrupt_opened"):
    """A dialog or another interrupt waits for an answer."""

    interrupt: InterruptView


class InterruptEnded(WebEvent, frozen=True, tag="interrupt_closed"):
    """An interrupt was answered, or ended by itself."""

    id: str
    tab: str
    closed_by: str = ""


class CallStarted(WebEvent, frozen=True, tag="call_started"):
    """An agent or a user called a tool or a verb."""

    number: int
    at: float
    owner: str
    tab: str
    name: str
    on: str = ""


class CallFinished(WebEvent, frozen=True, tag="call_finished"):
    """A call ended. `summary` is its receipt in a few lines; `error` says why it was refused."""

    number: int
    at: float
    owner: str
    tab: str
    name: str
    on: str = ""
    ms: float = 0.0
    error: str = ""
    summary: tuple[str, ...] = ()


class ViewersChanged(WebEvent, frozen=True, tag="viewers_changed"):
    """Somebody opened or closed a dashboard."""

    viewers: int


def compare(before: DaemonView, after: DaemonView) -> list[WebEvent]:
    """Return the events that lead from one view to the next."""
    found: list[WebEvent] = []
    for key, tab in after.tabs.items():
        if key not in before.tabs:
            found.append(TabOpened(tab))
        elif before.tabs[key] != tab:
            found.append(TabChanged(tab))
    opened = [one for key, one in after.interrupts.items() if key not in before.interrupts]
    found += map(InterruptShown, opened)
    found += [
        InterruptEnded(key, one.tab, after.closed_by.get(key, ""))
        for key, one in before.interrupts.items()
        if key not in after.interrupts
    ]
    found += [TabClosed(key) for key in before.tabs if key not in after.tabs]
    return found


def summarize_answer(answer: Any) -> tuple[str, tuple[str, ...]]:
    """Return the error of a call's answer, if any, and what it did in a few lines."""
    if not isinstance(answer, Mapping):
        return "", ()
    error = str(answer.get("error") or "") if answer.get("success") is False else ""
    changes, blockers = answer.get("changes"), answer.get("blocked_by")
    if isinstance(blockers, list) and blockers:
        lines = [f"blocked by {_name_blocker(one)}" for one in blockers]
        error = ""
    elif isinstance(changes, list | tuple) and changes:
        lines = [str(one) for one in changes]
    elif isinstance(text := answer.get("text"), str) and {"action", "details"} & answer.keys():
        lines = text.splitlines()  # a receipt; other texts are what a page says
    else:
        lines = [str(answer[key]) for key in ("url", "title") if answer.get(key)]
    return _cut(error), tuple(_cut(line) for line in lines[:SUMMARY_LINES])


def _name_blocker(blocker: Any) -> str:
    if not isinstance(blocker, Mapping):
        return "something"
    return " ".join(str(blocker[key]) for key in ("kind", "type", "id") if key in blocker)


def _cut(text: str) -> str:
    return text if len(text) <= SUMMARY_CHARS else text[: SUMMARY_CHARS - 1] + "…"
