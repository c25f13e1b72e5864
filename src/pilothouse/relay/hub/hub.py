"""The hub: outside clients on a browser that is supervised at the same time.

Knows: which message of the browser belongs to which client. Must not know: sockets or HTTP (a
`MessageSocket` is all it has of a client), or who opened the browser (see `Upstream`). Each client
has a browser session of its own. Messages of its sessions bypass the connection's router and go to
the client's socket, almost unread, in the order the browser sent them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pilothouse.asyncio_tasks import Tasks
from pilothouse.cdp import SessionId
from pilothouse.cdp.message import (
    Envelope,
    RawCommand,
    decode_envelope,
    decode_object,
    encode_envelope,
    encode_params,
)
from pilothouse.errors import ConnectionLost, PilothouseError
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.auth_challenges import AuthChallenges
from pilothouse.relay.hub.browser_provider_callbacks import Upstream
from pilothouse.relay.hub.cdp_action_descriptions import action_words, in_page, node_name
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.client_target_discovery import ClientTargetDiscovery
from pilothouse.relay.hub.commands.browser_and_storage import ROOT_COMMANDS
from pilothouse.relay.hub.commands.page_session import PAGE_COMMANDS
from pilothouse.relay.hub.commands.synthetic_tab_session import TAB_COMMANDS
from pilothouse.relay.hub.dialog_attribution import DialogAttribution
from pilothouse.relay.hub.dialogs import ClientDialogs
from pilothouse.relay.hub.downloads import DOWNLOAD_EVENTS, ClientDownloads
from pilothouse.relay.hub.known_target_infos import TargetList
from pilothouse.relay.hub.resume_barrier import ResumeBarrier
from pilothouse.relay.hub.session import ClientSession, CommandHandler
from pilothouse.relay.hub.tab_activity_and_conflicts import ConflictDetector
from pilothouse.relay.hub.tab_and_context_tasks import ClientTasks
from pilothouse.relay.hub.target_attachment import AutoAttacher
from pilothouse.relay.hub.unanswered_command_log import Watchdog
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal, MessageHandler, MessageSocket
from pilothouse.supervisor.model import OwnerSet, Tab, TabKey

__all__ = ["Hub", "Upstream"]

_log = logging.getLogger(__name__)

JOIN_TIMEOUT_S = 30.0
# A script counts as an action of its own only this long after the last action.
SCRIPTS_AFTER_S = 2.0

ReplyCallback = Callable[[dict[str, Any], str], None]
# A forwarded command: its client, the client's id for it, and its session.
ForwardedCommand = tuple[RelayClient, int, ClientSession]


class Hub:
    """All clients of one browser. `join` lets one in; `close` disconnects all."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.connection = upstream.connection
        self.supervisor = upstream.supervisor
        self.targets = TargetList()
        self.conflict_detector = ConflictDetector()
        self.resume_barrier = ResumeBarrier()
        self.tasks = Tasks()
        self.pending: dict[int, ForwardedCommand | ReplyCallback] = {}
        self.sessions: dict[bytes, ClientSession] = {}
        self.discovery = ClientTargetDiscovery(self)
        self.auto_attacher = AutoAttacher(self)
        self.dialog_attribution = DialogAttribution()
        self.dialogs = ClientDialogs(self)
        self.auth_challenges = AuthChallenges(self)
        self.client_tasks = ClientTasks(self)
        self.downloads = ClientDownloads(self)
        self.watchdog = Watchdog(self)
        # Pages created while someone was opening a tab: their owner is not known yet.
        self.unassigned_targets: set[str] = set()
        self._clients: list[RelayClient] = []
        self._running: dict[str, list[asyncio.Future[None]]] = {}
        # The hub's own browser session, which discovers targets.
        self.own_session = b""
        self._default = ""
        self._opening: asyncio.Task[None] | None = None
        self._browsers_expected = 0
        self._browsers: dict[str, str] = {}
        self._leave: list[Callable[[], None]] = []
        self._bridge = upstream.supervisor.setup.bridge_url.encode()

    # Joining and leaving.

    async def join(self, spec: ClientSpec, socket: MessageSocket) -> MessageHandler | HttpRefusal:
        """Let a client in. It may send messages as soon as this returns."""
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                await self._open()
                owner = spec.owner or f"client-{spec.id}"
                context = await self.upstream.context(owner)
                session, target = await self._browser_session()
                jar = await self.upstream.context_options(owner)
        except (PilothouseError, TimeoutError) as error:
            return HttpRefusal(503, f"the browser did not accept the client: {error}")
        client = RelayClient(self, spec, socket, owner, context, session, target)
        client.context_options = jar
        self._clients.append(client)
        self.watchdog.start()
        return client

    def clients(self) -> list[RelayClient]:
        """Return the connected clients."""
        return list(self._clients)

    def conflicts(self) -> list[str]:
        """Describe where clients got in each other's way, newest last."""
        return self.conflict_detector.conflicts()

    async def close(self) -> None:
        """Disconnect all clients and detach from the browser."""
        for client in list(self._clients):
            client.socket.close(1001, "the relay is closing")
            client.on_disconnect("the relay is closing")
        if self.own_session:
            self._detach(self.own_session)
        for leave in self._leave:
            leave()
        self._leave.clear()
        self.own_session = b""
        await self.tasks.close()
        if self.connection.interceptor is self:
            self.connection.interceptor = None

    def leave(self, client: RelayClient) -> None:
        """Clean up after a client: end its sessions, let held targets run."""
        self._clients.remove(client)
        if not self._clients:
            self.watchdog.stop()
        self.auto_attacher.forget_client(client)
        self.dialogs.forget_client(client)
        self.conflict_detector.forget_client(client.label)
        for session in list(client.sessions.values()):
            self.sessions.pop(session.id, None)
            self.mark_running(session.target)
        client.sessions = {"": client.root}
        for number in [n for n, w in self.pending.items() if type(w) is tuple and w[0] is client]:
            del self.pending[number]
        self.resume_barrier.stop_waiting_for(client)
        self.announce_unassigned()
        self._restore_downloads(client)
        self.downloads.forget_client(client)
        self._detach(client.root.id)
        # Last: this starts a task that may close the hub.
        used = frozenset(client.used_targets | client.opened_targets)
        self.upstream.on_client_left(client.owner, client.spec.id, used)

    def _restore_downloads(self, client: RelayClient) -> None:
        """Point downloads that a client redirected to the daemon's own folder again."""
        folder = self.supervisor.options.downloads
        params: dict[str, Any] = {"behavior": "default"}
        if folder:
            params = {"behavior": "allowAndName", "downloadPath": folder, "eventsEnabled": True}
        stale = (
            client.download_contexts - client.contexts
            if folder or not self.upstream.is_extension
            else ()
        )
        for context in stale:
            jar = {"browserContextId": context} if context else {}
            self.send_command("Browser.setDownloadBehavior", {**params, **jar}, b"", _ignore_reply)

    async def _open(self) -> None:
        """Open the hub's own browser session, once per connection to the browser."""
        if self._opening is None or (self._opening.done() and not self.own_session):
            self._opening = self.tasks.start(self._listen(), "listen to a browser")
        await asyncio.shield(self._opening)

    async def _listen(self) -> None:
        self.connection.interceptor = self
        if not self._leave:
            self._leave = [
                self.supervisor.observe(self.auto_attacher.observe),
                self.supervisor.observe(self.dialogs.observe),
                self.supervisor.observe(lambda event, state, effects: self.announce_unassigned()),
                self.supervisor.resume_gate.hold(self.auto_attacher.holds_session),
                self.connection.on_any_event(self.auth_challenges.on_event),
            ]
            self.supervisor.url_policy.is_used_by_relay = self._visited
        self.own_session, _ = await self._browser_session()
        try:
            listed = await self.call("Target.getBrowserContexts", {}, self.own_session)
            self._default = str(listed.get("defaultBrowserContextId", ""))
            everything = {"discover": True, "filter": [{}]}
            await self.call("Target.setDiscoverTargets", everything, self.own_session)
        except PilothouseError:
            self.own_session = b""  # so that the next client tries again
            raise

    def _visited(self, tab: Tab) -> bool:
        """Return whether a client has a session on a tab."""
        return any(client.sessions_on(tab.target_id) for client in self._clients)

    async def _browser_session(self) -> tuple[bytes, str]:
        """Attach a new browser session. Returns its id and its own target id."""
        self._browsers_expected += 1
        try:
            made = await self.call("Target.attachToBrowserTarget", {})
        finally:
            self._browsers_expected -= 1
        session = str(made["sessionId"])
        return session.encode(), self._browsers.pop(session, "")

    def _detach(self, session: bytes) -> None:
        if session:
            self.send_command(
                "Target.detachFromTarget", {"sessionId": session.decode()}, b"", _ignore_reply
            )

    # Commands of the hub itself.

    def send_command(
        self, method: str, params: Mapping[str, Any], session: bytes, then: ReplyCallback
    ) -> None:
        """Send a command.

        `then` gets the result and the error text (empty on success). It runs in the reader, in the
        order of the browser's messages.
        """
        number = self.connection.reserve_id()
        self.pending[number] = then
        try:
            self.connection.write_command(
                RawCommand(number, method, encode_params(params), session.decode())
            )
        except ConnectionLost as lost:
            if self.pending.pop(number, None) is not None:
                then({}, lost.message)

    async def call(
        self, method: str, params: Mapping[str, Any], session: bytes = b""
    ) -> dict[str, Any]:
        """Send a command and wait for its result. Raises ConnectionLost when it fails."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def then(result: dict[str, Any], error_text: str) -> None:
            if future.done():
                return
            if error_text:
                future.set_exception(ConnectionLost(f"{method}: {error_text}"))
            else:
                future.set_result(result)

        self.send_command(method, params, session, then)
        return await future

    # MessageInterceptor: messages from the browser.

    def intercept(self, message: bytes) -> bool:
        """See `MessageInterceptor`."""
        try:
            return self._take_message(message)
        except Exception:  # noqa: BLE001 - one bad message must not end the connection
            self._log_failure(cdp_bytes.read_method(message).decode())
            return True

    def intercept_envelope(self, message: Envelope) -> bool:
        """See `MessageInterceptor`."""
        try:
            return self._take_envelope(message)
        except Exception:  # noqa: BLE001 - one bad message must not end the connection
            self._log_failure(message.method)
            return True

    def _log_failure(self, method: str | None) -> None:
        _log.exception("a message could not be relayed: %s", method or "a reply")

    def _take_message(self, message: bytes) -> bool:
        number, end = cdp_bytes.read_reply_id(message)
        if number >= 0:
            waiting = self.pending.pop(number, None)
            if waiting is None:
                return False
            # A tuple is a client's forwarded command; anything else is a callback of our own.
            if type(waiting) is tuple:
                client, own, session = waiting
                message = cdp_bytes.replace_id(message, end, own)
                if not session.visible_id:
                    message = cdp_bytes.replace_session(message)
                elif session.lazy is not None:
                    message = session.lazy.rewrite_reply(own, message)
                client.socket.send(message)
            else:
                self._run_callback(waiting, decode_envelope(message))  # type: ignore[arg-type]
            return True
        name = cdp_bytes.read_session(message)
        if not name:
            return self._take_other(message)
        session_found = self.sessions.get(name)
        if session_found is not None:
            self._event(session_found, message)
            return True
        if name == self.own_session:
            self.discovery.on_event(
                cdp_bytes.read_method(message).decode(), cdp_bytes.read_params(message)
            )
            return True
        return self.auto_attacher.is_hidden(name)

    def _take_envelope(self, message: Envelope) -> bool:
        """Take a decoded message. It is encoded once, for the client's socket."""
        if message.id is not None:
            waiting = self.pending.pop(message.id, None)
            if waiting is None:
                return False
            if type(waiting) is tuple:
                client, own, session = waiting
                message.id, message.sessionId = own, SessionId(session.visible_id)
                encoded = encode_envelope(message)
                if session.lazy is not None:
                    encoded = session.lazy.rewrite_reply(own, encoded)
                client.socket.send(encoded)
            else:
                self._run_callback(waiting, message)  # type: ignore[arg-type]
            return True
        name, method = message.sessionId.encode(), message.method or ""
        if not name:
            return self._expects_browser(method, message.params)
        session_found = self.sessions.get(name)
        if session_found is not None:
            if method.startswith("Target.") and session_found.lazy is None:
                params = decode_object(message.params) or {}
                self.auto_attacher.on_target_event(session_found, method, params)
            else:
                self._event(session_found, encode_envelope(message))
            return True
        if name == self.own_session:
            self.discovery.on_event(method, decode_object(message.params) or {})
            return True
        return self.auto_attacher.is_hidden(name)

    def _event(self, session: ClientSession, message: bytes) -> None:
        if message.startswith(b'{"method":"Target.'):
            if session.lazy is None or not session.lazy.hold_event(message):
                method, params = cdp_bytes.read_method(message), cdp_bytes.read_params(message)
                self.auto_attacher.on_target_event(session, method.decode(), params)
        elif message.startswith(b'{"method":"Page.javascriptDialog'):
            return  # the supervisor holds dialogs; clients hear of them through `ClientDialogs`
        elif message.startswith(_BRIDGED) and self._bridge in message:
            self.dialogs.continue_bridge_request(session, message)
        elif message.startswith(_PARSED) and b'"url":"__pilothouse' in message:
            return  # the supervisor's own scripts
        elif session.lazy is not None:
            session.lazy.on_event(message)
        elif session.kind == "browser" and message.startswith(DOWNLOAD_EVENTS):
            self._send_download_event(session, message)
        elif session.visible_id:
            session.client.socket.send(message)
        else:
            session.client.socket.send(cdp_bytes.replace_session(message))

    def _send_download_event(self, session: ClientSession, message: bytes) -> None:
        event = self.downloads.rewrite_event(session, message)
        if event is not None:
            session.client.socket.send(
                event if session.visible_id else cdp_bytes.replace_session(event)
            )

    def _take_other(self, message: bytes) -> bool:
        """Take a message without a session id at its end: one of the browser's own, or in another
        layout."""
        if message.startswith(b'{"method":"') and b'"sessionId":"' not in message[:240]:
            return False
        usual = cdp_bytes.to_chrome_layout(message)
        if usual and usual != message:
            number, _ = cdp_bytes.read_reply_id(usual)
            if number >= 0 or cdp_bytes.read_session(usual):
                return self.intercept(usual)
        envelope = decode_envelope(usual)
        return envelope is not None and self._expects_browser(
            envelope.method or "", envelope.params
        )

    def _expects_browser(self, method: str, raw: msgspec.Raw) -> bool:
        """Take the event of a browser session that the hub attached; return whether it is one."""
        if not self._browsers_expected or method != "Target.attachedToTarget":
            return False
        params = decode_object(raw) or {}
        if params["targetInfo"]["type"] != "browser":
            return False
        self._browsers[params["sessionId"]] = params["targetInfo"]["targetId"]
        return True

    def _run_callback(self, then: ReplyCallback, envelope: Envelope | None) -> None:
        if envelope is None or envelope.error is not None:
            error_text = envelope.error.message if envelope and envelope.error else "no reply"
            then({}, error_text or "the command failed")
        else:
            then(decode_object(envelope.result) or {}, "")

    def has_pending_commands(self) -> bool:
        """See `MessageInterceptor`."""
        return bool(self.pending)

    def on_connection_lost(self, reason: str) -> None:
        """See `MessageInterceptor`: fail pending commands and disconnect every client."""
        pending, self.pending = self.pending, {}
        self.sessions.clear()
        self.own_session = b""
        self.targets = TargetList()
        self.unassigned_targets.clear()
        error_text = f"the connection to the browser was lost: {reason}"
        for waiting in pending.values():
            if type(waiting) is tuple:
                client, own, session = waiting
                client.socket.send(
                    cdp_bytes.encode_error(
                        own, cdp_bytes.SERVER_ERROR, error_text, session.visible_id
                    )
                )
            else:
                waiting({}, error_text)  # type: ignore[operator]
        for client in list(self._clients):
            for session in client.sessions.values():
                if session.parent is not None and session.parent.kind == "browser":
                    params = {"sessionId": session.visible_id, "targetId": session.target}
                    client.send_event(session.parent, "Target.detachedFromTarget", params)
            client.socket.close(1001, "the browser is gone")

    # Called by command handlers.

    def handlers_for(self, kind: str) -> Mapping[str, CommandHandler]:
        """Return the complete command table for a kind of session."""
        match kind:
            case "browser":
                return ROOT_COMMANDS
            case "tab":
                return TAB_COMMANDS
        return PAGE_COMMANDS

    def reject_unknown(
        self, client: RelayClient, session: ClientSession, command: ClientCommand
    ) -> None:
        """Reply that a command does not exist. Methods in no table do not exist for clients."""
        client.socket.send(
            cdp_bytes.encode_not_found(command.id, command.method, session.visible_id)
        )

    def forget_pending(self, session: ClientSession) -> None:
        """Drop the pending commands of an ended session: Chrome replies to none of them."""
        for number, waiting in list(self.pending.items()):
            if type(waiting) is tuple and waiting[2] is session:
                del self.pending[number]

    def on_tab_opened(self, client: RelayClient, target: str) -> None:
        """Assign a tab that a client opened to the client's owner."""
        if self.upstream.on_tab_opened is not None:
            self.upstream.on_tab_opened(client.owner, target)
        else:
            self.supervisor.feed(OwnerSet(self.supervisor.now(), target, TabKey(client.owner)))

    def on_page_created(self, target: str) -> None:
        """Hold back a new page's announcement while someone may be opening it."""
        if self.upstream.is_extension and self._is_opening():
            self.unassigned_targets.add(target)

    def announce_unassigned(self) -> None:
        """Announce held-back pages once it is known whose each is."""
        if not self.unassigned_targets or self._is_opening():
            return
        came, self.unassigned_targets = self.unassigned_targets, set()
        for info in [info for target in came if (info := self.targets.get(target)) is not None]:
            for client in self.clients():
                self.discovery.announce(client, info)

    def _is_opening(self) -> bool:
        return self.supervisor.opening_tabs > 0 or any(
            client.pending_creates for client in self._clients
        )

    def record_action(self, session: ClientSession, command: ClientCommand) -> None:
        """Record that a client acts on a page, for conflicts, dialogs and people."""
        now = self.supervisor.now()
        params = session.client.decode_params(command)
        action = action_words(command.method, params)
        text = in_page(action or "moved the mouse", self._title(session))
        self.conflict_detector.record_action(session.target, session.client.label, text, now)
        self.dialog_attribution.record_command(session, command.id, now, is_action=True)
        if action:
            self._set_last_action(session, action, now)
        if action == "clicked" and self.upstream.is_extension and session.id:
            self._name_clicked(session, params, now)

    def record_read(self, session: ClientSession, command: ClientCommand) -> None:
        """Record that a client reads a page or runs a script in it."""
        self._set_last_action(session, action_words(command.method, {}), self.supervisor.now())

    def _set_last_action(self, session: ClientSession, action: str, now: float) -> None:
        client = session.client
        client.acted_targets.add(session.target)
        # Clients run scripts all the time: a script right after a click belongs to the click.
        if action != "ran a script" or now - client.last_action_at > SCRIPTS_AFTER_S:
            client.last_action, client.last_action_at = in_page(action, self._title(session)), now

    def _title(self, session: ClientSession) -> str:
        info = self.targets.get(session.target)
        return str(info.get("title", "")) if info is not None else ""

    def _name_clicked(self, session: ClientSession, params: Mapping[str, Any], now: float) -> None:
        """Look up what a click hits, for the person watching. Sent before the click itself."""
        client = session.client

        def on_node(node: dict[str, Any], error_text: str) -> None:
            if not error_text and node.get("backendNodeId"):
                params = {"backendNodeId": node["backendNodeId"], "depth": 3}
                client.send_command(session, "DOM.describeNode", params, on_description)

        def on_description(result: dict[str, Any], error_text: str) -> None:
            name = node_name(result.get("node") or {})
            # A later action may have replaced this click meanwhile.
            if not error_text and name and client.last_action_at == now:
                client.last_action = in_page(f"clicked {name}", self._title(session))

        point = {key: round(float(params.get(key) or 0)) for key in ("x", "y")}
        client.send_command(session, "DOM.getNodeForLocation", point, on_node)

    def is_pending(self, client: RelayClient, number: int) -> bool:
        """Return whether a command of a client has no reply yet."""
        waiting = (w for w in self.pending.values() if type(w) is tuple)
        return any(w[0] is client and w[1] == number for w in waiting)

    def is_alone(self, client: RelayClient) -> bool:
        """Return whether every tab of this browser is the client's.

        A blank tab without an owner does not count.
        """
        tabs = self.supervisor.state.tabs.values()
        others = [tab for tab in tabs if tab.owner or tab.url != "about:blank"]
        return all(client.can_see_target(tab.target_id) for tab in others)

    def default_context(self) -> str:
        """Return the id of the browser's default context; empty while unknown."""
        return self._default

    def mark_running(self, target: str) -> None:
        """Wake those who wait for a target to run."""
        for running in self._running.pop(target, ()):
            if not running.done():
                running.set_result(None)

    async def wait_until_running(self, client: RelayClient, target: str) -> None:
        """Wait until a client has let its target run."""
        while any(session.is_waiting for session in client.sessions_on(target)):
            running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._running.setdefault(target, []).append(running)
            await running

    def page_of(self, info: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the page that an out-of-process frame is in."""
        if info.get("type") != "iframe":
            return None
        state = self.supervisor.state
        message = state.frames.get(str(info.get("targetId", "")))
        tab = state.tabs.get(message.tab) if message is not None else None
        return self.targets.get(tab.target_id) if tab is not None else None


_PARSED = b'{"method":"Debugger.scriptParsed"'
_BRIDGED = (b'{"method":"Network.', b'{"method":"Fetch.')


def _ignore_reply(result: dict[str, Any], error_text: str) -> None:
    """Ignore a reply that nobody waits for."""
