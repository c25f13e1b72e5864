"""Attach clients to targets: auto-attach, explicit attaches, and the sessions that result.

Knows: which targets each client has sessions on. Must not know: sockets. The hub's own browser
session discovers targets; a client's sessions are attached on the client's browser session, so that
they end with it.

In a managed browser Chrome itself auto-attaches for a client, as on a direct connection: only
auto-attached targets wait for the debugger. Targets that are not the client's are resumed and
detached at once, and the client never hears of them. An extension browser cannot make targets
wait, and the user sees each attach: there only the client's own targets are attached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pilothouse.cdp import SessionId
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.lazy_sessions import LazyTabs
from pilothouse.relay.hub.session import (
    ChromeAttach,
    ClientSession,
    SessionEffect,
    SessionEvent,
    SessionState,
    step,
)
from pilothouse.relay.hub.synthetic_tab_targets import tab_id, tab_info
from pilothouse.relay.target_command_params import AutoAttach, filter_admits
from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["AutoAttacher", "CompletionCounter"]

Info = Mapping[str, Any]

# Types that Chrome auto-attaches on a browser session; others belong to a page.
RESUME = "Runtime.runIfWaitingForDebugger"
ROOT_TYPES = frozenset({"page", "service_worker", "shared_worker", "background_page", "webview"})


@dataclass(slots=True)
class _Attach:
    """An attach in progress: the browser session it was sent on, and the parent session for the
    client."""

    session: ClientSession
    target: str
    parent: ClientSession
    then: list[Callable[[], None]] = field(default_factory=list)


class AutoAttacher:
    """The sessions of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.lazy_tabs = LazyTabs(hub)
        self._attaches: list[_Attach] = []
        # Attaches that a client sent itself: session and target.
        self._expected: list[tuple[ClientSession, str]] = []
        # Sessions that Chrome attached for a client and that the client must not see, by id.
        self._hidden: dict[bytes, ClientSession] = {}
        # Supervisor sessions that wait for a client.
        self._held: set[SessionId] = set()
        self._tabs_attached = 0

    # Events from the browser.

    def on_target_event(self, session: ClientSession, method: str, params: dict[str, Any]) -> None:
        """Handle a `Target` event on a client's session."""
        if method == "Target.attachedToTarget":
            self._on_attached(session, params)
        elif method == "Target.detachedFromTarget":
            name = str(params.get("sessionId", "")).encode()
            ended = self._hub.sessions.get(name) or self._hidden.get(name)
            if ended is not None and ended.client is session.client:
                self.end(ended, {**params, "sessionId": ended.visible_id})

    def is_hidden(self, name: bytes) -> bool:
        """Return whether a session is one that no client may see."""
        return name in self._hidden

    def expect_attach(self, session: ClientSession, target: str) -> None:
        """Expect the session of an attach that the client sent itself."""
        self._expected.append((session, target))

    def _on_attached(self, session: ClientSession, params: dict[str, Any]) -> None:
        """Give the new session to whoever waits for it, or decide about it."""
        if self.lazy_tabs.claim_session(session, params):
            return
        client, info, name = session.client, params["targetInfo"], str(params["sessionId"])
        target = str(info["targetId"])
        context = str(info.get("browserContextId", ""))
        attach_of = ChromeAttach(session, params)
        child = ClientSession(
            client, name.encode(), name, target, info["type"], session, context, attach_of
        )
        # A popup shares its opener's process, a worker its page's: both can reply already.
        if info.get("canAccessOpener") or info["type"] == "worker":
            self._hub.resume_barrier.mark_live(target)
        attach = next(
            (a for a in self._attaches if (a.session, a.target) == (session, target)), None
        )
        if attach is not None:
            child.parent = attach.parent
            if not attach.parent.is_shown:  # it ended meanwhile
                self.advance(child, SessionEvent.DISMISS)
                return
            attach.parent.auto_attach.sessions[target] = child
        elif (session, target) in self._expected:
            self._expected.remove((session, target))
        elif session.kind == "browser" and info["type"] != "browser":
            self._on_auto_attached(child, info)
            return
        self.show(child, info)

    def _on_auto_attached(self, child: ClientSession, info: Info) -> None:
        """Decide about a target that Chrome attached for a client by itself."""
        client = child.client
        if client.can_see(info):
            self._accept(child)
        elif client.pending_creates and info["type"] == "page":
            # Perhaps the tab the client is creating: Chrome attaches before it returns the id.
            self.advance(child, SessionEvent.DEFER)
        else:
            self.advance(child, SessionEvent.DISMISS)

    def _accept(self, child: ClientSession) -> None:
        """Show an auto-attached target, or only its tab target if the client filters pages out."""
        assert child.attach is not None
        session, info = child.attach.on, child.attach.params["targetInfo"]
        if child.kind == "page" and not session.auto_attach.admits("page"):
            child.parent = self._attach_tab(session, info)
            self.advance(child, SessionEvent.WITHHOLD)
        else:
            session.auto_attach.sessions[child.target] = child
            self.show(child, info)

    def show(self, child: ClientSession, info: Info) -> None:
        """Give a client a new session, and announce it on its parent."""
        client, attach = child.client, child.attach
        waits = attach is not None and bool(attach.params.get("waitingForDebugger"))
        self.advance(child, SessionEvent.SHOW_WAITING if waits else SessionEvent.SHOW)
        self._announce(child, self._hub.discovery.describe_target(client, info)[-1], waits)
        if client.ignore_certificate_errors and child.id and child.kind == "page":
            client.apply_certificate_setting(child)

    def _announce(self, child: ClientSession, info: Info, waits: bool) -> None:
        assert child.parent is not None
        shown = {**info, "attached": True}
        params = {"sessionId": child.visible_id, "targetInfo": shown, "waitingForDebugger": waits}
        child.client.send_event(child.parent, "Target.attachedToTarget", params)

    def on_target_created(self, client: RelayClient, target: str) -> None:
        """Decide about undecided sessions now that a created target is known."""
        undecided = [
            s
            for s in self._hidden.values()
            if s.client is client and s.state is SessionState.UNDECIDED
        ]
        for child in undecided:
            if child.target == target:
                self._accept(child)
            elif not client.pending_creates:
                self.advance(child, SessionEvent.DISMISS)

    def end(self, session: ClientSession, params: Mapping[str, Any] | None = None) -> None:
        """End a session and send `Target.detachedFromTarget` where the client was told of it."""
        client, parent, was_shown = session.client, session.parent, session.is_shown
        if was_shown:
            self._hub.dialogs.confirm_answers(session)
        self.advance(session, SessionEvent.END)
        if was_shown and parent is not None and parent.is_shown:
            event = params or {"sessionId": session.visible_id, "targetId": session.target}
            client.send_event(parent, "Target.detachedFromTarget", event)

    # The states of sessions.

    def advance(self, session: ClientSession, event: SessionEvent) -> None:
        """Change a session's state, and carry out what that entails."""
        session.state, effects = step(session.state, event)
        for effect in effects:
            _EFFECTS[effect](self, session)

    def _hide(self, session: ClientSession) -> None:
        self._hidden[session.id] = session

    def _reveal(self, session: ClientSession) -> None:
        del self._hidden[session.id]

    def _add(self, session: ClientSession) -> None:
        session.client.sessions[session.visible_id] = session
        if session.id:
            self._hub.sessions[session.id] = session

    def _remove(self, session: ClientSession) -> None:
        """Remove a session and all below it. The browser sends no event for those."""
        client, parent = session.client, session.parent
        del client.sessions[session.visible_id]
        self._hub.sessions.pop(session.id, None)
        for child in [*client.sessions.values(), *self._hidden.values()]:
            if session in (child.parent, child.attach.on if child.attach is not None else None):
                self.advance(child, SessionEvent.END)
        if parent is not None and parent.auto_attach.sessions.get(session.target) is session:
            del parent.auto_attach.sessions[session.target]
        self._hub.forget_pending(session)
        self._stop_waiting(session)

    def _stop_waiting(self, session: ClientSession) -> None:
        if not session.client.sessions_on(session.target):
            self._hub.resume_barrier.stop_waiting_for(session.client, session.target)

    def _let_go(self, session: ClientSession) -> None:
        """Resume and detach a target that is not for the client.

        Detaching alone would leave it waiting.
        """
        assert session.attach is not None
        client, on = session.client, session.attach.on
        on.auto_attach.dismissed.add(session.target)

        def send(answered: Callable[[], None]) -> None:
            client.send_command(session, RESUME, {}, lambda result, error_text: answered())
            client.send_command(
                on, "Target.detachFromTarget", {"sessionId": session.id.decode()}, _ignore_reply
            )

        self._hub.resume_barrier.request_resume(session.target, session, send)

    def _run(self, session: ClientSession) -> None:
        session.client.send_command(session, RESUME, {}, _ignore_reply)

    # Attaching.

    def set_auto_attach(
        self, session: ClientSession, auto: AutoAttach | None, done: Callable[[], None]
    ) -> None:
        """Set what a browser session attaches by itself.

        Calls `done` once all existing targets are attached.
        """
        client, before = session.client, session.auto_attach.settings
        session.auto_attach.settings = auto
        if not self.is_attached_by_chrome(client):
            self._attach_all(session, done)
            return
        wanted = auto.filter if auto is not None else ()
        kinds = [k for k in sorted(ROOT_TYPES) if filter_admits(wanted, k)]
        if filter_admits(wanted, "tab") and "page" not in kinds:
            kinds.append("page")
        # Chrome detaches its own sessions; made-up tab sessions are ours to end.
        if before is not None and auto is None:
            for tab in [t for t in session.auto_attach.sessions.values() if t.kind == "tab"]:
                self.end_tab(tab)
        params = {
            "autoAttach": auto is not None,
            "waitForDebuggerOnStart": auto is not None and auto.wait_for_debugger,
            "flatten": True,
            "filter": [*({"type": kind} for kind in kinds), {"exclude": True}],
        }
        client.send_command(
            session, "Target.setAutoAttach", params, lambda result, error_text: done()
        )

    def is_attached_by_chrome(self, client: RelayClient) -> bool:
        """Return whether Chrome itself auto-attaches for a client."""
        return not self._hub.upstream.is_extension and client.spec.attach != "lazy"

    def _attach_all(self, session: ClientSession, done: Callable[[], None]) -> None:
        if session.auto_attach.settings is None:
            for child in list(session.auto_attach.sessions.values()):
                self.detach(child)
            done()
            return
        all_done = CompletionCounter(done)
        for info in self._hub.targets:
            if session.client.can_see(info):
                self.attach_if_wanted(session, info, all_done)
        all_done.finish()

    def attach_missing(self, session: ClientSession, info: Info) -> None:
        """Attach a target that Chrome will not attach by itself any more."""
        dismissed = session.auto_attach.dismissed
        if not self.is_attached_by_chrome(session.client) or info["targetId"] in dismissed:
            self.attach_if_wanted(session, info)

    def attach_if_wanted(
        self, session: ClientSession, info: Info, done: CompletionCounter | None = None
    ) -> None:
        """Attach a target if the session's filter matches and it is not attached yet."""
        auto, kind = session.auto_attach, str(info["type"])
        if kind not in ROOT_TYPES:
            return
        if auto.admits(kind):
            self._attach_once(session, str(info["targetId"]), session, done)
        elif kind == "page" and auto.admits("tab"):
            self._attach_tab(session, info)

    def attach_page(self, tab: ClientSession, done: Callable[[], None]) -> None:
        """Attach the page below a tab's session, if the session wants it."""
        page, child = self._hub.discovery.find_page(tab.target), self._withheld_page(tab)
        wanted = tab.auto_attach.admits("page")
        assert tab.parent is not None
        if child is not None and wanted:
            assert child.attach is not None
            tab.auto_attach.sessions[child.target] = child
            self.show(child, child.attach.params["targetInfo"])
            done()
        elif child is not None:
            self.advance(child, SessionEvent.DISMISS)
            done()
        elif page is not None and wanted:
            all_done = CompletionCounter(done)
            self._attach_once(tab.parent, str(page["targetId"]), tab, all_done)
            all_done.finish()
        else:
            done()

    def _withheld_page(self, tab: ClientSession) -> ClientSession | None:
        """Return the session on a tab's page that the client has not asked for yet."""
        withheld = (s for s in self._hidden.values() if s.state is SessionState.WITHHELD)
        return next((s for s in withheld if s.parent is tab), None)

    def _attach_once(
        self,
        session: ClientSession,
        target: str,
        parent: ClientSession,
        done: CompletionCounter | None,
    ) -> None:
        if target in parent.auto_attach.sessions or self.lazy_tabs.create_session(
            session, target, parent, auto_attached=True
        ):
            return
        if done is not None:
            done.expect()
        # One attach per parent and target: further callers wait for the same reply.
        for attach in self._attaches:
            if (attach.parent, attach.target) == (parent, target):
                if done is not None:
                    attach.then.append(done)
                return
        session.auto_attach.dismissed.discard(target)
        attach = _Attach(session, target, parent, [done] if done is not None else [])
        self._attaches.append(attach)

        def ended(result: dict[str, Any], error_text: str) -> None:
            if attach in self._attaches:
                self._attaches.remove(attach)
            for each in attach.then:
                each()

        params = {"targetId": target, "flatten": True}
        session.client.send_command(session, "Target.attachToTarget", params, ended)

    def _attach_tab(self, session: ClientSession, info: Info) -> ClientSession:
        above = tab_id(str(info["targetId"]))
        auto = session.auto_attach
        known = auto.sessions.get(above)
        if known is not None:
            return known
        auto.sessions[above] = tab = self.attach_tab(session, info, waits=auto.waits)
        return tab

    def attach_tab(
        self, session: ClientSession, info: Info, *, waits: bool = False
    ) -> ClientSession:
        """Give a client a new session on the tab target above a page."""
        client, above = session.client, tab_id(str(info["targetId"]))
        self._tabs_attached += 1
        name = tab_id(f"{client.spec.id} {session.visible_id} {above} {self._tabs_attached}")
        context = str(info.get("browserContextId", ""))
        tab = ClientSession(client, b"", name, above, "tab", session, context)
        self.advance(tab, SessionEvent.SHOW)
        self._announce(tab, tab_info(self._hub.discovery.describe_target(client, info)[-1]), waits)
        return tab

    def detach(self, session: ClientSession) -> None:
        """Detach a session of a client. The client is told when Chrome confirms."""
        if not session.id:
            self.end_tab(session)
            return
        params = {"sessionId": session.id.decode()}
        session.client.send_command(
            session.client.root, "Target.detachFromTarget", params, _ignore_reply
        )

    def end_tab(self, tab: ClientSession) -> None:
        """End a session on a tab target and all sessions below it."""
        withheld = self._withheld_page(tab)
        if withheld is not None:
            self.advance(withheld, SessionEvent.DISMISS)
        for child in [s for s in tab.client.sessions.values() if s.parent is tab]:
            self.detach(child)
            self.end(child)
        self.end(tab)

    def forget_client(self, client: RelayClient) -> None:
        """Clean up after a client.

        Its sessions end with its browser session, but targets that wait for them would wait for
        ever.
        """
        self._attaches = [a for a in self._attaches if a.session.client is not client]
        self._expected = [(s, target) for s, target in self._expected if s.client is not client]
        hidden = [s for s in self._hidden.values() if s.client is client]
        for session in [*client.sessions.values(), *hidden]:
            self.advance(session, SessionEvent.CLIENT_LEFT)

    # Targets that wait for the debugger.

    def observe(self, event: ev.Event, state: State, effects: object) -> None:
        """Hold a target for clients when the supervisor attaches to it, before it is set up."""
        if isinstance(event, ev.SessionAttached) and event.waiting:
            wanted = [c for c in self._hub.clients() if self._prepares(c, event, state)]
            session, release = event.session, self._hub.supervisor.resume_gate.release
            if self._hub.resume_barrier.hold(event.target_id, wanted, lambda: release(session)):
                self._held.add(session)

    def holds_session(self, session: SessionId) -> bool:
        """Return whether a supervisor session waits for a client. Asked once per session."""
        held = session in self._held
        self._held.discard(session)
        return held

    def _prepares(self, client: RelayClient, event: ev.SessionAttached, state: State) -> bool:
        """Return whether a client must have a session on a target before it runs.

        Frames need none of this: Chrome itself waits for each session.
        """
        if event.kind == "worker":
            above = state.sessions.get(event.parent)
            return above is not None and any(
                s.auto_attach.waits and s.auto_attach.admits(event.kind)
                for s in client.sessions_on(above.target_id)
            )
        if event.kind != "page" or event.parent or not self.is_attached_by_chrome(client):
            return False
        info = {
            "targetId": event.target_id,
            "type": "page",
            "openerId": event.opener,
            "browserContextId": event.context,
        }
        return bool(client.pending_creates or client.can_see(info)) and any(
            s.auto_attach.waits and (s.auto_attach.admits("page") or s.auto_attach.admits("tab"))
            for s in client.browser_sessions()
        )


_EFFECTS: Final[Mapping[SessionEffect, Callable[[AutoAttacher, ClientSession], None]]] = {
    SessionEffect.HIDE: AutoAttacher._hide,
    SessionEffect.REVEAL: AutoAttacher._reveal,
    SessionEffect.ADD: AutoAttacher._add,
    SessionEffect.REMOVE: AutoAttacher._remove,
    SessionEffect.STOP_WAITING: AutoAttacher._stop_waiting,
    SessionEffect.LET_GO: AutoAttacher._let_go,
    SessionEffect.RUN: AutoAttacher._run,
}


class CompletionCounter:
    """Calls `then` once every expected call has come."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._open = 1

    def __call__(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._then()

    def expect(self) -> None:
        """Expect one more call."""
        self._open += 1

    def finish(self) -> None:
        """Stop expecting further calls."""
        self()


def _ignore_reply(result: dict[str, Any], error_text: str) -> None:
    """Ignore a reply that nobody waits for."""
