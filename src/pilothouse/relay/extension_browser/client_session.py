"""One session of a client on a lent browser: whose it is and what it has set. Pure.

Knows: what is remembered of a session. Must not know: what its commands do.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.types import DEFAULT_FILTER, Filter

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["AutoAttachOptions", "DocumentScript", "FlatSession", "new_id", "read_filter"]


def new_id() -> str:
    """An id as Chrome makes them."""
    return secrets.token_hex(16).upper()


def read_filter(params: Mapping[str, Any]) -> Filter:
    """The target filter of a command, else Chrome's own."""
    given = params.get("filter")
    return given if isinstance(given, list) else DEFAULT_FILTER


@dataclass(frozen=True, slots=True)
class AutoAttachOptions:
    """What a session wants attached by itself."""

    wanted: Filter
    waits: bool

    @classmethod
    def read(cls, params: Mapping[str, Any]) -> AutoAttachOptions | None:
        """What `Target.setAutoAttach` asks for; None when it asks for none."""
        if params.get("autoAttach") is not True:
            return None
        return cls(read_filter(params), params.get("waitForDebuggerOnStart") is True)


@dataclass(slots=True)
class DocumentScript:
    """A script for every new document, by the id that the debugger of now knows it by."""

    wire_id: str
    params: Mapping[str, Any]


@dataclass(eq=False, slots=True)
class FlatSession:
    """A flat session. Without a debuggee it is one of the browser itself."""

    id: str
    # The session that it was announced on; the root's is "".
    parent: str = ""
    debuggee: Debuggee | None = None
    # It came because its parent attaches by itself.
    auto_attached: bool = False
    # It was given to the root because somebody else came to the tab.
    companion: bool = False
    discover: Filter | None = None
    auto_attach: AutoAttachOptions | None = None
    # What it has turned on and has yet to be told the past of.
    catching_up: set[str] = field(default_factory=set)
    # It hears of downloads, as of a browser.
    wants_downloads: bool = False
    scripts: dict[str, DocumentScript] = field(default_factory=dict)
    bindings: dict[str, Mapping[str, Any]] = field(default_factory=dict)
