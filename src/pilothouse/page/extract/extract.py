"""Reading: the page, its article or a part of it as markdown or text, every frame included.

Knows: which frames to ask and how their texts come together. Must not know: how a page is read
(scripts/extract*.js). Why it is done in the page: docs/extract.md.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from pilothouse.errors import CdpError, ToolError
from pilothouse.page.extract.markdown import cut, stitch
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds, adopt_closed_roots
from pilothouse.supervisor import Frame, Outcome

__all__ = ["ExtractedText", "Extractor"]

# A frame that does not answer must not keep the rest of the page from being read.
FRAME_WITHIN_S = 2.0


# The answer of the frame asked for, the texts of frames, and how many frames gave none.
_Found = tuple[dict[str, Any], dict[str, str], int]


class ExtractedText(msgspec.Struct, frozen=True):
    """What was read. `what` is `article`, `main`, `page`, `selection` or `hidden` (none is shown).

    `main`: there is no article, so it is the page's `main article`, `article`, `main` or
    `[role=main]`; without any of them it is the `page`.
    """

    text: str
    title: str
    url: str
    lang: str
    what: str
    frames: int = 1
    cut: int = 0
    note: str = ""


class Extractor:
    """The reader of one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, frame_elements: FrameElements
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._frame_elements = frame_elements

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
    ) -> Outcome[ExtractedText]:
        """Read the page, or one frame of it; its article alone, or what matches `selector`.

        Of a page without an article the main part is read, or everything, and `what` says so.
        `limit` is in characters.
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
        top = self._context.frame(frame_id)
        session = self._context.session_of(top)

        async def work() -> ExtractedText:
            return await self._read(top, options, limit)

        return await self._context.race(work, session)

    async def _read(self, top: Frame, options: dict[str, Any], limit: int) -> ExtractedText:
        first, texts, missing = await self._found(top, options)
        _check(first, options["selector"])
        text, missing_chars = cut(stitch(top.id, texts, self._frame_elements.known), limit)
        return ExtractedText(
            text=text,
            title=first["title"],
            url=first["url"],
            lang=first["lang"],
            what=first["what"],
            frames=len(texts),
            cut=missing_chars,
            note="; ".join(_notes(first, options["article"], missing)),
        )

    async def _found(self, top: Frame, options: dict[str, Any]) -> _Found:
        """What the frame says, the texts of it and those below, and how many frames gave none."""
        if options["article"]:
            first = await self._ask(top, "article", options, [])
            if first["framed"]:
                first, inner = await self._flattened(top, options, first)
                if first["what"] == "article":
                    return first, {top.id: first["text"], **inner}, 0
        else:
            first = await self._ask(top, "extract", options)
        if first.get("what") != "page":
            return first, {top.id: first.get("text", "")}, 0
        frames = self._below(top)
        answers = await self._each(frames, {f.id: ("extract", options) for f in frames})
        told = {frame_id: answer["text"] for frame_id, answer in answers.items()}
        return first, {top.id: first["text"], **told}, len(frames) - len(told)

    async def _flattened(
        self, top: Frame, options: dict[str, Any], first: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The article of a document whose frames stand in it: its answer, and the frames' texts."""
        frames = {str(number): frame for number, frame in enumerate(self._below(top))}
        keys = {frame.id: key for key, frame in frames.items()} | {top.id: ""}
        copies = await self._each(
            list(frames.values()), {f.id: ("copied", key) for key, f in frames.items()}
        )
        places = {
            keys[frame_id]: (keys[owner[0]], owner[1])
            for frame_id in copies
            if (owner := self._frame_elements.known(frame_id)) is not None and owner[0] in keys
        }
        if not places:
            return first, {}
        sent = [[key, *slot, copies[frames[key].id]] for key, slot in places.items()]
        first = await self._ask(top, "article", options, sent)
        marks: dict[str, list[int]] = first.get("marks", {})
        shown = _leading(places, [key for key in marks if key])
        asked = {
            frames[key].id: ("writeMarked", options, marks.get(key, []), numbers)
            for key, numbers in shown.items()
        }
        read = await self._each([frames[key] for key in shown], asked)
        return first, {frame_id: answer["text"] for frame_id, answer in read.items()}

    async def _ask(self, frame: Frame, function: str, *given: Any) -> Any:
        answer = await self._worlds.read(frame, function, *given)
        if isinstance(answer, dict) and answer.get("suspects"):
            world = await self._worlds.of(frame)
            if await adopt_closed_roots(self._worlds, world, answer["suspects"]):
                answer = await self._worlds.read(frame, function, *given)
        return answer

    def _below(self, top: Frame) -> list[Frame]:
        within = set(self._context.supervisor.state.frame_subtree(top.id)) - {top.id}
        return [frame for frame in self._context.frames() if frame.id in within]

    async def _each(self, frames: list[Frame], calls: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
        """The answers of the frames that give one in time, while it is found out where they are."""
        if not frames:
            return {}
        asked = {f.id: asyncio.ensure_future(self._ask(f, *calls[f.id])) for f in frames}
        owning = asyncio.ensure_future(self._frame_elements.find(frames))
        try:
            await asyncio.wait([*asked.values(), owning], timeout=FRAME_WITHIN_S)
            return {frame_id: task.result() for frame_id, task in asked.items() if _told(task)}
        finally:
            for task in (*asked.values(), owning):
                task.cancel()


def _leading(places: dict[str, tuple[str, int]], wanted: list[str]) -> dict[str, list[int]]:
    """The frames that hold a part of the article or lead to one that does: the numbers of the
    frames in each that do so, too. `places`: the key of the frame around each, and its number."""
    shown: dict[str, list[int]] = {}
    for key in wanted:
        while key:
            shown.setdefault(key, [])
            outer, number = places[key]
            if outer and number not in shown.setdefault(outer, []):
                shown[outer].append(number)
            key = outer
    return shown


def _notes(first: dict[str, Any], article: bool, missing: int) -> list[str]:
    """What whoever reads the text should know about it."""
    notes = []
    if article and first.get("large"):
        notes.append("the page is too large to look for an article")
    if article and first["what"] in ("main", "page"):
        part = "the main part of the page" if first["what"] == "main" else "the whole page"
        notes.append(f"no article found: this is {part}")
    if first["what"] == "hidden":
        notes.append("nothing of this is shown now: it is the page's hidden text")
    if missing:
        notes.append(f"{missing} frame(s) did not answer")
    return notes


def _told(task: asyncio.Future[Any]) -> bool:
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
