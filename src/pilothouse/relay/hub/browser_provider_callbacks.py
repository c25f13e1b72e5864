"""What a hub needs from whoever opened its browser.

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


async def _no_options(owner: str) -> Mapping[str, Any]:
    return {}


def _not_visible(owner: str, info: Mapping[str, Any]) -> bool:
    return False


def _no_owner(info: Mapping[str, Any]) -> str:
    return ""


def _ignore_target(owner: str, what: str) -> None:
    """Do nothing."""


def _ignore_leave(owner: str, client: str, used: frozenset[str]) -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A browser, and the callbacks to whoever opened it."""

    connection: Connection
    supervisor: Supervisor
    # The folders of a client: (owner, spec).
    files: Callable[[str, ClientSpec], ClientFiles]
    # Whether it is the user's own browser, through the extension.
    is_extension: bool = False
    # An owner's browser context; empty: the browser's default.
    context: Callable[[str], Awaitable[str]] = _no_context
    # Params for contexts that a client of this owner creates (the proxy of its URL policy).
    context_options: Callable[[str], Awaitable[Mapping[str, Any]]] = _no_options
    # Whether a target that the client did not name is visible to the owner.
    is_visible: Callable[[str, Mapping[str, Any]], bool] = _not_visible
    # The owner of a target; empty: none.
    owner_of: Callable[[Mapping[str, Any]], str] = _no_owner
    # Called when a client of this owner created a context, or opened a tab (its target).
    on_context_created: Callable[[str, str], None] = _ignore_target
    on_tab_opened: Callable[[str, str], None] | None = None
    # Closes a tab by its target; None: the supervisor does.
    close_tab: Callable[[str], Awaitable[None]] | None = None
    # Called when a client left: owner, client id, targets of the pages it opened or attached to.
    on_client_left: Callable[[str, str, frozenset[str]], None] = _ignore_leave
