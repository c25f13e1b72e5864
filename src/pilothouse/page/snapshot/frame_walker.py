"""FrameWalker: walks all frames of a page concurrently and joins the results into one tree.

Knows: which frames to walk, what may be taken from the cache, and how the trees are joined. Must
not know: what happens next with a document (walk_decisions.py), how it is walked
(js/tree_walker.js) or how a tree is shown (snapshot.py).

A walk needs to know which plain elements have pointer listeners, and Chrome answers that slowly.
So a walk first assumes that the same elements listen as last time, while the question is under
way (`_Assumptions`). If one turns out wrong, the frames are walked again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import CdpError, ElementNotFound, InterruptedByNavigation, ToolError
from pilothouse.page.snapshot.options import SnapshotOptions
from pilothouse.page.snapshot.pointer_listeners import EVERY, MARKED, PointerListeners
from pilothouse.page.snapshot.refs import Refs
from pilothouse.page.snapshot.render import tidy
from pilothouse.page.snapshot.tree import Absence, Node, WalkedFrame, parse_walk, stitch
from pilothouse.page.snapshot.walk_cache import CacheAttempt, WalkCache
from pilothouse.page.snapshot.walk_decisions import (
    Unplaced,
    WalkPhase,
    WalkResult,
    answer_of,
    assumption_held,
    begin_walk,
    frames_without_slots,
    parse_answer,
    place_in_parent,
    walk_arguments,
)
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
FRAMES_AT_ONCE = 24

# Frame id -> its parent's frame id and the number of its element there.
Locate = Callable[[str], tuple[str, int] | None]


class _CachedPage(msgspec.Struct):
    """The joined tree of a page; valid as long as every frame's cached walk is."""

    walks: dict[str, CachedWalk]
    top: WalkedFrame
    nodes: list[Node]


class _Assumptions:
    """What walks have assumed about pointer listeners, while Chrome is asked whether it is so."""

    def __init__(self) -> None:
        # The document's world, whether it was assumed that no element listens, and the check.
        self._checks: list[tuple[IsolatedWorld, bool, asyncio.Task[bool]]] = []

    def add(self, world: IsolatedWorld, *, assumed_none: bool, check: asyncio.Task[bool]) -> None:
        """Record what a walk has assumed, and the check that is under way."""
        self._checks.append((world, assumed_none, check))

    async def all_held(self) -> bool:
        """Wait for the checks, FRAME_WITHIN_S at most; whether every assumption was right."""
        if pending := [check for _, _, check in self._checks if not check.done()]:
            await asyncio.wait(pending, timeout=FRAME_WITHIN_S)
        return all(
            assumption_held(
                _outcome(check), assumed_none=assumed_none, has_listeners=world.has_listeners
            )
            for world, assumed_none, check in self._checks
        )

    def cancel(self) -> None:
        """Cancel the checks that are still under way."""
        for _, _, check in self._checks:
            check.cancel()


class _Pass(msgspec.Struct, frozen=True):
    """One pass over the frames of a page.

    `top` is the frame of the wanted tree, `number` that of its element there (0: all of the
    frame). Without `assumptions` Chrome is asked first which elements listen.
    """

    options: SnapshotOptions
    top: str
    number: int
    frames: dict[str, Frame]
    use_cache: bool
    assumptions: _Assumptions | None

    @property
    def inner(self) -> list[Frame]:
        """The frames below the top one."""
        return [frame for frame in self.frames.values() if frame.id != self.top]

    @property
    def most_elements(self) -> int:
        """For how many plain elements to ask whether they listen."""
        return MARKED if self.options.max_lines() else EVERY

    def wanted(self, frame: Frame) -> dict[str, Any]:
        """The options of a frame's walk, as the cache compares them."""
        return self.options.walk_options(self.number if frame.id == self.top else 0)


class _Document(msgspec.Struct, frozen=True):
    """A frame's document that is about to be walked.

    `wanted` are the options that the cache compares; without `cache` the walk is not cached.
    `is_new`: its world has no walk yet, and is registered with what the first one returns.
    """

    frame: Frame
    world: IsolatedWorld
    context_id: str
    wanted: dict[str, Any]
    cache: CacheAttempt | None
    is_new: bool

    @property
    def previous(self) -> CachedWalk | None:
        """The cached walk that the document may confirm."""
        return self.cache.previous if self.cache is not None else None


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
        meanwhile: Callable[[list[Node]], object],
    ) -> tuple[WalkedFrame, list[Node]]:
        """Return the tree below `root`, a frame id and an element number (0: all of the frame).

        At most FRAMES_AT_ONCE frames are walked at a time, so that the main frame does not wait
        for the others. `use_cache`: we did nothing to the page since the last walk, so cached
        walks may be used, and these are cached. `meanwhile` is called with the nodes while the
        listener checks are under way; the returned nodes differ if a check fails.
        """
        top, number = root
        wanted = set(self._context.supervisor.state.frame_subtree(top))
        frames = {f.id: f for f in self._context.frames() if f.id in wanted}
        if top not in frames:
            raise ElementNotFound(
                "root: its frame is no longer on the page", hint="take a snapshot of the whole page"
            )
        for frame_id in frames:
            # Assign frame numbers in the order of the frames, not in the order of replies.
            self._refs.prefix(frame_id)
        assumptions = _Assumptions()
        use_cache = use_cache and self._cache.is_on
        first = _Pass(options, top, number, frames, use_cache, assumptions)
        try:
            found = await self._walk_page(first)
            meanwhile(found[1])
            if await assumptions.all_held():
                return found
        finally:
            assumptions.cancel()
        return await self._walk_page(replace(first, assumptions=None))

    def reset_dirty(self) -> bool:
        """Return whether we acted on the page since the last call; from now on we have not."""
        acted, self._worlds.dirty = self._worlds.dirty, False
        return acted

    def drop_cache(self) -> None:
        """Drop all cached walks: we acted on the page, so it has probably changed."""
        for frame in self._context.frames():
            if (world := self._worlds.known(frame)) is not None:
                world.cached_walk = None

    async def _walk_page(self, page: _Pass) -> tuple[WalkedFrame, list[Node]]:
        """Walk each frame and join the trees. Raises ToolError if the root is not on the page."""
        if len(page.frames) == 1:
            results = {page.top: await self._walk(page, page.frames[page.top])}
        else:
            results = await self._walk_frames(page)
        if isinstance(results[page.top], Absence):
            raise ElementNotFound(
                f"root: {page.options.root} is no longer on the page", hint="take a new snapshot"
            )
        return await self._join(page, results)

    async def _walk_frames(self, page: _Pass) -> dict[str, WalkResult]:
        """Walk several frames; one that gave no tree in time has the reason instead."""
        slots = asyncio.Semaphore(FRAMES_AT_ONCE)

        async def walk(frame: Frame) -> WalkResult:
            async with slots:
                return await self._walk(page, frame)

        work = {f: asyncio.ensure_future(walk(frame)) for f, frame in page.frames.items()}
        placing = asyncio.ensure_future(self._frame_elements.find(frames_without_slots(page.inner)))
        try:
            await work[page.top]
            if others := [task for task in (*work.values(), placing) if not task.done()]:
                await asyncio.wait(others, timeout=FRAME_WITHIN_S)
            return {frame_id: _result(task) for frame_id, task in work.items()}
        finally:
            for task in (*work.values(), placing):
                task.cancel()

    async def _join(
        self, page: _Pass, results: dict[str, WalkResult]
    ) -> tuple[WalkedFrame, list[Node]]:
        """Join the trees of all frames into one."""
        if self._cached_page is not None and results == self._cached_page.walks:
            return self._cached_page.top, self._cached_page.nodes
        walked = {
            frame_id: parse_walk(result.text, self._refs.prefix(frame_id))
            if isinstance(result, CachedWalk)
            else result
            for frame_id, result in results.items()
        }
        locate = await self._locate_frames(page.inner, results)
        origins = {frame_id: frame.origin for frame_id, frame in page.frames.items()}
        nodes = tidy(stitch(page.top, walked, locate, origins))
        first_tree = walked[page.top]
        assert isinstance(first_tree, WalkedFrame)
        self._cached_page = None
        # A page with a frame of unknown position is not cached: it may be known next time.
        if page.use_cache and all(locate(frame.id) is not None for frame in page.inner):
            self._cached_page = self._cache_page(page.frames, walked, first_tree, nodes)
        return first_tree, nodes

    async def _locate_frames(self, inner: list[Frame], results: dict[str, WalkResult]) -> Locate:
        """Find each frame's element in its parent: from the walks of both, or else by asking
        Chrome (FrameElements)."""
        unshown: set[str] = set()
        for frame in inner:
            if self._frame_elements.known(frame.id) is not None:
                continue
            place = place_in_parent(results.get(frame.id), results.get(frame.parent))
            if place is Unplaced.NOT_SHOWN:
                unshown.add(frame.id)
            elif isinstance(place, int):
                parent = self._context.supervisor.state.frames.get(frame.parent)
                world = self._worlds.known(parent) if parent is not None else None
                if world is not None:
                    self._frame_elements.learn(frame.id, world, place)
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
        walked: dict[str, WalkedFrame | Absence],
        top: WalkedFrame,
        nodes: list[Node],
    ) -> _CachedPage | None:
        """Return the joined page for the cache, if the walk of every frame was cached."""
        walks: dict[str, CachedWalk] = {}
        for frame_id, frame in frames.items():
            world = self._worlds.known(frame)
            if world is None or world.cached_walk is None or isinstance(walked[frame_id], Absence):
                return None
            walks[frame_id] = world.cached_walk
        return _CachedPage(walks, top, nodes)

    async def _walk(self, page: _Pass, frame: Frame) -> WalkResult:
        """Walk one frame, in the document that it has."""
        try:
            return await self._walk_document(page, frame)
        except InterruptedByNavigation:
            # Safe to repeat in the new document: a walk only reads.
            self._worlds.forget(frame.id)
            return await self._walk_document(page, self._context.frame(frame.id))

    async def _walk_document(self, page: _Pass, frame: Frame) -> WalkResult:
        """Walk a frame's document, unless its cached walk turns out to be still right."""
        document = await self._open(page, frame)
        world, cache = document.world, document.cache
        step = begin_walk(
            may_assume=page.assumptions is not None,
            has_listeners=world.has_listeners,
            context_id=document.context_id,
        )
        text, walked = "", None
        while not step.is_over:
            match step.phase:
                case WalkPhase.COMPARING:
                    assert document.previous is not None
                    step = step.compared(equal=self._cache.is_valid(world, document.previous))
                case WalkPhase.ADOPTING:
                    assert isinstance(walked, WalkedFrame)
                    adopted = await adopt_closed_roots(world, walked.suspects)
                    step = step.adopted(adopted)
                case phase:
                    text = await self._call_walk(page, document, phase)
                    walked = parse_answer(text, self._refs.prefix(frame.id))
                    step = step.walked(answer_of(walked))
        if walked is None:
            assert document.previous is not None
            return document.previous
        if isinstance(walked, WalkedFrame):
            if document.is_new:
                self._worlds.register(world, walked.first, walked.has_computed_names)
            self._worlds.reserve_numbers(world, walked.next_number)
            # A host that may have a closed root can change unseen: such a walk is not cached.
            if cache is not None and not walked.suspects:
                self._cache.store(world, cache, text)
        return walked

    async def _open(self, page: _Pass, frame: Frame) -> _Document:
        """Return a frame's document and what its walk needs."""
        is_new = False
        if self._worlds.known(frame):
            world = await self._worlds.of(frame)
        elif (preloaded := self._worlds.preloaded(frame)) is not None:
            world, is_new = preloaded, True
            self._listeners.assume_as_before(world)
        else:
            world = await self._listeners.create_world(frame)
        wanted = page.wanted(frame)
        cache = self._cache.begin(world, wanted) if page.use_cache else None
        context_id = self._context.supervisor.state.context_of(frame)
        return _Document(frame, world, context_id, wanted, cache, is_new)

    async def _call_walk(self, page: _Pass, document: _Document, phase: WalkPhase) -> str:
        """Call `ph.walk` in a document, as this phase wants it."""
        world, cache = document.world, document.cache
        sent = walk_arguments(
            document.wanted,
            phase=phase,
            first_number=world.first_number if document.is_new else None,
            key=cache.key if cache is not None else None,
            unless=document.previous.key if document.previous is not None else None,
        )
        if phase is WalkPhase.ASSUMING:
            assert page.assumptions is not None
            return await self._walk_assuming(page, document, sent, page.assumptions)
        # The document remembers the answer: the walk is only repeated to see into closed roots.
        listening: list[int] | None = None
        if phase is WalkPhase.ASKING:
            listening = await self._listeners.find(document.frame, world, page.most_elements)
        text: str = await self._worlds.call_in(world, "walk", sent, listening, names=True)
        return text

    async def _walk_assuming(
        self, page: _Pass, document: _Document, sent: dict[str, Any], assumptions: _Assumptions
    ) -> str:
        """Walk as if the same elements listened as last time, and start the check of that."""
        world, context_id = document.world, document.context_id
        check = asyncio.ensure_future(self._listeners.check(world, context_id, page.most_elements))
        try:
            if world.document.context_id != context_id:
                # Let the check send its first command, which is quick, ahead of the walk.
                await asyncio.sleep(0)
            none: list[int] | None = None if world.has_listeners else []
            text: str = await self._worlds.call_in(world, "walk", sent, none, names=True)
        except BaseException:
            check.cancel()
            raise
        assumptions.add(world, assumed_none=none is not None, check=check)
        return text


def _outcome(check: asyncio.Task[bool]) -> bool | None:
    """Return what a check has found; None if it did not answer in time, or failed."""
    if not check.done() or check.cancelled() or check.exception() is not None:
        return None
    return check.result()


def _result(task: asyncio.Task[WalkResult]) -> WalkResult:
    """Return the frame's tree, or the reason why there is none."""
    if not task.done():
        return Absence.NO_ANSWER
    error = task.exception()
    if isinstance(error, CdpError | ToolError):
        return Absence.GONE
    return task.result()
