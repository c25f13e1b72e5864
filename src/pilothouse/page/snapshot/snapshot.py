"""Eyes: what is on the page, in every frame, as text for one client.

Knows: what a client saw last, and what a look leaves out. Must not know: how frames are asked
(walking.py) or a tree is shown (render.py). Text of the page stands between two marks that carry a
word no page can know.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import ToolError
from pilothouse.page.snapshot.diff import diff, news
from pilothouse.page.snapshot.options import BUDGET_TOKENS, SnapshotOptions
from pilothouse.page.snapshot.refs import Refs, parse_ref
from pilothouse.page.snapshot.render import (
    CHARS_PER_TOKEN,
    FittedLines,
    SnapshotLine,
    find,
    fit,
    only_acting,
    shallow,
    tokens,
)
from pilothouse.page.snapshot.tree import Node, WalkedFrame
from pilothouse.page.snapshot.untrusted_markers import between, new_word
from pilothouse.page.snapshot.walker import FrameWalker
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds
from pilothouse.supervisor import agent_view as view

__all__ = ["BUDGET_TOKENS", "Snapshot", "SnapshotOptions", "Snapshots"]

# A walk of a very large page on a busy machine is no hung page.
WALKS_WITHIN_S = 20.0
# Of pages with more elements it is not said what has changed: that would take as long as a look.
# What alerts and status regions say is told of any page (scripts/effects.js).
BY_THE_WAY = 1500


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


class _Made(msgspec.Struct):
    """What a look made of a page's nodes."""

    look: SnapshotOptions
    nodes: list[Node]
    elements: int
    acting: int
    matches: int
    fitted: FittedLines
    body: list[str]


class _Looked(msgspec.Struct, frozen=True):
    """How a document was last looked at, and what was there."""

    look: SnapshotOptions
    nodes: list[Node]
    loader: str


class Snapshots:
    """The snapshots of one tab, and what each client saw last."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, refs: Refs, frame_elements: FrameElements
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._refs = refs
        self._walking = FrameWalker(context, worlds, refs, frame_elements)
        self._made: _Made | None = None
        self._looked: _Looked | None = None
        self._seen: dict[str, list[SnapshotLine]] = {}
        # The last whole one, and the document it is of.
        self._last: tuple[Snapshot, WalkedFrame, list[SnapshotLine], str] | None = None

    async def take(self, look: SnapshotOptions | None = None, client: str = "") -> Snapshot:
        """The page as it is now; as it was last, marked stale, while a dialog holds it."""
        look = look or SnapshotOptions()
        root = self._root(look.root)
        stirred, self._worlds.dirty = self._worlds.dirty, False
        # Boxes and what is in sight change with more than is kept.
        keeps = not (stirred or look.viewport or look.boxes)
        outcome = await self._context.race(
            lambda: self._walking.all(
                look, root, keeps=keeps, meanwhile=lambda nodes: self._rendering(look, nodes)
            ),
            probe_after=WALKS_WITHIN_S,
        )
        if outcome.value is None:
            return self._stale(look)
        top, nodes = outcome.value
        small = self._rendering(look, nodes).elements <= BY_THE_WAY
        whole = not (look.root or look.viewport or look.boxes)
        self._looked = _Looked(look, nodes, self._loader()) if small and whole else None
        return self._shown(look, client, top, nodes)

    async def changed(self) -> list[str]:
        """What reads otherwise since the last look at this document, whoever it was that looked:
        lines that came (`+`) and went (`-`), at most a few. None for a large page, where nobody has
        looked, or while something holds the page."""
        looked = self._looked
        if looked is None or looked.loader != self._loader():
            return []
        if self._worlds.dirty:
            self._walking.stir()
        self._worlds.dirty = False
        outcome = await self._context.race(
            lambda: self._walking.all(looked.look, self._root(""), keeps=True),
            probe_after=WALKS_WITHIN_S,
        )
        if outcome.value is None:
            return []
        _, nodes = outcome.value
        self._looked = _Looked(looked.look, nodes, looked.loader)
        # The next look will want the text: it is made once this was told.
        asyncio.get_running_loop().call_soon(self._rendering, looked.look, nodes)
        return news(looked.nodes, nodes)

    # Asking.

    def _loader(self) -> str:
        return self._context.main().loader

    def _root(self, ref: str) -> tuple[str, int]:
        """Frame and number of the subtree that is wanted."""
        if not ref:
            return self._context.main().id, 0
        parsed = parse_ref(ref)
        if parsed is None:
            raise ToolError(
                f"root: {ref!r} is no ref", hint="refs look like e12, in frames like f2e12"
            )
        return self._refs.frame_of(parsed), parsed.number

    # Showing.

    def _shown(
        self, look: SnapshotOptions, client: str, top: WalkedFrame, nodes: list[Node]
    ) -> Snapshot:
        made = self._rendering(look, nodes)
        fitted = made.fitted
        whole = not (look.find or look.root)
        before = self._seen.get(client) if whole else None
        changes = diff(before, fitted.lines) if look.diff and before is not None else None
        if whole:
            self._seen[client] = fitted.lines
        body = made.body if changes is None else changes or ["(nothing changed)"]
        what = "changes since your last snapshot of " if changes is not None else ""
        if look.find:
            what = _counted_matches(made.matches)
        boundary = new_word()
        shown = Snapshot(
            text=_bounded(boundary, top, body, what),
            url=top.url,
            title=top.title,
            viewport=top.viewport,
            scroll=top.scroll,
            elements=made.elements,
            acting=made.acting,
            tokens=sum(len(line) + 1 for line in body) // CHARS_PER_TOKEN,
            cut=fitted.cut,
            matches=made.matches,
            is_diff=changes is not None,
            pending_dialogs=self._dialogs(),
            boundary=boundary,
            nodes=nodes,
        )
        if whole:
            self._last = shown, top, fitted.lines, self._loader()
        return shown

    def _rendering(self, look: SnapshotOptions, nodes: list[Node]) -> _Made:
        """What a look makes of these nodes; the last one is remembered."""
        made = self._made
        if made is None or made.nodes is not nodes or made.look != look:
            made = self._made = self._rendered(look, nodes)
        return made

    def _rendered(self, look: SnapshotOptions, nodes: list[Node]) -> _Made:
        elements, acting, shown_as = _counted(nodes)
        self._refs.said(shown_as)
        wanted, matches = nodes, 0
        if look.find:
            # In all of the page: what is sought need not be what is clicked.
            wanted, matches = find(wanted, look.find, look.limit)
        elif look.interactive:
            wanted = only_acting(wanted)
        if look.depth:
            wanted = shallow(wanted, look.depth)
        fitted = fit(wanted, look.budget, look.root)
        body = [str(line) for line in fitted.lines]
        return _Made(look, nodes, elements, acting, matches, fitted, body)

    def _stale(self, look: SnapshotOptions) -> Snapshot:
        dialogs = self._dialogs()
        why = "a dialog holds the page" if dialogs else "the page is held up"
        if self._last is None or self._last[3] != self._loader():
            # One of the document before would pass for this one: the same tab, other elements.
            tab = self._context.tab
            text = f"(no snapshot of this page yet: {why})"
            return Snapshot(
                text, tab.url, tab.title, (0, 0), (0, 0, 0, 0), 0, 0, 0, stale=why,
                pending_dialogs=dialogs,
            )  # fmt: skip
        last, top, lines, _ = self._last
        # In whole, whatever was asked for then; and no word of a boundary is said twice.
        boundary = new_word()
        return replace(
            last,
            text=_bounded(boundary, top, [str(line) for line in lines]),
            tokens=tokens(lines),
            matches=0,
            is_diff=False,
            stale=why,
            pending_dialogs=dialogs,
            boundary=boundary,
        )

    def _dialogs(self) -> list[dict[str, Any]]:
        supervisor = self._context.supervisor
        return view.pending_dialogs(supervisor.state, self._context.tab_id, supervisor.clock)


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


def _bounded(boundary: str, top: WalkedFrame, body: list[str], what: str = "") -> str:
    return between(boundary, "\n".join((f"{what}{top.title} <{top.url}>", *body)))


def _counted_matches(number: int) -> str:
    return f"{number} {'match' if number == 1 else 'matches'} in "
