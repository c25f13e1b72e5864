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

import msgspec

from pilothouse import speedup_switches
from pilothouse.page.world import CachedWalk, IsolatedWorld, IsolatedWorlds

__all__ = ["CacheAttempt", "WalkCache"]


class CacheAttempt(msgspec.Struct, frozen=True):
    """A walk that is to be cached under a key, with its options. `previous` is the last walk with
    the same options: the document may turn out to be unchanged since."""

    key: str
    options: dict[str, Any]
    previous: CachedWalk | None


class WalkCache:
    """The cached walks of one tab's documents."""

    def __init__(self, worlds: IsolatedWorlds) -> None:
        self.is_on = speedup_switches.in_use().page_cache
        self._worlds = worlds
        self._name, self._walks = secrets.token_hex(4), 0

    def begin(self, world: IsolatedWorld, options: dict[str, Any]) -> CacheAttempt:
        """Begin a walk: remove the last one of its document from the cache.

        `is_valid` puts it back; a walk that turns out to be outdated stays removed.
        """
        walk, world.cached_walk = world.cached_walk, None
        self._walks += 1
        # Random, so that no other client's walk has this key.
        key = f"{self._name} {self._walks}"
        previous = walk if walk is not None and walk.options == options else None
        return CacheAttempt(key, options, previous)

    def is_valid(self, world: IsolatedWorld, walk: CachedWalk) -> bool:
        """Whether Chrome's layout counts confirm a walk that the document reports as unchanged.

        The document has updated styles and layout, and made Chrome report its counts after that.
        """
        if self._worlds.layout_counters.take(walk.key) != walk.counts:
            return False
        world.cached_walk = walk
        return True

    def store(self, world: IsolatedWorld, attempt: CacheAttempt, text: str) -> None:
        """Cache a walk with the layout counts from just before it.

        The first walk of a document that was open before we attached is not cached: Chrome starts
        counting for us only now.
        """
        if (counts := self._worlds.layout_counters.take(attempt.key)) is not None:
            world.cached_walk = CachedWalk(attempt.key, attempt.options, text, counts)
        for command in self._worlds.layout_counters.begin(world.session):
            world.session.send(command)
