"""Tools to debug a page: JavaScript, the console, raw CDP."""

from __future__ import annotations

import json
from typing import Any

from pilothouse.code.client import is_blocked
from pilothouse.errors import CommandFailed, ToolError
from pilothouse.tabs.open_and_close_requests import clamp_timeout
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import drop_empty, js_type
from pilothouse.tools.output_files import OUTPUT_SHOWN, truncate_output, write_output
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "browser_cdp",
    "browser_console",
    "browser_evaluate",
]

LINES_SHOWN = 100
LONGEST_RESULT = 50_000
# CDP commands that can address one of several frames in the same session.
_FRAME_SCOPED = ("Runtime.evaluate", "Runtime.callFunctionOn")


@tool("browser", reads=True, changes=True)
async def browser_evaluate(context: ToolContext, expression: str, frame_id: str = "") -> Fields:
    """Run JavaScript in the page. Returns its value.

    expression: expression, function, or statements with return
    frame_id: from frame_tree
    """
    return await _evaluate(context, "browser_evaluate", expression, frame_id)


async def _evaluate(context: ToolContext, tool: str, expression: str, frame_id: str = "") -> Fields:
    answer = await context.verb("evaluate", code=expression, frame_id=frame_id)
    # The page's value may look like a blocked call. Only an interrupt that is really pending
    # blocks.
    if is_blocked(answer) and not _is_really_blocked(context, answer["blocked_by"]):
        return await _format_value(context, answer)

    async def shape(value: Any) -> Fields:
        return await _format_value(context, value)

    return await finish_call(context, tool, answer, shape)


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_console(
    context: ToolContext, clear: bool = False, expression: str = ""
) -> Fields:
    """Return console messages and JavaScript errors.

    clear: then forget them
    expression: evaluate this instead
    """
    if expression:
        return await _evaluate(context, "browser_console", expression)
    marks: dict[str, int] = context.session.memory.setdefault("console", {})
    # Keyed by the top frame: a reopened tab numbers its messages from 1 again.
    which = (await context.verb("frames"))["top"]["frame_id"]
    found = await context.verb("console", since=marks.get(which, 1), limit=500)
    lines = found["entries"]
    if clear:
        marks[which] = found["next_seq"]
    errors = [line for line in lines if line["source"] == "exception"]
    said = [line for line in lines if line["source"] != "exception"]
    fields: Fields = {
        "console_messages": [
            {"type": line["level"], "text": line["text"], "source": _console_source(line)}
            for line in said[-LINES_SHOWN:]
        ],
        "js_errors": [
            {"message": line["text"], "source": _console_source(line)}
            for line in errors[-LINES_SHOWN:]
        ],
        "total_messages": len(said),
        "total_errors": len(errors),
    }
    return fields | drop_empty({"dropped": found["dropped"] or None})


async def _format_value(context: ToolContext, value: Any) -> Fields:
    """Return a value and its type; a long value is cut and written to a file."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = await truncate_output(context, text) if len(text) > OUTPUT_SHOWN else value
    return {"result": shown, "result_type": js_type(value)}


def _is_really_blocked(context: ToolContext, blockers: list[Any]) -> bool:
    known = context.interrupt_ids()
    return any(isinstance(one, dict) and one.get("id") in known for one in blockers)


def _console_source(line: dict[str, Any]) -> str:
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
    frame_id: from frame_tree
    """
    if target_id:
        context.tab = target_id
    params = {"command": method, "params": params, "frame_id": frame_id}
    try:
        answer = await context.call(
            "page.cdp", tab=context.tab, **params, timeout=clamp_timeout(timeout)
        )
    except CommandFailed as error:
        raise ToolError(error.message, hint="check method and params") from None
    session = await _session_of_frame(context, frame_id) if frame_id else ""

    async def shape(result: Any) -> Fields:
        fields: Fields = {"method": method, "result": result}
        text = json.dumps(result, ensure_ascii=False)
        if len(text) > LONGEST_RESULT:
            path = await write_output(context, "json", text.encode("utf-8", "replace"))
            fields |= {"result": {}, "result_file": path, "note": f"{len(text)} characters long"}
        named = {"target_id": target_id, "frame_id": frame_id, "session_id": session}
        fields |= drop_empty(named)
        if frame_id and not session and method not in _FRAME_SCOPED:
            fields["note"] = (
                "this frame has no CDP session of its own: the whole page got the command"
            )
        return fields

    return await finish_call(context, "browser_cdp", answer, shape)


async def _session_of_frame(context: ToolContext, frame_id: str) -> str:
    """Return the CDP session id of a frame that has its own session; else ""."""
    frames = (await context.verb("frames"))["children"]
    return next((str(f.get("session_id", "")) for f in frames if f["frame_id"] == frame_id), "")
