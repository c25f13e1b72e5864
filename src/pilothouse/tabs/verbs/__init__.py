"""Everything a tab can be asked for, by family. Importing this declares them all."""

from __future__ import annotations

from pilothouse.tabs.verbs import acting, going, keeping, knowing, seeing

__all__ = ["acting", "going", "keeping", "knowing", "seeing"]
