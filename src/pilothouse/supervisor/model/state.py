"""`State`: one frozen value, replaced on every change, so that reading it needs no lock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy

__all__ = [
    "ClosedDialog",
    "Dialog",
    "Download",
    "Frame",
    "Interrupt",
    "PersonDecision",
    "SessionInfo",
    "State",
    "Tab",
    "TabKey",
]


class TabKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whose a tab is, and the name its owner gave it. Dialog policies and notices are kept by key.

    A popup has the key of its opener. A tab without an owner has the empty key, and the policy of
    the empty key is the common one."""

    owner: str = ""
    name: str = ""


class SessionInfo(msgspec.Struct, frozen=True):
    """An attached session. `tab` is the tab it belongs to; empty for workers without one."""

    id: SessionId
    target_id: str
    kind: str
    parent: SessionId
    tab: str


class Tab(msgspec.Struct, frozen=True):
    """A tab as the user sees it. Ids are never reused.

    `has_standby`: the standby connection can answer its dialogs. `leave_requested_by`: who asked it
    to navigate, reload or close, until the new document arrives.
    """

    id: str
    target_id: str
    session: SessionId
    key: TabKey = TabKey()
    url: str = ""
    title: str = ""
    opener: str = ""
    context: str = ""
    crashed: bool = False
    has_standby: bool = False
    leave_requested_by: str = ""

    @property
    def owner(self) -> str:
        """The owner of the tab; empty if it has none."""
        return self.key.owner


class Frame(msgspec.Struct, frozen=True):
    """A frame. `session` hosts its document; empty while the frame changes process."""

    id: str
    parent: str
    session: SessionId
    tab: str
    url: str = ""
    origin: str = ""
    loader: str = ""
    name: str = ""
    # The URL that failed to load, when the document is the browser's error page.
    unreachable: str = ""


class Dialog(msgspec.Struct, frozen=True):
    """An open dialog.

    `via` says who holds it: "native", "debugger" or "xhr"; `handle` and `key` are the bridge's.
    `answer_sent_by` is set once an answer was sent. `orphaned` says why it cannot be answered.
    """

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
    answer_sent_by: str = ""
    orphaned: str = ""


class ClosedDialog(msgspec.Struct, frozen=True):
    """A closed dialog: who closed it, and what the page got."""

    dialog: Dialog
    closed_at: float
    closed_by: str
    accepted: bool
    text: str = ""


class Interrupt(msgspec.Struct, frozen=True):
    """Anything but a dialog that waits for a decision: auth, file chooser, crash and so on."""

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


class PersonDecision(msgspec.Struct, frozen=True):
    """How an interrupt ended that only a person may answer. `by` is `human` or `deadline`; `text`
    is what the person wrote."""

    interrupt: Interrupt
    action: str
    by: str
    text: str
    at: float


class Download(msgspec.Struct, frozen=True):
    """A download, running or finished."""

    guid: str
    tab: str
    url: str
    filename: str
    state: str = "inProgress"
    received: int = 0
    total: int = 0
    # Where the browser put the file; where we saved it; why saving failed.
    path: str = ""
    saved: str = ""
    problem: str = ""
    # A link may open a tab only to download; that tab closes at once, so remember its opener.
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
    # The last decisions of people, the newest last.
    decisions: tuple[PersonDecision, ...] = ()
    downloads: Mapping[str, Download] = msgspec.field(default_factory=dict)
    policies: Mapping[TabKey, Policy] = msgspec.field(default_factory=dict)
    tabs_count: int = 0
    dialogs_count: int = 0
    interrupts_count: int = 0

    def tab_of(self, session: SessionId) -> Tab | None:
        """Return the tab a session belongs to."""
        info = self.sessions.get(session)
        return self.tabs.get(info.tab) if info is not None else None

    def tab_of_target(self, target_id: str) -> Tab | None:
        """Return the tab of a page target."""
        return next((tab for tab in self.tabs.values() if tab.target_id == target_id), None)

    def context_of(self, frame: Frame) -> str:
        """Return the unique id of the frame's main execution context; empty if there is none
        now."""
        return self.contexts.get((frame.session, frame.id), "")

    def session_subtree(self, session: SessionId) -> list[SessionId]:
        """Return a session and all its descendants."""
        members = [session]
        for member in members:
            members += [info.id for info in self.sessions.values() if info.parent == member]
        return members

    def frame_subtree(self, frame_id: str) -> list[str]:
        """Return a frame and all its descendants, breadth first."""
        children: dict[str, list[str]] = {}
        for frame in self.frames.values():
            children.setdefault(frame.parent, []).append(frame.id)
        found = [frame_id]
        for member in found:
            found += children.get(member, ())
        return found

    def policy_of(self, key: TabKey) -> Policy:
        """Return the key's dialog policy, else the common one, else the default."""
        return self.policies.get(key) or self.policies.get(TabKey()) or Policy()
