"""Work that is raced against whatever may block a page, and delivered later if it was blocked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from pilothouse.cdp import Session, SessionId
from pilothouse.cdp.protocol import Page, Runtime
from pilothouse.errors import CdpError, CommandFailed, TargetCrashed, ToolError
from pilothouse.supervisor.model import (
    Blocker,
    DialogOpened,
    InterruptClosed,
    InterruptOpened,
    State,
    being_answered,
    blockers,
    in_the_way,
)
from pilothouse.tasks import result_of

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Actions", "Outcome"]

T = TypeVar("T")

# Work in another renderer than the one that waits usually ends by itself: it gets this long.
GRACE_S = 0.1

# What a policy answered is over in a moment; no call waits longer than this for it.
ANSWERED_GRACE_S = 0.2

# A renderer that leaves a trivial question unanswered while the browser answers is hung.
PROBE_AFTER_S = 3.0
PROBE_WITHIN_S = 2.0
PROBED_FOR_S = 3600.0
# A response is there, and the renderer has only to show it: on a busy machine that takes longer.
COMMITS_WITHIN_S = 4.0

KEPT = 100


class Outcome(msgspec.Struct, Generic[T], frozen=True):
    """The value of the work, or what blocks it and the id under which it goes on.

    Without an `action_id` the work was not begun.
    """

    value: T | None = None
    blocked_by: tuple[Blocker, ...] = ()
    action_id: str = ""


class Actions:
    """The work of one browser that was begun and blocked."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._going_on: dict[str, asyncio.Task[Any]] = {}
        self._count = 0
        # Questions that a renderer has not answered yet, by its session.
        self._probes: dict[SessionId, asyncio.Task[None]] = {}

    async def race(
        self,
        tab: str,
        work: Awaitable[T] | Callable[[], Awaitable[T]],
        session: Session | None = None,
        probe_after: float = PROBE_AFTER_S,
    ) -> Outcome[T]:
        """Do `work` and return its value, or return at once when an interrupt blocks it.

        `probe_after`: how long the work itself may keep the renderer busy before that is asked
        whether it hangs.

        Blocked work goes on in the background; `result` delivers it after the answer. A function
        is only called when nothing is in the way already.
        """
        supervisor = self._supervisor
        there = blockers(supervisor.state, tab)
        on = session or supervisor.session(tab)
        blocking = [
            b for b in there if in_the_way(supervisor.state, b, on.id) and not being_answered(b)
        ]
        if blocking and callable(work):
            return Outcome(blocked_by=tuple(blocking))
        task = supervisor.tasks.start(_settled(work() if callable(work) else work), "action")
        known = {b.id for b in there} - {b.id for b in blocking}

        def question(state: State) -> list[Blocker]:
            return [b for b in blockers(state, tab) if b.id not in known]

        while not task.done():
            found = await self._first(task, question, on, probe_after)
            if found and not await self._ends_anyway(task, found, on):
                return self._blocked(task, found)
            known |= {b.id for b in found or ()}
        crash = self._crash(task, tab, on)
        return Outcome(blocked_by=crash) if crash else Outcome(_value(result_of(task)))

    def _crash(self, task: asyncio.Task[Any], tab: str, session: Session) -> tuple[Blocker, ...]:
        """What is in the way after work that the crash of its page has ended: the page can be had
        back, and that is what whoever asked should know."""
        if not isinstance(result_of(task)[1], TargetCrashed):
            return ()
        state = self._supervisor.state
        return tuple(b for b in blockers(state, tab) if in_the_way(state, b, session.id))

    async def _first(
        self,
        task: asyncio.Task[Any],
        question: Callable[[State], list[Blocker]],
        session: Session,
        probe_after: float,
    ) -> list[Blocker] | None:
        """Wait for the work or a blocker; look after the renderer meanwhile."""
        supervisor = self._supervisor
        watch = supervisor.tasks.start(supervisor.wait_for(question, 3600.0), "watch")
        try:
            done, _ = await asyncio.wait(
                {task, watch}, timeout=probe_after, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                await self._probe(session, task, watch)
            return result_of(watch) if watch.done() else None
        finally:
            watch.cancel()

    async def _ends_anyway(
        self, task: asyncio.Task[Any], found: list[Blocker], session: Session
    ) -> bool:
        supervisor = self._supervisor
        stopping = [b for b in found if in_the_way(supervisor.state, b, session.id)]
        if not all(being_answered(b) for b in stopping):
            return task.done()
        await asyncio.wait({task}, timeout=ANSWERED_GRACE_S if stopping else GRACE_S)
        return task.done() or not any(b.id in supervisor.state.dialogs for b in found)

    def _blocked(self, task: asyncio.Task[Any], found: list[Blocker]) -> Outcome[Any]:
        self._count += 1
        key = f"a-{self._count}"
        self._going_on[key] = task
        while len(self._going_on) > KEPT:
            self._going_on.pop(next(iter(self._going_on))).cancel()
        return Outcome(blocked_by=tuple(found), action_id=key)

    async def result(self, action_id: str, deadline: float) -> Outcome[Any]:
        """The value of work that was blocked; Outcome without one if it is blocked still."""
        task = self._going_on.get(action_id)
        if task is None:
            known = ", ".join(self._going_on) or "none"
            raise ToolError(f"there is no action {action_id}", hint=f"waiting actions: {known}")
        await asyncio.wait({task}, timeout=deadline)
        if not task.done():
            return Outcome(action_id=action_id)
        self._going_on.pop(action_id, None)
        return Outcome(_value(result_of(task)))

    async def resumed(self, tab: str, action_id: str, deadline: float) -> Outcome[Any]:
        """As `result`; what blocks the work still, or anew, is told at once."""
        supervisor, task = self._supervisor, self._going_on.get(action_id)
        if task is None or task.done():
            return await self.result(action_id, deadline)

        def question(state: State) -> list[Blocker]:
            return [b for b in blockers(state, tab) if not being_answered(b)]

        watch = supervisor.tasks.start(supervisor.wait_for(question, 3600.0), "watch")
        try:
            await asyncio.wait({task, watch}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                # Whoever waits for another page's dialog ends anyway.
                await asyncio.wait({task}, timeout=GRACE_S)
            if watch.done() and not task.done():
                found = result_of(watch)
                return Outcome(blocked_by=tuple(found), action_id=action_id)
        finally:
            watch.cancel()
        return await self.result(action_id, 0)

    async def _probe(self, session: Session, *ends: asyncio.Task[Any]) -> None:
        """Ask the renderer something trivial; tell when only the browser answers. Done as soon as
        one of `ends` is.

        Not while a navigation waits for its server: Chromium holds back what the renderer is sent
        until the next document is there, so that silence means nothing.
        """
        supervisor = self._supervisor
        tab = supervisor.state.tab_of(session.id)
        top = supervisor.connection.sessions.get(tab.session) if tab else None
        if tab is None or top is None or supervisor.navigations.unanswered(session.id):
            return
        answers = self._probes.get(session.id)
        if answers is None:
            answers = supervisor.tasks.start(self._answers(session), "probe")
            self._probes[session.id] = answers
        coming = supervisor.navigations.of(session.id) is not None
        within = COMMITS_WITHIN_S if coming else PROBE_WITHIN_S
        await asyncio.wait({answers, *ends}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        if answers.done() or any(end.done() for end in ends):
            return
        try:
            await top.send(Page.getNavigationHistory(), PROBE_WITHIN_S)
        except CommandFailed:
            pass  # an answer, too: the browser is alive
        except CdpError:
            return  # the browser itself is slow, or gone
        state = supervisor.state
        waits = (in_the_way(state, b, session.id) for b in blockers(state, tab.id))
        silent = not answers.done() and not supervisor.navigations.unanswered(session.id)
        if silent and not any(waits):
            supervisor.feed(
                InterruptOpened(supervisor.now(), "hung", session.id, session.target_id, session.id)
            )

    async def _answers(self, session: Session) -> None:
        """Wait until the renderer answers, however long; then it is not hung (any more)."""
        supervisor = self._supervisor
        try:
            await session.send(Runtime.evaluate(expression="1"), PROBED_FOR_S)
        except CdpError:
            return  # it went away: other events tell
        finally:
            self._probes.pop(session.id, None)
        supervisor.feed(InterruptClosed(supervisor.now(), "hung", session.id, "answers again"))

    def placed(self, asked: DialogOpened) -> DialogOpened:
        """The same question with its frame: the debugger does not say which one stopped."""
        frames = [
            f
            for f in self._supervisor.state.frames.values()
            if f.session == asked.session and f.url == asked.url
        ]
        info = self._supervisor.state.sessions.get(asked.session)
        root = info.target_id if info else ""
        return replace(asked, frame=frames[0].id if len(frames) == 1 else root)


async def _settled(work: Awaitable[T]) -> tuple[T | None, BaseException | None]:
    """The end of the work as a value: it may come when nobody awaits it."""
    try:
        return await work, None
    except (CdpError, ToolError, TimeoutError) as error:
        return None, error


def _value(settled: tuple[T | None, BaseException | None]) -> T | None:
    value, error = settled
    if error is not None:
        raise error
    return value
