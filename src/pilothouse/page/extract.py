"""Reading: the page, its article or a part of it as markdown or text, every frame included.

Knows: which frames to ask and how their texts come together. Must not know: how a page is read
(scripts/extract*.js). Why it is done in the page: docs/extract.md.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from pilothouse.errors import CdpError, ToolError
from pilothouse.page.markdown import clean, cut, stitch
from pilothouse.page.owners import Owners
from pilothouse.page.place import Place
from pilothouse.page.shadows import adopt_closed_roots
from pilothouse.page.worlds import Worlds
from pilothouse.supervisor import Frame, Outcome

__all__ = ["Extract", "Extracted"]

# A frame that does not answer must not keep the rest of the page from being read.
FRAME_WITHIN_S = 2.0


class Extracted(msgspec.Struct, frozen=True):
    """What was read. `what` is `article`, `page`, `selection` or `hidden` (none is shown)."""

    text: str
    title: str
    url: str
    lang: str
    what: str
    frames: int = 1
    cut: int = 0
    note: str = ""


class Extract:
    """The reader of one tab."""

    def __init__(self, place: Place, worlds: Worlds, owners: Owners) -> None:
        self._place = place
        self._worlds = worlds
        self._owners = owners

    async def read(
        self,
        *,
        article: bool = False,
        format: str = "markdown",
        selector: str = "",
        frame_id: str = "",
        links: bool = True,
        images: bool = True,
        limit: int = 0,
    ) -> Outcome[Extracted]:
        """Read the page, or one frame of it; its article alone, or what matches `selector`.

        A page without an article is read whole, and `what` says so. `limit` is in characters.
        Raises ToolError if the selector is no CSS selector or matches nothing.
        """
        if format not in ("markdown", "text"):
            raise ToolError(f"format: {format!r} is unknown", hint="use markdown or text")
        if article and selector:
            raise ToolError("article and selector were both given", hint="give one of them")
        options = {
            "article": article,
            "format": format,
            "selector": selector,
            "links": links,
            "images": images,
        }
        top = self._place.frame(frame_id)
        session = self._place.session_of(top)

        async def work() -> Extracted:
            return await self._read(top, options, limit)

        return await self._place.race(work, session)

    async def _read(self, top: Frame, options: dict[str, Any], limit: int) -> Extracted:
        first = await self._ask(top, options)
        _check(first, options["selector"])
        frames, note, text = 1, "", clean(first["text"])
        if first["what"] == "page":
            if options["article"]:
                note = "no article found: this is the whole page"
            inner, missing = await self._inner(top, {**options, "article": False})
            text = stitch(top.id, {top.id: first["text"], **inner}, self._owners.known)
            frames += len(inner)
            if missing:
                note = "; ".join(filter(None, (note, f"{missing} frame(s) did not answer")))
        elif first["what"] == "hidden":
            note = "nothing of this is shown now: it is the page's hidden text"
        text, missing_chars = cut(text, limit)
        return Extracted(
            text=text,
            title=first["title"],
            url=first["url"],
            lang=first["lang"],
            what=first["what"],
            frames=frames,
            cut=missing_chars,
            note=note,
        )

    async def _ask(self, frame: Frame, options: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = await self._worlds.read(frame, "extract", options)
        if answer.get("suspects"):
            world = await self._worlds.of(frame)
            if await adopt_closed_roots(self._worlds, world, answer["suspects"]):
                answer = await self._worlds.read(frame, "extract", options)
        return answer

    async def _inner(self, top: Frame, options: dict[str, Any]) -> tuple[dict[str, str], int]:
        """The texts of the frames below, and how many gave none."""
        within = set(self._place.supervisor.state.within(top.id)) - {top.id}
        frames = [frame for frame in self._place.frames() if frame.id in within]
        if not frames:
            return {}, 0
        asked = {f.id: asyncio.ensure_future(self._ask(f, options)) for f in frames}
        owning = asyncio.ensure_future(self._owners.find(frames))
        try:
            await asyncio.wait([*asked.values(), owning], timeout=FRAME_WITHIN_S)
            texts = {
                frame_id: task.result()["text"] for frame_id, task in asked.items() if _told(task)
            }
        finally:
            for task in (*asked.values(), owning):
                task.cancel()
        return texts, len(frames) - len(texts)


def _told(task: asyncio.Future[dict[str, Any]]) -> bool:
    """Whether a frame has answered; those that went away or hang are counted, not raised."""
    if not task.done() or task.cancelled():
        return False
    error = task.exception()
    if error is not None and not isinstance(error, CdpError | ToolError):
        raise error
    return error is None


def _check(answer: dict[str, Any], selector: str) -> None:
    if answer.get("bad"):
        raise ToolError(f"selector: {selector!r} is no CSS selector", hint="use one like main.post")
    if not answer["found"]:
        raise ToolError(
            f"selector: {selector!r} matches nothing in this frame",
            hint="take a snapshot to see what is there, or leave the selector out",
        )
