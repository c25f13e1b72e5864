"""What happened: frozen values, the only input of `step`.

Chrome's JSON becomes these in `decode.py`; time, answers, failures and the wire's own life are
events too. `at` is monotonic seconds, read by the shell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pilothouse.cdp.message import ROOT, SessionId
from pilothouse.supervisor.policy import Policy

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


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events."""

    at: float


# Targets, sessions and the wire.


@dataclass(frozen=True, slots=True)
class Attached(Event):
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


@dataclass(frozen=True, slots=True)
class Detached(Event):
    """A session ended: its target closed, or someone detached."""

    session: SessionId


@dataclass(frozen=True, slots=True)
class TargetChanged(Event):
    """A target's address or title changed."""

    target_id: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Crashed(Event):
    """The renderer behind a session died."""

    session: SessionId


@dataclass(frozen=True, slots=True)
class Revived(Event):
    """A crashed target was reloaded."""

    session: SessionId


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """The wire is gone; every session went with it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Restored(Event):
    """The wire is back, with no session attached yet."""


@dataclass(frozen=True, slots=True)
class Reattached(Event):
    """All targets that still exist were attached again; what is not, was lost."""


@dataclass(frozen=True, slots=True)
class TabFound(Event):
    """A tab whose target is gone lives on in another target with the same address."""

    tab: str
    target_id: str


@dataclass(frozen=True, slots=True)
class OwnerSet(Event):
    """A target's tab belongs to `owner` from now on."""

    target_id: str
    owner: str


@dataclass(frozen=True, slots=True)
class PolicySet(Event):
    """How an owner wants dialogs to end that nobody answers; None when it is gone for good."""

    owner: str
    policy: Policy | None


@dataclass(frozen=True, slots=True)
class TabEnded(Event):
    """A page target was destroyed, whether or not it was attached."""

    target_id: str


@dataclass(frozen=True, slots=True)
class LeavingAsked(Event):
    """We asked a tab to navigate, reload or close: dialogs that end now end because of it."""

    tab: str
    by: str


# Frames.


@dataclass(frozen=True, slots=True)
class FrameAttached(Event):
    """A frame element entered a document."""

    session: SessionId
    frame: str
    parent: str


@dataclass(frozen=True, slots=True)
class FrameNavigated(Event):
    """A frame shows a new document, in the process of `session`."""

    session: SessionId
    frame: str
    parent: str
    url: str
    origin: str
    loader: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class FrameLeaving(Event):
    """A frame is about to show another document; its process must be free for that."""

    session: SessionId
    frame: str


@dataclass(frozen=True, slots=True)
class FrameMoved(Event):
    """A frame's address changed within the same document."""

    session: SessionId
    frame: str
    url: str


@dataclass(frozen=True, slots=True)
class FrameDetached(Event):
    """A frame left the process of `session`: removed, or (`swap`) moved to another one."""

    session: SessionId
    frame: str
    swap: bool


@dataclass(frozen=True, slots=True)
class FramesSeeded(Event):
    """The frames a session already had when it was attached."""

    session: SessionId
    frames: tuple[FrameNavigated, ...]


@dataclass(frozen=True, slots=True)
class ContextCreated(Event):
    """A frame's own (main) world can be evaluated in."""

    session: SessionId
    frame: str
    context: str


@dataclass(frozen=True, slots=True)
class ContextGone(Event):
    """One world is gone."""

    session: SessionId
    context: str


@dataclass(frozen=True, slots=True)
class ContextsCleared(Event):
    """All worlds of a session are gone."""

    session: SessionId


# Dialogs and the other interrupts.


@dataclass(frozen=True, slots=True)
class DialogOpened(Event):
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


@dataclass(frozen=True, slots=True)
class DialogClosed(Event):
    """A dialog went away; `frame` is empty on browsers that do not say which."""

    session: SessionId
    frame: str
    accepted: bool
    text: str = ""
    holder: str = ""


@dataclass(frozen=True, slots=True)
class Answer(Event):
    """Someone decided: `by` becomes the dialog's `closed_by`."""

    dialog: str
    accept: bool
    text: str | None
    by: str


@dataclass(frozen=True, slots=True)
class AnswerFailed(Event):
    """The answer did not arrive: Chrome `refused` it, or nobody knows what became of it."""

    dialog: str
    reason: str
    refused: bool = True


@dataclass(frozen=True, slots=True)
class AnswerTaken(Event):
    """A bridged dialog took its answer: no event of Chrome's follows."""

    dialog: str
    accepted: bool
    text: str = ""


@dataclass(frozen=True, slots=True)
class HolderHolds(Event):
    """Whether a second session, on a wire of its own, could answer for a target."""

    target_id: str
    holds: bool


@dataclass(frozen=True, slots=True)
class TimerFired(Event):
    """A timer that `StartTimer` asked for has run out."""

    key: str


@dataclass(frozen=True, slots=True)
class InterruptOpened(Event):
    """Something other than a dialog waits for a decision. `handle` is unique per kind."""

    kind: str
    session: SessionId
    frame: str
    handle: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InterruptClosed(Event):
    """It was answered, or went away."""

    kind: str
    handle: str
    outcome: str


@dataclass(frozen=True, slots=True)
class InterruptAnswered(Event):
    """Someone decided what to do about an interrupt."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestPaused(Event):
    """A request stopped at our filter and is none of our business: it goes on."""

    session: SessionId
    request: str


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """A policy kept a tab from something."""

    tab: str
    words: str


@dataclass(frozen=True, slots=True)
class DownloadBegan(Event):
    """A file is being fetched."""

    guid: str
    frame: str
    url: str
    filename: str


@dataclass(frozen=True, slots=True)
class DownloadMoved(Event):
    """A download went on, ended or failed."""

    guid: str
    state: str
    received: int
    total: int
    path: str = ""


def held(event: DialogOpened | DialogClosed, target_id: str) -> DialogOpened | DialogClosed:
    """The same event as told by the holder's wire."""
    return replace(event, holder=target_id)
