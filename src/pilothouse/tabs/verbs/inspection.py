"""Eyes: every verb that only looks."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import CdpError, ToolError
from pilothouse.page.extract import ExtractedText
from pilothouse.page.local_files import save_file
from pilothouse.page.media import PageImage, PdfOptions, Screenshot
from pilothouse.page.snapshot import BUDGET_TOKENS, SnapshotOptions
from pilothouse.supervisor import Outcome
from pilothouse.supervisor import agent_view as view
from pilothouse.tabs.declaration import NonNegativeInt
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb
from pilothouse.tabs.verbs.input import Target

__all__ = [
    "attr",
    "box",
    "changed",
    "count",
    "extract",
    "frames",
    "html",
    "images",
    "is_checked",
    "is_enabled",
    "is_visible",
    "observe",
    "pdf",
    "screenshot",
    "snapshot",
    "text",
    "title",
    "url",
    "value",
]


# A page that is busy for longer answers with the title that Chrome knows.
TITLE_WITHIN_S = 1.0


@verb(free=True)
async def url(tab: OwnedTab) -> str:
    """The address of the page."""
    return tab.page.tab_context.tab.url


@verb(free=True)
async def title(tab: OwnedTab) -> str:
    """The title of the page."""
    context = tab.page.tab_context
    if not any(dialog.tab == tab.tab_id for dialog in tab.supervisor.state.dialogs.values()):
        # Chrome itself learns of a new title late, and has the address in its place till then.
        with contextlib.suppress(CdpError):
            asked = Runtime.evaluate(expression="document.title", returnByValue=True)
            answer = await context.session.send(asked, TITLE_WITHIN_S)
            return str(answer["result"].get("value", ""))
    await tab.supervisor.refresh(tab.tab_id)
    return context.tab.title


@verb()
async def snapshot(
    tab: OwnedTab,
    interactive: bool = False,
    depth: NonNegativeInt = 0,
    root: str = "",
    viewport: bool = False,
    budget: NonNegativeInt = BUDGET_TOKENS,
    find: str = "",
    limit: NonNegativeInt = 0,
    diff: bool = False,
    boxes: bool = False,
    hidden: bool = False,
    client: str = "",
) -> dict[str, Any]:
    """What is on the page, in all frames, as text with refs to act on.

    interactive: only what can be acted on, and alerts
    root: a ref: only what is in it
    budget: about how many tokens; 0 is no limit
    find: only rows, items and lines with this text, or /regex/
    limit: show at most so many of those; 0 is all
    diff: only what changed since your last snapshot
    """
    wanted: str | re.Pattern[str] = find
    if len(find) > 2 and find[0] == find[-1] == "/":
        try:
            wanted = re.compile(find[1:-1], re.IGNORECASE)
        except re.error as error:
            raise ToolError(
                f"find: {error}", hint="mend the regex, or leave out the slashes"
            ) from None
    look = SnapshotOptions(
        interactive, depth, root, viewport, budget, wanted, limit, diff, boxes, hidden
    )
    taken = await tab.page.snapshot(look, client or tab.owner)
    # Without its tree, which its text says: that would be most of the answer.
    return {name: getattr(taken, name) for name in taken.__struct_fields__ if name != "nodes"}


@verb()
async def changed(tab: OwnedTab) -> list[str]:
    """What reads otherwise since the page was last looked at: lines that came and went."""
    return await tab.page.changed()


@verb()
async def observe(
    tab: OwnedTab, include_all: bool = False, viewport_only: bool = False
) -> dict[str, Any]:
    """The elements that can be acted on, as a list: id, role, name, value, states.

    include_all: also what can only be read
    viewport_only: only what is in the viewport now
    """
    taken = await tab.page.snapshot(
        SnapshotOptions(viewport=viewport_only, budget=0), client=f"observe {tab.owner}"
    )
    nodes = [inner for node in taken.nodes for inner in node.walk() if inner.role != "text"]
    return {
        "url": taken.url,
        "title": taken.title,
        "viewport": {"width": taken.viewport[0], "height": taken.viewport[1]},
        "scroll": {
            **dict(zip(("x", "y", "scrollWidth", "scrollHeight"), taken.scroll, strict=True)),
            **dict(zip(("width", "height"), taken.viewport, strict=True)),
        },
        "elements": [
            {
                "id": node.ref,
                "role": node.role,
                "name": node.name,
                "value": node.value,
                "states": list(node.states),
            }
            for node in nodes
            if node.acts or include_all
        ],
        "stale": taken.stale,
    }


@verb()
async def screenshot(
    tab: OwnedTab,
    target: Target | None = None,
    full_page: bool = False,
    annotate: bool = False,
    format: str = "png",
    quality: int | None = None,
    scale: float = 1.0,
    for_model: bool = False,
    save: str = "",
) -> Outcome[Screenshot]:
    """A picture of the viewport, the whole page or one element.

    annotate: draw the refs on it
    for_model: a copy of at most 1024x1024 and 150 KiB
    save: also write it to this file, in a folder that may be written to
    """
    outcome = await tab.page.screenshot(
        target,
        full_page=full_page,
        annotate=annotate,
        format=format,
        quality=quality,
        scale=scale,
        for_model=for_model,
    )
    if not save or outcome.value is None:
        return outcome
    written = await asyncio.to_thread(save_file, save, outcome.value.data, tab.page.files)
    return replace(outcome, value=structs.replace(outcome.value, path=str(written)))


@verb()
async def extract(
    tab: OwnedTab,
    format: str = "markdown",
    article: bool = True,
    selector: str = "",
    limit: NonNegativeInt = 0,
) -> Outcome[ExtractedText]:
    """The page's article as markdown or text, with its tables, links and code.

    A page without an article gives its main part, else everything; `what` says which: article,
    main, page, selection. A page without any text gives None.

    article: the article alone, or (false) the whole page
    selector: CSS; reads only this part of the page
    limit: characters; 0 is none
    """
    outcome = await tab.page.extract(
        format=format, article=article and not selector, selector=selector, limit=limit
    )
    if outcome.value is not None and outcome.value.text == "":
        return replace(outcome, value=None)
    return outcome


@verb()
async def images(
    tab: OwnedTab, backgrounds: bool = False, hidden: bool = True
) -> Outcome[list[PageImage]]:
    """The images of the page: address, alternative text, sizes.

    backgrounds: also images of CSS backgrounds; hidden: also those that are not shown
    """
    return await tab.page.images(backgrounds=backgrounds, hidden=hidden)


@verb()
async def pdf(
    tab: OwnedTab,
    paper: str = "a4",
    landscape: bool = False,
    pages: str = "",
    scale: float = 1.0,
    background: bool = True,
    save: str = "",
) -> Any:
    """The page as a PDF.

    paper: a3, a4, a5, a6, letter, legal or tabloid; landscape: lay it on its side
    background: also colours and pictures behind the text
    pages: such as 1-3, 5; all without it
    save: also write it to this file, in a folder that may be written to
    """
    sheet = PdfOptions(paper, landscape, pages=pages, scale=scale, background=background)
    outcome = await tab.page.pdf(sheet)
    if not save or outcome.value is None:
        return outcome
    written = await asyncio.to_thread(save_file, save, outcome.value.data, tab.page.files)
    return replace(outcome, value=structs.replace(outcome.value, path=str(written)))


async def _fact(
    tab: OwnedTab, target: Target, what: str, nth: int | None = None, detail: str = ""
) -> Outcome[Any]:
    return await tab.page.inspect(target, what, detail, nth=nth)


@verb()
async def text(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """The text of an element, as it is painted."""
    return await _fact(tab, target, "text", nth)


@verb()
async def html(tab: OwnedTab, target: Target = "html", nth: int | None = None) -> Outcome[Any]:
    """The HTML of an element; without one, of the page."""
    return await _fact(tab, target, "html", nth)


@verb()
async def value(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """The value of a field."""
    return await _fact(tab, target, "value", nth)


@verb()
async def attr(tab: OwnedTab, target: Target, name: str, nth: int | None = None) -> Outcome[Any]:
    """An attribute of an element; nothing if it has none of that name.

    name: of the attribute
    """
    return await _fact(tab, target, "attr", nth, name)


@verb()
async def count(tab: OwnedTab, target: Target) -> Outcome[Any]:
    """How many elements match."""
    return await _fact(tab, target, "count")


@verb()
async def box(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Where an element is in its frame: x, y, width, height."""
    return await _fact(tab, target, "box", nth)


@verb()
async def is_visible(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Whether an element is there and painted."""
    return await _fact(tab, target, "visible", nth)


@verb()
async def is_enabled(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Whether an element is enabled."""
    return await _fact(tab, target, "enabled", nth)


@verb()
async def is_checked(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Whether a checkbox, radio button or switch is on."""
    return await _fact(tab, target, "checked", nth)


@verb(free=True)
async def frames(tab: OwnedTab) -> Any:
    """The frames of the page as a tree."""
    return view.frame_tree(tab.supervisor.state, tab.tab_id)
