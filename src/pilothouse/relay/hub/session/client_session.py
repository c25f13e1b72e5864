"""One session of a client, and what has been set on it.

Knows: what is remembered about a session, and who may change it. Must not know: what changes it;
`state` is changed by `AutoAttacher.advance` only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.session.state_transitions import SHOWN, SessionState
from pilothouse.relay.target_command_params import AutoAttach, Filter, filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.hub.client import RelayClient
    from pilothouse.relay.hub.lazy_sessions import LazyTab

__all__ = [
    "AutoAttachment",
    "ChromeAttach",
    "ClientSession",
    "CommandHandler",
    "Discovery",
    "PromptEvents",
]

CommandHandler = Callable[["RelayClient", "ClientSession", ClientCommand], None]


class ChromeAttach(NamedTuple):
    """How the browser attached a session: on which session, and the params of its event."""

    on: ClientSession
    params: Mapping[str, Any]


@dataclass(slots=True)
class AutoAttachment:
    """What a session attaches by itself. `AutoAttacher` owns it."""

    # None: nothing.
    settings: AutoAttach | None = None
    # The sessions it attached, by target.
    sessions: dict[str, ClientSession] = field(default_factory=dict)
    # Targets that Chrome attached here, and that the hub dismissed: Chrome does not attach them
    # again.
    dismissed: set[str] = field(default_factory=set)

    def admits(self, kind: str) -> bool:
        """Return whether it attaches targets of a type."""
        return self.settings is not None and filter_admits(self.settings.filter, kind)

    @property
    def waits(self) -> bool:
        """Whether targets that it attaches wait for the debugger."""
        return self.settings is not None and self.settings.wait_for_debugger


@dataclass(slots=True)
class Discovery:
    """The targets that a browser session is told of. `ClientTargetDiscovery` owns it."""

    filter: Filter
    announced: set[str] = field(default_factory=set)


@dataclass(slots=True)
class PromptEvents:
    """Which events of the supervisor's a page session has asked for. The commands set them."""

    # `Page.enable` brings dialogs, `Fetch.enable` may bring authentication challenges.
    dialogs: bool = False
    auth: bool = False


class ClientSession:
    """A session of a client: a real one, a lazy one, or one on a made-up tab target.

    `visible_id` is its id for the client, `id` its id for the browser (empty if the browser has no
    such session). They differ for the client's root: a browser session the client does not know of.
    """

    __slots__ = (
        "attach",
        "auto_attach",
        "client",
        "context",
        "discovery",
        "handlers",
        "id",
        "kind",
        "lazy",
        "parent",
        "prompts",
        "state",
        "target",
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
        attach: ChromeAttach | None = None,
    ) -> None:
        self.client = client
        self.id = id
        self.visible_id = visible_id
        self.target = target
        self.kind = kind
        # The session it is, or will be, announced on.
        self.parent = parent
        self.context = context
        if kind == "page":
            client.used_targets.add(target)
        # Methods without a handler are refused.
        self.handlers: Mapping[str, CommandHandler] = client.hub.handlers_for(kind)
        self.state = SessionState.NEW
        # None for the root, made-up and lazy sessions.
        self.attach = attach
        self.auto_attach = AutoAttachment()
        # None: it is told of no targets.
        self.discovery: Discovery | None = None
        self.prompts = PromptEvents()
        # Set for a lazy session; None for a real one.
        self.lazy: LazyTab | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the client can use it now."""
        return self.state in SHOWN

    @property
    def is_waiting(self) -> bool:
        """Whether its target waits for the debugger."""
        return self.state is SessionState.WAITING

    @property
    def forwards(self) -> bool:
        """Whether it is on a page or below one: its commands are forwarded."""
        return self.kind not in ("browser", "tab")

    def has_announced(self, target: str) -> bool:
        """Return whether the client was told of a target on this session."""
        return self.discovery is not None and target in self.discovery.announced
