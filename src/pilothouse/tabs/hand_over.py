"""Hand-over: an agent asks a person to do something in a tab, and learns what the person changed.

While a request is open, the person has the tab: agents' calls on it return at once, blocked by
`human`, and nothing of the page is read for them. Only a person can answer a request.

Knows: the tab, its supervisor's state and its page. Must not know: on which surface the person
answers (the command line, the dashboard, the extension).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pilothouse.errors import CdpError, PersonHasTab, ToolError, UsageError
from pilothouse.page.snapshot import Node, SnapshotOptions, changed_lines
from pilothouse.supervisor import Interrupt, Outcome
from pilothouse.supervisor import agent_view as view
from pilothouse.supervisor.model import InterruptOpened, PersonDecision
from pilothouse.tabs.owned_tab_and_browser import OwnedTab

__all__ = [
    "HandOverResult",
    "ask_person",
    "decide_request",
    "list_requests",
    "person_has",
    "refuse_meanwhile",
]

_MAX_REQUEST_S = 86_400.0
_MAX_REASON = 500
_MAX_CHOICES = 10
# After the deadline the decision is in the state at once; this only covers a busy event loop.
_DECIDED_WITHIN_S = 5.0
_READ_WITHIN_S = 5.0

_OUTCOMES = {"done": "done", "answer": "answered", "refuse": "refused"}

# A request's id as people type it; unique in the daemon.
_numbers = itertools.count(1)


class HandOverResult(msgspec.Struct, frozen=True):
    """How a request ended, and what changed in the tab meanwhile.

    `outcome` is done, answered, refused, or expired if no person answered. `answer` is what the
    person wrote."""

    outcome: str
    request: str
    answer: str = ""
    changed: dict[str, Any] = msgspec.field(default_factory=dict)


class _TabFacts(msgspec.Struct, frozen=True):
    """What is compared before and after. `cookies` has a fingerprint of each by name and domain."""

    url: str
    title: str
    loader: str
    nodes: list[Node]
    cookies: Mapping[str, int]
    closed_dialogs: frozenset[str]
    downloads: frozenset[str]


async def ask_person(
    tab: OwnedTab, reason: str, choices: list[str], within: float
) -> Outcome[HandOverResult]:
    """Open a request. Returns at once, blocked by it; the action's result is a HandOverResult.

    Raises UsageError for a reason, choices or a time that a person cannot be shown."""
    _check_request(reason, choices, within)

    async def work() -> HandOverResult:
        before = await _read_facts(tab)
        interrupt = _open_request(tab, reason, choices, within)
        decision = await _wait_decided(tab, interrupt.id, within)
        return HandOverResult(
            _outcome(decision),
            interrupt.handle,
            decision.text,
            await _changes_since(tab, before, decision),
        )

    # As a coroutine, so that an open dialog does not keep the person from being asked.
    return await tab.supervisor.actions.race(tab.tab_id, work())


def _check_request(reason: str, choices: Iterable[str], within: float) -> None:
    """Raise UsageError for a request that a person cannot be shown."""
    if not reason.strip():
        raise UsageError("reason: empty", hint="say what the person should do, in one sentence")
    if len(reason) > _MAX_REASON:
        raise UsageError(
            f"reason: {len(reason)} characters; expected at most {_MAX_REASON}",
            hint="say it in one or two sentences",
        )
    given = list(choices)
    if len(given) > _MAX_CHOICES or not all(one.strip() for one in given):
        raise UsageError(
            f"choices: expected at most {_MAX_CHOICES} texts that are not empty",
            hint='give a few short answers, such as ["Economy", "Business"]',
        )
    if not 1 <= within <= _MAX_REQUEST_S:
        raise UsageError(
            f"within: {within:g} is out of range",
            hint=f"give 1 to {_MAX_REQUEST_S:g} seconds",
        )


# What agents may still call while a person has the tab. Neither reads anything of the page.
_ALLOWED_MEANWHILE = frozenset({"dialogs", "result"})


def person_has(tab: OwnedTab) -> bool:
    """Return whether a person has the tab now."""
    return _request_of(tab) is not None


def refuse_meanwhile(tab: OwnedTab, verb: str = "") -> None:
    """Raise PersonHasTab if a person has the tab, unless the verb is allowed meanwhile."""
    found = _request_of(tab)
    if found is None or verb in _ALLOWED_MEANWHILE:
        return
    raise PersonHasTab(
        f'a person has the tab "{tab.name}" (request {found.handle})',
        hint="use another tab, or call again after the person has answered",
        blocked_by={"id": found.id, "kind": found.kind, **found.detail},
    )


def list_requests(tabs: Iterable[OwnedTab]) -> list[dict[str, Any]]:
    """List the open requests of these tabs, the oldest first, as a person reads them."""
    found = [(one, tab) for tab in tabs if (one := _request_of(tab)) is not None]
    found.sort(key=lambda pair: pair[0].opened_at)
    return [_describe_request(one, tab) for one, tab in found]


def decide_request(tabs: Iterable[OwnedTab], request: str, action: str, text: str) -> None:
    """Answer a request as a person. Raises ToolError if there is none of that id, or if the action
    does not fit."""
    known = {one.handle: (one, tab) for tab in tabs if (one := _request_of(tab)) is not None}
    if request not in known:
        listed = ", ".join(known)
        raise ToolError(
            f"id: there is no open request {request!r}",
            hint=f"open requests: {listed}" if listed else "nothing waits for a person",
        )
    if action == "answer" and not text.strip():
        raise UsageError("text: missing", hint="write the answer that the agent gets")
    interrupt, tab = known[request]
    tab.supervisor.answer_as_person(interrupt.id, action, text)


def _request_of(tab: OwnedTab) -> Interrupt | None:
    waiting = tab.supervisor.state.interrupts.values()
    return next((i for i in waiting if i.kind == "human" and i.tab == tab.tab_id), None)


def _describe_request(interrupt: Interrupt, tab: OwnedTab) -> dict[str, Any]:
    clock = tab.supervisor.clock
    return {
        "id": interrupt.handle,
        "owner": tab.owner,
        "tab": tab.name,
        "browser": tab.kind.describe(),
        "url": tab.url,
        "reason": interrupt.detail.get("reason", ""),
        "choices": list(interrupt.detail.get("choices", ())),
        "answers": list(interrupt.answers),
        "opened_at": clock + interrupt.opened_at,
        "expires_at": clock + interrupt.opened_at + interrupt.deadline_s,
    }


def _open_request(tab: OwnedTab, reason: str, choices: list[str], within: float) -> Interrupt:
    supervisor = tab.supervisor
    session = supervisor.session(tab.tab_id)
    handle = f"h-{next(_numbers)}"
    detail: dict[str, Any] = {"request": handle, "reason": reason}
    if choices:
        detail["choices"] = choices
    supervisor.feed(
        InterruptOpened(
            supervisor.now(), "human", session.id, session.target_id, handle, detail, within
        )
    )
    opened = _request_of(tab)
    if opened is None or opened.handle != handle:
        raise ToolError("the tab is gone", hint="open it again, then ask again")
    return opened


async def _wait_decided(tab: OwnedTab, interrupt: str, within: float) -> PersonDecision:
    """Wait until a person or the deadline decides. Raises ToolError if the tab ends before."""

    supervisor = tab.supervisor
    await supervisor.wait_for(
        lambda state: interrupt not in state.interrupts, within + _DECIDED_WITHIN_S
    )
    for decision in supervisor.state.decisions:
        if decision.interrupt.id == interrupt:
            return decision
    raise ToolError(
        "the tab was closed before a person answered", hint="open it again, then ask again"
    )


def _outcome(decision: PersonDecision) -> str:
    return "expired" if decision.by == "deadline" else _OUTCOMES[decision.action]


async def _read_facts(tab: OwnedTab) -> _TabFacts:
    await tab.supervisor.refresh(tab.tab_id, _READ_WITHIN_S)  # Chrome reports titles late
    state = tab.supervisor.state
    shown = state.tabs.get(tab.tab_id)
    cookies = {
        f"{one['name']} ({one['domain']})": hash((one["value"], one.get("expires")))
        for one in await tab.page.cookies.get(None)
    }
    return _TabFacts(
        tab.url,
        shown.title if shown else "",
        tab.page.tab_context.main().loader,
        (await tab.page.snapshot(SnapshotOptions(budget=0), client=f"hand-over {tab.owner}")).nodes,
        cookies,
        frozenset(c.dialog.id for c in state.recent_dialogs if c.dialog.tab == tab.tab_id),
        frozenset(key for key, one in state.downloads.items() if one.tab == tab.tab_id),
    )


async def _changes_since(
    tab: OwnedTab, before: _TabFacts, decision: PersonDecision
) -> dict[str, Any]:
    """Describe what changed since `before`; leave out what did not."""
    try:
        after = await _read_facts(tab)
    except (CdpError, ToolError) as error:
        # The person's answer matters more than the list of changes.
        return {"unknown": f"the changes could not be read: {error.message}"}
    state = tab.supervisor.state
    dialogs = [
        f"{c.dialog.type} {c.dialog.message!r} closed by {c.closed_by}"
        for c in state.recent_dialogs
        if c.dialog.tab == tab.tab_id and c.dialog.id not in before.closed_dialogs
    ]
    found: dict[str, Any] = {
        "url": {"before": before.url, "now": after.url} if after.url != before.url else None,
        "title": after.title if after.title != before.title else "",
        # Another document has no line in common: the URL tells that it changed.
        "lines": changed_lines(before.nodes, after.nodes)
        if after.loader == before.loader and before.nodes and after.nodes
        else [],
        "dialogs": dialogs,
        "downloads": [
            state.downloads[key].filename for key in sorted(after.downloads - before.downloads)
        ],
        "cookies": _changed_cookies(before.cookies, after.cookies),
        "still_open": view.pending_dialogs(state, tab.tab_id, tab.supervisor.clock),
        "seconds": round(decision.at - decision.interrupt.opened_at, 1),
    }
    return {name: value for name, value in found.items() if value}


def _changed_cookies(before: Mapping[str, int], after: Mapping[str, int]) -> list[str]:
    """Name the cookies that were added, removed or changed; never their values."""
    added = [f"+ {name}" for name in sorted(after.keys() - before.keys())]
    removed = [f"- {name}" for name in sorted(before.keys() - after.keys())]
    both = sorted(before.keys() & after.keys())
    return added + removed + [f"~ {name}" for name in both if before[name] != after[name]]
