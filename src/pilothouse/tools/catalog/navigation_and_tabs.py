"""Tools to navigate, wait, and manage tabs."""

from __future__ import annotations

import asyncio
import difflib
from typing import Any, Literal

from pilothouse.browsers.target_choice import ID_SHOWN, is_target_id
from pilothouse.code.client import is_blocked
from pilothouse.errors import TabNotFound, TabNotShared, ToolError, UsageError
from pilothouse.page.navigation import normalize_url
from pilothouse.tabs.open_and_close_requests import clamp_timeout
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.catalog.snapshot_and_images import snapshot_new_page, take_snapshot
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import RELEASED_NOTE, drop_empty, format_navigation
from pilothouse.tools.tool import Fields, tool
from pilothouse.tools.wrong_page_warnings import (
    bot_check_warning,
    explain_failed_navigation,
    login_wall_warning,
)

__all__ = [
    "browser_back",
    "browser_forward",
    "browser_navigate",
    "browser_reload",
    "browser_tabs",
    "browser_wait",
]

WaitUntil = Literal["load", "domcontentloaded", "networkidle0", "networkidle2", "commit", "settled"]
MAX_PAUSE_S = 60.0
# An error names at most this many shared tabs.
SHARED_TABS_SHOWN = 8
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
    requested = normalize_url(url)
    if new_tab:
        context.tab = await _free_name(context)
    opened = await _open_tab(
        context, name=context.tab, url=requested, wait_until=wait_until, timeout=timeout
    )
    if new_tab:
        context.session.tab = context.tab
    arrival = opened["details"]["arrival"]

    async def shape(arrival: Any) -> Fields:
        fields = await _navigation_result(context, arrival, requested)
        return {"tab": context.tab, **fields} if new_tab else fields

    return await finish_call(context, "browser_navigate", arrival, shape)


async def _open_tab(context: ToolContext, **requested: Any) -> Any:
    """Open a tab. If the user allows only shared tabs, the error's hint names those."""
    try:
        return await context.call("open", **requested)
    except TabNotShared as error:
        use = "; ".join(
            f'target="{name}" for {title!r}'
            for name, title in error.shared_tabs[:SHARED_TABS_SHOWN]
        )
        adopt = f'use a shared tab: browser_tabs(action="adopt", {use}); or '
        where = requested.get("url") or "the page"
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


async def _navigation_result(context: ToolContext, arrival: Any, requested: str) -> Fields:
    """Return where a navigation led, with warnings and a snapshot."""
    fields = format_navigation(arrival)
    if arrival["kind"] in _FAILED:
        why, hint = explain_failed_navigation(arrival)
        return {
            **fields,
            "success": False,
            "error": f"{requested} did not load: {why}",
            "hint": hint,
            "trusted": ("error", "hint"),
        }
    if arrival["kind"] in ("download", "no_content"):
        return fields
    warnings = {
        "bot_detection_warning": bot_check_warning(fields["title"], arrival.get("status", 0)),
        "auth_wall_warning": login_wall_warning(requested, fields["url"], fields["title"]),
    }
    return {**fields, **drop_empty(warnings), **await take_snapshot(context)}


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_back(context: ToolContext) -> Fields:
    """Go back in the history."""
    return await _history_result(context, "browser_back", await context.verb("back"))


@tool("browser", reads=True, changes=True, reversible=True)
async def browser_forward(context: ToolContext) -> Fields:
    """Go forward in the history."""
    return await _history_result(context, "browser_forward", await context.verb("forward"))


@tool("browser", reads=True, changes=True)
async def browser_reload(context: ToolContext, ignore_cache: bool = False) -> Fields:
    """Load the page again."""
    answer = await context.verb("reload", ignore_cache=ignore_cache)
    return await _history_result(context, "browser_reload", answer)


async def _history_result(context: ToolContext, name: str, answer: Any) -> Fields:
    async def shape(arrival: Any) -> Fields:
        fields = format_navigation(arrival)
        if arrival["kind"] in _FAILED:
            why, hint = explain_failed_navigation(arrival)
            error = f"the page did not change: {why}"
            return {
                **fields,
                "success": False,
                "error": error,
                "hint": hint,
                "trusted": ("error", "hint"),
            }
        return {
            **fields,
            "changes": [f"went to {arrival['url']}"],
            **await snapshot_new_page(context),
        }

    return await finish_call(context, name, answer, shape)


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
    """Wait for one condition.

    ref: until it has state
    url: part or glob
    idle: no pending requests
    """
    named = drop_empty(
        {"text": text, "text_gone": text_gone, "ref": ref, "url": url, "idle": idle or None}
    )
    if seconds:
        named["seconds"] = seconds
    if len(named) != 1:
        said = f"{' and '.join(named)} are given" if named else "no condition is given"
        raise UsageError(
            f"browser_wait: {said}",
            hint="give exactly one of text, text_gone, ref, url, idle, seconds",
        )
    ((name, what),) = named.items()
    timeout = clamp_timeout(timeout)
    if name == "seconds":
        if not 0 < seconds <= MAX_PAUSE_S:
            raise UsageError(
                f"seconds: expected more than 0 and at most {MAX_PAUSE_S:g}, got {seconds:g}",
                hint="wait for what should appear instead: text, ref or url",
            )
        await asyncio.sleep(seconds)
        return {"waited_for": named}
    if name == "ref":
        answer = await context.verb("wait_for", selector=ref, state=state, timeout=timeout)
    else:
        answer = await context.verb("wait_for", **{name: what}, timeout=timeout)

    async def shape(found: Any) -> Fields:
        return {"waited_for": named, "url": await context.verb("url")}

    return await finish_call(context, "browser_wait", answer, shape)


@tool("browser", reads=True, changes=True, free=True, tab=False)
async def browser_tabs(
    context: ToolContext,
    action: Literal["list", "new", "select", "close", "adopt"] = "list",
    name: str = "",
    url: str = "",
    target: str = "",
) -> Fields:
    """List, open, select or close your tabs, or adopt one of the user's or connected browser.

    name: default: current tab; a free name for new and adopt
    target: tab to adopt: id, or part of title or URL
    """
    session = context.session
    tabs = await context.call("tabs")
    if url and action != "new":
        raise UsageError(
            f"url: not allowed with action {action}", hint="use action new, or browser_navigate"
        )
    if bool(target) != (action == "adopt"):
        need = "missing" if action == "adopt" else f"not allowed with action {action}"
        raise UsageError(
            f"target: {need}", hint="call browser_tabs() for the shared tabs and their ids"
        )
    fields: Fields = {}
    if action == "adopt":
        fields = await _adopt_tab(context, name, target)
    if action == "new":
        wanted = name or await _free_name(context)
        opened = await _open_tab(context, name=wanted, **({"url": url} if url else {}))
        session.tab = wanted
        arrival = opened["details"].get("arrival")
        if is_blocked(arrival):
            context.tab = session.tab

            async def shape(arrival: Any) -> Fields:
                return format_navigation(arrival)

            return await finish_call(context, "browser_tabs", arrival, shape)
    elif action == "select":
        session.tab = _find_tab(tabs, name)
    elif action == "close":
        gone = _find_tab(tabs, name or session.tab)
        closed = (await context.call("close", name=gone))["details"]
        left = [tab["name"] for tab in tabs if tab["name"] != gone]
        if session.tab == gone:
            session.tab = left[-1] if left else "main"
        if gone in closed["released"]:
            fields = {"released": gone, "note": RELEASED_NOTE, "trusted": ("note",)}
        else:
            fields["closed"] = gone
    listed = tabs if action == "list" else await context.call("tabs")
    shown = {
        **fields,
        "tabs": [_format_tab(tab, session.tab) for tab in listed],
        "current": session.tab,
    }
    if action not in ("list", "adopt"):
        return shown
    shared = (await context.call("relay.shared"))["tabs"]
    return {**shown, **drop_empty({"shared": [_format_shared_tab(tab) for tab in shared]})}


async def _adopt_tab(context: ToolContext, name: str, target: str) -> Fields:
    """Adopt a page of the connected browser, or a tab that the user shares, under a name."""
    known = await context.call("relay.shared")
    wanted = name or await _free_name(context)
    if known["connected"]:
        where = {"target": target}
    elif known["open"]:
        tab = _match_shared_tab(known["tabs"], target)
        where = {"browser": "extension", "profile": tab["profile"], "target": tab["target"]}
    else:
        raise ToolError(
            "target: no Chrome is shared, because the relay is not running",
            hint="ask the user to run `pilothouse relay start`",
            untrusted=(),
        )
    opened = await context.call("open", name=wanted, **where)
    context.session.tab = context.tab = wanted
    return {"adopted": wanted, "result": opened["text"]}


def _match_shared_tab(shared: list[dict[str, str]], target: str) -> dict[str, str]:
    """Return the shared tab that matches an id, or a part of title or URL. Raises ToolError if none
    or several match."""
    part = target.casefold()
    found = [
        tab for tab in shared if is_target_id(target) and tab["target"].casefold().startswith(part)
    ]
    found = found or [
        tab for tab in shared if part in tab["title"].casefold() or part in tab["url"].casefold()
    ]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(
        f"{tab['target'][:ID_SHOWN]} {tab['title'][:60]!r}"
        for tab in (found or shared)[:SHARED_TABS_SHOWN]
    )
    if found:
        raise ToolError(f"target: {len(found)} shared tabs match {target!r}: {listed}",
                        hint="give the id of one of them")  # fmt: skip
    ask = "ask the user to share it: in that tab, click the Pilothouse icon and press Share"
    said = f"shared tabs: {listed}" if listed else "the user shares none, or another agent uses it"
    raise ToolError(f"target: no shared tab matches {target!r}; {said}", hint=ask)


def _format_shared_tab(tab: dict[str, str]) -> dict[str, str]:
    kept = {key: tab[key] for key in ("title", "url", "shared_by")}
    return {"id": tab["target"][:ID_SHOWN], **kept}


def _find_tab(tabs: list[dict[str, Any]], name: str) -> str:
    for tab in tabs:
        if name in (tab["name"], tab["id"]):
            return str(tab["name"])
    names = [str(tab["name"]) for tab in tabs]
    near = difflib.get_close_matches(name, names, 1)
    listed = ", ".join(names) or "none"
    hint = f"did you mean {near[0]}? " if near else ""
    raise TabNotFound(
        f"name: unknown tab {name!r}", hint=f"{hint}your tabs: {listed}", untrusted=()
    )


def _format_tab(tab: dict[str, Any], present: str) -> dict[str, Any]:
    shown = {key: tab[key] for key in ("name", "url", "title")}
    if tab["name"] == present:
        shown["current"] = True
    return shown
