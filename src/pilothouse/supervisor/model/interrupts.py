"""Everything but JavaScript dialogs that waits for a decision: one model, one table."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from pilothouse.supervisor.model.effects import (
    AnswerInterrupt,
    Effect,
    Send,
    StartTimer,
    StopTimer,
    Tell,
)
from pilothouse.supervisor.model.events import (
    Crashed,
    Detached,
    DownloadBegan,
    DownloadMoved,
    DownloadSaved,
    Dropped,
    Event,
    FrameDetached,
    FrameNavigated,
    InterruptAnswered,
    InterruptClosed,
    InterruptOpened,
    Reattached,
    Refused,
    RequestPaused,
    Revived,
    TabEnded,
    TimerFired,
)
from pilothouse.supervisor.model.policy import ONLY_A_PERSON_GRANTS
from pilothouse.supervisor.model.state import Download, Interrupt, State

__all__ = ["KINDS", "Kind", "step_interrupts"]

Step = tuple[State, list[Effect]]

DOWNLOADS_KEPT = 50


class Kind(msgspec.Struct, frozen=True):
    """What may be answered, what happens when nobody does, and whether the page stands still."""

    answers: tuple[str, ...]
    default: str
    deadline_s: float
    blocks: bool


KINDS = {
    "auth": Kind(("provide", "cancel"), "cancel", 300.0, blocks=True),
    "file_chooser": Kind(("upload", "cancel"), "cancel", 300.0, blocks=False),
    "permission": Kind(("grant", "deny"), "deny", 300.0, blocks=False),
    "print": Kind(("acknowledge",), "acknowledge", 30.0, blocks=False),
    "fedcm": Kind(("select", "dismiss"), "dismiss", 300.0, blocks=False),
    "hung": Kind(("terminate", "reload", "wait"), "wait", 300.0, blocks=True),
    "crashed": Kind(("reload", "close"), "", 0.0, blocks=True),
    "human": Kind(("done",), "done", 3600.0, blocks=True),
}


def step_interrupts(before: State, state: State, event: Event) -> Step:
    """The state after `event`, as far as interrupts and downloads go."""
    match event:
        case InterruptOpened():
            return _open(state, event)
        case Crashed(session=session):
            info = state.sessions.get(session)
            frame = info.target_id if info else ""
            return _open(state, InterruptOpened(event.at, "crashed", session, frame, session))
        case InterruptAnswered():
            return _answer(state, event.interrupt, event.action, event)
        case TimerFired() if event.key in state.interrupts:
            default = KINDS[state.interrupts[event.key].kind].default
            return _answer(
                state, event.key, default, InterruptAnswered(event.at, event.key, default)
            )
        case InterruptClosed():
            return _close(state, lambda i: (i.kind, i.handle) == (event.kind, event.handle))
        case Revived(session=session):
            return _close(state, lambda i: i.kind == "crashed" and i.session_id == session)
        case FrameNavigated() if state.interrupts:
            gone = set(before.within(event.frame))
            return _close(state, lambda i: i.frame_id in gone and i.kind not in ("auth", "human"))
        case FrameDetached(swap=False) if state.interrupts:
            gone = set(before.within(event.frame)) - state.frames.keys()
            return _close(state, lambda i: i.frame_id in gone)
        case Detached() | TabEnded() | Reattached():
            # A person goes on where they are, whichever session looks at it.
            return _close(
                state,
                lambda i: (
                    i.tab not in state.tabs
                    or (i.kind != "human" and i.session_id not in state.sessions)
                ),
            )
        case Dropped():
            return _close(state, lambda i: i.kind != "human")
        case Refused():
            return state, [Tell(event.tab, event.words)]
        case RequestPaused():
            params = {"requestId": event.request}
            return state, [Send(event.session, "Fetch.continueRequest", params)]
    return _downloads(state, event)


def _open(state: State, event: InterruptOpened) -> Step:
    tab = state.tab_of(event.session)
    if tab is None:
        return state, []
    kind = KINDS[event.kind]
    known = (
        i for i in state.interrupts.values() if (i.kind, i.handle) == (event.kind, event.handle)
    )
    if (again := next(known, None)) is not None:
        # Asked for again: one decision is enough, and whoever caused it is told.
        fresh = replace(again, opened_at=event.at, detail=event.detail)
        return replace(state, interrupts={**state.interrupts, again.id: fresh}), []
    answers = kind.answers
    if event.detail.get("permission") in ONLY_A_PERSON_GRANTS:
        answers = ("deny",)
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
        kind.deadline_s,
    )
    state = replace(
        state,
        interrupts_count=number,
        interrupts={**state.interrupts, interrupt.id: interrupt},
    )
    return state, [StartTimer(interrupt.id, kind.deadline_s)] if kind.deadline_s else []


def _answer(state: State, key: str, action: str, event: InterruptAnswered) -> Step:
    interrupt = state.interrupts.get(key)
    if interrupt is None or action not in interrupt.answers:
        return state, []
    state, effects = _close(state, lambda i: i.id == key)
    # The shell needs the interrupt itself: it is no longer in the state.
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
        case DownloadBegan():
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
                [Tell(download.tab, text)],
            )
        case DownloadMoved() if (known := state.downloads.get(event.guid)) is not None:
            download = replace(
                known,
                state=event.state,
                received=event.received,
                total=event.total,
                path=event.path or known.path,
            )
            told: list[Effect] = []
            if event.state != known.state:
                told = [Tell(known.tab, f"download {event.state}: {known.filename}")]
            return replace(state, downloads={**state.downloads, event.guid: download}), told
        case DownloadSaved() if (known := state.downloads.get(event.guid)) is not None:
            download = replace(known, saved=event.path, problem=event.problem)
            told = []
            if event.problem:
                told = [Tell(known.tab, f"download not kept: {event.problem}")]
            elif not known.saved and event.path != known.path:
                told = [Tell(known.tab, f"download saved: {event.path}")]
            return replace(state, downloads={**state.downloads, event.guid: download}), told
    return state, []
