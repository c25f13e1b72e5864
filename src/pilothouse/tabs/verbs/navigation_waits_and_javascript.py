"""Navigation verbs: goto, history, waits, JavaScript in the page, results of blocked actions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pilothouse.errors import ToolError, UsageError, WaitTimeout, plural
from pilothouse.page.input import Query, parse_selector
from pilothouse.page.navigation import POLL_S, STATES, MatchCount, NavigationOutcome, Wait
from pilothouse.page.script import EvaluationResult
from pilothouse.page.snapshot import Ref
from pilothouse.supervisor import Outcome
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb

__all__ = [
    "Arrived",
    "back",
    "evaluate",
    "forward",
    "goto",
    "reload",
    "result",
    "stop",
    "wait_for",
    "wait_for_response",
    "wait_for_url",
]

Arrived = Outcome[NavigationOutcome]


@verb(changes=True)
async def goto(tab: OwnedTab, url: str, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Navigate to a URL.

    url: the URL; without a scheme, https:// is added (http:// for this machine)
    wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
    timeout: seconds
    """
    return await tab.page.goto(url, wait_until, timeout)


@verb(changes=True)
async def back(tab: OwnedTab, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Go back in the tab's history."""
    return await tab.page.back(wait_until, timeout)


@verb(changes=True)
async def forward(tab: OwnedTab, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Go forward in the tab's history."""
    return await tab.page.forward(wait_until, timeout)


@verb(changes=True)
async def reload(
    tab: OwnedTab, ignore_cache: bool = False, wait_until: str = "load", timeout: float = 30.0
) -> Arrived:
    """Reload the page.

    ignore_cache: load everything from the network
    """
    return await tab.page.reload(ignore_cache, wait_until, timeout)


@verb(changes=True, free=True)
async def stop(tab: OwnedTab) -> Any:
    """Stop loading the page."""
    await tab.page.navigation.stop()
    return {"stopped": True}


@verb(changes=True, rest="args", fields={"arguments": "args"})
async def evaluate(
    tab: OwnedTab,
    code: str,
    args: list[Any] = [],  # noqa: B006
    frame_id: str = "",
    world: str = "main",
    timeout: float = 30.0,
) -> Any:
    """Run JavaScript in the page: an expression, a body with return, or a function with args.

    args: arguments for the function
    frame_id: the frame to run it in; by default the main frame
    world: main, the page's own; isolated has the document but not the page's variables
    timeout: seconds
    """
    outcome = await tab.page.evaluate(code, *args, frame_id=frame_id, world=world, timeout=timeout)
    if outcome.value is None:
        return outcome
    return outcome.value.value


@verb(
    fields={
        "css": "selector",
        "text": "text or text_gone",
        "url pattern": "url or response or request",
        "code": "function",
    }
)
async def wait_for(
    tab: OwnedTab,
    selector: str = "",
    state: str = "visible",
    text: str = "",
    text_gone: str = "",
    url: str = "",
    function: str = "",
    response: str = "",
    request: str = "",
    idle: bool = False,
    download: bool = False,
    popup: bool = False,
    timeout: float = 30.0,
) -> Any:
    """Wait until one condition is true. Give exactly one condition.

    selector: CSS, text=…, button=… or a ref; state: visible, hidden, attached or detached
    text: text visible in any frame; text_gone: text no longer visible in any frame
    url: part of the tab's URL, or a glob
    function: JavaScript that returns a true value
    response: the next response from a URL; part of it, or a glob
    request: the next request to a URL; part of it, or a glob
    idle: until no request has been running for half a second
    download: until the next download has finished
    popup: until the page opens a new tab
    timeout: seconds
    """
    waits = tab.page.waits
    ways: dict[str, tuple[Any, Callable[[], Awaitable[Any]]]] = {
        "selector": (selector, lambda: _for_element(tab, selector, state, timeout)),
        "text": (text, lambda: waits.for_text(text, timeout=timeout)),
        "text_gone": (text_gone, lambda: waits.for_text(text_gone, gone=True, timeout=timeout)),
        "url": (url, lambda: waits.for_url(url, timeout)),
        "function": (function, lambda: waits.for_function(function, timeout=timeout)),
        "response": (response, lambda: waits.for_response(response, timeout)),
        "request": (request, lambda: waits.for_request(request, timeout)),
        "idle": (idle, lambda: waits.for_idle(timeout=timeout)),
        "download": (download, lambda: waits.for_download(timeout=timeout)),
        "popup": (popup, lambda: waits.for_popup(timeout)),
    }
    named = [name for name, (given, _) in ways.items() if given]
    if len(named) != 1:
        said = f"{' and '.join(named)} are both given" if named else "nothing to wait for is given"
        raise UsageError(f"wait_for: {said}", hint=f"give one of {', '.join(ways)}")
    return await ways[named[0]][1]()


def _for_element(tab: OwnedTab, said: str, state: str, timeout: float) -> Wait[MatchCount]:
    """Wait for an element. Plain CSS is watched in the page; other selectors are polled."""
    target = parse_selector(said, field="selector")
    if isinstance(target, Query) and target.is_plain_css:
        return tab.page.waits.for_selector(target.value, state, timeout=timeout)
    if state not in STATES:
        raise UsageError(f"state: unknown value {state!r}", hint=f"use one of {', '.join(STATES)}")
    wait: Wait[MatchCount] = Wait(tab.page.tab_context, f"{said!r} to be {state}", timeout)

    first = 0 if isinstance(target, Query) and target.nth is None else None

    async def look() -> tuple[int, int]:
        count = int((await tab.page.inspect(said, "count")).value or 0)
        try:
            shown = (await tab.page.inspect(said, "visible", nth=first)).value if count else False
        except ToolError:
            if not isinstance(target, Ref):
                raise
            return 0, 0  # the element of the ref was removed between the two queries
        return count, int(bool(shown))

    async def poll() -> None:
        while True:
            count, visible = await look()
            wait.seen = (
                f"it matches {plural(count, 'element')}, {'shown' if visible else 'none shown'}"
            )
            wanted = {"visible": visible, "hidden": not visible, "attached": count}
            if wanted.get(state, not count):
                wait.resolve(MatchCount("", count, visible))
                return
            await asyncio.sleep(POLL_S)

    wait.start(poll)
    return wait


@verb(fields={"url pattern": "pattern"})
async def wait_for_url(tab: OwnedTab, pattern: str, timeout: float = 30.0) -> Any:
    """Wait until the tab's URL matches a pattern; return the full URL.

    pattern: part of the URL, a glob, or re:<regular expression>
    timeout: seconds
    """
    return await tab.page.waits.for_url(pattern, timeout)


@verb(fields={"url pattern": "pattern"})
async def wait_for_response(tab: OwnedTab, pattern: str, timeout: float = 30.0) -> Any:
    """Wait for the next response to a request of the page.

    pattern: part of the URL, a glob, or re:<regular expression>
    timeout: seconds
    """
    return await tab.page.waits.for_response(pattern, timeout)


@verb(free=True)
async def result(tab: OwnedTab, action_id: str, again: bool = False, timeout: float = 30.0) -> Any:
    """Return the result of an action that was blocked, after you answered what blocked it.

    A result is returned once.

    action_id: the id that the blocked action returned
    again: return at once if the action is still blocked, or blocked again
    timeout: seconds
    """
    actions = tab.supervisor.actions
    waiting = actions.parked_on(tab.tab_id)  # no other tab may fetch their results
    if action_id not in waiting:
        known = ", ".join(sorted(waiting)) or "none"
        raise ToolError(f"there is no action {action_id}", hint=f"waiting actions: {known}")
    if again:
        outcome = await actions.resume(tab.tab_id, action_id, timeout)
        if outcome.blocked_by:
            return outcome
    else:
        outcome = await actions.result(action_id, timeout)
    if outcome.action_id:
        raise WaitTimeout(
            f"{action_id} is still running",
            hint="answer what blocks it, if anything does; else try again, or wait longer",
        )
    return outcome.value.value if isinstance(outcome.value, EvaluationResult) else outcome
