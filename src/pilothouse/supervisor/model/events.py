"""Events: frozen values that say what happened, the only input of `step`.

`decode.py` makes them from Chrome's events. Timers, answers, failures and connection drops are
events too. `at` is the loop's monotonic time, read by the supervisor. Class and field names are
also the journal's file format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy
from pilothouse.supervisor.model.state import TabKey

__all__ = [
    "AnswerDelivered",
    "AnswerFailed",
    "BlockedByPolicy",
    "ConnectionDropped",
    "ConnectionRestored",
    "ContextCreated",
    "ContextDestroyed",
    "ContextsCleared",
    "DialogAnswered",
    "DialogClosed",
    "DialogOpened",
    "DownloadProgressed",
    "DownloadSaved",
    "DownloadStarted",
    "Event",
    "FrameAttached",
    "FrameDetached",
    "FrameNavigated",
    "FrameNavigatedWithinDocument",
    "FrameStartedNavigating",
    "FrameTreeLoaded",
    "InterruptAnswered",
    "InterruptClosed",
    "InterruptOpened",
    "LeaveRequested",
    "OwnerSet",
    "PolicySet",
    "ReloadedAfterCrash",
    "RendererCrashed",
    "RequestPaused",
    "SessionAttached",
    "SessionDetached",
    "StandbyChanged",
    "TabTargetReplaced",
    "TargetDestroyed",
    "TargetInfoChanged",
    "TargetsReattached",
    "TimerFired",
    "from_standby",
]


class Event(msgspec.Struct, frozen=True):
    """The base class of all events."""

    at: float


# Targets, sessions and the connection.


class SessionAttached(Event, frozen=True):
    """A session was attached. `parent` is the session that reported it (root: empty)."""

    session: SessionId
    target_id: str
    kind: str
    url: str = ""
    title: str = ""
    opener: str = ""
    context: str = ""
    parent: SessionId = ROOT
    parent_frame: str = ""
    waiting: bool = False


class SessionDetached(Event, frozen=True):
    """A session ended: its target closed, or a client detached it."""

    session: SessionId


class TargetInfoChanged(Event, frozen=True):
    """A target's URL or title changed."""

    target_id: str
    url: str
    title: str


class RendererCrashed(Event, frozen=True):
    """The renderer of a session's target crashed."""

    session: SessionId


class ReloadedAfterCrash(Event, frozen=True):
    """A crashed target was reloaded."""

    session: SessionId


class ConnectionDropped(Event, frozen=True):
    """The connection dropped, and every session with it."""

    reason: str


class ConnectionRestored(Event, frozen=True):
    """The connection is open again; no session is attached yet."""


class TargetsReattached(Event, frozen=True):
    """All targets that still exist are attached again; tabs without a session are lost."""


class TabTargetReplaced(Event, frozen=True):
    """After a drop, a tab whose target is gone continues in another target with the same URL."""

    tab: str
    target_id: str


class OwnerSet(Event, frozen=True):
    """The tab of a target now has this key; the empty key if it has no owner any more."""

    target_id: str
    key: TabKey


class PolicySet(Event, frozen=True):
    """The dialog policy of a key changed; None when its tab is gone."""

    key: TabKey
    policy: Policy | None


class TargetDestroyed(Event, frozen=True):
    """A page target was destroyed, whether or not it was attached."""

    target_id: str


class LeaveRequested(Event, frozen=True):
    """We asked a tab to navigate, reload or close. `by` becomes the `closed_by` of dialogs that
    this closes."""

    tab: str
    by: str


# Frames.


class FrameAttached(Event, frozen=True):
    """A frame element was added to a document."""

    session: SessionId
    frame: str
    parent: str


class FrameNavigated(Event, frozen=True):
    """A frame shows a new document, in the process of `session`."""

    session: SessionId
    frame: str
    parent: str
    url: str
    origin: str
    loader: str
    name: str = ""
    # The URL that failed to load, when the document is the browser's error page.
    unreachable: str = ""


class FrameStartedNavigating(Event, frozen=True):
    """A frame begins to load another document; its renderer must be responsive for that."""

    session: SessionId
    frame: str


class FrameNavigatedWithinDocument(Event, frozen=True):
    """A frame's URL changed within the same document."""

    session: SessionId
    frame: str
    url: str


class FrameDetached(Event, frozen=True):
    """A frame left the process of `session`: removed, or (`swap`) moved to another one."""

    session: SessionId
    frame: str
    swap: bool


class FrameTreeLoaded(Event, frozen=True):
    """The frames that a session already had when we attached."""

    session: SessionId
    frames: tuple[FrameNavigated, ...]


class ContextCreated(Event, frozen=True):
    """The main execution context of a frame exists."""

    session: SessionId
    frame: str
    context: str


class ContextDestroyed(Event, frozen=True):
    """One execution context was destroyed."""

    session: SessionId
    context: str


class ContextsCleared(Event, frozen=True):
    """All execution contexts of a session were destroyed."""

    session: SessionId


# Dialogs and the other interrupts.


class DialogOpened(Event, frozen=True):
    """A page waits in `alert`, `confirm`, `prompt` or `beforeunload`.

    `via` says who holds it: "native", "debugger" or "xhr". `handle` is what the bridge needs to
    answer (a call frame id, a request id); `key` identifies one call of the bridge.
    `standby_target` is the target's id if the standby connection reported it; `session` is then not
    one of ours.
    """

    session: SessionId
    frame: str
    type: str
    message: str
    default_prompt: str = ""
    url: str = ""
    via: str = "native"
    handle: str = ""
    key: str = ""
    standby_target: str = ""


class DialogClosed(Event, frozen=True):
    """A dialog closed; `frame` is empty on browsers that do not report it."""

    session: SessionId
    frame: str
    accepted: bool
    text: str = ""
    standby_target: str = ""


class DialogAnswered(Event, frozen=True):
    """An agent, the user, a policy or the watchdog answered; `by` becomes `closed_by`."""

    dialog: str
    accept: bool
    text: str | None
    by: str


class AnswerFailed(Event, frozen=True):
    """Sending an answer failed: Chrome `refused` it, or its fate is unknown (timeout, drop)."""

    dialog: str
    reason: str
    refused: bool = True


class AnswerDelivered(Event, frozen=True):
    """A bridged dialog got its answer. Chrome sends no event for these."""

    dialog: str
    accepted: bool
    text: str = ""


class StandbyChanged(Event, frozen=True):
    """Whether the standby connection can answer the dialogs of a target."""

    target_id: str
    is_standby: bool


class TimerFired(Event, frozen=True):
    """A timer that `StartTimer` started fired."""

    key: str


class InterruptOpened(Event, frozen=True):
    """Something other than a dialog waits for a decision. `handle` is unique per kind. `deadline_s`
    replaces the kind's deadline, unless it is 0."""

    kind: str
    session: SessionId
    frame: str
    handle: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)
    deadline_s: float = 0.0


class InterruptClosed(Event, frozen=True):
    """An interrupt was answered or went away."""

    kind: str
    handle: str
    outcome: str


class InterruptAnswered(Event, frozen=True):
    """`by` decided about an interrupt: the agent, a person (`human`) or the deadline."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)
    by: str = "agent"


class RequestPaused(Event, frozen=True):
    """A request was paused by our filter but no part of us handles it: continue it."""

    session: SessionId
    request: str


class BlockedByPolicy(Event, frozen=True):
    """The URL policy blocked something in a tab."""

    tab: str
    words: str


class DownloadStarted(Event, frozen=True):
    """A download started."""

    guid: str
    frame: str
    url: str
    filename: str


class DownloadProgressed(Event, frozen=True):
    """A download progressed, finished or failed."""

    guid: str
    state: str
    received: int
    total: int
    path: str = ""


class DownloadSaved(Event, frozen=True):
    """A finished download was saved under its final name; or `problem` says why not."""

    guid: str
    path: str
    problem: str = ""


def from_standby(event: DialogOpened | DialogClosed, target_id: str) -> DialogOpened | DialogClosed:
    """Return the event marked as reported by the standby connection."""
    return replace(event, standby_target=target_id)
