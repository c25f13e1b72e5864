"""The images of a page, in all frames.

Knows: which frames to ask. Must not know: how images are found (js/images.js).
"""

from __future__ import annotations

import asyncio

import msgspec

from pilothouse.errors import CdpError, ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame, Outcome

__all__ = ["Images", "PageImage"]

FRAME_WITHIN_S = 2.0


class PageImage(msgspec.Struct, frozen=True, rename="camel"):
    """One image. Positions are in CSS pixels from the top left corner of its frame's document."""

    kind: str
    src: str
    alt: str
    natural_width: int
    natural_height: int
    x: int
    y: int
    width: int
    height: int
    visible: bool
    in_viewport: bool
    loaded: bool
    frame: str = ""


class Images:
    """Lists the images of one tab."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds) -> None:
        self._context = context
        self._worlds = worlds

    async def find_all(
        self, *, backgrounds: bool = False, hidden: bool = True, least: int = 0
    ) -> Outcome[list[PageImage]]:
        """List the images of all frames, the main frame's first.

        `backgrounds` adds CSS background images and SVG drawings; without `hidden` only visible
        images are listed; `least` is the minimum length of the shorter displayed edge. A frame
        that does not answer within FRAME_WITHIN_S is skipped.
        """

        async def work() -> list[PageImage]:
            top = self._context.main()
            others = [frame for frame in self._context.frames() if frame.id != top.id]
            asked = [asyncio.ensure_future(self._of(frame, backgrounds)) for frame in others]
            try:
                found = await self._of(top, backgrounds)
                if asked:
                    await asyncio.wait(asked, timeout=FRAME_WITHIN_S)
                for task in asked:
                    if task.done():
                        found += task.result()
            finally:
                for task in asked:
                    task.cancel()
            return [
                image
                for image in found
                if (hidden or image.visible) and min(image.width, image.height) >= least
            ]

        return await self._context.race(work)

    async def _of(self, frame: Frame, backgrounds: bool) -> list[PageImage]:
        try:
            text = await self._worlds.read(frame, "images", backgrounds)
        except (CdpError, ToolError):
            if not frame.parent:
                raise
            return []  # the frame was removed meanwhile
        found = msgspec.json.decode(text, type=list[PageImage])
        return [msgspec.structs.replace(image, frame=frame.id) for image in found]
