"""The input classes of `Page`, put together over one tab of the stage.

Knows: how to show some HTML in the main frame or in frames of all kinds. Must not know: what is
asserted.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import ElementResolver
from pilothouse.page.input.drag import DragAndDrop
from pilothouse.page.input.form_fields import FormFields
from pilothouse.page.input.keyboard import KeyboardInput
from pilothouse.page.input.mouse import MouseInput
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.input.scroll import Scroller
from pilothouse.page.input.select import SelectControls
from pilothouse.page.input.upload import Uploads
from pilothouse.page.local_files import check_upload
from pilothouse.page.snapshot.refs import Refs
from pilothouse.page.snapshot.snapshot import Snapshots
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.iframe_elements import FrameElements
from pilothouse.page.world.isolated_worlds import IsolatedWorlds
from pilothouse.supervisor import Outcome
from tests.browser.browser_with_dialog_places import Stage

__all__ = ["FRAMES", "InputTab", "done", "show_page"]

FRAMES = ("main", "same", "oopif", "nested")

_numbers = itertools.count(1)
_AROUND = "<!doctype html><title>around</title><p>around</p>{}"
_FRAME = '<iframe name="{name}" src="{src}" style="width:700px;height:500px{style}"></iframe>'


class InputTab:
    """The input classes of one tab, and the frame to act in."""

    def __init__(self, stage: Stage, tab: str, frame: str, files: Path | None = None) -> None:
        self.stage = stage
        self.tab = tab
        self.frame = frame
        self.tab_context = TabContext(stage.sup, tab)
        worlds = IsolatedWorlds(self.tab_context)
        refs = Refs(self.tab_context.session.target_id)
        frame_elements = FrameElements(self.tab_context, worlds)
        self.snapshots = Snapshots(self.tab_context, worlds, refs, frame_elements)
        self.resolver = ElementResolver(self.tab_context, worlds, refs, frame_elements)
        self.runner = ActionRunner(self.tab_context, worlds)
        self.mouse = MouseInput(self.resolver, self.runner)
        self.keys = KeyboardInput(self.resolver, self.runner, frame_elements)
        choose = SelectControls(self.resolver, self.runner, self.mouse)
        self.choose = choose
        self.fields = FormFields(self.resolver, self.runner, self.mouse, choose)
        self.wheel = Scroller(self.resolver, self.runner)
        self.drags = DragAndDrop(self.resolver, self.runner, self.mouse)
        roots = [files] if files else []
        self.uploads = Uploads(
            self.resolver, self.runner, self.mouse, lambda path: check_upload(path, roots)
        )

    async def js(self, expression: str) -> Any:
        """The value of an expression in the frame that is acted in."""
        return await self.stage.value(self.frame, expression)


def done(outcome: Outcome[Receipt]) -> Receipt:
    """The receipt of an action that nothing blocked."""
    assert outcome.value is not None, outcome
    return outcome.value


async def show_page(
    stage: Stage, html: str, within: str = "main", files: Path | None = None
) -> InputTab:
    """Show some HTML in a fresh tab, in the main frame or in a frame of some kind."""
    number = next(_numbers)
    pages, path = stage.pages, f"/hands{number}.html"
    pages.add(path, f"<!doctype html><title>hands</title>{html}")
    if within == "nested":
        inner = _FRAME.format(name="spot", src=pages.url(path, host="a.localhost"), style="")
        pages.add(f"/mid{number}.html", _AROUND.format(inner))
        src = pages.url(f"/mid{number}.html", host="localhost")
        scaled = ";transform:scale(.5);transform-origin:0 0"
        pages.add(
            f"/top{number}.html", _AROUND.format(_FRAME.format(name="mid", src=src, style=scaled))
        )
    elif within != "main":
        host = "127.0.0.1" if within == "same" else "localhost"
        inner = _FRAME.format(name="spot", src=pages.url(path, host=host), style="")
        pages.add(f"/top{number}.html", _AROUND.format(inner))
    top = path if within == "main" else f"/top{number}.html"
    tab = await stage.sup.open_tab(f"hands{number}", pages.url(top))
    await stage.loaded(tab)
    frame = await stage.loaded(tab, "" if within == "main" else "spot")
    return InputTab(stage, tab, frame.id, files)
