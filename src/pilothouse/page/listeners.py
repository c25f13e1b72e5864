"""Who listens to the pointer: plain elements that a page's own scripts have made to be acted on.

Knows: the inspector's questions, and the list of plain elements that both worlds make alike. Must
not know: what is done with the elements. Listeners can only be seen from the page's own world.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

from pilothouse.cdp import Command
from pilothouse.cdp.protocol import DOM, DOMDebugger, Runtime
from pilothouse.errors import CommandFailed
from pilothouse.page.place import Place
from pilothouse.page.worlds import EYES, PageDocument, World, Worlds
from pilothouse.supervisor import Frame

__all__ = ["EVERY", "MARKED", "Listeners"]

# Of so many plain elements it is asked who listens to them, where only the beginning is shown.
MARKED = 6000
EVERY = 1_000_000
_POINTER = "click mousedown mouseup pointerdown pointerup touchstart touchend dblclick"
POINTER = frozenset(_POINTER.split())

_PLAIN = re.search(r"^const PLAIN = (.*);$", EYES, re.MULTILINE)
assert _PLAIN is not None
_LISTENERS = (
    resources.files("pilothouse.page")
    .joinpath("main_world/listeners.js")
    .read_text("utf-8")
    .replace("__PLAIN__", _PLAIN[1])
)


class Listeners:
    """The listening elements of one tab's documents."""

    def __init__(self, place: Place, worlds: Worlds) -> None:
        self._place = place
        self._worlds = worlds

    async def among(self, frame: Frame, world: World, most: int) -> list[int]:
        """Which of the first so many plain elements listen, by their index."""
        context = self._place.supervisor.state.context_of(frame)
        if not context:
            return []
        if not world.listens:
            # In most documents none does: no list of ours is needed to speak of none.
            await self.ask(world, context, most)
            if not world.listens:
                return []
        mark = self._worlds.post(world, "mark", most)
        counting = world.session.send(_count(context, most))
        same = self._worlds.post(world, "marked")
        await mark
        counted = (await counting)["result"].get("value")
        world.listens = bool(counted)
        if not await same or not isinstance(counted, str):
            return []
        return [int(index) for index in counted.split(",") if index.isdigit()]

    async def ask(self, world: World, context: str, most: int) -> None:
        """Find out whether plain elements listen. Chrome tells at once where no element does at
        all; where some do, it is not asked that again."""
        if world.quiet is not False:
            if world.document.context != context:
                world.document = await self.document(self._place.frame(world.frame))
            world.quiet = await _is_quiet(world)
        if world.quiet:
            world.listens = False
        else:
            counted = await world.session.send(_count(context, most))
            world.listens = bool(counted["result"].get("value"))

    async def document(self, frame: Frame) -> PageDocument:
        """A frame's document as the page's own world has it; empty if there is none now."""
        context = self._place.supervisor.state.context_of(frame)
        if not context:
            return PageDocument()
        session = self._place.session_of(frame)
        try:
            asked = Runtime.evaluate(expression="document", uniqueContextId=context)
            return PageDocument(context, (await session.send(asked))["result"].get("objectId", ""))
        except CommandFailed:
            return PageDocument()  # between two documents: it is asked for again


async def _is_quiet(world: World) -> bool:
    """Whether no element of the document listens to the pointer; the document itself may."""
    document = world.document
    if not document.handle:
        return False
    asked = DOMDebugger.getEventListeners(objectId=document.handle, depth=-1, pierce=True)
    try:
        listeners = (await world.session.send(asked))["listeners"]
        heard = {at.get("backendNodeId") for at in listeners if at["type"] in POINTER}
        if not heard:
            return True
        described = await world.session.send(DOM.describeNode(objectId=document.handle))
    except CommandFailed:
        world.document = PageDocument()  # of an older context
        return False
    return heard == {described["node"]["backendNodeId"]}


def _count(context: str, most: int) -> Command[Any]:
    """Asks which plain elements listen to the pointer."""
    return Runtime.evaluate(
        expression=_LISTENERS.replace("__MOST__", str(most)),
        uniqueContextId=context,
        includeCommandLineAPI=True,
        returnByValue=True,
        silent=True,
    )
