"""TODO-MAP page/world."""

from __future__ import annotations

from pilothouse.page.world.bundle import SNAPSHOT_BUNDLE, js_source
from pilothouse.page.world.closed_shadow_roots import adopt_closed_roots
from pilothouse.page.world.frame_elements import FrameElements
from pilothouse.page.world.isolated_worlds import (
    PRESS_BINDING,
    CachedWalk,
    IsolatedWorld,
    IsolatedWorlds,
    PageDocument,
)
from pilothouse.page.world.read_only_scripts import read_only_script_table

__all__ = [
    "PRESS_BINDING",
    "SNAPSHOT_BUNDLE",
    "CachedWalk",
    "FrameElements",
    "IsolatedWorld",
    "IsolatedWorlds",
    "PageDocument",
    "adopt_closed_roots",
    "js_source",
    "read_only_script_table",
]
