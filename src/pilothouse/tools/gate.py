"""The one gate in front of every tool: known, switched on, valid, done, answered.

Knows: in which order a call is checked and what an answer looks like. Must not know: any tool. An
answer is always a mapping: `success` with the tool's fields, or `error` and `hint`, with what
blocks the page where something does.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.tabs.notices import collect_notices
from pilothouse.tools.desk import Call, Desk, Seat
from pilothouse.tools.told import dialogs
from pilothouse.tools.tool import Tool

__all__ = ["Gate", "Redact", "Switch"]

_log = logging.getLogger(__name__)

Redact = Callable[[Any], Any]
# Why a seat may not use a tool, and what to do about it; nothing if it may.
Switch = Callable[[Seat, Tool], tuple[str, str] | None]


class Gate:
    """All tools of a house, for all seats."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        call: Callable[[str], Call],
        *,
        switch: Switch = lambda seat, tool: None,
        redact: Redact = lambda answer: answer,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.tools = tools
        self._call = call
        self._switch = switch
        self._redact = redact
        self._settings = settings or {}

    async def use(self, seat: Seat, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool for a seat. Never raises but for cancellation: errors are answers."""
        with collect_notices() as noticed:
            answer = await self._answer(seat, name, given)
        if notices := [*seat.notices, *answer.get("notices", ()), *noticed]:
            answer["notices"] = notices
            seat.notices.clear()
        redacted: dict[str, Any] = self._redact(answer)
        return redacted

    async def _answer(self, seat: Seat, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            tool = self._found(seat, name)
            desk = self._desk(seat, tool, given)
            fields = await tool.run(desk, given)
            answer = _answered(fields)
            if tool.flags.tab:
                answer |= await self._beside(desk)
            return answer
        except PilothouseError as error:
            return {"success": False, "error": error.message, "hint": error.hint}
        except TimeoutError as error:
            told = f"{name} took too long" + (f": {error}" if str(error) else "")
            return {"success": False, "error": told, "hint": "try again, or take a snapshot"}
        except Exception as error:  # noqa: BLE001
            # A fault of ours, or of a tool somebody brought: it must not take the client with it.
            _log.exception("%s failed", name)
            told = f"{name} failed: {type(error).__name__}: {error}"
            return {"success": False, "error": told, "hint": "this is a fault of the tool"}

    def _found(self, seat: Seat, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name, self.tools, 1)
            hint = f"did you mean {near[0]}?" if near else "see the list of tools"
            raise PilothouseError(f"there is no tool {name!r}", hint=hint)
        # Again at every call: a client may have an old list.
        if refused := self._switch(seat, tool):
            raise PilothouseError(f"{name} is off: {refused[0]}", hint=refused[1])
        return tool

    def _desk(self, seat: Seat, tool: Tool, given: Mapping[str, Any]) -> Desk:
        tab = given.get("tab") if tool.flags.tab else ""

        async def use(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
            return await self.use(seat, name, asked)

        return Desk(
            seat,
            self._call(seat.owner),
            tab=tab if isinstance(tab, str) else "",
            use=use,
            settings=self._settings,
        )

    async def _beside(self, desk: Desk) -> dict[str, Any]:
        """What the agent should know besides: dialogs that wait on its tab, what was noted."""
        try:
            waiting = (await desk.verb("dialogs"))["pending_dialogs"]
            noted = await desk.call("notices", tab=desk.tab)
        except PilothouseError:
            return {}  # the tool closed the tab, or there is none
        beside = {"pending_dialogs": dialogs(waiting)} if waiting else {}
        return beside | ({"notices": noted} if noted else {})


def _answered(fields: Any) -> dict[str, Any]:
    if isinstance(fields, Mapping) and fields.get("blocked_by") and "action_id" in fields:
        first = fields["blocked_by"][0]
        return {
            "success": False,
            "error": f"blocked by {_named(first)}",
            "hint": _way_on(first, begun=bool(fields["action_id"])),
            **fields,
        }
    return {"success": True, **fields}


def _named(blocker: Mapping[str, Any]) -> str:
    if blocker["kind"] == "dialog":
        return f"a dialog ({blocker['type']}): {blocker['message']!r}"
    return f"{blocker['kind']} {blocker['id']}"


def _way_on(blocker: Mapping[str, Any], *, begun: bool) -> str:
    then = "that gives this call's result" if begun else "then call again"
    if blocker["kind"] == "dialog":
        return f"answer it with browser_dialog (dialog_id {blocker['id']}): {then}"
    answers = ", ".join(str(one) for one in blocker.get("answers", ()))
    return f"answer {blocker['id']} with browser_interrupt ({answers}): {then}"
