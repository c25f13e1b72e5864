"""Where frames stand in their parents: the number of each frame's element in the parent's world.

Knows: `DOM.getFrameOwner`. Must not know: what is done there.
"""

from __future__ import annotations

import asyncio

from pilothouse.cdp.protocol import DOM, Runtime
from pilothouse.errors import CdpError, ToolError
from pilothouse.page.place import Place
from pilothouse.page.worlds import World, Worlds
from pilothouse.supervisor import Frame

__all__ = ["Owners"]


class Owners:
    """The frame elements of one tab."""

    def __init__(self, place: Place, worlds: Worlds) -> None:
        self._place = place
        self._worlds = worlds
        # Frame -> its parent, the parent's loader, the number there.
        self._known: dict[str, tuple[str, str, int]] = {}

    def known(self, frame_id: str) -> tuple[str, int] | None:
        """The parent of a frame and the number of its element there."""
        frame = self._place.supervisor.state.frames.get(frame_id)
        place = self._known.get(frame_id)
        if frame is None or place is None or frame.parent != place[0]:
            return None
        parent = self._place.supervisor.state.frames.get(frame.parent)
        return place[::2] if parent is not None and parent.loader == place[1] else None

    async def find(self, frames: list[Frame]) -> None:
        """Find out about the frames that are not known yet, all at once."""
        await asyncio.gather(*(self.of(f) for f in frames if self.known(f.id) is None))

    async def of(self, frame: Frame) -> tuple[str, int] | None:
        """Parent and number of one frame; None while it has no element (it is going away)."""
        known = self.known(frame.id)
        if known is not None or not frame.parent:
            return known
        try:
            parent = self._place.frame(frame.parent)
            world = await self._worlds.of(parent)
            number = await self._ask(frame, world)
        except (CdpError, ToolError):
            return None  # it went away meanwhile: then it is nowhere
        self._known[frame.id] = (parent.id, world.loader, number)
        return parent.id, number

    async def _ask(self, frame: Frame, world: World) -> int:
        session = world.session
        owner = await session.send(DOM.getFrameOwner(frameId=frame.id))
        resolved = await session.send(
            DOM.resolveNode(backendNodeId=owner["backendNodeId"], executionContextId=world.context)
        )
        handle = resolved["object"]["objectId"]
        answer = await session.send(
            Runtime.callFunctionOn(
                functionDeclaration="function() { return ph.frameNumber(this); }",
                objectId=handle,
                returnByValue=True,
            )
        )
        session.send(Runtime.releaseObject(objectId=handle))
        return int(answer["result"]["value"])
