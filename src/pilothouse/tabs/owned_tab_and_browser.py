"""A tab with its owner, an owner's share of a browser, and the result of opening a tab.

Knows: one tab. Must not know: other tabs, or who may use this one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.browsers.kinds import AppKind, BrowserKind, ConnectedKind, ExtensionKind
from pilothouse.cdp.protocol import Target
from pilothouse.errors import CdpError, TabNotFound, ToolError
from pilothouse.page.page import Page
from pilothouse.security.cdp_policy import CreatedObject
from pilothouse.security.secrets import Secrets
from pilothouse.supervisor import Outcome, Supervisor, TabKey
from pilothouse.supervisor.model import describe_pending_navigation
from pilothouse.tabs.captures import TabCaptures
from pilothouse.tabs.lease import Lease
from pilothouse.tabs.notices import add_notice
from pilothouse.tabs.open_and_close_requests import OpenRequest

__all__ = [
    "ClosedTabs",
    "OpenedTab",
    "OwnedTab",
    "OwnerBrowser",
    "browser_without_page",
    "closed_tab_error",
    "name_new_tabs",
    "unknown_tab_error",
]

_log = logging.getLogger(__name__)


def browser_without_page(kind: BrowserKind) -> BrowserKind:
    """Return the browser without the page that was asked for in it."""
    if isinstance(kind, ConnectedKind | AppKind | ExtensionKind):
        return replace(kind, target=None)
    return kind


class OwnerBrowser(msgspec.Struct):
    """One owner's use of one browser: its supervisor and its browser contexts."""

    supervisor: Supervisor
    kind: BrowserKind
    context: str = ""
    # Set while a tab is created: the new target has no name yet, and is not a popup either.
    is_creating: bool = False
    # Relay clients that use the browser as this owner. While there are any, the tabs stay open.
    external_clients: int = 0
    # Set from `connect` to `disconnect`: the connection stays although no tab is open.
    connected: bool = False
    # All browser contexts of the owner: its own, and those that external clients created.
    contexts: set[str] = msgspec.field(default_factory=set)

    def __post_init__(self) -> None:
        if self.context:
            self.contexts.add(self.context)

    async def dispose_context(self, within: float) -> None:
        """Delete the owner's own browser context: its cookies must not stay where others go on."""
        if not self.context:
            return
        try:
            await self.supervisor.connection.send(
                Target.disposeBrowserContext(browserContextId=self.context), within
            )
        except CdpError as error:
            _log.debug("a browser context ends with its browser: %s", error)


class OwnedTab(msgspec.Struct):
    """A tab with its owner, its page and its lease."""

    owner: str
    name: str
    tab_id: str
    kind: BrowserKind
    supervisor: Supervisor
    page: Page
    lease: Lease
    dialogs: str = ""
    adopted: bool = False
    popup: bool = False
    # The supervisor's key of the tab. A popup has the key of its opener.
    key: TabKey = TabKey()
    used_at: float = 0.0
    # Its page target, also after it is gone.
    target: str = ""
    # What was done in it last, in words for a person.
    last_action: str = ""
    state: dict[str, Any] = msgspec.field(default_factory=dict)
    # Secrets that can be typed by name; their values are never shown.
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    # Captures of what it showed; None if it is not captured.
    captures: TabCaptures | None = None
    # Scripts and bindings that its owner added by raw CDP, by session: it may remove them again.
    added_by_cdp: dict[str, set[CreatedObject]] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = self.key if self.key.owner else TabKey(self.owner, self.name)

    @property
    def alive(self) -> bool:
        """Whether the tab still exists."""
        return self.tab_id in self.supervisor.state.tabs and self.supervisor.state.connected

    def is_reusable_for(self, wanted: OpenRequest, kind: BrowserKind) -> bool:
        """Return whether `open` may reuse this tab. Parameters that are not given always match."""
        target = getattr(kind, "target", None)
        return (
            self.alive
            and wanted.dialogs in ("", self.dialogs)
            and target in (None, getattr(self.kind, "target", None))
        )

    async def stop(self) -> None:
        """Stop listening to the tab and capturing it; the tab itself stays open."""
        if self.captures is not None:
            await self.captures.close()
        await self.page.close()

    async def close(self, within: float) -> None:
        """Close the tab; an adopted one is only released."""
        if self.captures is not None:
            await self.captures.close()
        try:
            async with asyncio.timeout(within):
                await self.page.close()
                if self.adopted:
                    self.supervisor.disown(self.tab_id)
                elif self.alive:
                    await self.supervisor.close_tab(self.tab_id)
        except (CdpError, ToolError, TimeoutError):
            pass  # the tab or its browser is already gone
        self.supervisor.forget(self.key)

    def note_capture(self, verb: str, answer: Any, *, in_run: bool = False) -> None:
        """Begin the capture that follows a call, if any, and say in the reply where it is. A run
        makes many calls, so its reply names the folder of all of them, once."""
        if self.captures is not None and (folder := self.captures.after(verb, answer)):
            add_notice(f"captured in {folder.parent if in_run else folder}")

    @property
    def url(self) -> str:
        """The URL of the tab; empty once the tab is gone."""
        tab = self.supervisor.state.tabs.get(self.tab_id)
        return tab.url if tab else ""

    def describe_pending_navigation(self) -> str:
        """Describe the navigation that the tab waits for; empty if there is none."""
        supervisor, state = self.supervisor, self.supervisor.state
        for session in [s.id for s in state.sessions.values() if s.tab == self.tab_id]:
            if pending := supervisor.navigations.waiting_for_server(session):
                return describe_pending_navigation(pending, supervisor.now())
        return ""

    def describe(self) -> dict[str, Any]:
        """Return the tab as the RPC method `tabs` lists it."""
        tab = self.supervisor.state.tabs.get(self.tab_id)
        captures = self.captures
        return {
            "name": self.name,
            "id": self.tab_id,
            "url": self.url,
            "title": tab.title if tab else "",
            "browser": self.kind.describe(),
            "busy": self.lease.holder,
            "alive": self.alive,
            "capabilities": self.supervisor.capabilities,
            **({"captures": str(captures.folder)} if captures and captures.number else {}),
        }


class ClosedTabs(msgspec.Struct, frozen=True):
    """The names of the tabs that a call closed, and of those it released: adopted tabs, which stay
    open in their browser."""

    closed: list[str] = msgspec.field(default_factory=list)
    released: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def split(cls, tabs: Sequence[OwnedTab], *, released: Sequence[OwnedTab]) -> ClosedTabs:
        """Split the names of `tabs` into those that closed and those in `released`."""
        stay = [tab.name for tab in released]
        return cls([tab.name for tab in tabs if tab.name not in stay], stay)


class OpenedTab(msgspec.Struct, frozen=True):
    """The result of opening a tab."""

    tab: OwnedTab
    reused: bool
    arrival: Outcome[Any] | None = None


def name_new_tabs(answer: Any, tabs: Iterable[OwnedTab]) -> Any:
    """Replace the ids of new tabs in an answer by the names their owner knows them by."""
    if isinstance(answer, dict) and answer.get("new_tabs"):
        names = {tab.tab_id: tab.name for tab in tabs}
        for tab in answer["new_tabs"]:
            named = f"new tab {names.get(tab, tab)}"
            answer["text"] = answer.get("text", "").replace(f"new tab {tab}", named)
        answer["new_tabs"] = [names.get(tab, tab) for tab in answer["new_tabs"]]
    return answer


def closed_tab_error(name: str) -> TabNotFound:
    """Return the error for a tab that is closed, with the call that opens it again."""
    return TabNotFound(
        f'tab "{name}" is not alive',
        hint="reopen it with open",
        hints={
            "python": f'open it again with client.open(url, "{name}")',
            "cli": f"open it again: pilothouse open URL --tab {name}",
            "mcp": f'open it again: browser_tabs(action="new", name="{name}")',
        },
        untrusted=(),
    )


def unknown_tab_error(name: str, mine: Sequence[str]) -> TabNotFound:
    """Return the error for a name that no tab of the owner has, with the call that opens one."""
    names = ", ".join(mine) or "none"
    return TabNotFound(
        f'there is no tab "{name}"',
        hint=f"open it first; your tabs: {names}",
        hints={
            "python": f"open it first, with client.open(url); your tabs: {names}",
            "cli": f"open it first: pilothouse open URL; your tabs: {names}",
            "mcp": f"open it first, with browser_navigate or browser_tabs; your tabs: {names}",
        },
        untrusted=(),
    )
