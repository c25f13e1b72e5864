"""One client of the relay: its sessions, what it may see, and where its commands go.

Knows: which sessions are the client's and what each takes. Must not know: sockets, tasks, or how
a browser-level command is carried out. A command for a page goes to the browser as it came, on a
real session of the client's own; what is decided here stands in the tables of commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.cdp.message import decode_object
from pilothouse.cdp.transport import MAX_OUTBOUND_BYTES
from pilothouse.errors import ConnectionLost
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.targets import AutoAttach, Filter
from pilothouse.relay.interfaces import ClientSpec, MessageSocket

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub
    from pilothouse.relay.hub.lazy_sessions import LazyTab

__all__ = ["ClientSession", "CommandHandler", "RelayClient"]

CommandHandler = Callable[["RelayClient", "ClientSession", ClientCommand], None]


class ClientSession:
    """A session of a client: a real one, or a tab's, which is made up.

    `shown` is its name to the client, `id` its name to the browser: they differ for the client's
    root, which is a browser session of its own that the client does not know of.
    """

    __slots__ = (
        "announced",
        "attach_params",
        "auth_enabled",
        "auto_attach",
        "auto_attached",
        "client",
        "context",
        "discover_filter",
        "dismissed",
        "forwards",
        "handlers",
        "id",
        "is_waiting",
        "kind",
        "lazy",
        "page_enabled",
        "parent",
        "pending_page",
        "target",
        "undecided",
        "visible_id",
    )

    def __init__(
        self,
        client: RelayClient,
        id: bytes,
        visible_id: str,
        target: str,
        kind: str,
        parent: ClientSession | None,
        context: str = "",
    ) -> None:
        self.client = client
        self.id = id
        self.visible_id = visible_id
        self.target = target
        self.kind = kind
        self.parent = parent
        self.context = context
        if kind == "page":
            client.used_targets.add(target)
        # What it takes, and how it is done: nothing else is sent on.
        self.handlers: Mapping[str, CommandHandler] = client.hub.handlers_for(kind)
        self.forwards = kind not in ("browser", "tab")
        self.auto_attach: AutoAttach | None = None
        # What it attached by itself: session by target.
        self.auto_attached: dict[str, ClientSession] = {}
        # A tab's page that waits to be command for.
        self.pending_page: ClientSession | None = None
        # What Chrome attached: not the client's, and perhaps the client's.
        self.dismissed: set[str] = set()
        self.undecided: dict[str, ClientSession] = {}
        # What Chrome said when it was attached, and whether its target waits for its word.
        self.attach_params: Mapping[str, Any] = {}
        self.is_waiting = False
        self.discover_filter: Filter | None = None
        self.announced: set[str] = set()
        # What it has enabled: dialogs come with pages, questions for passwords with requests.
        self.page_enabled = False
        self.auth_enabled = False
        # How it has a tab without a debugger; None when it is a real session.
        self.lazy: LazyTab | None = None


class RelayClient:
    """A guest of the relay that speaks CDP. Made by `Hub.join`."""

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
        # Its default cookie jar (empty: the browser's own), and those it made.
        self.context = context
        self.contexts: set[str] = set()
        self.opened_targets: set[str] = set()
        self.requested_tabs: set[str] = set(spec.tabs)
        # Every page that it had a session on, whether or not it still has.
        self.used_targets: set[str] = set()
        self.windows: set[int] = set()
        # What it did last in a page, in words, and when.
        self.last_action = ""
        self.last_action_at = 0.0
        self.acted_targets: set[str] = set()
        # Pages of the user's that it wanted to close: they stay open, and it is off them.
        self.withdrawn_targets: set[str] = set()
        # Settings for the jars it makes, and the jars whose downloads it redirected.
        self.context_options: Mapping[str, Any] = {}
        self.download_contexts: set[str] = set()
        self.files = hub.upstream.files(owner, spec)
        self.pending_creates = 0
        # Whether certificates that nobody vouches for will do.
        self.ignore_certificate_errors = False
        self.is_gone = False
        self.root = ClientSession(self, session, "", target, "browser", None)
        self.sessions: dict[str, ClientSession] = {"": self.root}

    @property
    def label(self) -> str:
        """What people know it by."""
        return self.spec.label or self.spec.id

    # The guest of a line.

    def on_message(self, message: bytes) -> None:
        """A command of the client."""
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
        """The client left: what was its own ends, what waited for it runs."""
        if not self.is_gone:
            self.is_gone = True
            self.hub.leave(self)

    # Answers.

    def forward(
        self,
        session: ClientSession,
        command: ClientCommand,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """Send a command on to the browser; the reply goes to the client as it comes."""
        if session.lazy is not None and not session.lazy.plain:
            session.lazy.forward(command, params)
        else:
            self.send_to_browser(session, command, params)

    def send_to_browser(
        self,
        session: ClientSession,
        command: ClientCommand,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        """The same for a session that is the browser's own."""
        body = bytes(command.params) if params is None else params
        if body == b"null":
            body = b"{}"
        hub = self.hub
        number = hub.connection.reserve_id()
        message = cdp_bytes.encode_command(number, command.method, body, session.id)
        if len(message) > MAX_OUTBOUND_BYTES:
            words = f"{command.method} is over {MAX_OUTBOUND_BYTES // 1024**2} MB; send it in parts"
            self.fail(session, command, words)
            return
        hub.pending[number] = (self, command.id, session)
        try:
            hub.connection.write(message)
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
        """Send a command of our own on a session of the client's."""
        self.hub.send_command(method, params, session.id, then)

    def reply(
        self,
        session: ClientSession,
        command: ClientCommand,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        """Answer a command ourselves."""
        self.socket.send(cdp_bytes.encode_result(command.id, result or {}, session.visible_id))

    def fail(
        self,
        session: ClientSession,
        command: ClientCommand,
        words: str,
        code: int = cdp_bytes.SERVER_ERROR,
    ) -> None:
        """Refuse a command."""
        self.socket.send(cdp_bytes.encode_error(command.id, code, words, session.visible_id))

    def send_event(self, session: ClientSession, method: str, params: Mapping[str, Any]) -> None:
        """Tell an event ourselves."""
        self.socket.send(cdp_bytes.encode_event(method, params, session.visible_id))

    def decode_params(self, command: ClientCommand) -> dict[str, Any]:
        """A command's params, read."""
        return decode_object(command.params) or {}

    # Sessions.

    def add_session(self, session: ClientSession) -> None:
        """A session of the client came into being."""
        self.sessions[session.visible_id] = session
        session.is_waiting = bool(session.attach_params.get("waitingForDebugger"))
        if session.id:
            self.hub.sessions[session.id] = session

    def remove_session(self, session: ClientSession) -> None:
        """A session ended, and all below it with it; the browser says nothing of those."""
        if self.sessions.pop(session.visible_id, None) is None:
            return
        self.hub.sessions.pop(session.id, None)
        for child in [s for s in self.sessions.values() if s.parent is session]:
            self.remove_session(child)
        if (
            session.parent is not None
            and session.parent.auto_attached.get(session.target) is session
        ):
            del session.parent.auto_attached[session.target]
        self.hub.forget_pending(session)
        if not self.sessions_on(session.target):
            self.hub.resume_barrier.stop_waiting_for(self, session.target)

    def apply_certificate_setting(self, page: ClientSession) -> None:
        """Have a page take any certificate, or no longer."""
        ignored = {"ignore": self.ignore_certificate_errors}
        self.send_command(
            page, "Security.setIgnoreCertificateErrors", ignored, lambda result, words: None
        )

    def browser_sessions(self) -> list[ClientSession]:
        """The root and those the client made beside it."""
        return [s for s in self.sessions.values() if s.kind == "browser"]

    def sessions_on(self, target: str) -> list[ClientSession]:
        """Its sessions on one target."""
        return [s for s in self.sessions.values() if s.target == target and s.id]

    # What it may see.

    def has_context(self, context: str) -> bool:
        """Whether a cookie jar is the client's."""
        return bool(context) and (context == self.context or context in self.contexts)

    def can_see(self, info: Mapping[str, Any]) -> bool:
        """Whether a target is the client's to see. Real tab targets never are."""
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
        """Whether a client that names a tab gets it: one that is its owner's, or that the user
        shares and its token lets it see. Never another owner's."""
        if str(info.get("targetId", "")) not in self.requested_tabs or self._anothers(info):
            return False
        return self.spec.grant.shared or self.hub.upstream.owner_of(info) == self.owner

    def _anothers(self, info: Mapping[str, Any]) -> bool:
        whose = self.hub.upstream.owner_of(info)
        return bool(whose) and whose != self.owner

    def can_see_target(self, target: str) -> bool:
        """The same, by id."""
        info = self.hub.targets.get(target)
        return info is not None and self.can_see(info)
