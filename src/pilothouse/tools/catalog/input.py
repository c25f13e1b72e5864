"""Tools that act on elements: click, type, press, scroll, select, fill forms, drag, upload."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from pathlib import Path
from typing import Any, Literal

import msgspec

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, ToolError, UsageError
from pilothouse.page.input import VALUE_HIDDEN
from pilothouse.page.local_files import pin_upload
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.catalog.snapshot_and_images import snapshot_new_page
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import (
    describe_refused_submit,
    drop_empty,
    element_label,
    format_action,
    format_prompts,
    merge_changes,
)
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "FormField",
    "browser_click",
    "browser_drag",
    "browser_fill_form",
    "browser_hover",
    "browser_press",
    "browser_scroll",
    "browser_select",
    "browser_type",
    "browser_upload",
    "copy_uploads",
]

SCROLL_BY = 500
MASK = "••••••"
OTHER_FOLDERS = (
    "the user can allow others: `pilothouse mcp --files DIR`, or browser.uploadDirs in config.yaml"
)
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class FormField(msgspec.Struct, forbid_unknown_fields=True):
    """A form field and its new value."""

    ref: str
    value: str | bool | int | float | list[str]


async def _report_action(
    context: ToolContext, receipt: Any, *earlier: Any, **fields: Any
) -> Fields:
    """Return what an action did: the snapshot lines it changed, if the agent has seen them, or a
    snapshot of the page it led to. `earlier` are further receipts of the same tool call."""
    receipts = (*earlier, receipt)
    answer = format_action(receipt, **fields, changes=merge_changes(receipts))
    if opened := [one for each in earlier for one in each.get("interrupts", ())]:
        answer["prompts"] = [*format_prompts(opened), *answer.get("prompts", ())]
    navigated = [str(one["navigated"]) for one in receipts if one.get("navigated")]
    if any(said.startswith("went to ") for said in navigated):
        return answer | await snapshot_new_page(context)
    opened = [str(tab) for one in receipts for tab in one.get("new_tabs", ())]
    if len(opened) == 1:
        page = await snapshot_new_page(context, opened[0])
        answer |= {"snapshot_of": opened[0], **page} if page else {}
    if lines := receipt.get("diff"):
        if navigated and any(line.startswith("… ") and " are new" in line for line in lines):
            # A same-document navigation that replaced most of the page is a new page.
            return answer | await snapshot_new_page(context)
        answer["diff"] = lines
        answer["changes"] = _not_in_diff(answer["changes"], lines)
        if not answer["changes"]:
            del answer["changes"]
    return answer


def _changed_page(*receipts: Any) -> bool:
    """Return whether actions changed the page, and did not replace it by another one."""
    if any(is_blocked(one) for one in receipts):
        return False
    navigated = [str(one["navigated"]) for one in receipts if one.get("navigated")]
    if any(said.startswith("went to ") for said in navigated):
        return False
    return bool(navigated) or any(any(one.get("dom", {}).values()) for one in receipts)


def _not_in_diff(changes: list[str], lines: list[str]) -> list[str]:
    """Return the changes that the diff does not show already."""
    said = "\n".join(lines)
    return [
        one for one in changes if f"+ {one}" not in said and not one.startswith("page changed (")
    ]


def _refused_submit(receipt: Any, answer: Fields) -> Fields:
    """Return the answer of a call with `submit`; an error if the browser refused to submit."""
    if not receipt.get("refused"):
        return answer
    result = describe_refused_submit(receipt)
    others = [one for one in answer.get("changes", ()) if one != result]
    # The error text names the invalid fields already.
    answer["diff"] = [
        one for one in answer.get("diff", ()) if ' invalid "' not in one and one[0] != " "
    ]
    return {
        **drop_empty({**answer, "changes": others}),
        "success": False,
        "error": result,
        "hint": "fill the missing fields and submit again; filled fields keep their values",
        "trusted": ("hint",),
    }


def _field_value(receipt: Any, value: Any) -> Any:
    """Return the value of a field after it was filled, masked for a password field."""
    return MASK if _is_secret_field(receipt) else receipt.get("value", value)


def _is_secret_field(receipt: Any) -> bool:
    return VALUE_HIDDEN in receipt.get("notes", ())


@tool("browser", reads=True, changes=True)
async def browser_click(
    context: ToolContext,
    ref: str,
    button: Literal["left", "right", "middle"] = "left",
    double: bool = False,
    modifiers: list[str] = [],  # noqa: B006
) -> Fields:
    """Click an element. Returns what changed.

    ref: e5 of the snapshot, or CSS, text=Save, text="exact", button=Save, label=Name, x,y; >> nth=1
    modifiers: Control, Shift, Alt, Meta
    """
    answer = await context.verb(
        "click",
        _changed_page,
        target=ref,
        button=button,
        count=2 if double else 1,
        modifiers=modifiers,
    )

    async def shape(receipt: Any) -> Fields:
        return await _report_action(context, receipt, clicked=element_label(receipt, ref))

    return await finish_call(context, "browser_click", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True)
async def browser_type(
    context: ToolContext, ref: str, text: str, submit: bool = False, append: bool = False
) -> Fields:
    """Replace a field's text.

    submit: then submit the form
    append: type after the old text
    """
    if append:
        answer = await context.verb("type", _changed_page, target=ref, text=text, submit=submit)
    else:
        answer = await context.verb("fill", _changed_page, target=ref, value=text, submit=submit)

    async def shape(receipt: Any) -> Fields:
        typed = MASK if _is_secret_field(receipt) else text
        result = await _report_action(
            context, receipt, typed=typed, element=element_label(receipt, ref)
        )
        if receipt.get("value") not in (None, text):
            result["value"] = receipt["value"]
        return _refused_submit(receipt, result) if submit else result

    return await finish_call(context, "browser_type", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True)
async def browser_press(context: ToolContext, key: str, ref: str = "") -> Fields:
    """Press a key or key combination.

    key: Enter, Escape, Control+A
    ref: focus this first
    """
    answer = await context.verb("press", _changed_page, keys=key, target=ref or None)

    async def shape(receipt: Any) -> Fields:
        return await _report_action(context, receipt, pressed=key)

    return await finish_call(context, "browser_press", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_scroll(
    context: ToolContext,
    direction: Literal["up", "down", "left", "right", "top", "bottom"],
    amount: float = SCROLL_BY,
    ref: str = "",
) -> Fields:
    """Scroll the page or an element.

    amount: pixels
    """
    target = ref or None
    if direction in _DIRECTIONS:
        right, down = _DIRECTIONS[direction]
        answer = await context.verb(
            "scroll", _changed_page, dx=right * amount, dy=down * amount, target=target
        )
    else:
        answer = await context.verb("scroll", _changed_page, to=direction, target=target)

    async def shape(receipt: Any) -> Fields:
        return await _report_action(context, receipt, scrolled=direction)

    return await finish_call(context, "browser_scroll", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_hover(context: ToolContext, ref: str) -> Fields:
    """Move the pointer over an element."""
    answer = await context.verb("hover", _changed_page, target=ref)

    async def shape(receipt: Any) -> Fields:
        return await _report_action(context, receipt, hovered=element_label(receipt, ref))

    return await finish_call(context, "browser_hover", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True)
async def browser_select(context: ToolContext, ref: str, values: str | list[str]) -> Fields:
    """Select options of a list.

    values: values or labels
    """
    answer = await context.verb("select", _changed_page, target=ref, values=values)

    async def shape(receipt: Any) -> Fields:
        return await _report_action(
            context, receipt, selected=receipt.get("value"), element=element_label(receipt, ref)
        )

    return await finish_call(context, "browser_select", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True)
async def browser_fill_form(
    context: ToolContext, fields: list[FormField], submit: bool = False
) -> Fields:
    """Fill several form fields.

    fields: value: text, option, or true/false for checkboxes
    submit: then submit the form
    """
    if not fields:
        raise UsageError("fields: the list is empty", hint='[{"ref": "e3", "value": "Anna"}, …]')
    filled: list[dict[str, Any]] = []
    receipts: list[Any] = []

    def changed_page(receipt: Any) -> bool:
        return _changed_page(*receipts, receipt)

    async def report() -> Fields:
        *earlier, last = receipts
        answer = await _report_action(context, last, *earlier, filled=[*filled])
        return _refused_submit(last, answer) if submit else answer

    for index, one in enumerate(fields):
        last = index == len(fields) - 1
        try:
            answer = await context.verb(
                "fill",
                changed_page if last else None,
                target=one.ref,
                value=one.value,
                submit=submit and last,
            )
        except PilothouseError as error:
            done = ", ".join(str(f["ref"]) for f in filled) or "none"
            raise ToolError(
                f"fields[{index}] ({one.ref}): {error.message}",
                hint=f"{error.hint}; filled before it: {done}",
                untrusted=error.untrusted,
            ) from None

        async def shape(receipt: Any, one: FormField = one) -> Fields:
            filled.append({"ref": one.ref, "value": _field_value(receipt, one.value)})
            receipts.append(receipt)
            return await report()

        if is_blocked(answer):
            blocked = await finish_call(context, "browser_fill_form", answer, shape, changed_page)
            # Without an action the field was not begun: something blocked the page before it.
            begun = 1 if blocked.get("action_id") else 0
            left = [other.ref for other in fields[index + begun :]]
            return {**blocked, "filled": filled} | ({"not_filled": left} if left else {})
        filled.append({"ref": one.ref, "value": _field_value(answer, one.value)})
        receipts.append(answer)
    return await report()


@tool("browser", reads=True, changes=True)
async def browser_drag(
    context: ToolContext, ref: str, to: str = "", by: list[float] | None = None
) -> Fields:
    """Drag an element onto another.

    to: ref, selector or x,y
    by: or pixels: [right, down]
    """
    if bool(to) == (by is not None):
        both = "both to and by are given" if to else "neither to nor by is given"
        raise UsageError(f"browser_drag: {both}", hint="give either to or by")
    answer = await context.verb("drag", _changed_page, source=ref, destination=to or None, by=by)

    async def shape(receipt: Any) -> Fields:
        return await _report_action(context, receipt, dragged=element_label(receipt, ref))

    return await finish_call(context, "browser_drag", answer, shape, _changed_page)


@tool("browser", reads=True, changes=True)
async def browser_upload(context: ToolContext, ref: str, paths: str | list[str]) -> Fields:
    """Upload files to a file input, a button that opens a file chooser, or a drop zone.

    paths: in an allowed folder
    """
    given = [paths] if isinstance(paths, str) else paths
    answer = await context.verb(
        "upload", _changed_page, target=ref, paths=await copy_uploads(context, given)
    )

    async def shape(receipt: Any) -> Fields:
        names = [Path(path).name for path in given]
        return await _report_action(
            context, receipt, uploaded=names, element=element_label(receipt, ref)
        )

    return await finish_call(context, "browser_upload", answer, shape, _changed_page)


async def copy_uploads(context: ToolContext, paths: list[str]) -> list[str]:
    """Copy a client's files to the daemon's upload folder and return the copies' paths. Raises
    ToolError for a file outside the session's folders."""
    if not paths:
        raise UsageError("paths: the list is empty", hint="name a file")
    uploads = Path(context.settings["uploads"])
    mine = f"tool-{_folder_name(context.session.owner)}-"
    # A browser reads the file when the form is submitted, so the copies stay until their tab is
    # closed.
    kept = {mine + _folder_name(tab["name"]) for tab in await context.call("tabs")}
    folder = uploads / (mine + _folder_name(context.tab))

    def copies() -> list[str]:
        for old in uploads.glob(f"{mine}*"):
            if old.name not in kept:
                shutil.rmtree(old, ignore_errors=True)
        allowed = context.session.files
        roots = tuple(dict.fromkeys((*allowed.reads, uploads)))
        try:
            return [str(pin_upload(path, roots, folder, allowed.never)) for path in paths]
        except ToolError as error:
            # Do not offer the folder of the copies: an agent cannot write files there.
            named = ", ".join(str(root) for root in roots if root != uploads) or "none"
            hint = f"allowed folders: {named}; {OTHER_FOLDERS}"
            raise ToolError(error.message, hint=hint) from None

    return await asyncio.to_thread(copies)


def _folder_name(name: str) -> str:
    """Return a hash of the name, valid as a folder name."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]
