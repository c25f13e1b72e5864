"""Work that something blocked, and the rest of it once that is answered.

Knows: which tool began an action, and how it tells its result. Must not know: what blocks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError
from pilothouse.page.input import dialog_words
from pilothouse.tools.context import ToolContext, ToolSession
from pilothouse.tools.formatting import unquoted
from pilothouse.tools.tool import Fields

__all__ = ["Begun", "begun", "finished", "resume"]

KEPT = 20
RESULT_WITHIN_S = 30.0

Shape = Callable[[Any], Awaitable[Fields]]


class Begun(msgspec.Struct, frozen=True):
    """A call that was blocked half way: its tool, its tab, what its result becomes, and the
    dialogs of which it was told already."""

    tool: str
    tab: str
    shape: Shape
    told: tuple[str, ...] = ()


def begun(session: ToolSession) -> dict[str, Begun]:
    """The calls of a session that something blocks, by their action."""
    kept: dict[str, Begun] = session.kept.setdefault("begun", {})
    return kept


async def finished(context: ToolContext, tool: str, answer: Any, shape: Shape) -> Fields:
    """The fields of an answer; if something blocks it, what, and the work is remembered."""
    if not is_blocked(answer):
        return await shape(answer)
    if action := answer["action_id"]:
        kept = begun(context.session)
        kept[_key(context.tab, action)] = Begun(tool, context.tab, shape, _dialogs(answer))
        while len(kept) > KEPT:
            del kept[next(iter(kept))]
    return dict(answer)


async def resume(context: ToolContext, action_id: str = "", tab: str = "") -> Fields | None:
    """How a blocked call of this tab ended: the one named, or the oldest; None if there is none.
    Errors of that call are its answer, not this one's."""
    kept, tab = begun(context.session), tab or context.tab
    if action_id:
        key = _key(tab, action_id)
    else:
        key = next((key for key, one in kept.items() if one.tab == tab), "")
    if key not in kept:
        return None
    one, action = kept[key], key.rpartition("\n")[2]
    told: Fields = {"tool": one.tool, "action_id": action}
    try:
        answer = await context.call(
            "tab.result", tab=tab, action_id=action, again=True, timeout=RESULT_WITHIN_S
        )
        if is_blocked(answer):
            kept[key] = replace(one, told=(*one.told, *_dialogs(answer)))
            return {**told, "success": False, "blocked_by": answer["blocked_by"]}
        del kept[key]
        return {**told, "success": True, **await one.shape(_untold(answer, one.told))}
    except PilothouseError as error:
        kept.pop(key, None)
        said = {"error": error.message, "hint": error.hint, "ours": tuple(unquoted(error))}
        return {**told, "success": False, **said}


def _dialogs(answer: Any) -> tuple[str, ...]:
    """The dialogs that block a call, as a receipt names them."""
    return tuple(
        dialog_words(str(one.get("type", "")), str(one.get("message", "")))
        for one in answer["blocked_by"]
        if one.get("kind") == "dialog"
    )


def _untold(answer: Any, told: tuple[str, ...]) -> Any:
    """A receipt without the dialogs that were told when they blocked the call."""
    if not isinstance(answer, dict) or not answer.get("dialogs"):
        return answer
    return {**answer, "dialogs": [one for one in answer["dialogs"] if one not in told]}


def _key(tab: str, action: str) -> str:
    """Actions are numbered by browser, and a session may have tabs in two."""
    return f"{tab}\n{action}"
