"""Whether a document still is as the last walk saw it: then nobody has to walk it again.

Knows: what Chrome counts, and that the rest is asked in the document itself (scripts/look.js). Must
not know: what a walk says. In doubt a document has changed.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from pilothouse.cdp.protocol import Performance
from pilothouse.errors import CommandFailed
from pilothouse.page.listeners import Listeners
from pilothouse.page.worlds import Kept, World, Worlds

if TYPE_CHECKING:
    from pilothouse.cdp.reply import Reply

__all__ = ["Keeping"]

Counts = tuple[float, ...]
# Whatever changes how a page looks has Chrome do one of these.
_COUNTED = ("LayoutCount", "RecalcStyleCount")


class Keeping:
    """The kept walks of one tab's documents."""

    def __init__(self, worlds: Worlds, listeners: Listeners) -> None:
        self._worlds = worlds
        self._listeners = listeners
        # Sessions in which Chrome counts.
        self._counting: set[str] = set()
        self._name, self._walks = secrets.token_hex(4), 0

    async def same(
        self, world: World, options: dict[str, Any], context: str, most: int
    ) -> Kept | None:
        """The last walk of a document, if another one would say the same."""
        kept, world.kept = world.kept, None
        if kept is None or kept.options != options or not context:
            return None
        heard, counts = await asyncio.gather(
            self._listeners.ask(world, context, most), self._counted_if_same(world, kept)
        )
        if not (heard and counts == kept.counts):
            return None
        world.kept = kept
        return kept

    async def _counted_if_same(self, world: World, kept: Kept) -> Counts | None:
        # One after the other: the question for counts is answered before what was asked earlier,
        # and only that brings styles and layout up to date.
        if not await self._worlds.call_in(world, "same", kept.word):
            return None
        return await _counts(self.count(world))

    def new_word(self) -> str:
        """For a walk to come: nobody else's is taken for it."""
        self._walks += 1
        return f"{self._name} {self._walks}"

    def count(self, world: World) -> Reply[Any] | None:
        """Ask what Chrome has counted so far in a document's process; None if it does not count."""
        if world.session.id not in self._counting:
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
        """Keep a walk with what was counted just before it. The first one of a session is not kept:
        only where somebody looks more than once has Chrome to count."""
        if counting is None:
            self._counting.add(world.session.id)
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
    return tuple(found.get(name, -1.0) for name in _COUNTED)
