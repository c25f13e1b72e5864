"""Tools that look."""

from __future__ import annotations

import base64
from typing import Any

from pilothouse.code.blocked import is_blocked
from pilothouse.tools.desk import Desk
from pilothouse.tools.eyes import asked
from pilothouse.tools.outputs import save as saved
from pilothouse.tools.resumed import finished
from pilothouse.tools.told import dialogs, picture, short, without_empty
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "browser_find",
    "browser_get_images",
    "browser_screenshot",
    "browser_snapshot",
    "browser_vision",
    "looked",
]

BUDGET_TOKENS = 4000
IMAGES_SHOWN = 100


async def looked(desk: Desk, full: bool = False, **look: Any) -> Fields:
    """A snapshot as fields of an answer; an older one, marked stale, while a dialog holds the
    page."""
    taken = await desk.verb("snapshot", interactive=not full, **look)
    told: Fields = {
        "snapshot": taken["text"],
        "element_count": taken["elements" if full else "acting"],
    }
    for name in ("cut", "matches", "stale"):
        if taken.get(name):
            told[name] = taken[name]
    return told


@tool("browser", reads=True)
async def browser_snapshot(
    desk: Desk,
    full: bool = False,
    diff: bool = False,
    find: str = "",
    root: str = "",
    budget: int = BUDGET_TOKENS,
) -> Fields:
    """What is on the page, as text with refs to act on; dialogs and frames beside it.

    full: everything, not only what can be acted on
    diff: only what changed since your last one
    find: only lines with this text or /regex/
    root: only inside this ref
    budget: tokens; 0 is no limit
    """
    told = await looked(desk, full, diff=diff, find=find, root=root.lstrip("@"), budget=budget)
    waiting, frames = await desk.verb("dialogs"), await desk.verb("frames")
    told |= without_empty(
        {name: dialogs(waiting[name]) for name in ("pending_dialogs", "recent_dialogs")}
    )
    told |= without_empty({"interrupts": waiting["interrupts"]})
    if frames["children"]:
        told["frame_tree"] = frames
    return told


@tool("browser", reads=True)
async def browser_find(desk: Desk, query: str, limit: int = 20) -> Fields:
    """Find text on the page, in all frames; gives lines with refs.

    query: a text, or /regex/
    """
    told = await looked(desk, True, find=query, budget=0)
    lines = told["snapshot"].splitlines()
    # The marks around the page's words stay, whatever is cut between them.
    if len(lines) > limit + 2:
        rest = len(lines) - limit - 2
        lines = [*lines[: limit + 1], f"… {rest} more lines", lines[-1]]
    return {"matches": told.get("matches", 0), "snapshot": "\n".join(lines)} | without_empty(
        {"stale": told.get("stale")}
    )


@tool("browser", reads=True)
async def browser_get_images(desk: Desk) -> Fields:
    """The images of the page."""

    async def shape(found: Any) -> Fields:
        images = [
            {
                "src": short(one["src"]),
                "alt": one["alt"],
                "width": one["naturalWidth"] or one["width"],
                "height": one["naturalHeight"] or one["height"],
            }
            for one in found
        ]
        return {"images": images[:IMAGES_SHOWN], "count": len(images)}

    return await finished(desk, "browser_get_images", await desk.verb("images"), shape)


@tool("browser", reads=True)
async def browser_screenshot(
    desk: Desk, ref: str = "", full_page: bool = False, annotate: bool = False, save: str = ""
) -> Fields:
    """A picture of the viewport, the page or an element.

    annotate: draw refs on it
    save: also write the full size to this file
    """
    target = ref or None
    wanted: dict[str, Any] = {"target": target, "full_page": full_page, "annotate": annotate}
    path = ""
    # A client that names folders has its files there; else they are where the house puts them.
    own = bool(desk.seat.roots)
    if save:
        kept = await desk.verb(
            "screenshot", **wanted, save="" if own else save, format=_format(save)
        )
        if not is_blocked(kept):
            path = await saved(desk, save, base64.b64decode(kept["data"])) if own else kept["path"]

    async def shape(taken: Any) -> Fields:
        return picture({**taken, "path": path})

    answer = await desk.verb("screenshot", **wanted, for_model=True)
    return await finished(desk, "browser_screenshot", answer, shape)


def _format(path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return {"jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(ending, "png")


@tool("browser", reads=True, outside=True)
async def browser_vision(
    desk: Desk, question: str, annotate: bool = False, full_page: bool = False
) -> Fields:
    """Look at the page: a picture to answer the question with.

    question: about what can be seen
    annotate: draw refs on it
    """
    answer = await desk.verb("screenshot", annotate=annotate, full_page=full_page, for_model=True)

    async def shape(taken: Any) -> Fields:
        shown = picture(taken)
        if desk.seat.sees:
            return {"question": question, **shown}
        return await asked(desk, question, shown)

    return await finished(desk, "browser_vision", answer, shape)
