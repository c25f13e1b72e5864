"""Going and waiting: navigation, waits, and code in the page."""

from __future__ import annotations

from typing import Any

from pilothouse.errors import ToolError
from pilothouse.page.evaluate import Evaluated
from pilothouse.page.lifecycle import Arrival
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
]

Arrived = Outcome[Arrival]


@verb(changes=True)
async def goto(tab: OwnedTab, url: str, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Go to an address.

    wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
    """
    return await tab.page.goto(url, wait_until, timeout)


@verb(changes=True)
async def back(tab: OwnedTab, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Go back in the history."""
    return await tab.page.back(wait_until, timeout)


@verb(changes=True)
async def forward(tab: OwnedTab, wait_until: str = "load", timeout: float = 30.0) -> Arrived:
    """Go forward in the history."""
    return await tab.page.forward(wait_until, timeout)


@verb(changes=True)
async def reload(
    tab: OwnedTab, ignore_cache: bool = False, wait_until: str = "load", timeout: float = 30.0
) -> Arrived:
    """Load the page again."""
    return await tab.page.reload(ignore_cache, wait_until, timeout)


@verb(changes=True, free=True)
async def stop(tab: OwnedTab) -> Any:
    """Stop loading."""
    await tab.page.navigation.stop()
    return {"stopped": True}


@verb(changes=True)
async def evaluate(
    tab: OwnedTab,
    code: str,
    args: list[Any] = [],  # noqa: B006
    frame_id: str = "",
    world: str = "main",
    timeout: float = 30.0,
) -> Any:
    """Run JavaScript in the page: an expression, a body with return, or a function with args.

    world: main is the page's own, isolated sees the same document and none of its variables
    """
    outcome = await tab.page.evaluate(code, *args, frame_id=frame_id, world=world, timeout=timeout)
    if outcome.value is None:
        return outcome
    return outcome.value.value


@verb()
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
    """Wait for one thing to come true.

    selector: CSS of an element; state: visible, hidden, attached or detached
    text: a text that any frame shows; text_gone: one that none shows any more
    url: a part of the address, or a glob
    function: JavaScript that gives something true
    response: an address whose answer is waited for; a glob or a part
    """
    waits = tab.page.waits
    asked: list[Any] = []
    if selector:
        asked.append(lambda: waits.for_selector(selector, state, timeout=timeout))
    if text:
        asked.append(lambda: waits.for_text(text, timeout=timeout))
    if text_gone:
        asked.append(lambda: waits.for_text(text_gone, gone=True, timeout=timeout))
    if url:
        asked.append(lambda: waits.for_url(url, timeout))
    if function:
        asked.append(lambda: waits.for_function(function, timeout=timeout))
    if response:
        asked.append(lambda: waits.for_response(response, timeout))
    if request:
        asked.append(lambda: waits.for_request(request, timeout))
    if idle:
        asked.append(lambda: waits.for_idle(timeout=timeout))
    if download:
        asked.append(lambda: waits.for_download(timeout=timeout))
    if popup:
        asked.append(lambda: waits.for_popup(timeout))
    if len(asked) != 1:
        raise ToolError(
            f"wait_for: {len(asked)} things are named", hint="name one: selector, text, url, …"
        )
    return await asked[0]()


@verb(free=True)
async def result(tab: OwnedTab, action_id: str, timeout: float = 30.0) -> Any:
    """The result of an action that something had blocked, once that is answered."""
    if action_id not in tab.actions:
        known = ", ".join(sorted(tab.actions)) or "none"
        raise ToolError(f"there is no action {action_id}", hint=f"waiting actions: {known}")
    outcome = await tab.supervisor.actions.result(action_id, timeout)
    if outcome.action_id:
        raise ToolError(
            f"{action_id} is still under way", hint="answer what blocks it, then ask again"
        )
    tab.actions.discard(action_id)
    return outcome.value.value if isinstance(outcome.value, Evaluated) else outcome
