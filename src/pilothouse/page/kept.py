"""Whether a document still is as the last walk saw it: then nobody has to walk it again.

Knows: what Chrome counts, and that the rest is asked in the document itself (scripts/look.js). Must
not know: what a walk says. In doubt a document has changed.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from pilothouse.cdp.protocol import Performance
from pilothouse.errors import CommandFailed
from pilothouse.page.worlds import Kept, World, Worlds

if TYPE_CHECKING:
    from pilothouse.cdp.reply import Reply

__all__ = ["Keeping"]

Counts = tuple[float, ...]
# Whatever changes how a page looks has Chrome do one of these.
_COUNTED = ("LayoutCount", "RecalcStyleCount")


class Keeping:
    """The kept walks of one tab's documents."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._name, self._walks = secrets.token_hex(4), 0

    def last(self, world: World, options: dict[str, Any]) -> Kept | None:
        """The last walk of a document, if it was asked for in the same way. It is kept no longer
        unless it turns out to hold."""
        kept, world.kept = world.kept, None
        return kept if kept is not None and kept.options == options else None

    async def holds(self, world: World, kept: Kept) -> bool:
        """Whether a walk of which the document says that it is the same holds for Chrome too. Not
        asked before: Chrome tells counts ahead of all that was asked earlier, and only the
        document's answer has brought styles and layout up to date."""
        if await _counts(self.count(world)) != kept.counts:
            return False
        world.kept = kept
        return True

    def new_word(self) -> str:
        """For a walk to come: nobody else's is taken for it."""
        self._walks += 1
        return f"{self._name} {self._walks}"

    def count(self, world: World) -> Reply[Any] | None:
        """Ask what Chrome has counted so far in a document's process; None if it does not count."""
        if world.session.id not in self._worlds.counting:
            return None
        return world.session.send(Performance.getMetrics())

    async def keep(
        self,
        world: World,
        word: str,
        options: dict[str, Any],
        text: str,
        counting: Reply[Any] | None,
    ) -> None:
        """Keep a walk with what was counted just before it. The first one of a tab is not kept:
        only where somebody looks more than once has Chrome to count."""
        if counting is None:
            self._worlds.counting.add(world.session.id)
            world.session.send(Performance.enable())
        elif (counts := await _counts(counting)) is not None:
            world.kept = Kept(word, options, text, counts)


async def _counts(counting: Reply[Any] | None) -> Counts | None:
    if counting is None:
        return None
    try:
        found = {metric["name"]: metric["value"] for metric in (await counting)["metrics"]}
    except CommandFailed:
        return None  # no Chrome, or an older one
    if not found.keys() >= set(_COUNTED):
        return None  # somebody has told Chrome to stop
    return tuple(found[name] for name in _COUNTED)
