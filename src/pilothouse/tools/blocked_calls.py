"""Finish tool calls that a dialog or another interrupt blocked.

The supervisor alone remembers blocked actions; a `BlockedCall` stays with its action, so both end
together. Knows: which tool started an action, and how that tool formats its result. Must not know:
what blocks the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, WaitTimeout
from pilothouse.page.input import describe_dialog
from pilothouse.tools.context import DiffIf, ToolContext, ToolSession
from pilothouse.tools.formatting import fields_without_page_text
from pilothouse.tools.tool import Fields

__all__ = ["BlockedCall", "blocked_calls", "finish_call", "resume"]

RESULT_TIMEOUT_S = 30.0

Shape = Callable[[Any], Awaitable[Fields]]


class BlockedCall(msgspec.Struct, frozen=True):
    """A tool call that was blocked: whose it is (`caller`), its tool, the function that formats its
    result (`shape`), when it wants a diff, the dialogs that were reported already (`reported`), and
    whether a person must answer (`person`): then fetching the result waits for that."""

    caller: object
    tool: str
    shape: Shape
    diff_if: DiffIf | None = None
    reported: tuple[str, ...] = ()
    person: bool = False


def blocked_calls(context: ToolContext, tab: str = "") -> dict[str, BlockedCall]:
    """Return the session's blocked calls of a tab by action id, the oldest first."""
    caller = _caller(context.session)
    calls: dict[str, BlockedCall] = context.blocked_calls(tab)
    return {action: call for action, call in calls.items() if call.caller is caller}


def _caller(session: ToolSession) -> object:
    """Return what a session's blocked calls are known by. The tool `reset` clears the memory, and
    with it this: earlier blocked calls are then no longer the session's."""
    return session.memory.setdefault("blocked calls", object())


async def finish_call(
    context: ToolContext, tool: str, answer: Any, shape: Shape, diff_if: DiffIf | None = None
) -> Fields:
    """Format the daemon's reply with `shape`. If the call is blocked, remember it and return
    `blocked_by` and `action_id` instead."""
    if not is_blocked(answer):
        return await shape(answer)
    if action := answer["action_id"]:
        call = BlockedCall(
            _caller(context.session),
            tool,
            shape,
            diff_if,
            _describe_dialogs(answer),
            person=any(one.get("kind") == "human" for one in answer["blocked_by"]),
        )
        context.keep_with_blocked(action, call)
    return dict(answer)


async def resume(context: ToolContext, action_id: str = "", tab: str = "") -> Fields | None:
    """Return the result of a blocked call of this tab: of the named action, else of the oldest
    one; None if there is none. An error of that call is returned as its result."""
    tab = tab or context.tab
    calls = blocked_calls(context, tab)
    action = action_id or next(iter(calls), "")
    if action not in calls:
        return None
    one = calls[action]
    result: Fields = {"tool": one.tool, "action_id": action}
    try:
        answer = await context.verb(
            "result",
            one.diff_if,
            tab=tab,
            action_id=action,
            again=not one.person,
            timeout=RESULT_TIMEOUT_S,
        )
        if is_blocked(answer):
            again = replace(one, reported=(*one.reported, *_describe_dialogs(answer)))
            context.keep_with_blocked(action, again, tab)
            return {**result, "success": False, "blocked_by": answer["blocked_by"]}
        return {
            **result,
            "success": True,
            **await one.shape(_drop_reported_dialogs(answer, one.reported)),
        }
    except PilothouseError as error:
        if one.person and isinstance(error, WaitTimeout):
            hint = f"wait on: call browser_interrupt with action_id {action} again"
            waits = {"error": "a person has not answered yet", "hint": hint}
            return {**result, "success": False, **waits, "trusted": ("error", "hint")}
        context.keep_with_blocked(action, None, tab)
        failure = {
            "error": error.message,
            "hint": error.hint,
            "trusted": tuple(fields_without_page_text(error)),
        }
        return {**result, "success": False, **failure}


def _describe_dialogs(answer: Any) -> tuple[str, ...]:
    """Return the dialogs that block a call, in the words of a receipt."""
    return tuple(
        describe_dialog(str(one.get("type", "")), str(one.get("message", "")))
        for one in answer["blocked_by"]
        if one.get("kind") == "dialog"
    )


def _drop_reported_dialogs(answer: Any, reported: tuple[str, ...]) -> Any:
    """Return a receipt without the dialogs that were reported when they blocked the call."""
    if not isinstance(answer, dict) or not answer.get("dialogs"):
        return answer
    return {**answer, "dialogs": [one for one in answer["dialogs"] if one not in reported]}
