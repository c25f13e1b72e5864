"""What is true: one frozen value, replaced on every change, read by anyone without waiting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.policy import Policy

__all__ = [
    "ClosedDialog",
    "Dialog",
    "Download",
    "Frame",
    "Interrupt",
    "SessionInfo",
    "State",
    "Tab",
]


class SessionInfo(msgspec.Struct, frozen=True):
    """An attached session; `tab` is the tab it works for (workers of the browser: empty)."""

    id: SessionId
    target_id: str
    kind: str
    parent: SessionId
    tab: str


class Tab(msgspec.Struct, frozen=True):
    """What a person sees as a tab. Its id is never used again."""

    id: str
    target_id: str
    session: SessionId
    owner: str = ""
    url: str = ""
    title: str = ""
    opener: str = ""
    context: str = ""
    crashed: bool = False
    held: bool = False
    leaving: str = ""


class Frame(msgspec.Struct, frozen=True):
    """A frame. `session` hosts its document; it is empty while the frame changes process."""

    id: str
    parent: str
    session: SessionId
    tab: str
    url: str = ""
    origin: str = ""
    loader: str = ""
    name: str = ""
    # The address that could not be reached, where the document is the browser's error page.
    unreachable: str = ""


class Dialog(msgspec.Struct, frozen=True):
    """A dialog that waits. `answering` is set once an answer is on its way."""

    id: str
    type: str
    message: str
    default_prompt: str
    session_id: SessionId
    frame_id: str
    origin: str
    url: str
    tab: str
    opened_at: float
    via: str = "native"
    handle: str = ""
    key: str = ""
    answering: str = ""
    orphaned: str = ""


class ClosedDialog(msgspec.Struct, frozen=True):
    """A dialog that is over: who ended it, and what the page got."""

    dialog: Dialog
    closed_at: float
    closed_by: str
    accepted: bool
    text: str = ""


class Interrupt(msgspec.Struct, frozen=True):
    """Anything but a dialog that waits for a decision."""

    id: str
    kind: str
    tab: str
    session_id: SessionId
    frame_id: str
    origin: str
    opened_at: float
    handle: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)
    answers: tuple[str, ...] = ()
    deadline_s: float = 0.0


class Download(msgspec.Struct, frozen=True):
    """A file on its way, or arrived."""

    guid: str
    tab: str
    url: str
    filename: str
    state: str = "inProgress"
    received: int = 0
    total: int = 0
    # Where the browser has put it; under which name it is kept; why it could not be.
    path: str = ""
    saved: str = ""
    problem: str = ""
    # A link may open a tab only to download, and that tab is gone at once.
    opener: str = ""


class State(msgspec.Struct, frozen=True):
    """Everything the supervisor knows about one browser."""

    connected: bool = True
    sessions: Mapping[SessionId, SessionInfo] = msgspec.field(default_factory=dict)
    tabs: Mapping[str, Tab] = msgspec.field(default_factory=dict)
    frames: Mapping[str, Frame] = msgspec.field(default_factory=dict)
    contexts: Mapping[tuple[SessionId, str], str] = msgspec.field(default_factory=dict)
    dialogs: Mapping[str, Dialog] = msgspec.field(default_factory=dict)
    recent_dialogs: tuple[ClosedDialog, ...] = ()
    interrupts: Mapping[str, Interrupt] = msgspec.field(default_factory=dict)
    downloads: Mapping[str, Download] = msgspec.field(default_factory=dict)
    policies: Mapping[str, Policy] = msgspec.field(default_factory=dict)
    tabs_count: int = 0
    dialogs_count: int = 0
    interrupts_count: int = 0

    def tab_of(self, session: SessionId) -> Tab | None:
        """The tab a session works for."""
        info = self.sessions.get(session)
        return self.tabs.get(info.tab) if info is not None else None

    def tab_of_target(self, target_id: str) -> Tab | None:
        """The tab of a page target."""
        return next((tab for tab in self.tabs.values() if tab.target_id == target_id), None)

    def context_of(self, frame: Frame) -> str:
        """The frame's main world, if it can be evaluated in now."""
        return self.contexts.get((frame.session, frame.id), "")

    def family(self, session: SessionId) -> list[SessionId]:
        """A session and every session below it."""
        members = [session]
        for member in members:
            members += [info.id for info in self.sessions.values() if info.parent == member]
        return members

    def within(self, frame_id: str) -> list[str]:
        """A frame and every frame below it."""
        children: dict[str, list[str]] = {}
        for frame in self.frames.values():
            children.setdefault(frame.parent, []).append(frame.id)
        found = [frame_id]
        for member in found:
            found += children.get(member, ())
        return found

    def policy_of(self, owner: str) -> Policy:
        """An owner's policy, else everyone's, else the default."""
        return self.policies.get(owner) or self.policies.get("") or Policy()
