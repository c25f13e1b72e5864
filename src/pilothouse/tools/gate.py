"""The one gate in front of every tool: known, switched on, valid, done, answered.

Knows: in which order a call is checked and what an answer looks like. Must not know: any tool. An
answer is always a mapping: `success` with the tool's fields, or `error` and `hint`, with what
blocks the page where something does.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.errors import PilothouseError, explain
from pilothouse.tabs.notices import collect_notices
from pilothouse.tasks import is_own_cancellation
from pilothouse.tools.desk import Call, Desk, Seat
from pilothouse.tools.told import dialogs
from pilothouse.tools.tool import Tool

__all__ = ["Gate", "Redact", "Switch"]

_log = logging.getLogger(__name__)

Redact = Callable[[dict[str, Any]], dict[str, Any]]
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
        # What our tools say comes from calls, which are redacted already.
        tool = self.tools.get(name)
        outside = tool is None or bool(tool.source) or tool.flags.outside
        return self._redact(answer) if outside else answer

    async def _answer(self, seat: Seat, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            tool = self._found(seat, name)
            desk = self._desk(seat, tool, given)
            fields = await tool.run(desk, given)
            answer = _answered(fields)
            if tool.flags.tab:
                answer |= await self._beside(desk)
            return answer
        except asyncio.CancelledError as error:
            # The client's own cancellation ends the call. What a dying browser cancelled does not.
            if is_own_cancellation():
                raise
            return _refused(error, name)
        except Exception as error:  # noqa: BLE001
            if not isinstance(error, PilothouseError | TimeoutError):
                # A fault of ours, or of a tool somebody brought: the client must not go with it.
                _log.exception("%s failed", name)
                return self._redact(_refused(error, name))
            return _refused(error, name)

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


def _refused(error: BaseException, name: str) -> dict[str, Any]:
    told = explain(error, name)
    return {"success": False, "error": told.message, "hint": told.hint}


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
