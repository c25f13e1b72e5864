"""A house's catalogue without a house, for tests of what is made of it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from pilothouse.tools.tool import Flags
from tests.tools.made_up import TOOLS

__all__ = ["told"]


def told(config: Path, **shut: str) -> dict[str, Any]:
    """What the house's method `catalogue` answers, with made-up tools."""
    return {
        "tools": [
            {
                "name": tool.name,
                "about": tool.about,
                "schema": tool.schema,
                "toolset": tool.toolset,
                "flags": [one.name for one in fields(Flags) if getattr(tool.flags, one.name)],
                "source": tool.source,
            }
            for tool in TOOLS.values()
        ],
        "shut": shut,
        "config": str(config),
        "complaint": "",
    }
