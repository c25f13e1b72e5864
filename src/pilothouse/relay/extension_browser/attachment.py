"""Which tabs the debugger is attached to, and what happens when it is detached. Pure.

Knows: a tab has one attachment that all its sessions share; the pauses between retries; that a
tab the user took back stays detached. Must not know: what is sent on a tab.

    first session: attachTab -> last session ends: linger_s -> detachTab
    target_closed while the tab lives -> retries -> state restored | sessions end
    idle -> sessions stay -> the next command attaches again
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.debuggee import Debuggee
from pilothouse.relay.extension_browser.requests import ExtensionRequest
from pilothouse.relay.extension_browser.types import (
    TARGET_GONE,
    ErrorReply,
    SharedTab,
    decode_object,
    encode,
    read_tabs,
    refusal,
)
from pilothouse.relay.extension_browser.user_restrictions import check_tab, is_attachable
from pilothouse.relay.extension_browser.user_stops import (
    CANCELLED,
    NOT_SHARED,
    STOPPED,
    TAKEN_BACK,
    USER_STOPS,
    UserStop,
)
from pilothouse.relay.target_filter import filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["RETRY_S", "AttachmentTimes", "Attachments", "refusal_by_user"]

RETRY_S = (0.15, 0.3, 0.7, 1.5)
# A tab that loses its debugger again within this time continues its retry count.
COOLDOWN_S = 10.0
# A page that does not answer Page.getFrameTree in time keeps the target id that Chrome reports.
FRAMES_WITHIN_S = 1.0
# The extension reports a closed tab within this time, even on a busy machine.
LOST_AFTER_S = 1.0

# Detach reasons that are the user's decision: no retry.
_USER_REASONS: Mapping[str, UserStop] = {
    "detached_by_user": TAKEN_BACK,
    "stopped_by_user": STOPPED,
    "not_shared": NOT_SHARED,
    "left_locked_site": NOT_SHARED,
}
# Remember why the user stopped work in at most this many tabs.
MAX_REMEMBERED = 200

AttachCallback = Callable[[ErrorReply | None], None]


@dataclass(frozen=True, slots=True)
class AttachmentTimes:
    """How long the debugger stays on an unused tab, and the pauses between retries."""

    linger_s: float = 3.0
    retry_s: tuple[float, ...] = RETRY_S


class Attachments:
    """The debugger's attachments to the tabs of one Chrome."""

    def __init__(self, browser: ExtensionBrowser, times: AttachmentTimes) -> None:
        self._browser = browser
        self._times = times
        # How the user stopped all agents, or None; and the single tabs the user took back.
        self.stopped_by: UserStop | None = None
        self._taken_by_user: set[int] = set()
        # By target id: how the user stopped work in a tab that was in use.
        self.user_stops: dict[str, UserStop] = {}
        # Tabs being attached, with the callbacks that wait for it.
        self._attaching: dict[int, list[AttachCallback]] = {}
        # Tabs that lost their debugger, with the requests that wait for it.
        self._queued: dict[int, list[ExtensionRequest]] = {}
        self._attempts: dict[int, int] = {}
        # Tabs that the extension detached because nobody used them (auto-detach).
        self._idle: set[int] = set()
        self.extension_away = False
        # Requests to the extension itself that wait while it is disconnected.
        self.queued_requests: list[ExtensionRequest] = []
        # Tabs that clients opened or attached to, and tabs that the extension must still be told to
        # give back to the user.
        self.used_tabs: set[int] = set()
        self.tabs_to_give_back: set[int] = set()

    # Queues of requests.

    def queue_for(self, debuggee: Debuggee | None) -> list[ExtensionRequest] | None:
        """Return the queue in which a request must wait now; None if it can be sent."""
        if debuggee is not None:
            return self._queued.get(debuggee.tab.tab_id)
        return self.queued_requests if self.extension_away else None

    def all_queued(self) -> Iterator[ExtensionRequest]:
        """Yield every request that waits."""
        for held in list(self._queued.values()):
            yield from list(held)
        yield from [*self.queued_requests, *self._browser.reconnection.interrupted]

    def is_attached(self, tab: SharedTab) -> bool:
        """Return whether the debugger is, or should be, attached to a tab."""
        return tab.tab_id in self._browser.debuggees

    def start_queueing(self, tab_id: int) -> None:
        """Queue all requests for a tab from now on."""
        self._queued.setdefault(tab_id, [])

    def flush_queue(self, tab_id: int) -> None:
        """Send the requests that waited for a tab."""
        self._idle.discard(tab_id)
        for request in self._queued.pop(tab_id, []):
            if not request.done:
                self._browser.send_now(request)

    def wake_idle(self, debuggee: Debuggee | None) -> None:
        """Attach an auto-detached tab again because a request waits for it."""
        if debuggee is not None and debuggee.tab.tab_id in self._idle:
            self._idle.discard(debuggee.tab.tab_id)
            self._reattach(debuggee.tab)

    # Attaching and detaching.

    def attach(self, tab: SharedTab, then: AttachCallback) -> None:
        """Attach the debugger to a tab if it is not attached. `then` gets the error, or None."""
        browser = self._browser
        browser.io.cancel(f"detach {tab.tab_id}")
        error = self._refusal(tab)
        if error is not None:
            then(error)
        elif tab.tab_id in self._attaching:
            self._attaching[tab.tab_id].append(then)
        elif tab.tab_id in browser.debuggees:
            then(None)
        else:
            self._attaching[tab.tab_id] = [then]
            number = {"tabId": tab.tab_id}
            if tab.attached:
                # An attachment left by an earlier daemon: what was set on it is unknown.
                browser.send_request("detachTab", number, lambda _, __: None)
            browser.send_request(
                "attachTab", number, lambda raw, error: self._on_attach_reply(tab, raw, error)
            )

    def _refusal(self, tab: SharedTab) -> ErrorReply | None:
        if self.stopped_by is not None:
            return refusal_by_user("to attach", self.stopped_by)
        if tab.tab_id in self._taken_by_user:
            return refusal_by_user("to attach", TAKEN_BACK)
        return check_tab(self._browser.settings, tab)

    def _on_attach_reply(
        self, tab: SharedTab, raw: msgspec.Raw | None, error: ErrorReply | None
    ) -> None:
        browser = self._browser
        if raw is not None and tab.opener_target_id is None:
            browser.popups.set_opener(tab, decode_object(raw).get("targetInfo") or {})
        if browser.tabs.by_id.get(tab.tab_id) is not tab:
            error = error or ErrorReply(-32000, "No target with given id found")
        if error is not None:
            self._finish_attaching(tab, error)
            return
        tab.attached = True
        self.user_stops.pop(tab.target_id, None)
        self.used_tabs.add(tab.tab_id)
        browser.debuggees[tab.tab_id] = debuggee = Debuggee(browser, tab)
        # Only the page itself knows its main frame's id, and clients expect it to equal the target
        # id.
        key = f"frames {tab.tab_id}"
        browser.io.call_later(key, FRAMES_WITHIN_S, lambda: self._finish_attaching(tab, None))
        browser.send_command(
            debuggee,
            "Page.getFrameTree",
            b"{}",
            lambda raw, _: self._on_frame_tree(tab, debuggee, raw),
        )

    def _on_frame_tree(self, tab: SharedTab, debuggee: Debuggee, raw: msgspec.Raw | None) -> None:
        frame = decode_object(raw).get("frameTree", {}).get("frame", {}) if raw is not None else {}
        debuggee.loader_id = str(frame.get("loaderId", ""))
        name = frame.get("id")
        if isinstance(name, str) and name not in ("", tab.target_id):
            self._browser.tabs.set_main_frame(tab, name)
        self._finish_attaching(tab, None)

    def _finish_attaching(self, tab: SharedTab, error: ErrorReply | None) -> None:
        self._browser.io.cancel(f"frames {tab.tab_id}")
        for then in self._attaching.pop(tab.tab_id, []):
            then(error)
        debuggee = self._browser.debuggees.get(tab.tab_id)
        if error is None and debuggee is not None and not self._browser.is_in_use(tab):
            self.detach_later(tab)

    def when_settled(self, tab: SharedTab, then: AttachCallback) -> None:
        """Call `then` when a tab is no longer being attached."""
        if tab.tab_id in self._attaching:
            self._attaching[tab.tab_id].append(then)
        else:
            then(None)

    def detach_later(self, tab: SharedTab) -> None:
        """Detach from a tab without sessions after `linger_s`. Chrome's debugging bar then goes
        too."""
        if tab.tab_id in self._browser.debuggees:
            self._browser.io.call_later(
                f"detach {tab.tab_id}", self._times.linger_s, lambda: self._detach_unused(tab)
            )

    def _detach_unused(self, tab: SharedTab) -> None:
        browser = self._browser
        if browser.is_in_use(tab) or tab.tab_id not in browser.debuggees or self.extension_away:
            return
        if any(
            a.session and a.debuggee and a.debuggee.tab is tab
            for a in browser.pending_requests.values()
        ):
            # A session of the browser still waits for a reply from this tab, for example for
            # cookies.
            self.detach_later(tab)
        else:
            self._end_attachment(tab)
            browser.send_request("detachTab", {"tabId": tab.tab_id}, lambda _, __: None)

    def _end_attachment(self, tab: SharedTab) -> None:
        """End everything that was on a tab after the debugger was detached."""
        browser = self._browser
        debuggee = browser.debuggees.get(tab.tab_id)
        for key in ("detach", "frames", "lost", "retry", "steady"):
            browser.io.cancel(f"{key} {tab.tab_id}")
        if debuggee is not None:
            browser.child_targets.end(debuggee)
            browser.debuggees.pop(tab.tab_id, None)
            browser.targets.changed(browser.targets.page(tab))
        for request in self._queued.pop(tab.tab_id, []):
            request.settle(None, TARGET_GONE)
        self._attempts.pop(tab.tab_id, None)
        self._idle.discard(tab.tab_id)
        tab.attached = False

    def on_tab_closed(self, tab: SharedTab) -> None:
        """End a closed tab's attachment."""
        self._end_attachment(tab)
        self._taken_by_user.discard(tab.tab_id)
        self._finish_attaching(tab, ErrorReply(-32000, "No target with given id found"))

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
        browser = self._browser
        if reason == "canceled_by_user":
            self._stop_all(CANCELLED)
            return
        tab = browser.tabs.by_id.get(tab_id)
        if tab is None:
            return
        tab.attached = False
        debuggee = browser.debuggees.get(tab_id)
        if debuggee is None:
            return
        if reason == "detached_by_user":
            self._taken_by_user.add(tab_id)
        if reason in _USER_REASONS:
            self._record_user_stop(tab, _USER_REASONS[reason])
        if not browser.is_in_use(tab) or reason in _USER_REASONS:
            self._end_attachment(tab)
            return
        self.start_queueing(tab_id)
        if reason == "idle":
            browser.restorer.mark_lost(debuggee)
            self._idle.add(tab_id)
        else:
            # If the tab is closing, `tabRemoved` follows: clients then hear only that, not of the
            # loss.
            browser.io.call_later(f"lost {tab_id}", LOST_AFTER_S, lambda: self._mark_lost(tab))
            self._schedule_retry(tab)

    def _mark_lost(self, tab: SharedTab) -> None:
        self._browser.io.cancel(f"lost {tab.tab_id}")
        debuggee = self._browser.debuggees.get(tab.tab_id)
        if debuggee is not None and not debuggee.restoring:
            self._browser.restorer.mark_lost(debuggee)

    def _schedule_retry(self, tab: SharedTab) -> None:
        tried = self._attempts.get(tab.tab_id, 0)
        browser = self._browser
        browser.io.cancel(f"steady {tab.tab_id}")
        if tried >= len(self._times.retry_s):
            self._end_attachment(tab)
            return
        self._attempts[tab.tab_id] = tried + 1
        browser.io.call_later(
            f"retry {tab.tab_id}", self._times.retry_s[tried], lambda: self._reattach(tab)
        )

    def _reattach(self, tab: SharedTab) -> None:
        if self.extension_away:
            return  # resume() tries when the extension is connected again
        error = self._refusal(tab)
        if error is not None:
            self._end_attachment(tab)
            return
        params = encode({"tabId": tab.tab_id})
        tried = ExtensionRequest(
            "attachTab", params, lambda _, error: self._on_reattach_reply(tab, error)
        )
        self._browser.send_now(tried)

    def _on_reattach_reply(self, tab: SharedTab, error: ErrorReply | None) -> None:
        browser = self._browser
        debuggee = browser.debuggees.get(tab.tab_id)
        if debuggee is None:
            return
        if error is not None:
            self._schedule_retry(tab)
            return
        self._mark_lost(tab)
        tab.attached = True
        browser.io.call_later(f"steady {tab.tab_id}", COOLDOWN_S, lambda: self._reset_retries(tab))
        browser.restorer.restore(debuggee, lambda: self.flush_queue(tab.tab_id))

    def _reset_retries(self, tab: SharedTab) -> None:
        """Forget the retries of a tab that has kept its debugger for COOLDOWN_S."""
        self._attempts.pop(tab.tab_id, None)

    def _stop_all(self, state: UserStop) -> None:
        """End all attachments. Only the user can undo it."""
        self.stopped_by = state
        for tab in list(self._browser.tabs.by_id.values()):
            self._record_user_stop(tab, state)
            self._end_attachment(tab)
        for waiting in [t for n in list(self._attaching) for t in self._attaching.pop(n, [])]:
            waiting(refusal_by_user("to attach", state))

    def _record_user_stop(self, tab: SharedTab, state: UserStop) -> None:
        """Remember and report that the user stopped work in a tab that was in use."""
        if tab.tab_id in self._browser.debuggees and tab.target_id not in self.user_stops:
            self.user_stops[tab.target_id] = state
            if len(self.user_stops) > MAX_REMEMBERED:
                del self.user_stops[next(iter(self.user_stops))]
            self._browser.io.report_user_stop(tab.target_id, state)

    def on_user_action(self, kind: str, tab_id: Any, state: str = "") -> None:
        """Handle `userAction`: the user pressed something in the popup or dragged a tab."""
        tab = self._browser.tabs.by_id.get(tab_id) if isinstance(tab_id, int) else None
        if kind == "attach":
            self.stopped_by = None
            self._taken_by_user.discard(tab_id)
            for one in list(self._browser.tabs.by_id.values()):
                self.auto_attach(one)
        elif kind == "detach" and tab is not None:
            self._taken_by_user.add(tab.tab_id)
            self._record_user_stop(tab, TAKEN_BACK)
            self._end_attachment(tab)
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

    def detach_leftovers(self) -> None:
        """Detach tabs that an earlier relay left attached. Otherwise Chrome's debugging bar would
        stay, and requests it had paused would wait forever."""
        browser = self._browser
        for tab in browser.tabs.by_id.values():
            if (
                tab.attached
                and tab.tab_id not in browser.debuggees
                and tab.tab_id not in self._attaching
            ):
                tab.attached = False
                browser.send_request("detachTab", {"tabId": tab.tab_id}, lambda _, __: None)

    def resume(self, debuggee: Debuggee) -> None:
        """Continue with a tab after the extension reconnected."""
        tab = debuggee.tab
        if not self._browser.is_in_use(tab):
            self.flush_queue(tab.tab_id)
            self.detach_later(tab)
        elif tab.attached and not debuggee.restoring:
            self.flush_queue(tab.tab_id)
        elif tab.tab_id not in self._idle:
            self._browser.restorer.mark_lost(debuggee)
            self._reattach(tab)


def refusal_by_user(what: str, state: UserStop) -> ErrorReply:
    """Return the error for something that the user has stopped."""
    return refusal(what, state.reason, state.hint)
