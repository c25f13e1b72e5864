"""Random orders of clients, Chrome and the supervisor: what the hub promises of sessions holds.

The machine plays a managed Chrome at the other end of the connection, two clients and the
supervisor's own session on each page. Both directions keep their order; everything else may happen
at any time.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pilothouse.cdp import SessionId
from pilothouse.cdp.message import RawCommand, encode_raw_command
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.client_files import ClientFiles, FileRules
from pilothouse.relay.hub.hub import Hub, Upstream
from pilothouse.relay.hub.session import HIDDEN, SHOWN, ClientSession
from pilothouse.relay.hub.synthetic_tab_targets import tab_id
from pilothouse.relay.interfaces import ClientSpec
from pilothouse.supervisor.model import State
from pilothouse.supervisor.model import events as ev

PICK = st.integers(0, 20)
FILTERS = st.sampled_from(
    [
        None,
        [{"type": "page"}],
        [{"type": "page", "exclude": True}, {"type": "tab"}, {}],
        [{"type": "worker"}],
    ]
)
RESUME = "Runtime.runIfWaitingForDebugger"
OWN = "HUB"


class ClientSocket:
    """What one client was sent. It knows sessions only from that."""

    def __init__(self) -> None:
        self.live: set[str] = {""}
        self.parents: dict[str, str] = {}
        self.targets: dict[str, tuple[str, str]] = {}
        self.waiting: set[str] = set()
        self.asked: set[int] = set()
        self.answered: list[int] = []

    def send(self, message: bytes) -> None:
        """A message for the client."""
        told = json.loads(message)
        on, params = told.get("sessionId", ""), told.get("params", {})
        name = params.get("sessionId", "")
        if told.get("method") == "Target.attachedToTarget":
            assert on in self.live, "a session was announced on one that the client does not have"
            assert name not in self.parents, "a session was announced twice"
            self.live.add(name)
            self.parents[name] = on
            info = params["targetInfo"]
            self.targets[name] = (info["type"], info["targetId"])
            if params["waitingForDebugger"]:
                self.waiting.add(name)
        elif told.get("method") == "Target.detachedFromTarget":
            assert on in self.live
            assert name in self.live, "a session ended that the client does not have"
            self._end(name)
        elif "id" in told:
            self.answered.append(told["id"])
        elif on:
            assert on in self.live, "an event of a session that the client does not have"

    def _end(self, name: str) -> None:
        self.live.discard(name)
        self.waiting.discard(name)
        for child in [s for s, above in self.parents.items() if above == name and s in self.live]:
            self._end(child)

    def unsent(self) -> int:
        """Nothing."""
        return 0

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Never here."""


class FakeChrome:
    """A browser at the other end of a connection, as `Connection` and `Supervisor` show it."""

    def __init__(self) -> None:
        self.commands: deque[dict[str, Any]] = deque()
        self.said: deque[bytes | Callable[[], None]] = deque()
        self.pages: set[str] = set()
        # By session: its target, and the session it was attached on.
        self.sessions: dict[str, tuple[str, str]] = {OWN: ("browser", "")}
        self.waiting: set[str] = set()
        self.auto: dict[str, dict[str, Any]] = {}
        self.last_id = self.made = 0
        # Pages that the supervisor has not resumed yet.
        self.held: set[str] = set()

    # Connection.

    def reserve_id(self) -> int:
        """The next id."""
        self.last_id += 1
        return self.last_id

    def write_command(self, command: RawCommand) -> None:
        """A command of the hub."""
        self.commands.append(json.loads(encode_raw_command(command)))

    # The browser.

    def _name(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made:030X}"

    def say(self, method: str, params: dict[str, Any], session: str) -> None:
        """An event."""
        told = {"method": method, "params": params, "sessionId": session}
        self.said.append(json.dumps(told, separators=(",", ":")).encode())

    def _info(self, target: str) -> dict[str, Any]:
        told = {"targetId": target, "type": "page", "title": "", "url": "about:blank"}
        return {**told, "attached": False, "canAccessOpener": False, "browserContextId": ""}

    def attach(self, target: str, on: str, *, waits: bool) -> str:
        """A new session on a page."""
        name = self._name("S")
        self.sessions[name] = (target, on)
        if waits:
            self.waiting.add(name)
        params = {
            "sessionId": name,
            "targetInfo": self._info(target),
            "waitingForDebugger": waits,
        }
        self.say("Target.attachedToTarget", params, on)
        return name

    def detach(self, name: str) -> None:
        """A session ends, and what was attached on it."""
        _, on = self.sessions.pop(name)
        self.waiting.discard(name)
        for child in [s for s, (_, above) in self.sessions.items() if above == name]:
            del self.sessions[child]
            self.waiting.discard(child)
        if on:
            self.say("Target.detachedFromTarget", {"sessionId": name}, on)

    def admits(self, on: str) -> bool:
        """Whether a session auto-attaches pages."""
        auto = self.auto.get(on)
        return auto is not None and {"type": "page"} in auto["filter"]

    def open_page(self, supervise: Callable[[str], None]) -> str:
        """A new page, which every session with auto-attach on gets."""
        target = self._name("P")
        self.pages.add(target)
        self.say("Target.targetCreated", {"targetInfo": self._info(target)}, OWN)
        self.said.append(lambda: supervise(target))
        for on in [s for s in self.auto if s in self.sessions]:
            if self.admits(on):
                self.attach(target, on, waits=self.auto[on]["waitForDebuggerOnStart"])
        return target

    def close_page(self, target: str) -> None:
        """A page closes: its sessions end first."""
        self.pages.discard(target)
        for name in [s for s, (of, _) in self.sessions.items() if of == target]:
            self.detach(name)
        self.said.append(lambda: self.held.discard(target))
        self.say("Target.targetDestroyed", {"targetId": target}, OWN)

    def answer(self, supervise: Callable[[str], None]) -> None:
        """Handle the next command."""
        command = self.commands.popleft()
        on, params, result = command.get("sessionId", ""), command["params"], dict[str, Any]()
        error = ""
        match command["method"]:
            case _ if on and on not in self.sessions:
                error = "Session with given id not found."
            case "Target.setAutoAttach":
                was = self.auto.pop(on, None)
                if params["autoAttach"]:
                    self.auto[on] = params
                    for target in sorted(self.pages) if self.admits(on) else ():
                        if (target, on) not in self.sessions.values():
                            self.attach(target, on, waits=False)
                elif was is not None:
                    for name in [s for s, (_, above) in self.sessions.items() if above == on]:
                        self.detach(name)
            case "Target.createTarget":
                result = {"targetId": self.open_page(supervise)}
            case "Target.attachToTarget" if params["targetId"] in self.pages:
                result = {"sessionId": self.attach(params["targetId"], on, waits=False)}
            case "Target.attachToTarget":
                error = "No target with given id found"
            case "Target.detachFromTarget" if params["sessionId"] in self.sessions:
                self.detach(params["sessionId"])
            case "Target.detachFromTarget":
                error = "No session with given id"
            case "Runtime.runIfWaitingForDebugger":
                self.waiting.discard(on)
        told = {"error": {"code": -32000, "message": error}} if error else {"result": result}
        tail = {"sessionId": on} if on else {}
        reply = {"id": command["id"], **told, **tail}
        self.said.append(json.dumps(reply, separators=(",", ":")).encode())


class AnySessionOrder(RuleBasedStateMachine):
    """Clients, Chrome and the supervisor in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.chrome = FakeChrome()
        supervisor = SimpleNamespace(
            setup=SimpleNamespace(bridge_url="bridge"),
            options=SimpleNamespace(downloads=""),
            opening_tabs=0,
            url_policy=SimpleNamespace(classify_for_owner=lambda *url, is_navigation: True),
            resume_gate=SimpleNamespace(release=self._resume_supervised),
        )
        rules = FileRules(Path("/nonexistent"))
        upstream = Upstream(
            connection=cast(Any, self.chrome),
            supervisor=cast(Any, supervisor),
            files=lambda owner, spec: ClientFiles(rules, owner, spec.id, spec.grant),
            on_tab_opened=lambda owner, target: None,
        )
        self.hub = Hub(upstream)
        self.hub.own_session = OWN.encode()
        self.clients: list[RelayClient] = []
        self.sockets: list[ClientSocket] = []
        self.last_id = 0
        for _ in range(2):
            self._come()

    def _come(self) -> None:
        name = f"R{len(self.clients)}"
        self.chrome.sessions[name] = ("browser", "")
        socket = ClientSocket()
        spec = ClientSpec(id=f"c{len(self.clients)}", browser="managed")
        client = RelayClient(
            self.hub, spec, socket, f"o{len(self.clients)}", "", name.encode(), name
        )
        self.hub._clients.append(client)
        self.clients.append(client)
        self.sockets.append(socket)

    # The supervisor, which attaches to every page and resumes it once it is set up.

    def _supervise(self, target: str) -> None:
        session = SessionId(f"V{target}")
        self.chrome.held.add(target)
        attached = ev.SessionAttached(0.0, session, target, "page", waiting=True)
        self.hub.auto_attacher.observe(attached, State(), ())
        if not self.hub.auto_attacher.holds_session(session):
            self._resume_supervised(session)

    def _resume_supervised(self, session: SessionId) -> None:
        self.chrome.held.discard(session[1:])

    # The wire.

    def _hear(self) -> None:
        one = self.chrome.said.popleft()
        if isinstance(one, bytes):
            message = json.loads(one)
            before = self.hub.pending.get(message.get("id"))
            self.hub._take_message(one)
            assert before is None or message["id"] not in self.hub.pending
        else:
            one()

    def _settle(self) -> None:
        for _ in range(2000):
            if self.chrome.commands:
                self.chrome.answer(self._supervise)
            elif self.chrome.said:
                self._hear()
            else:
                return
        raise AssertionError("hub and Chrome do not come to an end")

    def _tell(self, who: int, method: str, session: str = "", **params: Any) -> None:
        client, socket = self.clients[who], self.sockets[who]
        if not client.is_gone:
            self.last_id += 1
            socket.asked.add(self.last_id)
            told = {"id": self.last_id, "method": method, "params": params, "sessionId": session}
            client.on_message(json.dumps(told).encode())

    def _session(self, who: int, pick: int, kind: str = "") -> str:
        """One of the sessions that a client knows; empty: it has none."""
        socket = self.sockets[who]
        known = sorted(s for s in socket.live if s and kind in ("", socket.targets[s][0]))
        return known[pick % len(known)] if known else ""

    # Clients.

    @rule(who=st.integers(0, 1), wanted=FILTERS, waits=st.booleans(), on=st.booleans())
    def client_sets_auto_attach(self, who: int, wanted: Any, waits: bool, on: bool) -> None:
        """A client turns auto-attach on or off, for the browser."""
        given = {"filter": wanted} if wanted is not None else {}
        self._tell(
            who,
            "Target.setAutoAttach",
            autoAttach=on,
            waitForDebuggerOnStart=waits,
            flatten=True,
            **given,
        )

    @rule(who=st.integers(0, 1), pick=PICK, on=st.booleans(), ends=st.booleans())
    def client_wants_the_page_of_a_tab(self, who: int, pick: int, on: bool, ends: bool) -> None:
        """A client turns auto-attach on or off for a tab target, and may end its session then."""
        tab = self._session(who, pick, "tab")
        if tab:
            self._tell(who, "Target.setAutoAttach", tab, autoAttach=on, waitForDebuggerOnStart=True)
        if tab and ends:
            self._tell(who, "Target.detachFromTarget", sessionId=tab)

    @rule(who=st.integers(0, 1), pick=PICK)
    def client_attaches_to_the_tab_of_a_page(self, who: int, pick: int) -> None:
        """A client attaches to the tab target above a page that it has."""
        page = self._session(who, pick, "page")
        if page:
            above = tab_id(self.sockets[who].targets[page][1])
            self._tell(who, "Target.attachToTarget", targetId=above, flatten=True)

    @rule(who=st.integers(0, 1))
    def client_opens_a_page(self, who: int) -> None:
        """A client opens a page."""
        self._tell(who, "Target.createTarget", url="about:blank")

    @rule(who=st.integers(0, 1), pick=PICK)
    def client_attaches(self, who: int, pick: int) -> None:
        """A client attaches to a page or tab that it has been told of."""
        known = sorted({target for _, target in self.sockets[who].targets.values()})
        if known:
            target = known[pick % len(known)]
            self._tell(who, "Target.attachToTarget", targetId=target, flatten=True)

    @rule(who=st.integers(0, 1), pick=PICK)
    def client_detaches(self, who: int, pick: int) -> None:
        """A client ends a session."""
        session = self._session(who, pick)
        if session:
            self._tell(who, "Target.detachFromTarget", sessionId=session)

    @rule(who=st.integers(0, 1), pick=PICK)
    def client_resumes(self, who: int, pick: int) -> None:
        """A client lets a target run."""
        session = self._session(who, pick)
        if session:
            self._tell(who, RESUME, session)

    @rule(who=st.integers(0, 1), on=st.booleans())
    def client_discovers(self, who: int, on: bool) -> None:
        """A client wants to be told of targets, or no longer."""
        self._tell(who, "Target.setDiscoverTargets", discover=on)

    @rule(who=st.integers(0, 1))
    def client_leaves(self, who: int) -> None:
        """A client disconnects."""
        self.clients[who].on_disconnect("done")

    # Chrome.

    @rule()
    def a_page_opens(self) -> None:
        """A page of somebody else."""
        self.chrome.open_page(self._supervise)

    @rule(pick=PICK)
    def a_page_closes(self, pick: int) -> None:
        """A page closes."""
        if self.chrome.pages:
            pages = sorted(self.chrome.pages)
            self.chrome.close_page(pages[pick % len(pages)])

    @rule(count=st.integers(1, 4))
    def chrome_answers(self, count: int) -> None:
        """Chrome handles its next commands."""
        for _ in range(count):
            if self.chrome.commands:
                self.chrome.answer(self._supervise)

    @rule(count=st.integers(1, 4))
    def hub_hears(self, count: int) -> None:
        """The next messages of Chrome arrive."""
        for _ in range(count):
            if self.chrome.said:
                self._hear()

    @rule()
    def all_is_said(self) -> None:
        """Everything under way arrives."""
        self._settle()

    # Promises.

    @invariant()
    def states_and_registers_agree(self) -> None:
        """A session is registered in exactly the place that its state names."""
        hidden = self.hub.auto_attacher._hidden
        assert all(s.state in HIDDEN and s.id == name for name, s in hidden.items())
        shown: list[ClientSession] = []
        for client in self.clients:
            if not client.is_gone:
                shown.extend(client.sessions.values())
        assert all(s.state in SHOWN for s in shown)
        assert {s.id: s for s in shown if s.id} == self.hub.sessions
        assert not hidden.keys() & self.hub.sessions.keys()

    @invariant()
    def clients_know_exactly_their_sessions(self) -> None:
        """What a client was told and what the hub has for it are the same."""
        for client, socket in zip(self.clients, self.sockets, strict=True):
            if not client.is_gone:
                assert client.sessions.keys() == socket.live

    def teardown(self) -> None:
        """When all is said and clients have let everything run, no page waits for anybody."""
        self._settle()
        for who, socket in enumerate(self.sockets):
            for tab in sorted(s for s in socket.live if s and socket.targets[s][0] == "tab"):
                self._tell(who, "Target.setAutoAttach", tab, autoAttach=False)
        self._settle()
        for who, socket in enumerate(self.sockets):
            for session in sorted(s for s in socket.live if s):
                self._tell(who, RESUME, session)
        self._settle()
        assert not self.chrome.waiting
        assert not self.chrome.held
        for socket in self.sockets:
            assert len(socket.answered) == len(set(socket.answered))
            assert set(socket.answered) <= socket.asked
        assert not self.hub.auto_attacher._hidden
        self.states_and_registers_agree()
        self.clients_know_exactly_their_sessions()


def test_a_page_that_is_attached_for_a_tab_session_that_has_ended_is_let_go() -> None:
    machine = AnySessionOrder()
    socket = machine.sockets[0]
    machine.client_sets_auto_attach(who=0, wanted=None, waits=False, on=True)
    machine.client_opens_a_page(who=0)
    machine.all_is_said()
    machine.client_attaches_to_the_tab_of_a_page(who=0, pick=0)
    machine.all_is_said()
    known = set(socket.live)
    (tab,) = (name for name in known if name and socket.targets[name][0] == "tab")
    machine.client_wants_the_page_of_a_tab(who=0, pick=0, on=True, ends=True)
    machine.all_is_said()
    assert socket.live == known - {tab}
    machine.teardown()


AnySessionOrder.TestCase.settings = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnySessionOrder = AnySessionOrder.TestCase
