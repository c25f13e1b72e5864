"""TODO-MAP page/world."""

from __future__ import annotations

from pilothouse.page.world.bundle import EYES, js_source
from pilothouse.page.world.closed_shadow_roots import adopt_closed_roots
from pilothouse.page.world.frame_elements import Owners
from pilothouse.page.world.isolated_worlds import PRESSED, Kept, PageDocument, World, Worlds
from pilothouse.page.world.read_only_scripts import own_readers

__all__ = [
    "EYES",
    "PRESSED",
    "Kept",
    "Owners",
    "PageDocument",
    "World",
    "Worlds",
    "adopt_closed_roots",
    "js_source",
    "own_readers",
]
