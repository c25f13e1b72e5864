"""What happened: frozen values, the only input of `step`.

Chrome's JSON becomes these in `decode.py`; time, answers, failures and the wire's own life are
events too. `at` is monotonic seconds, read by the shell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.model.policy import Policy

__all__ = [
    "Answer",
    "AnswerFailed",
    "AnswerTaken",
    "Attached",
    "ContextCreated",
    "ContextGone",
    "ContextsCleared",
    "Crashed",
    "Detached",
    "DialogClosed",
    "DialogOpened",
    "DownloadBegan",
    "DownloadMoved",
    "DownloadSaved",
    "Dropped",
    "Event",
    "FrameAttached",
    "FrameDetached",
    "FrameLeaving",
    "FrameMoved",
    "FrameNavigated",
    "FramesSeeded",
    "HolderHolds",
    "InterruptAnswered",
    "InterruptClosed",
    "InterruptOpened",
    "LeavingAsked",
    "OwnerSet",
    "PolicySet",
    "Reattached",
    "Refused",
    "RequestPaused",
    "Restored",
    "Revived",
    "TabEnded",
    "TabFound",
    "TargetChanged",
    "TimerFired",
    "held",
]


class Event(msgspec.Struct, frozen=True):
    """The root of all events."""

    at: float


# Targets, sessions and the wire.


class Attached(Event, frozen=True):
    """A session began. `parent` is the session that reported it (root: empty)."""

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


class Detached(Event, frozen=True):
    """A session ended: its target closed, or someone detached."""

    session: SessionId


class TargetChanged(Event, frozen=True):
    """A target's address or title changed."""

    target_id: str
    url: str
    title: str


class Crashed(Event, frozen=True):
    """The renderer behind a session died."""

    session: SessionId


class Revived(Event, frozen=True):
    """A crashed target was reloaded."""

    session: SessionId


class Dropped(Event, frozen=True):
    """The wire is gone; every session went with it."""

    reason: str


class Restored(Event, frozen=True):
    """The wire is back, with no session attached yet."""


class Reattached(Event, frozen=True):
    """All targets that still exist were attached again; what is not, was lost."""


class TabFound(Event, frozen=True):
    """A tab whose target is gone lives on in another target with the same address."""

    tab: str
    target_id: str


class OwnerSet(Event, frozen=True):
    """A target's tab belongs to `owner` from now on."""

    target_id: str
    owner: str


class PolicySet(Event, frozen=True):
    """How an owner wants dialogs to end that nobody answers; None when it is gone for good."""

    owner: str
    policy: Policy | None


class TabEnded(Event, frozen=True):
    """A page target was destroyed, whether or not it was attached."""

    target_id: str


class LeavingAsked(Event, frozen=True):
    """We asked a tab to navigate, reload or close: dialogs that end now end because of it."""

    tab: str
    by: str


# Frames.


class FrameAttached(Event, frozen=True):
    """A frame element entered a document."""

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
    # The address that could not be reached, where the document is the browser's error page.
    unreachable: str = ""


class FrameLeaving(Event, frozen=True):
    """A frame is about to show another document; its process must be free for that."""

    session: SessionId
    frame: str


class FrameMoved(Event, frozen=True):
    """A frame's address changed within the same document."""

    session: SessionId
    frame: str
    url: str


class FrameDetached(Event, frozen=True):
    """A frame left the process of `session`: removed, or (`swap`) moved to another one."""

    session: SessionId
    frame: str
    swap: bool


class FramesSeeded(Event, frozen=True):
    """The frames a session already had when it was attached."""

    session: SessionId
    frames: tuple[FrameNavigated, ...]


class ContextCreated(Event, frozen=True):
    """A frame's own (main) world can be evaluated in."""

    session: SessionId
    frame: str
    context: str


class ContextGone(Event, frozen=True):
    """One world is gone."""

    session: SessionId
    context: str


class ContextsCleared(Event, frozen=True):
    """All worlds of a session are gone."""

    session: SessionId


# Dialogs and the other interrupts.


class DialogOpened(Event, frozen=True):
    """A page waits in alert, confirm, prompt or beforeunload.

    `via` says who holds it: "native", "debugger" or "xhr"; `handle` is what the bridge needs to
    answer (a call frame, a request), and `key` names one bridge call for good. `holder` is the
    target's id when the holder's wire told it, and `session` then is none of ours.
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
    holder: str = ""


class DialogClosed(Event, frozen=True):
    """A dialog went away; `frame` is empty on browsers that do not say which."""

    session: SessionId
    frame: str
    accepted: bool
    text: str = ""
    holder: str = ""


class Answer(Event, frozen=True):
    """Someone decided: `by` becomes the dialog's `closed_by`."""

    dialog: str
    accept: bool
    text: str | None
    by: str


class AnswerFailed(Event, frozen=True):
    """The answer did not arrive: Chrome `refused` it, or nobody knows what became of it."""

    dialog: str
    reason: str
    refused: bool = True


class AnswerTaken(Event, frozen=True):
    """A bridged dialog took its answer: no event of Chrome's follows."""

    dialog: str
    accepted: bool
    text: str = ""


class HolderHolds(Event, frozen=True):
    """Whether a second session, on a wire of its own, could answer for a target."""

    target_id: str
    holds: bool


class TimerFired(Event, frozen=True):
    """A timer that `StartTimer` asked for has run out."""

    key: str


class InterruptOpened(Event, frozen=True):
    """Something other than a dialog waits for a decision. `handle` is unique per kind."""

    kind: str
    session: SessionId
    frame: str
    handle: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)


class InterruptClosed(Event, frozen=True):
    """It was answered, or went away."""

    kind: str
    handle: str
    outcome: str


class InterruptAnswered(Event, frozen=True):
    """Someone decided what to do about an interrupt."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)


class RequestPaused(Event, frozen=True):
    """A request stopped at our filter and is none of our business: it goes on."""

    session: SessionId
    request: str


class Refused(Event, frozen=True):
    """A policy kept a tab from something."""

    tab: str
    words: str


class DownloadBegan(Event, frozen=True):
    """A file is being fetched."""

    guid: str
    frame: str
    url: str
    filename: str


class DownloadMoved(Event, frozen=True):
    """A download went on, ended or failed."""

    guid: str
    state: str
    received: int
    total: int
    path: str = ""


class DownloadSaved(Event, frozen=True):
    """A finished download is kept under a name of its own; or could not be, and why."""

    guid: str
    path: str
    problem: str = ""


def held(event: DialogOpened | DialogClosed, target_id: str) -> DialogOpened | DialogClosed:
    """The same event as told by the holder's wire."""
    return replace(event, holder=target_id)
