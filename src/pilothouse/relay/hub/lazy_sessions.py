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
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import ClientSession, RelayClient
from pilothouse.relay.lazy import ADD_SCRIPT, CREATE_WORLD, CommandFailure, LazySession

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
        self.pure = LazySession(session.visible_id, info)
        self.is_attaching = False
        self._queue: list[tuple[ClientCommand, Params | None]] = []
        # What was told of targets in the tab before the client knew its frames.
        self._held: list[bytes] = []
        # Commands whose answers may name what was made up, by the client's ids.
        self._asked: dict[int, str] = {}

    @property
    def plain(self) -> bool:
        """Whether commands may pass unread."""
        return self.pure.plain and not self._queue

    # From the client.

    def forward(self, command: ClientCommand, params: Params | None) -> None:
        """A command for the tab, in order: answered, queued, or sent on in the browser's words."""
        client = self.session.client
        if self.pure.ready:
            self._send(command, params)
            return
        if self.is_attaching:
            self._queue.append((command, params))
            return
        read = client.decode_params(command) if params is None else params
        info = client.hub.targets.get(self.session.target)
        stops = command.method == FETCH and info is not None and info.get("attached")
        answer = None if stops else self.pure.answer(command.id, command.method, read)
        if answer is not None:
            self._tell(answer.frames)
            return
        # First: where the debugger is on the tab already, the answer comes before this returns.
        self._queue.append((command, params))
        self._attach()

    def _send(self, command: ClientCommand, params: Params | None) -> None:
        client = self.session.client
        if self.pure.plain:
            client.send_to_browser(self.session, command, params)
            return
        read = client.decode_params(command) if params is None else params
        out = self.pure.outbound(command.method, read)
        if isinstance(out, CommandFailure):
            client.fail(self.session, command, out.message, out.code)
            return
        self._asked[command.id] = command.method
        client.send_to_browser(self.session, command, params if out is read else out)

    # The debugger.

    def _attach(self) -> None:
        self.is_attaching = True
        hub = self.session.client.hub
        hub.auto_attacher.lazy_tabs.under_way.append(self)
        target = {"targetId": self.session.target, "flatten": True}
        hub.send_command("Target.attachToTarget", target, self.on.id, self._attached)

    def bind(self, name: str) -> None:
        """The real session is there: what it says is the client's from now on."""
        self.session.id = name.encode()
        self.session.client.hub.sessions[self.session.id] = self.session

    def _attached(self, result: dict[str, Any], words: str) -> None:
        client, hub = self.session.client, self.session.client.hub
        if self in hub.auto_attacher.lazy_tabs.under_way:
            hub.auto_attacher.lazy_tabs.under_way.remove(self)
        if client.is_gone or client.sessions.get(self.session.visible_id) is not self.session:
            if self.session.id:
                hub.sessions.pop(self.session.id, None)
                gone = {"sessionId": self.session.id.decode()}
                hub.send_command("Target.detachFromTarget", gone, self.on.id, _ignore_reply)
            return
        if words or not self.session.id:
            # The next command tries again.
            self.is_attaching = False
            queued, self._queue = self._queue, []
            for command, _ in queued:
                client.fail(self.session, command, words or "the tab could not be attached")
            return
        for one in self.pure.replay():
            self._replay(one.token, one.method, one.params)
        self._drain()

    def _replay(self, token: int, method: str, params: Params) -> None:
        def then(result: dict[str, Any], words: str) -> None:
            self._tell(self.pure.replayed(token, None if words else result, words or None))
            self._release()
            self._drain()

        self.session.client.hub.send_command(method, params, self.session.id, then)

    def _release(self) -> None:
        if self.pure.settled:
            held, self._held = self._held, []
            for message in held:
                auto_attacher = self.session.client.hub.auto_attacher
                auto_attacher.on_target_event(self.session, cdp_bytes.read_method(message), message)

    def _drain(self) -> None:
        if self.pure.ready:
            queued, self._queue = self._queue, []
            for command, params in queued:
                self._send(command, params)

    # From the browser.

    def hold_event(self, message: bytes) -> bool:
        """Whether what is told of a target must wait until the client knows the frames."""
        if self.pure.settled:
            return False
        self._held.append(message)
        return True

    def replied(self, own: int, message: bytes) -> bytes:
        """A reply, already with the client's id, as the client is to have it."""
        method = self._asked.pop(own, "")
        if method in _NAMING or (method and b'"exceptionDetails"' in message):
            envelope = decode_envelope(message)
            result = decode_object(envelope.result) if envelope is not None else None
            if envelope is not None and envelope.error is None and result is not None:
                told = self.pure.answered(method, result)
                return cdp_bytes.encode_result(own, told, self.session.visible_id)
        return cdp_bytes.replace_session(message, self.session.visible_id.encode())

    def on_event(self, message: bytes) -> None:
        """An event of the real session."""
        line = self.session.client.socket
        if self.pure.plain:
            line.send(cdp_bytes.replace_session(message, self.session.visible_id.encode()))
            return
        method = cdp_bytes.read_method(message).decode()
        for told, params in self.pure.inbound(method, cdp_bytes.read_params(message)):
            line.send(cdp_bytes.encode_event(told, params, self.session.visible_id))

    def on_target_changed(self, info: Info) -> None:
        """The tab is elsewhere, or has a debugger by somebody else's doing: who wants to stop its
        requests gets them from then on."""
        self._tell(
            self.pure.moved(str(info.get("url", "")), str(info.get("title", "")))
        )
        if info.get("attached") and not self.is_attaching and self.pure.wants(FETCH):
            self._attach()

    def _tell(self, told: list[bytes]) -> None:
        for message in told:
            self.session.client.socket.send(message)


class LazyTabs:
    """The lazy sessions of all clients of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._made = 0
        # Those that wait for their real session.
        self.under_way: list[LazyTab] = []

    def wants(self, client: RelayClient, info: Info) -> bool:
        """Whether a client has this target without a debugger until it needs one."""
        if client.spec.attach != "lazy" or info.get("type") != "page" or client.pending_creates:
            return False
        own = {str(info.get("targetId", "")), *self._hub.targets.openers(info)}
        return (
            not own & client.opened_targets and info.get("browserContextId") not in client.contexts
        )

    def create_session(
        self, on: ClientSession, target: str, parent: ClientSession, *, auto_attached: bool = False
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
        client.add_session(session)
        if auto_attached:
            parent.auto_attached[target] = session
        shown = {**self._hub.discovery.describe_target(client, info)[-1], "attached": True}
        params = {"sessionId": name, "targetInfo": shown, "waitingForDebugger": False}
        client.send_event(parent, "Target.attachedToTarget", params)
        return session

    def claim_session(self, on: ClientSession, params: Mapping[str, Any]) -> bool:
        """Whether a new session of the browser is one that a lazy session waits for."""
        target = params["targetInfo"]["targetId"]
        for tab in self.under_way:
            if tab.on is on and tab.session.target == target:
                self.under_way.remove(tab)
                tab.bind(str(params["sessionId"]))
                return True
        return False

    def on_target_changed(self, client: RelayClient, info: Info) -> None:
        """A target's address or title changed."""
        for session in list(client.sessions.values()):
            if session.lazy is not None and session.target == info["targetId"]:
                session.lazy.on_target_changed(info)

    def without_debugger(self, client: RelayClient, target: str) -> list[ClientSession]:
        """The sessions on a target that the browser knows nothing of, and says nothing of."""
        on_it = [s for s in client.sessions.values() if s.target == target and not s.id]
        return [s for s in on_it if s.lazy is not None]


def _ignore_reply(result: dict[str, Any], words: str) -> None:
    """An answer that nobody waits for."""
