"""The user's Chrome, presented as one CDP browser with many flat sessions. Pure.

Knows: sessions, requests in flight to the extension, and which session gets which reply. Must not
know: sockets, clocks, event loops; `BrowserIO` is its only way out. Commands and the extension's
messages come in one by one. Messages go out in the order in which things happened.

    client command -> handle_command() -> RootCommands | Debuggee -> extension
    extension -> handle_extension_message() -> SharedTabs | Attachments | Debuggee -> sessions
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

import msgspec

from pilothouse.cdp.message import Envelope, ErrorBody, RawCommand, decode_envelope
from pilothouse.relay.extension_browser.agent_restrictions import (
    add_side_effect_guard,
    check_command,
    restriction_table,
)
from pilothouse.relay.extension_browser.attachment import (
    Attachments,
    AttachmentTimes,
    Reconnection,
)
from pilothouse.relay.extension_browser.child_targets import ChildTargets
from pilothouse.relay.extension_browser.client_session import FlatSession, new_id
from pilothouse.relay.extension_browser.cookie_commands import COOKIE_METHODS, run_on_tab
from pilothouse.relay.extension_browser.debuggee import Debuggee
from pilothouse.relay.extension_browser.download_events import DownloadEvents
from pilothouse.relay.extension_browser.evaluation_refusals_as_exceptions import (
    EVALUATE_METHODS,
    EvaluationRefusals,
)
from pilothouse.relay.extension_browser.frame_ids import rename_frames
from pilothouse.relay.extension_browser.popup_tabs_and_openers import INPUT_METHODS, Popups
from pilothouse.relay.extension_browser.requests_and_shared_commands import (
    ExtensionRequest,
    OnReply,
)
from pilothouse.relay.extension_browser.restore_after_reattach import StateRestorer
from pilothouse.relay.extension_browser.root_commands import RootCommands
from pilothouse.relay.extension_browser.shared_tab_targets import SharedTabs, TargetAnnouncer
from pilothouse.relay.extension_browser.tab_and_message_types import (
    EMPTY,
    NO_SESSION,
    SESSION_ENDED,
    TARGET_GONE,
    AutostartMessage,
    DebuggerEvent,
    ErrorReply,
    NewTabMessage,
    SettingsMessage,
    SharedTab,
    TabChangeMessage,
    UserActionMessage,
    decode_object,
    encode,
    error_message,
    event_message,
    result_message,
)
from pilothouse.relay.extension_browser.user_stop_reasons import UserStop
from pilothouse.relay.interfaces import Hello

__all__ = ["BrowserIO", "ExtensionBrowser"]

_debugger_event = msgspec.json.Decoder(DebuggerEvent)


class BrowserIO(Protocol):
    """Everything the browser can do to the outside world. `ExtensionTransport` implements it."""

    def emit(self, message: Envelope) -> None:
        """Send a CDP message to the clients."""

    def send(self, message: bytes) -> None:
        """Send a message to the extension."""

    def call_later(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Start a timer. Starting one with the same key replaces it."""

    def cancel(self, key: str) -> None:
        """Stop a timer."""

    def lost(self, reason: str) -> None:
        """Report that the browser is gone for good."""

    def report_user_stop(self, target: str, state: UserStop) -> None:
        """Report that the user stopped work in a tab that a client was using."""

    def set_autostart(self, on: bool) -> None:
        """Start the relay at login, or no longer."""


class ExtensionBrowser:
    """One user's Chrome as a CDP browser. See the module docstring."""

    def __init__(
        self,
        io: BrowserIO,
        hello: Hello,
        context: str,
        times: AttachmentTimes,
        hides: Callable[[str], bool] = lambda url: False,
    ) -> None:
        self.io = io
        # Tells whether a tab that shows a URL is kept from all agents: the dashboard.
        self.hides = hides
        self.hello = hello
        self.settings: dict[str, Any] = dict(hello.settings)
        self.context = context
        self.browser_target = new_id()
        self.root_session = FlatSession("")
        self.sessions: dict[str, FlatSession] = {"": self.root_session}
        # Attached tabs by tab id, and child targets by Chrome's session id.
        self.debuggees: dict[int | str, Debuggee] = {}
        # Real main-frame ids and the tab's target id that clients know instead. Usually empty: only
        # a prerendered page that took over a tab makes them differ.
        self.frame_id_aliases: dict[bytes, bytes] = {}
        self.targets = TargetAnnouncer(self)
        self.tabs = SharedTabs(self)
        self.popups = Popups(self)
        self.child_targets = ChildTargets(self)
        self.restorer = StateRestorer(self)
        self.evaluation_refusals = EvaluationRefusals(self)
        self.attachments = Attachments(self, times)
        self.reconnection = Reconnection(self)
        self.downloads = DownloadEvents(self)
        self.root_commands = RootCommands(self)
        self.pending_requests: dict[int, ExtensionRequest] = {}
        self._last_id = 0

    # Messages of clients.

    def handle_command(self, command: RawCommand) -> None:
        """Route one client command to the browser's handlers, the cookie code or a debuggee."""
        session = self.sessions.get(command.sessionId)
        params = command.params if command.params != _NULL else EMPTY
        if self.settings.get("readOnly") and command.method in EVALUATE_METHODS:
            guarded = add_side_effect_guard(self.settings, command.method, decode_object(params))
            if guarded is not None:
                params = msgspec.Raw(encode(guarded))
                self.evaluation_refusals.add_guarded(command.sessionId, command.id)
        if session is None:
            self.emit(error_message(command.id, NO_SESSION, ""))
        elif session.debuggee is None or (
            command.method.startswith(("Target.", "Browser.")) and command.method != _AUTO
        ):
            self.root_commands.handle(session, command.id, command.method, params)
        elif (error := self.check(command.method, params, session.debuggee.tab)) is not None:
            self.evaluation_refusals.send_error(session, command.id, command.method, error)
        elif command.method in COOKIE_METHODS:
            run_on_tab(
                self, session.debuggee, session, command.id, command.method, decode_object(params)
            )
        else:
            if command.method in INPUT_METHODS:
                self.popups.on_input(session.debuggee.tab)
            session.debuggee.handle_command(session, command.id, command.method, params)

    def check(self, method: str, params: msgspec.Raw, tab: SharedTab | None) -> ErrorReply | None:
        """Return why the user's settings forbid a command, or None."""
        settings = self.settings
        if not (any(map(settings.get, _RESTRICTIONS)) or method in restriction_table().always):
            return None
        return check_command(settings, method, decode_object(params), tab)

    def emit(self, message: Envelope) -> None:
        """Send a CDP message to the clients."""
        self.io.emit(message)

    def reply(self, session: str, command_id: int, result: bytes | msgspec.Raw) -> None:
        """Reply to a command with a result."""
        self.io.emit(result_message(command_id, result, session))

    def fail(self, session: str, command_id: int, error: ErrorReply) -> None:
        """Reply to a command with an error. When its session ended, `Target.detachedFromTarget`
        says so instead, as in Chrome."""
        if error is not SESSION_ENDED:
            self.io.emit(error_message(command_id, error, session))

    def answer(
        self, session: str, command_id: int, result: msgspec.Raw | None, error: ErrorReply | None
    ) -> None:
        """Reply to a command with the extension's result or error."""
        if error is not None:
            self.fail(session, command_id, error)
        else:
            self.reply(session, command_id, result if result is not None else EMPTY)

    # Requests to the extension.

    def send_request(self, method: str, params: Mapping[str, Any], then: OnReply) -> None:
        """Send one of the extension's own requests, such as `attachTab`."""
        self.send_or_queue(ExtensionRequest(method, encode(params), then, None, None))

    def send_command(
        self,
        debuggee: Debuggee,
        method: str,
        params: bytes | msgspec.Raw,
        then: OnReply,
        session: FlatSession | None = None,
    ) -> None:
        """Send a CDP command to a tab or to one of its child targets."""
        self.send_or_queue(ExtensionRequest(method, params, then, debuggee, session))

    def send_command_ignoring_reply(
        self, debuggee: Debuggee, method: str, params: Mapping[str, Any]
    ) -> None:
        """Send a CDP command whose reply nobody needs."""
        if self.debuggees.get(debuggee.child_session_id or debuggee.tab.tab_id) is debuggee:
            self.send_command(debuggee, method, encode(params), _ignore_reply)

    def forward(
        self,
        debuggee: Debuggee,
        session: FlatSession,
        command_id: int,
        method: str,
        raw: msgspec.Raw,
    ) -> None:
        """Forward a client's command unchanged and send the reply to its session."""

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            if error is None:
                self.answer(
                    session.id,
                    command_id,
                    self.evaluation_refusals.rewrite_result(session, command_id, result),
                    None,
                )
            elif error.message.startswith(_DETACHING):
                # The target is probably closing. If its session ends within this time, the client
                # gets `Target.detachedFromTarget` instead of an error, as from Chrome.
                self.io.call_later(
                    f"{session.id} {command_id}", ENDS_WITHIN_S, lambda: failed(error)
                )
            else:
                failed(error)

        def failed(error: ErrorReply) -> None:
            if self.sessions.get(session.id) is session:
                self.evaluation_refusals.send_error(session, command_id, method, error)

        self.send_or_queue(ExtensionRequest(method, raw, settled, debuggee, session))

    def send_or_queue(self, request: ExtensionRequest) -> None:
        """Send a request, or let it wait with others of its tab."""
        queue = self.attachments.queue_for(request.debuggee)
        if queue is not None:
            queue.append(request)
            self.attachments.wake_idle(request.debuggee)
        else:
            self.send_now(request)

    def send_now(self, request: ExtensionRequest) -> None:
        """Send a request at once, even while the tab's other requests are queued."""
        self._last_id += 1
        self.pending_requests[self._last_id] = request
        self.io.send(request.encode(self._last_id))

    def fail_requests_of(
        self,
        debuggee: Debuggee,
        error: ErrorReply = TARGET_GONE,
        except_methods: Collection[str] = (),
    ) -> None:
        """Fail every request in flight or queued for a debuggee, except `except_methods`."""
        for request in [*self.pending_requests.values(), *self.attachments.all_queued()]:
            if request.debuggee is debuggee and request.method not in except_methods:
                request.settle(None, error)

    # Messages of the extension.

    def handle_extension_message(self, message: bytes) -> None:
        """Handle one message of the extension. Raises any exception that a malformed one causes."""
        message = rename_frames(message, self.frame_id_aliases)
        envelope = decode_envelope(message)
        if envelope is None:
            # An unreadable reply still settles its request: no client waits forever.
            self._on_reply(_read_id(message), None, _MALFORMED)
        elif envelope.id is not None:
            error = _read_error(envelope.error) if envelope.error else None
            self._on_reply(envelope.id, None if error else envelope.result, error)
        elif envelope.method == "cdpEvent":
            self._on_debugger_event(envelope.params)
        elif envelope.method is not None:
            handler = _MESSAGE_HANDLERS.get(envelope.method)
            if handler is not None:
                decoder, handle = handler
                handle(self, decoder.decode(envelope.params))

    def _on_reply(
        self, request_id: Any, result: msgspec.Raw | None, error: ErrorReply | None
    ) -> None:
        request = (
            self.pending_requests.pop(request_id, None) if isinstance(request_id, int) else None
        )
        if request is None:
            return
        try:
            request.settle(result, error)
        except Exception:
            # A reply of the wrong shape must still settle the client's command.
            if error is None:
                request.then(None, _MALFORMED)
            raise

    def _on_debugger_event(self, raw: msgspec.Raw) -> None:
        event = _debugger_event.decode(raw)
        debuggee = self.debuggees.get(event.childSessionId or event.tabId)
        if debuggee is not None:
            debuggee.handle_event(event.method, event.params)

    def _on_tab_created(self, message: NewTabMessage) -> None:
        tab = self.tabs.add(SharedTab.from_entry(message.tab))
        if not tab.target_id:
            self.attachments.refresh_tabs()

    def _on_tab_glimpsed(self, message: NewTabMessage) -> None:
        self.popups.on_short_lived_tab(SharedTab.from_entry(message.tab))

    def _on_tab_removed(self, message: TabChangeMessage) -> None:
        self.tabs.remove(message.tabId)

    def _on_tab_replaced(self, message: TabChangeMessage) -> None:
        self.tabs.change_tab_id(message.tabId, message.newTabId)
        self.attachments.refresh_tabs()

    def _on_tab_detached(self, message: TabChangeMessage) -> None:
        self.attachments.on_detached(message.tabId, message.reason)

    def _on_tab_updated(self, changes: dict[str, Any]) -> None:
        self.tabs.update(changes)

    def _on_settings_changed(self, message: SettingsMessage) -> None:
        before = {name for name in _RESTRICTIONS if self.settings.get(name)}
        self.settings.update(message.settings)
        if any(not self.settings.get(name) for name in before):
            self.evaluation_refusals.on_limits_lifted()

    def _on_autostart(self, message: AutostartMessage) -> None:
        self.io.set_autostart(message.on)

    def _on_user_action(self, message: UserActionMessage) -> None:
        self.attachments.on_user_action(message.kind, message.tabId, message.state)

    # Sessions of clients.

    def create_session(self, parent: str, debuggee: Debuggee | None) -> FlatSession:
        """Create a session. The caller announces it to the parent."""
        session = FlatSession(new_id(), parent)
        self.sessions[session.id] = session
        if debuggee is not None:
            before = self.is_in_use(debuggee.tab)
            debuggee.add_session(session)
            if not before and not debuggee.child_session_id:
                self.targets.changed(self.targets.page(debuggee.tab))
        return session

    def announce_session(self, session: FlatSession, waiting: bool = False) -> None:
        """Send `Target.attachedToTarget` to a session's parent."""
        debuggee = session.debuggee
        if debuggee is None:
            info: Mapping[str, Any] = self.targets.browser()
        else:
            info = debuggee.info if debuggee.child_session_id else self.targets.page(debuggee.tab)
        params = {"sessionId": session.id, "targetInfo": info, "waitingForDebugger": waiting}
        self.emit(event_message("Target.attachedToTarget", encode(params), session.parent))

    def add_companion(self, debuggee: Debuggee) -> None:
        """Give the root session its own session on a tab that another client attaches to. The
        supervisor discovers targets on the root and must supervise these tabs too. The companion
        ends when all other sessions on the tab have ended."""
        watched = self.root_session.discover is not None
        if watched and not any(s.parent == "" for s in debuggee.sessions.values()):
            made = self.create_session("", debuggee)
            made.companion = True
            self.announce_session(made)

    def _is_only_companion(self, session: FlatSession) -> bool:
        """Return whether a session exists only to accompany others."""
        while not session.companion and session.parent in self.sessions and session.id:
            session = self.sessions[session.parent]
        return session.companion

    def _lonely_companions(self, tab: SharedTab) -> list[FlatSession]:
        """Return the companions on a tab if no other session is left there."""
        on_it = [s for s in self.sessions.values() if s.debuggee and s.debuggee.tab is tab]
        return [s for s in on_it if s.companion] if all(map(self._is_only_companion, on_it)) else []

    def sessions_below(self, session: FlatSession) -> list[FlatSession]:
        """Return the sessions that were announced on this one."""
        return [s for s in self.sessions.values() if s.parent == session.id and s.id]

    def end_session(self, session: FlatSession, target: str = "", *, announce: bool = True) -> None:
        """End a session and all sessions below it. Tells its parent unless `announce` is false."""
        if self.sessions.pop(session.id, None) is None:
            return
        self.evaluation_refusals.forget_session(session.id)
        for child in self.sessions_below(session):
            self.end_session(child, announce=False)
        debuggee = session.debuggee
        for request in [*self.pending_requests.values(), *self.attachments.all_queued()]:
            if request.session is session:
                request.settle(None, SESSION_ENDED)
        if debuggee is not None:
            debuggee.shared_commands.remove_session(session)
        if announce and session.parent in self.sessions:
            name = target or (debuggee.target_id if debuggee else self.browser_target)
            gone = encode({"sessionId": session.id, "targetId": name})
            self.emit(event_message("Target.detachedFromTarget", gone, session.parent))
        if debuggee is not None:
            debuggee.remove_session(session)
            self.child_targets.stop_unused_auto_attach(debuggee)
            for companion in self._lonely_companions(debuggee.tab):
                self.end_session(companion)
            if not self.is_in_use(debuggee.tab):
                self.attachments.detach_later(debuggee.tab)

    def is_in_use(self, tab: SharedTab) -> bool:
        """Return whether any session is on a tab or on one of its child targets."""
        own = self.debuggees.get(tab.tab_id)
        if own is None:
            return False
        if own.sessions:
            return True
        return any(
            s.child_session_id and s.tab is tab and s.sessions for s in self.debuggees.values()
        )

    def offer_to_auto_attach(self, tab: SharedTab) -> None:
        """Attach a new tab to every browser session that has auto-attach on."""
        self.attachments.auto_attach(tab)


_AUTO = "Target.setAutoAttach"
_NULL = msgspec.Raw(b"null")
# Chrome's errors for a tab that is losing its debugger.
_DETACHING = (
    "Debugger is not attached",
    "Detached while handling command",
    "No tab with given id",
    "No tab with id",
)
ENDS_WITHIN_S = 1.0
_MALFORMED = ErrorReply(-32000, "the extension's answer is malformed")
# User settings that must be checked for every single command.
_RESTRICTIONS = ("readOnly", "lockUrl", "paused")


def _read_error(body: ErrorBody) -> ErrorReply:
    """Convert the error of a reply."""
    data = msgspec.json.decode(body.data)
    return ErrorReply(body.code or -32000, body.message, data if isinstance(data, str) else "")


def _read_id(message: bytes) -> Any:
    """Return the id of a message that msgspec cannot decode; None if it has none."""
    try:
        # json accepts text that msgspec rejects, such as half a surrogate pair
        decoded = json.loads(message)
    except (ValueError, RecursionError):
        return None
    return decoded.get("id") if isinstance(decoded, dict) else None


def _ignore_reply(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
    """Do nothing with a reply."""


def _handler(kind: type[Any], handle: Callable[[ExtensionBrowser, Any], None]) -> tuple[Any, Any]:
    return msgspec.json.Decoder(kind), handle


_MESSAGE_HANDLERS: dict[
    str, tuple[msgspec.json.Decoder[Any], Callable[[ExtensionBrowser, Any], None]]
] = {
    "autostart": _handler(AutostartMessage, ExtensionBrowser._on_autostart),
    "settingsChanged": _handler(SettingsMessage, ExtensionBrowser._on_settings_changed),
    "tabCreated": _handler(NewTabMessage, ExtensionBrowser._on_tab_created),
    "tabDetached": _handler(TabChangeMessage, ExtensionBrowser._on_tab_detached),
    "tabGlimpsed": _handler(NewTabMessage, ExtensionBrowser._on_tab_glimpsed),
    "tabRemoved": _handler(TabChangeMessage, ExtensionBrowser._on_tab_removed),
    "tabReplaced": _handler(TabChangeMessage, ExtensionBrowser._on_tab_replaced),
    "tabUpdated": _handler(dict, ExtensionBrowser._on_tab_updated),
    "userAction": _handler(UserActionMessage, ExtensionBrowser._on_user_action),
}
