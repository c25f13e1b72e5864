"""What the parts of the relay say to each other: plain values and four small interfaces.

    socket --Line--> Guest (hub) --Connection--> managed browser, or
                                 --Connection--> Lent --Line--> extension --> the user's Chrome

Knows: names and shapes. Must not know: how any part works.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pilothouse.security.relay_tokens import OWN_TOKEN, Grant

__all__ = [
    "HEARTBEAT_S",
    "OWN_GRANT",
    "AttachMode",
    "ClientSpec",
    "DialogResponder",
    "Hello",
    "HttpRefusal",
    "MessageHandler",
    "MessageSocket",
]

# The user's own token.
OWN_GRANT = Grant(OWN_TOKEN)
# How often the relay pings an extension. The extension lets all tabs go when it missed three.
HEARTBEAT_S = 1.0

AttachMode = Literal["owned", "lazy", "eager"]
DialogResponder = Literal["client", "daemon"]


class MessageSocket(Protocol):
    """One open WebSocket, seen from within. Text messages only; never raises."""

    def send(self, frame: bytes) -> None:
        """Queue one message; a line that is down drops it, and `on_gone` follows."""

    def unsent(self) -> int:
        """Bytes that the other side has not taken yet."""

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Close it. `on_gone` follows."""


class MessageHandler(Protocol):
    """Who listens to a line. Called from the event loop, in order; must not raise."""

    def on_message(self, frame: bytes) -> None:
        """One whole text message."""

    def on_disconnect(self, reason: str) -> None:
        """The line is down. Called once; nothing follows."""


@dataclass(frozen=True, slots=True)
class ClientSpec:
    """What a CDP client asked for when it came, from the query of its URL."""

    id: str
    label: str = ""
    # Which browser: "extension" (the user's Chrome) or "managed" (one that the daemon supervises).
    browser: str = "extension"
    # Whose tabs: an owner of the daemon; "" makes an owner of its own, which ends with the client.
    owner: str = ""
    profile: str = ""
    attach: AttachMode = "owned"
    # Who answers the dialogs of its own tabs.
    dialogs: DialogResponder = "client"
    # Tabs that it is given beside what it opens: target ids or names of the owner's tabs.
    tabs: tuple[str, ...] = ()
    # What its token lets it do.
    grant: Grant = OWN_GRANT


@dataclass(frozen=True, slots=True)
class Hello:
    """What an extension says of itself once it has proven the pairing secret."""

    install: str
    version: str
    product: str = ""
    user_agent: str = ""
    profile: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """Why a client cannot be let in: an HTTP status and words it can act on."""

    status: int
    message: str
    hint: str = ""
