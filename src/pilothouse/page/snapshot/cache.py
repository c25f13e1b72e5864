"""Whether a document still is as the last walk saw it: then nobody has to walk it again.

Knows: which walk of a document was the last. Must not know: what a walk says, nor how a document
tells that it has not changed (scripts/look.js). In doubt it has.
"""

from __future__ import annotations

import secrets
from typing import Any

from pilothouse.page.world import CachedWalk, IsolatedWorld, IsolatedWorlds

__all__ = ["WalkCache"]


class WalkCache:
    """The kept walks of one tab's documents."""

    def __init__(self, worlds: IsolatedWorlds) -> None:
        self._worlds = worlds
        self._name, self._walks = secrets.token_hex(4), 0

    def last(self, world: IsolatedWorld, options: dict[str, Any]) -> CachedWalk | None:
        """The last walk of a document, if it was asked for in the same way. It is kept no longer
        unless it turns out to hold."""
        kept, world.cached_walk = world.cached_walk, None
        return kept if kept is not None and kept.options == options else None

    def holds(self, world: IsolatedWorld, kept: CachedWalk) -> bool:
        """Whether a walk of which the document has said that it is the same holds for Chrome too:
        it has brought styles and layout up to date, and had Chrome say its counts after that."""
        if self._worlds.layout_counters.take(kept.word) != kept.counts:
            return False
        world.cached_walk = kept
        return True

    def new_word(self) -> str:
        """For a walk to come: nobody else's is taken for it."""
        self._walks += 1
        return f"{self._name} {self._walks}"

    def keep(self, world: IsolatedWorld, word: str, options: dict[str, Any], text: str) -> None:
        """Keep a walk with what was counted just before it. The first one of a document that began
        before we did is not kept: Chrome counts for us from now on."""
        if (counts := self._worlds.layout_counters.take(word)) is not None:
            world.cached_walk = CachedWalk(word, options, text, counts)
        for command in self._worlds.layout_counters.begin(world.session):
            world.session.send(command)
