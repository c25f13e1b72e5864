"""One client of the relay: its sessions, what it may see, and where its commands go.

Knows: which sessions are the client's and which handlers each has. Must not know: sockets, tasks,
or how a browser-level command is carried out. A command for a page is forwarded unread, on a real
session of the client's own; the tables in commands/ list the exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp.message import RawCommand, decode_object, encode_params
from pilothouse.cdp.transport import MAX_OUTBOUND_BYTES
from pilothouse.errors import ConnectionLost
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.session import ClientSession, SessionEvent
from pilothouse.relay.interfaces import ClientSpec, MessageSocket

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["RelayClient"]

_NULL = msgspec.Raw(b"null")


class RelayClient:
    """A CDP client. Created by `Hub.join`; handles the messages of its socket."""

    def __init__(
        self,
        hub: Hub,
        spec: ClientSpec,
        socket: MessageSocket,
        owner: str,
        context: str,
        session: bytes,
        target: str,
    ) -> None:
        self.hub = hub
        self.spec = spec
        self.socket = socket
        self.owner = owner
        # Its default browser context (empty: the browser's own), and those it created.
        self.context = context
        self.contexts: set[str] = set()
        self.opened_targets: set[str] = set()
        self.requested_tabs: set[str] = set(spec.tabs)
        # Every page it ever had a session on.
        self.used_targets: set[str] = set()
        self.windows: set[int] = set()
        # Its last action in a page, as text, and when.
        self.last_action = ""
        self.last_action_at = 0.0
        self.acted_targets: set[str] = set()
        # The user's own pages that it tried to close: they stay open, but it no longer sees them.
        self.withdrawn_targets: set[str] = set()
        # Params for contexts it creates, and the contexts whose downloads it redirected.
        self.context_options: Mapping[str, Any] = {}
        self.download_contexts: set[str] = set()
        self.files = hub.upstream.files(owner, spec)
        self.pending_creates = 0
        # Whether it accepts invalid certificates.
        self.ignore_certificate_errors = False
        self.is_gone = False
        self.root = ClientSession(self, session, "", target, "browser", None)
        self.sessions: dict[str, ClientSession] = {}
        hub.auto_attacher.advance(self.root, SessionEvent.SHOW)

    @property
    def label(self) -> str:
        """Return the name people know it by."""
        return self.spec.label or self.spec.id

    # MessageHandler.

    def on_message(self, message: bytes) -> None:
        """Run the handler of one command."""
        command = cdp_bytes.decode_command(message)
        if type(command) is not ClientCommand:
            self.socket.send(command.reply)  # type: ignore[union-attr]
            return
        session = self.sessions.get(command.sessionId)
        if session is None:
            self.socket.send(cdp_bytes.encode_session_not_found(command.id))
            return
        act = session.handlers.get(command.method)
        if act is not None:
            act(self, session, command)
        else:
            self.hub.reject_unknown(self, session, command)

    def on_disconnect(self, reason: str) -> None:
        """End what was the client's own, and let targets that waited for it run."""
        if not self.is_gone:
            self.is_gone = True
            self.hub.leave(self)

    # Commands and replies.

    def forward(
        self,
        session: ClientSession,
        command: ClientCommand,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Forward a command to the browser; the reply goes to the client unread."""
        if session.lazy is not None and not session.lazy.is_transparent:
            session.lazy.forward(command, params)
        else:
            self.send_to_browser(session, command, params)

    def send_to_browser(
        self,
        session: ClientSession,
        command: ClientCommand,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Forward a command on a session that the browser has."""
        body = command.params if params is None else encode_params(params)
        if body == _NULL:
            body = encode_params(None)
        hub = self.hub
        number = hub.connection.reserve_id()
        if len(body) > MAX_OUTBOUND_BYTES:
            error_text = (
                f"{command.method} is larger than {MAX_OUTBOUND_BYTES // 1024**2} MB; "
                "send it in parts"
            )
            self.fail(session, command, error_text)
            return
        hub.pending[number] = (self, command.id, session)
        try:
            hub.connection.write_command(
                RawCommand(number, command.method, body, session.id.decode())
            )
        except ConnectionLost as lost:
            if hub.pending.pop(number, None) is not None:
                self.fail(session, command, lost.message)

    def send_command(
        self,
        session: ClientSession,
        method: str,
        params: Mapping[str, Any],
        then: Callable[[dict[str, Any], str], None],
    ) -> None:
        """Send a command of our own on one of the client's sessions."""
        self.hub.send_command(method, params, session.id, then)

    def reply(
        self,
        session: ClientSession,
        command: ClientCommand,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        """Reply to a command ourselves."""
        self.socket.send(cdp_bytes.encode_result(command.id, result or {}, session.visible_id))

    def fail(
        self,
        session: ClientSession,
        command: ClientCommand,
        error_text: str,
        code: int = cdp_bytes.SERVER_ERROR,
    ) -> None:
        """Reply to a command with an error."""
        self.socket.send(cdp_bytes.encode_error(command.id, code, error_text, session.visible_id))

    def send_event(self, session: ClientSession, method: str, params: Mapping[str, Any]) -> None:
        """Send an event of our own to the client."""
        self.socket.send(cdp_bytes.encode_event(method, params, session.visible_id))

    def decode_params(self, command: ClientCommand) -> dict[str, Any]:
        """Decode a command's params."""
        return decode_object(command.params) or {}

    # Sessions.

    def apply_certificate_setting(self, page: ClientSession) -> None:
        """Make a page accept any certificate, or none but valid ones again."""
        ignored = {"ignore": self.ignore_certificate_errors}
        self.send_command(
            page, "Security.setIgnoreCertificateErrors", ignored, lambda result, error_text: None
        )

    def browser_sessions(self) -> list[ClientSession]:
        """Return the root session and those the client attached to the browser itself."""
        return [s for s in self.sessions.values() if s.kind == "browser"]

    def sessions_on(self, target: str) -> list[ClientSession]:
        """Return its real sessions on a target."""
        return [s for s in self.sessions.values() if s.target == target and s.id]

    # What it may see.

    def has_context(self, context: str) -> bool:
        """Return whether a browser context is the client's."""
        return bool(context) and (context == self.context or context in self.contexts)

    def can_see(self, info: Mapping[str, Any]) -> bool:
        """Return whether the client may see a target. Real tab targets are never visible."""
        kind, target = info.get("type"), str(info.get("targetId", ""))
        if kind in ("tab", "browser"):
            return target == self.root.target
        if target in self.withdrawn_targets:
            return False
        if target in self.opened_targets or self._is_given(info):
            return True
        if self.has_context(str(info.get("browserContextId", ""))):
            return True
        openers = self.hub.targets.openers(info)
        if any(
            t in self.opened_targets or t in self.requested_tabs for t in openers
        ) and not self._anothers(info):
            return True
        page = self.hub.page_of(info)
        if page is not None:
            return self.can_see(page)
        if target in self.hub.unassigned_targets:
            return False
        everything = self.spec.attach != "owned" or bool(self.spec.owner)
        if not everything or not self.hub.upstream.is_visible(self.owner, info):
            return False
        return self.spec.grant.shared or self.hub.upstream.owner_of(info) == self.owner

    def _is_given(self, info: Mapping[str, Any]) -> bool:
        """Return whether the client named this tab and may have it: its owner's, or shared by the
        user and allowed by its token. Never another owner's."""
        if str(info.get("targetId", "")) not in self.requested_tabs or self._anothers(info):
            return False
        return self.spec.grant.shared or self.hub.upstream.owner_of(info) == self.owner

    def _anothers(self, info: Mapping[str, Any]) -> bool:
        whose = self.hub.upstream.owner_of(info)
        return bool(whose) and whose != self.owner

    def can_see_target(self, target: str) -> bool:
        """Return whether the client may see a target, by id."""
        info = self.hub.targets.get(target)
        return info is not None and self.can_see(info)
