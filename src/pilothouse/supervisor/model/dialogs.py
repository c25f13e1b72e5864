"""JavaScript dialogs: from opening to what the page got, whoever ends them.

Facts this rests on (docs/cdp): events of native dialogs come on the *top* session of a tab with
the frame's id; a second native dialog in a tab replaces the first (Opening(2), then Closed(1))
and can then be answered by nobody; a frame that is removed takes its native dialog with it and
no Closed follows, and answering such a dialog ends the whole browser; a bridged question may come
before the news of the document that asks it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pilothouse.supervisor.model.decode import origin_of
from pilothouse.supervisor.model.effects import AnswerDialog, Effect, StartTimer, StopTimer, Tell
from pilothouse.supervisor.model.events import (
    Answer,
    AnswerFailed,
    AnswerTaken,
    Detached,
    DialogClosed,
    DialogOpened,
    Dropped,
    Event,
    FrameDetached,
    FrameLeaving,
    FrameNavigated,
    HolderHolds,
    Reattached,
    TabEnded,
    TimerFired,
)
from pilothouse.supervisor.model.state import ClosedDialog, Dialog, State, Tab

__all__ = ["RECENT", "step_dialogs"]

Step = tuple[State, list[Effect]]

RECENT = 20

# A dialog that Chrome closed this shortly before its document went was closed by that navigation.
NAVIGATION_FOLLOWS_S = 1.0

# An orphan cannot be answered; its timer only keeps the promise that nothing waits for ever.
ORPHAN_S = 300.0

REPLACED = "another dialog of the same tab replaced it; only a reload of the tab frees the page"
DROPPED = "the connection that saw it is gone; only a reload of the tab frees the page"


def step_dialogs(before: State, state: State, event: Event) -> Step:
    """The state after `event`, as far as dialogs go. `before` still has what the event ended:
    sessions, frames and tabs that dialogs belonged to."""
    match event:
        case DialogOpened():
            return _open(state, event)
        case DialogClosed():
            return _closed(state, event)
        case Answer():
            return _answer(state, event)
        case AnswerFailed():
            return _answer_failed(state, event)
        case AnswerTaken() if (dialog := state.dialogs.get(event.dialog)) is not None:
            by = dialog.answering or "remote"
            return _end(state, dialog, event.at, by, event.accepted, event.text)
        case TimerFired() if (dialog := state.dialogs.get(event.key)) is not None:
            if dialog.orphaned:
                return _end(state, dialog, event.at, "watchdog", accepted=False, text="")
            return _answer(state, Answer(event.at, event.key, False, None, by="watchdog"))
        case FrameLeaving():
            return _leaving(state, event)
        case FrameNavigated() | FrameDetached():
            return _left(before, state, event)
        case Detached() | TabEnded() | Reattached():
            return _ended(before, state, event)
        case Dropped():
            return _dropped(state, event)
        case HolderHolds(holds=False):
            return _let_go(state, event)
    return state, []


def _open(state: State, event: DialogOpened) -> Step:
    tab = _tab(state, event)
    if tab is None or (event.holder and tab.session):
        return state, []  # while our own session lives, it tells
    event = replace(event, frame=event.frame or tab.target_id)
    again = next((d for d in state.dialogs.values() if _same(d, tab.id, event)), None)
    if again is not None:
        # It was open before the wire dropped, and whoever holds it now says so.
        held = replace(again, session_id=event.session, handle=event.handle, orphaned="")
        return replace(state, dialogs={**state.dialogs, again.id: held}), []
    rivals = [
        d for d in state.dialogs.values() if d.tab == tab.id and d.via == event.via == "native"
    ]
    number = state.dialogs_count + 1
    frame = state.frames.get(event.frame)
    dialog = Dialog(
        f"d-{number}",
        event.type,
        event.message,
        event.default_prompt,
        event.session,
        event.frame,
        frame.origin if frame and frame.origin else event.url,
        event.url,
        tab.id,
        event.at,
        event.via,
        event.handle,
        event.key,
        orphaned=REPLACED if rivals else "",
    )
    state = replace(state, dialogs_count=number, dialogs={**state.dialogs, dialog.id: dialog})
    if rivals:
        text = f"{dialog.id} replaced {rivals[0].id} (dialog_replaced): {REPLACED}"
        return state, [StartTimer(dialog.id, ORPHAN_S), Tell(tab.id, text)]
    policy = state.policy_of(tab.owner)
    action = policy.decide(dialog.type, dialog.origin)
    if action == "must_respond":
        return state, [StartTimer(dialog.id, policy.timeout_s)]
    return _answer(
        state, Answer(event.at, dialog.id, action == "auto_accept", None, by="auto_policy")
    )


def _tab(state: State, event: DialogOpened | DialogClosed) -> Tab | None:
    return state.tab_of_target(event.holder) if event.holder else state.tab_of(event.session)


def _same(dialog: Dialog, tab: str, event: DialogOpened) -> bool:
    if event.key or dialog.key:
        return (dialog.tab, dialog.key) == (tab, event.key)
    return (
        dialog.tab == tab
        and dialog.frame_id == event.frame
        and (dialog.type, dialog.message) == (event.type, event.message)
        and dialog.session_id != event.session
    )


def _closed(state: State, event: DialogClosed) -> Step:
    tab = _tab(state, event)
    if tab is None:
        return state, []
    candidates = [
        dialog
        for dialog in state.dialogs.values()
        if dialog.tab == tab.id
        and dialog.via == "native"
        and event.frame in ("", dialog.frame_id)
        # The holder speaks for dialogs whose own session is gone, and for no other: its events
        # come a little later, when the next dialog may be open already.
        and (not event.holder or dialog.session_id not in state.sessions)
    ]
    if not candidates:
        return state, []
    dialog = candidates[0]
    by = dialog.answering or tab.leaving or "remote"
    return _end(state, dialog, event.at, by, event.accepted, event.text)


def _answer(state: State, event: Answer) -> Step:
    dialog = state.dialogs.get(event.dialog)
    if dialog is None or dialog.answering or dialog.orphaned:
        return state, []
    answered = replace(dialog, answering=event.by)
    text = event.text
    if event.accept and text is None and dialog.type == "prompt":
        # Without a text the page would get "" where a person pressing OK gives the default.
        text = dialog.default_prompt
    return (
        replace(state, dialogs={**state.dialogs, dialog.id: answered}),
        [StopTimer(dialog.id), AnswerDialog(dialog.id, event.accept, text)],
    )


def _answer_failed(state: State, event: AnswerFailed) -> Step:
    dialog = state.dialogs.get(event.dialog)
    if dialog is None or not dialog.answering:
        return state, []  # the wire it was sent on dropped, and the dialog waits anew
    if not event.refused:
        return _wait_again(state, dialog)
    # Chrome says that nothing is showing: someone else was faster, and no Closed came for it.
    return _end(state, dialog, event.at, "remote", accepted=False, text="")


def _wait_again(state: State, dialog: Dialog, orphaned: str = "") -> Step:
    """Nobody is answering it any more: it is as open as before, and has its timer back."""
    waiting = replace(dialog, answering="", orphaned=orphaned or dialog.orphaned)
    state = replace(state, dialogs={**state.dialogs, dialog.id: waiting})
    effects: list[Effect] = []
    if dialog.answering:
        owner = state.tabs[dialog.tab].owner
        seconds = ORPHAN_S if waiting.orphaned else state.policy_of(owner).timeout_s
        effects.append(StartTimer(dialog.id, seconds))
    if orphaned:
        text = f"{dialog.id} is orphaned (orphaned_dialog): {orphaned}"
        effects.append(Tell(dialog.tab, text))
    return state, effects


def _leaving(state: State, event: FrameLeaving) -> Step:
    """Chrome dismisses its own dialogs when their page is to go. A bridged one would keep the
    new document waiting, as it holds the process: so we dismiss it."""
    gone = set(state.within(event.frame))
    effects: list[Effect] = []
    for dialog in list(state.dialogs.values()):
        if dialog.via != "native" and dialog.frame_id in gone:
            state, more = _answer(state, Answer(event.at, dialog.id, False, None, "navigation"))
            effects += more
    return state, effects


def _left(before: State, state: State, event: FrameNavigated | FrameDetached) -> Step:
    """Frames that are gone, or show another document, end what they had open; and they explain
    what Chrome closed just before."""
    if not state.dialogs and not state.recent_dialogs:
        return state, []  # the usual case, a thousand times on a page with a thousand frames
    frame = before.frames.get(event.frame)
    if frame is None or state.frames.get(event.frame) is frame:
        return state, []  # late news from a process the frame has left
    gone = set(before.within(event.frame))
    # A new main document ends all of its tab, frames we never heard of included.
    tab = frame.tab if not frame.parent else ""
    explained = [c for c in state.recent_dialogs if _is_explained(c, event.at, gone, tab)]
    if explained:
        recent = (
            replace(closed, closed_by="navigation") if closed in explained else closed
            for closed in state.recent_dialogs
        )
        state = replace(state, recent_dialogs=tuple(recent))
    state = _keep_early(state, event)
    return _end_all(
        state,
        event.at,
        "navigation",
        lambda d: (d.frame_id in gone or d.tab == tab) and not _is_early(d, event),
    )


def _is_early(dialog: Dialog, event: FrameNavigated | FrameDetached) -> bool:
    """Whether the new document asks, not the old one. A question that comes as a request may
    overtake the news of the document that sent it; what the old one asked was dismissed when it
    was to leave."""
    if dialog.via != "xhr" or dialog.frame_id != event.frame or dialog.answering == "navigation":
        return False
    if isinstance(event, FrameDetached):
        return event.swap and dialog.session_id != event.session
    same = dialog.url == event.url or origin_of("", dialog.url) == event.origin
    return same and dialog.session_id == event.session


def _keep_early(state: State, event: FrameNavigated | FrameDetached) -> State:
    """Now it is known whose question it was."""
    if isinstance(event, FrameDetached):
        return state
    whose = {
        dialog.id: replace(dialog, origin=event.origin or dialog.origin)
        for dialog in state.dialogs.values()
        if _is_early(dialog, event)
    }
    return replace(state, dialogs={**state.dialogs, **whose}) if whose else state


def _is_explained(closed: ClosedDialog, at: float, gone: set[str], tab: str) -> bool:
    return (
        closed.closed_by == "remote"
        and not closed.accepted
        and (closed.dialog.frame_id in gone or closed.dialog.tab == tab)
        and at - closed.closed_at <= NAVIGATION_FOLLOWS_S
    )


def _ended(before: State, state: State, event: Event) -> Step:
    """Tabs and processes that are gone take their dialogs with them."""
    default = "connection_lost" if isinstance(event, Reattached) else "remote"
    effects: list[Effect] = []
    for tab in before.tabs.keys() - state.tabs.keys():
        by = before.tabs[tab].leaving or default
        state, more = _end_all(state, event.at, by, _in_tab(tab))
        effects += more
    sessions = before.sessions.keys() - state.sessions.keys()
    frames = before.frames.keys() - state.frames.keys()
    state, more = _end_all(
        state,
        event.at,
        "navigation",
        lambda d: d.frame_id in frames or (d.via != "native" and d.session_id in sessions),
    )
    return state, [*effects, *more]


def _in_tab(tab: str) -> Callable[[Dialog], bool]:
    return lambda dialog: dialog.tab == tab


def _dropped(state: State, event: Dropped) -> Step:
    """Native dialogs stay open in the browser; bridged ones went on with the dismissed value."""
    effects: list[Effect] = []
    for dialog in list(state.dialogs.values()):
        if dialog.via != "native":
            state, more = _end(state, dialog, event.at, "connection_lost", False, "")
        elif state.tabs[dialog.tab].held or dialog.orphaned:
            state, more = _wait_again(state, dialog)
        else:
            state, more = _wait_again(state, dialog, DROPPED)
        effects += more
    return state, effects


def _let_go(state: State, event: HolderHolds) -> Step:
    """The holder is gone too: what only it could answer, nobody can."""
    tab = state.tab_of_target(event.target_id)
    effects: list[Effect] = []
    for dialog in list(state.dialogs.values()):
        mine = tab is not None and dialog.tab == tab.id
        if mine and not dialog.orphaned and dialog.session_id not in state.sessions:
            state, more = _wait_again(state, dialog, DROPPED)
            effects += more
    return state, effects


def _end_all(state: State, at: float, by: str, which: Callable[[Dialog], bool]) -> Step:
    effects: list[Effect] = []
    for dialog in [d for d in state.dialogs.values() if which(d)]:
        state, more = _end(state, dialog, at, dialog.answering or by, False, "")
        effects += more
    return state, effects


def _end(state: State, dialog: Dialog, at: float, by: str, accepted: bool, text: str) -> Step:
    closed = ClosedDialog(dialog, at, by, accepted, text)
    return (
        replace(
            state,
            dialogs={key: d for key, d in state.dialogs.items() if key != dialog.id},
            recent_dialogs=(*state.recent_dialogs, closed)[-RECENT:],
        ),
        [StopTimer(dialog.id)],
    )
