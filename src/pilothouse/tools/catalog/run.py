"""Tools that run code, and many steps at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from pilothouse.code.client import whole_app
from pilothouse.errors import ToolError
from pilothouse.tools.blocked_calls import finished
from pilothouse.tools.context import TOOLS_OF_RUN, ToolContext
from pilothouse.tools.formatting import arrived, without_empty
from pilothouse.tools.output_files import OUTPUT_SHOWN, cut
from pilothouse.tools.tool import TOOLS, Fields, tool

__all__ = [
    "App",
    "Step",
    "Viewport",
    "browser",
    "browser_batch",
    "execute",
    "execute_code",
    "reset",
]

MOST_STEPS = 50


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any] = {}


_LOOKS = ("browser_snapshot", "browser_find")


@tool("browser", reads=True, changes=True, tab=False)
async def browser_batch(
    context: ToolContext, steps: list[Step], stop_on_error: bool = True
) -> Fields:
    """Call several tools in order. Returns every answer, and the page that the last one led to."""
    if not 1 <= len(steps) <= MOST_STEPS:
        raise ToolError(f"steps: {len(steps)} are given", hint=f"1 to {MOST_STEPS} are possible")
    for index, step in enumerate(steps):
        if step.tool == "browser_batch":
            raise ToolError(f"steps[{index}]: a batch takes no batch", hint="name its steps here")
    results: list[dict[str, Any]] = []
    wrong: list[tuple[int, dict[str, Any]]] = []
    images: list[Any] = []
    for index, step in enumerate(steps):
        answer = await context.use(step.tool, step.arguments)
        results.append({"tool": step.tool, **_apart(answer, images)})
        if not answer["success"]:
            wrong.append((index, answer))
            if stop_on_error:
                break
    for result in results[:-1]:
        # Nobody asked for the pages between two steps.
        if result["tool"] not in _LOOKS:
            result.pop("snapshot", None)
    last = results[-1].pop("snapshot", None)
    told: Fields = {"results": results} | without_empty({"images": images, "snapshot": last})
    if not wrong:
        return told
    index, answer = wrong[0]
    left = len(steps) - len(results)
    return {
        "success": False,
        "error": f"steps[{index}] ({steps[index].tool}): {answer.get('error', '')}",
        "hint": answer.get("hint", "") + (f"; {left} steps were not done" if left else ""),
        **told,
    }


def _apart(answer: dict[str, Any], images: list[Any]) -> dict[str, Any]:
    """An answer without its pictures, which go to the others: in a text nobody could see them."""
    found = [answer["image"]] if answer.get("image") else answer.get("images", [])
    if not found:
        return answer
    names = [f"images[{len(images) + index}]" for index in range(len(found))]
    images += found
    rest = {
        key: value for key, value in answer.items() if key not in ("image", "images", "ordered")
    }
    return {**rest, "pictures": names}


class Viewport(msgspec.Struct, forbid_unknown_fields=True):
    """The size of a page."""

    width: float
    height: float
    scale: float = 1


class App(msgspec.Struct, forbid_unknown_fields=True):
    """Another browser than ours."""

    path: str = ""
    cdp_url: str = ""
    args: list[str] = []
    target: str = ""


_TAKES = {
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
    viewport: Viewport | None = None,
    wait_until: str = "",
    dialogs: Literal["", "accept", "dismiss", "ask"] = "",
    app: App | None = None,
    all: bool = False,
    kill: bool = False,
    code: str = "",
    language: Literal["python", "js"] = "python",
    timeout: float = 30.0,
) -> Fields:
    """Open a tab, close it, or run code on it.

    name: of the tab
    dialogs: answer them by itself
    app: path starts a program, cdp_url joins one that runs
    kill: also end a program that was started
    code: Python beside the tab (tab, page, browser, display, wait, console, state)
    language: js runs the code in the page
    """
    given = without_empty(
        {
            "url": url,
            "viewport": msgspec.to_builtins(viewport) if viewport else None,
            "wait_until": wait_until,
            "dialogs": dialogs,
            "app": without_empty(msgspec.to_builtins(app)) if app else None,
            "all": all or None,
            "kill": kill or None,
            "code": code,
            "language": language if language != "python" else None,
        }
    )
    for field in given:
        if field not in _TAKES[action]:
            near = ", ".join(_TAKES[action])
            raise ToolError(f"{field}: {action} takes none", hint=f"it takes: name, {near}")
    context.tab = name or "main"
    if action == "run":
        return await _run(context, code, language, timeout)
    if action == "close":
        closed = await context.call("close", name=context.tab, **given)
        return {"result": closed["text"], **closed["details"], "ours": ("result", "name")}
    if "app" in given and context.session.files.roots:
        # A relative path is the client's, as in all calls that name files.
        given["app"] = whole_app(given["app"], str(context.session.files.roots[0]))
    opened = await context.call("open", name=context.tab, **given, timeout=timeout)
    details = dict(opened["details"])
    context.session.tab = context.tab
    arrival = details.pop("arrival", None)

    async def shape(arrival: Any) -> Fields:
        return {**details, **(arrived(arrival) if arrival else {})}

    return await finished(context, "browser", arrival, shape)


@tool("code", reads=True, changes=True, dangerous=True)
async def execute(context: ToolContext, code: str, timeout: float = 30.0) -> Fields:
    """Run Python with tab, page and context (everyday Playwright methods), snapshot(), browser,
    display(), wait() and state, which stays between calls. return or the last line is the result.

    timeout: seconds, 1 to 300
    """
    return await _executed(context, code, timeout)


async def _executed(context: ToolContext, code: str, timeout: float) -> Fields:
    names = [tab["name"] for tab in await context.call("tabs")]
    if context.tab not in names and not names:
        await context.call("open", name=context.tab)
    return await _run(
        context, code, "python", timeout, state=context.session.kept.get("state") or {}
    )


@tool("code", reads=True, changes=True, dangerous=True)
async def execute_code(context: ToolContext, code: str, timeout: float = 30.0) -> Fields:
    """Run Python that calls your other tools: tools.browser_click(ref="e5") returns the fields of
    its answer, or raises an error. tab, page, display() and state are there as in execute.

    timeout: seconds, 1 to 300
    """

    async def use(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        # A batch could name the dangerous ones among its steps.
        if name == "browser_batch" or (name in TOOLS and TOOLS[name].flags.dangerous):
            raise ToolError(f"{name}: code cannot call it", hint="call it outside the code")
        return await context.use(name, given)

    token = TOOLS_OF_RUN.set(use)
    try:
        return await _executed(context, code, timeout)
    finally:
        TOOLS_OF_RUN.reset(token)


async def _run(
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
        context.session.kept["state"] = report["state"]
    details = report["details"]
    told: Fields = {"result": await cut(context, details["result"]), "url": details["url"]}
    images = [
        {"data": item["data"], "mimeType": item["mimeType"]}
        for item in report["content"]
        if item["type"] == "image"
    ]
    told |= without_empty({"images": images, "screenshots": details.get("screenshots")})
    if images and len(details["result"]) <= OUTPUT_SHOWN:
        told["ordered"] = _in_order(report["content"])
    if error := report.get("error"):
        hint = error.get("hint") or "mend the code; state and the tab are as they were left"
        # The hint of an error that the code raised may quote the page.
        ours = () if error.get("hint") else ("hint",)
        line = {"line": error["line"]} if error.get("line") else {}
        words = f"{error['kind']}: {error['message']}"
        return {"success": False, "error": words, "hint": hint, **line, **told, "ours": ours}
    return told


def _in_order(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was shown, in its order: texts, and pictures by their number among the images."""
    shown: list[dict[str, Any]] = []
    for item in content:
        if item["type"] == "image":
            shown.append({"image": sum("image" in one for one in shown)})
        else:
            shown.append({"text": item["text"]})
    return shown


@tool("code", changes=True, dangerous=True, free=True, tab=False)
async def reset(context: ToolContext, tabs: bool = False) -> Fields:
    """Begin anew: forget the state of execute and blocked calls.

    tabs: also close your tabs
    """
    context.session.kept.clear()
    context.session.tab = "main"
    told: Fields = {"reset": True}
    if tabs:
        told["closed"] = (await context.call("close", all=True))["details"]["closed"]
    return told
