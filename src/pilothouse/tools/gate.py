"""Run every tool call: find the tool, check that it is on, run it, build the answer.

Knows: the order of the checks and the shape of an answer. Must not know: any particular tool. An
answer is always a mapping: `success` true with the tool's fields, or `success` false with `error`
and `hint`. When a dialog or another interrupt blocks the page, `blocked_by` lists it.
"""

from __future__ import annotations

import asyncio
import difflib
import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pilothouse.asyncio_tasks import is_own_cancellation
from pilothouse.errors import PersonHasTab, PilothouseError, ToolError, explain
from pilothouse.tabs.notices import collect_notices
from pilothouse.tools.context import DaemonCall, ToolContext, ToolSession, VerbCalls
from pilothouse.tools.formatting import fields_without_page_text, format_dialogs
from pilothouse.tools.json_safe import json_safe
from pilothouse.tools.tool import Tool

__all__ = ["DisabledCheck", "Gate", "Redact", "ToolAnswer"]

_log = logging.getLogger(__name__)

Redact = Callable[[dict[str, Any]], dict[str, Any]]
# Returns (reason, hint) if the tool is off for the session, else None.
DisabledCheck = Callable[[ToolSession, Tool], tuple[str, str] | None]


# Parameters of verbs, and what tools call them.
_TOOL_FIELDS = {
    "target": "ref",
    "source": "ref",
    "selector": "ref",
    "destination": "to",
    "keys": "key",
    "code": "expression",
    "command": "method",
    "interrupt_id": "id",
    "detail": "files",
    "dy": "amount",
    "path": "save or to or paths",
}


class ToolAnswer(msgspec.Struct, frozen=True):
    """The answer to a tool call. `trusted` names the fields that contain no page text: `error` and
    `hint` where that holds, and further ones that a built-in tool names."""

    fields: dict[str, Any]
    trusted: frozenset[str] = frozenset()


class Gate:
    """Calls the daemon's tools, for all sessions."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        tabs: VerbCalls,
        call: Callable[[str], DaemonCall],
        *,
        switch: DisabledCheck = lambda session, tool: None,
        redact: Redact = lambda answer: answer,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.tools = tools
        self._tabs = tabs
        self._call = call
        self._switch = switch
        self._redact = redact
        self._settings = settings or {}

    async def use(
        self, session: ToolSession, name: str, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Call a tool. Errors become answers; only cancellation raises."""
        return (await self.answer(session, name, given)).fields

    async def answer(self, session: ToolSession, name: str, given: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool; also return which fields contain no page text."""
        with collect_notices() as noticed:
            try:
                tool = self._find_tool(session, name)
                context = self._context(session, tool, given)
                answer, trusted = _complete(tool, context, await tool.run(context, given))
            except asyncio.CancelledError as error:
                # The client cancelled: stop. A dying browser cancelled: report it as an error.
                if is_own_cancellation():
                    raise
                answer, trusted = _error_answer(error, name, self.tools.get(name))
            except (PilothouseError, TimeoutError) as error:
                answer, trusted = _error_answer(error, name, self.tools.get(name))
            except Exception as error:  # noqa: BLE001
                # A bug in Pilothouse or in a plugin must not end the client's connection.
                _log.exception("%s failed", name)
                bug = _wrap_plugin_error(error, self.tools.get(name))
                answer, trusted = _error_answer(bug, name)
                answer = self._redact(answer)
        own = answer.get("notices")
        if notices := [*session.notices, *(own if isinstance(own, list) else ()), *noticed]:
            answer["notices"] = notices
            session.notices.clear()
        return self._redact_outside_text(self.tools.get(name), ToolAnswer(answer, trusted))

    def _redact_outside_text(self, tool: Tool | None, answer: ToolAnswer) -> ToolAnswer:
        """Redact what does not come from the daemon, which has redacted its replies already: text
        of plugins, MCP servers and web services."""
        brought = tool is not None and bool(tool.source)
        if not (tool is None or brought or tool.flags.outside):
            return answer
        # Nothing from a plugin or MCP server is trusted, not even its error texts.
        return ToolAnswer(self._redact(answer.fields), frozenset() if brought else answer.trusted)

    def _find_tool(self, session: ToolSession, name: str) -> Tool:
        tool = self.tools.get(name)
        if tool is None:
            near = difflib.get_close_matches(name, self.tools, 1)
            hint = f"did you mean {near[0]}?" if near else "call a tool from the tool list"
            raise PilothouseError(f"unknown tool {name!r}", hint=hint, untrusted=())
        # Checked at every call, because the client may still use an old tool list.
        if refused := self._switch(session, tool):
            raise PilothouseError(f"{name} is off: {refused[0]}", hint=refused[1], untrusted=())
        return tool

    def _context(self, session: ToolSession, tool: Tool, given: Mapping[str, Any]) -> ToolContext:
        tab = given.get("tab") if tool.flags.tab else ""

        async def use(name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
            return await self.use(session, name, asked)

        return ToolContext(
            session,
            self._tabs,
            self._call(session.owner),
            tab=tab if isinstance(tab, str) else "",
            use=use,
            settings=self._settings,
        )


def _complete(
    tool: Tool, context: ToolContext, result: Any
) -> tuple[dict[str, Any], frozenset[str]]:
    """Return a tool's result as an answer, and the names of its trusted fields."""
    fields = _require_mapping(tool, result)
    trusted = frozenset() if tool.source else _pop_trusted(fields)
    answer = json_safe(_build_answer(fields))
    if answer.get("blocked_by") and "error" not in fields:
        trusted |= {"error", "hint"}
    if tool.flags.tab:
        answer |= _extra_fields(context, answer)
    return answer, trusted


def _extra_fields(context: ToolContext, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields to add: dialogs open on the tab that the answer does not name yet, and the
    tab's notices."""
    try:
        pending = context.pending()
    except PilothouseError:
        return {}  # the tool closed the tab, or there is none
    named = {one.get("id") for one in answer.get("blocked_by", ())}
    others = [one for one in pending.dialogs if one["id"] not in named]
    beside = {"pending_dialogs": format_dialogs(others)} if others else {}
    # `new_tabs` already names the tabs that the action opened.
    opened = {f"the page opened a new tab: {tab}" for tab in answer.get("new_tabs", ())}
    noted = [one for one in pending.notices if one not in opened]
    if _reports_download(answer):
        noted = [one for one in noted if not one.startswith("download ")]
    return beside | ({"notices": noted} if noted else {})


def _require_mapping(tool: Tool, fields: Any) -> dict[str, Any]:
    """Return a tool's result as a dict. Raises PilothouseError if it is not a mapping."""
    if isinstance(fields, Mapping):
        return dict(fields)
    what = "nothing" if fields is None else f"a {type(fields).__name__}"
    raise PilothouseError(
        f"{tool.name} returned {what}; expected a dict of fields",
        hint=f"report this bug in {tool.source or 'Pilothouse'}: the tool must return a dict",
    )


def _wrap_plugin_error(error: Exception, tool: Tool | None) -> Exception:
    """Return an error that names the plugin or MCP server whose tool raised it; an error of a
    built-in tool is returned unchanged."""
    if tool is None or not tool.source:
        return error
    said = json_safe(str(error))
    return PilothouseError(
        f"{tool.name} failed: {tool.source} raised {type(error).__name__}"
        + (f": {said}" if said else ""),
        hint="the error is in the plugin: run `pilothouse daemon logs` for the traceback",
    )


def _reports_download(answer: Mapping[str, Any]) -> bool:
    """Return whether the answer itself reports a download, so notices need not repeat it."""
    changes = [str(one) for one in answer.get("changes", ())]
    in_changes = any(one.startswith(("download ", "downloaded ")) for one in changes)
    return in_changes or answer.get("kind") == "download"


def _error_answer(
    error: BaseException, name: str, tool: Tool | None = None
) -> tuple[dict[str, Any], frozenset[str]]:
    explained = explain(error, name)
    if tool is not None and isinstance(explained, ToolError):
        explained = explained.with_field(_field_names(tool))
    hint = explained.hint_for("mcp")
    fields: dict[str, Any] = {"success": False, "error": explained.message, "hint": hint}
    if isinstance(explained, PersonHasTab):
        fields["blocked_by"] = [dict(explained.blocked_by)]
    return fields, fields_without_page_text(explained)


def _field_names(tool: Tool) -> dict[str, str]:
    """Return the parameters of verbs that this tool has under another name."""
    own = tool.schema.get("properties", {})
    names: dict[str, str] = {}
    for inner, outer in _TOOL_FIELDS.items():
        if inner not in own and (found := [one for one in outer.split(" or ") if one in own]):
            names[inner] = found[0]
    return names


def _pop_trusted(fields: dict[str, Any]) -> frozenset[str]:
    """Remove `trusted` from the fields and return the names; also those of an interrupted call,
    as `interrupted.NAME`."""
    said = {str(name) for name in fields.pop("trusted", ())}
    if isinstance(inner := fields.get("interrupted"), dict):
        said |= {f"interrupted.{name}" for name in inner.pop("trusted", ())}
    return frozenset(said)


def _build_answer(fields: Mapping[str, Any]) -> dict[str, Any]:
    if "action_id" in fields and (first := _first_blocker(fields.get("blocked_by"))):
        return {
            "success": False,
            "error": f"blocked by {_describe_blocker(first)}",
            "hint": _next_step(first, str(fields["action_id"] or "")),
            **fields,
        }
    return {"success": True, **fields}


def _first_blocker(value: Any) -> Mapping[str, Any] | None:
    """Return the first blocker, or None if the value is not a list of blockers: a plugin may
    return anything under this name."""
    first = value[0] if isinstance(value, list) and value else None
    if not isinstance(first, Mapping) or not {"kind", "id"} <= first.keys():
        return None
    return first if "type" in first or first["kind"] != "dialog" else None


def _describe_blocker(blocker: Mapping[str, Any]) -> str:
    """Describe a blocker without page text; the dialog's message is in `blocked_by`."""
    if blocker["kind"] != "dialog":
        return f"{blocker['kind']} {blocker['id']}"
    if blocker["type"] == "beforeunload":
        return "a dialog (beforeunload): the page asks whether to leave"
    return f"a dialog ({blocker['type']})"


def _next_step(blocker: Mapping[str, Any], action_id: str) -> str:
    if blocker["kind"] == "human":
        return f"wait for the person: call browser_interrupt with action_id {action_id}"
    then = "that gives this call's result" if action_id else "then call again"
    if blocker["kind"] == "dialog":
        way = f"answer it with browser_dialog (dialog_id {blocker['id']})"
        if blocker["type"] == "beforeunload":
            way += ", accept leaves the page, dismiss stays"
        return f"{way}: {then}"
    answers = ", ".join(str(one) for one in blocker.get("answers", ()))
    return f"answer {blocker['id']} with browser_interrupt ({answers}): {then}"
