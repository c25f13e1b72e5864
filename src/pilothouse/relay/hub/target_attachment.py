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
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import SessionId
from pilothouse.relay import cdp_bytes
from pilothouse.relay.hub.client import ClientSession, RelayClient
from pilothouse.relay.hub.lazy_sessions import LazyTabs
from pilothouse.relay.hub.synthetic_tab_targets import tab_id, tab_info
from pilothouse.relay.target_command_params import AutoAttach, filter_admits
from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["AutoAttacher", "CompletionCounter"]

Info = Mapping[str, Any]

# Types that Chrome auto-attaches on a browser session; others belong to a page.
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
        # Sessions that Chrome attached for a client and that the client must not see.
        self._hidden: set[bytes] = set()
        # Supervisor sessions that wait for a client.
        self._held: set[SessionId] = set()
        self._tabs_attached = 0

    # Events from the browser.

    def on_target_event(self, session: ClientSession, method: bytes, message: bytes) -> None:
        """Handle a `Target` event on a client's session."""
        params = cdp_bytes.read_params(message)
        if method == b"Target.attachedToTarget":
            self._on_attached(session, params)
        elif method == b"Target.detachedFromTarget":
            name = str(params.get("sessionId", ""))
            self._hidden.discard(name.encode())
            ended = self._hub.sessions.get(name.encode())
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
        child = ClientSession(client, name.encode(), name, target, info["type"], session, context)
        child.attach_params = params
        # A popup shares its opener's process, a worker its page's: both can reply already.
        if info.get("canAccessOpener") or info["type"] == "worker":
            self._hub.resume_barrier.mark_live(target)
        attach = next(
            (a for a in self._attaches if (a.session, a.target) == (session, target)), None
        )
        if attach is not None:
            child.parent = attach.parent
            attach.parent.auto_attached[target] = child
        elif (session, target) in self._expected:
            self._expected.remove((session, target))
        elif session.kind == "browser" and info["type"] != "browser":
            self._on_auto_attached(session, child)
            return
        self._introduce(child)

    def _on_auto_attached(self, session: ClientSession, child: ClientSession) -> None:
        """Decide about a target that Chrome attached for a client by itself."""
        client, info = session.client, child.attach_params["targetInfo"]
        if client.can_see(info):
            self._accept(session, child)
        elif client.pending_creates and info["type"] == "page":
            # Perhaps the tab the client is creating: Chrome attaches before it returns the id.
            session.undecided[child.target] = child
            self._hidden.add(child.id)
        else:
            self._dismiss(session, child)

    def _accept(self, session: ClientSession, child: ClientSession) -> None:
        """Show an auto-attached target, or only its tab target if the client filters pages out."""
        wanted = session.auto_attach.filter if session.auto_attach is not None else ()
        if child.kind == "page" and not filter_admits(wanted, "page"):
            self._attach_tab(session, child.attach_params["targetInfo"]).pending_page = child
            self._hidden.add(child.id)
        else:
            session.auto_attached[child.target] = child
            self._introduce(child)

    def _introduce(self, child: ClientSession) -> None:
        """Tell a client about a new session of its own."""
        client, parent = child.client, child.parent
        assert parent is not None
        self._hidden.discard(child.id)
        client.add_session(child)
        shown = self._hub.discovery.describe_target(client, child.attach_params["targetInfo"])[-1]
        params = {**child.attach_params, "targetInfo": {**shown, "attached": True}}
        client.send_event(parent, "Target.attachedToTarget", params)
        if client.ignore_certificate_errors and child.kind == "page":
            client.apply_certificate_setting(child)

    def _dismiss(self, session: ClientSession, child: ClientSession) -> None:
        """Resume and detach a target that is not for the client.

        Detaching alone would leave it waiting.
        """
        self._hidden.add(child.id)
        session.dismissed.add(child.target)
        self._hub.resume_barrier.stop_waiting_for(child.client, child.target)
        self._hub.resume_barrier.request_resume(
            child.target, child, lambda answered: self._let_go(child, answered)
        )

    def _let_go(self, child: ClientSession, answered: Callable[[], None]) -> None:
        client, parent = child.client, child.parent
        assert parent is not None

        def heard(result: dict[str, Any], error_text: str) -> None:
            answered()

        client.send_command(child, "Runtime.runIfWaitingForDebugger", {}, heard)
        client.send_command(
            parent, "Target.detachFromTarget", {"sessionId": child.id.decode()}, _ignore_reply
        )

    def on_target_created(self, client: RelayClient, target: str) -> None:
        """Decide about undecided sessions now that a created target is known."""
        for session in client.browser_sessions():
            child = session.undecided.pop(target, None)
            if child is not None:
                self._accept(session, child)
            if not client.pending_creates:
                for other in list(session.undecided.values()):
                    self._dismiss(session, other)
                session.undecided.clear()

    def end(self, session: ClientSession, params: Mapping[str, Any] | None = None) -> None:
        """End a session and send `Target.detachedFromTarget` where the client was told of it."""
        client, parent = session.client, session.parent
        self._hub.dialogs.confirm_answers(session)
        client.remove_session(session)
        event = params or {"sessionId": session.visible_id, "targetId": session.target}
        if parent is not None and client.sessions.get(parent.visible_id) is parent:
            client.send_event(parent, "Target.detachedFromTarget", event)

    # Attaching.

    def set_auto_attach(
        self, session: ClientSession, auto: AutoAttach | None, done: Callable[[], None]
    ) -> None:
        """Set what a browser session attaches by itself.

        Calls `done` once all existing targets are attached.
        """
        client, before = session.client, session.auto_attach
        session.auto_attach = auto
        if not self.is_attached_by_chrome(client):
            self._attach_all(session, done)
            return
        wanted = auto.filter if auto is not None else ()
        kinds = [k for k in sorted(ROOT_TYPES) if filter_admits(wanted, k)]
        if filter_admits(wanted, "tab") and "page" not in kinds:
            kinds.append("page")
        # Chrome detaches its own sessions; made-up tab sessions are ours to end.
        if before is not None and auto is None:
            for tab in [t for t in session.auto_attached.values() if t.kind == "tab"]:
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
        if session.auto_attach is None:
            for child in list(session.auto_attached.values()):
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
        if not self.is_attached_by_chrome(session.client) or info["targetId"] in session.dismissed:
            self.attach_if_wanted(session, info)

    def attach_if_wanted(
        self, session: ClientSession, info: Info, done: CompletionCounter | None = None
    ) -> None:
        """Attach a target if the session's filter matches and it is not attached yet."""
        auto, target = session.auto_attach, str(info["targetId"])
        if auto is None or info["type"] not in ROOT_TYPES:
            return
        parent = session
        if not filter_admits(auto.filter, info["type"]):
            if info["type"] == "page" and filter_admits(auto.filter, "tab"):
                self._attach_tab(session, info)
            return
        self._attach_once(session, target, parent, done)

    def attach_page(self, tab: ClientSession, done: Callable[[], None]) -> None:
        """Attach the page below a tab's session, if the session wants it."""
        page, child = self._hub.discovery.find_page(tab.target), tab.pending_page
        tab.pending_page = None
        wanted = tab.auto_attach is not None and filter_admits(tab.auto_attach.filter, "page")
        assert tab.parent is not None
        if child is not None and wanted:
            child.parent = tab
            tab.auto_attached[child.target] = child
            self._introduce(child)
            done()
        elif child is not None:
            self._dismiss(tab.parent, child)
            done()
        elif page is not None and wanted:
            all_done = CompletionCounter(done)
            self._attach_once(tab.parent, str(page["targetId"]), tab, all_done)
            all_done.finish()
        else:
            done()

    def _attach_once(
        self,
        session: ClientSession,
        target: str,
        parent: ClientSession,
        done: CompletionCounter | None,
    ) -> None:
        if target in parent.auto_attached or self.lazy_tabs.create_session(
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
        session.dismissed.discard(target)
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
        known = session.auto_attached.get(above)
        if known is not None:
            return known
        waits = session.auto_attach is not None and session.auto_attach.wait_for_debugger
        session.auto_attached[above] = tab = self.attach_tab(session, info, waits=waits)
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
        client.add_session(tab)
        shown = {
            **tab_info(self._hub.discovery.describe_target(client, info)[-1]),
            "attached": True,
        }
        params = {"sessionId": name, "targetInfo": shown, "waitingForDebugger": waits}
        client.send_event(session, "Target.attachedToTarget", params)
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
        if tab.pending_page is not None and tab.parent is not None:
            self._dismiss(tab.parent, tab.pending_page)
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
        for session in client.sessions.values():
            if session.id and session.is_waiting:
                client.send_command(session, "Runtime.runIfWaitingForDebugger", {}, _ignore_reply)
            for child in (session.pending_page, *session.undecided.values()):
                if child is not None:
                    client.send_command(child, "Runtime.runIfWaitingForDebugger", {}, _ignore_reply)
                    self._hidden.discard(child.id)

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
                s.auto_attach is not None
                and s.auto_attach.wait_for_debugger
                and filter_admits(s.auto_attach.filter, event.kind)
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
            s.auto_attach is not None
            and s.auto_attach.wait_for_debugger
            and (
                filter_admits(s.auto_attach.filter, "page")
                or filter_admits(s.auto_attach.filter, "tab")
            )
            for s in client.browser_sessions()
        )


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
