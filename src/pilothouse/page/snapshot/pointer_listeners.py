"""Pointer listeners: which plain elements (div, span and the like) the page's scripts made
clickable.

Knows: DOMDebugger.getEventListeners, the command line API's getEventListeners(), and the list of
plain elements that both worlds compute in the same order. Must not know: what is done with the
elements. Listeners can only be seen from the page's main world, so an element is named by its
index in that list.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import DOM, DOMDebugger, Runtime
from pilothouse.errors import CommandFailed
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import (
    IsolatedWorld,
    IsolatedWorlds,
    PageDocument,
    js_function,
)
from pilothouse.supervisor import Frame

if TYPE_CHECKING:
    from pilothouse.cdp.awaitable_reply import Reply

__all__ = ["EVERY", "MARKED", "PointerListeners"]

# When the snapshot is truncated anyway, query listeners for at most this many plain elements.
MARKED = 6000
EVERY = 1_000_000
# Above this many listeners, getEventListeners for the whole document takes longer than a query of
# every element.
MOST_LISTENERS = 400
_POINTER = "click mousedown mouseup pointerdown pointerup touchstart touchend dblclick"
POINTER = frozenset(_POINTER.split())

_LISTENERS = js_function("listeners")


class PointerListeners:
    """Finds elements with pointer listeners in one tab's documents."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds
        # Origins whose last document had none: a walk does not wait for that answer again.
        self._quiet: set[str] = set()

    def assume_as_before(self, world: IsolatedWorld) -> None:
        """Assume that a new document has no listeners if the last one of its origin had none."""
        if world.has_listeners is None and world.origin in self._quiet:
            world.has_listeners = False

    async def find(self, frame: Frame, world: IsolatedWorld, most: int) -> list[int]:
        """Return the indexes of those of the first `most` plain elements that have listeners."""
        context_id = self._context.supervisor.state.context_of(frame)
        if not context_id:
            return []
        if not world.has_listeners:
            # Most documents have none: then our world need not build its list.
            await self.check(world, context_id, most)
            if not world.has_listeners:
                return []
        mark = self._worlds.call_in(world, "mark", most)
        counting = world.session.send(_count(context_id, most))
        same = self._worlds.call_in(world, "marked")
        await mark
        counted = (await counting)["result"].get("value")
        world.has_listeners = bool(counted)
        if not await same or not isinstance(counted, str):
            return []
        world.checked_elements = most
        return [int(index) for index in counted.split(",") if index.isdigit()]

    async def check(self, world: IsolatedWorld, context_id: str, most: int) -> bool:
        """Update `world.has_listeners`; return whether the same nodes listen as last time.

        One getEventListeners call for the document lists the nodes, so elements are queried one by
        one only when that list changed, or when it is too long (MOST_LISTENERS).
        """
        if world.document.context_id != context_id:
            world.document = await self.document(self._context.frame(world.frame))
            world.listener_nodes = None
        if world.has_many_listeners or not world.document.handle:
            nodes = None
        else:
            nodes = await self._listener_nodes(world)
        if nodes is not None and nodes == world.listener_nodes and world.checked_elements >= most:
            return True
        world.listener_nodes = nodes
        if nodes is not None and (not nodes or await _is_document_only(nodes, world)):
            world.has_listeners, world.checked_elements = False, EVERY
        else:
            counted = await world.session.send(_count(context_id, most))
            world.has_listeners = bool(counted["result"].get("value"))
            # That some listen is known now; which ones, only after `find`.
            world.checked_elements = 0 if world.has_listeners else most
        if world.has_listeners:
            self._quiet.discard(world.origin)
        else:
            self._quiet.add(world.origin)
        return False

    async def _listener_nodes(self, world: IsolatedWorld) -> frozenset[int] | None:
        """Return the backend ids of nodes with pointer listeners; None if Chrome cannot tell."""
        try:
            reply = world.early_listeners or _get_listeners(world.session, world.document)
            world.early_listeners = None
            listeners = (await reply)["listeners"]
        except CommandFailed:
            world.document = PageDocument()  # the handle belongs to an older execution context
            return None
        world.has_many_listeners = len(listeners) > MOST_LISTENERS
        return frozenset(at.get("backendNodeId", 0) for at in listeners if at["type"] in POINTER)

    async def document(self, frame: Frame) -> PageDocument:
        """Return a handle of a frame's document in the main world; empty if there is none now."""
        context_id = self._context.supervisor.state.context_of(frame)
        if not context_id:
            return PageDocument()
        session = self._context.session_of(frame)
        try:
            asked = Runtime.evaluate(expression="document", uniqueContextId=context_id)
            result = (await session.send(asked))["result"]
            return PageDocument(context_id, result.get("objectId", ""))
        except CommandFailed:
            return PageDocument()  # between two documents: the next call tries again

    async def create_world(self, frame: Frame) -> IsolatedWorld:
        """Create a frame's world, and query its listeners at the same time."""
        world: IsolatedWorld
        world, early = await asyncio.gather(self._worlds.of(frame), self._query_early(frame))
        document, reply = early
        if reply is not None and reply.session_id == world.session.id:
            world.document, world.early_listeners = document, reply
        return world

    async def _query_early(self, frame: Frame) -> tuple[PageDocument, Reply[Any] | None]:
        document = await self.document(frame)
        if not document.handle:
            return document, None
        return document, _get_listeners(self._context.session_of(frame), document)


def _get_listeners(session: Session, document: PageDocument) -> Reply[Any]:
    return session.send(
        DOMDebugger.getEventListeners(objectId=document.handle, depth=-1, pierce=True)
    )


async def _is_document_only(nodes: frozenset[int], world: IsolatedWorld) -> bool:
    """Whether the document itself is the only node that listens."""
    if len(nodes) != 1:
        return False
    try:
        described = await world.session.send(DOM.describeNode(objectId=world.document.handle))
    except CommandFailed:
        return False
    return nodes == {described["node"]["backendNodeId"]}


def _count(context_id: str, most: int) -> Command[Any]:
    """Build the command that returns the indexes of listening plain elements as a text."""
    return Runtime.evaluate(
        expression=f"({_LISTENERS})({most})",
        uniqueContextId=context_id,
        includeCommandLineAPI=True,
        returnByValue=True,
        silent=True,
    )
