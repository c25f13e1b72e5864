"""The part of `step` for JavaScript dialogs: from opening to what the page got.

Facts this relies on (docs/cdp):

- Events of native dialogs come on the *top* session of a tab, with the frame's id.
- A second native dialog in a tab replaces the first (Opening(2), then Closed(1)). After that nobody
  can answer either.
- A removed frame takes its native dialog along without a Closed event. Answering such a dialog
  crashes the whole browser.
- A question of the XHR bridge may precede the `Page.frameNavigated` of its document.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pilothouse.supervisor.model.decode import origin_of
from pilothouse.supervisor.model.effects import AnswerDialog, Effect, Notify, StartTimer, StopTimer
from pilothouse.supervisor.model.events import (
    AnswerDelivered,
    AnswerFailed,
    ConnectionDropped,
    DialogAnswered,
    DialogClosed,
    DialogOpened,
    Event,
    FrameDetached,
    FrameNavigated,
    FrameStartedNavigating,
    SessionDetached,
    StandbyChanged,
    TargetDestroyed,
    TargetsReattached,
    TimerFired,
)
from pilothouse.supervisor.model.state import ClosedDialog, Dialog, State, Tab

__all__ = ["RECENT", "step_dialogs"]

Step = tuple[State, list[Effect]]

RECENT = 20

# A dialog that Chrome closed at most this long before its document went: the navigation closed it.
NAVIGATION_FOLLOWS_S = 1.0

# An orphaned dialog cannot be answered; this timer removes it from the list all the same.
ORPHAN_S = 300.0

REPLACED = "another dialog of the same tab replaced it; only reloading the tab unblocks the page"
DROPPED = "the connection that reported it is gone; only reloading the tab unblocks the page"


def step_dialogs(before: State, state: State, event: Event) -> Step:
    """Apply `event` to dialogs. `before` still has the sessions, frames and tabs that the event
    ended."""
    match event:
        case DialogOpened():
            return _open(state, event)
        case DialogClosed():
            return _close(state, event)
        case DialogAnswered():
            return _answer(state, event)
        case AnswerFailed():
            return _answer_failed(state, event)
        case AnswerDelivered() if (dialog := state.dialogs.get(event.dialog)) is not None:
            by = dialog.answer_sent_by or "remote"
            return _end(state, dialog, event.at, by, event.accepted, event.text)
        case TimerFired() if (dialog := state.dialogs.get(event.key)) is not None:
            if dialog.orphaned:
                return _end(state, dialog, event.at, "watchdog", accepted=False, text="")
            return _answer(state, DialogAnswered(event.at, event.key, False, None, by="watchdog"))
        case FrameStartedNavigating():
            return _dismiss_bridged(state, event)
        case FrameNavigated() | FrameDetached():
            return _end_with_document(before, state, event)
        case SessionDetached() | TargetDestroyed() | TargetsReattached():
            return _end_with_tab(before, state, event)
        case ConnectionDropped():
            return _survive_drop(state, event)
        case StandbyChanged(is_standby=False):
            return _orphan_unheld(state, event)
    return state, []


def _open(state: State, event: DialogOpened) -> Step:
    tab = _tab_of_event(state, event)
    if tab is None or (event.standby_target and tab.session):
        return state, []  # our own session reports it as well
    event = replace(event, frame=event.frame or tab.target_id)
    again = next((d for d in state.dialogs.values() if _is_same_dialog(d, tab.id, event)), None)
    if again is not None:
        # It was open before the connection dropped; a new session or the standby reports it again.
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
        return state, [StartTimer(dialog.id, ORPHAN_S), Notify(tab.id, text)]
    policy = state.policy_of(tab.key)
    action = policy.decide(dialog.type, dialog.origin)
    if action == "must_respond":
        return state, [StartTimer(dialog.id, policy.timeout_s)]
    return _answer(
        state, DialogAnswered(event.at, dialog.id, action == "auto_accept", None, by="auto_policy")
    )


def _tab_of_event(state: State, event: DialogOpened | DialogClosed) -> Tab | None:
    return (
        state.tab_of_target(event.standby_target)
        if event.standby_target
        else state.tab_of(event.session)
    )


def _is_same_dialog(dialog: Dialog, tab: str, event: DialogOpened) -> bool:
    if event.key or dialog.key:
        return (dialog.tab, dialog.key) == (tab, event.key)
    return (
        dialog.tab == tab
        and dialog.frame_id == event.frame
        and (dialog.type, dialog.message) == (event.type, event.message)
        and dialog.session_id != event.session
    )


def _close(state: State, event: DialogClosed) -> Step:
    tab = _tab_of_event(state, event)
    if tab is None:
        return state, []
    candidates = [
        dialog
        for dialog in state.dialogs.values()
        if dialog.tab == tab.id
        and dialog.via == "native"
        and event.frame in ("", dialog.frame_id)
        # The standby connection counts only for dialogs whose own session is gone: its events come
        # a little later, when the next dialog may be open already.
        and (not event.standby_target or dialog.session_id not in state.sessions)
    ]
    if not candidates:
        return state, []
    dialog = candidates[0]
    by = dialog.answer_sent_by or tab.leave_requested_by or "remote"
    return _end(state, dialog, event.at, by, event.accepted, event.text)


def _answer(state: State, event: DialogAnswered) -> Step:
    dialog = state.dialogs.get(event.dialog)
    if dialog is None or dialog.answer_sent_by or dialog.orphaned:
        return state, []
    answered = replace(dialog, answer_sent_by=event.by)
    text = event.text
    if event.accept and text is None and dialog.type == "prompt":
        # Without a text the page would get ""; a user who presses OK returns the default.
        text = dialog.default_prompt
    return (
        replace(state, dialogs={**state.dialogs, dialog.id: answered}),
        [StopTimer(dialog.id), AnswerDialog(dialog.id, event.accept, text)],
    )


def _answer_failed(state: State, event: AnswerFailed) -> Step:
    dialog = state.dialogs.get(event.dialog)
    if dialog is None or not dialog.answer_sent_by:
        return state, []  # the connection dropped meanwhile, and the dialog waits again
    if not event.refused:
        return _wait_again(state, dialog)
    # Chrome says that no dialog is showing: another client answered, and no Closed event came.
    return _end(state, dialog, event.at, "remote", accepted=False, text="")


def _wait_again(state: State, dialog: Dialog, orphaned: str = "") -> Step:
    """Mark a dialog as unanswered again and restart its timer."""
    waiting = replace(dialog, answer_sent_by="", orphaned=orphaned or dialog.orphaned)
    state = replace(state, dialogs={**state.dialogs, dialog.id: waiting})
    effects: list[Effect] = []
    if dialog.answer_sent_by:
        key = state.tabs[dialog.tab].key
        seconds = ORPHAN_S if waiting.orphaned else state.policy_of(key).timeout_s
        effects.append(StartTimer(dialog.id, seconds))
    if orphaned:
        text = f"{dialog.id} is orphaned (orphaned_dialog): {orphaned}"
        effects.append(Notify(dialog.tab, text))
    return state, effects


def _dismiss_bridged(state: State, event: FrameStartedNavigating) -> Step:
    """Dismiss bridged dialogs of a frame that starts to navigate. Chrome dismisses its native ones
    itself; a bridged one blocks the renderer and so would block the new document."""
    gone = set(state.frame_subtree(event.frame))
    effects: list[Effect] = []
    for dialog in list(state.dialogs.values()):
        if dialog.via != "native" and dialog.frame_id in gone:
            state, more = _answer(
                state, DialogAnswered(event.at, dialog.id, False, None, "navigation")
            )
            effects += more
    return state, effects


def _end_with_document(before: State, state: State, event: FrameNavigated | FrameDetached) -> Step:
    """Close the dialogs of frames that were removed or have a new document. Also attribute dialogs
    that Chrome closed just before to this navigation."""
    if not state.dialogs and not state.recent_dialogs:
        return state, []  # fast path: runs for every frame of a page
    frame = before.frames.get(event.frame)
    if frame is None or state.frames.get(event.frame) is frame:
        return state, []  # a late event from a process that the frame has left
    gone = set(before.frame_subtree(event.frame))
    # A new main document ends all dialogs of the tab, also in frames we do not know.
    tab = frame.tab if not frame.parent else ""
    explained = [c for c in state.recent_dialogs if _is_explained(c, event.at, gone, tab)]
    if explained:
        recent = (
            replace(closed, closed_by="navigation") if closed in explained else closed
            for closed in state.recent_dialogs
        )
        state = replace(state, recent_dialogs=tuple(recent))
    state = _set_early_origin(state, event)
    return _end_all(
        state,
        event.at,
        "navigation",
        lambda d: (d.frame_id in gone or d.tab == tab) and not _is_early(d, event),
    )


def _is_early(dialog: Dialog, event: FrameNavigated | FrameDetached) -> bool:
    """Return whether the dialog belongs to the new document. A question of the XHR bridge may
    precede the `frameNavigated` of its document; those of the old document were dismissed when the
    navigation started."""
    if (
        dialog.via != "xhr"
        or dialog.frame_id != event.frame
        or dialog.answer_sent_by == "navigation"
    ):
        return False
    if isinstance(event, FrameDetached):
        return event.swap and dialog.session_id != event.session
    same = dialog.url == event.url or origin_of("", dialog.url) == event.origin
    return same and dialog.session_id == event.session


def _set_early_origin(state: State, event: FrameNavigated | FrameDetached) -> State:
    """Set the origin of early dialogs, now that their document is known."""
    if isinstance(event, FrameDetached):
        return state
    early = {
        dialog.id: replace(dialog, origin=event.origin or dialog.origin)
        for dialog in state.dialogs.values()
        if _is_early(dialog, event)
    }
    return replace(state, dialogs={**state.dialogs, **early}) if early else state


def _is_explained(closed: ClosedDialog, at: float, gone: set[str], tab: str) -> bool:
    return (
        closed.closed_by == "remote"
        and not closed.accepted
        and (closed.dialog.frame_id in gone or closed.dialog.tab == tab)
        and at - closed.closed_at <= NAVIGATION_FOLLOWS_S
    )


def _end_with_tab(before: State, state: State, event: Event) -> Step:
    """Close the dialogs of tabs and sessions that ended."""
    default = "connection_lost" if isinstance(event, TargetsReattached) else "remote"
    effects: list[Effect] = []
    for tab in before.tabs.keys() - state.tabs.keys():
        by = before.tabs[tab].leave_requested_by or default
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


def _survive_drop(state: State, event: ConnectionDropped) -> Step:
    """Keep native dialogs after a drop: they stay open in the browser. Close bridged ones: their
    pages continued as if dismissed."""
    effects: list[Effect] = []
    for dialog in list(state.dialogs.values()):
        if dialog.via != "native":
            state, more = _end(state, dialog, event.at, "connection_lost", False, "")
        elif state.tabs[dialog.tab].has_standby or dialog.orphaned:
            state, more = _wait_again(state, dialog)
        else:
            state, more = _wait_again(state, dialog, DROPPED)
        effects += more
    return state, effects


def _orphan_unheld(state: State, event: StandbyChanged) -> Step:
    """Orphan the dialogs that only the standby connection could answer: it is gone too."""
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
        state, more = _end(state, dialog, at, dialog.answer_sent_by or by, False, "")
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
