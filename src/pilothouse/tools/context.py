"""What a tool has at hand: the calls of its owner, at the tab it was called for.

Knows: how the daemon is called. Must not know: which tools there are. Everything a tool does goes
through the daemon's own methods, so leases, owners and interrupts hold for it as for everybody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any

import msgspec

from pilothouse.security.file_access import FileAccess, Folders

__all__ = ["TOOLS_OF_RUN", "Call", "ToolContext", "ToolSession", "Use"]

# A method of the daemon and its parameters; the owner is known already.
Call = Callable[[str, dict[str, Any]], Awaitable[Any]]
# A tool and its arguments, as the agent itself would call it.
Use = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]

# How code in the run that is being started may call tools; in most runs it may not.
TOOLS_OF_RUN: ContextVar[Use | None] = ContextVar("tools of a run", default=None)


class ToolSession(msgspec.Struct):
    """One client at the context: whose it is, which tab it means when it names none, and which tools
    were chosen for it."""

    owner: str
    platform: str = "cli"
    # What was asked for in this session only, as with `--toolsets`; empty is the platform's own.
    toolsets: tuple[str, ...] = ()
    tab: str = "main"
    # Whether the client can be shown pictures.
    sees: bool = True
    # Where files may be read and written for the client.
    files: Folders = msgspec.field(default_factory=FileAccess)
    # What is to be told with the next answer.
    notices: list[str] = msgspec.field(default_factory=list)
    # The session's own state of `execute`, and whatever else tools keep between calls.
    kept: dict[str, Any] = msgspec.field(default_factory=dict)


class ToolContext:
    """One call of a tool. `use` calls another tool through the same gate, as `browser_batch`
    does."""

    def __init__(
        self,
        session: ToolSession,
        call: Call,
        *,
        tab: str = "",
        use: Use | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.session = session
        self.tab = tab or session.tab
        self.settings = settings or {}
        self._call = call
        self._use = use

    async def call(self, method: str, /, **params: Any) -> Any:
        """A method of the daemon. Raises PilothouseError; what is blocked comes back as
        `blocked_by` and `action_id`."""
        return await self._call(method, params)

    async def verb(self, name: str, /, **params: Any) -> Any:
        """A verb of the tab; parameters that are None are not given."""
        given = {key: value for key, value in params.items() if value is not None}
        return await self._call(f"tab.{name}", {"tab": self.tab, **given})

    async def use(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Another tool, as if the agent had called it."""
        assert self._use is not None
        return await self._use(name, given)
