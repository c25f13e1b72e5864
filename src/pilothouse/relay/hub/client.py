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
from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.targets import AutoAttach, Filter
from pilothouse.relay.interfaces import ClientSpec, Line

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub
    from pilothouse.relay.hub.lazy_sessions import LazyTab

__all__ = ["Act", "Client", "ClientSession"]

Act = Callable[["Client", "ClientSession", Asked], None]


class ClientSession:
    """A session of a client: a real one, or a tab's, which is made up.

    `shown` is its name to the client, `id` its name to the browser: they differ for the client's
    root, which is a browser session of its own that the client does not know of.
    """

    __slots__ = (
        "acts",
        "auto",
        "below",
        "by_itself",
        "client",
        "context",
        "discover",
        "dismissed",
        "forwards",
        "id",
        "kind",
        "lazy",
        "pages",
        "parent",
        "passwords",
        "shown",
        "target",
        "told",
        "told_of",
        "undecided",
        "waits",
    )

    def __init__(
        self,
        client: Client,
        id: bytes,
        shown: str,
        target: str,
        kind: str,
        parent: ClientSession | None,
        context: str = "",
    ) -> None:
        self.client = client
        self.id = id
        self.shown = shown
        self.target = target
        self.kind = kind
        self.parent = parent
        self.context = context
        if kind == "page":
            client.used.add(target)
        # What it takes, and how it is done: nothing else is sent on.
        self.acts: Mapping[str, Act] = client.hub.acts(kind)
        self.forwards = kind not in ("browser", "tab")
        self.auto: AutoAttach | None = None
        # What it attached by itself: session by target.
        self.by_itself: dict[str, ClientSession] = {}
        # A tab's page that waits to be asked for.
        self.below: ClientSession | None = None
        # What Chrome attached: not the client's, and perhaps the client's.
        self.dismissed: set[str] = set()
        self.undecided: dict[str, ClientSession] = {}
        # What Chrome said when it was attached, and whether its target waits for its word.
        self.told_of: Mapping[str, Any] = {}
        self.waits = False
        self.discover: Filter | None = None
        self.told: set[str] = set()
        # What it has enabled: dialogs come with pages, questions for passwords with requests.
        self.pages = False
        self.passwords = False
        # How it has a tab without a debugger; None when it is a real session.
        self.lazy: LazyTab | None = None


class Client:
    """A guest of the relay that speaks CDP. Made by `Hub.join`."""

    def __init__(
        self,
        hub: Hub,
        spec: ClientSpec,
        line: Line,
        owner: str,
        context: str,
        session: bytes,
        target: str,
    ) -> None:
        self.hub = hub
        self.spec = spec
        self.line = line
        self.owner = owner
        # Its default cookie jar (empty: the browser's own), and those it made.
        self.context = context
        self.contexts: set[str] = set()
        self.opened: set[str] = set()
        self.given: set[str] = set(spec.tabs)
        # Every page that it had a session on, whether or not it still has.
        self.used: set[str] = set()
        self.windows: set[int] = set()
        # What it did last in a page, in words, and when.
        self.did = ""
        self.did_at = 0.0
        self.touched: set[str] = set()
        # Pages of the user's that it wanted to close: they stay open, and it is off them.
        self.withdrawn: set[str] = set()
        # Settings for the jars it makes, and the jars whose downloads it redirected.
        self.jar: Mapping[str, Any] = {}
        self.downloads: set[str] = set()
        self.files = hub.upstream.files(owner, spec)
        self.creating = 0
        # Whether certificates that nobody vouches for will do.
        self.lax = False
        self.gone = False
        self.root = ClientSession(self, session, "", target, "browser", None)
        self.sessions: dict[str, ClientSession] = {"": self.root}

    @property
    def label(self) -> str:
        """What people know it by."""
        return self.spec.label or self.spec.id

    # The guest of a line.

    def on_frame(self, frame: bytes) -> None:
        """A command of the client."""
        asked = frames.read_asked(frame)
        if type(asked) is not Asked:
            self.line.send(asked.answer)  # type: ignore[union-attr]
            return
        session = self.sessions.get(asked.sessionId)
        if session is None:
            self.line.send(frames.session_gone(asked.id))
            return
        act = session.acts.get(asked.method)
        if act is not None:
            act(self, session, asked)
        else:
            self.hub.unknown(self, session, asked)

    def on_gone(self, reason: str) -> None:
        """The client left: what was its own ends, what waited for it runs."""
        if not self.gone:
            self.gone = True
            self.hub.leave(self)

    # Answers.

    def forward(
        self, session: ClientSession, asked: Asked, params: Mapping[str, Any] | None = None
    ) -> None:
        """Send a command on to the browser; the reply goes to the client as it comes."""
        if session.lazy is not None and not session.lazy.plain:
            session.lazy.forward(asked, params)
        else:
            self.transmit(session, asked, params)

    def transmit(
        self, session: ClientSession, asked: Asked, params: Mapping[str, Any] | None = None
    ) -> None:
        """The same for a session that is the browser's own."""
        body = bytes(asked.params) if params is None else params
        if body == b"null":
            body = b"{}"
        hub = self.hub
        number = hub.connection.reserve_id()
        frame = frames.command(number, asked.method, body, session.id)
        if len(frame) > MAX_OUTBOUND_BYTES:
            words = f"{asked.method} is over {MAX_OUTBOUND_BYTES // 1024**2} MB; send it in parts"
            self.fail(session, asked, words)
            return
        hub.pending[number] = (self, asked.id, session)
        try:
            hub.connection.write(frame)
        except ConnectionLost as lost:
            if hub.pending.pop(number, None) is not None:
                self.fail(session, asked, lost.message)

    def ask(
        self,
        session: ClientSession,
        method: str,
        params: Mapping[str, Any],
        then: Callable[[dict[str, Any], str], None],
    ) -> None:
        """Send a command of our own on a session of the client's."""
        self.hub.ask(method, params, session.id, then)

    def reply(
        self, session: ClientSession, asked: Asked, result: Mapping[str, Any] | None = None
    ) -> None:
        """Answer a command ourselves."""
        self.line.send(frames.result(asked.id, result or {}, session.shown))

    def fail(
        self, session: ClientSession, asked: Asked, words: str, code: int = frames.SERVER_ERROR
    ) -> None:
        """Refuse a command."""
        self.line.send(frames.error(asked.id, code, words, session.shown))

    def tell(self, session: ClientSession, method: str, params: Mapping[str, Any]) -> None:
        """Tell an event ourselves."""
        self.line.send(frames.event(method, params, session.shown))

    def params(self, asked: Asked) -> dict[str, Any]:
        """A command's params, read."""
        return decode_object(asked.params) or {}

    # Sessions.

    def adopt(self, session: ClientSession) -> None:
        """A session of the client came into being."""
        self.sessions[session.shown] = session
        session.waits = bool(session.told_of.get("waitingForDebugger"))
        if session.id:
            self.hub.sessions[session.id] = session

    def drop(self, session: ClientSession) -> None:
        """A session ended, and all below it with it; the browser says nothing of those."""
        if self.sessions.pop(session.shown, None) is None:
            return
        self.hub.sessions.pop(session.id, None)
        for child in [s for s in self.sessions.values() if s.parent is session]:
            self.drop(child)
        if session.parent is not None and session.parent.by_itself.get(session.target) is session:
            del session.parent.by_itself[session.target]
        self.hub.forget_pending(session)
        if not self.on_target(session.target):
            self.hub.waiting.left(self, session.target)

    def ease(self, page: ClientSession) -> None:
        """Have a page take any certificate, or no longer."""
        ignored = {"ignore": self.lax}
        self.ask(page, "Security.setIgnoreCertificateErrors", ignored, lambda result, words: None)

    def browser_sessions(self) -> list[ClientSession]:
        """The root and those the client made beside it."""
        return [s for s in self.sessions.values() if s.kind == "browser"]

    def on_target(self, target: str) -> list[ClientSession]:
        """Its sessions on one target."""
        return [s for s in self.sessions.values() if s.target == target and s.id]

    # What it may see.

    def has_context(self, context: str) -> bool:
        """Whether a cookie jar is the client's."""
        return bool(context) and (context == self.context or context in self.contexts)

    def sees(self, info: Mapping[str, Any]) -> bool:
        """Whether a target is the client's to see. Real tab targets never are."""
        kind, target = info.get("type"), str(info.get("targetId", ""))
        if kind in ("tab", "browser"):
            return target == self.root.target
        if target in self.withdrawn:
            return False
        if target in self.opened or self._is_given(info):
            return True
        if self.has_context(str(info.get("browserContextId", ""))):
            return True
        openers = self.hub.targets.openers(info)
        if any(t in self.opened or t in self.given for t in openers) and not self._anothers(info):
            return True
        page = self.hub.page_of(info)
        if page is not None:
            return self.sees(page)
        if target in self.hub.unsettled:
            return False
        everything = self.spec.attach != "owned" or bool(self.spec.owner)
        if not everything or not self.hub.upstream.sees(self.owner, info):
            return False
        return self.spec.grant.shared or self.hub.upstream.whose(info) == self.owner

    def _is_given(self, info: Mapping[str, Any]) -> bool:
        """Whether a client that names a tab gets it: one that is its owner's, or that the user
        shares and its token lets it see. Never another owner's."""
        if str(info.get("targetId", "")) not in self.given or self._anothers(info):
            return False
        return self.spec.grant.shared or self.hub.upstream.whose(info) == self.owner

    def _anothers(self, info: Mapping[str, Any]) -> bool:
        whose = self.hub.upstream.whose(info)
        return bool(whose) and whose != self.owner

    def sees_target(self, target: str) -> bool:
        """The same, by id."""
        info = self.hub.targets.get(target)
        return info is not None and self.sees(info)
