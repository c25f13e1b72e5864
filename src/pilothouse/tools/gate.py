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

import msgspec

from pilothouse.errors import PilothouseError, explain
from pilothouse.tabs.notices import collect_notices
from pilothouse.tasks import is_own_cancellation
from pilothouse.tools.context import Call, ToolContext, ToolSession
from pilothouse.tools.formatting import dialogs, unquoted
from pilothouse.tools.json_safe import json_safe
from pilothouse.tools.tool import Tool

__all__ = ["Answer", "Gate", "Redact", "Switch"]

_log = logging.getLogger(__name__)

Redact = Callable[[dict[str, Any]], dict[str, Any]]
# Why a session may not use a tool, and what to do about it; nothing if it may.
Switch = Callable[[ToolSession, Tool], tuple[str, str] | None]


class Answer(msgspec.Struct, frozen=True):
    """The answer to a call. `ours` are the fields among `error` and `hint`, and others that a tool
    of ours names, in which no page had a word."""

    fields: dict[str, Any]
    ours: frozenset[str] = frozenset()


class Gate:
    """All tools of a daemon, for all sessions."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        call: Callable[[str], Call],
        *,
        switch: Switch = lambda session, tool: None,
        redact: Redact = lambda answer: answer,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.tools = tools
        self._call = call
        self._switch = switch
        self._redact = redact
        self._settings = settings or {}

    async def use(
        self, session: ToolSession, name: str, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Call a tool for a session. Never raises but for cancellation: errors are answers."""
        return (await self.answer(session, name, given)).fields

    async def answer(self, session: ToolSession, name: str, given: Mapping[str, Any]) -> Answer:
        """The same, with the names of the fields in which no page had a word."""
        with collect_notices() as noticed:
            answer, ours = await self._answer(session, name, given)
        told = answer.get("notices")
        if notices := [*session.notices, *(told if isinstance(told, list) else ()), *noticed]:
            answer["notices"] = notices
            session.notices.clear()
        # What our tools say comes from calls, which are redacted already.
        tool = self.tools.get(name)
        brought = tool is not None and bool(tool.source)
        outside = tool is None or brought or tool.flags.outside
        # A tool that somebody brought has no words of ours, not even in its errors.
        return Answer(self._redact(answer) if outside else answer, frozenset() if brought else ours)

    async def _answer(
        self, session: ToolSession, name: str, given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], frozenset[str]]:
        try:
            tool = self._found(session, name)
            context = self._context(session, tool, given)
            fields = _checked(tool, await tool.run(context, given))
            ours = frozenset() if tool.source else _ours(fields)
            answer = json_safe(_answered(fields))
            if answer.get("blocked_by") and "error" not in fields:
                ours |= {"error", "hint"}
            if tool.flags.tab:
                answer |= await self._beside(context, answer)
            return answer, ours
        except asyncio.CancelledError as error:
            # The client's own cancellation ends the call. What a dying browser cancelled does not.
            if is_own_cancellation():
                raise
            return _refused(error, name)
        except Exception as error:  # noqa: BLE001
            if not isinstance(error, PilothouseError | TimeoutError):
                # A fault of ours, or of a tool somebody brought: the client must not go with it.
                _log.exception("%s failed", name)
                told, ours = _refused(_of_plugin(error, self.tools.get(name)), name)
                return self._redact(told), ours
            return _refused(error, name)

    def _found(self, session: ToolSession, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name, self.tools, 1)
            hint = f"did you mean {near[0]}?" if near else "see the list of tools"
            raise PilothouseError(f"there is no tool {name!r}", hint=hint, quotes=())
        # Again at every call: a client may have an old list.
        if refused := self._switch(session, tool):
            raise PilothouseError(f"{name} is off: {refused[0]}", hint=refused[1], quotes=())
        return tool

    def _context(self, session: ToolSession, tool: Tool, given: Mapping[str, Any]) -> ToolContext:
        tab = given.get("tab") if tool.flags.tab else ""

        async def use(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
            return await self.use(session, name, asked)

        return ToolContext(
            session,
            self._call(session.owner),
            tab=tab if isinstance(tab, str) else "",
            use=use,
            settings=self._settings,
        )

    async def _beside(self, context: ToolContext, answer: Mapping[str, Any]) -> dict[str, Any]:
        """What the agent should know besides: dialogs that wait on its tab and were not named yet,
        what was noted."""
        try:
            waiting = (await context.verb("dialogs"))["pending_dialogs"]
            noted = await context.call("notices", tab=context.tab)
        except PilothouseError:
            return {}  # the tool closed the tab, or there is none
        named = {one.get("id") for one in answer.get("blocked_by", ())}
        others = [one for one in waiting if one["id"] not in named]
        beside = {"pending_dialogs": dialogs(others)} if others else {}
        # The receipt has named the tabs that the action opened.
        opened = {f"the page opened a new tab: {tab}" for tab in answer.get("new_tabs", ())}
        noted = [one for one in noted if one not in opened]
        if _tells_of_downloads(answer):
            noted = [one for one in noted if not one.startswith("download ")]
        return beside | ({"notices": noted} if noted else {})


def _checked(tool: Tool, fields: Any) -> dict[str, Any]:
    """The fields of an answer. Raises PilothouseError if a tool answers with anything else."""
    if isinstance(fields, Mapping):
        return dict(fields)
    what = "nothing" if fields is None else f"a {type(fields).__name__}"
    raise PilothouseError(
        f"{tool.name}: it returned {what}, not a mapping of fields",
        hint=f"this is a fault in {tool.source or 'Pilothouse'}: its function must return a dict",
    )


def _of_plugin(error: Exception, tool: Tool | None) -> Exception:
    """What a plugin raised, named as the plugin's; any other error as it is."""
    if tool is None or not tool.source:
        return error
    said = json_safe(str(error))
    return PilothouseError(
        f"{tool.name} failed: {tool.source} raised {type(error).__name__}"
        + (f": {said}" if said else ""),
        hint="this is a fault in what brought the tool: `pilothouse daemon logs` has the details",
    )


def _tells_of_downloads(answer: Mapping[str, Any]) -> bool:
    """Whether an answer says of a download what its notices say."""
    changes = [str(one) for one in answer.get("changes", ())]
    told = any(one.startswith(("download ", "downloaded ")) for one in changes)
    return told or answer.get("kind") == "download"


def _refused(error: BaseException, name: str) -> tuple[dict[str, Any], frozenset[str]]:
    told = explain(error, name)
    return {"success": False, "error": told.message, "hint": told.hint}, unquoted(told)


def _ours(fields: dict[str, Any]) -> frozenset[str]:
    """What a tool says is ours, taken out of its fields; also of an interrupted call."""
    said = {str(name) for name in fields.pop("ours", ())}
    if isinstance(inner := fields.get("interrupted"), dict):
        said |= {f"interrupted.{name}" for name in inner.pop("ours", ())}
    return frozenset(said)


def _answered(fields: Mapping[str, Any]) -> dict[str, Any]:
    if "action_id" in fields and (first := _first_blocker(fields.get("blocked_by"))):
        return {
            "success": False,
            "error": f"blocked by {_named(first)}",
            "hint": _way_on(first, begun=bool(fields["action_id"])),
            **fields,
        }
    return {"success": True, **fields}


def _first_blocker(value: Any) -> Mapping[str, Any] | None:
    """What blocks a call first; nothing if that is no list of blockers, as a plugin may say."""
    first = value[0] if isinstance(value, list) and value else None
    if not isinstance(first, Mapping) or not {"kind", "id"} <= first.keys():
        return None
    return first if "type" in first or first["kind"] != "dialog" else None


def _named(blocker: Mapping[str, Any]) -> str:
    """What blocks a call, in our own words: what a dialog says is told in `blocked_by`."""
    if blocker["kind"] != "dialog":
        return f"{blocker['kind']} {blocker['id']}"
    if blocker["type"] == "beforeunload":
        return "a dialog (beforeunload): the page asks whether to leave it"
    return f"a dialog ({blocker['type']})"


def _way_on(blocker: Mapping[str, Any], *, begun: bool) -> str:
    then = "that gives this call's result" if begun else "then call again"
    if blocker["kind"] == "dialog":
        way = f"answer it with browser_dialog (dialog_id {blocker['id']})"
        if blocker["type"] == "beforeunload":
            way += ", accept leaves the page, dismiss stays"
        return f"{way}: {then}"
    answers = ", ".join(str(one) for one in blocker.get("answers", ()))
    return f"answer {blocker['id']} with browser_interrupt ({answers}): {then}"
