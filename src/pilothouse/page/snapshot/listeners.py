"""Who listens to the pointer: plain elements that a page's own scripts have made to be acted on.

Knows: the inspector's questions, and the list of plain elements that both worlds make alike. Must
not know: what is done with the elements. Listeners can only be seen from the page's own world.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import DOM, DOMDebugger, Runtime
from pilothouse.errors import CommandFailed
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import (
    SNAPSHOT_BUNDLE,
    IsolatedWorld,
    IsolatedWorlds,
    PageDocument,
    js_source,
)
from pilothouse.supervisor import Frame

if TYPE_CHECKING:
    from pilothouse.cdp.reply import Reply

__all__ = ["EVERY", "MARKED", "PointerListeners"]

# Of so many plain elements it is asked who listens to them, where only the beginning is shown.
MARKED = 6000
EVERY = 1_000_000
# Of more listeners than these it takes longer to be told than to ask every element.
MOST_HEARERS = 400
_POINTER = "click mousedown mouseup pointerdown pointerup touchstart touchend dblclick"
POINTER = frozenset(_POINTER.split())

_PLAIN = re.search(r"^const PLAIN = (.*);$", SNAPSHOT_BUNDLE, re.MULTILINE)
assert _PLAIN is not None
_LISTENERS = js_source("main_world/listeners.js").replace("__PLAIN__", _PLAIN[1])


class PointerListeners:
    """The listening elements of one tab's documents."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds
        # Whose documents had none the last time: then nobody waits to be told so.
        self._quiet: set[str] = set()

    def expect(self, world: IsolatedWorld) -> None:
        """Take it for now that a new document is like the last one of its origin."""
        if world.has_listeners is None and world.origin in self._quiet:
            world.has_listeners = False

    async def among(self, frame: Frame, world: IsolatedWorld, most: int) -> list[int]:
        """Which of the first so many plain elements listen, by their index."""
        context_id = self._context.supervisor.state.context_of(frame)
        if not context_id:
            return []
        if not world.has_listeners:
            # In most documents none does: no list of ours is needed to speak of none.
            await self.ask(world, context_id, most)
            if not world.has_listeners:
                return []
        mark = self._worlds.post(world, "mark", most)
        counting = world.session.send(_count(context_id, most))
        same = self._worlds.post(world, "marked")
        await mark
        counted = (await counting)["result"].get("value")
        world.has_listeners = bool(counted)
        if not await same or not isinstance(counted, str):
            return []
        world.checked_elements = most
        return [int(index) for index in counted.split(",") if index.isdigit()]

    async def ask(self, world: IsolatedWorld, context_id: str, most: int) -> bool:
        """Find out whether plain elements listen; whether just those do that did before. Chrome
        tells at once who does, so nobody is asked one by one while it is the same ones. Where they
        are too many to be told, all are asked each time."""
        if world.document.context_id != context_id:
            world.document = await self.document(self._context.frame(world.frame))
            world.listener_nodes = None
        if world.has_many_listeners or not world.document.handle:
            heard = None
        else:
            heard = await self._hearers(world)
        if heard is not None and heard == world.listener_nodes and world.checked_elements >= most:
            return True
        world.listener_nodes = heard
        if heard is not None and (not heard or await _is_only(heard, world)):
            world.has_listeners, world.checked_elements = False, EVERY
        else:
            counted = await world.session.send(_count(context_id, most))
            world.has_listeners = bool(counted["result"].get("value"))
            # Which ones is not known yet.
            world.checked_elements = 0 if world.has_listeners else most
        if world.has_listeners:
            self._quiet.discard(world.origin)
        else:
            self._quiet.add(world.origin)
        return False

    async def _hearers(self, world: IsolatedWorld) -> frozenset[int] | None:
        """The nodes that listen to the pointer; None if nobody can tell."""
        try:
            asked = world.early_listeners or _listeners(world.session, world.document)
            world.early_listeners = None
            listeners = (await asked)["listeners"]
        except CommandFailed:
            world.document = PageDocument()  # of an older context
            return None
        world.has_many_listeners = len(listeners) > MOST_HEARERS
        return frozenset(at.get("backendNodeId", 0) for at in listeners if at["type"] in POINTER)

    async def document(self, frame: Frame) -> PageDocument:
        """A frame's document as the page's own world has it; empty if there is none now."""
        context_id = self._context.supervisor.state.context_of(frame)
        if not context_id:
            return PageDocument()
        session = self._context.session_of(frame)
        try:
            asked = Runtime.evaluate(expression="document", uniqueContextId=context_id)
            result = (await session.send(asked))["result"]
            return PageDocument(context_id, result.get("objectId", ""))
        except CommandFailed:
            return PageDocument()  # between two documents: it is asked for again

    async def meet(self, frame: Frame) -> IsolatedWorld:
        """A frame's new world. Who listens is asked while it is made."""
        world: IsolatedWorld
        world, early = await asyncio.gather(self._worlds.of(frame), self._early(frame))
        document, asked = early
        if asked is not None and asked.session_id == world.session.id:
            world.document, world.early_listeners = document, asked
        return world

    async def _early(self, frame: Frame) -> tuple[PageDocument, Reply[Any] | None]:
        document = await self.document(frame)
        if not document.handle:
            return document, None
        return document, _listeners(self._context.session_of(frame), document)


def _listeners(session: Session, document: PageDocument) -> Reply[Any]:
    return session.send(
        DOMDebugger.getEventListeners(objectId=document.handle, depth=-1, pierce=True)
    )


async def _is_only(heard: frozenset[int], world: IsolatedWorld) -> bool:
    """Whether nobody listens but the document itself."""
    if len(heard) != 1:
        return False
    try:
        described = await world.session.send(DOM.describeNode(objectId=world.document.handle))
    except CommandFailed:
        return False
    return heard == {described["node"]["backendNodeId"]}


def _count(context_id: str, most: int) -> Command[Any]:
    """Asks which plain elements listen to the pointer."""
    return Runtime.evaluate(
        expression=_LISTENERS.replace("__MOST__", str(most)),
        uniqueContextId=context_id,
        includeCommandLineAPI=True,
        returnByValue=True,
        silent=True,
    )
