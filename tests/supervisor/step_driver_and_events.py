"""Tests of `step` as dialogues: what happened goes in, what is true and what to do comes out."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.state import State
from pilothouse.supervisor.model.step import step

__all__ = [
    "CHILD",
    "PAGE",
    "TAB",
    "TOP",
    "Dialogue",
    "alert",
    "attached",
    "bridged",
    "child",
    "navigated",
    "page",
]

# One page: its target, which is its main frame too, and its session; and a foreign frame in it.
TOP = "TOP"
PAGE = SessionId("page")
CHILD = SessionId("child")
TAB = "t1"


class Dialogue:
    """A state, and what its last event asked for."""

    def __init__(self, *events: ev.Event) -> None:
        self.state = State()
        self.effects: list[do.Effect] = []
        self.say(*events)

    def say(self, *events: ev.Event) -> list[do.Effect]:
        """Let these happen; the effects of the last one."""
        for event in events:
            self.state, self.effects = step(self.state, event)
        return self.effects

    def ended(self) -> list[tuple[str, str]]:
        """How dialogs ended: (id, closed_by), the oldest first."""
        return [(c.dialog.id, c.closed_by) for c in self.state.recent_dialogs]


def page(target: str = TOP, session: SessionId = PAGE, opener: str = "") -> ev.SessionAttached:
    """A tab is there."""
    return ev.SessionAttached(
        0, session, target, "page", f"https://{target.lower()}/", opener=opener
    )


def child(
    frame: str = "F", session: SessionId = CHILD, kind: str = "iframe", parent: SessionId = PAGE
) -> ev.SessionAttached:
    """A frame or a worker with a session of its own."""
    return ev.SessionAttached(1, session, frame, kind, parent=parent)


def attached(frame: str = "F", parent: str = TOP, session: SessionId = PAGE) -> ev.FrameAttached:
    """A frame element entered the page."""
    return ev.FrameAttached(1, session, frame, parent)


def navigated(
    frame: str = "F",
    parent: str = TOP,
    session: SessionId = PAGE,
    url: str = "https://new/",
    at: float = 2,
) -> ev.FrameNavigated:
    """A frame shows a new document; the main frame has no parent."""
    parent = "" if frame == TOP else parent
    return ev.FrameNavigated(at, session, frame, parent, url, url.rstrip("/"), f"loader {url}")


def alert(
    frame: str = TOP,
    kind: str = "alert",
    message: str = "hello",
    session: SessionId = PAGE,
    at: float = 3,
    standby_target: str = "",
) -> ev.DialogOpened:
    """The browser's own dialog."""
    default = "nobody" if kind == "prompt" else ""
    return ev.DialogOpened(
        at, session, frame, kind, message, default, "https://x/", standby_target=standby_target
    )


def bridged(
    frame: str = "F", kind: str = "confirm", key: str = "k1", session: SessionId = CHILD
) -> ev.DialogOpened:
    """A dialog over the XHR bridge."""
    handle = f"request {key}"
    return ev.DialogOpened(3, session, frame, kind, "sure?", "no", "https://f/", "xhr", handle, key)
