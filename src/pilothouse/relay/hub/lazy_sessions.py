"""Lazy sessions in the hub: who has one, and how the debugger comes to it on the first real
command.

    client --forward--> LazyTab --answered here
                                --or: attach, replay, then what was queued--> browser

Knows: the hub's sessions and `LazySession`. Must not know: sockets, or what a command means. A tab
that the client opened itself is attached at once as ever: it is nobody else's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.cdp.message import decode_envelope, decode_object
from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.client import Client, ClientSession
from pilothouse.relay.lazy import ADD_SCRIPT, CREATE_WORLD, Failed, LazySession

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["LazyTab", "LazyTabs"]

Info = Mapping[str, Any]
Params = Mapping[str, Any]

FETCH = "Fetch.enable"

# Answers that may name what was made up. Others are only read when they tell of an exception.
_NAMING = frozenset({ADD_SCRIPT, CREATE_WORLD, "Page.getFrameTree", "Page.getResourceTree"})


class LazyTab:
    """One client's session on one tab, with or without a real one below it."""

    def __init__(self, session: ClientSession, on: ClientSession, info: Info) -> None:
        self.session = session
        # The browser session that the real one is attached on.
        self.on = on
        self.pure = LazySession(session.shown, info)
        self.attaching = False
        self._queue: list[tuple[Asked, Params | None]] = []
        # What was told of targets in the tab before the client knew its frames.
        self._held: list[bytes] = []
        # Commands whose answers may name what was made up, by the client's ids.
        self._asked: dict[int, str] = {}

    @property
    def plain(self) -> bool:
        """Whether commands may pass unread."""
        return self.pure.plain and not self._queue

    # From the client.

    def forward(self, asked: Asked, params: Params | None) -> None:
        """A command for the tab, in order: answered, queued, or sent on in the browser's words."""
        client = self.session.client
        if self.pure.ready:
            self._send(asked, params)
            return
        if self.attaching:
            self._queue.append((asked, params))
            return
        read = client.params(asked) if params is None else params
        info = client.hub.targets.get(self.session.target)
        stops = asked.method == FETCH and info is not None and info.get("attached")
        answer = None if stops else self.pure.answer(asked.id, asked.method, read)
        if answer is not None:
            self._tell(answer.frames)
            return
        # First: where the debugger is on the tab already, the answer comes before this returns.
        self._queue.append((asked, params))
        self._attach()

    def _send(self, asked: Asked, params: Params | None) -> None:
        client = self.session.client
        if self.pure.plain:
            client.transmit(self.session, asked, params)
            return
        read = client.params(asked) if params is None else params
        out = self.pure.outbound(asked.method, read)
        if isinstance(out, Failed):
            client.fail(self.session, asked, out.message, out.code)
            return
        self._asked[asked.id] = asked.method
        client.transmit(self.session, asked, params if out is read else out)

    # The debugger.

    def _attach(self) -> None:
        self.attaching = True
        hub = self.session.client.hub
        hub.attaching.lazy.under_way.append(self)
        target = {"targetId": self.session.target, "flatten": True}
        hub.ask("Target.attachToTarget", target, self.on.id, self._attached)

    def born(self, name: str) -> None:
        """The real session is there: what it says is the client's from now on."""
        self.session.id = name.encode()
        self.session.client.hub.sessions[self.session.id] = self.session

    def _attached(self, result: dict[str, Any], words: str) -> None:
        client, hub = self.session.client, self.session.client.hub
        if self in hub.attaching.lazy.under_way:
            hub.attaching.lazy.under_way.remove(self)
        if client.gone or client.sessions.get(self.session.shown) is not self.session:
            if self.session.id:
                hub.sessions.pop(self.session.id, None)
                gone = {"sessionId": self.session.id.decode()}
                hub.ask("Target.detachFromTarget", gone, self.on.id, _unheard)
            return
        if words or not self.session.id:
            # The next command tries again.
            self.attaching = False
            queued, self._queue = self._queue, []
            for asked, _ in queued:
                client.fail(self.session, asked, words or "the tab could not be attached")
            return
        for one in self.pure.replay():
            self._replay(one.token, one.method, one.params)
        self._drain()

    def _replay(self, token: int, method: str, params: Params) -> None:
        def then(result: dict[str, Any], words: str) -> None:
            self._tell(self.pure.replayed(token, None if words else result, words or None))
            self._release()
            self._drain()

        self.session.client.hub.ask(method, params, self.session.id, then)

    def _release(self) -> None:
        if self.pure.settled:
            held, self._held = self._held, []
            for frame in held:
                attaching = self.session.client.hub.attaching
                attaching.told(self.session, frames.method_of(frame), frame)

    def _drain(self) -> None:
        if self.pure.ready:
            queued, self._queue = self._queue, []
            for asked, params in queued:
                self._send(asked, params)

    # From the browser.

    def holds(self, frame: bytes) -> bool:
        """Whether what is told of a target must wait until the client knows the frames."""
        if self.pure.settled:
            return False
        self._held.append(frame)
        return True

    def replied(self, own: int, frame: bytes) -> bytes:
        """A reply, already with the client's id, as the client is to have it."""
        method = self._asked.pop(own, "")
        if method in _NAMING or (method and b'"exceptionDetails"' in frame):
            envelope = decode_envelope(frame)
            result = decode_object(envelope.result) if envelope is not None else None
            if envelope is not None and envelope.error is None and result is not None:
                told = self.pure.answered(method, result)
                return frames.result(own, told, self.session.shown)
        return frames.cut_session(frame, self.session.shown.encode())

    def heard(self, frame: bytes) -> None:
        """An event of the real session."""
        line = self.session.client.line
        if self.pure.plain:
            line.send(frames.cut_session(frame, self.session.shown.encode()))
            return
        method = frames.method_of(frame).decode()
        for told, params in self.pure.inbound(method, frames.params_of(frame)):
            line.send(frames.event(told, params, self.session.shown))

    def moved(self, info: Info) -> None:
        """The tab is elsewhere, or has a debugger by somebody else's doing: who wants to stop its
        requests gets them from then on."""
        self._tell(self.pure.moved(str(info.get("url", "")), str(info.get("title", ""))))
        if info.get("attached") and not self.attaching and self.pure.wants(FETCH):
            self._attach()

    def _tell(self, told: list[bytes]) -> None:
        for frame in told:
            self.session.client.line.send(frame)


class LazyTabs:
    """The lazy sessions of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._made = 0
        # Those that wait for their real session.
        self.under_way: list[LazyTab] = []

    def wants(self, client: Client, info: Info) -> bool:
        """Whether a client has this target without a debugger until it needs one."""
        if client.spec.attach != "lazy" or info.get("type") != "page" or client.creating:
            return False
        own = {str(info.get("targetId", "")), *self._hub.targets.openers(info)}
        return not own & client.opened and info.get("browserContextId") not in client.contexts

    def show(
        self, on: ClientSession, target: str, parent: ClientSession, *, by_itself: bool = False
    ) -> ClientSession | None:
        """Give a client a lazy session on a target; None when it is to have a real one."""
        client, info = on.client, self._hub.targets.get(target)
        if info is None or not self.wants(client, info):
            return None
        self._made += 1
        seed = f"lazy {client.spec.id} {self._made}".encode()
        name = "L" + hashlib.sha256(seed).hexdigest()[:31].upper()
        context = str(info.get("browserContextId", ""))
        session = ClientSession(client, b"", name, target, "page", parent, context)
        session.lazy = LazyTab(session, on, info)
        client.adopt(session)
        if by_itself:
            parent.by_itself[target] = session
        shown = {**self._hub.discovery.presented(client, info)[-1], "attached": True}
        params = {"sessionId": name, "targetInfo": shown, "waitingForDebugger": False}
        client.tell(parent, "Target.attachedToTarget", params)
        return session

    def born(self, on: ClientSession, params: Mapping[str, Any]) -> bool:
        """Whether a new session of the browser is one that a lazy session waits for."""
        target = params["targetInfo"]["targetId"]
        for tab in self.under_way:
            if tab.on is on and tab.session.target == target:
                self.under_way.remove(tab)
                tab.born(str(params["sessionId"]))
                return True
        return False

    def moved(self, client: Client, info: Info) -> None:
        """A target's address or title changed."""
        for session in list(client.sessions.values()):
            if session.lazy is not None and session.target == info["targetId"]:
                session.lazy.moved(info)

    def without_debugger(self, client: Client, target: str) -> list[ClientSession]:
        """The sessions on a target that the browser knows nothing of, and says nothing of."""
        on_it = [s for s in client.sessions.values() if s.target == target and not s.id]
        return [s for s in on_it if s.lazy is not None]


def _unheard(result: dict[str, Any], words: str) -> None:
    """An answer that nobody waits for."""
