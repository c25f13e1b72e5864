"""Tools that tell what goes on, and answer what waits: console, CDP, dialogs, other interrupts."""

from __future__ import annotations

import json
from typing import Any, Literal

from pilothouse.code.client import is_blocked
from pilothouse.errors import CommandFailed, ToolError
from pilothouse.tabs.open_request import clamp_timeout
from pilothouse.tools.blocked_calls import begun, finished, resume
from pilothouse.tools.catalog.input import handed
from pilothouse.tools.catalog.inspection import heard_of
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import kind_of, without_empty
from pilothouse.tools.output_files import OUTPUT_SHOWN, cut, keep
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "browser_cdp",
    "browser_console",
    "browser_dialog",
    "browser_evaluate",
    "browser_interrupt",
]

LINES_SHOWN = 100
LONGEST_RESULT = 50_000
# What CDP itself can do in one frame of many that share a session.
_OF_A_FRAME = ("Runtime.evaluate", "Runtime.callFunctionOn")


@tool("browser", reads=True, changes=True)
async def browser_evaluate(context: ToolContext, expression: str, frame_id: str = "") -> Fields:
    """Run JavaScript in the page. Returns its value.

    expression: expression, function, or statements with return
    frame_id: of frame_tree
    """
    return await _evaluated(context, "browser_evaluate", expression, frame_id)


async def _evaluated(
    context: ToolContext, tool: str, expression: str, frame_id: str = ""
) -> Fields:
    answer = await context.verb("evaluate", code=expression, frame_id=frame_id)
    # A page may give something that looks like it: only what waits blocks.
    if is_blocked(answer) and not await _waits(context, answer["blocked_by"]):
        return await _valued(context, answer)

    async def shape(value: Any) -> Fields:
        return await _valued(context, value)

    return await finished(context, tool, answer, shape)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_console(
    context: ToolContext, clear: bool = False, expression: str = ""
) -> Fields:
    """Console messages and errors of the page.

    clear: forget them afterwards
    expression: instead, as browser_evaluate
    """
    if expression:
        return await _evaluated(context, "browser_console", expression)
    marks: dict[str, int] = context.session.kept.setdefault("console", {})
    # A tab that was closed and opened anew counts from 1 again.
    which = (await context.verb("frames"))["top"]["frame_id"]
    found = await context.verb("console", since=marks.get(which, 1), limit=500)
    lines = found["entries"]
    if clear:
        marks[which] = found["next_seq"]
    errors = [line for line in lines if line["source"] == "exception"]
    said = [line for line in lines if line["source"] != "exception"]
    told: Fields = {
        "console_messages": [
            {"type": line["level"], "text": line["text"], "source": _place(line)}
            for line in said[-LINES_SHOWN:]
        ],
        "js_errors": [
            {"message": line["text"], "source": _place(line)} for line in errors[-LINES_SHOWN:]
        ],
        "total_messages": len(said),
        "total_errors": len(errors),
    }
    return told | without_empty({"dropped": found["dropped"] or None})


async def _valued(context: ToolContext, value: Any) -> Fields:
    """A value, or its beginning if it is so long that nobody would read it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = await cut(context, text) if len(text) > OUTPUT_SHOWN else value
    return {"result": shown, "result_type": kind_of(value)}


async def _waits(context: ToolContext, blockers: list[Any]) -> bool:
    known: set[str] = set()
    for tab in await _tabs(context):
        waiting = await context.call("tab.dialogs", tab=tab)
        known |= {one["id"] for name in ("pending_dialogs", "interrupts") for one in waiting[name]}
    return any(isinstance(one, dict) and one.get("id") in known for one in blockers)


async def _tabs(context: ToolContext) -> list[str]:
    """The tab of the call first: what waits in a popup also stops the page that opened it."""
    others = [str(tab["name"]) for tab in await context.call("tabs") if tab["alive"]]
    return [context.tab, *(name for name in others if name != context.tab)]


def _place(line: dict[str, Any]) -> str:
    if line.get("url"):
        return f"{line['url']}:{line['line']}" if "line" in line else str(line["url"])
    return str(line["source"])


@tool("browser", reads=True, changes=True, cdp=True, free=True)
async def browser_cdp(
    context: ToolContext,
    method: str,
    params: dict[str, Any] = {},  # noqa: B006
    target_id: str = "",
    frame_id: str = "",
    timeout: float = 30.0,
) -> Fields:
    """Send a Chrome DevTools Protocol command to the tab. Commands that reach files, other tabs or
    the browser are refused.

    target_id: another tab
    frame_id: of frame_tree
    """
    if target_id:
        context.tab = target_id
    asked = {"command": method, "params": params, "frame_id": frame_id}
    try:
        answer = await context.call(
            "page.cdp", tab=context.tab, **asked, timeout=clamp_timeout(timeout)
        )
    except CommandFailed as error:
        raise ToolError(error.message, hint="check the method's name and its params") from None
    session = await _session(context, frame_id) if frame_id else ""

    async def shape(result: Any) -> Fields:
        told: Fields = {"method": method, "result": result}
        text = json.dumps(result, ensure_ascii=False)
        if len(text) > LONGEST_RESULT:
            path = await keep(context, "json", text.encode("utf-8", "replace"))
            told |= {"result": {}, "result_file": path, "note": f"{len(text)} characters long"}
        named = {"target_id": target_id, "frame_id": frame_id, "session_id": session}
        told |= without_empty(named)
        if frame_id and not session and method not in _OF_A_FRAME:
            told["note"] = "this frame shares its session: the command was for all of the page"
        return told

    return await finished(context, "browser_cdp", answer, shape)


async def _session(context: ToolContext, frame_id: str) -> str:
    """The session of a frame that has one of its own."""
    frames = (await context.verb("frames"))["children"]
    return next((str(f.get("session_id", "")) for f in frames if f["frame_id"] == frame_id), "")


@tool("browser", reads=True, changes=True, cdp=True, free=True)
async def browser_dialog(
    context: ToolContext,
    action: Literal["accept", "dismiss"],
    prompt_text: str | None = None,
    dialog_id: str = "",
) -> Fields:
    """Answer a JavaScript dialog; also gives the result of the call it had interrupted.

    prompt_text: for a prompt
    dialog_id: if several wait
    """
    asked: dict[str, Any] = {"accept": action == "accept", "text": prompt_text}
    if dialog_id:
        asked["dialog_id"] = dialog_id
    where = await _where(context, dialog_id)
    answered = await context.call("tab.handle_dialog", tab=where, **asked)
    closed = answered["closed"]
    dialog = {
        name: closed["dialog"][name]
        for name in ("id", "type", "message", "default_prompt")
        if closed["dialog"].get(name)
    }
    heard_of(context, where, str(closed["dialog"]["id"]))
    told: Fields = {"action": action, "dialog": dialog}
    if answered["already_closed"]:
        told["already_closed"] = f"by {closed['closed_by']}"
    return told | _ended(await resume(context) or await resume(context, tab=where))


def _ended(interrupted: Fields | None) -> Fields:
    """The end of a call that was interrupted, beside the answer that let it go on; its picture
    stands where pictures are looked for."""
    if not interrupted:
        return {}
    image = interrupted.pop("image", None)
    return {"interrupted": interrupted} | without_empty({"image": image})


async def _where(context: ToolContext, dialog_id: str) -> str:
    """The tab with the dialog."""
    for name in await _tabs(context):
        waiting = (await context.call("tab.dialogs", tab=name))["pending_dialogs"]
        if any(dialog_id in ("", one["id"]) for one in waiting):
            return name
    return context.tab


@tool("browser", reads=True, changes=True, free=True)
async def browser_interrupt(
    context: ToolContext,
    id: str = "",
    action: str = "",
    username: str = "",
    password: str = "",
    files: list[str] = [],  # noqa: B006
    account: int = 0,
    action_id: str = "",
) -> Fields:
    """List or answer what waits besides dialogs: login, file chooser, permission, print, hung or
    crashed page, a person.

    id: which; the only one without it
    action: one of its answers
    files: for a file chooser
    account: federated login, from 0
    action_id: fetch the result of this blocked call
    """
    if action_id:
        ended = await resume(context, action_id)
        if ended is None:
            mine = [key.partition("\n")[2] for key in begun(context.session)]
            raise ToolError(
                f"action_id: there is no blocked call {action_id!r}",
                hint=f"there are: {', '.join(mine) or 'none'}",
            )
        return _ended(ended)
    waiting = (await context.verb("dialogs"))["interrupts"]
    if not id and not action:
        return {"interrupts": waiting}
    if not id:
        id = _only(waiting)
    detail = without_empty({"username": username, "password": password})
    if files:
        detail["files"] = await handed(context, files)
    if account:
        detail["account"] = account
    if not action:
        answers: list[str] = next((one["answers"] for one in waiting if one["id"] == id), [])
        raise ToolError("action: it is missing", hint=f"one of: {', '.join(answers) or 'none'}")
    await context.verb("answer", interrupt_id=id, action=action, detail=detail)
    told: Fields = {"answered": id, "action": action}
    if action == "grant":
        told["note"] = "granted from now on: do the step again that asked for it"
    return told | _ended(await resume(context))


def _only(waiting: list[dict[str, Any]]) -> str:
    if len(waiting) == 1:
        return str(waiting[0]["id"])
    names = ", ".join(f"{one['id']} ({one['kind']})" for one in waiting) or "none"
    what = "several wait" if waiting else "nothing waits"
    raise ToolError(f"id: {what}", hint=f"waiting: {names}")
