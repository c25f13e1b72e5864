"""Carries out what `states.step` decides about the debugger on the user's tabs. Pure.

Knows: a tab has one attachment that all its sessions share, and one record with its state; the
pauses between retries; which request, session or timer means which event. Must not know: what is
sent on a tab, which event changes which state.

    first session: attachTab -> last session ends: linger_s -> detachTab
    target_closed while the tab lives -> retries -> state restored | sessions end
    idle -> sessions stay -> the next command attaches again
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from pilothouse.relay.extension_browser.agent_restrictions import check_tab, is_attachable
from pilothouse.relay.extension_browser.attachment.state_transitions import (
    DEBUGGED,
    PENDING,
    QUEUEING,
    AttachEffect,
    AttachEvent,
    AttachState,
    step,
)
from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.debuggee import Debuggee
from pilothouse.relay.extension_browser.requests_and_shared_commands import ExtensionRequest
from pilothouse.relay.extension_browser.tab_and_message_types import (
    TARGET_GONE,
    ErrorReply,
    SharedTab,
    decode_object,
    encode,
    read_tabs,
    refusal,
)
from pilothouse.relay.extension_browser.user_stop_reasons import (
    CANCELLED,
    NOT_SHARED,
    STOPPED,
    TAKEN_BACK,
    USER_STOPS,
    UserStop,
)
from pilothouse.relay.target_command_params import filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["RETRY_S", "AttachmentTimes", "Attachments", "refusal_by_user"]

RETRY_S = (0.15, 0.3, 0.7, 1.5)
# A tab that loses its debugger again within this time continues its retry count.
COOLDOWN_S = 10.0
# A page that does not answer Page.getFrameTree in time keeps the target id that Chrome reports.
FRAMES_WITHIN_S = 1.0
# The timer of a state ends with it.
_TIMERS: Final[Mapping[AttachState, str]] = {
    AttachState.IDENTIFYING: "frames",
    AttachState.UNUSED: "detach",
    AttachState.LOST: "retry",
}

# Detach reasons that are the user's decision: no retry.
_USER_REASONS: Mapping[str, tuple[AttachEvent, UserStop]] = {
    "detached_by_user": (AttachEvent.TAKEN, TAKEN_BACK),
    "stopped_by_user": (AttachEvent.WITHDRAWN, STOPPED),
    "not_shared": (AttachEvent.WITHDRAWN, NOT_SHARED),
    "left_locked_site": (AttachEvent.WITHDRAWN, NOT_SHARED),
}
# Remember why the user stopped work in at most this many tabs.
MAX_REMEMBERED = 200
_NO_TARGET = ErrorReply(-32000, "No target with given id found")

AttachCallback = Callable[[ErrorReply | None], None]


@dataclass(frozen=True, slots=True)
class AttachmentTimes:
    """How long the debugger stays on an unused tab, and the pauses between retries."""

    linger_s: float = 3.0
    retry_s: tuple[float, ...] = RETRY_S


@dataclass(slots=True, eq=False)
class _Attachment:
    """The debugger on one tab. Only `Attachments._apply` changes the state."""

    tab: SharedTab
    state: AttachState = AttachState.FREE
    # Who waits for the debugger.
    waiters: list[AttachCallback] = field(default_factory=list)
    # Requests that wait until the debugger is back.
    queue: list[ExtensionRequest] = field(default_factory=list)
    # The `attachTab` whose reply counts.
    request: ExtensionRequest | None = None
    retries: int = 0


class Attachments:
    """The debugger's attachments to the tabs of one Chrome."""

    def __init__(self, browser: ExtensionBrowser, times: AttachmentTimes) -> None:
        self._browser = browser
        self._times = times
        self._by_tab: dict[int, _Attachment] = {}
        # How the user stopped all agents, or None.
        self.stopped_by: UserStop | None = None
        # By target id: how the user stopped work in a tab that was in use.
        self.user_stops: dict[str, UserStop] = {}
        self.extension_away = False
        # Requests to the extension itself that wait while it is disconnected.
        self.queued_requests: list[ExtensionRequest] = []
        # Tabs that clients opened or attached to, and tabs that the extension must still be told to
        # give back to the user. They outlive the attachment.
        self.used_tabs: set[int] = set()
        self.tabs_to_give_back: set[int] = set()
        self._effects: Mapping[AttachEffect, Callable[[_Attachment], None]] = {
            AttachEffect.ABANDON: self._abandon,
            AttachEffect.END: self._end,
            AttachEffect.SEND_ATTACH: self._send_attach,
            AttachEffect.SEND_DETACH: self._send_detach,
            AttachEffect.ADOPT: self._adopt,
            AttachEffect.START_LINGER: self._start_linger,
            AttachEffect.MARK_LOST: self._mark_lost,
            AttachEffect.DROP_REPLAY: self._drop_replay,
            AttachEffect.SCHEDULE_RETRY: self._schedule_retry,
            AttachEffect.SEND_REATTACH: self._send_reattach,
            AttachEffect.RESTORE: self._restore,
            AttachEffect.FLUSH: self._flush,
        }

    # States.

    def _of(self, tab: SharedTab) -> _Attachment:
        """Return the record of a tab."""
        return self._by_tab.setdefault(tab.tab_id, _Attachment(tab))

    def _state(self, tab_id: int) -> AttachState:
        known = self._by_tab.get(tab_id)
        return known.state if known is not None else AttachState.FREE

    def _apply(self, one: _Attachment, event: AttachEvent, error: ErrorReply | None = None) -> None:
        """Let an event happen. Those who wait and are answered by it get `error`."""
        before = one.state
        one.state, effects = step(before, event)
        if one.state is not before and before in _TIMERS:
            self._browser.io.cancel(f"{_TIMERS[before]} {one.tab.tab_id}")
        for effect in effects:
            if effect is AttachEffect.ANSWER:
                self._answer(one, error)
            else:
                self._effects[effect](one)

    def _start_timer(
        self, one: _Attachment, key: str, seconds: float, then: Callable[[_Attachment], None]
    ) -> None:
        self._browser.io.call_later(f"{key} {one.tab.tab_id}", seconds, partial(then, one))

    # Queues of requests.

    def queue_for(self, debuggee: Debuggee | None) -> list[ExtensionRequest] | None:
        """Return the queue in which a request must wait now; None if it can be sent."""
        if debuggee is not None:
            one = self._by_tab.get(debuggee.tab.tab_id)
            return one.queue if one is not None and one.state in QUEUEING else None
        return self.queued_requests if self.extension_away else None

    def all_queued(self) -> Iterator[ExtensionRequest]:
        """Yield every request that waits."""
        for one in list(self._by_tab.values()):
            yield from list(one.queue)
        yield from [*self.queued_requests, *self._browser.reconnection.interrupted]

    def is_attached(self, tab: SharedTab) -> bool:
        """Return whether the debugger is, or should be, attached to a tab."""
        return self._state(tab.tab_id) in DEBUGGED

    def is_expected(self, request: ExtensionRequest) -> bool:
        """Return whether a tab still waits for the reply to this `attachTab`."""
        return any(one.request is request for one in self._by_tab.values())

    def _flush(self, one: _Attachment) -> None:
        """Send the requests that waited for a tab."""
        queue, one.queue = one.queue, []
        for request in queue:
            if not request.done:
                self._browser.send_now(request)
        self._check_use(one)

    def wake_idle(self, debuggee: Debuggee | None) -> None:
        """Attach an auto-detached tab again because a request waits for it."""
        one = self._by_tab.get(debuggee.tab.tab_id) if debuggee is not None else None
        if one is not None and one.state is AttachState.IDLE and not self.extension_away:
            self._apply(one, AttachEvent.WANTED)

    # Attaching and detaching.

    def attach(self, tab: SharedTab, then: AttachCallback) -> None:
        """Attach the debugger to a tab if it is not attached. `then` gets the error, or None."""
        state = self._state(tab.tab_id)
        taken = (
            refusal_by_user("to attach", TAKEN_BACK) if state is AttachState.TAKEN_BACK else None
        )
        error = self._refusal(tab) if taken is None or self.stopped_by is not None else None
        if self._browser.tabs.by_id.get(tab.tab_id) is not tab or state is AttachState.CLOSED:
            error = _NO_TARGET
        if error is not None:
            then(error)
            return
        one = self._of(tab)
        one.waiters.append(then)
        self._apply(one, AttachEvent.ATTACH, taken)

    def _refusal(self, tab: SharedTab) -> ErrorReply | None:
        if self.stopped_by is not None:
            return refusal_by_user("to attach", self.stopped_by)
        return check_tab(self._browser.settings, tab)

    def _answer(self, one: _Attachment, error: ErrorReply | None) -> None:
        waiters, one.waiters = one.waiters, []
        for then in waiters:
            then(error)
        self._check_use(one)

    def _check_use(self, one: _Attachment) -> None:
        if one.state is AttachState.ATTACHED and not self._browser.is_in_use(one.tab):
            self._apply(one, AttachEvent.UNUSED)

    def _send_attach(self, one: _Attachment) -> None:
        if one.tab.attached:
            # An attachment left by an earlier daemon: what was set on it is unknown.
            self._send_detach(one)
        self._request_attach(one)

    def _request_attach(self, one: _Attachment) -> None:
        def then(raw: msgspec.Raw | None, error: ErrorReply | None) -> None:
            self._on_attach_reply(one, request, raw, error)

        request = ExtensionRequest("attachTab", encode({"tabId": one.tab.tab_id}), then)
        one.request = request
        self._browser.send_or_queue(request)

    def _on_attach_reply(
        self,
        one: _Attachment,
        request: ExtensionRequest,
        raw: msgspec.Raw | None,
        error: ErrorReply | None,
    ) -> None:
        if one.request is not request:
            if error is None and one.state in (AttachState.FREE, AttachState.TAKEN_BACK):
                # Its reply came after the user or Chrome ended the attempt.
                self._send_detach(one)
            return
        if raw is not None and one.tab.opener_target_id is None:
            # A malformed reply raises here, and comes again as an error.
            self._browser.popups.set_opener(one.tab, decode_object(raw).get("targetInfo") or {})
        one.request = None
        self._apply(
            one, AttachEvent.ATTACH_OK if error is None else AttachEvent.ATTACH_FAILED, error
        )

    def _abandon(self, one: _Attachment) -> None:
        request, one.request = one.request, None
        if request is not None and self.extension_away:
            request.done = True  # its reply was lost, or it was never sent

    def _adopt(self, one: _Attachment) -> None:
        browser, tab = self._browser, one.tab
        tab.attached = True
        self.user_stops.pop(tab.target_id, None)
        self.used_tabs.add(tab.tab_id)
        browser.debuggees[tab.tab_id] = debuggee = Debuggee(browser, tab)
        # Only the page itself knows its main frame's id, and clients expect it to equal the target
        # id.
        self._start_timer(
            one, "frames", FRAMES_WITHIN_S, lambda one: self._apply(one, AttachEvent.IDENTIFIED)
        )
        browser.send_command(
            debuggee,
            "Page.getFrameTree",
            b"{}",
            lambda raw, _: self._on_frame_tree(one, debuggee, raw),
        )

    def _on_frame_tree(self, one: _Attachment, debuggee: Debuggee, raw: msgspec.Raw | None) -> None:
        if self._browser.debuggees.get(one.tab.tab_id) is not debuggee:
            return
        frame = decode_object(raw).get("frameTree", {}).get("frame", {}) if raw is not None else {}
        debuggee.loader_id = str(frame.get("loaderId", ""))
        name = frame.get("id")
        if isinstance(name, str) and name not in ("", one.tab.target_id):
            self._browser.tabs.set_main_frame(one.tab, name)
        self._apply(one, AttachEvent.IDENTIFIED)

    def when_settled(self, tab: SharedTab, then: AttachCallback) -> None:
        """Call `then` when a tab is no longer being attached."""
        one = self._by_tab.get(tab.tab_id)
        if one is not None and one.state in PENDING:
            one.waiters.append(then)
        else:
            then(None)

    def detach_later(self, tab: SharedTab) -> None:
        """Detach from a tab without sessions after `linger_s`. Chrome's debugging bar then goes
        too."""
        one = self._by_tab.get(tab.tab_id)
        if one is not None:
            self._apply(one, AttachEvent.UNUSED)

    def _start_linger(self, one: _Attachment) -> None:
        self._start_timer(one, "detach", self._times.linger_s, self._on_linger_over)

    def _on_linger_over(self, one: _Attachment) -> None:
        browser, tab = self._browser, one.tab
        # A session of the browser may still wait for a reply from this tab, for example for
        # cookies.
        waits = any(
            a.session and a.debuggee and a.debuggee.tab is tab
            for a in browser.pending_requests.values()
        )
        if browser.is_in_use(tab):
            self._apply(one, AttachEvent.STILL_USED)
        else:
            self._apply(one, AttachEvent.UNUSED if waits else AttachEvent.LINGER_OVER)

    def _send_detach(self, one: _Attachment) -> None:
        self._browser.send_request("detachTab", {"tabId": one.tab.tab_id}, lambda _, __: None)

    def _end(self, one: _Attachment) -> None:
        """End everything that was on a tab after the debugger was detached."""
        browser, tab = self._browser, one.tab
        browser.io.cancel(f"steady {tab.tab_id}")
        debuggee = browser.debuggees[tab.tab_id]
        browser.restorer.abandon(debuggee)
        browser.child_targets.end(debuggee)
        del browser.debuggees[tab.tab_id]
        browser.targets.changed(browser.targets.page(tab))
        queue, one.queue = one.queue, []
        for request in queue:
            request.settle(None, TARGET_GONE)
        one.retries = 0
        tab.attached = False

    def on_tab_closed(self, tab: SharedTab) -> None:
        """End a closed tab's attachment."""
        one = self._by_tab.get(tab.tab_id)
        if one is not None:
            self._apply(one, AttachEvent.CLOSED, _NO_TARGET)
            del self._by_tab[tab.tab_id]
        tab.attached = False

    def change_tab_id(self, tab: SharedTab, new_id: int) -> bool:
        """Keep a tab's state when Chrome replaces the tab. Returns False if it cannot be kept: the
        debugger is or comes on the old one."""
        one = self._by_tab.get(tab.tab_id)
        if one is not None and one.state not in (AttachState.FREE, AttachState.TAKEN_BACK):
            return False
        other = self._by_tab.get(new_id)
        if other is not None:
            self.on_tab_closed(other.tab)
        if one is not None:
            self._by_tab[new_id] = self._by_tab.pop(tab.tab_id)
        return True

    def auto_attach(
        self, tab: SharedTab, only: FlatSession | None = None, then: AttachCallback | None = None
    ) -> None:
        """Attach a tab to every browser session with auto-attach on, or to one of them."""
        browser = self._browser
        sessions = [only] if only is not None else list(browser.sessions.values())
        sessions_wanting = [s for s in sessions if s.debuggee is None and self._wants_tab(s, tab)]
        if not sessions_wanting or not tab.target_id or not is_attachable(tab.url):
            if then is not None:
                then(None)
            return

        def attached(error: ErrorReply | None) -> None:
            for session in sessions_wanting:
                if error is None and browser.sessions.get(session.id) is session:
                    self._auto_attach_session(session, tab)
            if then is not None:
                then(error)

        self.attach(tab, attached)

    def _wants_tab(self, session: FlatSession, tab: SharedTab) -> bool:
        if session.auto_attach is None or not filter_admits(session.auto_attach.filter, "page"):
            return False
        return not any(
            s.auto_attached
            and s.debuggee is not None
            and s.debuggee.tab is tab
            and not s.debuggee.child_session_id
            for s in self._browser.sessions_below(session)
        )

    def _auto_attach_session(self, session: FlatSession, tab: SharedTab) -> None:
        browser = self._browser
        debuggee = browser.debuggees.get(tab.tab_id)
        if debuggee is not None and self._wants_tab(session, tab):
            if session.id:
                browser.add_companion(debuggee)
            created = browser.create_session(session.id, debuggee)
            created.auto_attached = True
            browser.announce_session(created)

    # The debugger was detached.

    def on_detached(self, tab_id: int, reason: str) -> None:
        """Handle `tabDetached`: Chrome, the user or the extension detached the debugger."""
        if reason == "canceled_by_user":
            self._stop_all(CANCELLED)
            return
        tab = self._browser.tabs.by_id.get(tab_id)
        if tab is None:
            return
        tab.attached = False
        if reason in _USER_REASONS:
            self._end_by_user(tab, *_USER_REASONS[reason])
        elif not self._browser.is_in_use(tab):
            self._apply(self._of(tab), AttachEvent.DETACHED_UNUSED)
        else:
            # If the tab is closing, `tabRemoved` follows: clients then hear only that, because the
            # loss is announced after the new attachment.
            self._apply(
                self._of(tab), AttachEvent.IDLED if reason == "idle" else AttachEvent.DETACHED
            )

    def _mark_lost(self, one: _Attachment) -> None:
        self._browser.restorer.mark_lost(self._browser.debuggees[one.tab.tab_id])

    def _drop_replay(self, one: _Attachment) -> None:
        self._browser.restorer.abandon(self._browser.debuggees[one.tab.tab_id])

    def _schedule_retry(self, one: _Attachment) -> None:
        self._browser.io.cancel(f"steady {one.tab.tab_id}")
        if one.retries >= len(self._times.retry_s):
            self._apply(one, AttachEvent.GIVEN_UP)
            return
        pause = self._times.retry_s[one.retries]
        one.retries += 1
        self._start_timer(one, "retry", pause, lambda one: self._apply(one, AttachEvent.RETRY))

    def _send_reattach(self, one: _Attachment) -> None:
        if self._refusal(one.tab) is not None:
            self._apply(one, AttachEvent.GIVEN_UP)
        else:
            self._request_attach(one)

    def _restore(self, one: _Attachment) -> None:
        one.tab.attached = True
        self._start_timer(one, "steady", COOLDOWN_S, _reset_retries)
        self._browser.restorer.restore(
            self._browser.debuggees[one.tab.tab_id], lambda: self._apply(one, AttachEvent.RESTORED)
        )

    # The user decides.

    def _stop_all(self, state: UserStop) -> None:
        """End all attachments. Only the user can undo it."""
        self.stopped_by = state
        for tab in list(self._browser.tabs.by_id.values()):
            self._end_by_user(tab, AttachEvent.WITHDRAWN, state)

    def _end_by_user(self, tab: SharedTab, event: AttachEvent, state: UserStop) -> None:
        self._record_user_stop(tab, state)
        tab.attached = False
        self._apply(self._of(tab), event, refusal_by_user("to attach", state))

    def _record_user_stop(self, tab: SharedTab, state: UserStop) -> None:
        """Remember and report that the user stopped work in a tab that was in use."""
        if self.is_attached(tab) and tab.target_id not in self.user_stops:
            self.user_stops[tab.target_id] = state
            if len(self.user_stops) > MAX_REMEMBERED:
                del self.user_stops[next(iter(self.user_stops))]
            self._browser.io.report_user_stop(tab.target_id, state)

    def on_user_action(self, kind: str, tab_id: Any, state: str = "") -> None:
        """Handle `userAction`: the user pressed something in the popup or dragged a tab."""
        tab = self._browser.tabs.by_id.get(tab_id) if isinstance(tab_id, int) else None
        if kind == "attach":
            self.stopped_by = None
            if tab is not None:
                self._apply(self._of(tab), AttachEvent.SHARED)
            for one in list(self._browser.tabs.by_id.values()):
                self.auto_attach(one)
        elif kind == "detach" and tab is not None:
            self._end_by_user(tab, AttachEvent.TAKEN, TAKEN_BACK)
        elif kind == "detach" and tab_id is None:
            self._stop_all(USER_STOPS.get(state, STOPPED))
        elif kind in ("pause", "resume"):
            self._browser.settings["paused"] = kind == "pause"

    def refresh_tabs(self, then: Callable[[], None] = lambda: None) -> None:
        """Request the whole list of tabs, because a single change cannot be understood alone."""

        def listed(raw: msgspec.Raw | None) -> None:
            tabs = read_tabs(raw) if raw is not None else None
            if tabs is not None:
                self._browser.tabs.update_all(tabs)
            then()

        self._browser.send_request("listTabs", {}, lambda raw, _: listed(raw))

    def give_back(self, targets: Collection[str]) -> None:
        """Give tabs back to the user after their client has gone. They disappear here at once. A
        tab that the user's settings share anyway is listed again."""
        tabs = [self._browser.tabs.by_target(target) for target in targets]
        ids = {tab.tab_id for tab in tabs if tab is not None} & self.used_tabs
        self.used_tabs -= ids
        for tab_id in ids:
            self._browser.tabs.remove(tab_id)
        self.tabs_to_give_back |= ids
        if not self.extension_away:
            self.send_give_backs()

    def send_give_backs(self) -> None:
        """Tell the extension which tabs to give back."""
        ids, self.tabs_to_give_back = sorted(self.tabs_to_give_back), set()
        if ids:
            self._browser.send_request(
                "giveBackTabs", {"tabIds": ids}, lambda _, __: self.refresh_tabs()
            )

    # The connection to the extension.

    def detach_leftovers(self) -> None:
        """Detach tabs that an earlier relay left attached. Otherwise Chrome's debugging bar would
        stay, and requests it had paused would wait forever."""
        for tab in self._browser.tabs.by_id.values():
            if tab.attached and self._state(tab.tab_id) in (
                AttachState.FREE,
                AttachState.TAKEN_BACK,
            ):
                tab.attached = False
                self._send_detach(self._of(tab))

    def on_disconnected(self) -> None:
        """Queue all requests: the connection to the extension is lost."""
        self.extension_away = True
        for one in list(self._by_tab.values()):
            self._apply(one, AttachEvent.DISCONNECTED)

    def resume(self, debuggee: Debuggee) -> None:
        """Continue with a tab after the extension reconnected."""
        tab = debuggee.tab
        if self._browser.debuggees.get(tab.tab_id) is not debuggee:
            return  # what happened to another tab has ended it
        if not self._browser.is_in_use(tab):
            event = AttachEvent.RESUMED_UNUSED
        else:
            event = AttachEvent.RESUMED_ATTACHED if tab.attached else AttachEvent.RESUMED_DETACHED
        one = self._of(tab)
        self._apply(one, event)
        if any(not request.done for request in one.queue):
            self.wake_idle(debuggee)


def _reset_retries(one: _Attachment) -> None:
    """Forget the retries of a tab that has kept its debugger for COOLDOWN_S."""
    one.retries = 0


def refusal_by_user(what: str, state: UserStop) -> ErrorReply:
    """Return the error for something that the user has stopped."""
    return refusal(what, state.reason, state.hint)
