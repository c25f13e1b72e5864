"""Inspection verbs: snapshot, screenshot, text extraction, PDF, and facts about elements."""

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
from pilothouse.security.filenames import image_format
from pilothouse.supervisor import Outcome
from pilothouse.supervisor import agent_view as view
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb
from pilothouse.tabs.verb_and_tool_declaration import NonNegativeInt
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


# If the page is busy for longer, return the title that Chrome's target info has.
TITLE_WITHIN_S = 1.0


@verb(free=True)
async def url(tab: OwnedTab) -> str:
    """Return the URL of the page."""
    return tab.page.tab_context.tab.url


@verb(free=True)
async def title(tab: OwnedTab) -> str:
    """Return the title of the page."""
    context = tab.page.tab_context
    if not any(dialog.tab == tab.tab_id for dialog in tab.supervisor.state.dialogs.values()):
        # Ask the page: Chrome's target info updates late, and shows the URL until then.
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
    """Return the content of the page and its frames as text, with refs for actions.

    interactive: only interactive elements and alerts
    depth: nesting levels to show; 0 is all
    root: a ref; only this element's content
    viewport: only what is in the viewport
    budget: about how many tokens; 0 is no limit
    find: only rows, items and lines with this text, or /regex/
    limit: with find: at most this many matches; 0 is all
    diff: only what changed since your last snapshot
    boxes: also the position and size of elements
    hidden: also hidden elements
    client: separates the diffs of several readers
    """
    wanted: str | re.Pattern[str] = find
    if len(find) > 2 and find[0] == find[-1] == "/":
        try:
            wanted = re.compile(find[1:-1], re.IGNORECASE)
        except re.error as error:
            raise ToolError(
                f"find: {error}", hint="fix the regex, or leave out the slashes"
            ) from None
    look = SnapshotOptions(
        interactive, depth, root, viewport, budget, wanted, limit, diff, boxes, hidden
    )
    taken = await tab.page.snapshot(look, client or tab.owner)
    # Leave out the tree: it repeats the text and would be most of the answer.
    return {name: getattr(taken, name) for name in taken.__struct_fields__ if name != "nodes"}


@verb()
async def changed(tab: OwnedTab) -> list[str]:
    """Return the snapshot lines that were added and removed since the last snapshot."""
    return await tab.page.changed()


@verb()
async def observe(
    tab: OwnedTab, include_all: bool = False, viewport_only: bool = False
) -> dict[str, Any]:
    """List interactive elements: id, role, name, value, states.

    include_all: also elements that are not interactive
    viewport_only: only elements in the viewport
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


@verb(fields={"path": "save"})
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
    """Take a screenshot of the viewport, the whole page or one element.

    target: the element: a ref or a selector
    full_page: the whole page, not only the viewport
    annotate: draw the refs on it
    format: png, jpeg or webp
    quality: 0 to 100, for jpeg and webp
    scale: factor for the size of the image
    for_model: a copy of at most 1024x1024 and 150 KiB
    save: also write it to this file; its suffix chooses the format
    """
    if save:
        format = image_format(save, format)
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
    """Extract the page's article as markdown or text, with tables, links and code.

    A page without an article gives its main part, else everything; `what` says which: article,
    main, page, selection. A page without any text gives None.

    format: markdown or text
    article: true: only the article; false: the whole page
    selector: CSS; extract only this part of the page
    limit: at most this many characters; 0 is no limit
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
    """List the images of the page: URL, alternative text, sizes.

    backgrounds: also CSS background images; hidden: also images that are not visible
    """
    return await tab.page.images(backgrounds=backgrounds, hidden=hidden)


@verb(fields={"path": "save"})
async def pdf(
    tab: OwnedTab,
    paper: str = "a4",
    landscape: bool = False,
    pages: str = "",
    scale: float = 1.0,
    background: bool = True,
    save: str = "",
) -> Any:
    """Print the page to PDF.

    paper: a3, a4, a5, a6, letter, legal or tabloid; landscape: landscape orientation
    background: also print background colours and images
    pages: such as 1-3, 5; all pages without it
    scale: factor for the size of the content
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
    """Return the visible text of an element."""
    return await _fact(tab, target, "text", nth)


@verb()
async def html(tab: OwnedTab, target: Target = "html", nth: int | None = None) -> Outcome[Any]:
    """Return the HTML of an element, or of the page if no element is given."""
    return await _fact(tab, target, "html", nth)


@verb()
async def value(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Return the value of a form field."""
    return await _fact(tab, target, "value", nth)


@verb(fields={"detail": "name"})
async def attr(tab: OwnedTab, target: Target, name: str, nth: int | None = None) -> Outcome[Any]:
    """Return an attribute of an element; null if it does not have it.

    name: the attribute's name
    """
    return await _fact(tab, target, "attr", nth, name)


@verb()
async def count(tab: OwnedTab, target: Target) -> Outcome[Any]:
    """Count the elements that match a selector."""
    return await _fact(tab, target, "count")


@verb()
async def box(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Return the position and size of an element in its frame: x, y, width, height."""
    return await _fact(tab, target, "box", nth)


@verb()
async def is_visible(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Return whether an element exists and is visible."""
    return await _fact(tab, target, "visible", nth)


@verb()
async def is_enabled(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Return whether an element is enabled."""
    return await _fact(tab, target, "enabled", nth)


@verb()
async def is_checked(tab: OwnedTab, target: Target, nth: int | None = None) -> Outcome[Any]:
    """Return whether a checkbox, radio button or switch is on."""
    return await _fact(tab, target, "checked", nth)


@verb(free=True)
async def frames(tab: OwnedTab) -> Any:
    """Return the frames of the page as a tree."""
    return view.frame_tree(tab.supervisor.state, tab.tab_id)
