"""A tab and whose it is: what the table of tabs holds, and what opening one came to.

Knows: one tab. Must not know: the others, or who may reach it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pilothouse.browsers.kinds import Kind
from pilothouse.page.page import Page
from pilothouse.page.secret_names import Secrets
from pilothouse.supervisor import Outcome, Supervisor
from pilothouse.tabs.lease import Lease

__all__ = ["Opened", "OwnedTab", "key_of"]


def key_of(owner: str, name: str) -> str:
    """As whose the supervisor knows a tab: policies are each tab's own, and popups follow the tab
    that opened them."""
    return f"{owner}\n{name}"


@dataclass(slots=True)
class OwnedTab:
    """A tab and whose it is."""

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
    # As whose the supervisor knows it; a popup is known as its opener's.
    key: str = ""
    used_at: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)
    # What may be typed by name, and is said to nobody.
    secrets: Secrets = field(default_factory=Secrets)
    # Work of this tab that something blocks: nobody else may ask for its result.
    actions: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.key = self.key or key_of(self.owner, self.name)

    @property
    def alive(self) -> bool:
        """Whether the tab still exists."""
        return self.tab_id in self.supervisor.state.tabs and self.supervisor.state.connected

    def shown(self) -> dict[str, Any]:
        """The tab as its owner reads it."""
        tab = self.supervisor.state.tabs.get(self.tab_id)
        return {
            "name": self.name,
            "id": self.tab_id,
            "url": tab.url if tab else "",
            "title": tab.title if tab else "",
            "browser": self.kind.describe(),
            "busy": self.lease.holder,
            "alive": self.alive,
        }


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open` did."""

    tab: OwnedTab
    reused: bool
    arrival: Outcome[Any] | None = None
