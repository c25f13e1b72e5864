"""Tools that look."""

from __future__ import annotations

from pilothouse.tools.desk import Desk
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_snapshot"]


@tool("browser", reads=True)
async def browser_snapshot(desk: Desk, full: bool = False) -> Fields:
    """What is on the page, as text with refs to act on.

    full: everything, not only what can be acted on
    """
    taken = await desk.verb("snapshot", interactive=not full)
    return {"snapshot": taken["text"]}
