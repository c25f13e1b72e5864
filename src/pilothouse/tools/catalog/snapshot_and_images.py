"""Tools that read the page: snapshot, find, images, screenshot, vision."""

from __future__ import annotations

import base64
import contextlib
from typing import Any

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, UsageError
from pilothouse.security.filenames import image_format
from pilothouse.tabs.verb_and_tool_declaration import NonNegativeInt
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import drop_empty, format_dialogs, format_image, shorten_url
from pilothouse.tools.output_files import save as saved
from pilothouse.tools.tool import Fields, tool
from pilothouse.tools.vision_model import ask_vision_model

__all__ = [
    "browser_find",
    "browser_get_images",
    "browser_screenshot",
    "browser_snapshot",
    "browser_vision",
    "mark_dialog_reported",
    "snapshot_new_page",
    "take_snapshot",
]

BUDGET_TOKENS = 4000
# Budget for the snapshot of a page that an action led to. Most pages fit.
ARRIVAL_TOKENS = 1500
FIND_TOKENS = 6000
LOAD_WAIT_S = 2.0
_IS_LOADED = "document.readyState === 'complete'"
IMAGES_SHOWN = 100


async def take_snapshot(context: ToolContext, **look: Any) -> Fields:
    """Take a snapshot and return it as fields of an answer. While a dialog blocks the page, it is
    an older one, marked `stale`. With `find`, `matches` is present even if it is 0."""
    taken = await context.verb("snapshot", **look)
    fields: Fields = {"snapshot": taken["text"], "element_count": taken["acting"]}
    if look.get("find"):
        fields["matches"] = taken["matches"]
    for name in ("cut", "stale"):
        if taken.get(name):
            fields[name] = taken[name]
    return fields


async def snapshot_new_page(context: ToolContext, tab: str | None = None) -> Fields:
    """Take a small snapshot of the page that an action led to, or of the `tab` it opened. This
    usually saves the agent a call."""
    with contextlib.suppress(PilothouseError):  # not loaded in time: take it as it is
        await context.verb("wait_for", function=_IS_LOADED, timeout=LOAD_WAIT_S, tab=tab)
    try:
        return await take_snapshot(context, budget=ARRIVAL_TOKENS, tab=tab)
    except PilothouseError:
        return {}  # the page navigated again: the action itself is still reported


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
    """Return the page as text, with refs to act on, open dialogs and frames.

    interactive: only controls and alerts
    full: ignore budget
    diff: only changes since your last snapshot
    find: only parts with this text or /regex/
    root: only inside this ref
    budget: tokens; 0: no limit
    frames: frame_tree with all ids
    """
    budget = 0 if full else budget
    look = {"diff": diff, "find": find, "root": root.lstrip("@"), "budget": budget}
    fields = await take_snapshot(context, interactive=interactive, **look)
    waiting, tree = await context.verb("dialogs"), await context.verb("frames")
    fields |= drop_empty(
        {
            "pending_dialogs": format_dialogs(waiting["pending_dialogs"]),
            "recent_dialogs": _unreported_dialogs(context, waiting["recent_dialogs"]),
            "interrupts": _unreported_interrupts(context, waiting["interrupts"]),
        }
    )
    # The frame tree is included if it differs from the last one, or on demand.
    known: dict[str, Any] = context.session.memory.setdefault("frame_tree", {})
    if frames or (tree["children"] and known.get(context.tab) != tree):
        fields["frame_tree"] = tree if frames else _without_ids(tree)
    known[context.tab] = tree
    return fields


def _without_ids(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the frame tree without ids, and without the top frame, whose URL is in the
    snapshot."""
    frames = [
        drop_empty({name: one.get(name) for name in ("url", "name", "is_oopif")})
        for one in tree["children"]
    ]
    return {"children": frames, "total": tree["total"]}


def mark_dialog_reported(context: ToolContext, tab: str, dialog_id: str) -> None:
    """Remember that this client knows how a dialog ended, so the next snapshot omits it."""
    known: set[tuple[str, str]] = context.session.memory.setdefault("dialogs", set())
    known.add((tab, dialog_id))


def _unreported_dialogs(context: ToolContext, recent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the recently closed dialogs that were not reported to this client yet."""
    known: set[tuple[str, str]] = context.session.memory.setdefault("dialogs", set())
    where = [(context.tab, str(one["id"])) for one in recent]
    fresh = [one for one, key in zip(recent, where, strict=True) if key not in known]
    # Forget dialogs that the tab's own list has dropped.
    known -= {key for key in known if key[0] == context.tab}
    known |= set(where)
    return format_dialogs(fresh)


_NOTICES = ("permission", "print")


def _unreported_interrupts(
    context: ToolContext, interrupts: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return interrupts other than dialogs, without debugging fields. Those that do not block
    (print, a denied permission) are reported once."""
    known: set[tuple[str, str]] = context.session.memory.setdefault("interrupts", set())
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
    """Find text in all frames. Returns the rows, items and lines that contain it, with refs.

    query: text or /regex/
    limit: how many to show; all are counted
    """
    if limit < 1:
        raise UsageError(f"limit: {limit} is too small", hint="give 1 or more")
    if not query:
        raise UsageError("query: empty", hint="give a text, or /regex/")
    fields = await take_snapshot(context, find=query, budget=FIND_TOKENS, limit=limit)
    found: Fields = {"matches": fields["matches"]}
    if fields["matches"] > limit:
        found["shown"] = limit
    return found | drop_empty(
        {"cut": fields.get("cut"), "stale": fields.get("stale"), "snapshot": fields["snapshot"]}
    )


@tool("browser", reads=True)
async def browser_get_images(context: ToolContext) -> Fields:
    """List the page's images."""

    async def shape(found: Any) -> Fields:
        images = [
            {
                "src": shorten_url(one["src"]),
                "alt": one["alt"],
                "width": one["naturalWidth"] or one["width"],
                "height": one["naturalHeight"] or one["height"],
            }
            for one in found
        ]
        return {"images": images[:IMAGES_SHOWN], "count": len(images)}

    return await finish_call(context, "browser_get_images", await context.verb("images"), shape)


@tool("browser", reads=True)
async def browser_screenshot(
    context: ToolContext,
    ref: str = "",
    full_page: bool = False,
    annotate: bool = False,
    save: str = "",
) -> Fields:
    """Take a screenshot of the viewport, the page or an element.

    annotate: draw refs on it
    save: also write to this file
    """
    target = ref or None
    wanted: dict[str, Any] = {"target": target, "full_page": full_page, "annotate": annotate}
    path = ""
    if save:
        kept = await context.verb("screenshot", **wanted, format=image_format(save))
        if not is_blocked(kept):
            path = await saved(context, save, base64.b64decode(kept["data"]))

    async def shape(taken: Any) -> Fields:
        return format_image({**taken, "path": path})

    answer = await context.verb("screenshot", **wanted, for_model=True)
    return await finish_call(context, "browser_screenshot", answer, shape)


@tool("browser", reads=True, outside=True)
async def browser_vision(
    context: ToolContext, question: str, annotate: bool = False, full_page: bool = False
) -> Fields:
    """Take a screenshot to answer a question about the page.

    annotate: draw refs on it
    """
    answer = await context.verb(
        "screenshot", annotate=annotate, full_page=full_page, for_model=True
    )

    async def shape(taken: Any) -> Fields:
        shown = format_image(taken)
        if context.session.accepts_images:
            return {"question": question, **shown}
        return await ask_vision_model(context, question, shown)

    return await finish_call(context, "browser_vision", answer, shape)
