"""One flat CDP session of a client on the extension browser, and what it has set. Pure.

Knows: what is remembered about a session. Must not know: what its commands do.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pilothouse.relay.target_command_params import AutoAttach, Filter

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["DocumentScript", "FlatSession", "new_id"]


def new_id() -> str:
    """Return a new id in Chrome's format."""
    return secrets.token_hex(16).upper()


@dataclass(slots=True)
class DocumentScript:
    """A script for new documents. `wire_id` is its id in the current attachment; it changes when
    state is restored."""

    wire_id: str
    params: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class FlatSession:
    """A flat session. Without a debuggee it is a session of the browser itself."""

    id: str
    # The id of the session it was announced on; the root session's is "".
    parent: str = ""
    debuggee: Debuggee | None = None
    # Its parent's auto-attach created it.
    auto_attached: bool = False
    # It was created for the root session because another client attached to the tab.
    companion: bool = False
    discover: Filter | None = None
    auto_attach: AutoAttach | None = None
    # Domains it has enabled whose past events it is still to get.
    catching_up: set[str] = field(default_factory=set)
    # It gets Browser.download* events.
    wants_downloads: bool = False
    scripts: dict[str, DocumentScript] = field(default_factory=dict)
    bindings: dict[str, Mapping[str, Any]] = field(default_factory=dict)
