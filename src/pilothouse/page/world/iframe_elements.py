"""Frame elements: which <iframe> (or <frame>, <object>) of the parent holds which frame, as the
ref number of the element in the parent's isolated world.

Knows: DOM.getFrameOwner, and that walks report the same more cheaply (`learn`). Must not know:
what is done with the elements.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools

from pilothouse.cdp.protocol import DOM, Runtime
from pilothouse.errors import CdpError, ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.isolated_worlds import IsolatedWorld, IsolatedWorlds
from pilothouse.supervisor import Frame

__all__ = ["NUMBERS", "FrameElements"]

# More at a time would delay the page's replies to other calls.
AT_ONCE = 24
_groups = itertools.count(1)
NUMBERS = "function(...elements) { return elements.map(ph.frameNumber); }"


class FrameElements:
    """The frame elements of one tab."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds
        # Frame id -> its parent's frame id, the parent's loader id, the element's number.
        self._known: dict[str, tuple[str, str, int]] = {}

    def known(self, frame_id: str) -> tuple[str, int] | None:
        """Return a frame's parent and the number of its element there; None if not known, or if
        the parent has another document by now."""
        frame = self._context.supervisor.state.frames.get(frame_id)
        known = self._known.get(frame_id)
        if frame is None or known is None or frame.parent != known[0]:
            return None
        parent = self._context.supervisor.state.frames.get(frame.parent)
        return known[::2] if parent is not None and parent.loader == known[1] else None

    def learn(self, frame_id: str, parent: IsolatedWorld, number: int) -> None:
        """Record a frame's element, as the walks of the frame and of its parent reported it."""
        self._known[frame_id] = (parent.frame, parent.loader, number)

    async def find(self, frames: list[Frame]) -> None:
        """Ask Chrome for the elements of all frames that are not known yet, concurrently."""
        unknown: dict[str, list[Frame]] = {}
        for frame in frames:
            if frame.parent and self.known(frame.id) is None:
                unknown.setdefault(frame.parent, []).append(frame)
        await asyncio.gather(*(self._find(parent, inner) for parent, inner in unknown.items()))

    async def of(self, frame: Frame) -> tuple[str, int] | None:
        """Return a frame's parent and the number of its element; None while the frame has no
        element, because it is being removed."""
        await self.find([frame])
        return self.known(frame.id)

    async def _find(self, parent: str, frames: list[Frame]) -> None:
        try:
            world = await self._worlds.of(self._context.frame(parent))
        except (CdpError, ToolError):
            return  # the parent was removed meanwhile, and its frames with it
        for start in range(0, len(frames), AT_ONCE):
            await self._number(frames[start : start + AT_ONCE], world)

    async def _number(self, frames: list[Frame], world: IsolatedWorld) -> None:
        # An object group of our own: releasing it must not release handles of other calls.
        group = f"pilothouse-frames-{next(_groups)}"
        elements = await asyncio.gather(*(self._element(frame, world, group) for frame in frames))
        there = [(f, element) for f, element in zip(frames, elements, strict=True) if element]
        if not there:
            return
        try:
            answer = await world.session.send(
                Runtime.callFunctionOn(
                    functionDeclaration=NUMBERS,
                    executionContextId=world.context_id,
                    arguments=[{"objectId": element} for _, element in there],
                    returnByValue=True,
                )
            )
        except CdpError:
            return  # the parent document was replaced meanwhile
        finally:
            with contextlib.suppress(CdpError):  # the session, and with it the group, is gone
                world.session.send(Runtime.releaseObjectGroup(objectGroup=group))
        for (frame, _), number in zip(there, answer["result"]["value"], strict=True):
            self.learn(frame.id, world, int(number))

    async def _element(self, frame: Frame, world: IsolatedWorld, group: str) -> str:
        """Return a handle of a frame's element in its parent's world; empty if it has none."""
        session = world.session
        try:
            owner = await session.send(DOM.getFrameOwner(frameId=frame.id))
            resolved = await session.send(
                DOM.resolveNode(
                    backendNodeId=owner["backendNodeId"],
                    executionContextId=world.context_id,
                    objectGroup=group,
                )
            )
        except CdpError:
            return ""
        return resolved["object"].get("objectId", "")
