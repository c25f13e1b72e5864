"""Tools that run code, and browser_batch, which calls several tools in one request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pilothouse.code.client import absolute_app_paths
from pilothouse.code.run_result import JAVASCRIPT_HINT, JAVASCRIPT_HINT_PYTHON_TOOL, RUN_HINTS
from pilothouse.errors import NotPermitted, UsageError, plural
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.context import RUN_TOOLS, ToolContext
from pilothouse.tools.formatting import RELEASED_NOTE, drop_empty, format_closed, format_navigation
from pilothouse.tools.output_files import OUTPUT_SHOWN, truncate_output
from pilothouse.tools.tool import TOOLS, Fields, tool

__all__ = [
    "AppArgument",
    "BatchStep",
    "ViewportArgument",
    "browser",
    "browser_batch",
    "execute",
    "execute_code",
    "reset",
]

MAX_STEPS = 50


class BatchStep(msgspec.Struct, forbid_unknown_fields=True):
    """One tool call of a batch."""

    tool: str
    arguments: dict[str, Any] = {}


_SNAPSHOT_TOOLS = ("browser_snapshot", "browser_find")


@tool("browser", reads=True, changes=True, tab=False)
async def browser_batch(
    context: ToolContext, steps: list[BatchStep], stop_on_error: bool = True
) -> Fields:
    """Call several tools in order. Returns every answer and the page the last one led to."""
    if not 1 <= len(steps) <= MAX_STEPS:
        raise UsageError(
            f"steps: {plural(len(steps), 'step is', 'steps are')} given",
            hint=f"give 1 to {MAX_STEPS}",
        )
    for index, step in enumerate(steps):
        if step.tool == "browser_batch":
            raise UsageError(
                f"steps[{index}]: browser_batch cannot be nested", hint="put its steps here"
            )
    results: list[dict[str, Any]] = []
    wrong: list[tuple[int, dict[str, Any]]] = []
    images: list[Any] = []
    for index, step in enumerate(steps):
        answer = await context.use(step.tool, step.arguments)
        results.append({"tool": step.tool, **_move_images(answer, images)})
        if not answer["success"]:
            wrong.append((index, answer))
            if stop_on_error:
                break
    for result in results[:-1]:
        # Drop the snapshots of intermediate pages, unless the step was a snapshot.
        if result["tool"] not in _SNAPSHOT_TOOLS:
            result.pop("snapshot", None)
    last = results[-1].pop("snapshot", None)
    fields: Fields = {"results": results} | drop_empty({"images": images, "snapshot": last})
    if not wrong:
        return fields
    index, answer = wrong[0]
    left = len(steps) - len(results)
    return {
        "success": False,
        "error": f"steps[{index}] ({steps[index].tool}): {answer.get('error', '')}",
        "hint": answer.get("hint", "")
        + (f"; {plural(left, 'step was', 'steps were')} not run" if left else ""),
        **fields,
    }


def _move_images(answer: dict[str, Any], images: list[Any]) -> dict[str, Any]:
    """Move an answer's images to `images` and return the rest: inside the text they would be
    unreadable."""
    found = [answer["image"]] if answer.get("image") else answer.get("images", [])
    if not found:
        return answer
    names = [f"images[{len(images) + index}]" for index in range(len(found))]
    images += found
    rest = {
        key: value for key, value in answer.items() if key not in ("image", "images", "ordered")
    }
    return {**rest, "pictures": names}


class ViewportArgument(msgspec.Struct, forbid_unknown_fields=True):
    """The size of a viewport."""

    width: float
    height: float
    scale: float = 1


class AppArgument(msgspec.Struct, forbid_unknown_fields=True):
    """An application or browser to start or connect to, instead of a managed browser."""

    path: str = ""
    cdp_url: str = ""
    args: list[str] = []
    target: str = ""


_ACTION_PARAMETERS = {
    "open": ("url", "viewport", "wait_until", "dialogs", "app", "timeout"),
    "close": ("all", "kill", "timeout"),
    "run": ("code", "language", "timeout"),
}


@tool("code", reads=True, changes=True, dangerous=True, tab=False)
async def browser(
    context: ToolContext,
    action: Literal["open", "close", "run"],
    name: str = "main",
    url: str = "",
    viewport: ViewportArgument | None = None,
    wait_until: str = "",
    dialogs: Literal["", "accept", "dismiss", "ask"] = "",
    app: AppArgument | None = None,
    all: bool = False,
    kill: bool = False,
    code: str = "",
    language: Literal["python", "js"] = "python",
    timeout: float = 30.0,
) -> Fields:
    """Open a tab, close it, or run code on it.

    name: of the tab
    dialogs: default answer to dialogs; ask: the call returns and waits for an answer
    app: path starts a program, cdp_url connects to a running one
    kill: also end a program that was started
    code: Python with tab, page, browser, display, wait, console, state
    language: js runs the code in the page
    """
    given = drop_empty(
        {
            "url": url,
            "viewport": msgspec.to_builtins(viewport) if viewport else None,
            "wait_until": wait_until,
            "dialogs": dialogs,
            "app": drop_empty(msgspec.to_builtins(app)) if app else None,
            "all": all or None,
            "kill": kill or None,
            "code": code,
            "language": language if language != "python" else None,
        }
    )
    for field in given:
        if field not in _ACTION_PARAMETERS[action]:
            near = ", ".join(_ACTION_PARAMETERS[action])
            raise UsageError(
                f"{field}: not allowed with action {action}", hint=f"use only: name, {near}"
            )
    context.tab = name or "main"
    if action == "run":
        return await _run_code(context, code, language, timeout)
    if action == "close":
        closed = await context.call("close", name=context.tab, **given)
        return {"result": closed["text"], **closed["details"], "trusted": ("result", "name")}
    if "app" in given and context.session.files.roots:
        # A relative path is relative to the client's first folder, as in all file parameters.
        given["app"] = absolute_app_paths(given["app"], str(context.session.files.roots[0]))
    opened = await context.call("open", name=context.tab, **given, timeout=timeout)
    details = dict(opened["details"])
    context.session.tab = context.tab
    arrival = details.pop("arrival", None)

    async def shape(arrival: Any) -> Fields:
        return {**details, **(format_navigation(arrival) if arrival else {})}

    return await finish_call(context, "browser", arrival, shape)


@tool("code", reads=True, changes=True, dangerous=True)
async def execute(context: ToolContext, code: str, timeout: float = 30.0) -> Fields:
    """Run Python with tab, page and context (common Playwright methods), snapshot(), browser,
    display(), wait() and state, which stays between calls. The result is return or the last line.

    timeout: seconds, 1 to 300
    """
    return await _execute(context, code, timeout)


async def _execute(context: ToolContext, code: str, timeout: float) -> Fields:
    names = [tab["name"] for tab in await context.call("tabs")]
    if context.tab not in names and not names:
        await context.call("open", name=context.tab)
    return await _run_code(
        context, code, "python", timeout, state=context.session.memory.get("state") or {}
    )


@tool("code", reads=True, changes=True, dangerous=True)
async def execute_code(context: ToolContext, code: str, timeout: float = 30.0) -> Fields:
    """Run Python that calls your other tools: tools.browser_click(ref="e5") returns the fields of
    its answer or raises an error. It has tab, page, display() and state, as execute has.

    timeout: seconds, 1 to 300
    """

    async def use(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        # A batch could contain dangerous tools as steps.
        if name == "browser_batch" or (name in TOOLS and TOOLS[name].flags.dangerous):
            raise NotPermitted(
                f"{name}: not allowed in code", hint="call this tool outside the code"
            )
        return await context.use(name, given)

    token = RUN_TOOLS.set(use)
    try:
        return await _execute(context, code, timeout)
    finally:
        RUN_TOOLS.reset(token)


async def _run_code(
    context: ToolContext,
    code: str,
    language: str,
    timeout: float,
    state: dict[str, Any] | None = None,
) -> Fields:
    asked: dict[str, Any] = {"code": code, "language": language, "timeout": timeout}
    if state is not None:
        asked["state"] = state
    report = await context.call("run", name=context.tab, **asked)
    if state is not None and report.get("state") is not None:
        context.session.memory["state"] = report["state"]
    details = report["details"]
    fields: Fields = {
        "result": await truncate_output(context, details["result"]),
        "url": details["url"],
    }
    images = [
        {"data": item["data"], "mimeType": item["mimeType"]}
        for item in report["content"]
        if item["type"] == "image"
    ]
    fields |= drop_empty({"images": images, "screenshots": details.get("screenshots")})
    if images and len(details["result"]) <= OUTPUT_SHOWN:
        fields["ordered"] = _ordered_content(report["content"])
    if error := report.get("error"):
        hint = error.get("hint") or "fix the code; state and the tab are as the code left them"
        # The hint of an error that the code raised may contain page text.
        trusted = ("hint",) if not error.get("hint") or hint in RUN_HINTS else ()
        if state is not None and hint == JAVASCRIPT_HINT:
            hint = JAVASCRIPT_HINT_PYTHON_TOOL
        line = {"line": error["line"]} if error.get("line") else {}
        words = f"{error['kind']}: {error['message']}"
        return {
            "success": False,
            "error": words,
            "hint": hint,
            **line,
            **fields,
            "trusted": trusted,
        }
    return fields


def _ordered_content(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the run's output in order: texts, and images by their index in `images`."""
    shown: list[dict[str, Any]] = []
    for item in content:
        if item["type"] == "image":
            shown.append({"image": sum("image" in one for one in shown)})
        else:
            shown.append({"text": item["text"]})
    return shown


@tool("code", changes=True, dangerous=True, free=True, tab=False)
async def reset(context: ToolContext, tabs: bool = False) -> Fields:
    """Reset the session: forget the state of execute and blocked calls.

    tabs: also close your tabs
    """
    context.session.memory.clear()
    context.session.tab = "main"
    fields: Fields = {"reset": True}
    if tabs:
        closed = (await context.call("close", all=True))["details"]
        fields |= {"closed": [], **format_closed(closed)}
        if closed["released"]:
            fields |= {"note": RELEASED_NOTE, "trusted": ("note",)}
    return fields
