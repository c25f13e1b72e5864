"""The desk in the house: which tools there are, who sits at it, and the gate in front.

Knows: how tools, toolsets and seats come together. Must not know: what tools do, or over which
wire a client came (server.py, mcp.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.errors import ToolError
from pilothouse.tools import everything
from pilothouse.tools.desk import Call, Seat
from pilothouse.tools.gate import Gate
from pilothouse.tools.tool import TOOLS, Tool

if TYPE_CHECKING:
    from pilothouse.house.house import House

__all__ = ["Tooling"]


class Tooling:
    """All tools of one house, and the seats of its clients."""

    def __init__(self, house: House) -> None:
        assert everything.DECLARED  # importing it has declared the tools
        self._house = house
        self.tools: dict[str, Tool] = dict(TOOLS)
        self.gate = Gate(self.tools, self._call_of)
        # Whoever shows a list of tools is told when it changes.
        self.on_change: list[Callable[[], object]] = []
        self._seats: dict[tuple[str, str], Seat] = {}

    def _call_of(self, owner: str) -> Call:
        async def call(method: str, params: dict[str, Any]) -> Any:
            return await self._house.call(owner, method, params)

        return call

    def seat(self, owner: str, platform: str = "cli", toolsets: tuple[str, ...] = ()) -> Seat:
        """Where a client sits; the same one each time it comes."""
        seat = self._seats.setdefault((owner, platform), Seat(owner, platform))
        seat.toolsets = toolsets
        return seat

    def offered(self, seat: Seat) -> list[Tool]:
        """The tools a seat may use now."""
        return list(self.tools.values())

    async def use(self, owner: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The house's method `tool`: one call of a tool by name."""
        name, given = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(given, Mapping):
            raise ToolError("tool: name and arguments are wanted", hint='{"name": "browser_click"}')
        return await self.gate.use(self._seat_of(owner, params), name, given)

    async def listed(self, owner: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The house's method `tools`: what may be used."""
        return [
            {"name": tool.name, "about": tool.about, "toolset": tool.toolset, "schema": tool.schema}
            for tool in self.offered(self._seat_of(owner, params))
        ]

    def _seat_of(self, owner: str, params: Mapping[str, Any]) -> Seat:
        toolsets = params.get("toolsets") or ()
        return self.seat(owner, str(params.get("platform") or "cli"), tuple(toolsets))
