"""Waiting for a page: elements, text, addresses, functions, traffic, downloads, popups, quiet.

Knows: what each of them looks like in events, state and documents. Must not know: who acts
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
from pilothouse.errors import ToolError
from pilothouse.page.navigation import in_flight as inflight
from pilothouse.page.navigation.in_flight import QUIET_S, InFlightRequests
from pilothouse.page.navigation.network_waits import (
    DownloadResult,
    Exchange,
    RequestFilter,
    download_wait,
    network_wait,
)
from pilothouse.page.navigation.tab_events import TabEventListener
from pilothouse.page.navigation.urls import Pattern, describe_pattern, pattern_matcher
from pilothouse.page.navigation.wait import POLL_S, FramePoller, Wait
from pilothouse.page.script import Evaluation, EvaluationResult
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Dialog, Frame, State

__all__ = ["MatchCount", "Waits"]

TIMEOUT_S = 30.0
STATES = ("visible", "hidden", "attached", "detached")

# Longer than any wait: `Wait` has the deadline.
NO_DEADLINE_S = 86_400.0


class MatchCount(msgspec.Struct, frozen=True):
    """What a selector matched when the wait ended."""

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

    # What the documents show.

    def for_selector(
        self, css: str, state: str = "visible", frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[MatchCount]:
        """An element in a frame (the main one if none is named), through open shadow roots."""
        if state not in STATES:
            raise ToolError(f"state: {state!r} is not known", hint=f"one of {', '.join(STATES)}")
        if not css.strip():
            raise ToolError("css is empty", hint="give a selector such as #save")
        self._context.frame(frame_id)
        wait: Wait[MatchCount] = Wait(self._context, f"{css!r} to be {state}", timeout)

        async def count(frame: Frame) -> dict[str, Any]:
            answer: dict[str, Any] = await self._worlds.call(
                frame, "countMatches", css, deadline=NO_DEADLINE_S
            )
            return answer

        def evaluate_round(answers: dict[str, dict[str, Any]], silent: int) -> MatchCount | None:
            for frame, answer in answers.items():
                if "error" in answer:
                    raise ToolError(f"css: {answer['error']}", hint="give a valid CSS selector")
                total, visible = answer["count"], answer["visible"]
                wait.seen = f"it matches {total} elements, {visible} of them visible"
                if _is_in_state(state, total, visible):
                    return MatchCount(frame, total, visible)
            if silent:
                wait.seen = "the frame does not answer"
            return None

        self._poll_frames(wait, count, lambda: self._single_frame(frame_id), evaluate_round)
        return wait

    def for_text(
        self, text: str, *, gone: bool = False, frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[MatchCount]:
        """A text that is painted in any frame (or in one), whatever its case and spacing; `gone`
        waits until no frame shows it."""
        if not text.strip():
            raise ToolError("text is empty", hint="give the text to wait for")
        what = f"the text {text[:100]!r}" + (" to go" if gone else "")
        wait: Wait[MatchCount] = Wait(self._context, what, timeout)

        async def has(frame: Frame) -> bool:
            return bool(await self._worlds.call(frame, "hasText", text, deadline=NO_DEADLINE_S))

        def evaluate_round(answers: dict[str, bool], silent: int) -> MatchCount | None:
            showing = [frame for frame, shown in answers.items() if shown]
            wait.seen = f"{len(showing)} of {len(answers) + silent} frames show it"
            if silent:
                wait.seen += f", {silent} do not answer"
            if gone:
                return MatchCount("", 0, 0) if answers and not showing and not silent else None
            return MatchCount(showing[0], len(showing), len(showing)) if showing else None

        def frames() -> list[Frame]:
            return [f for f in self._context.frames() if frame_id in ("", f.id)]

        self._poll_frames(wait, has, frames, evaluate_round)
        return wait

    def for_function(
        self, code: str, *arguments: Any, frame_id: str = "", timeout: float = TIMEOUT_S
    ) -> Wait[EvaluationResult]:
        """Code (any form that `evaluate` takes) whose value is truthy; one that throws counts as
        not yet. It is asked from outside, so it needs no timers of the page's."""
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
                    if error.message.startswith("SyntaxError"):
                        raise
                    wait.seen = f"last it failed: {error.message.splitlines()[0]}"
                else:
                    value = outcome.value
                    if value is not None and value.truthy:
                        wait.resolve(value)
                        return
                    if value is not None:
                        wait.seen = f"last it was {value.value!r}"[:200]
                await asyncio.sleep(POLL_S)

        wait.start(poll)
        return wait

    def for_idle(self, requests: int = 0, timeout: float = TIMEOUT_S) -> Wait[None]:
        """No change of the main document and at most `requests` (0 or 2) on their way, for half a
        second."""
        if requests not in (0, 2):
            raise ToolError(f"requests: {requests} cannot be waited for", hint="0 or 2")
        wait: Wait[None] = Wait(self._context, "the page to be idle", timeout)
        in_flight = InFlightRequests()
        in_flight.on_commit("", self._context.supervisor.now())
        self._listen(wait, inflight.EVENTS, in_flight.handle_event)

        async def still(frame: Frame) -> float:
            return float(await self._worlds.call(frame, "stillFor", deadline=NO_DEADLINE_S))

        def evaluate_round(answers: dict[str, float], silent: int) -> bool | None:
            now = self._context.supervisor.now()
            quiet = min(answers.values(), default=0.0) / 1000
            hanging = ", ".join(in_flight.describe_pending(now)) or "none"
            wait.seen = f"last change {quiet:.1f} s ago; requests on their way: {hanging}"
            still_now = quiet >= QUIET_S and not silent
            return (
                True
                if still_now and in_flight.seconds_until_quiet(requests, QUIET_S, now) == 0
                else None
            )

        self._poll_frames(wait, still, self._single_frame, evaluate_round, value=None)
        return wait

    # What the browser tells.

    def for_url(self, pattern: Pattern, timeout: float = TIMEOUT_S) -> Wait[str]:
        """The address of the tab: a part of it, a glob, or a compiled expression."""
        fits = pattern_matcher(pattern)
        wait: Wait[str] = Wait(self._context, f"the address {describe_pattern(pattern)}", timeout)

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
        """A request of any frame, by address or by a predicate."""
        return network_wait(self._context, "request", wanted, timeout, self._network)

    def for_response(self, wanted: RequestFilter, timeout: float = TIMEOUT_S) -> Wait[Exchange]:
        """A response to any frame's request, by address or by a predicate."""
        return network_wait(self._context, "response", wanted, timeout, self._network)

    def for_popup(self, timeout: float = TIMEOUT_S) -> Wait[str]:
        """A tab that this one opens; its id."""
        hint = "only a tab that opens during the wait counts; the list of tabs has the others"
        wait: Wait[str] = Wait(self._context, "a new tab", timeout, hint=hint)
        known = set(self._context.supervisor.state.tabs)
        wait.seen = "no tab was opened"

        def opened(state: State) -> str | None:
            mine = (t.id for t in state.tabs.values() if t.opener == self._context.tab_id)
            return next((tab for tab in mine if tab not in known), None)

        self._watch_state(wait, opened)
        return wait

    def for_dialog(self, timeout: float = TIMEOUT_S) -> Wait[Dialog]:
        """A dialog in this tab that waits for an answer."""
        wait: Wait[Dialog] = Wait(self._context, "a dialog", timeout, races=False)
        wait.seen = "none was opened"
        tab = self._context.tab_id
        self._watch_state(
            wait, lambda state: next((d for d in state.dialogs.values() if d.tab == tab), None)
        )
        return wait

    def for_download(
        self, until: str = "completed", timeout: float = TIMEOUT_S
    ) -> Wait[DownloadResult]:
        """A download of this tab or of a popup of its: when it is over, or has `begun`. One that
        was cancelled ends the wait too: look at `state`."""
        if until not in ("completed", "begun"):
            raise ToolError(f"until: {until!r} is not known", hint='"completed" or "begun"')
        return download_wait(self._context, until, timeout)

    # How they are made.

    def _single_frame(self, frame_id: str = "") -> list[Frame]:
        """One frame, or none: it may be gone for a moment while it changes its process."""
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
                answers, silent = await rounds.next(frames())
                found = evaluate_round(answers, silent)
                if answers:
                    polled()
                if found is not None:
                    wait.resolve(fixed.get("value", found))
                    return
                await asyncio.sleep(POLL_S)

        wait.start(poll)

    def _watch_state(self, wait: Wait[Any], question: Callable[[State], Any]) -> None:
        supervisor = self._context.supervisor
        answer = question(supervisor.state)
        if answer:
            wait.resolve(answer)
            return

        async def watch() -> None:
            wait.resolve(await supervisor.wait_for(question, NO_DEADLINE_S))

        wait.start(watch)

    def _listen(self, wait: Wait[Any], methods: tuple[str, ...], handler: Any) -> None:
        listener = TabEventListener(self._context, methods, handler, network=self._network)
        wait.on_end(listener.close)
        wait.add_replies(list(listener.replies))


def _is_in_state(state: str, count: int, visible: int) -> bool:
    match state:
        case "visible":
            return visible > 0
        case "hidden":
            return visible == 0
        case "attached":
            return count > 0
    return count == 0
