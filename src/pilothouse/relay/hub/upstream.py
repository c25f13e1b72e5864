"""A browser as the relay has it: what a hub needs of whoever has opened it.

Knows: names and shapes. Must not know: how browsers are opened, or who their owners are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pilothouse.cdp import Connection
from pilothouse.relay.hub.client_files import ClientFiles
from pilothouse.relay.interfaces import ClientSpec
from pilothouse.supervisor import Supervisor

__all__ = ["Upstream"]


async def _no_context(owner: str) -> str:
    return ""


async def _plain_jar(owner: str) -> Mapping[str, Any]:
    return {}


def _nobody(owner: str, info: Mapping[str, Any]) -> bool:
    return False


def _unowned(info: Mapping[str, Any]) -> str:
    return ""


def _nothing(owner: str, what: str) -> None:
    """Nothing is to be done."""


def _left(owner: str, client: str, used: frozenset[str]) -> None:
    """Nothing is to be done."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A browser as the relay has it, and what its owner wants kept."""

    connection: Connection
    supervisor: Supervisor
    # Where the files of a client come from and go to: (owner, spec).
    files: Callable[[str, ClientSpec], ClientFiles]
    # The user's own browser, lent by the extension.
    is_extension: bool = False
    # An owner's cookie jar; empty: the browser's own.
    context: Callable[[str], Awaitable[str]] = _no_context
    # Settings for a cookie jar that a client of this owner makes (its fence).
    context_options: Callable[[str], Awaitable[Mapping[str, Any]]] = _plain_jar
    # Whether a target that nobody gave a client is one of the owner's.
    is_visible: Callable[[str, Mapping[str, Any]], bool] = _nobody
    # The owner of a target; empty: nobody's.
    owner_of: Callable[[Mapping[str, Any]], str] = _unowned
    # A client of this owner made a cookie jar, or opened a tab (its target).
    on_context_created: Callable[[str, str], None] = _nothing
    on_tab_opened: Callable[[str, str], None] | None = None
    # Closes a tab by its target; empty: the supervisor does.
    close_tab: Callable[[str], Awaitable[None]] | None = None
    # A client left: its owner, its id, and the targets of all pages that it opened or attached to.
    on_client_left: Callable[[str, str, frozenset[str]], None] = _left
