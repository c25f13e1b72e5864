"""Walk cache: skip the walk of a document that has not changed since the last one.

Knows: the last walk of each document. Must not know: what a walk contains, nor how a document
tells that it has not changed (js/walk_cache.js). In doubt a document counts as changed. The setting
`speedups.page_cache` switches it off: then `is_on` is false, and every walk is a new one.

Two checks must agree. Our script compares nodes, attributes, texts, field values and scroll
positions. LayoutCounters compares how often Chrome has computed styles and layouts, which covers
everything that styles and layout depend on.
"""

from __future__ import annotations

import secrets
from typing import Any

from pilothouse import speedups
from pilothouse.page.world import CachedWalk, IsolatedWorld, IsolatedWorlds

__all__ = ["WalkCache"]


class WalkCache:
    """The cached walks of one tab's documents."""

    def __init__(self, worlds: IsolatedWorlds) -> None:
        self.is_on = speedups.in_use().page_cache
        self._worlds = worlds
        self._name, self._walks = secrets.token_hex(4), 0

    def take(self, world: IsolatedWorld, options: dict[str, Any]) -> CachedWalk | None:
        """Remove and return the last walk of a document if its options were the same.

        `is_valid` puts it back; a walk that turns out to be outdated stays removed.
        """
        walk, world.cached_walk = world.cached_walk, None
        return walk if walk is not None and walk.options == options else None

    def is_valid(self, world: IsolatedWorld, walk: CachedWalk) -> bool:
        """Whether Chrome's layout counts confirm a walk that the document reports as unchanged.

        The document has updated styles and layout, and made Chrome report its counts after that.
        """
        if self._worlds.layout_counters.take(walk.key) != walk.counts:
            return False
        world.cached_walk = walk
        return True

    def new_key(self) -> str:
        """Return a key for the next walk; random, so that no other client's walk has it."""
        self._walks += 1
        return f"{self._name} {self._walks}"

    def store(self, world: IsolatedWorld, key: str, options: dict[str, Any], text: str) -> None:
        """Cache a walk with the layout counts from just before it.

        The first walk of a document that was open before we attached is not cached: Chrome starts
        counting for us only now.
        """
        if (counts := self._worlds.layout_counters.take(key)) is not None:
            world.cached_walk = CachedWalk(key, options, text, counts)
        for command in self._worlds.layout_counters.begin(world.session):
            world.session.send(command)
