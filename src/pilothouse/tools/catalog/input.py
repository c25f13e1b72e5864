"""Tools that do something to an element."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from pathlib import Path
from typing import Any, Literal

import msgspec

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.page.local_files import pin_upload
from pilothouse.tools.blocked_calls import finished
from pilothouse.tools.catalog.inspection import arrived_at
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import (
    acted,
    element,
    joined,
    not_submitted,
    prompts,
    without_empty,
)
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "Field",
    "browser_click",
    "browser_drag",
    "browser_fill_form",
    "browser_hover",
    "browser_press",
    "browser_scroll",
    "browser_select",
    "browser_type",
    "browser_upload",
    "handed",
]

SCROLL_BY = 500
SECRET = "••••••"
OTHER_FOLDERS = (
    "the user can allow others: `pilothouse mcp --files DIR`, or browser.uploadDirs in config.yaml"
)
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class Field(msgspec.Struct, forbid_unknown_fields=True):
    """A field of a form, and what it shall hold."""

    ref: str
    value: str | bool | int | float | list[str]


async def _done(context: ToolContext, receipt: Any, *earlier: Any, **fields: Any) -> Fields:
    """What an action did: which lines of the page it changed, if the agent had seen them, or the
    page it led to. `earlier` are receipts of the same call."""
    receipts = (*earlier, receipt)
    answer = acted(receipt, **fields, changes=joined(receipts))
    if opened := [one for each in earlier for one in each.get("interrupts", ())]:
        answer["prompts"] = [*prompts(opened), *answer.get("prompts", ())]
    navigated = [str(one["navigated"]) for one in receipts if one.get("navigated")]
    if any(said.startswith("went to ") for said in navigated):
        return answer | await arrived_at(context)
    opened = [str(tab) for one in receipts for tab in one.get("new_tabs", ())]
    if len(opened) == 1:
        page = await arrived_at(context, opened[0])
        answer |= {"snapshot_of": opened[0], **page} if page else {}
    if navigated or any(any(one.get("dom", {}).values()) for one in receipts):
        try:
            lines = await context.verb("changed")
        except PilothouseError:
            return answer  # the page has gone on: what was done is told all the same
        if isinstance(lines, list) and lines:
            if navigated and any(line.startswith("… ") and " are new" in line for line in lines):
                # A page that goes on in the same document is as good as another one.
                return answer | await arrived_at(context)
            answer["diff"] = lines
            answer["changes"] = _besides(answer["changes"], lines)
            if not answer["changes"]:
                del answer["changes"]
    return answer


def _besides(changes: list[str], lines: list[str]) -> list[str]:
    """What the changed lines do not say themselves."""
    said = "\n".join(lines)
    return [
        one for one in changes if f"+ {one}" not in said and not one.startswith("page changed (")
    ]


def _refused(receipt: Any, answer: Fields) -> Fields:
    """The answer of a call that was to submit a form; an error if the browser refused to."""
    if not receipt.get("refused"):
        return answer
    told = not_submitted(receipt)
    others = [one for one in answer.get("changes", ()) if one != told]
    # It names the fields already.
    answer["diff"] = [
        one for one in answer.get("diff", ()) if ' invalid "' not in one and one[0] != " "
    ]
    return {
        **without_empty({**answer, "changes": others}),
        "success": False,
        "error": told,
        "hint": "fill what is missing, then submit again; what was filled stays",
        "ours": ("hint",),
    }


def _held(receipt: Any, value: Any) -> Any:
    """What a field holds after it was filled; not what it hides."""
    return SECRET if _hides(receipt) else receipt.get("value", value)


def _hides(receipt: Any) -> bool:
    return "what it holds is not shown" in receipt.get("notes", ())


@tool("browser", reads=True, changes=True)
async def browser_click(
    context: ToolContext,
    ref: str,
    button: Literal["left", "right", "middle"] = "left",
    double: bool = False,
    modifiers: list[str] = [],  # noqa: B006
) -> Fields:
    """Click an element; tells what changed.

    ref: e5 of the snapshot, or CSS, text=Save, text="exact", button=Save, label=Name, x,y; >> nth=1
    modifiers: Control, Shift, Alt, Meta
    """
    answer = await context.verb(
        "click", target=ref, button=button, count=2 if double else 1, modifiers=modifiers
    )

    async def shape(receipt: Any) -> Fields:
        return await _done(context, receipt, clicked=element(receipt, ref))

    return await finished(context, "browser_click", answer, shape)


@tool("browser", reads=True, changes=True)
async def browser_type(
    context: ToolContext, ref: str, text: str, submit: bool = False, append: bool = False
) -> Fields:
    """Fill a field with text, in place of what it holds.

    submit: send its form then
    append: type after what is there
    """
    if append:
        answer = await context.verb("type", target=ref, text=text, submit=submit)
    else:
        answer = await context.verb("fill", target=ref, value=text, submit=submit)

    async def shape(receipt: Any) -> Fields:
        typed = SECRET if _hides(receipt) else text
        told = await _done(context, receipt, typed=typed, element=element(receipt, ref))
        if receipt.get("value") not in (None, text):
            told["value"] = receipt["value"]
        return _refused(receipt, told) if submit else told

    return await finished(context, "browser_type", answer, shape)


@tool("browser", reads=True, changes=True)
async def browser_press(context: ToolContext, key: str, ref: str = "") -> Fields:
    """Press a key or chord.

    key: Enter, Escape, Control+A
    ref: focus this first
    """
    answer = await context.verb("press", keys=key, target=ref or None)

    async def shape(receipt: Any) -> Fields:
        return await _done(context, receipt, pressed=key)

    return await finished(context, "browser_press", answer, shape)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_scroll(
    context: ToolContext,
    direction: Literal["up", "down", "left", "right", "top", "bottom"],
    amount: float = SCROLL_BY,
    ref: str = "",
) -> Fields:
    """Scroll the page, or an element.

    amount: pixels
    """
    target = ref or None
    if direction in _WAYS:
        right, down = _WAYS[direction]
        answer = await context.verb("scroll", dx=right * amount, dy=down * amount, target=target)
    else:
        answer = await context.verb("scroll", to=direction, target=target)

    async def shape(receipt: Any) -> Fields:
        return await _done(context, receipt, scrolled=direction)

    return await finished(context, "browser_scroll", answer, shape)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_hover(context: ToolContext, ref: str) -> Fields:
    """Move the pointer over an element."""
    answer = await context.verb("hover", target=ref)

    async def shape(receipt: Any) -> Fields:
        return await _done(context, receipt, hovered=element(receipt, ref))

    return await finished(context, "browser_hover", answer, shape)


@tool("browser", reads=True, changes=True)
async def browser_select(context: ToolContext, ref: str, values: str | list[str]) -> Fields:
    """Choose options of a list.

    values: by value or label
    """
    answer = await context.verb("select", target=ref, values=values)

    async def shape(receipt: Any) -> Fields:
        return await _done(
            context, receipt, selected=receipt.get("value"), element=element(receipt, ref)
        )

    return await finished(context, "browser_select", answer, shape)


@tool("browser", reads=True, changes=True)
async def browser_fill_form(
    context: ToolContext, fields: list[Field], submit: bool = False
) -> Fields:
    """Fill several fields at once.

    fields: value is a text, an option, or true/false for boxes
    submit: send the form then
    """
    if not fields:
        raise ToolError("fields: it is empty", hint='[{"ref": "e3", "value": "Anna"}, …]')
    filled: list[dict[str, Any]] = []
    receipts: list[Any] = []

    async def told() -> Fields:
        *earlier, last = receipts
        answer = await _done(context, last, *earlier, filled=[*filled])
        return _refused(last, answer) if submit else answer

    for index, one in enumerate(fields):
        last = index == len(fields) - 1
        try:
            answer = await context.verb(
                "fill", target=one.ref, value=one.value, submit=submit and last
            )
        except PilothouseError as error:
            done = ", ".join(str(f["ref"]) for f in filled) or "none"
            raise ToolError(
                f"fields[{index}] ({one.ref}): {error.message}",
                hint=f"{error.hint}; filled before it: {done}",
                quotes=error.quotes,
            ) from None

        async def shape(receipt: Any, one: Field = one) -> Fields:
            filled.append({"ref": one.ref, "value": _held(receipt, one.value)})
            receipts.append(receipt)
            return await told()

        if is_blocked(answer):
            blocked = await finished(context, "browser_fill_form", answer, shape)
            left = [other.ref for other in fields[index + 1 :]]
            return {**blocked, "filled": filled} | ({"not_filled": left} if left else {})
        filled.append({"ref": one.ref, "value": _held(answer, one.value)})
        receipts.append(answer)
    return await told()


@tool("browser", reads=True, changes=True)
async def browser_drag(
    context: ToolContext, ref: str, to: str = "", by: list[float] | None = None
) -> Fields:
    """Drag an element onto another.

    to: ref, selector or x,y
    by: instead, pixels right and down
    """
    if bool(to) == (by is not None):
        both = "both to and by are given" if to else "neither to nor by is given"
        raise ToolError(f"browser_drag: {both}", hint="give one of them")
    answer = await context.verb("drag", source=ref, destination=to or None, by=by)

    async def shape(receipt: Any) -> Fields:
        return await _done(context, receipt, dragged=element(receipt, ref))

    return await finished(context, "browser_drag", answer, shape)


@tool("browser", reads=True, changes=True)
async def browser_upload(context: ToolContext, ref: str, paths: str | list[str]) -> Fields:
    """Give files to a file input, a button that opens a chooser, or a drop zone.

    paths: in a folder you may read
    """
    given = [paths] if isinstance(paths, str) else paths
    answer = await context.verb("upload", target=ref, paths=await handed(context, given))

    async def shape(receipt: Any) -> Fields:
        names = [Path(path).name for path in given]
        return await _done(context, receipt, uploaded=names, element=element(receipt, ref))

    return await finished(context, "browser_upload", answer, shape)


async def handed(context: ToolContext, paths: list[str]) -> list[str]:
    """Copies of a client's files where the daemon may read them. Raises ToolError for files that
    are not in a folder of the session."""
    if not paths:
        raise ToolError("paths: it is empty", hint="name a file")
    uploads = Path(context.settings["uploads"])
    mine = f"tool-{_word(context.session.owner)}-"
    # Browsers read what they upload when a form is sent: copies stay as long as their tab does.
    kept = {mine + _word(tab["name"]) for tab in await context.call("tabs")}
    folder = uploads / (mine + _word(context.tab))

    def copies() -> list[str]:
        for old in uploads.glob(f"{mine}*"):
            if old.name not in kept:
                shutil.rmtree(old, ignore_errors=True)
        allowed = context.session.files
        roots = tuple(dict.fromkeys((*allowed.reads, uploads)))
        try:
            return [str(pin_upload(path, roots, folder, allowed.never)) for path in paths]
        except ToolError as error:
            # The folder of the copies is nothing that an agent could put a file into.
            named = ", ".join(str(root) for root in roots if root != uploads) or "none"
            hint = f"allowed folders: {named}; {OTHER_FOLDERS}"
            raise ToolError(error.message, hint=hint) from None

    return await asyncio.to_thread(copies)


def _word(name: str) -> str:
    """A name that any folder can have."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
