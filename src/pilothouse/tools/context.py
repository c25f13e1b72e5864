"""What a tool function works with: the client's session, the tab, and the daemon's methods.

Knows: how to call verbs and the daemon. Must not know: which tools there are. A tool reaches
browsers only through `TabCalls` and the daemon's methods, so leases, owners and interrupts apply to
it as to any other client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, Protocol

import msgspec

from pilothouse.security.file_access import FileAccess, FolderAccess
from pilothouse.tabs.tab_calls import PendingReport

__all__ = [
    "RUN_TOOLS",
    "DaemonCall",
    "DiffIf",
    "ToolContext",
    "ToolSession",
    "UseTool",
    "VerbCalls",
]

# Calls a daemon method with parameters, on behalf of a fixed owner.
DaemonCall = Callable[[str, dict[str, Any]], Awaitable[Any]]
# Decides by a receipt whether the answer should also have the lines that the action changed.
DiffIf = Callable[[Any], bool]
# Calls a tool by name with arguments, through the gate, as the agent itself would.
UseTool = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]

# Set while `execute_code` starts a run: how that run's code calls tools. None for all other runs.
RUN_TOOLS: ContextVar[UseTool | None] = ContextVar("tools of a run", default=None)


class VerbCalls(Protocol):
    """The part of `TabCalls` (tabs/tab_calls.py) that tools use."""

    async def perform(
        self, owner: str, name: str, given: Mapping[str, Any], diff_if: DiffIf | None = None
    ) -> Any: ...

    def pending(self, owner: str, name: str) -> PendingReport: ...

    def tab_with_dialog(self, owner: str, name: str, dialog_id: str = "") -> str: ...

    def blocked_calls(self, owner: str, name: str) -> dict[str, Any]: ...

    def keep_with_blocked(self, owner: str, name: str, action_id: str, call: object) -> None: ...

    def interrupt_ids(self, owner: str) -> set[str]: ...


class ToolSession(msgspec.Struct):
    """One MCP or API client: its owner, its current tab and its tool selection."""

    owner: str
    platform: str = "cli"
    # Toolsets for this session only (`--toolsets`). Empty: the platform's selection.
    toolsets: tuple[str, ...] = ()
    # The current tab: the one a call means when it names none.
    tab: str = "main"
    # Whether the client can display images.
    accepts_images: bool = True
    # The folders in which files may be read and written for this client.
    files: FolderAccess = msgspec.field(default_factory=FileAccess)
    # Messages to add to the next answer.
    notices: list[str] = msgspec.field(default_factory=list)
    # What tools remember between calls: the `state` of `execute`, and reported dialogs. Blocked
    # calls are kept with the blocked action (tools/blocked_calls.py).
    memory: dict[str, Any] = msgspec.field(default_factory=dict)


class ToolContext:
    """What a tool function gets as its first argument, for one call: the session, the tab and the
    settings. `use` calls another tool through the same gate, as `browser_batch` does."""

    def __init__(
        self,
        session: ToolSession,
        tabs: VerbCalls,
        call: DaemonCall,
        *,
        tab: str = "",
        use: UseTool | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.session = session
        self.tab = tab or session.tab
        self.settings = settings or {}
        self._tabs = tabs
        self._call = call
        self._use = use

    async def call(self, method: str, /, **params: Any) -> Any:
        """Call a daemon method. A blocked call returns `blocked_by` and `action_id`. Raises
        PilothouseError."""
        return await self._call(method, params)

    async def verb(self, name: str, /, diff_if: DiffIf | None = None, **params: Any) -> Any:
        """Call a verb on the tab, such as `click`. Parameters that are None are left out.

        A receipt for which `diff_if` holds also has the changed lines of the snapshot as `diff`."""
        given = {key: value for key, value in params.items() if value is not None}
        given = {"tab": self.tab, **given}
        return await self._tabs.perform(self.session.owner, name, given, diff_if)

    def pending(self) -> PendingReport:
        """Return the tab's open dialogs, and its notices, which are told once."""
        return self._tabs.pending(self.session.owner, self.tab)

    def tab_with_dialog(self, dialog_id: str) -> str:
        """Return the tab that has this dialog open: this one, else another one of the owner."""
        return self._tabs.tab_with_dialog(self.session.owner, self.tab, dialog_id)

    def blocked_calls(self, tab: str = "") -> dict[str, Any]:
        """Return what tools kept with the blocked actions of the tab, by action id."""
        return self._tabs.blocked_calls(self.session.owner, tab or self.tab)

    def keep_with_blocked(self, action_id: str, call: object, tab: str = "") -> None:
        """Keep something with a blocked action of the tab until the action ends."""
        self._tabs.keep_with_blocked(self.session.owner, tab or self.tab, action_id, call)

    def interrupt_ids(self) -> set[str]:
        """Return the ids of everything that is open in the owner's tabs and waits for an answer."""
        return self._tabs.interrupt_ids(self.session.owner)

    async def use(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Call another tool, as if the agent had called it."""
        assert self._use is not None
        return await self._use(name, given)
