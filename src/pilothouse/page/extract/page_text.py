"""Extractor: the page, its article or a part of it as markdown or text, all frames included.

Knows: which frames to ask and how their texts are joined. Must not know: how a document is read
(js/extract*.js). docs/extract.md explains why this is done in the page.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from pilothouse.errors import CdpError, ElementNotFound, ToolError, UsageError, plural
from pilothouse.page.extract.frame_texts import cut, stitch
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds, adopt_closed_roots
from pilothouse.supervisor import Frame, Outcome

__all__ = ["ExtractedText", "Extractor"]

# A frame that does not answer must not delay the rest of the page for longer.
FRAME_WITHIN_S = 2.0

# The answer of the requested frame, the text of each frame, and how many frames gave none.
_Texts = tuple[dict[str, Any], dict[str, str], int]


class ExtractedText(msgspec.Struct, frozen=True):
    """The extracted text. `what` says what it is of: `article`, `main`, `page`, `selection`, or
    `hidden` if nothing that was asked for is visible.

    `main` means that there is no article: it is the first of `main article`, `article`, `main`
    and `[role=main]` that the page has. Without any of them it is the whole `page`.
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
    """Extracts text from one tab."""

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
        """Extract the page or one frame; only its article, or only what matches `selector`.

        For a page without an article, return its main part or everything; `what` says which.
        `limit` is in characters (0: no limit).
        Raises ToolError if the selector is not valid CSS or matches nothing.
        """
        if format not in ("markdown", "text"):
            raise UsageError(
                f"format: unknown value {format!r}; expected markdown or text",
                hint="use markdown or text",
            )
        if article and selector:
            raise UsageError("article and selector cannot be combined", hint="pass one of them")
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
        first, texts, missing = await self._collect(top, options)
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

    async def _collect(self, top: Frame, options: dict[str, Any]) -> _Texts:
        """Get the texts of a frame and of the frames below it."""
        if options["article"]:
            first = await self._ask(top, "article", options, [])
            if first["framed"]:
                # The article may be in a child frame, or spread over several.
                first, inner = await self._find_framed_article(top, options, first)
                if first["what"] == "article":
                    return first, {top.id: first["text"], **inner}, 0
        else:
            first = await self._ask(top, "extract", options)
        if first.get("what") != "page":
            return first, {top.id: first.get("text", "")}, 0
        frames = self._below(top)
        answers = await self._ask_each(frames, {f.id: ("extract", options) for f in frames})
        texts = {frame_id: answer["text"] for frame_id, answer in answers.items()}
        return first, {top.id: first["text"], **texts}, len(frames) - len(texts)

    async def _find_framed_article(
        self, top: Frame, options: dict[str, Any], first: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Find the article of a document with frames: return its answer, and the frames' texts.

        Each frame sends a copy of its document. Readability runs in the top frame, on a copy that
        has the frames' copies in place of their elements, and returns the numbers of the elements
        that belong to the article. Then each frame writes its own part.
        """
        # Frames are named by short keys on the wire; the top frame's key is "".
        frames = {str(number): frame for number, frame in enumerate(self._below(top))}
        keys = {frame.id: key for key, frame in frames.items()} | {top.id: ""}
        copies = await self._ask_each(
            list(frames.values()), {f.id: ("copied", key) for key, f in frames.items()}
        )
        # Frame key -> the key of its parent, and the number of its element there.
        positions = {
            keys[frame_id]: (keys[position[0]], position[1])
            for frame_id in copies
            if (position := self._frame_elements.known(frame_id)) is not None
            and position[0] in keys
        }
        if not positions:
            return first, {}
        sent = [[key, *position, copies[frames[key].id]] for key, position in positions.items()]
        first = await self._ask(top, "article", options, sent)
        marks: dict[str, list[int]] = first.get("marks", {})
        shown = _article_frames(positions, [key for key in marks if key])
        calls = {
            frames[key].id: ("writeMarked", options, marks.get(key, []), numbers)
            for key, numbers in shown.items()
        }
        read = await self._ask_each([frames[key] for key in shown], calls)
        return first, {frame_id: answer["text"] for frame_id, answer in read.items()}

    async def _ask(self, frame: Frame, function: str, *arguments: Any) -> Any:
        """Call a function in a frame; call it again if it came upon closed shadow roots."""
        answer = await self._worlds.read(frame, function, *arguments)
        if isinstance(answer, dict) and answer.get("suspects"):
            world = await self._worlds.of(frame)
            if await adopt_closed_roots(world, answer["suspects"]):
                answer = await self._worlds.read(frame, function, *arguments)
        return answer

    def _below(self, top: Frame) -> list[Frame]:
        within = set(self._context.supervisor.state.frame_subtree(top.id)) - {top.id}
        return [frame for frame in self._context.frames() if frame.id in within]

    async def _ask_each(
        self, frames: list[Frame], calls: dict[str, tuple[Any, ...]]
    ) -> dict[str, Any]:
        """Call a function in each frame, and find the frames' elements at the same time. Return
        the answers that come within FRAME_WITHIN_S."""
        if not frames:
            return {}
        tasks = {f.id: asyncio.ensure_future(self._ask(f, *calls[f.id])) for f in frames}
        locating = asyncio.ensure_future(self._frame_elements.find(frames))
        try:
            await asyncio.wait([*tasks.values(), locating], timeout=FRAME_WITHIN_S)
            return {id_: task.result() for id_, task in tasks.items() if _has_answered(task)}
        finally:
            for task in (*tasks.values(), locating):
                task.cancel()


def _article_frames(
    positions: dict[str, tuple[str, int]], wanted: list[str]
) -> dict[str, list[int]]:
    """Return the frames that contain a part of the article, or a frame that does: for each, the
    numbers of its child frames that belong to the article."""
    shown: dict[str, list[int]] = {}
    for key in wanted:
        while key:
            shown.setdefault(key, [])
            outer, number = positions[key]
            if outer and number not in shown.setdefault(outer, []):
                shown[outer].append(number)
            key = outer
    return shown


def _notes(first: dict[str, Any], article: bool, missing: int) -> list[str]:
    """List what the reader of the text should know about it."""
    notes = []
    if article and first.get("large"):
        notes.append("the page is too large to look for an article")
    if article and first["what"] in ("main", "page"):
        part = "the main part of the page" if first["what"] == "main" else "the whole page"
        notes.append(f"no article found: this is {part}")
    if first["what"] == "hidden":
        notes.append("none of this is visible now: it is hidden text of the page")
    if missing:
        notes.append(f"{plural(missing, 'frame')} did not answer")
    return notes


def _has_answered(task: asyncio.Future[Any]) -> bool:
    """Whether a frame has answered. Frames that were removed or hang are counted, not raised."""
    if not task.done() or task.cancelled():
        return False
    error = task.exception()
    if error is not None and not isinstance(error, CdpError | ToolError):
        raise error
    return error is None


def _check(answer: dict[str, Any], selector: str) -> None:
    if answer.get("bad"):
        raise UsageError(
            f"selector: {selector!r} is not a CSS selector", hint="use one such as main.post"
        )
    if not answer["found"]:
        raise ElementNotFound(
            f"selector: {selector!r} matches nothing in this frame",
            hint="take a snapshot to see what the frame contains, or omit the selector",
        )
