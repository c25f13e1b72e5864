"""Tools that go somewhere, wait, and mind tabs."""

from __future__ import annotations

import asyncio
import difflib
from typing import Any, Literal

from pilothouse.browsers.page_picker import ID_SHOWN, is_id
from pilothouse.code.client import is_blocked
from pilothouse.errors import NotShared, ToolError, UsageError
from pilothouse.page.navigation import full_address
from pilothouse.tabs.open_request import LONGEST_S
from pilothouse.tools.blocked_calls import finished
from pilothouse.tools.bot_walls import auth_wall, bot_check, failed
from pilothouse.tools.catalog.inspection import arrived_at, looked
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import arrived, without_empty
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "browser_back",
    "browser_forward",
    "browser_navigate",
    "browser_reload",
    "browser_tabs",
    "browser_wait",
]

WaitUntil = Literal["load", "domcontentloaded", "networkidle0", "networkidle2", "commit", "settled"]
LONGEST_PAUSE_S = 60.0
# So many shared tabs are named in an error.
SHOWN = 8
_FAILED = ("error_page", "aborted", "pending")


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_navigate(
    context: ToolContext,
    url: str,
    wait_until: WaitUntil = "load",
    new_tab: bool = False,
    timeout: float = 30.0,
) -> Fields:
    """Go to a URL. Returns a snapshot."""
    asked = full_address(url)
    if new_tab:
        context.tab = await _free_name(context)
    opened = await _opened(
        context, name=context.tab, url=asked, wait_until=wait_until, timeout=timeout
    )
    if new_tab:
        context.session.tab = context.tab
    arrival = opened["details"]["arrival"]

    async def shape(arrival: Any) -> Fields:
        told = await _came(context, arrival, asked)
        return {"tab": context.tab, **told} if new_tab else told

    return await finished(context, "browser_navigate", arrival, shape)


async def _opened(context: ToolContext, **asked: Any) -> Any:
    """Open a tab; where the user lets nobody open one, say which tabs there are to use."""
    try:
        return await context.call("open", **asked)
    except NotShared as error:
        use = "; ".join(f'target="{name}" for {title!r}' for name, title in error.instead[:SHOWN])
        adopt = f'use a tab that the user shares: browser_tabs(action="adopt", {use}); or '
        where = asked.get("url") or "the page"
        error.hint = (
            f"{adopt if use else ''}ask the user to share one: open {where} in Chrome, click the "
            "Pilothouse icon, press Share"
        )
        raise


async def _free_name(context: ToolContext) -> str:
    taken = {tab["name"] for tab in await context.call("tabs")}
    if not taken:
        return "main"
    number = 2
    while f"tab{number}" in taken:
        number += 1
    return f"tab{number}"


async def _came(context: ToolContext, arrival: Any, asked: str) -> Fields:
    """Where a navigation led, and what is there."""
    told = arrived(arrival)
    if arrival["kind"] in _FAILED:
        why, hint = failed(arrival)
        return {
            **told,
            "success": False,
            "error": f"{asked} did not load: {why}",
            "hint": hint,
            "ours": ("error", "hint"),
        }
    if arrival["kind"] in ("download", "no_content"):
        return told
    warnings = {
        "bot_detection_warning": bot_check(told["title"], arrival.get("status", 0)),
        "auth_wall_warning": auth_wall(asked, told["url"], told["title"]),
    }
    return {**told, **without_empty(warnings), **await looked(context)}


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_back(context: ToolContext) -> Fields:
    """Go back in the history."""
    return await _moved(context, "browser_back", await context.verb("back"))


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_forward(context: ToolContext) -> Fields:
    """Go forward in the history."""
    return await _moved(context, "browser_forward", await context.verb("forward"))


@tool("browser", reads=True, changes=True)
async def browser_reload(context: ToolContext, ignore_cache: bool = False) -> Fields:
    """Load the page again."""
    answer = await context.verb("reload", ignore_cache=ignore_cache)
    return await _moved(context, "browser_reload", answer)


async def _moved(context: ToolContext, name: str, answer: Any) -> Fields:
    async def shape(arrival: Any) -> Fields:
        told = arrived(arrival)
        if arrival["kind"] in _FAILED:
            why, hint = failed(arrival)
            error = f"the page is as it was: {why}"
            return {
                **told,
                "success": False,
                "error": error,
                "hint": hint,
                "ours": ("error", "hint"),
            }
        return {**told, "changes": [f"went to {arrival['url']}"], **await arrived_at(context)}

    return await finished(context, name, answer, shape)


@tool("browser", reads=True)
async def browser_wait(
    context: ToolContext,
    text: str = "",
    text_gone: str = "",
    ref: str = "",
    state: Literal["visible", "hidden", "attached", "detached"] = "visible",
    url: str = "",
    idle: bool = False,
    seconds: float = 0,
    timeout: float = 30.0,
) -> Fields:
    """Wait for one thing.

    ref: wait for its state
    url: part or glob
    idle: no requests
    """
    named = without_empty(
        {"text": text, "text_gone": text_gone, "ref": ref, "url": url, "idle": idle or None}
    )
    if seconds:
        named["seconds"] = seconds
    if len(named) != 1:
        said = f"{' and '.join(named)} are both given" if named else "nothing to wait for is given"
        raise UsageError(
            f"browser_wait: {said}", hint="give one of text, text_gone, ref, url, idle, seconds"
        )
    ((name, what),) = named.items()
    timeout = min(timeout, LONGEST_S)
    if name == "seconds":
        if not 0 < seconds <= LONGEST_PAUSE_S:
            raise ToolError(f"seconds: {seconds:g} will not do", hint=f"up to {LONGEST_PAUSE_S:g}")
        await asyncio.sleep(seconds)
        return {"waited_for": named}
    if name == "ref":
        answer = await context.verb("wait_for", selector=ref, state=state, timeout=timeout)
    else:
        answer = await context.verb("wait_for", **{name: what}, timeout=timeout)

    async def shape(found: Any) -> Fields:
        return {"waited_for": named, "url": await context.verb("url")}

    return await finished(context, "browser_wait", answer, shape)


@tool("browser", reads=True, changes=True, free=True, tab=False)
async def browser_tabs(
    context: ToolContext,
    action: Literal["list", "new", "select", "close", "adopt"] = "list",
    name: str = "",
    url: str = "",
    target: str = "",
) -> Fields:
    """List, open, select and close your tabs; adopt one that the user shares from their Chrome.

    name: default: current; new and adopt choose one
    target: shared tab: id, or part of title or address
    """
    session = context.session
    tabs = await context.call("tabs")
    if url and action != "new":
        raise ToolError(f"url: {action} takes none", hint="use action new, or browser_navigate")
    if bool(target) != (action == "adopt"):
        need = "adopt needs the shared tab" if action == "adopt" else f"{action} takes none"
        raise ToolError(f"target: {need}", hint="browser_tabs() lists the shared tabs with ids")
    told: Fields = {}
    if action == "adopt":
        told = await _adopted(context, name, target)
    if action == "new":
        wanted = name or await _free_name(context)
        opened = await _opened(context, name=wanted, **({"url": url} if url else {}))
        session.tab = wanted
        arrival = opened["details"].get("arrival")
        if is_blocked(arrival):
            context.tab = session.tab

            async def shape(arrival: Any) -> Fields:
                return arrived(arrival)

            return await finished(context, "browser_tabs", arrival, shape)
    elif action == "select":
        session.tab = _found(tabs, name)
    elif action == "close":
        gone = _found(tabs, name or session.tab)
        await context.call("close", name=gone)
        left = [tab["name"] for tab in tabs if tab["name"] != gone]
        if session.tab == gone:
            session.tab = left[-1] if left else "main"
        told["closed"] = gone
    listed = tabs if action == "list" else await context.call("tabs")
    shown = {**told, "tabs": [_shown(tab, session.tab) for tab in listed], "current": session.tab}
    if action not in ("list", "adopt"):
        return shown
    shared = (await context.call("relay.shared"))["tabs"]
    return {**shown, **without_empty({"shared": [_shown_shared(tab) for tab in shared]})}


async def _adopted(context: ToolContext, name: str, target: str) -> Fields:
    """Take over a tab that the user shares."""
    known = await context.call("relay.shared")
    if not known["open"]:
        raise ToolError(
            "target: no Chrome is shared: the relay is closed",
            hint="ask the user to run `pilothouse relay start`",
            quotes=(),
        )
    tab = _meant(known["tabs"], target)
    wanted = name or await _free_name(context)
    opened = await context.call(
        "open", name=wanted, browser="extension", profile=tab["profile"], target=tab["target"]
    )
    context.session.tab = context.tab = wanted
    return {"adopted": wanted, "result": opened["text"]}


def _meant(shared: list[dict[str, str]], target: str) -> dict[str, str]:
    """The shared tab that is meant. Raises ToolError for none and for several."""
    part = target.casefold()
    found = [tab for tab in shared if is_id(target) and tab["target"].casefold().startswith(part)]
    found = found or [
        tab for tab in shared if part in tab["title"].casefold() or part in tab["url"].casefold()
    ]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(
        f"{tab['target'][:ID_SHOWN]} {tab['title'][:60]!r}" for tab in (found or shared)[:SHOWN]
    )
    if found:
        raise ToolError(f"target: {len(found)} shared tabs match {target!r}: {listed}",
                        hint="name one by its id")  # fmt: skip
    ask = "ask the user to share it: in that tab click the Pilothouse icon, press Share"
    said = (
        f"the shared tabs: {listed}" if listed else "the user shares none, or another agent uses it"
    )
    raise ToolError(f"target: no shared tab matches {target!r}; {said}", hint=ask)


def _shown_shared(tab: dict[str, str]) -> dict[str, str]:
    kept = {key: tab[key] for key in ("title", "url", "shared_by")}
    return {"id": tab["target"][:ID_SHOWN], **kept}


def _found(tabs: list[dict[str, Any]], name: str) -> str:
    for tab in tabs:
        if name in (tab["name"], tab["id"]):
            return str(tab["name"])
    names = [str(tab["name"]) for tab in tabs]
    near = difflib.get_close_matches(name, names, 1)
    listed = ", ".join(names) or "none"
    hint = f"did you mean {near[0]}? " if near else ""
    raise ToolError(f"name: there is no tab {name!r}", hint=f"{hint}your tabs: {listed}")


def _shown(tab: dict[str, Any], present: str) -> dict[str, Any]:
    shown = {key: tab[key] for key in ("name", "url", "title")}
    if tab["name"] == present:
        shown["current"] = True
    return shown
