"""The types that the parts of the relay pass to each other.

    socket --MessageSocket--> MessageHandler (a client in the hub) --Connection--> managed browser
    socket --MessageSocket--> MessageHandler (an extension) --> the user's Chrome

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

# The grant of the user's own token: any owner, every shared tab.
OWN_GRANT = Grant(OWN_TOKEN)
# How often the relay pings an extension. The extension detaches from all tabs after three misses.
HEARTBEAT_S = 1.0

AttachMode = Literal["owned", "lazy", "eager"]
DialogResponder = Literal["client", "daemon"]


class MessageSocket(Protocol):
    """An open WebSocket that sends text messages. Its methods never raise."""

    def send(self, message: bytes) -> None:
        """Queue one message. A closed socket drops it; `on_disconnect` follows."""

    def unsent(self) -> int:
        """Return how many bytes the peer has not read yet."""

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the socket. `on_disconnect` follows."""


class MessageHandler(Protocol):
    """Receives the messages of a socket. Called from the event loop, in order; must not raise."""

    def on_message(self, message: bytes) -> None:
        """Handle one whole text message."""

    def on_disconnect(self, reason: str) -> None:
        """Handle the end of the socket. Called once, as the last call."""


@dataclass(frozen=True, slots=True)
class ClientSpec:
    """The options of a CDP client, from the query of its URL."""

    id: str
    label: str = ""
    # Which browser: "extension" (the user's Chrome) or "managed" (one that the daemon supervises).
    browser: str = "extension"
    # The owner whose tabs it uses; "" creates a new owner that ends with the client.
    owner: str = ""
    profile: str = ""
    attach: AttachMode = "owned"
    # Who answers JavaScript dialogs in its tabs.
    dialogs: DialogResponder = "client"
    # Tabs it gets besides those it opens: target ids, or names of the owner's tabs.
    tabs: tuple[str, ...] = ()
    # What its token allows.
    grant: Grant = OWN_GRANT


@dataclass(frozen=True, slots=True)
class Hello:
    """What an extension says about itself once it has proven the pairing secret."""

    install: str
    version: str
    product: str = ""
    user_agent: str = ""
    profile: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """A refused request: HTTP status, message and hint."""

    status: int
    message: str
    hint: str = ""
