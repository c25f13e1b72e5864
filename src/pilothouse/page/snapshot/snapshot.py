"""Snapshots: the accessibility-like tree of a page, with all frames, as text for one client.

Knows: what each client saw last, and what the options leave out. Must not know: how frames are
walked (frame_walker.py) or how a tree is rendered (render.py). The text is enclosed in
untrusted-text markers (untrusted_markers.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.errors import UsageError
from pilothouse.page.snapshot.diff import changed_lines, diff
from pilothouse.page.snapshot.frame_walker import FrameWalker
from pilothouse.page.snapshot.options import BUDGET_TOKENS, SnapshotOptions
from pilothouse.page.snapshot.refs import Refs, parse_ref
from pilothouse.page.snapshot.render import (
    CHARS_PER_TOKEN,
    FittedLines,
    SnapshotLine,
    find,
    fit,
    limit_depth,
    only_acting,
    tokens,
)
from pilothouse.page.snapshot.tree import Node, WalkedFrame
from pilothouse.page.snapshot.untrusted_markers import new_nonce, wrap_untrusted
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import FrameElements, IsolatedWorlds
from pilothouse.supervisor import agent_view as view

__all__ = ["BUDGET_TOKENS", "Snapshot", "SnapshotOptions", "Snapshots"]

# Probe for a hung renderer only after this time: walking a very large page on a busy machine may
# take several seconds.
WALKS_WITHIN_S = 20.0
# For larger pages receipts do not list changed lines: that would take as long as a snapshot.
# Alerts and status regions are reported for pages of any size (js/action_guard_and_effects.js).
MOST_ELEMENTS_COMPARED = 1500


class Snapshot(msgspec.Struct, frozen=True):
    """A page as text. `stale` is the reason if this is an older snapshot, or none at all."""

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


class _Rendering(msgspec.Struct):
    """The text of these nodes with these options."""

    options: SnapshotOptions
    nodes: list[Node]
    elements: int
    acting: int
    matches: int
    fitted: FittedLines
    body: list[str]


class _LastWalk(msgspec.Struct, frozen=True):
    """The last snapshot of a document, whichever client took it."""

    options: SnapshotOptions
    nodes: list[Node]
    loader: str


class _LastShown(msgspec.Struct, frozen=True):
    """The last snapshot of the whole page, and the loader id of its document."""

    snapshot: Snapshot
    top: WalkedFrame
    lines: list[SnapshotLine]
    loader: str


class Snapshots:
    """Takes the snapshots of one tab, and remembers what each client saw last."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, refs: Refs, frame_elements: FrameElements
    ) -> None:
        self._context = context
        self._refs = refs
        self._walker = FrameWalker(context, worlds, refs, frame_elements)
        self._rendering: _Rendering | None = None
        self._last_walk: _LastWalk | None = None
        # Client -> the lines of its last snapshot of the whole page.
        self._seen: dict[str, list[SnapshotLine]] = {}
        self._last_shown: _LastShown | None = None

    async def take(self, options: SnapshotOptions | None = None, client: str = "") -> Snapshot:
        """Take a snapshot of the page; while a dialog holds it, return the last one marked stale.

        `client` is whose last snapshot `options.diff` compares with.
        """
        options = options or SnapshotOptions()
        root = self._root(options.root)
        acted = self._walker.reset_dirty()
        # The cache does not notice when boxes move or the viewport scrolls.
        use_cache = not (acted or options.viewport or options.boxes)
        walked = await self._walk(
            options, root, use_cache=use_cache, meanwhile=lambda nodes: self._render(options, nodes)
        )
        if walked is None:
            return self._stale()
        top, nodes = walked
        small = self._render(options, nodes).elements <= MOST_ELEMENTS_COMPARED
        whole = not (options.root or options.viewport or options.boxes)
        self._last_walk = _LastWalk(options, nodes, self._loader()) if small and whole else None
        return self._show(options, client, top, nodes)

    async def changed(self) -> list[str]:
        """List the lines that came (`+`) and went (`-`) since the last snapshot of this document,
        whichever client took it. Empty for a large page, without such a snapshot, and while
        something blocks the page."""
        last = self._last_walk
        if last is None or last.loader != self._loader():
            return []
        if self._walker.reset_dirty():
            self._walker.drop_cache()
        walked = await self._walk(last.options, self._root(""), use_cache=True)
        if walked is None:
            return []
        _, nodes = walked
        self._last_walk = _LastWalk(last.options, nodes, last.loader)
        # The next snapshot will need this text: render it after the answer has gone out.
        asyncio.get_running_loop().call_soon(self._render, last.options, nodes)
        return changed_lines(last.nodes, nodes)

    async def _walk(
        self,
        options: SnapshotOptions,
        root: tuple[str, int],
        *,
        use_cache: bool,
        meanwhile: Callable[[list[Node]], object] = lambda nodes: None,
    ) -> tuple[WalkedFrame, list[Node]] | None:
        """Walk the page (FrameWalker.walk_all); None while something blocks it."""
        outcome = await self._context.race(
            lambda: self._walker.walk_all(options, root, use_cache=use_cache, meanwhile=meanwhile),
            probe_after=WALKS_WITHIN_S,
        )
        return outcome.value

    def _loader(self) -> str:
        return self._context.main().loader

    def _root(self, ref: str) -> tuple[str, int]:
        """Return frame id and element number of the wanted subtree (0: the whole frame)."""
        if not ref:
            return self._context.main().id, 0
        parsed = parse_ref(ref)
        if parsed is None:
            raise UsageError(
                f"root: {ref!r} is not a ref", hint="use a ref such as e12, in a frame f2e12"
            )
        return self._refs.frame_of(parsed), parsed.number

    def _show(
        self, options: SnapshotOptions, client: str, top: WalkedFrame, nodes: list[Node]
    ) -> Snapshot:
        rendering = self._render(options, nodes)
        fitted = rendering.fitted
        whole = not (options.find or options.root)
        before = self._seen.get(client) if whole else None
        changes = diff(before, fitted.lines) if options.diff and before is not None else None
        if whole:
            self._seen[client] = fitted.lines
        body = rendering.body if changes is None else changes or ["(nothing changed)"]
        what = "changes since your last snapshot of " if changes is not None else ""
        if options.find:
            what = _format_matches(rendering.matches)
        boundary = new_nonce()
        shown = Snapshot(
            text=_wrap(boundary, top, body, what),
            url=top.url,
            title=top.title,
            viewport=top.viewport,
            scroll=top.scroll,
            elements=rendering.elements,
            acting=rendering.acting,
            tokens=sum(len(line) + 1 for line in body) // CHARS_PER_TOKEN,
            cut=fitted.cut,
            matches=rendering.matches,
            is_diff=changes is not None,
            pending_dialogs=self._dialogs(),
            boundary=boundary,
            nodes=nodes,
        )
        if whole:
            self._last_shown = _LastShown(shown, top, fitted.lines, self._loader())
        return shown

    def _render(self, options: SnapshotOptions, nodes: list[Node]) -> _Rendering:
        """Render these nodes; the last rendering is cached."""
        rendering = self._rendering
        if rendering is None or rendering.nodes is not nodes or rendering.options != options:
            rendering = self._rendering = self._render_nodes(options, nodes)
        return rendering

    def _render_nodes(self, options: SnapshotOptions, nodes: list[Node]) -> _Rendering:
        elements, acting, shown_as = _count_nodes(nodes)
        self._refs.record_shown(shown_as)
        wanted, matches = nodes, 0
        if options.find:
            # Search the whole page even if `interactive` is set: the text need not be clickable.
            wanted, matches = find(wanted, options.find, options.limit)
        elif options.interactive:
            wanted = only_acting(wanted)
        if options.depth:
            wanted = limit_depth(wanted, options.depth)
        fitted = fit(wanted, options.budget, options.root)
        body = [str(line) for line in fitted.lines]
        return _Rendering(options, nodes, elements, acting, matches, fitted, body)

    def _stale(self) -> Snapshot:
        dialogs = self._dialogs()
        why = "a dialog holds the page" if dialogs else "the page is held up"
        last = self._last_shown
        if last is None or last.loader != self._loader():
            # A snapshot of the previous document would pass for one of this document.
            tab = self._context.tab
            text = f"(no snapshot of this page yet: {why})"
            return Snapshot(
                text, tab.url, tab.title, (0, 0), (0, 0, 0, 0), 0, 0, 0, stale=why,
                pending_dialogs=dialogs,
            )  # fmt: skip
        # Show it whole even if it was a diff. The nonce is new: pages may know the old one by now.
        boundary = new_nonce()
        return replace(
            last.snapshot,
            text=_wrap(boundary, last.top, [str(line) for line in last.lines]),
            tokens=tokens(last.lines),
            matches=0,
            is_diff=False,
            stale=why,
            pending_dialogs=dialogs,
            boundary=boundary,
        )

    def _dialogs(self) -> list[dict[str, Any]]:
        supervisor = self._context.supervisor
        return view.pending_dialogs(supervisor.state, self._context.tab_id, supervisor.clock)


def _count_nodes(nodes: list[Node]) -> tuple[int, int, dict[str, tuple[str, str]]]:
    """Count elements and interactive elements, and map each ref to its role and name."""
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


def _wrap(boundary: str, top: WalkedFrame, body: list[str], what: str = "") -> str:
    return wrap_untrusted(boundary, "\n".join((f"{what}{top.title} <{top.url}>", *body)))


def _format_matches(number: int) -> str:
    return f"{number} {'match' if number == 1 else 'matches'} in "
