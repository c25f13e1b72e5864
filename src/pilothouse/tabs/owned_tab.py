"""A tab and key_owner it is: what the table of tabs holds, and what opening one came to.

Knows: one tab. Must not know: the others, or who may reach it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.browsers.kinds import Connected, Extension, Kind, Spawned
from pilothouse.page.page import Page
from pilothouse.security.cdp_policy import CreatedObject
from pilothouse.security.secrets import Secrets
from pilothouse.supervisor import Outcome, Supervisor
from pilothouse.supervisor.model import describe_pending_navigation
from pilothouse.tabs.lease import Lease
from pilothouse.tabs.open_request import OpenRequest

__all__ = ["OpenedTab", "OwnedTab", "OwnerBrowser", "browser_without_page", "tab_key"]


def tab_key(owner: str, name: str) -> str:
    """As key_owner the supervisor knows a tab: policies are each tab's own, and popups follow the tab
    that opened them."""
    return f"{owner}\n{name}"


def browser_without_page(kind: Kind) -> Kind:
    """The browser that is meant, whichever page of it."""
    if isinstance(kind, Connected | Spawned | Extension):
        return replace(kind, target=None)
    return kind


class OwnerBrowser(msgspec.Struct):
    """One owner in one browser: its supervisor and its own cookies. `is_creating` is set while a tab
    of it comes into being: it has no name yet and is no popup either. `external_clients` are programs that
    use the browser beside us as this owner: it stays, and so do its tabs, while there are any.
    `connected` is set from `connect` to `disconnect`: it stays though no tab is open in it.
    `contexts` are all cookie contexts in it that are the owner's: its own, and what external_clients made."""

    supervisor: Supervisor
    kind: Kind
    key: str
    context: str = ""
    is_creating: bool = False
    external_clients: int = 0
    connected: bool = False
    contexts: set[str] = msgspec.field(default_factory=set)

    def __post_init__(self) -> None:
        if self.context:
            self.contexts.add(self.context)


class OwnedTab(msgspec.Struct):
    """A tab and key_owner it is."""

    owner: str
    name: str
    tab_id: str
    kind: Kind
    supervisor: Supervisor
    page: Page
    lease: Lease
    dialogs: str = ""
    adopted: bool = False
    popup: bool = False
    # As key_owner the supervisor knows it; a popup is known as its opener's.
    key: str = ""
    used_at: float = 0.0
    # Its page target, also after it is gone.
    target: str = ""
    # What was done in it last, in words for a person.
    last_action: str = ""
    state: dict[str, Any] = msgspec.field(default_factory=dict)
    # What may be typed by name, and is said to nobody.
    secrets: Secrets = msgspec.field(default_factory=Secrets)
    # Work of this tab that something blocks: nobody else may ask for its result.
    actions: set[str] = msgspec.field(default_factory=set)
    # Scripts and bindings that its owner added by raw CDP, by session: it may remove them again.
    added_by_cdp: dict[str, set[CreatedObject]] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        self.key = self.key or tab_key(self.owner, self.name)

    @property
    def alive(self) -> bool:
        """Whether the tab still exists."""
        return self.tab_id in self.supervisor.state.tabs and self.supervisor.state.connected

    def is_reusable_for(self, wanted: OpenRequest, kind: Kind) -> bool:
        """Whether it is what is asked for. What is not named is left as it is."""
        target = getattr(kind, "target", None)
        return (
            self.alive
            and wanted.dialogs in ("", self.dialogs)
            and target in (None, getattr(self.kind, "target", None))
        )

    @property
    def url(self) -> str:
        """Where it is; nowhere once it is gone."""
        tab = self.supervisor.state.tabs.get(self.tab_id)
        return tab.url if tab else ""

    def describe_pending_navigation(self) -> str:
        """What the tab waits for before it can answer; empty if it waits for nothing."""
        supervisor, state = self.supervisor, self.supervisor.state
        for session in [s.id for s in state.sessions.values() if s.tab == self.tab_id]:
            if pending := supervisor.navigations.waiting_for_server(session):
                return describe_pending_navigation(pending, supervisor.now())
        return ""

    def describe(self) -> dict[str, Any]:
        """The tab as its owner reads it."""
        tab = self.supervisor.state.tabs.get(self.tab_id)
        return {
            "name": self.name,
            "id": self.tab_id,
            "url": self.url,
            "title": tab.title if tab else "",
            "browser": self.kind.describe(),
            "busy": self.lease.holder,
            "alive": self.alive,
            "capabilities": self.supervisor.capabilities,
        }


class OpenedTab(msgspec.Struct, frozen=True):
    """What `open` did."""

    tab: OwnedTab
    reused: bool
    arrival: Outcome[Any] | None = None
