"""FrameWalker: walks all frames of a page concurrently and joins the results into one tree.

Knows: which frames to walk, what may be taken from the cache, and how the trees are joined. Must
not know: how a document is walked (js/tree_walker.js) or how a tree is shown (snapshot.py).

A walk needs to know which plain elements have pointer listeners, and Chrome answers that slowly.
So a walk first assumes that the same elements listen as last time, while the question is under
way (`_ListenerCheck`). If the assumption turns out wrong, the frames are walked again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from pilothouse.errors import CdpError, ElementNotFound, InterruptedByNavigation, ToolError
from pilothouse.page.snapshot.options import SnapshotOptions
from pilothouse.page.snapshot.pointer_listeners import EVERY, MARKED, PointerListeners
from pilothouse.page.snapshot.refs import Refs
from pilothouse.page.snapshot.render import tidy
from pilothouse.page.snapshot.tree import Node, WalkedFrame, parse_walk, stitch
from pilothouse.page.snapshot.walk_cache import WalkCache
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
# Returned instead of a walk when nothing changed (js/walk_cache.js).
SAME = "same"
FRAMES_AT_ONCE = 24
# Each pass finds the closed shadow roots of one nesting level only.
NESTED_CLOSED = 5
# In a document with more frames than this, frames do not report their index in the parent
# (js/walk_cache.js).
MOST_SLOTS = 64

# Frame id -> its parent's frame id and the number of its element there.
Locate = Callable[[str], tuple[str, int] | None]
# A frame's tree, the reason why there is none ("gone", "no-answer"), or the unchanged cached walk.
_WalkResult = WalkedFrame | str | CachedWalk


class _CachedPage(msgspec.Struct):
    """The joined tree of a page; valid as long as every frame's cached walk is."""

    walks: dict[str, CachedWalk]
    top: WalkedFrame
    nodes: list[Node]


class _ListenerCheck(msgspec.Struct):
    """Checks the assumption of a walk that the same plain elements listen as before; `none`: that
    none listens."""

    world: IsolatedWorld
    none: bool
    check: asyncio.Task[bool]

    def is_confirmed(self) -> bool:
        """Whether the assumption held; not if Chrome did not answer in time."""
        if not self.check.done() or self.check.cancelled() or self.check.exception() is not None:
            return False
        return self.check.result() or (self.none and not self.world.has_listeners)


class FrameWalker:
    """Walks the frames of one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, refs: Refs, frame_elements: FrameElements
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._refs = refs
        self._frame_elements = frame_elements
        self._listeners = PointerListeners(context, worlds)
        self._cache = WalkCache(worlds)
        self._cached_page: _CachedPage | None = None

    async def walk_all(
        self,
        options: SnapshotOptions,
        root: tuple[str, int],
        *,
        use_cache: bool,
        meanwhile: Callable[[list[Node]], object] = lambda nodes: None,
    ) -> tuple[WalkedFrame, list[Node]]:
        """Return the tree below `root`, a frame id and an element number (0: all of the frame).

        At most FRAMES_AT_ONCE frames are walked at a time, so that the main frame does not wait
        for the others. `use_cache`: we did nothing to the page since the last walk, so cached
        walks may be used, and these are cached. `meanwhile` is called with the nodes while the
        listener checks are under way; the returned nodes differ if a check fails.
        """
        use_cache = use_cache and self._cache.is_on
        top, _ = root
        wanted = set(self._context.supervisor.state.frame_subtree(top))
        frames = {f.id: f for f in self._context.frames() if f.id in wanted}
        if top not in frames:
            raise ElementNotFound(
                "root: its frame is no longer on the page", hint="take a snapshot of the whole page"
            )
        for frame_id in frames:
            # Assign frame numbers in the order of the frames, not in the order of replies.
            self._refs.prefix(frame_id)
        checks: list[_ListenerCheck] = []
        try:
            answers = await self._walk_frames(frames, options, root, use_cache, checks)
            found = await self._join(frames, answers, root, use_cache)
            meanwhile(found[1])
            if await _all_confirmed(checks):
                return found
        finally:
            for check in checks:
                check.check.cancel()
        answers = await self._walk_frames(frames, options, root, use_cache, None)
        return await self._join(frames, answers, root, use_cache)

    def drop_cache(self) -> None:
        """Drop all cached walks: we acted on the page, so it has probably changed."""
        for frame in self._context.frames():
            if (world := self._worlds.known(frame)) is not None:
                world.cached_walk = None

    async def _walk_frames(
        self,
        frames: dict[str, Frame],
        options: SnapshotOptions,
        root: tuple[str, int],
        use_cache: bool,
        checks: list[_ListenerCheck] | None,
    ) -> dict[str, _WalkResult]:
        """Walk each frame; a frame that gave no tree has the reason instead. Raises ToolError if
        `root` is not on the page."""
        top, number = root
        if len(frames) == 1:
            answers = {top: await self._walk(frames[top], options, number, use_cache, checks)}
        else:
            slots = asyncio.Semaphore(FRAMES_AT_ONCE)

            async def walk(frame: Frame) -> _WalkResult:
                of = number if frame.id == top else 0
                async with slots:
                    return await self._walk(frame, options, of, use_cache, checks)

            work = {f: asyncio.ensure_future(walk(frame)) for f, frame in frames.items()}
            inner = [frame for frame in frames.values() if frame.id != top]
            placing = asyncio.ensure_future(self._frame_elements.find(_without_slots(inner)))
            try:
                await work[top]
                if others := [task for task in (*work.values(), placing) if not task.done()]:
                    await asyncio.wait(others, timeout=FRAME_WITHIN_S)
                answers = {frame_id: _result(task) for frame_id, task in work.items()}
            finally:
                for task in (*work.values(), placing):
                    task.cancel()
        if isinstance(answers[top], str):
            raise ElementNotFound(
                f"root: {options.root} is no longer on the page", hint="take a new snapshot"
            )
        return answers

    async def _join(
        self,
        frames: dict[str, Frame],
        answers: dict[str, _WalkResult],
        root: tuple[str, int],
        use_cache: bool,
    ) -> tuple[WalkedFrame, list[Node]]:
        """Join the trees of all frames into one."""
        top, _ = root
        if self._cached_page is not None and answers == self._cached_page.walks:
            return self._cached_page.top, self._cached_page.nodes
        walked = {
            frame_id: parse_walk(answer.text, self._refs.prefix(frame_id))
            if isinstance(answer, CachedWalk)
            else answer
            for frame_id, answer in answers.items()
        }
        inner = [frame for frame in frames.values() if frame.id != top]
        locate = await self._locate_frames(inner, answers)
        origins = {frame_id: frame.origin for frame_id, frame in frames.items()}
        nodes = tidy(stitch(top, walked, locate, origins))
        first_tree = walked[top]
        assert isinstance(first_tree, WalkedFrame)
        self._cached_page = None
        # A page with a frame of unknown position is not cached: it may be known next time.
        if use_cache and all(locate(frame.id) is not None for frame in inner):
            self._cached_page = self._cache_page(frames, walked, first_tree, nodes)
        return first_tree, nodes

    async def _locate_frames(self, inner: list[Frame], answers: dict[str, _WalkResult]) -> Locate:
        """Find each frame's element in its parent: from the walks of both, or else by asking
        Chrome (FrameElements)."""
        unshown: set[str] = set()
        for frame in inner:
            if self._frame_elements.known(frame.id) is not None:
                continue
            number = _reported_number(answers.get(frame.id), answers.get(frame.parent))
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
            with contextlib.suppress(TimeoutError):  # the snapshot then shows `no-answer` for them
                await asyncio.wait_for(self._frame_elements.find(lost), FRAME_WITHIN_S)

        def locate(frame_id: str) -> tuple[str, int] | None:
            # No frame has the id "": a frame that is not shown has a position, but not in the tree.
            return ("", 0) if frame_id in unshown else self._frame_elements.known(frame_id)

        return locate

    def _cache_page(
        self,
        frames: dict[str, Frame],
        walked: dict[str, WalkedFrame | str],
        top: WalkedFrame,
        nodes: list[Node],
    ) -> _CachedPage | None:
        """Return the joined page for the cache, if the walk of every frame was cached."""
        walks: dict[str, CachedWalk] = {}
        for frame_id, frame in frames.items():
            world = self._worlds.known(frame)
            if world is None or world.cached_walk is None or isinstance(walked[frame_id], str):
                return None
            walks[frame_id] = world.cached_walk
        return _CachedPage(walks, top, nodes)

    async def _walk(
        self,
        frame: Frame,
        options: SnapshotOptions,
        number: int,
        use_cache: bool,
        checks: list[_ListenerCheck] | None,
    ) -> _WalkResult:
        """Walk one frame. With `checks` it assumes which elements listen, and adds the check of
        the assumption; with None it asks Chrome first."""
        try:
            return await self._walk_once(frame, options, number, use_cache, checks)
        except InterruptedByNavigation:
            # Safe to repeat in the new document: a walk only reads.
            self._worlds.forget(frame.id)
            frame = self._context.frame(frame.id)
            return await self._walk_once(frame, options, number, use_cache, checks)

    async def _walk_once(
        self,
        frame: Frame,
        options: SnapshotOptions,
        number: int,
        use_cache: bool,
        checks: list[_ListenerCheck] | None,
    ) -> _WalkResult:
        # `wanted` is what the cache compares; `sent` adds what differs from call to call.
        wanted = sent = options.walk_options(number)
        preloaded = None
        if self._worlds.known(frame):
            world = await self._worlds.of(frame)
        elif (preloaded := self._worlds.preloaded(frame)) is not None:
            world = preloaded
            self._listeners.assume_as_before(world)
            sent = {**sent, "next": world.first_number}
        else:
            world = await self._listeners.create_world(frame)
        cached, key, text = None, "", None
        if use_cache:
            cached, key = self._cache.take(world, wanted), self._cache.new_key()
            sent = {**sent, "keep": key}
        if checks is not None:
            unless = {"unless": cached.key} if cached is not None else {}
            text = await self._walk_optimistically(world, frame, options, sent | unless, checks)
        if cached is not None and text == SAME:
            if self._cache.is_valid(world, cached):
                return cached
            text = None
        if text is None:
            listening = await self._listeners.find(frame, world, _max_elements(options))
            text = await self._worlds.call_in(world, "walk", sent, listening, names=True)
        walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        for _ in range(NESTED_CLOSED):
            if not (
                isinstance(walked, WalkedFrame)
                and walked.suspects
                and await adopt_closed_roots(self._worlds, world, walked.suspects)
            ):
                break
            text = await self._worlds.call_in(world, "walk", sent, None, names=True)
            walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        if isinstance(walked, WalkedFrame):
            if preloaded is not None:
                self._worlds.register(preloaded, walked.first, walked.has_computed_names)
            self._worlds.reserve_numbers(world, walked.next_number)
            # A host that may have a closed root can change unseen: such a walk is not cached.
            if use_cache and not walked.suspects:
                self._cache.store(world, key, wanted, text)
        return walked

    async def _walk_optimistically(
        self,
        world: IsolatedWorld,
        frame: Frame,
        options: SnapshotOptions,
        sent: dict[str, Any],
        checks: list[_ListenerCheck],
    ) -> str | None:
        """Walk on the assumption that the same elements listen as last time, and start the check;
        None if it is not known who listened."""
        context_id = self._context.supervisor.state.context_of(frame)
        if world.has_listeners is None or not context_id:
            return None
        check = asyncio.ensure_future(
            self._listeners.check(world, context_id, _max_elements(options))
        )
        try:
            if world.document.context_id != context_id:
                # Let the check send its first command, which is quick, ahead of the walk.
                await asyncio.sleep(0)
            none: list[int] | None = None if world.has_listeners else []
            text: str = await self._worlds.call_in(world, "walk", sent, none, names=True)
        except BaseException:
            check.cancel()
            raise
        checks.append(_ListenerCheck(world, none is not None, check))
        return text


async def _all_confirmed(checks: list[_ListenerCheck]) -> bool:
    """Wait for the checks, FRAME_WITHIN_S at most; whether all of them are confirmed."""
    if pending := [check.check for check in checks if not check.check.done()]:
        await asyncio.wait(pending, timeout=FRAME_WITHIN_S)
    return all(check.is_confirmed() for check in checks)


def _without_slots(frames: list[Frame]) -> list[Frame]:
    """Return the frames with so many siblings that they do not report their index."""
    beside = Counter(frame.parent for frame in frames)
    return [frame for frame in frames if beside[frame.parent] > MOST_SLOTS]


def _reported_number(frame: _WalkResult | None, parent: _WalkResult | None) -> int:
    """Return the number of a frame's element, 0 if it is not shown, -1 if it is not known.

    Only two fresh walks are compared: a cached one may be of an earlier moment.
    """
    if (
        not (isinstance(frame, WalkedFrame) and isinstance(parent, WalkedFrame))
        or frame.slot is None
    ):
        return -1
    slot, count = frame.slot
    return parent.slots.get(slot, 0) if count == parent.slot_count else -1


def _max_elements(options: SnapshotOptions) -> int:
    return MARKED if options.max_lines() else EVERY


def _result(task: asyncio.Task[_WalkResult]) -> _WalkResult:
    """Return the frame's tree, or the reason why there is none."""
    if not task.done():
        return "no-answer"
    error = task.exception()
    if isinstance(error, CdpError | ToolError):
        return "gone"
    return task.result()
