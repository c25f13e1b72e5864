"""Our object for a tab's page: eyes and hands in one place.

    page = Page(supervisor, tab)
    snapshot = await page.snapshot()
    outcome = await page.click("e12")

Knows: which part does what. Must not know: how.
"""

from __future__ import annotations

from typing import Any

from pilothouse.page.act import Act
from pilothouse.page.aim import Aim
from pilothouse.page.mouse import Mouse
from pilothouse.page.owners import Owners
from pilothouse.page.place import Place
from pilothouse.page.receipt import Receipt
from pilothouse.page.refs import Refs
from pilothouse.page.snapshot import Look, Snapshot, Snapshots
from pilothouse.page.worlds import Worlds
from pilothouse.supervisor import Outcome, Supervisor

__all__ = ["Page"]


class Page:
    """One tab of one supervised browser."""

    def __init__(self, supervisor: Supervisor, tab: str) -> None:
        self.place = Place(supervisor, tab)
        self.worlds = Worlds(self.place)
        self.refs = Refs(self.place.session.target_id)
        self._owners = Owners(self.place, self.worlds)
        self._snapshots = Snapshots(self.place, self.worlds, self.refs, self._owners)
        self.aim = Aim(self.place, self.worlds, self.refs, self._owners)
        self.act = Act(self.place, self.worlds)
        self.mouse = Mouse(self.aim, self.act)

    async def snapshot(self, look: Look | None = None, *, client: str = "") -> Snapshot:
        """What is on the page; see `Look` for what can be asked of it."""
        return await self._snapshots.take(look, client)

    async def click(self, target: Any, **options: Any) -> Outcome[Receipt]:
        """Click an element; see `Mouse.click`."""
        return await self.mouse.click(target, **options)
