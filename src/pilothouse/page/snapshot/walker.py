"""Asking a page's frames what is on them: walked all at the same time, and not again while they
are as they were.

Knows: which frames to ask and how their answers come together. Must not know: how a document is
walked (scripts/walk.js), or how a tree is shown (snapshot.py).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from pilothouse.errors import CdpError, InterruptedByNavigation, ToolError
from pilothouse.page.snapshot.cache import WalkCache
from pilothouse.page.snapshot.listeners import EVERY, MARKED, PointerListeners
from pilothouse.page.snapshot.options import SnapshotOptions
from pilothouse.page.snapshot.refs import Refs
from pilothouse.page.snapshot.render import tidy
from pilothouse.page.snapshot.tree import Node, WalkedFrame, parse_walk, stitch
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import (
    CachedWalk,
    FrameElements,
    IsolatedWorld,
    IsolatedWorlds,
    adopt_closed_roots,
)
from pilothouse.supervisor import Frame

__all__ = ["FrameWalker"]

FRAME_WITHIN_S = 2.0
# What the walker says instead of a walk (scripts/look.js).
SAME = "same"
FRAMES_AT_ONCE = 24
# Closed shadow roots in closed shadow roots come to light one level at a time.
NESTED_CLOSED = 5
# Frames in a document that has more of them do not say which they are (scripts/look.js).
MOST_SLOTS = 64

Owner = Callable[[str], tuple[str, int] | None]


class _Whole(msgspec.Struct):
    """A whole page, as long as each of its frames is as it was kept."""

    kept: dict[str, CachedWalk]
    top: WalkedFrame
    nodes: list[Node]


class _Doubt(msgspec.Struct):
    """Whether just those plain elements of a document listen that did before; `none`: it was taken
    for granted that none does."""

    world: IsolatedWorld
    none: bool
    asked: asyncio.Task[bool]

    def dispelled(self) -> bool:
        """Not if nobody could tell in time."""
        if not self.asked.done() or self.asked.cancelled() or self.asked.exception() is not None:
            return False
        return self.asked.result() or (self.none and not self.world.has_listeners)


class FrameWalker:
    """The walks of one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, refs: Refs, frame_elements: FrameElements
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._refs = refs
        self._frame_elements = frame_elements
        self._listeners = PointerListeners(context, worlds)
        self._keeping = WalkCache(worlds)
        self._whole: _Whole | None = None

    async def all(
        self,
        look: SnapshotOptions,
        root: tuple[str, int],
        *,
        keeps: bool,
        meanwhile: Callable[[list[Node]], object] = lambda nodes: None,
    ) -> tuple[WalkedFrame, list[Node]]:
        """The tree below `root`: frames are asked at the same time, but never so many that the
        first of them would have to wait for the others. `keeps`: nothing was done since the last
        time, so it may be the same, and is kept for the next. `meanwhile` is done with the nodes
        while it is asked whether they are what they seem; they may turn out to be others."""
        top, _ = root
        wanted = set(self._context.supervisor.state.frame_subtree(top))
        frames = {f.id: f for f in self._context.frames() if f.id in wanted}
        if top not in frames:
            raise ToolError("that frame is gone", hint="take a snapshot of the whole page")
        for frame_id in frames:
            self._refs.prefix(frame_id)  # numbered in the order of the frames, not of answers
        doubts: list[_Doubt] = []
        try:
            answers = await self._ask(frames, look, root, keeps, doubts)
            found = await self._joined(frames, answers, root, keeps)
            meanwhile(found[1])
            if await _dispelled(doubts):
                return found
        finally:
            for doubt in doubts:
                doubt.asked.cancel()
        answers = await self._ask(frames, look, root, keeps, None)
        return await self._joined(frames, answers, root, keeps)

    def stir(self) -> None:
        """Something was done to the page: nobody need ask whether it is the same."""
        for frame in self._context.frames():
            if (world := self._worlds.known(frame)) is not None:
                world.cached_walk = None

    async def _ask(
        self,
        frames: dict[str, Frame],
        look: SnapshotOptions,
        root: tuple[str, int],
        keeps: bool,
        doubts: list[_Doubt] | None,
    ) -> dict[str, WalkedFrame | str | CachedWalk]:
        """What each frame says. Raises ToolError if `root` is not there."""
        top, number = root
        if len(frames) == 1:
            answers = {top: await self._walk(frames[top], look, number, keeps, doubts)}
        else:
            slots = asyncio.Semaphore(FRAMES_AT_ONCE)

            async def walk(frame: Frame) -> WalkedFrame | str | CachedWalk:
                of = number if frame.id == top else 0
                async with slots:
                    return await self._walk(frame, look, of, keeps, doubts)

            work = {f: asyncio.ensure_future(walk(frame)) for f, frame in frames.items()}
            inner = [frame for frame in frames.values() if frame.id != top]
            placing = asyncio.ensure_future(self._frame_elements.find(_slotless(inner)))
            try:
                await work[top]
                if others := [task for task in (*work.values(), placing) if not task.done()]:
                    await asyncio.wait(others, timeout=FRAME_WITHIN_S)
                answers = {frame_id: _result(task) for frame_id, task in work.items()}
            finally:
                for task in (*work.values(), placing):
                    task.cancel()
        if isinstance(answers[top], str):
            raise ToolError(f"{look.root} is not on the page now", hint="take a fresh snapshot")
        return answers

    async def _joined(
        self,
        frames: dict[str, Frame],
        answers: dict[str, WalkedFrame | str | CachedWalk],
        root: tuple[str, int],
        keeps: bool,
    ) -> tuple[WalkedFrame, list[Node]]:
        """All frames in one tree."""
        top, _ = root
        if self._whole is not None and answers == self._whole.kept:
            return self._whole.top, self._whole.nodes
        walked = {
            frame_id: parse_walk(answer.text, self._refs.prefix(frame_id))
            if isinstance(answer, CachedWalk)
            else answer
            for frame_id, answer in answers.items()
        }
        inner = [frame for frame in frames.values() if frame.id != top]
        owner = await self._placed(inner, answers)
        origins = {frame_id: frame.origin for frame_id, frame in frames.items()}
        nodes = tidy(stitch(top, walked, owner, origins))
        first_tree = walked[top]
        assert isinstance(first_tree, WalkedFrame)
        self._whole = self._kept_whole(frames, walked, first_tree, nodes) if keeps else None
        if self._whole is not None and any(owner(frame.id) is None for frame in inner):
            self._whole = None
        return first_tree, nodes

    async def _placed(
        self, inner: list[Frame], answers: dict[str, WalkedFrame | str | CachedWalk]
    ) -> Owner:
        """Where frames stand: by what they and their parents have said, or else by asking."""
        unshown: set[str] = set()
        for frame in inner:
            if self._frame_elements.known(frame.id) is not None:
                continue
            number = _number_said(answers.get(frame.id), answers.get(frame.parent))
            parent = self._context.supervisor.state.frames.get(frame.parent)
            world = self._worlds.known(parent) if parent is not None else None
            if number > 0 and world is not None:
                self._frame_elements.learn(frame.id, world, number)
            elif number == 0:
                unshown.add(frame.id)
        lost = [
            f for f in inner if f.id not in unshown and self._frame_elements.known(f.id) is None
        ]
        if lost:
            with contextlib.suppress(TimeoutError):  # then it is said that they did not answer
                await asyncio.wait_for(self._frame_elements.find(lost), FRAME_WITHIN_S)

        def owner(frame_id: str) -> tuple[str, int] | None:
            return ("", 0) if frame_id in unshown else self._frame_elements.known(frame_id)

        return owner

    def _kept_whole(
        self,
        frames: dict[str, Frame],
        walked: dict[str, WalkedFrame | str],
        top: WalkedFrame,
        nodes: list[Node],
    ) -> _Whole | None:
        """All of it as one, if every frame was kept."""
        kept: dict[str, CachedWalk] = {}
        for frame_id, frame in frames.items():
            world = self._worlds.known(frame)
            if world is None or world.cached_walk is None or isinstance(walked[frame_id], str):
                return None
            kept[frame_id] = world.cached_walk
        return _Whole(kept, top, nodes)

    async def _walk(
        self,
        frame: Frame,
        look: SnapshotOptions,
        number: int,
        keeps: bool,
        doubts: list[_Doubt] | None,
    ) -> WalkedFrame | str | CachedWalk:
        """What a frame says. What it takes for granted is added to `doubts`; without them it is
        asked for first."""
        try:
            return await self._walk_once(frame, look, number, keeps, doubts)
        except InterruptedByNavigation:
            # A read: the new document is asked the same.
            self._worlds.forget(frame.id)
            return await self._walk_once(self._context.frame(frame.id), look, number, keeps, doubts)

    async def _walk_once(
        self,
        frame: Frame,
        look: SnapshotOptions,
        number: int,
        keeps: bool,
        doubts: list[_Doubt] | None,
    ) -> WalkedFrame | str | CachedWalk:
        options = told = look.options(number)
        begun = None
        if self._worlds.known(frame):
            world = await self._worlds.of(frame)
        elif (begun := self._worlds.preloaded(frame)) is not None:
            world = begun
            self._listeners.expect(world)
            told = {**told, "next": world.first_number}
        else:
            world = await self._listeners.meet(frame)
        kept, word, text = None, "", None
        if keeps:
            kept, word = self._keeping.last(world, options), self._keeping.new_word()
            told = {**told, "keep": word}
        if doubts is not None:
            unless = {"unless": kept.word} if kept is not None else {}
            text = await self._walk_at_once(world, frame, look, told | unless, doubts)
        if kept is not None and text == SAME:
            if self._keeping.holds(world, kept):
                return kept
            text = None
        if text is None:
            heard = await self._listeners.among(frame, world, _most(look))
            text = await self._worlds.call_in(world, "walk", told, heard, names=True)
        walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        for _ in range(NESTED_CLOSED):
            if not (
                isinstance(walked, WalkedFrame)
                and walked.suspects
                and await adopt_closed_roots(self._worlds, world, walked.suspects)
            ):
                break
            text = await self._worlds.call_in(world, "walk", told, None, names=True)
            walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        if isinstance(walked, WalkedFrame):
            if begun is not None:
                self._worlds.register(begun, walked.first, walked.native)
            self._worlds.reserve_numbers(world, walked.next_number)
            if keeps and not walked.suspects:
                self._keeping.keep(world, word, options, text)
        return walked

    async def _walk_at_once(
        self,
        world: IsolatedWorld,
        frame: Frame,
        look: SnapshotOptions,
        options: dict[str, Any],
        doubts: list[_Doubt],
    ) -> str | None:
        """A walk that does not wait to hear who listens, as if just those did that did the last
        time; None where nobody knows."""
        context_id = self._context.supervisor.state.context_of(frame)
        if world.has_listeners is None or not context_id:
            return None
        asked = asyncio.ensure_future(self._listeners.ask(world, context_id, _most(look)))
        try:
            if world.document.context_id != context_id:
                await asyncio.sleep(0)  # it asks for the document first, which is there at once
            none: list[int] | None = None if world.has_listeners else []
            text: str = await self._worlds.call_in(world, "walk", options, none, names=True)
        except BaseException:
            asked.cancel()
            raise
        doubts.append(_Doubt(world, none is not None, asked))
        return text


async def _dispelled(doubts: list[_Doubt]) -> bool:
    """Whether everything was as it was taken for."""
    if pending := [doubt.asked for doubt in doubts if not doubt.asked.done()]:
        await asyncio.wait(pending, timeout=FRAME_WITHIN_S)
    return all(doubt.dispelled() for doubt in doubts)


def _slotless(frames: list[Frame]) -> list[Frame]:
    """Those with so many others in their parent that they do not say which they are."""
    beside = Counter(frame.parent for frame in frames)
    return [frame for frame in frames if beside[frame.parent] > MOST_SLOTS]


def _number_said(
    frame: WalkedFrame | str | CachedWalk | None, parent: WalkedFrame | str | CachedWalk | None
) -> int:
    """The number of a frame's element, 0 for one that is not shown, -1 if that is not said. Both
    have to speak of the same moment: what was kept is of an earlier one."""
    if (
        not (isinstance(frame, WalkedFrame) and isinstance(parent, WalkedFrame))
        or frame.slot is None
    ):
        return -1
    slot, count = frame.slot
    return parent.slots.get(slot, 0) if count == parent.slot_count else -1


def _most(look: SnapshotOptions) -> int:
    return MARKED if look.most() else EVERY


def _result(task: asyncio.Task[WalkedFrame | str | CachedWalk]) -> WalkedFrame | str | CachedWalk:
    """The tree, or a word that says why there is none."""
    if not task.done():
        return "no-answer"
    error = task.exception()
    if isinstance(error, CdpError | ToolError):
        return "gone"
    return task.result()
