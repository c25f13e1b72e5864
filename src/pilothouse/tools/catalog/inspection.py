"""Tools that look."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.tabs.declaration import NonNegativeInt
from pilothouse.tools.blocked_calls import finished
from pilothouse.tools.catalog.vision import asked
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import dialogs, picture, short, without_empty
from pilothouse.tools.output_files import save as saved
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "arrived_at",
    "browser_find",
    "browser_get_images",
    "browser_screenshot",
    "browser_snapshot",
    "browser_vision",
    "heard_of",
    "looked",
]

BUDGET_TOKENS = 4000
# Of a page that an action led to: most that are acted on fit.
ARRIVAL_TOKENS = 1500
FOUND_TOKENS = 6000
LOADS_WITHIN_S = 2.0
_LOADED = "document.readyState === 'complete'"
IMAGES_SHOWN = 100


async def looked(context: ToolContext, **look: Any) -> Fields:
    """A snapshot as fields of an answer; an older one, marked stale, while a dialog holds the
    page. How many lines match is told also when none does."""
    taken = await context.verb("snapshot", **look)
    told: Fields = {"snapshot": taken["text"], "element_count": taken["acting"]}
    if look.get("find"):
        told["matches"] = taken["matches"]
    for name in ("cut", "stale"):
        if taken.get(name):
            told[name] = taken[name]
    return told


async def arrived_at(context: ToolContext, tab: str | None = None) -> Fields:
    """The page that an action led to, or opened in another tab, within a small budget: most of
    the time that saves a call."""
    with contextlib.suppress(PilothouseError):  # as far as it has come
        await context.verb("wait_for", function=_LOADED, timeout=LOADS_WITHIN_S, tab=tab)
    try:
        return await looked(context, budget=ARRIVAL_TOKENS, tab=tab)
    except PilothouseError:
        return {}  # it has gone on already: what was done is told all the same


@tool("browser", reads=True)
async def browser_snapshot(
    context: ToolContext,
    interactive: bool = False,
    full: bool = False,
    diff: bool = False,
    find: str = "",
    root: str = "",
    budget: NonNegativeInt = BUDGET_TOKENS,
    frames: bool = False,
) -> Fields:
    """The page as text, with refs to act on; dialogs and frames beside it.

    interactive: short form: controls and alerts
    full: ignore the budget
    diff: only changes since your last one
    find: only what has this text or /regex/
    root: only inside this ref
    budget: tokens; 0 is no limit
    frames: frame_tree with all ids
    """
    budget = 0 if full else budget
    look = {"diff": diff, "find": find, "root": root.lstrip("@"), "budget": budget}
    told = await looked(context, interactive=interactive, **look)
    waiting, tree = await context.verb("dialogs"), await context.verb("frames")
    told |= without_empty(
        {
            "pending_dialogs": dialogs(waiting["pending_dialogs"]),
            "recent_dialogs": _untold(context, waiting["recent_dialogs"]),
            "interrupts": _waiting(context, waiting["interrupts"]),
        }
    )
    # Its shape is told when it is another than the last time, or on demand.
    known: dict[str, Any] = context.session.kept.setdefault("frame_tree", {})
    if frames or (tree["children"] and known.get(context.tab) != tree):
        told["frame_tree"] = tree if frames else _without_ids(tree)
    known[context.tab] = tree
    return told


def _without_ids(tree: dict[str, Any]) -> dict[str, Any]:
    """Which frames there are: ids are for debuggers, and the page's own address is in the text."""
    frames = [
        without_empty({name: one.get(name) for name in ("url", "name", "is_oopif")})
        for one in tree["children"]
    ]
    return {"children": frames, "total": tree["total"]}


def heard_of(context: ToolContext, tab: str, dialog_id: str) -> None:
    """This client knows how a dialog ended: the next snapshot need not tell it again."""
    known: set[tuple[str, str]] = context.session.kept.setdefault("dialogs", set())
    known.add((tab, dialog_id))


def _untold(context: ToolContext, recent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The dialogs that are over, and of which this client has not heard how."""
    known: set[tuple[str, str]] = context.session.kept.setdefault("dialogs", set())
    where = [(context.tab, str(one["id"])) for one in recent]
    fresh = [one for one, key in zip(recent, where, strict=True) if key not in known]
    # What is not remembered by the tab any more need not be remembered here.
    known -= {key for key in known if key[0] == context.tab}
    known |= set(where)
    return dialogs(fresh)


_NOTICES = ("permission", "print")


def _waiting(context: ToolContext, interrupts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What waits besides dialogs, without what only a debugger wants. What is over for the page
    (print, a permission that was denied) is told once."""
    known: set[tuple[str, str]] = context.session.kept.setdefault("interrupts", set())
    fresh = [
        one
        for one in interrupts
        if one["kind"] not in _NOTICES or (context.tab, str(one["id"])) not in known
    ]
    known |= {(context.tab, str(one["id"])) for one in interrupts}
    unwanted = ("tab", "frame_id", "node", "opened_at", "deadline_s")
    return [{key: one[key] for key in one if key not in unwanted} for one in fresh]


@tool("browser", reads=True)
async def browser_find(context: ToolContext, query: str, limit: int = 20) -> Fields:
    """Find text in all frames. Returns the rows, items and lines that have it, with their refs.

    query: a text, or /regex/
    limit: show so many; all are counted
    """
    if limit < 1:
        raise ToolError(f"limit: {limit} is too few", hint="1 or more")
    if not query:
        raise ToolError("query: it is empty", hint="give a text, or /regex/")
    told = await looked(context, find=query, budget=FOUND_TOKENS, limit=limit)
    found: Fields = {"matches": told["matches"]}
    if told["matches"] > limit:
        found["shown"] = limit
    return found | without_empty(
        {"cut": told.get("cut"), "stale": told.get("stale"), "snapshot": told["snapshot"]}
    )


@tool("browser", reads=True)
async def browser_get_images(context: ToolContext) -> Fields:
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

    return await finished(context, "browser_get_images", await context.verb("images"), shape)


@tool("browser", reads=True)
async def browser_screenshot(
    context: ToolContext,
    ref: str = "",
    full_page: bool = False,
    annotate: bool = False,
    save: str = "",
) -> Fields:
    """A picture of the viewport, the page or an element.

    annotate: draw refs on it
    save: also write it to this file
    """
    target = ref or None
    wanted: dict[str, Any] = {"target": target, "full_page": full_page, "annotate": annotate}
    path = ""
    if save:
        kept = await context.verb("screenshot", **wanted, format=_format(save))
        if not is_blocked(kept):
            path = await saved(context, save, base64.b64decode(kept["data"]))

    async def shape(taken: Any) -> Fields:
        return picture({**taken, "path": path})

    answer = await context.verb("screenshot", **wanted, for_model=True)
    return await finished(context, "browser_screenshot", answer, shape)


def _format(path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return {"jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}.get(ending, "png")


@tool("browser", reads=True, outside=True)
async def browser_vision(
    context: ToolContext, question: str, annotate: bool = False, full_page: bool = False
) -> Fields:
    """Look at the page: a picture to answer the question with.

    annotate: draw refs on it
    """
    answer = await context.verb(
        "screenshot", annotate=annotate, full_page=full_page, for_model=True
    )

    async def shape(taken: Any) -> Fields:
        shown = picture(taken)
        if context.session.sees:
            return {"question": question, **shown}
        return await asked(context, question, shown)

    return await finished(context, "browser_vision", answer, shape)
