"""One debugger session of a tab, shared by any number of client sessions. Pure.

Knows: which session gets which event, and whether a command is sent, answered here, or waits for
another one. Must not know: sockets, timers, tabs without a debugger. A tab has one `Debuggee` of
its own and one for every frame and worker that Chrome attaches below it.

    command of a session -> Debuggee -> one debugger session -> event -> sessions that enabled it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp.message import WORKS_WHILE_CRASHED
from pilothouse.relay.extension_browser.client_session import DocumentScript, FlatSession
from pilothouse.relay.extension_browser.event_replay import (
    LIFECYCLE,
    REPLAYED_DOMAINS,
    EventHistory,
)
from pilothouse.relay.extension_browser.fetch_interception import (
    EmitEvent,
    FetchInterception,
    SendFetchCommand,
)
from pilothouse.relay.extension_browser.merged_settings import (
    ALWAYS_ON,
    EnabledDomains,
    Screencast,
    SharedOverrides,
    is_override,
)
from pilothouse.relay.extension_browser.popup_tabs_and_openers import on_window_open
from pilothouse.relay.extension_browser.requests_and_shared_commands import SharedCommands
from pilothouse.relay.extension_browser.tab_and_message_types import (
    OK,
    SESSION_ENDED,
    ErrorReply,
    SharedTab,
    decode_object,
    encode,
    event_message,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = [
    "PROBE",
    "RUN",
    "Debuggee",
    "add_binding",
    "add_script",
    "remove_binding",
    "remove_script",
    "remove_scripts_and_bindings",
]

# A harmless command that every page and worker answers in order: its reply proves that everything
# sent before it has been handled.
PROBE = "Runtime.getIsolateId"
RUN = "Runtime.runIfWaitingForDebugger"
REMOVE_SCRIPT = "Page.removeScriptToEvaluateOnNewDocument"
_NO_SCRIPT = ErrorReply(-32000, "Script not found")
_INTERCEPT_CHOOSER = "Page.setInterceptFileChooserDialog"
_NO_REQUEST = ErrorReply(-32602, "Invalid InterceptionId.")
CRASHED = ErrorReply(-32000, "Target crashed")


class Debuggee:
    """One tab or child target with the debugger attached. See the module docstring."""

    def __init__(
        self,
        browser: ExtensionBrowser,
        tab: SharedTab,
        child_session_id: str = "",
        parent: Debuggee | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self.browser = browser
        self.tab = tab
        # Chrome's session id of a child target; empty for the tab itself.
        self.child_session_id = child_session_id
        self.parent = parent
        self.info: dict[str, Any] = dict(info or {})
        self.sessions: dict[str, FlatSession] = {}
        self.children: dict[str, Debuggee] = {}
        self.waiting_for_debugger = False
        # Sessions that were told `waitingForDebugger` and have not resumed it yet.
        self.holding_sessions: set[str] = set()
        self.auto_attach_enabled = False
        self.crashed = False
        self.restoring = False
        self.loader_id = ""
        self.history = EventHistory()
        self.domains = EnabledDomains()
        self.overrides = SharedOverrides()
        self.fetch = FetchInterception()
        self.screencast = Screencast()
        self.shared_commands = SharedCommands(browser, self)

    @property
    def target_id(self) -> str:
        """The id of its target."""
        return str(self.info.get("targetId", "")) if self.child_session_id else self.tab.target_id

    @property
    def kind(self) -> str:
        """The type of its target."""
        return str(self.info.get("type", "")) if self.child_session_id else "page"

    # Commands of client sessions.

    def handle_command(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        """Send, merge or answer one command."""
        handler = _COMMAND_HANDLERS.get(method)
        if self.crashed and method not in WORKS_WHILE_CRASHED:
            self.browser.fail(session.id, command_id, CRASHED)
        elif handler is not None:
            handler(self, session, command_id, method, raw)
        elif method.endswith(".enable"):
            self._enable(session, command_id, method, raw)
        elif method.endswith(".disable"):
            self._disable(session, command_id, method, raw)
        elif is_override(method):
            self._set(session, command_id, method, raw)
        else:
            self.browser.forward(self, session, command_id, method, raw)

    def _enable(self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw) -> None:
        domain = method.partition(".")[0]
        listening = self.domains.listeners(domain)
        here = session.id in listening and domain not in session.catching_up
        late = bool(listening) and not here and domain in REPLAYED_DOMAINS
        sent = self.domains.enable(session.id, domain, decode_object(raw))

        def again(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            self.browser.answer(
                session.id, command_id, None, error if error is SESSION_ENDED else None
            )

        if here and sent is None:
            # A client that enables a domain twice waits for events in flight: reply after a round
            # trip.
            self.browser.send_command(self, PROBE, OK, again, session=session)
        elif not late:
            self.shared_commands.send(
                session, command_id, method, sent, lambda: self.domains.forget(domain)
            )
        elif sent is None:
            self._catch_up(session, command_id, domain)
        else:
            self._catch_up(session, command_id, domain, method, encode(sent))

    def _catch_up(
        self,
        session: FlatSession,
        command_id: int,
        what: str,
        method: str = PROBE,
        params: bytes = OK,
    ) -> None:
        """Replay past events to a session that enables a domain late. Sends a command along and
        replays when its reply arrives: the client must have the replies to its earlier commands
        first, because it accepts execution contexts only for frames that it knows."""
        session.catching_up.add(what)

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            untold = what in session.catching_up
            session.catching_up.discard(what)
            if error is not None:
                self.browser.fail(session.id, command_id, error)
                return
            for name, raw in self.history.replay(what) if untold else ():
                self.browser.emit(event_message(name, raw, session.id))
            self.browser.reply(session.id, command_id, OK)

        self.browser.send_command(self, method, params, settled, session=session)

    def _disable(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        domain = method.partition(".")[0]
        off = self.domains.disable(session.id, domain)
        if off:
            self.history.forget(domain)
        self.forward_if(off, session, command_id, method, raw)

    def _set(self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw) -> None:
        before = method == LIFECYCLE and self.overrides.has_flag(session.id, method)
        sent = self.overrides.set(session.id, method, decode_object(raw))
        if sent is None:
            if method == LIFECYCLE and not before and self.overrides.has_flag(session.id, method):
                self._catch_up(session, command_id, LIFECYCLE)
            else:
                self.browser.reply(session.id, command_id, OK)
            return

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            if error is not None:
                self.overrides.reject(session.id, method)
            self.browser.answer(session.id, command_id, result, error)

        self.browser.send_command(self, sent[0], encode(sent[1]), settled, session=session)

    def _run_if_waiting(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        """Resume a target as Chrome does: an iframe when every session that was told to prepare it
        has said so, anything else at the first session's command."""
        self.holding_sessions.discard(session.id)
        if self.waiting_for_debugger and self.kind == "iframe" and self.holding_sessions:
            self.browser.reply(session.id, command_id, OK)
            return
        held, self.waiting_for_debugger = (
            self.waiting_for_debugger or not self.child_session_id,
            False,
        )
        self.holding_sessions.clear()
        self.forward_if(held, session, command_id, method, raw)

    def _fetch_enable(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        sent = self.fetch.enable(session.id, decode_object(raw))

        def failed() -> None:
            self.fetch.disable(session.id)

        self.shared_commands.send(
            session, command_id, method, sent.params if sent else None, failed
        )

    def _fetch_disable(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        self._apply(self.fetch.disable(session.id))
        self.browser.reply(session.id, command_id, OK)

    def _fetch_decision(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        acts = self.fetch.on_decision(session.id, method, decode_object(raw))
        if acts is None:
            self.browser.fail(session.id, command_id, _NO_REQUEST)
            return
        sent = [act for act in acts if isinstance(act, SendFetchCommand)]
        if sent:
            params = msgspec.Raw(encode(sent[0].params))
            self.browser.forward(self, session, command_id, sent[0].method, params)
        else:
            self.browser.reply(session.id, command_id, OK)
            self._apply(acts)

    def _apply(self, acts: Iterable[SendFetchCommand | EmitEvent]) -> None:
        for act in acts:
            if isinstance(act, SendFetchCommand):
                self.browser.send_command_ignoring_reply(self, act.method, act.params)
            else:
                self.browser.emit(event_message(act.method, act.raw, act.session))

    def _auto_attach(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        self.browser.child_targets.set_auto_attach(self, session, command_id, decode_object(raw))

    def _start_screencast(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        self.screencast.start(session.id)
        self.browser.forward(self, session, command_id, method, raw)

    def _stop_screencast(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        self.forward_if(self.screencast.stop(session.id), session, command_id, method, raw)

    def _acknowledge_frame(
        self, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        self.forward_if(self.screencast.acknowledge(session.id), session, command_id, method, raw)

    def forward_if(
        self, sent: bool, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
    ) -> None:
        """Forward a command if `sent`, else reply that it is done."""
        if sent:
            self.browser.forward(self, session, command_id, method, raw)
        else:
            self.browser.reply(session.id, command_id, OK)

    # Events of the target.

    def handle_event(self, method: str, raw: msgspec.Raw) -> None:
        """Send an event to the sessions that enabled its domain."""
        self.history.record(method, raw)
        if self.restoring and self.history.is_repeat(method, raw):
            return
        if self.tab.closing and method.startswith("Runtime.executionContext"):
            return  # Chrome does not report these to other sessions while a page closes
        special = _EVENT_HANDLERS.get(method)
        if special is not None:
            special(self, method, raw)
        else:
            domain = method.partition(".")[0]
            everybody = domain in ALWAYS_ON
            self._emit(self.sessions if everybody else self.listeners(domain), method, raw)

    def listeners(self, domain: str) -> list[str]:
        """Return the sessions with a domain enabled, except those still catching up: their replay
        will contain this event."""
        return [
            s for s in self.domains.listeners(domain) if domain not in self.sessions[s].catching_up
        ]

    def _emit(self, listeners: Iterable[str], method: str, raw: msgspec.Raw) -> None:
        for session in tuple(listeners):
            self.browser.emit(event_message(method, raw, session))

    def _on_lifecycle_event(self, method: str, raw: msgspec.Raw) -> None:
        self._emit(self.lifecycle_listeners(), method, raw)

    def lifecycle_listeners(self) -> list[str]:
        """Return the sessions that get Page.lifecycleEvent."""
        return [
            s.id
            for s in self.sessions.values()
            if LIFECYCLE not in s.catching_up and self.overrides.has_flag(s.id, LIFECYCLE)
        ]

    def _on_binding_called(self, method: str, raw: msgspec.Raw) -> None:
        name = str(decode_object(raw).get("name", ""))
        self._emit([s.id for s in self.sessions.values() if name in s.bindings], method, raw)

    def _on_file_chooser(self, method: str, raw: msgspec.Raw) -> None:
        self._emit(
            [s for s in self.sessions if self.overrides.has_flag(s, _INTERCEPT_CHOOSER)],
            method,
            raw,
        )

    def _on_screencast_frame(self, method: str, raw: msgspec.Raw) -> None:
        self._emit(self.screencast.watchers(), method, raw)

    def _on_request_paused(self, method: str, raw: msgspec.Raw) -> None:
        # Copy it: the paused request outlives the message that `raw` points into.
        self._apply(self.fetch.on_paused(method, msgspec.Raw(bytes(raw))))

    def _on_download(self, method: str, raw: msgspec.Raw) -> None:
        self._emit(self.domains.listeners("Page"), method, raw)
        self.browser.downloads.on_page_event(self, method, raw)

    def _on_child_attached(self, method: str, raw: msgspec.Raw) -> None:
        self.browser.child_targets.on_attached(self, decode_object(raw))

    def _on_child_detached(self, method: str, raw: msgspec.Raw) -> None:
        self.browser.child_targets.on_detached(self, str(decode_object(raw).get("sessionId", "")))

    def _on_info_changed(self, method: str, raw: msgspec.Raw) -> None:
        self.browser.child_targets.on_info_changed(self, decode_object(raw).get("targetInfo") or {})

    def _on_navigated(self, method: str, raw: msgspec.Raw) -> None:
        frame = decode_object(raw).get("frame", {})
        if not self.child_session_id and not frame.get("parentId"):
            self.loader_id = str(frame.get("loaderId", ""))
            url = f"{frame.get('url', '')}{frame.get('urlFragment', '')}"
            self.browser.tabs.set_url(self.tab, url)
        self._emit(self.domains.listeners("Page"), method, raw)

    def _on_reloaded(self, method: str, raw: msgspec.Raw) -> None:
        self.crashed = False
        self._emit(self.sessions, method, raw)

    def _on_crashed(self, method: str, raw: msgspec.Raw) -> None:
        self.crashed = True
        self.browser.fail_requests_of(self, CRASHED, except_methods=WORKS_WHILE_CRASHED)
        self._emit(self.sessions, method, raw)

    # Sessions join and leave.

    def add_session(self, session: FlatSession) -> None:
        """Add a client session."""
        session.debuggee = self
        self.sessions[session.id] = session

    def remove_session(self, session: FlatSession) -> None:
        """Remove a session that ended: undo what it has set and pass on the requests it held."""
        del self.sessions[session.id]
        self.holding_sessions.discard(session.id)
        self._apply(self.fetch.disable(session.id))
        remove_scripts_and_bindings(self, session)
        if self.screencast.stop(session.id):
            self.browser.send_command_ignoring_reply(self, "Page.stopScreencast", {})
        for method, params in self.overrides.remove_session(session.id):
            self.browser.send_command_ignoring_reply(self, method, params)
        for domain in self.domains.remove_session(session.id):
            self.history.forget(domain)
            self.browser.send_command_ignoring_reply(self, f"{domain}.disable", {})
        if self.waiting_for_debugger and not self.holding_sessions:
            self.run()

    def run(self) -> None:
        """Resume the target, because no session prepares it any more."""
        self.waiting_for_debugger = False
        self.browser.send_command_ignoring_reply(self, RUN, {})


def add_script(
    debuggee: Debuggee, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
) -> None:
    """Add a script for new documents. Only its session may remove it."""

    def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
        if result is not None:
            name = str(decode_object(result).get("identifier", ""))
            if session.id in debuggee.sessions:
                session.scripts[name] = DocumentScript(name, decode_object(raw))
            else:
                debuggee.browser.send_command_ignoring_reply(
                    debuggee, REMOVE_SCRIPT, {"identifier": name}
                )
        debuggee.browser.answer(session.id, command_id, result, error)

    debuggee.browser.send_command(debuggee, method, raw, settled, session=session)


def remove_script(
    debuggee: Debuggee, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
) -> None:
    """Remove a session's own script by the id that the session knows."""
    script = session.scripts.pop(str(decode_object(raw).get("identifier", "")), None)
    if script is None:
        debuggee.browser.fail(session.id, command_id, _NO_SCRIPT)
        return
    params = msgspec.Raw(encode({"identifier": script.wire_id}))
    debuggee.browser.forward(debuggee, session, command_id, method, params)


def add_binding(
    debuggee: Debuggee, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
) -> None:
    """Add a binding. Chrome is told only of the first session that adds it."""
    params = decode_object(raw)
    name = str(params.get("name", ""))
    known = any(other.bindings.get(name) == params for other in debuggee.sessions.values())
    session.bindings[name] = params
    debuggee.forward_if(not known, session, command_id, method, raw)


def remove_binding(
    debuggee: Debuggee, session: FlatSession, command_id: int, method: str, raw: msgspec.Raw
) -> None:
    """Remove a session's binding. Chrome's goes with the last session that has it."""
    name = str(decode_object(raw).get("name", ""))
    session.bindings.pop(name, None)
    others = any(name in other.bindings for other in debuggee.sessions.values())
    debuggee.forward_if(not others, session, command_id, method, raw)


def remove_scripts_and_bindings(debuggee: Debuggee, session: FlatSession) -> None:
    """Remove the scripts and bindings of a session that ended."""
    for script in session.scripts.values():
        debuggee.browser.send_command_ignoring_reply(
            debuggee, REMOVE_SCRIPT, {"identifier": script.wire_id}
        )
    for name in session.bindings:
        if not any(name in other.bindings for other in debuggee.sessions.values()):
            debuggee.browser.send_command_ignoring_reply(
                debuggee, "Runtime.removeBinding", {"name": name}
            )


CommandHandler = Callable[[Debuggee, FlatSession, int, str, msgspec.Raw], None]

_COMMAND_HANDLERS: dict[str, CommandHandler] = {
    RUN: Debuggee._run_if_waiting,
    "Fetch.continueRequest": Debuggee._fetch_decision,
    "Fetch.continueResponse": Debuggee._fetch_decision,
    "Fetch.continueWithAuth": Debuggee._fetch_decision,
    "Fetch.disable": Debuggee._fetch_disable,
    "Fetch.enable": Debuggee._fetch_enable,
    "Fetch.failRequest": Debuggee._fetch_decision,
    "Fetch.fulfillRequest": Debuggee._fetch_decision,
    "Page.addScriptToEvaluateOnNewDocument": add_script,
    REMOVE_SCRIPT: remove_script,
    "Page.screencastFrameAck": Debuggee._acknowledge_frame,
    "Page.startScreencast": Debuggee._start_screencast,
    "Page.stopScreencast": Debuggee._stop_screencast,
    "Runtime.addBinding": add_binding,
    "Runtime.removeBinding": remove_binding,
    "Target.setAutoAttach": Debuggee._auto_attach,
}

_EVENT_HANDLERS: dict[str, Callable[[Debuggee, str, msgspec.Raw], None]] = {
    "Fetch.authRequired": Debuggee._on_request_paused,
    "Fetch.requestPaused": Debuggee._on_request_paused,
    "Inspector.targetCrashed": Debuggee._on_crashed,
    "Inspector.targetReloadedAfterCrash": Debuggee._on_reloaded,
    "Page.downloadProgress": Debuggee._on_download,
    "Page.downloadWillBegin": Debuggee._on_download,
    "Page.fileChooserOpened": Debuggee._on_file_chooser,
    "Page.frameNavigated": Debuggee._on_navigated,
    "Page.lifecycleEvent": Debuggee._on_lifecycle_event,
    "Page.screencastFrame": Debuggee._on_screencast_frame,
    "Page.windowOpen": on_window_open,
    "Runtime.bindingCalled": Debuggee._on_binding_called,
    "Target.attachedToTarget": Debuggee._on_child_attached,
    "Target.detachedFromTarget": Debuggee._on_child_detached,
    "Target.targetInfoChanged": Debuggee._on_info_changed,
}
