"""What is attached for whom: discovery, auto-attach and the sessions that come of them.

Knows: which targets each client is told of and has sessions on. Must not know: sockets. Targets
are told by one browser session of the hub's own; a client's sessions are attached on its own, so
that they end with it.

In a managed browser Chrome itself attaches for a client, as it would without us: only for
sessions that it attached does a page wait. What is not the client's is let run and detached at
once, and the client never hears of it. In a browser that is lent nothing waits, and attaching is
seen by the user: there only the client's own targets are attached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import SessionId
from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.hub.client import Client, ClientSession
from pilothouse.relay.hub.lazy_sessions import LazyTabs
from pilothouse.relay.hub.tab_targets import tab_id, tab_info
from pilothouse.relay.hub.targets import AutoAttach, takes
from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["AfterAll", "Attaching"]

Info = Mapping[str, Any]

# What Chrome attaches at the root by itself; the rest belongs to a page.
AT_ROOT = frozenset({"page", "service_worker", "shared_worker", "background_page", "webview"})


@dataclass(slots=True)
class _Attach:
    """An attach on its way: on which browser session, and which session the client sees it on."""

    session: ClientSession
    target: str
    parent: ClientSession
    then: list[Callable[[], None]] = field(default_factory=list)


class Attaching:
    """The sessions and discovered targets of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.lazy = LazyTabs(hub)
        self._under_way: list[_Attach] = []
        # Attaches that a client asked for itself: session and target.
        self._asked: list[tuple[ClientSession, str]] = []
        # Sessions that Chrome attached for a client and that the client is not to see.
        self._hidden: set[bytes] = set()
        # Sessions of the supervisor that wait for a client.
        self._kept: set[SessionId] = set()
        self._tabs_attached = 0

    # What the browser tells a client.

    def told(self, session: ClientSession, method: bytes, frame: bytes) -> None:
        """A `Target` event on a client's session."""
        params = frames.params_of(frame)
        if method == b"Target.attachedToTarget":
            self._born(session, params)
        elif method == b"Target.detachedFromTarget":
            name = str(params.get("sessionId", ""))
            self._hidden.discard(name.encode())
            ended = self._hub.sessions.get(name.encode())
            if ended is not None and ended.client is session.client:
                self.end(ended, {**params, "sessionId": ended.shown})

    def takes(self, name: bytes, frame: bytes) -> bool:
        """Whether a message is of a session that nobody is to see."""
        return name in self._hidden

    def asked(self, session: ClientSession, target: str) -> None:
        """A client asks for a session itself."""
        self._asked.append((session, target))

    def _born(self, session: ClientSession, params: dict[str, Any]) -> None:
        if self.lazy.born(session, params):
            return
        client, info, name = session.client, params["targetInfo"], str(params["sessionId"])
        target = str(info["targetId"])
        context = str(info.get("browserContextId", ""))
        child = ClientSession(client, name.encode(), name, target, info["type"], session, context)
        child.told_of = params
        if info.get("canAccessOpener") or info["type"] == "worker":
            self._hub.waiting.lives(target)
        attach = next(
            (a for a in self._under_way if (a.session, a.target) == (session, target)), None
        )
        if attach is not None:
            child.parent = attach.parent
            attach.parent.by_itself[target] = child
        elif (session, target) in self._asked:
            self._asked.remove((session, target))
        elif session.kind == "browser" and info["type"] != "browser":
            self._came(session, child)
            return
        self._introduce(child)

    def _came(self, session: ClientSession, child: ClientSession) -> None:
        """Chrome attached something by itself, for a client that wants such things."""
        client, info = session.client, child.told_of["targetInfo"]
        if client.sees(info):
            self._accept(session, child)
        elif client.creating and info["type"] == "page":
            session.undecided[child.target] = child
            self._hidden.add(child.id)
        else:
            self._dismiss(session, child)

    def _accept(self, session: ClientSession, child: ClientSession) -> None:
        wanted = session.auto.wanted if session.auto is not None else ()
        if child.kind == "page" and not takes(wanted, "page"):
            self._attach_tab(session, child.told_of["targetInfo"]).below = child
            self._hidden.add(child.id)
        else:
            session.by_itself[child.target] = child
            self._introduce(child)

    def _introduce(self, child: ClientSession) -> None:
        """Let a client know of a session of its own."""
        client, parent = child.client, child.parent
        assert parent is not None
        self._hidden.discard(child.id)
        client.adopt(child)
        shown = self._hub.discovery.presented(client, child.told_of["targetInfo"])[-1]
        params = {**child.told_of, "targetInfo": {**shown, "attached": True}}
        client.tell(parent, "Target.attachedToTarget", params)
        if client.lax and child.kind == "page":
            client.ease(child)

    def _dismiss(self, session: ClientSession, child: ClientSession) -> None:
        """Let go of a target that is not for the client; a mere detach would leave it waiting."""
        self._hidden.add(child.id)
        session.dismissed.add(child.target)
        self._hub.waiting.left(child.client, child.target)
        self._hub.waiting.said(child.target, child, lambda answered: self._let_go(child, answered))

    def _let_go(self, child: ClientSession, answered: Callable[[], None]) -> None:
        client, parent = child.client, child.parent
        assert parent is not None

        def heard(result: dict[str, Any], words: str) -> None:
            answered()

        client.ask(child, "Runtime.runIfWaitingForDebugger", {}, heard)
        client.ask(parent, "Target.detachFromTarget", {"sessionId": child.id.decode()}, _unheard)

    def created(self, client: Client, target: str) -> None:
        """A target that the client asked for is known now: what came meanwhile is decided."""
        for session in client.browser_sessions():
            child = session.undecided.pop(target, None)
            if child is not None:
                self._accept(session, child)
            if not client.creating:
                for other in list(session.undecided.values()):
                    self._dismiss(session, other)
                session.undecided.clear()

    def end(self, session: ClientSession, params: Mapping[str, Any] | None = None) -> None:
        """A session is over: the client is told where it was told of it."""
        client, parent = session.client, session.parent
        self._hub.dialogs.ending(session)
        client.drop(session)
        told = params or {"sessionId": session.shown, "targetId": session.target}
        if parent is not None and client.sessions.get(parent.shown) is parent:
            client.tell(parent, "Target.detachedFromTarget", told)

    # Attaching.

    def set_auto(
        self, session: ClientSession, auto: AutoAttach | None, done: Callable[[], None]
    ) -> None:
        """A browser session wants targets attached by themselves, or no longer does. `done` is
        called when all that are there have been."""
        client, before = session.client, session.auto
        session.auto = auto
        if not self.by_chrome(client):
            self._attach_all(session, done)
            return
        wanted = auto.wanted if auto is not None else ()
        kinds = [k for k in sorted(AT_ROOT) if takes(wanted, k)]
        if takes(wanted, "tab") and "page" not in kinds:
            kinds.append("page")
        if before is not None and auto is None:
            for tab in [t for t in session.by_itself.values() if t.kind == "tab"]:
                self.end_tab(tab)
        params = {
            "autoAttach": auto is not None,
            "waitForDebuggerOnStart": auto is not None and auto.waits,
            "flatten": True,
            "filter": [*({"type": kind} for kind in kinds), {"exclude": True}],
        }
        client.ask(session, "Target.setAutoAttach", params, lambda result, words: done())

    def by_chrome(self, client: Client) -> bool:
        """Whether Chrome itself attaches for a client."""
        return not self._hub.upstream.lent and client.spec.attach != "lazy"

    def _attach_all(self, session: ClientSession, done: Callable[[], None]) -> None:
        if session.auto is None:
            for child in list(session.by_itself.values()):
                self.detach(child)
            done()
            return
        all_done = AfterAll(done)
        for info in self._hub.targets:
            if session.client.sees(info):
                self.attach_wanted(session, info, all_done)
        all_done.expect_no_more()

    def attach_missing(self, session: ClientSession, info: Info) -> None:
        """Attach what Chrome will not attach by itself any more."""
        if not self.by_chrome(session.client) or info["targetId"] in session.dismissed:
            self.attach_wanted(session, info)

    def attach_wanted(
        self, session: ClientSession, info: Info, done: AfterAll | None = None
    ) -> None:
        """Attach a target if a browser session wants such attached and has it not."""
        auto, target = session.auto, str(info["targetId"])
        if auto is None or info["type"] not in AT_ROOT:
            return
        parent = session
        if not takes(auto.wanted, info["type"]):
            if info["type"] == "page" and takes(auto.wanted, "tab"):
                self._attach_tab(session, info)
            return
        self._attach_once(session, target, parent, done)

    def attach_page(self, tab: ClientSession, done: Callable[[], None]) -> None:
        """A tab's session wants the page below it."""
        page, child = self._hub.discovery.page_named(tab.target), tab.below
        tab.below = None
        wanted = tab.auto is not None and takes(tab.auto.wanted, "page")
        assert tab.parent is not None
        if child is not None and wanted:
            child.parent = tab
            tab.by_itself[child.target] = child
            self._introduce(child)
            done()
        elif child is not None:
            self._dismiss(tab.parent, child)
            done()
        elif page is not None and wanted:
            all_done = AfterAll(done)
            self._attach_once(tab.parent, str(page["targetId"]), tab, all_done)
            all_done.expect_no_more()
        else:
            done()

    def _attach_once(
        self, session: ClientSession, target: str, parent: ClientSession, done: AfterAll | None
    ) -> None:
        if target in parent.by_itself or self.lazy.show(session, target, parent, by_itself=True):
            return
        if done is not None:
            done.expect()
        for attach in self._under_way:
            if (attach.parent, attach.target) == (parent, target):
                if done is not None:
                    attach.then.append(done)
                return
        session.dismissed.discard(target)
        attach = _Attach(session, target, parent, [done] if done is not None else [])
        self._under_way.append(attach)

        def ended(result: dict[str, Any], words: str) -> None:
            if attach in self._under_way:
                self._under_way.remove(attach)
            for each in attach.then:
                each()

        params = {"targetId": target, "flatten": True}
        session.client.ask(session, "Target.attachToTarget", params, ended)

    def _attach_tab(self, session: ClientSession, info: Info) -> ClientSession:
        above = tab_id(str(info["targetId"]))
        known = session.by_itself.get(above)
        if known is not None:
            return known
        waits = session.auto is not None and session.auto.waits
        session.by_itself[above] = tab = self.attach_tab(session, info, waits=waits)
        return tab

    def attach_tab(
        self, session: ClientSession, info: Info, *, waits: bool = False
    ) -> ClientSession:
        """Give a client another session on the tab above a page, and tell it so."""
        client, above = session.client, tab_id(str(info["targetId"]))
        self._tabs_attached += 1
        name = tab_id(f"{client.spec.id} {session.shown} {above} {self._tabs_attached}")
        context = str(info.get("browserContextId", ""))
        tab = ClientSession(client, b"", name, above, "tab", session, context)
        client.adopt(tab)
        told = {**tab_info(self._hub.discovery.presented(client, info)[-1]), "attached": True}
        params = {"sessionId": name, "targetInfo": told, "waitingForDebugger": waits}
        client.tell(session, "Target.attachedToTarget", params)
        return tab

    def detach(self, session: ClientSession) -> None:
        """End a session of a client; it is told when it is so."""
        if not session.id:
            self.end_tab(session)
            return
        params = {"sessionId": session.id.decode()}
        session.client.ask(session.client.root, "Target.detachFromTarget", params, _unheard)

    def end_tab(self, tab: ClientSession) -> None:
        """End the session of a tab, and what is below it."""
        if tab.below is not None and tab.parent is not None:
            self._dismiss(tab.parent, tab.below)
        for child in [s for s in tab.client.sessions.values() if s.parent is tab]:
            self.detach(child)
            self.end(child)
        self.end(tab)

    def left(self, client: Client) -> None:
        """A client is gone: its sessions end with its browser session, but what still waits for
        them would go on waiting."""
        self._under_way = [a for a in self._under_way if a.session.client is not client]
        self._asked = [(s, target) for s, target in self._asked if s.client is not client]
        for session in client.sessions.values():
            if session.id and session.waits:
                client.ask(session, "Runtime.runIfWaitingForDebugger", {}, _unheard)
            for child in (session.below, *session.undecided.values()):
                if child is not None:
                    client.ask(child, "Runtime.runIfWaitingForDebugger", {}, _unheard)
                    self._hidden.discard(child.id)

    # Targets that wait.

    def observe(self, event: ev.Event, state: State, effects: object) -> None:
        """Hear what the supervisor attaches, before it is set up."""
        if isinstance(event, ev.Attached) and event.waiting:
            wanted = [c for c in self._hub.clients() if self._prepares(c, event, state)]
            session, release = event.session, self._hub.supervisor.turnstile.release
            if self._hub.waiting.hold(event.target_id, wanted, lambda: release(session)):
                self._kept.add(session)

    def keeps(self, session: SessionId) -> bool:
        """Whether a session of the supervisor waits for a client."""
        kept = session in self._kept
        self._kept.discard(session)
        return kept

    def _prepares(self, client: Client, event: ev.Attached, state: State) -> bool:
        """Whether a client is to have a session on a target before it runs. A frame needs no such
        care: Chrome lets each session that waits for it speak in turn."""
        if event.kind == "worker":
            above = state.sessions.get(event.parent)
            return above is not None and any(
                s.auto is not None and s.auto.waits and takes(s.auto.wanted, event.kind)
                for s in client.on_target(above.target_id)
            )
        if event.kind != "page" or event.parent or not self.by_chrome(client):
            return False
        info = {
            "targetId": event.target_id,
            "type": "page",
            "openerId": event.opener,
            "browserContextId": event.context,
        }
        return bool(client.creating or client.sees(info)) and any(
            s.auto is not None
            and s.auto.waits
            and (takes(s.auto.wanted, "page") or takes(s.auto.wanted, "tab"))
            for s in client.browser_sessions()
        )


class AfterAll:
    """Calls `then` once as many calls came as were expected."""

    def __init__(self, then: Callable[[], None]) -> None:
        self._then = then
        self._open = 1

    def __call__(self) -> None:
        self._open -= 1
        if self._open == 0:
            self._then()

    def expect(self) -> None:
        """One more call will come."""
        self._open += 1

    def expect_no_more(self) -> None:
        """All that will come are known."""
        self()


def _unheard(result: dict[str, Any], words: str) -> None:
    """An answer that nobody waits for."""
