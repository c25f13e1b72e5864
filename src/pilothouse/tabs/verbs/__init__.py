"""Everything a tab can be asked for, by family. Importing this package declares them all."""

from __future__ import annotations

from pilothouse.tabs.verbs import diagnostics, input, inspection, navigation, state

__all__ = ["diagnostics", "input", "inspection", "navigation", "state"]
