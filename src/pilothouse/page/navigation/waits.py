"""Waits for a page: elements, text, URLs, functions, requests, downloads, popups, idle.

Knows: how each of them shows in events, state and documents. Must not know: which action runs
meanwhile. Every wait is armed when it is made:

    response = waits.for_response("**/api/save")
    await click(...)
    outcome = await response
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from pilothouse.cdp import SessionId
from pilothouse.errors import ToolError, UsageError, plural
from pilothouse.page.navigation import requests_in_flight as inflight
from pilothouse.page.navigation.request_and_download_waits import (
    DownloadResult,
    Exchange,
    RequestFilter,
    download_wait,
    network_wait,
)
from pilothouse.page.navigation.requests_in_flight import QUIET_S, InFlightRequests
from pilothouse.page.navigation.tab_event_listener import TabEventListener
from pilothouse.page.navigation.url_arguments import Pattern, describe_pattern, pattern_matcher
from pilothouse.page.navigation.wait_and_frame_poller import POLL_S, FramePoller, Wait
from pilothouse.page.script import Evaluation, EvaluationResult
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Frame, State

__all__ = ["MatchCount", "Waits"]

TIMEOUT_S = 30.0
STATES = ("visible", "hidden", "attached", "detached")

# Effectively no deadline for single calls: `Wait` has the deadline.
NO_DEADLINE_S = 86_400.0


class MatchCount(msgspec.Struct, frozen=True):
    """How many elements matched when the wait ended, and how many of them were visible."""

    frame_id: str
    count: int
    visible: int


class Waits:
    """The waits of one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, *, evaluation: Evaluation | None = None
    ) -> None:
        self._context = context
        self._worlds = worlds
        self._evaluation = evaluation or Evaluation(context, worlds)
        self._network: set[SessionId] = set()

    # Conditions on documents.

    def for_selector(
        self, css: str, state: str = "visible", frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[MatchCount]:
        """Wait for an element in a frame (by default the main frame), through open shadow roots."""
        if state not in STATES:
            raise UsageError(
                f"state: unknown value {state!r}", hint=f"use one of {', '.join(STATES)}"
            )
        if not css.strip():
            raise UsageError("css: empty", hint="give a selector such as #save")
        self._context.frame(frame_id)
        wait: Wait[MatchCount] = Wait(self._context, f"{css!r} to be {state}", timeout)

        async def count(frame: Frame) -> dict[str, Any]:
            reply: dict[str, Any] = await self._worlds.call(
                frame, "countMatches", css, deadline=NO_DEADLINE_S
            )
            return reply

        def evaluate_round(replies: dict[str, dict[str, Any]], silent: int) -> MatchCount | None:
            for frame, reply in replies.items():
                if "error" in reply:
                    raise ToolError(f"css: {reply['error']}", hint="give a valid CSS selector")
                total, visible = reply["count"], reply["visible"]
                wait.seen = f"it matches {plural(total, 'element')}, {visible} of them visible"
                if _is_in_state(state, total, visible):
                    return MatchCount(frame, total, visible)
            if silent:
                wait.seen = "the frame does not respond"
            return None

        self._poll_frames(wait, count, lambda: self._single_frame(frame_id), evaluate_round)
        return wait

    def for_text(
        self, text: str, *, gone: bool = False, frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[MatchCount]:
        """Wait for text that is visible in any frame (or in one), ignoring case and spacing.

        `gone` waits until no frame shows it.
        """
        if not text.strip():
            raise UsageError("text: empty", hint="give the text to wait for")
        what = f"the text {text[:100]!r}" + (" to go" if gone else "")
        wait: Wait[MatchCount] = Wait(self._context, what, timeout)

        async def has(frame: Frame) -> bool:
            return bool(await self._worlds.call(frame, "hasText", text, deadline=NO_DEADLINE_S))

        def evaluate_round(replies: dict[str, bool], silent: int) -> MatchCount | None:
            showing = [frame for frame, shown in replies.items() if shown]
            total = plural(len(replies) + silent, "frame shows", "frames show")
            wait.seen = f"{len(showing)} of {total} it"
            if silent:
                wait.seen += f", {plural(silent, 'does', 'do')} not respond"
            if gone:
                return MatchCount("", 0, 0) if replies and not showing and not silent else None
            return MatchCount(showing[0], len(showing), len(showing)) if showing else None

        def frames() -> list[Frame]:
            return [f for f in self._context.frames() if frame_id in ("", f.id)]

        self._poll_frames(wait, has, frames, evaluate_round)
        return wait

    def for_function(
        self, code: str, *arguments: Any, frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[EvaluationResult]:
        """Wait for code (any form that `evaluate` takes) whose value is truthy.

        Code that throws counts as not yet. It is polled from outside, so it needs no timers
        of the page.
        """
        wait: Wait[EvaluationResult] = Wait(
            self._context, f"{code.strip()[:100]!r} to be true", timeout
        )

        async def poll() -> None:
            while True:
                try:
                    outcome = await self._evaluation.evaluate(
                        code, *arguments, frame_id=frame_id, timeout=timeout
                    )
                except ToolError as error:
                    # Waiting cannot cure a syntax error.
                    if error.message.startswith("SyntaxError"):
                        raise
                    wait.seen = f"the last call failed: {error.message.splitlines()[0]}"
                else:
                    value = outcome.value
                    if value is not None and value.truthy:
                        wait.resolve(value)
                        return
                    if value is not None:
                        wait.seen = f"the last value was {value.value!r}"[:200]
                await asyncio.sleep(POLL_S)

        wait.start(poll)
        return wait

    def for_idle(self, requests: int = 0, timeout: float = TIMEOUT_S) -> Wait[None]:
        """Wait until the main document does not change and at most `requests` (0 or 2) are in
        flight.

        Both must hold for half a second.
        """
        if requests not in (0, 2):
            raise UsageError(f"requests: expected 0 or 2, got {requests}", hint="use 0 or 2")
        wait: Wait[None] = Wait(self._context, "the page to be idle", timeout)
        in_flight = InFlightRequests()
        in_flight.on_commit("", self._context.supervisor.now())
        self._listen(wait, inflight.EVENTS, in_flight.handle_event)

        async def still(frame: Frame) -> float:
            return float(await self._worlds.call(frame, "stillFor", deadline=NO_DEADLINE_S))

        def evaluate_round(replies: dict[str, float], silent: int) -> bool | None:
            now = self._context.supervisor.now()
            quiet = min(replies.values(), default=0.0) / 1000
            hanging = ", ".join(in_flight.describe_pending(now)) or "none"
            wait.seen = f"last change {quiet:.1f} s ago; pending requests: {hanging}"
            still_now = quiet >= QUIET_S and not silent
            return (
                True
                if still_now and in_flight.seconds_until_quiet(requests, QUIET_S, now) == 0
                else None
            )

        self._poll_frames(wait, still, self._single_frame, evaluate_round, value=None)
        return wait

    # Conditions on events and state.

    def for_url(self, pattern: Pattern, timeout: float = TIMEOUT_S) -> Wait[str]:
        """Wait for the tab's URL: a part of it, a glob, or a compiled expression."""
        fits = pattern_matcher(pattern)
        wait: Wait[str] = Wait(self._context, f"the URL {describe_pattern(pattern)}", timeout)

        def address(state: State) -> str | None:
            tab = state.tabs.get(self._context.tab_id)
            frame = state.frames.get(tab.target_id) if tab else None
            url = frame.url if frame else ""
            wait.seen = f"the tab is at {url[:300]}"
            if frame and frame.unreachable:
                wait.seen = f"the tab shows an error page: {frame.unreachable[:300]} failed"
            return url if url and fits(url) else None

        self._watch_state(wait, address)
        return wait

    def for_request(self, wanted: RequestFilter, timeout: float = TIMEOUT_S) -> Wait[Exchange]:
        """Wait for a request of any frame, by URL or by a predicate."""
        return network_wait(self._context, "request", wanted, timeout, self._network)

    def for_response(self, wanted: RequestFilter, timeout: float = TIMEOUT_S) -> Wait[Exchange]:
        """Wait for a response to any frame's request, by URL or by a predicate."""
        return network_wait(self._context, "response", wanted, timeout, self._network)

    def for_popup(self, timeout: float = TIMEOUT_S) -> Wait[str]:
        """Wait for a tab that this one opens; returns its id."""
        hint = "start the wait before the tab opens; the list of tabs has the others"
        wait: Wait[str] = Wait(self._context, "a new tab", timeout, hint=hint)
        known = set(self._context.supervisor.state.tabs)
        wait.seen = "no tab was opened"

        def opened(state: State) -> str | None:
            mine = (t.id for t in state.tabs.values() if t.opener == self._context.tab_id)
            return next((tab for tab in mine if tab not in known), None)

        self._watch_state(wait, opened)
        return wait

    def for_download(
        self, until: str = "completed", timeout: float = TIMEOUT_S
    ) -> Wait[DownloadResult]:
        """Wait for a download of this tab or of its popups to end, or only to start (`begun`).

        A cancelled download ends the wait too: check `state`.
        """
        if until not in ("completed", "begun"):
            raise UsageError(f"until: unknown value {until!r}", hint='use "completed" or "begun"')
        return download_wait(self._context, until, timeout)

    # Helpers.

    def _single_frame(self, frame_id: str = "") -> list[Frame]:
        """Return one frame, or none while it changes its process."""
        wanted = frame_id or self._context.session.target_id
        return [frame for frame in self._context.frames() if frame.id == wanted]

    def _poll_frames(
        self,
        wait: Wait[Any],
        ask: Callable[[Frame], Any],
        frames: Callable[[], list[Frame]],
        evaluate_round: Callable[[dict[str, Any], int], Any],
        **fixed: Any,
    ) -> None:
        rounds: FramePoller[Any] = FramePoller(self._context, ask)
        wait.on_end(rounds.close)
        polled = wait.require_first_poll()

        async def poll() -> None:
            while True:
                replies, silent = await rounds.next(frames())
                found = evaluate_round(replies, silent)
                if replies:
                    polled()
                if found is not None:
                    wait.resolve(fixed.get("value", found))
                    return
                await asyncio.sleep(POLL_S)

        wait.start(poll)

    def _watch_state(self, wait: Wait[Any], question: Callable[[State], Any]) -> None:
        supervisor = self._context.supervisor
        reply = question(supervisor.state)
        if reply:
            wait.resolve(reply)
            return

        async def watch() -> None:
            wait.resolve(await supervisor.wait_for(question, NO_DEADLINE_S))

        wait.start(watch)

    def _listen(self, wait: Wait[Any], methods: tuple[str, ...], handler: Any) -> None:
        listener = TabEventListener(self._context, methods, handler, network=self._network)
        wait.on_end(listener.close)


def _is_in_state(state: str, count: int, visible: int) -> bool:
    match state:
        case "visible":
            return visible > 0
        case "hidden":
            return visible == 0
        case "attached":
            return count > 0
    return count == 0
