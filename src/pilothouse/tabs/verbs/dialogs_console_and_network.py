"""Diagnostic verbs: dialogs and other interrupts, console, network log, routes."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from pilothouse.errors import ToolError, UsageError
from pilothouse.page.local_files import check_upload
from pilothouse.page.network import BlockRequest, ChangeRequest, MockResponse, build_har
from pilothouse.security.secrets import reveal
from pilothouse.supervisor import agent_view as view
from pilothouse.tabs.hand_over import ask_person, person_has
from pilothouse.tabs.tabs import OwnedTab
from pilothouse.tabs.verb import verb
from pilothouse.tabs.verb_and_tool_declaration import NonNegativeInt

__all__ = [
    "answer",
    "console",
    "dialogs",
    "errors",
    "handle_dialog",
    "har",
    "request",
    "request_human",
    "requests",
    "route",
    "routes",
    "unroute",
]


@verb(free=True)
async def dialogs(tab: OwnedTab) -> Any:
    """List open dialogs, recently closed dialogs and other interrupts."""
    state, clock = tab.supervisor.state, tab.supervisor.clock
    if person_has(tab):
        asked = [i for i in view.interrupts(state, tab.tab_id, clock) if i["kind"] == "human"]
        return {"pending_dialogs": [], "recent_dialogs": [], "interrupts": asked}
    return {
        "pending_dialogs": view.pending_dialogs(state, tab.tab_id, clock),
        "recent_dialogs": view.recent_dialogs(state, tab.tab_id, clock),
        "interrupts": view.interrupts(state, tab.tab_id, clock),
    }


@verb(changes=True, free=True, fields={"promptText": "text"})
async def handle_dialog(
    tab: OwnedTab,
    accept: bool = True,
    text: str | None = None,
    dialog_id: str | None = None,
) -> Any:
    """Answer a JavaScript dialog.

    accept: true presses OK, false presses Cancel
    text: the text to enter into a prompt
    dialog_id: which dialog; needed only if several are open
    """
    state = tab.supervisor.state
    mine = [d.id for d in state.dialogs.values() if d.tab == tab.tab_id]
    over = [c.dialog.id for c in state.recent_dialogs if c.dialog.tab == tab.tab_id]
    if dialog_id is not None and dialog_id not in (*mine, *over):
        names = ", ".join(mine) or "none"
        raise ToolError(f"there is no dialog {dialog_id}", hint=f"pending dialogs: {names}")
    if text is not None:
        wanted = dialog_id or (mine[0] if len(mine) == 1 else "")
        asks = state.dialogs.get(wanted)
        text = reveal(text, asks.url or asks.origin if asks else "")
    return await tab.supervisor.answer(
        accept=accept, text=text, dialog_id=dialog_id, tab=tab.tab_id
    )


@verb(changes=True, free=True, fields={"path": "detail.files", "paths": "detail.files"})
async def answer(
    tab: OwnedTab,
    interrupt_id: str,
    action: str,
    detail: dict[str, Any] = {},  # noqa: B006
) -> Any:
    """Answer an interrupt that is not a dialog: a login, a file chooser, a permission prompt.

    interrupt_id: its id, such as i-1; `dialogs` lists it
    action: one of its answers, such as provide, upload, grant, deny or cancel
    detail: data for the answer: {"username": "ann", "password": "…"} or {"files": ["a.txt"]}
    """
    waiting = tab.supervisor.state.interrupts
    mine = [one.id for one in waiting.values() if one.tab == tab.tab_id]
    if interrupt_id not in mine:
        known = ", ".join(mine) or "none"
        raise ToolError(f"there is no interrupt {interrupt_id}", hint=f"pending: {known}")
    # A secret's origins are checked against the server that asks, not against the page shown.
    asks = waiting[interrupt_id]
    detail = reveal(detail, str(asks.detail.get("origin") or asks.origin))
    if "files" in detail:
        # A file chooser accepts the same files as an upload.
        allowed, files = tab.page.files, detail["files"]
        given = files if isinstance(files, list) else [files]
        checked = [
            str(await asyncio.to_thread(check_upload, one, allowed.reads, allowed.never))
            for one in given
        ]
        detail = {**detail, "files": checked}
    tab.supervisor.answer_interrupt(interrupt_id, action, **detail)
    return {"answered": interrupt_id}


@verb(changes=True)
async def request_human(
    tab: OwnedTab,
    reason: str,
    choices: list[str] = [],  # noqa: B006
    within: float = 600.0,
) -> Any:
    """Ask a person to do something in the tab, such as to sign in, or to answer.

    Until then the person has the tab. The call returns at once with an `action_id`; `result`
    waits for the person, and tells what the person answered and changed.

    reason: what the person should do, in one or two sentences
    choices: answers to choose from, if you ask a question
    within: seconds until the request expires
    """
    return await ask_person(tab, reason, choices, within)


@verb(free=True)
async def console(
    tab: OwnedTab, since: int | None = None, level: str = "debug", limit: int = 100
) -> Any:
    """Read console messages and uncaught errors of the page.

    since: only entries from this number on; use `next_seq` of an earlier answer
    level: the lowest level to return: debug, info, warning or error
    limit: return at most this many of the latest entries
    """
    return tab.page.console.entries(since, level, limit)


@verb(free=True)
async def errors(tab: OwnedTab, limit: int = 50) -> Any:
    """Read console errors and uncaught errors of the page.

    limit: return at most this many of the latest errors
    """
    return tab.page.console.entries(None, "error", limit)


@verb(free=True, fields={"url pattern": "url"})
async def requests(
    tab: OwnedTab,
    since: str = "",
    url: str = "",
    type: str = "",
    failed: bool | None = None,
    limit: NonNegativeInt = 100,
) -> Any:
    """List the network requests of the page, newest last.

    since: only requests after this id
    url: part of the URL, or a glob
    type: only this resource type, such as xhr, fetch, image or document
    failed: true: only failed requests; false: only others
    limit: return at most this many of the latest requests
    """
    found = tab.page.network.entries(since or None, url, type, None, failed)
    return {
        "requests": [entry.as_dict() for entry in found[-limit:]],
        "total": len(found),
        "dropped": tab.page.network.dropped,
    }


@verb(free=True)
async def request(tab: OwnedTab, id: str, body: bool = False) -> Any:
    """Read one network request with its headers.

    id: the request's id; `requests` lists it
    body: also return the response body
    """
    shown = tab.page.network.entry(id).as_dict()
    if body:
        shown["body"] = await tab.page.network.body(id)
    return shown


@verb(free=True, fields={"url pattern": "url"})
async def har(tab: OwnedTab, url: str = "") -> Any:
    """Return the network log in HAR format.

    url: part of the URL, or a glob; only these requests
    """
    # Redact first: HAR splits queries into parts, and part of a secret would not be recognized.
    redact = tab.secrets.redactor.redact_text
    entries = tab.page.network.entries(url=url)
    return build_har([replace(entry, url=redact(entry.url)) for entry in entries])


@verb(changes=True, free=True, fields={"url pattern": "pattern"})
async def route(
    tab: OwnedTab,
    pattern: str,
    action: str = "block",
    status: int = 200,
    headers: dict[str, str] = {},  # noqa: B006
    body: str = "",
    url: str = "",
    times: int = 0,
) -> Any:
    """Block, mock or change later requests whose URL matches a pattern.

    pattern: part of the URL, a glob, or re:<regular expression>
    action: block, mock (status, headers, body) or continue (headers, url)
    status: HTTP status of the mocked response
    headers: headers of the mocked response, or request headers to send instead
    body: body of the mocked response
    url: with continue: the URL to request instead
    times: how many requests to handle; 0 means all
    """
    rule: Any
    if action == "block":
        rule = BlockRequest()
    elif action == "mock":
        rule = MockResponse(status=status, headers=headers, body=body.encode())
    elif action == "continue":
        rule = ChangeRequest(headers=headers, url=url)
    else:
        raise UsageError(f"action: unknown value {action!r}", hint="use block, mock or continue")
    return {"id": await tab.page.routes.add(pattern, rule, times=times)}


@verb(changes=True, free=True)
async def unroute(tab: OwnedTab, id: str = "") -> Any:
    """Remove a route, or all routes if no id is given.

    id: the id that `route` returned, such as route-1
    """
    if id:
        await tab.page.routes.remove(id)
        return {"removed": 1}
    return {"removed": await tab.page.routes.clear()}


@verb(free=True)
async def routes(tab: OwnedTab) -> Any:
    """List the routes of the tab."""
    return tab.page.routes.list()
