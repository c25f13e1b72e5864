"""Lazy sessions in the hub: which clients have them, and how the debugger is attached on demand.

    client --forward--> LazyTab --> answered by LazySession
                                --> or: attach, replay, then send the queued commands --> browser

Knows: the hub's sessions and `LazySession`. Must not know: sockets, or what a command means. A tab
that the client opened itself is attached at once: nobody else uses it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse import speedup_switches
from pilothouse.cdp.message import decode_envelope, decode_object
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.session import ClientSession
from pilothouse.relay.lazy import ADD_SCRIPT, CREATE_WORLD, CommandFailure, LazySession

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["LazyTab", "LazyTabs"]

Info = Mapping[str, Any]
Params = Mapping[str, Any]

FETCH = "Fetch.enable"

# Methods whose replies may contain made-up ids. Other replies are decoded only when they report an
# exception.
_REPLIES_WITH_IDS = frozenset(
    {ADD_SCRIPT, CREATE_WORLD, "Page.getFrameTree", "Page.getResourceTree"}
)


class LazyTab:
    """One client's session on one tab, with or without a real session below it."""

    def __init__(self, session: ClientSession, attach_session: ClientSession, info: Info) -> None:
        self.session = session
        # The browser session to attach the real session on.
        self.attach_session = attach_session
        self.lazy_session = LazySession(session.visible_id, info)
        self.is_attaching = False
        self._queue: list[tuple[ClientCommand, Params | None]] = []
        # `Target` events from before the client knew the frames.
        self._held: list[bytes] = []
        # Methods of forwarded commands, by the client's ids.
        self._forwarded: dict[int, str] = {}

    @property
    def is_transparent(self) -> bool:
        """Return whether commands may pass unread."""
        return self.lazy_session.is_transparent and not self._queue

    # From the client.

    def forward(self, command: ClientCommand, params: Params | None) -> None:
        """Reply to a command, queue it, or send it on with real ids; in order."""
        client = self.session.client
        if self.lazy_session.is_attached:
            self._send(command, params)
            return
        if self.is_attaching:
            self._queue.append((command, params))
            return
        read = client.decode_params(command) if params is None else params
        info = client.hub.targets.get(self.session.target)
        stops = command.method == FETCH and info is not None and info.get("attached")
        reply = None if stops else self.lazy_session.answer(command.id, command.method, read)
        if reply is not None:
            self._send_all(reply.messages)
            return
        # Queue first: if a debugger is on the tab already, the attach finishes inside `_attach`.
        self._queue.append((command, params))
        self._attach()

    def _send(self, command: ClientCommand, params: Params | None) -> None:
        client = self.session.client
        if self.lazy_session.is_transparent:
            client.send_to_browser(self.session, command, params)
            return
        read = client.decode_params(command) if params is None else params
        out = self.lazy_session.outbound(command.method, read)
        if isinstance(out, CommandFailure):
            client.fail(self.session, command, out.message, out.code)
            return
        self._forwarded[command.id] = command.method
        client.send_to_browser(self.session, command, params if out is read else out)

    # The debugger.

    def _attach(self) -> None:
        self.is_attaching = True
        hub = self.session.client.hub
        hub.auto_attacher.lazy_tabs.attaching.append(self)
        target = {"targetId": self.session.target, "flatten": True}
        hub.send_command("Target.attachToTarget", target, self.attach_session.id, self._attached)

    def bind(self, name: str) -> None:
        """Use a real session: its messages are for the client from now on."""
        self.session.id = name.encode()
        self.session.client.hub.sessions[self.session.id] = self.session

    def _attached(self, result: dict[str, Any], error_text: str) -> None:
        client, hub = self.session.client, self.session.client.hub
        if self in hub.auto_attacher.lazy_tabs.attaching:
            hub.auto_attacher.lazy_tabs.attaching.remove(self)
        if not self.session.is_shown:
            if self.session.id:
                hub.sessions.pop(self.session.id, None)
                gone = {"sessionId": self.session.id.decode()}
                hub.send_command(
                    "Target.detachFromTarget", gone, self.attach_session.id, _ignore_reply
                )
            return
        if error_text or not self.session.id:
            # The next command retries the attach.
            self.is_attaching = False
            queued, self._queue = self._queue, []
            for command, _ in queued:
                client.fail(self.session, command, error_text or "could not attach to the tab")
            return
        # Send everything without waiting: the browser keeps the order, and so do its replies.
        for one in self.lazy_session.replay():
            self._replay(one.token, one.method, one.params)
        self._drain()

    def _replay(self, token: int, method: str, params: Params) -> None:
        def then(result: dict[str, Any], error_text: str) -> None:
            self._send_all(self.lazy_session.finish_replay(token, None if error_text else result))
            self._release()
            self._drain()

        self.session.client.hub.send_command(method, params, self.session.id, then)

    def _release(self) -> None:
        if self.lazy_session.knows_frames:
            held, self._held = self._held, []
            for message in held:
                method, params = cdp_bytes.read_method(message), cdp_bytes.read_params(message)
                auto_attacher = self.session.client.hub.auto_attacher
                auto_attacher.on_target_event(self.session, method.decode(), params)

    def _drain(self) -> None:
        if self.lazy_session.is_attached:
            queued, self._queue = self._queue, []
            for command, params in queued:
                self._send(command, params)

    # From the browser.

    def hold_event(self, message: bytes) -> bool:
        """Hold a `Target` event until the client knows the frames.

        Returns False if it does already.
        """
        if self.lazy_session.knows_frames:
            return False
        self._held.append(message)
        return True

    def rewrite_reply(self, own: int, message: bytes) -> bytes:
        """Return a reply (with the client's id) with the ids that the client knows."""
        method = self._forwarded.pop(own, "")
        if method in _REPLIES_WITH_IDS or (method and b'"exceptionDetails"' in message):
            envelope = decode_envelope(message)
            result = decode_object(envelope.result) if envelope is not None else None
            if envelope is not None and envelope.error is None and result is not None:
                rewritten = self.lazy_session.inbound_result(method, result)
                return cdp_bytes.encode_result(own, rewritten, self.session.visible_id)
        return cdp_bytes.replace_session(message, self.session.visible_id.encode())

    def on_event(self, message: bytes) -> None:
        """Handle an event of the real session."""
        socket = self.session.client.socket
        if self.lazy_session.is_transparent:
            socket.send(cdp_bytes.replace_session(message, self.session.visible_id.encode()))
            return
        method = cdp_bytes.read_method(message).decode()
        for name, params in self.lazy_session.inbound(method, cdp_bytes.read_params(message)):
            socket.send(cdp_bytes.encode_event(name, params, self.session.visible_id))

    def on_target_changed(self, info: Info) -> None:
        """Handle a new URL or title.

        If someone else attached a debugger, attach too for a client that intercepts requests.
        """
        self._send_all(
            self.lazy_session.on_navigated(str(info.get("url", "")), str(info.get("title", "")))
        )
        if info.get("attached") and not self.is_attaching and self.lazy_session.is_recorded(FETCH):
            self._attach()

    def _send_all(self, messages: list[bytes]) -> None:
        for message in messages:
            self.session.client.socket.send(message)


class LazyTabs:
    """The lazy sessions of all clients of one hub. The setting `speedups.lazy_tabs` switches them
    off: every client then gets real sessions."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._is_on = speedup_switches.in_use().lazy_tabs
        self._made = 0
        # Lazy tabs that wait for their real session.
        self.attaching: list[LazyTab] = []

    def is_lazy_for(self, client: RelayClient, info: Info) -> bool:
        """Return whether a client gets a lazy session on this target."""
        if not self._is_on or client.spec.attach != "lazy":
            return False
        if info.get("type") != "page" or client.pending_creates:
            return False
        own = {str(info.get("targetId", "")), *self._hub.targets.openers(info)}
        return (
            not own & client.opened_targets and info.get("browserContextId") not in client.contexts
        )

    def create_session(
        self, on: ClientSession, target: str, parent: ClientSession, *, auto_attached: bool = False
    ) -> ClientSession | None:
        """Give a client a lazy session on a target; None if it gets a real one."""
        client, info = on.client, self._hub.targets.get(target)
        if info is None or not self.is_lazy_for(client, info):
            return None
        self._made += 1
        seed = f"lazy {client.spec.id} {self._made}".encode()
        name = "L" + hashlib.sha256(seed).hexdigest()[:31].upper()
        context = str(info.get("browserContextId", ""))
        session = ClientSession(client, b"", name, target, "page", parent, context)
        session.lazy = LazyTab(session, on, info)
        if auto_attached:
            parent.auto_attach.sessions[target] = session
        self._hub.auto_attacher.show(session, info)
        return session

    def claim_session(self, on: ClientSession, params: Mapping[str, Any]) -> bool:
        """Give a new real session to the lazy session that waits for it.

        Returns whether one did.
        """
        target = params["targetInfo"]["targetId"]
        for tab in self.attaching:
            if tab.attach_session is on and tab.session.target == target:
                self.attaching.remove(tab)
                tab.bind(str(params["sessionId"]))
                return True
        return False

    def on_target_changed(self, client: RelayClient, info: Info) -> None:
        """Handle a change of a target's URL or title."""
        for session in list(client.sessions.values()):
            if session.lazy is not None and session.target == info["targetId"]:
                session.lazy.on_target_changed(info)

    def without_debugger(self, client: RelayClient, target: str) -> list[ClientSession]:
        """Return the sessions on a target that the browser knows nothing of."""
        on_it = [s for s in client.sessions.values() if s.target == target and not s.id]
        return [s for s in on_it if s.lazy is not None]


def _ignore_reply(result: dict[str, Any], error_text: str) -> None:
    """Ignore a reply that nobody waits for."""
