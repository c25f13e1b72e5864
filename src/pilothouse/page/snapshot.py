"""Eyes: what is on the page, in every frame, as text for one client.

Knows: which frames to ask and how their answers come together. Must not know: how a page is walked
(scripts/walk.js) or a tree is shown (render.py). Text of the page stands between two marks that
carry a word no page can know.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import CdpError, Navigated, ToolError
from pilothouse.page.bounds import between, new_word
from pilothouse.page.diff import diff
from pilothouse.page.listeners import EVERY, MARKED, Listeners
from pilothouse.page.nodes import Node, Walked, parse_walk, stitch
from pilothouse.page.owners import Owners
from pilothouse.page.place import Place
from pilothouse.page.refs import Refs, parse_ref
from pilothouse.page.render import (
    CHARS_PER_TOKEN,
    Line,
    find,
    fit,
    only_acting,
    shallow,
    tidy,
    tokens,
)
from pilothouse.page.shadows import adopt_closed_roots
from pilothouse.page.worlds import World, Worlds
from pilothouse.supervisor import Frame, view

__all__ = ["BUDGET_TOKENS", "Look", "Snapshot", "Snapshots"]

BUDGET_TOKENS = 4000
FRAME_WITHIN_S = 2.0
# A short line is about so many tokens; a container gets at least so many of them.
TOKENS_A_LINE = 6
FEWEST_LINES = 100
# A walk of a very large page on a busy machine is no hung page.
WALKS_WITHIN_S = 20.0
FRAMES_AT_ONCE = 24
# Closed shadow roots in closed shadow roots come to light one level at a time.
NESTED_CLOSED = 5


class Look(msgspec.Struct, frozen=True):
    """What of the page is wanted."""

    interactive: bool = False
    depth: int = 0
    root: str = ""
    viewport: bool = False
    budget: int = BUDGET_TOKENS
    find: str | re.Pattern[str] = ""
    diff: bool = False
    boxes: bool = False
    hidden: bool = False

    def most(self) -> int:
        """How many lines of one container are worth walking: more than the budget can hold, or all
        (0) where every line counts."""
        if not self.budget or self.find:
            return 0
        lines = max(self.budget // TOKENS_A_LINE, FEWEST_LINES)
        return lines * 3 if self.interactive else lines


class Snapshot(msgspec.Struct, frozen=True):
    """A page as text. `stale` says why it is an older one, if it is."""

    text: str
    url: str
    title: str
    viewport: tuple[int, int]
    scroll: tuple[int, int, int, int]
    elements: int
    acting: int
    tokens: int
    cut: int = 0
    matches: int = 0
    is_diff: bool = False
    stale: str = ""
    pending_dialogs: list[dict[str, Any]] = msgspec.field(default_factory=list)
    boundary: str = ""
    nodes: list[Node] = msgspec.field(default_factory=list)


class Snapshots:
    """The snapshots of one tab, and what each client saw last."""

    def __init__(self, place: Place, worlds: Worlds, refs: Refs, owners: Owners) -> None:
        self._place = place
        self._worlds = worlds
        self._refs = refs
        self._owners = owners
        self._listeners = Listeners(place, worlds)
        self._seen: dict[str, list[Line]] = {}
        self._last: tuple[Snapshot, Walked, list[Line]] | None = None

    async def take(self, look: Look | None = None, client: str = "") -> Snapshot:
        """The page as it is now; as it was last, marked stale, while a dialog holds it."""
        look = look or Look()
        root = self._root(look.root)
        outcome = await self._place.race(
            lambda: self._walk_all(look, root), probe_after=WALKS_WITHIN_S
        )
        if outcome.value is None:
            return self._stale(look)
        return self._shown(look, client, *outcome.value)

    # Asking.

    def _root(self, ref: str) -> tuple[str, int]:
        """Frame and number of the subtree that is wanted."""
        if not ref:
            return self._place.main().id, 0
        parsed = parse_ref(ref)
        if parsed is None:
            raise ToolError(
                f"root: {ref!r} is no ref", hint="refs look like e12, in frames like f2e12"
            )
        return self._refs.frame_of(parsed), parsed.number

    async def _walk_all(self, look: Look, root: tuple[str, int]) -> tuple[Walked, list[Node]]:
        """The tree below `root`: frames are asked at the same time, but never so many that the
        first of them would have to wait for the others."""
        top, number = root
        wanted = set(self._place.supervisor.state.within(top))
        frames = {f.id: f for f in self._place.frames() if f.id in wanted}
        if top not in frames:
            raise ToolError("that frame is gone", hint="take a snapshot of the whole page")
        for frame_id in frames:
            self._refs.prefix(frame_id)  # numbered in the order of the frames, not of answers
        slots = asyncio.Semaphore(FRAMES_AT_ONCE)

        async def walk(frame: Frame) -> Walked | str:
            async with slots:
                return await self._walk(frame, look, number if frame.id == top else 0)

        work = {frame_id: asyncio.ensure_future(walk(frame)) for frame_id, frame in frames.items()}
        inner = [frame for frame in frames.values() if frame.id != top]
        placing = asyncio.ensure_future(self._owners.find(inner))
        try:
            first = await work[top]
            if others := [task for task in (*work.values(), placing) if not task.done()]:
                await asyncio.wait(others, timeout=FRAME_WITHIN_S)
            walked: dict[str, Walked | str] = {
                frame_id: _result(task) for frame_id, task in work.items()
            }
        finally:
            for task in (*work.values(), placing):
                task.cancel()
        if isinstance(first, str):
            raise ToolError(f"{look.root} is not on the page now", hint="take a fresh snapshot")
        origins = {frame_id: frame.origin for frame_id, frame in frames.items()}
        return first, tidy(stitch(top, walked, self._owners.known, origins))

    async def _walk(self, frame: Frame, look: Look, number: int) -> Walked | str:
        try:
            return await self._walk_once(frame, look, number)
        except Navigated:
            # A read: the new document is asked the same.
            self._worlds.forget(frame.id)
            return await self._walk_once(self._place.frame(frame.id), look, number)

    async def _walk_once(self, frame: Frame, look: Look, number: int) -> Walked | str:
        if self._worlds.known(frame):
            world = await self._worlds.of(frame)
        else:
            world = await self._listeners.meet(frame)
        options = {
            "boxes": look.boxes,
            "viewport": look.viewport,
            "all": look.hidden,
            "root": number,
            "most": look.most(),
            # Whoever looks for something may not see where a list was said first.
            "lists": bool(look.find),
        }
        text = await self._walk_at_once(frame, world, look, options)
        if text is None:
            heard = await self._listeners.among(frame, world, _most(look))
            text = await self._worlds.call_in(world, "walk", options, heard, names=True)
        walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        for _ in range(NESTED_CLOSED):
            if not (
                isinstance(walked, Walked)
                and walked.suspects
                and await adopt_closed_roots(self._worlds, world, walked.suspects)
            ):
                break
            text = await self._worlds.call_in(world, "walk", options, None, names=True)
            walked = text if text == "gone" else parse_walk(text, self._refs.prefix(frame.id))
        if isinstance(walked, Walked):
            self._worlds.used(world, walked.next_number)
        return walked

    async def _walk_at_once(
        self, frame: Frame, world: World, look: Look, options: dict[str, Any]
    ) -> str | None:
        """A walk that does not wait to hear who listens, as if just those did that did the last
        time; None if that was not so."""
        context = self._place.supervisor.state.context_of(frame)
        if world.listens is None or not context:
            return None
        before: list[int] | None = None if world.listens else []
        text: str
        same: bool
        text, same = await asyncio.gather(
            self._worlds.call_in(world, "walk", options, before, names=True),
            self._listeners.ask(world, context, _most(look)),
        )
        return text if same or (before is not None and not world.listens) else None

    # Showing.

    def _shown(self, look: Look, client: str, top: Walked, nodes: list[Node]) -> Snapshot:
        elements, acting, shown_as = _counted(nodes)
        self._refs.said(shown_as)
        wanted, matches = nodes, 0
        if look.interactive:
            wanted = only_acting(wanted)
        if look.find:
            wanted, matches = find(wanted, look.find)
        if look.depth:
            wanted = shallow(wanted, look.depth)
        fitted = fit(wanted, look.budget, look.root)
        whole = not (look.find or look.root)
        before = self._seen.get(client) if whole else None
        changes = diff(before, fitted.lines) if look.diff and before is not None else None
        if whole:
            self._seen[client] = fitted.lines
        if changes is not None:
            body = changes or ["(nothing changed)"]
        else:
            body = [str(line) for line in fitted.lines]
        boundary = new_word()
        shown = Snapshot(
            text=_bounded(boundary, top, body, changes is not None),
            url=top.url,
            title=top.title,
            viewport=top.viewport,
            scroll=top.scroll,
            elements=elements,
            acting=acting,
            tokens=sum(len(line) + 1 for line in body) // CHARS_PER_TOKEN,
            cut=fitted.cut,
            matches=matches,
            is_diff=changes is not None,
            pending_dialogs=self._dialogs(),
            boundary=boundary,
            nodes=nodes,
        )
        if whole:
            self._last = shown, top, fitted.lines
        return shown

    def _stale(self, look: Look) -> Snapshot:
        dialogs = self._dialogs()
        why = "a dialog holds the page" if dialogs else "the page is held up"
        if self._last is None:
            tab = self._place.tab
            text = f"(no snapshot yet: {why})"
            return Snapshot(
                text, tab.url, tab.title, (0, 0), (0, 0, 0, 0), 0, 0, 0, stale=why,
                pending_dialogs=dialogs,
            )  # fmt: skip
        last, top, lines = self._last
        # In whole, whatever was asked for then; and no word of a boundary is said twice.
        boundary = new_word()
        return replace(
            last,
            text=_bounded(boundary, top, [str(line) for line in lines], False),
            tokens=tokens(lines),
            matches=0,
            is_diff=False,
            stale=why,
            pending_dialogs=dialogs,
            boundary=boundary,
        )

    def _dialogs(self) -> list[dict[str, Any]]:
        supervisor = self._place.supervisor
        return view.pending_dialogs(supervisor.state, self._place.tab_id, supervisor.clock)


def _most(look: Look) -> int:
    return MARKED if look.most() else EVERY


def _counted(nodes: list[Node]) -> tuple[int, int, dict[str, tuple[str, str]]]:
    """How many elements there are, how many can be acted on, and what each ref is."""
    elements = acting = 0
    shown_as: dict[str, tuple[str, str]] = {}
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        role = node.role
        if role == "…":
            elements += int(node.name)
        elif role != "text":
            elements += 1
            acting += node.acts
        if node.ref:
            shown_as[node.ref] = (role, node.name)
        if node.children:
            waiting += node.children
    return elements, acting, shown_as


def _result(task: asyncio.Task[Walked | str]) -> Walked | str:
    """The tree, or a word that says why there is none."""
    if not task.done():
        return "no-answer"
    error = task.exception()
    if isinstance(error, CdpError | ToolError):
        return "gone"
    return task.result()


def _bounded(boundary: str, top: Walked, body: list[str], changes: bool) -> str:
    what = "changes since your last snapshot" if changes else "page"
    return between(boundary, what, "\n".join((f"{top.title} <{top.url}>", *body)))
