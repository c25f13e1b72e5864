"""What the user of a lent Chrome sees there of those who use it: who they are, what they did last,
and a tab group for each.

Knows: rows for the extension's window, and which tabs are whose. Must not know: how a tab is used,
or the extension's wire. It says something only when it differs from what was said last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pilothouse.relay.hub import Hub
from pilothouse.tabs.owned_tab import OwnedTab
from pilothouse.tasks import Tasks

__all__ = ["BrowserUser", "StatusReceiver", "StatusUpdater", "client_users", "owner_users"]

POLL_EVERY_S = 1.0
CONFLICTS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BrowserUser:
    """Somebody who uses a lent Chrome: a client of the relay, or an owner of the daemon."""

    id: str
    label: str
    targets: frozenset[str] = frozenset()
    # What it did last, and when, in seconds since 1970.
    words: str = ""
    at: float = 0.0
    conflicts: tuple[str, ...] = ()

    def row(self) -> dict[str, Any]:
        """As the extension's window shows it."""
        told: dict[str, Any] = {"id": self.id, "label": self.label}
        if self.words:
            told |= {"lastAction": self.words, "at": round(self.at * 1000)}
        if self.conflicts:
            told["conflicts"] = list(self.conflicts[-CONFLICTS_SHOWN:])
        return told


def client_users(hub: Hub) -> list[BrowserUser]:
    """The clients on a lent Chrome."""
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
    """The owners of the daemon with tabs in a lent Chrome; `name` is what people call an owner."""
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
    """A lent Chrome, as far as it can be told something."""

    def status(self) -> dict[str, Any]:
        """What it lends."""

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Say something to its extension."""


@dataclass(slots=True)
class _SentStatus:
    """What one extension was told last."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    # Whether the relay starts at login; an extension believes that it does not.
    autostart: bool = False
    groups: dict[str, frozenset[int]] = field(default_factory=dict)


class StatusUpdater:
    """Keeps the windows of all extensions up to date while anybody lends."""

    def __init__(
        self,
        windows: Callable[[], Iterable[tuple[str, StatusReceiver]]],
        users: Callable[[str], Iterable[BrowserUser]],
        autostart: Callable[[], bool] = lambda: False,
    ) -> None:
        self._autostart = autostart
        self._windows = windows
        self._users = users
        self._told: dict[str, _SentStatus] = {}
        self._tasks = Tasks()

    def start(self) -> None:
        """Look again and again."""
        self._tasks.start(self._poll(), "show who uses a lent Chrome")

    async def close(self) -> None:
        """Look no more."""
        await self._tasks.close()

    def forget(self, name: str) -> None:
        """An extension came anew: it knows nothing."""
        self._told.pop(name, None)

    async def _poll(self) -> None:
        while True:
            self.refresh()
            await asyncio.sleep(POLL_EVERY_S)

    def refresh(self) -> None:
        """Tell every extension what is new."""
        for name, window in self._windows():
            state = window.status()
            if not state["connected"]:
                self.forget(name)
                continue
            told = self._told.setdefault(name, _SentStatus())
            if told.autostart != (on := self._autostart()):
                told.autostart = on
                window.notify("autostart", {"on": on})
            users = list(self._users(name))
            rows = [user.row() for user in users]
            if rows != told.rows:
                told.rows = rows
                window.notify("status", {"clients": rows})
            tabs = {one["targetId"]: int(one["tabId"]) for one in state["attached"]}
            groups: dict[str, frozenset[int]] = {}
            for user in users:
                theirs = frozenset(tabs[target] for target in user.targets if target in tabs)
                groups[user.label] = groups.get(user.label, frozenset()) | theirs
            for label, ids in groups.items():
                fresh = ids - told.groups.get(label, frozenset())
                if fresh:
                    window.notify("share", {"client": label, "tabIds": sorted(fresh)})
            told.groups = groups
