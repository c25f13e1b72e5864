"""`TabCalls.perform`: one call of a verb on an owner's tab, from its parameters to its answer.

RPC methods, MCP resources, tools and browsers that a program launches call it. It finds the tab,
limits the time, holds the tab's lease, runs the verb, adds the lines that the action changed, names
new tabs and redacts secrets. Code in a run takes these steps in another order
(daemon/code_run_service.py).

Knows: the owners' tabs. Must not know: who calls, or how an answer is shown.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)
from typing import Any

import msgspec

from pilothouse.errors import CommandTimeout, PilothouseError
from pilothouse.security.redaction import Redactor
from pilothouse.supervisor import agent_view as view
from pilothouse.tabs.hand_over import person_has, refuse_meanwhile
from pilothouse.tabs.open_and_close_requests import DEFAULT_TIMEOUT_S, clamp_timeout
from pilothouse.tabs.owned_tab_and_browser import OwnedTab, name_new_tabs
from pilothouse.tabs.tabs import Tabs
from pilothouse.tabs.verb import VERBS, invoke, plain
from pilothouse.tabs.verb_descriptions import action_words

__all__ = ["PendingReport", "TabCalls", "limit_call", "verb_time_limit"]

_log = logging.getLogger(__name__)

# Inner deadlines give better error texts, so the overall limit of a call fires a little later.
GRACE_S = 0.8


class PendingReport(msgspec.Struct, frozen=True):
    """What an owner should hear of a tab besides an answer: open dialogs, and notices (once)."""

    dialogs: list[dict[str, Any]]
    notices: list[str]


class TabCalls:
    """Calls verbs on the tabs of all owners.

    `explain` may replace an error by the decision of a user that caused it; `on_answer` runs after
    each call; `watch_errors` surrounds each call and hears of errors that nothing foresaw."""

    def __init__(
        self,
        tabs: Tabs,
        redactor: Redactor | None = None,
        *,
        explain: Callable[[OwnedTab, PilothouseError], PilothouseError] = lambda tab, error: error,
        on_answer: Callable[[], object] = lambda: None,
        watch_errors: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._tabs = tabs
        self._redactor = redactor or Redactor()
        self._explain = explain
        self._on_answer = on_answer
        self._watch_errors = watch_errors

    async def perform(
        self,
        owner: str,
        name: str,
        given: Mapping[str, Any],
        diff_if: Callable[[Any], bool] | None = None,
    ) -> Any:
        """Run a verb on the owner's tab that `given` names, and return its answer as JSON.

        If `diff_if` holds for the answer, a receipt, its `diff` has the lines of the last snapshot
        that the action changed. Raises PilothouseError."""
        params = dict(given)
        with self._redactor.redact_errors(), self._watch_errors():
            async with AsyncExitStack() as lease:
                async with limit_call(name, verb_time_limit(name, params)):
                    tab = self._tabs.get(owner, params.pop("tab", "main"))
                    try:
                        await _hold_lease(tab, name, params, lease)
                        refuse_meanwhile(tab, name)
                        answer = plain(await invoke(tab, name, params))
                    except PilothouseError as error:
                        raise self._explain(tab, error) from error
                    answer = self.name_new_tabs(owner, answer)
                    tab.last_action = action_words(name, params, answer) or tab.last_action
                # The lease is still held, so the lines are of this action alone.
                if diff_if is not None and diff_if(answer):
                    answer |= await self._diff(tab, VERBS[name].free)
                tab.note_capture(name, answer)
            return self._redactor.redact(answer)

    async def _diff(self, tab: OwnedTab, free: bool) -> dict[str, Any]:
        """Return what an action changed as the field `diff`; no field if that cannot be told."""
        try:
            async with AsyncExitStack() as lease, limit_call("changed", DEFAULT_TIMEOUT_S):
                if free:
                    await lease.enter_async_context(tab.lease.hold("changed", DEFAULT_TIMEOUT_S))
                lines = plain(await invoke(tab, "changed", {}))
        except PilothouseError as error:
            # The page navigated meanwhile: still report the action itself.
            _log.debug("tab %s: no diff: %s", tab.tab_id, error.message)
            return {}
        return {"diff": lines} if isinstance(lines, list) else {}

    def name_new_tabs(self, owner: str, answer: Any) -> Any:
        """Name the new tabs of an answer as their owner knows them, and call `on_answer`."""
        answer = name_new_tabs(answer, self._tabs.owned_by(owner))
        self._on_answer()
        return answer

    # What is known without asking a page.

    def pending(self, owner: str, name: str) -> PendingReport:
        """Return the open dialogs of a tab, and its notices, which are told once. Raises ToolError
        if there is no such tab."""
        tab = self._tabs.get(owner, name)
        if person_has(tab):
            return PendingReport([], [])
        state, clock = tab.supervisor.state, tab.supervisor.clock
        found = PendingReport(
            view.pending_dialogs(state, tab.tab_id, clock), self._notices(owner, tab)
        )
        if not (found.dialogs or found.notices):
            return found
        redact = self._redactor.redact
        return PendingReport(redact(found.dialogs), redact(found.notices))

    def take_notices(self, owner: str, name: str) -> list[str]:
        """Return and remove the notices of a tab."""
        return self._notices(owner, self._tabs.get(owner, name))

    def _notices(self, owner: str, tab: OwnedTab) -> list[str]:
        notices = tab.supervisor.take_notices(tab.key)
        if not notices:
            return []
        # Owners know tabs by name, not by id.
        names = {one.tab_id: one.name for one in self._tabs.owned_by(owner)}
        return [
            re.sub(r"\bt\d+\b", lambda found: names.get(found[0], found[0]), notice)
            for notice in notices
        ]

    def tab_with_dialog(self, owner: str, name: str, dialog_id: str = "") -> str:
        """Return the name of the owner's tab that has a dialog open: this tab, if it has the dialog
        (or any, without an id), else another one; a dialog in a popup also blocks its opener.

        Without such a dialog, return this tab. Raises ToolError if there is no such tab."""
        here = self._tabs.get(owner, name)
        others = (tab for tab in self._tabs.owned_by(owner) if tab.alive and tab is not here)
        for tab in (here, *others):
            for dialog in tab.supervisor.state.dialogs.values():
                if dialog.tab == tab.tab_id and dialog_id in ("", dialog.id):
                    return name if tab is here else tab.name
        return name

    def blocked_calls(self, owner: str, name: str) -> dict[str, Any]:
        """Return what `keep_with_blocked` kept, by action id, the oldest first; also of a tab that
        is closed, whose calls end with an error."""
        return {
            action_id: work.call
            for tab in self._tabs.owned_by(owner)
            if name in (tab.name, tab.tab_id)
            for action_id, work in tab.supervisor.actions.parked_on(tab.tab_id).items()
            if work.call is not None
        }

    def keep_with_blocked(self, owner: str, name: str, action_id: str, call: object) -> None:
        """Keep something of the caller with a blocked action of a tab, until the action ends; with
        None, keep it no longer."""
        for tab in self._tabs.owned_by(owner):
            if name in (tab.name, tab.tab_id):
                work = tab.supervisor.actions.parked_on(tab.tab_id).get(action_id)
                if work is not None:
                    work.call = call

    def interrupt_ids(self, owner: str) -> set[str]:
        """Return the ids of all dialogs and other interrupts that are open in the owner's tabs."""
        return {
            one.id
            for tab in self._tabs.owned_by(owner)
            for pending in (tab.supervisor.state.dialogs, tab.supervisor.state.interrupts)
            for one in pending.values()
            if tab.alive and one.tab == tab.tab_id
        }


async def _hold_lease(
    tab: OwnedTab, name: str, params: dict[str, Any], lease: AsyncExitStack
) -> None:
    """Hold the tab's lease for a verb until `lease` ends, unless the verb is free.

    Takes `timeout` out of the parameters of a verb that has none: it limits this wait only."""
    found = VERBS.get(name)
    own = found is None or any(p.name == "timeout" for p in found.parameters)
    wait = clamp_timeout(params.get("timeout") if own else params.pop("timeout", None))
    if found is not None and not found.free:
        await lease.enter_async_context(tab.lease.hold(name, wait))


def verb_time_limit(name: str, params: Mapping[str, Any]) -> float | None:
    """Return the seconds that a call of a verb may take: its `timeout`, or the verb's default."""
    given = params.get("timeout")
    verb = VERBS.get(name)
    if given is None and verb is not None:
        given = next((p.default for p in verb.parameters if p.name == "timeout"), None)
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float)):
        return None  # the verb itself rejects it, with the parameter's name
    return clamp_timeout(given)


@asynccontextmanager
async def limit_call(name: str, within: float | None) -> AsyncIterator[None]:
    """Raise CommandTimeout if the block takes longer than a call may."""
    try:
        async with asyncio.timeout(within and within + GRACE_S) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise CommandTimeout(
            f"the call {name} did not end within {within or 0.0:g} s",
            hint="the browser is busy or stopped: try again, or close the tab and open it again",
        ) from None
