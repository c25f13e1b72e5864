"""The part of `step` for interrupts (anything but a dialog that waits for a decision) and
downloads."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from pilothouse.supervisor.model.dialog_policy_and_permissions import USER_ONLY_PERMISSIONS
from pilothouse.supervisor.model.effects import (
    AnswerInterrupt,
    Effect,
    Notify,
    SendCommand,
    StartTimer,
    StopTimer,
)
from pilothouse.supervisor.model.events import (
    BlockedByPolicy,
    ConnectionDropped,
    DownloadProgressed,
    DownloadSaved,
    DownloadStarted,
    Event,
    FrameDetached,
    FrameNavigated,
    InterruptAnswered,
    InterruptClosed,
    InterruptOpened,
    ReloadedAfterCrash,
    RendererCrashed,
    RequestPaused,
    SessionDetached,
    TargetDestroyed,
    TargetsReattached,
    TimerFired,
)
from pilothouse.supervisor.model.state import Download, Interrupt, PersonDecision, State

__all__ = ["INTERRUPT_KINDS", "InterruptKind", "step_interrupts"]

Step = tuple[State, list[Effect]]

DOWNLOADS_KEPT = 50
DECISIONS_KEPT = 20


class InterruptKind(msgspec.Struct, frozen=True):
    """The allowed answers, the one used after `deadline_s`, whether the page is blocked, and
    whether only a person may answer."""

    answers: tuple[str, ...]
    default: str
    deadline_s: float
    blocks: bool
    person: bool = False


INTERRUPT_KINDS = {
    "auth": InterruptKind(("provide", "cancel"), "cancel", 300.0, blocks=True),
    "file_chooser": InterruptKind(("upload", "cancel"), "cancel", 300.0, blocks=False),
    "permission": InterruptKind(("grant", "deny"), "deny", 300.0, blocks=False),
    "print": InterruptKind(("acknowledge",), "acknowledge", 30.0, blocks=False),
    "fedcm": InterruptKind(("select", "dismiss"), "dismiss", 300.0, blocks=False),
    "hung": InterruptKind(("terminate", "reload", "wait"), "wait", 300.0, blocks=True),
    "crashed": InterruptKind(("reload", "close"), "", 0.0, blocks=True),
    # An agent asked a person to do something in the tab. Silence is not consent.
    "human": InterruptKind(("done", "answer", "refuse"), "refuse", 600.0, blocks=True, person=True),
}


def step_interrupts(before: State, state: State, event: Event) -> Step:
    """Apply `event` to interrupts and downloads."""
    match event:
        case InterruptOpened():
            return _open(state, event)
        case RendererCrashed(session=session):
            info = state.sessions.get(session)
            frame = info.target_id if info else ""
            return _open(state, InterruptOpened(event.at, "crashed", session, frame, session))
        case InterruptAnswered():
            return _answer(state, event.interrupt, event.action, event)
        case TimerFired() if event.key in state.interrupts:
            default = INTERRUPT_KINDS[state.interrupts[event.key].kind].default
            expired = InterruptAnswered(event.at, event.key, default, by="deadline")
            return _answer(state, event.key, default, expired)
        case InterruptClosed():
            return _close(state, lambda i: (i.kind, i.handle) == (event.kind, event.handle))
        case ReloadedAfterCrash(session=session):
            return _close(state, lambda i: i.kind == "crashed" and i.session_id == session)
        case FrameNavigated() if state.interrupts:
            gone = set(before.frame_subtree(event.frame))
            return _close(state, lambda i: i.frame_id in gone and i.kind not in ("auth", "human"))
        case FrameDetached(swap=False) if state.interrupts:
            gone = set(before.frame_subtree(event.frame)) - state.frames.keys()
            return _close(state, lambda i: i.frame_id in gone)
        case SessionDetached() | TargetDestroyed() | TargetsReattached():
            # A user who took over continues, whichever session is attached.
            return _close(
                state,
                lambda i: (
                    i.tab not in state.tabs
                    or (i.kind != "human" and i.session_id not in state.sessions)
                ),
            )
        case ConnectionDropped():
            return _close(state, lambda i: i.kind != "human")
        case BlockedByPolicy():
            return state, [Notify(event.tab, event.words)]
        case RequestPaused():
            params = {"requestId": event.request}
            return state, [SendCommand(event.session, "Fetch.continueRequest", params)]
    return _downloads(state, event)


def _open(state: State, event: InterruptOpened) -> Step:
    tab = state.tab_of(event.session)
    if tab is None:
        return state, []
    kind = INTERRUPT_KINDS[event.kind]
    known = (
        i for i in state.interrupts.values() if (i.kind, i.handle) == (event.kind, event.handle)
    )
    if (again := next(known, None)) is not None:
        # The page asks again: one decision serves both requests.
        fresh = replace(again, opened_at=event.at, detail=event.detail)
        return replace(state, interrupts={**state.interrupts, again.id: fresh}), []
    answers = kind.answers
    if event.detail.get("permission") in USER_ONLY_PERMISSIONS:
        answers = ("deny",)
    deadline_s = event.deadline_s or kind.deadline_s
    number = state.interrupts_count + 1
    frame = state.frames.get(event.frame)
    interrupt = Interrupt(
        f"i-{number}",
        event.kind,
        tab.id,
        event.session,
        event.frame,
        frame.origin if frame else "",
        event.at,
        event.handle,
        event.detail,
        answers,
        deadline_s,
    )
    state = replace(
        state,
        interrupts_count=number,
        interrupts={**state.interrupts, interrupt.id: interrupt},
    )
    return state, [StartTimer(interrupt.id, deadline_s)] if deadline_s else []


def _answer(state: State, key: str, action: str, event: InterruptAnswered) -> Step:
    interrupt = state.interrupts.get(key)
    if interrupt is None or action not in interrupt.answers:
        return state, []
    state, effects = _close(state, lambda i: i.id == key)
    if INTERRUPT_KINDS[interrupt.kind].person:
        text = str(event.detail.get("text", ""))
        made = PersonDecision(interrupt, action, event.by, text, event.at)
        state = replace(state, decisions=(*state.decisions, made)[-DECISIONS_KEPT:])
    # The effect needs the interrupt itself: it is no longer in the state.
    detail = {**event.detail, "interrupt": interrupt}
    return state, [*effects, AnswerInterrupt(key, action, detail)]


def _close(state: State, which: Callable[[Interrupt], bool]) -> Step:
    closed = [i.id for i in state.interrupts.values() if which(i)]
    if not closed:
        return state, []
    left = {key: i for key, i in state.interrupts.items() if key not in closed}
    return replace(state, interrupts=left), [StopTimer(key) for key in closed]


def _downloads(state: State, event: Event) -> Step:
    match event:
        case DownloadStarted():
            frame = state.frames.get(event.frame)
            tab = state.tabs.get(frame.tab) if frame else None
            download = Download(
                event.guid,
                frame.tab if frame else "",
                event.url,
                event.filename,
                opener=tab.opener if tab else "",
            )
            kept = dict(list(state.downloads.items())[-(DOWNLOADS_KEPT - 1) :])
            text = f"download started: {event.filename}"
            return (
                replace(state, downloads={**kept, event.guid: download}),
                [Notify(download.tab, text)],
            )
        case DownloadProgressed() if (known := state.downloads.get(event.guid)) is not None:
            download = replace(
                known,
                state=event.state,
                received=event.received,
                total=event.total,
                path=event.path or known.path,
            )
            notices: list[Effect] = []
            if event.state != known.state:
                notices = [Notify(known.tab, f"download {event.state}: {known.filename}")]
            return replace(state, downloads={**state.downloads, event.guid: download}), notices
        case DownloadSaved() if (known := state.downloads.get(event.guid)) is not None:
            download = replace(known, saved=event.path, problem=event.problem)
            notices = []
            if event.problem:
                notices = [Notify(known.tab, f"download not saved: {event.problem}")]
            elif not known.saved and event.path != known.path:
                notices = [Notify(known.tab, f"download saved: {event.path}")]
            return replace(state, downloads={**state.downloads, event.guid: download}), notices
    return state, []
