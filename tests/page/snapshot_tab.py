"""Opens pages in a fresh tab for tests of snapshots and clicks, with helpers to read a snapshot.

Knows: the stage, snapshots and the mouse. Must not know: what is asserted.
"""

from __future__ import annotations

import itertools
from typing import Any

from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import ElementResolver
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.snapshot.refs import Refs
from pilothouse.page.snapshot.snapshot import Snapshot, SnapshotOptions, Snapshots
from pilothouse.page.snapshot.tree import Node
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.iframe_elements import FrameElements
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Frame, State, Supervisor
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage

__all__ = [
    "SnapshotTab",
    "all_nodes",
    "body",
    "click",
    "inner_frames",
    "node",
    "opened",
    "refs",
    "run",
    "see",
]

_numbers = itertools.count(1)


class SnapshotTab:
    """Snapshots and the mouse of one tab, without the rest of `Page`."""

    def __init__(self, supervisor: Supervisor, tab: str) -> None:
        self.tab = tab
        self.tab_context = TabContext(supervisor, tab)
        self.worlds = IsolatedWorlds(self.tab_context)
        self.refs = Refs(self.tab_context.session.target_id)
        self.frame_elements = FrameElements(self.tab_context, self.worlds)
        self.snapshot = Snapshots(
            self.tab_context, self.worlds, self.refs, self.frame_elements
        ).take
        self.resolver = ElementResolver(
            self.tab_context, self.worlds, self.refs, self.frame_elements
        )
        self.runner = ActionRunner(self.tab_context, self.worlds)
        self.mouse = MouseInput(self.resolver, self.runner)
        self.click = self.mouse.click
        self.hover = self.mouse.hover


async def opened(
    stage: Stage, html: str, *, frames: int = 0, host: str = "127.0.0.1"
) -> SnapshotTab:
    """A page in a tab of its own, loaded, with so many frames in it that have loaded too."""
    path = f"/seen{next(_numbers)}.html"
    stage.pages.add(path, f"<!doctype html><title>Seen</title>{html}")
    tab = await stage.sup.open_tab("eyes", stage.pages.url(path, host))
    await stage.loaded(tab)
    if frames:
        for frame in await stage.sup.wait_for(lambda s: inner_frames(s, tab, frames), WITHIN_S):
            await stage.value(
                frame.id,
                # Not by `onload`: a page may set that itself, later.
                "new Promise(r => document.readyState == 'complete' ? r(1)"
                " : addEventListener('load', () => r(1)))",
            )
    return SnapshotTab(stage.sup, tab)


def inner_frames(state: State, tab: str, count: int) -> list[Frame] | None:
    """The frames below the main one, once all of them show their documents."""
    found = [
        frame
        for frame in state.frames.values()
        if frame.tab == tab
        and frame.parent
        and frame.loader
        and frame.url not in ("", "about:blank")
        and state.context_of(frame)
    ]
    return found if len(found) >= count else None


async def run(stage: Stage, page: SnapshotTab, expression: str) -> Any:
    """The value of an expression in the page's main frame."""
    return await stage.value(page.tab_context.main().id, expression)


async def see(page: SnapshotTab, **look: Any) -> list[str]:
    """The lines of a snapshot, without its frame."""
    return body(await page.snapshot(SnapshotOptions(**look)))


def body(snapshot: Snapshot) -> list[str]:
    """The lines between the boundaries and below the title."""
    return snapshot.text.split("\n")[2:-1]


def all_nodes(snapshot: Snapshot) -> list[Node]:
    """Every node of the page."""
    return [inner for top in snapshot.nodes for inner in top.walk()]


def node(snapshot: Snapshot, name: str, role: str = "") -> Node:
    """The one node with this name."""
    found = [n for n in all_nodes(snapshot) if n.name == name and role in ("", n.role)]
    found = [n for n in found if n.role != "text"] or found
    assert len(found) == 1, (name, found)
    return found[0]


def refs(snapshot: Snapshot) -> dict[str, str]:
    """Name to ref of what can be acted on."""
    return {n.name: n.ref for n in all_nodes(snapshot) if n.acts}


async def click(page: SnapshotTab, target: Any, **options: Any) -> Receipt:
    """A click that nothing blocks."""
    outcome = await page.click(target, **options)
    assert outcome.value is not None, outcome
    return outcome.value
