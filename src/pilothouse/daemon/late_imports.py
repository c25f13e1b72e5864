"""Imports large modules late, in a thread, one at a time.

Knows: Python's import system. Must not know: what the modules are for. Two threads that import
different parts of the MCP SDK deadlock over its circular imports, and Python then fails one of
them.
"""

from __future__ import annotations

import importlib
import threading
from types import ModuleType

__all__ = ["import_late"]

_ONE_AT_A_TIME = threading.Lock()


def import_late(*names: str) -> tuple[ModuleType, ...]:
    """Import modules, after another thread's call of this has finished. Call it in a thread."""
    with _ONE_AT_A_TIME:
        return tuple(importlib.import_module(name) for name in names)
