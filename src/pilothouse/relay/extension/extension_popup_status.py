"""What the extension shows its user: who uses the browser, what each did last, and tab groups.

Knows: the rows of the popup, and which tabs belong to whom. Must not know: how a tab is used, or
the extension's protocol. It sends something only when it differs from what was sent last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pilothouse.asyncio_tasks import Tasks
from pilothouse.relay.hub import Hub
from pilothouse.tabs.owned_tab_and_browser import OwnedTab

__all__ = ["BrowserUser", "StatusReceiver", "StatusUpdater", "client_users", "owner_users"]

POLL_EVERY_S = 1.0
CONFLICTS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BrowserUser:
    """A user of the extension browser: a client of the relay, or an owner of the daemon."""

    id: str
    label: str
    targets: frozenset[str] = frozenset()
    # Its last action, and when, in seconds since 1970.
    words: str = ""
    at: float = 0.0
    conflicts: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """Return its row in the popup."""
        row: dict[str, Any] = {"id": self.id, "label": self.label}
        if self.words:
            row |= {"lastAction": self.words, "at": round(self.at * 1000)}
        if self.conflicts:
            row["conflicts"] = list(self.conflicts[-CONFLICTS_SHOWN:])
        return row


def client_users(hub: Hub) -> list[BrowserUser]:
    """Return the relay's clients that use the extension browser."""
    conflicts, clock = hub.conflicts(), hub.supervisor.clock
    found = []
    for client in hub.clients():
        targets = frozenset(client.opened_targets | client.requested_tabs | client.acted_targets)
        found.append(
            BrowserUser(
                client.spec.id,
                client.spec.label or client.owner,
                targets,
                client.last_action,
                clock + client.last_action_at,
                tuple(words for words in conflicts if words.startswith(f"{client.label} ")),
            )
        )
    return found


def owner_users(tabs: Iterable[OwnedTab], name: Callable[[str], str]) -> list[BrowserUser]:
    """Return the daemon's owners with tabs in the extension browser. `name` returns an owner's
    display name."""
    mine: dict[str, list[OwnedTab]] = {}
    for tab in tabs:
        if tab.alive:
            mine.setdefault(tab.owner, []).append(tab)
    found = []
    for owner, theirs in mine.items():
        last = max(theirs, key=lambda tab: tab.used_at)
        targets = frozenset(tab.supervisor.state.tabs[tab.tab_id].target_id for tab in theirs)
        at = last.supervisor.clock + last.used_at
        found.append(BrowserUser(owner, name(owner), targets, last.last_action, at))
    return found


class StatusReceiver(Protocol):
    """A connected extension, as far as this module needs it."""

    def status(self) -> dict[str, Any]:
        """Return its status."""

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send it a request whose reply does not matter."""


@dataclass(slots=True)
class _SentStatus:
    """What one extension was sent last."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    # Whether the relay starts at login. An extension assumes that it does not.
    autostart: bool = False
    groups: dict[str, frozenset[int]] = field(default_factory=dict)


class StatusUpdater:
    """Keeps the popup and the tab groups of every extension up to date."""

    def __init__(
        self,
        windows: Callable[[], Iterable[tuple[str, StatusReceiver]]],
        users: Callable[[str], Iterable[BrowserUser]],
        autostart: Callable[[], bool] = lambda: False,
    ) -> None:
        self._autostart = autostart
        self._windows = windows
        self._users = users
        self._sent: dict[str, _SentStatus] = {}
        self._tasks = Tasks()

    def start(self) -> None:
        """Start polling."""
        self._tasks.start(self._poll(), "show who uses the extension browser")

    async def close(self) -> None:
        """Stop polling."""
        await self._tasks.close()

    def forget(self, name: str) -> None:
        """Forget what an extension was sent, because it connected anew."""
        self._sent.pop(name, None)

    async def _poll(self) -> None:
        while True:
            self.refresh()
            await asyncio.sleep(POLL_EVERY_S)

    def refresh(self) -> None:
        """Send every extension what has changed."""
        for name, window in self._windows():
            state = window.status()
            if not state["connected"]:
                self.forget(name)
                continue
            sent = self._sent.setdefault(name, _SentStatus())
            if sent.autostart != (on := self._autostart()):
                sent.autostart = on
                window.notify("autostart", {"on": on})
            users = list(self._users(name))
            rows = [user.row() for user in users]
            if rows != sent.rows:
                sent.rows = rows
                window.notify("status", {"clients": rows})
            tabs = {one["targetId"]: int(one["tabId"]) for one in state["attached"]}
            groups: dict[str, frozenset[int]] = {}
            for user in users:
                theirs = frozenset(tabs[target] for target in user.targets if target in tabs)
                groups[user.label] = groups.get(user.label, frozenset()) | theirs
            for label, ids in groups.items():
                fresh = ids - sent.groups.get(label, frozenset())
                if fresh:
                    window.notify("share", {"client": label, "tabIds": sorted(fresh)})
            sent.groups = groups
