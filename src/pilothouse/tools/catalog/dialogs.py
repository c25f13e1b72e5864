"""Tools to answer what blocks a page: JavaScript dialogs and other interrupts."""

from __future__ import annotations

from typing import Any, Literal

from pilothouse.errors import ToolError, UsageError
from pilothouse.tools.blocked_calls import blocked_calls, resume
from pilothouse.tools.catalog.input import copy_uploads
from pilothouse.tools.catalog.snapshot_and_images import mark_dialog_reported
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import drop_empty
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_dialog", "browser_interrupt"]


@tool("browser", reads=True, changes=True, cdp=True, free=True)
async def browser_dialog(
    context: ToolContext,
    action: Literal["accept", "dismiss"],
    prompt_text: str | None = None,
    dialog_id: str = "",
) -> Fields:
    """Answer a JavaScript dialog. Also returns the result of the call it blocked.

    prompt_text: for a prompt
    dialog_id: if several are open
    """
    params: dict[str, Any] = {"accept": action == "accept", "text": prompt_text}
    if dialog_id:
        params["dialog_id"] = dialog_id
    where = context.tab_with_dialog(dialog_id)
    answered = await context.verb("handle_dialog", tab=where, **params)
    closed = answered["closed"]
    dialog = {
        name: closed["dialog"][name]
        for name in ("id", "type", "message", "default_prompt")
        if closed["dialog"].get(name)
    }
    mark_dialog_reported(context, where, str(closed["dialog"]["id"]))
    fields: Fields = {"action": action, "dialog": dialog}
    if answered["already_closed"]:
        fields["already_closed"] = f"by {closed['closed_by']}"
    return fields | _interrupted_result(await resume(context) or await resume(context, tab=where))


def _interrupted_result(interrupted: Fields | None) -> Fields:
    """Return the result of the interrupted call as `interrupted`. Its image moves to the top level,
    where clients look for images."""
    if not interrupted:
        return {}
    image = interrupted.pop("image", None)
    return {"interrupted": interrupted} | drop_empty({"image": image})


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
    """List or answer interrupts other than dialogs: login, file chooser, permission, print, hung or
    crashed page, a person.

    id: which; default: the only one
    action: one of its answers
    files: for a file chooser
    account: federated login, from 0
    action_id: get the result of this blocked call
    """
    if action_id:
        ended = await resume(context, action_id)
        if ended is None:
            mine = list(blocked_calls(context))
            raise UsageError(
                f"action_id: unknown blocked call {action_id!r}",
                hint=f"give one of: {', '.join(mine)}" if mine else "go on: no call is blocked",
            )
        return _interrupted_result(ended)
    waiting = (await context.verb("dialogs"))["interrupts"]
    if not id and not action:
        return {"interrupts": waiting}
    if not id:
        id = _only_interrupt(waiting)
    detail = drop_empty({"username": username, "password": password})
    if files:
        detail["files"] = await copy_uploads(context, files)
    if account:
        detail["account"] = account
    if not action:
        answers = next((one["answers"] for one in waiting if one["id"] == id), None)
        if answers is None:
            ids = ", ".join(str(one["id"]) for one in waiting)
            hint = f"pending: {ids}" if ids else "nothing waits for an answer: go on"
            raise UsageError(f"id: there is no interrupt {id}", hint=hint)
        raise UsageError("action: missing", hint=f"give one of: {', '.join(answers)}")
    await context.verb("answer", interrupt_id=id, action=action, detail=detail)
    fields: Fields = {"answered": id, "action": action}
    if action == "grant":
        fields["note"] = "granted from now on: repeat the step that asked for it"
    return fields | {"trusted": ("note",)} | _interrupted_result(await resume(context))


def _only_interrupt(waiting: list[dict[str, Any]]) -> str:
    if len(waiting) == 1:
        return str(waiting[0]["id"])
    if not waiting:
        raise ToolError("id: no interrupt is pending", hint="nothing waits for an answer: go on")
    names = ", ".join(f"{one['id']} ({one['kind']})" for one in waiting)
    raise ToolError("id: missing; several interrupts are pending", hint=f"pending: {names}")
