"""A daemon's catalogue without a daemon, for tests of what is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tools.no_op_tools import TOOLS

__all__ = ["told"]


def told(config: Path, **shut: str) -> dict[str, Any]:
    """What the daemon's method `catalogue` answers, with made-up tools."""
    return {
        "tools": [tool.describe() for tool in TOOLS.values()],
        "shut": shut,
        "config": str(config),
        "complaint": "",
    }
