"""Random orders of clients, user, Chrome and the connection: what the relay promises of tabs holds.

The machine plays the extension at the other end of the pipe, the clock, the clients and the user.
Both directions keep their order; everything else may happen at any time. It refuses nothing by
itself, so that only the relay keeps the debugger off a tab that the user took back.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pilothouse.cdp.message import Envelope, RawCommand, encode_envelope, encode_params
from pilothouse.relay.extension_browser import AttachmentTimes, ExtensionBrowser, UserStop
from pilothouse.relay.extension_browser.attachment.state_transitions import (
    DEBUGGED,
    PENDING,
    QUEUEING,
    AttachState,
)
from pilothouse.relay.interfaces import Hello

# Which of the open tabs, and also of the tab that closed last: messages about it may be late.
PICK_TAB = st.integers(0, 3)
MOST_TABS = 3
REASONS = st.sampled_from(
    ["target_closed", "target_closed", "idle", "not_shared", "detached_by_user", "stopped_by_user"]
)
PICK = st.integers(0, 20)


class World:
    """`BrowserIO`: what the browser does is written down; the machine decides when it arrives."""

    def __init__(self) -> None:
        self.to_extension: deque[dict[str, Any]] = deque()
        self.to_clients: list[dict[str, Any]] = []
        self.timers: dict[str, Callable[[], None]] = {}
        self.connected = True
        # Tabs that the relay knows to be taken back.
        self.forbidden: set[int] = set()

    def emit(self, message: Envelope) -> None:
        """A message for the clients."""
        self.to_clients.append(json.loads(encode_envelope(message)))

    def send(self, message: bytes) -> None:
        """A request to the extension."""
        request = json.loads(message)
        if request["method"] == "attachTab":
            assert request["params"]["tabId"] not in self.forbidden, "the user took this tab back"
        if self.connected:
            self.to_extension.append(request)

    def call_later(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """A timer starts."""
        self.timers[key] = then

    def cancel(self, key: str) -> None:
        """A timer is stopped."""
        self.timers.pop(key, None)

    def lost(self, reason: str) -> None:
        """Never here."""

    def report_user_stop(self, target: str, state: UserStop) -> None:
        """Another test's."""

    def set_autostart(self, on: bool) -> None:
        """Another test's."""


def target_of(tab: int) -> str:
    """The target id of a new tab."""
    return f"{tab:032X}"


class AnyOrder(RuleBasedStateMachine):
    """Clients, user, Chrome and connection in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        hello = Hello("i", "1", "Chrome/1", "", "p", {"mode": "auto", "share": "all"})
        self.browser = ExtensionBrowser(self.world, hello, "context", AttachmentTimes())
        # What the extension has, and what it has said that has not arrived yet.
        self.open = {1, 2, 3}
        self.debugged: set[int] = set()
        self.said: deque[dict[str, Any]] = deque()
        self.asked: set[int] = set()
        self.last_id = 0
        self.last_tab = self.closed = 3
        # A replaced tab keeps its target.
        self.targets = {tab: target_of(tab) for tab in self.open}
        self._comes()
        self._settle()

    # The wire.

    def _say(self, method: str, **params: Any) -> None:
        if self.world.connected:
            self.said.append({"method": method, "params": params})

    def _tab(self, tab: int) -> dict[str, Any]:
        told = {"tabId": tab, "targetId": self.targets[tab], "url": "https://a.test/"}
        return {**told, "attached": tab in self.debugged}

    def _answer(self, request: dict[str, Any], refuse: bool) -> None:
        method, params = request["method"], request.get("params", {})
        tab = params.get("tabId")
        result: dict[str, Any] = {}
        error = ""
        if method == "listTabs":
            result = {"tabs": [self._tab(one) for one in sorted(self.open)]}
        elif method == "attachTab" and (refuse or tab not in self.open):
            error = "No tab with given id" if tab not in self.open else "Cannot attach"
        elif method == "attachTab":
            self.debugged.add(tab)
            result = {"targetInfo": {"targetId": self.targets[tab]}}
        elif method == "detachTab":
            self.debugged.discard(tab)
        elif method == "cdpCommand" and tab not in self.debugged:
            error = "Debugger is not attached"
        elif params.get("method") == "Page.getFrameTree":
            result = {"frameTree": {"frame": {"id": self.targets[tab], "loaderId": "L"}}}
        said = {"error": {"code": -32000, "message": error}} if error else {"result": result}
        self.said.append({"id": request["id"], **said})

    def _arrives(self) -> None:
        message = self.said.popleft()
        params = message.get("params", {})
        method, tab = message.get("method"), params.get("tabId")
        if (method == "userAction" and params["kind"] == "detach" and tab is not None) or (
            method == "tabDetached" and params["reason"] == "detached_by_user"
        ):
            if tab in self.browser.tabs.by_id:
                self.world.forbidden.add(tab)
        elif method == "tabRemoved" or (method == "userAction" and params["kind"] == "attach"):
            self.world.forbidden.discard(tab)
        elif method == "tabReplaced" and tab in self.world.forbidden:
            self.world.forbidden.remove(tab)
            self.world.forbidden.add(params["newTabId"])
        self.browser.handle_extension_message(json.dumps(message).encode())

    def _settle(self) -> None:
        """Until nothing is under way in either direction."""
        for _ in range(3000):
            if self.world.to_extension:
                self._answer(self.world.to_extension.popleft(), refuse=False)
            elif self.said:
                self._arrives()
            else:
                return
        raise AssertionError("relay and extension do not come to an end")

    def _comes(self) -> None:
        self.world.connected = True
        self.browser.reconnection.on_connected(lambda: None)

    def _command(self, method: str, session: str = "", **params: Any) -> None:
        self.last_id += 1
        self.asked.add(self.last_id)
        self.browser.handle_command(
            RawCommand(self.last_id, method, encode_params(params), session)
        )

    def _pick(self, number: int) -> int:
        """A tab by number. Chrome gives no id to two tabs, one after the other."""
        there = sorted(self.open | {self.closed})
        return there[number % len(there)]

    # Clients.

    @rule(tab=PICK_TAB)
    def client_attaches(self, tab: int) -> None:
        """A client wants a session on a tab."""
        target = self.targets[self._pick(tab)]
        self._command("Target.attachToTarget", targetId=target, flatten=True)

    @rule()
    def client_attaches_to_all(self) -> None:
        """A client wants a session on every tab there is and will be."""
        self._command("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False)

    @rule(pick=PICK)
    def client_detaches(self, pick: int) -> None:
        """A client ends a session."""
        sessions = [one for one in self.browser.sessions if one]
        if sessions:
            session = sessions[pick % len(sessions)]
            self._command("Target.detachFromTarget", sessionId=session)

    @rule(pick=PICK)
    def client_sends(self, pick: int) -> None:
        """A client sends a command to a tab."""
        sessions = [one for one in self.browser.sessions if one]
        if sessions:
            names = ("Page.enable", "Runtime.enable", "Page.reload")
            self._command(names[pick % 3], sessions[pick % len(sessions)])

    @rule()
    def client_reads_cookies(self) -> None:
        """A client wants cookies, for which any tab will do."""
        self._command("Storage.getCookies")

    # The user.

    @rule(tab=PICK_TAB)
    def user_takes_back(self, tab: int) -> None:
        """The user takes a tab back, in the popup."""
        tab = self._pick(tab)
        self.debugged.discard(tab)
        self._say("userAction", kind="detach", tabId=tab)

    @rule(tab=PICK_TAB)
    def user_shares(self, tab: int) -> None:
        """The user shares a tab, which also lifts a stop."""
        self._say("userAction", kind="attach", tabId=self._pick(tab))

    @rule()
    def user_stops_all(self) -> None:
        """The user stops all agents."""
        self.debugged.clear()
        self._say("userAction", kind="detach", state="stopped")

    # Chrome.

    @rule(tab=PICK_TAB, reason=REASONS)
    def chrome_detaches(self, tab: int, reason: str) -> None:
        """The debugger leaves a tab."""
        tab = self._pick(tab)
        if tab in self.debugged:
            self.debugged.discard(tab)
            self._say("tabDetached", tabId=tab, reason=reason)

    @rule(tab=PICK_TAB)
    def tab_closes(self, tab: int) -> None:
        """A tab closes."""
        tab = self._pick(tab)
        if tab in self.open:
            self.closed = tab
            self.open.discard(tab)
            self.debugged.discard(tab)
            self._say("tabRemoved", tabId=tab)

    @rule()
    def tab_opens(self) -> None:
        """A tab opens."""
        if len(self.open) < MOST_TABS:
            self.last_tab += 1
            self.targets[self.last_tab] = target_of(self.last_tab)
            self.open.add(self.last_tab)
            self._say("tabCreated", tab=self._tab(self.last_tab))

    @rule(tab=PICK_TAB)
    def tab_is_replaced(self, tab: int) -> None:
        """Chrome gives a tab another id."""
        tab = self._pick(tab)
        if tab in self.open:
            self.last_tab += 1
            self.targets[self.last_tab] = self.targets[tab]
            self.closed = tab
            self.open.symmetric_difference_update({tab, self.last_tab})
            self.debugged.discard(tab)
            self._say("tabReplaced", tabId=tab, newTabId=self.last_tab)

    # The way there and back, and the clock.

    @rule(refuse=st.sampled_from([False, False, False, True]), count=st.integers(1, 4))
    def extension_answers(self, refuse: bool, count: int) -> None:
        """The extension handles its next requests."""
        for _ in range(count):
            if self.world.to_extension:
                self._answer(self.world.to_extension.popleft(), refuse)

    @rule(count=st.integers(1, 4))
    def relay_hears(self, count: int) -> None:
        """The next messages of the extension arrive."""
        for _ in range(count):
            if self.said:
                self._arrives()

    @rule()
    def all_is_said(self) -> None:
        """Everything under way arrives."""
        self._settle()

    @rule(pick=PICK)
    def time_passes(self, pick: int) -> None:
        """A timer fires."""
        if self.world.timers:
            key = sorted(self.world.timers)[pick % len(self.world.timers)]
            self.world.timers.pop(key)()

    @precondition(lambda self: self.world.connected)
    @rule(reloaded=st.booleans())
    def connection_breaks(self, reloaded: bool) -> None:
        """The extension disconnects; a reloaded one has no debuggers any more."""
        self.world.connected = False
        self.world.to_extension.clear()
        self.said.clear()
        if reloaded:
            self.debugged.clear()
        self.browser.reconnection.on_disconnected()

    @precondition(lambda self: not self.world.connected)
    @rule()
    def connection_returns(self) -> None:
        """The extension connects again."""
        self._comes()

    # Promises.

    def _known(self) -> dict[int, Any]:
        return self.browser.attachments._by_tab

    @invariant()
    def states_and_what_they_stand_for_agree(self) -> None:
        """A tab has a debuggee, a queue, or clients that wait, only in the states for it."""
        debuggees = {key for key in self.browser.debuggees if isinstance(key, int)}
        assert debuggees == {tab for tab, one in self._known().items() if one.state in DEBUGGED}
        for tab, one in self._known().items():
            assert one.tab is self.browser.tabs.by_id[tab]
            assert not one.waiters or one.state in PENDING
            assert not one.queue or one.state in QUEUEING
            assert (one.request is not None) == (
                one.state in (AttachState.ATTACHING, AttachState.REATTACHING)
            )

    @invariant()
    def a_tab_that_was_taken_back_has_no_session(self) -> None:
        """Its sessions end with the user's decision."""
        for session in self.browser.sessions.values():
            assert session.debuggee is None or (
                session.debuggee.tab.tab_id not in self.world.forbidden
            )

    @invariant()
    def a_session_is_announced_once_and_ends_once(self) -> None:
        """Exactly one detached event for each session that has ended, none for the others."""
        began, ended = self._count("attachedToTarget"), self._count("detachedFromTarget")
        assert set(began.values()) <= {1}
        assert ended == Counter(began.keys() - self.browser.sessions.keys())

    def _count(self, event: str) -> Counter[str]:
        return Counter(
            message["params"]["sessionId"]
            for message in self.world.to_clients
            if message.get("method") == f"Target.{event}"
        )

    def teardown(self) -> None:
        """When everything has arrived and time has passed, every command is answered once."""
        if not self.world.connected:
            self._comes()
        for _ in range(30):
            self._settle()
            timers, self.world.timers = self.world.timers, {}
            for key in sorted(timers):
                timers[key]()
        self._settle()
        answered = Counter(one["id"] for one in self.world.to_clients if "id" in one)
        assert set(answered.values()) <= {1}
        # Chrome answers no command of a session that has ended: its end is the answer.
        assert not any(one.request or one.waiters or one.queue for one in self._known().values())
        assert not self.debugged & self.world.forbidden
        # Nothing wants the tabs that are idle by now.
        on = DEBUGGED - {AttachState.IDLE}
        assert self.debugged == {tab for tab, one in self._known().items() if one.state in on}
        self.states_and_what_they_stand_for_agree()
        self.a_session_is_announced_once_and_ends_once()


AnyOrder.TestCase.settings = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestAnyOrder = AnyOrder.TestCase
