"""Routes of a tab: rules for its requests, and headers for all of them.

Knows: how to pause requests on every session of the tab, and that each paused request must be
answered. What a rule does is in route_rules.py. Rules survive navigations and end with the tab;
popups are tabs of their own. A request that a service worker answers itself is paused where the
worker fetches it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from pilothouse.cdp import Command, Event, Session
from pilothouse.errors import CdpError, CommandFailed, ToolError
from pilothouse.page.local_files import read_file
from pilothouse.page.network.route_rules import (
    LARGEST_BODY,
    MOST_RULES,
    Action,
    ChangeRequest,
    MockResponse,
    RouteRule,
    find_rule,
    make_command,
    make_fallback_command,
    make_fetch_patterns,
    make_rule,
    parse_paused_request,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.security.file_access import FileAccess, FolderAccess
from pilothouse.supervisor.extra_session_setup import SessionHook

__all__ = ["Routes"]

_log = logging.getLogger(__name__)

ANSWER_WITHIN_S = 10.0

# Part of Chrome's error for an unknown paused request.
_NO_SUCH_REQUEST = "InterceptionId"


class Routes:
    """The rules of one tab."""

    def __init__(self, context: TabContext, files: FolderAccess | None = None) -> None:
        self._context = context
        self._files: FolderAccess = files or FileAccess()
        self._rules: list[RouteRule] = []
        self._use_counts: dict[str, int] = {}
        self._count = 0
        self._refused: dict[str, str] = {}

    async def add(
        self,
        pattern: str,
        action: Action,
        *,
        types: Iterable[str] = (),
        times: int = 0,
        file: str = "",
    ) -> str:
        """Add a rule and return its id; the newest matching rule wins.

        `file` is the body of a mock, read now. Raises ToolError for an invalid rule.
        """
        if isinstance(action, ChangeRequest) and action.url:
            self._context.supervisor.url_policy.check_navigation(self._context.tab_id, action.url)
        if file:
            if not isinstance(action, MockResponse):
                raise ToolError("file: only a mock has a body", hint="leave out file")
            action = replace(action, body=await asyncio.to_thread(self._read_body, file))
        if len(self._rules) >= MOST_RULES:
            raise ToolError(
                f"this tab already has {MOST_RULES} routes",
                hint="remove some first: unroute, or browser_route with action remove",
            )
        rule = make_rule(f"route-{self._count + 1}", pattern, action, types, times)
        self._count += 1
        self._rules.append(rule)
        await self._update_patterns()
        return rule.id

    async def remove(self, rule_id: str) -> None:
        """Remove a rule. Raises ToolError if there is none with this id."""
        if all(rule.id != rule_id for rule in self._rules):
            known = ", ".join(rule.id for rule in self._rules) or "there are no rules"
            raise ToolError(f"there is no rule {rule_id!r}", hint=known)
        self._rules = [rule for rule in self._rules if rule.id != rule_id]
        await self._update_patterns()

    async def clear(self) -> int:
        """Remove all rules and return how many there were."""
        count = len(self._rules)
        self._rules = []
        await self._update_patterns()
        return count

    def list(self) -> list[dict[str, Any]]:
        """Return the rules, newest first: the order in which they are tried."""
        return [
            rule.as_dict(self._use_counts.get(rule.id, 0))
            | ({"refused": self._refused[rule.id]} if rule.id in self._refused else {})
            for rule in reversed(self._rules)
        ]

    async def _update_patterns(self) -> None:
        hooks, tab = self._context.supervisor.session_hooks, self._context.tab_id
        patterns = make_fetch_patterns(self._rules)
        if patterns:
            await hooks.put(
                tab, "routes", SessionHook(patterns=patterns, handle=self._on_paused_request)
            )
        else:
            await hooks.remove(tab, "routes")

    def _read_body(self, file: str) -> bytes:
        try:
            return read_file(file, self._files.reads, limit=LARGEST_BODY, never=self._files.never)
        except ToolError as error:
            raise ToolError(f"file: {error.message}", hint=error.hint) from None

    # Paused requests.

    def _on_paused_request(self, event: Event[Any]) -> bool:
        """Answer a paused request if a rule matches; returns false to let it continue."""
        paused = parse_paused_request(event.params)
        rule = find_rule(self._rules, self._use_counts, paused)
        session = self._context.supervisor.connection.sessions.get(event.session_id)
        if rule is None or session is None:
            return False
        command, counts = make_command(rule, paused)
        if counts:
            self._use_counts[rule.id] = self._use_counts.get(rule.id, 0) + 1
        self._context.supervisor.tasks.start(
            self._send_answer(session, command, rule, paused.id), f"answer {rule.id}"
        )
        return True

    async def _send_answer(
        self, session: Session, command: Command[Any], rule: RouteRule, request: str
    ) -> None:
        try:
            await session.send(command, ANSWER_WITHIN_S)
        except CommandFailed as error:
            if _NO_SUCH_REQUEST in error.detail:
                return  # the page has cancelled the request
            # Do not leave the request hanging, and show the problem in `list`.
            self._refused[rule.id] = error.message
            session.send(make_fallback_command(rule, request))
        except CdpError as error:
            # The session is gone, and the browser has dropped its requests.
            _log.debug("answering a request by %s: %s", rule.id, error)
