"""`Actions.race`: run work on a tab, but return at once when a dialog or interrupt blocks it.

Blocked work keeps running in the background under an action id (*parked*). After the answer the
caller gets its value with `result` or `resume`. While work runs long, the race also probes whether
the renderer hangs, and reports that as an interrupt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from pilothouse.asyncio_tasks import result_of
from pilothouse.cdp import Session, SessionId
from pilothouse.cdp.protocol import Page, Runtime
from pilothouse.errors import CdpError, CommandFailed, TargetCrashed, ToolError
from pilothouse.supervisor.model import (
    Blocker,
    DialogOpened,
    InterruptClosed,
    InterruptOpened,
    State,
    blockers,
    blocks_session,
    is_being_answered,
)

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Actions", "Outcome", "ParkedWork"]

T = TypeVar("T")

# Work in another renderer than the blocked one usually finishes; wait this long for it.
GRACE_S = 0.1

# A dialog that a policy answered closes in a moment; wait at most this long for it.
ANSWERED_GRACE_S = 0.2

# A renderer that does not answer a trivial evaluation while the browser process does is hung.
PROBE_AFTER_S = 3.0
PROBE_WITHIN_S = 2.0
PROBED_FOR_S = 3600.0
# Committing a document whose response has come takes longer on a busy machine.
COMMITS_WITHIN_S = 4.0

PARKED_KEPT = 100


class Outcome(msgspec.Struct, Generic[T], frozen=True):
    """The value of the work; or what blocks it and the id under which it continues.

    Blocked without an `action_id`: the work was not started.
    """

    value: T | None = None
    blocked_by: tuple[Blocker, ...] = ()
    action_id: str = ""


class ParkedWork(msgspec.Struct):
    """Blocked work that goes on in the background. `call`: what its caller keeps with it."""

    tab: str
    task: asyncio.Task[Any]
    call: Any = None


class Actions:
    """Races work against blockers, and keeps the parked work of one browser."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        # Blocked work by its action id, the oldest first. Nothing else remembers it.
        self._parked: dict[str, ParkedWork] = {}
        self._count = 0
        # Probes that a renderer has not answered yet, by session.
        self._probes: dict[SessionId, asyncio.Task[None]] = {}

    async def race(
        self,
        tab: str,
        work: Awaitable[T] | Callable[[], Awaitable[T]],
        session: Session | None = None,
        probe_after: float = PROBE_AFTER_S,
    ) -> Outcome[T]:
        """Run `work` and return its value, or return at once when something blocks it.

        `probe_after`: how long the work may keep the renderer busy before we probe whether it
        hangs.

        Blocked work continues in the background; `result` returns its value after the answer. If
        `work` is a function and something blocks already, it is not called.
        """
        supervisor = self._supervisor
        there = blockers(supervisor.state, tab)
        on = session or supervisor.session(tab)
        blocking = [
            b
            for b in there
            if blocks_session(supervisor.state, b, on.id) and not is_being_answered(b)
        ]
        if blocking and callable(work):
            return Outcome(blocked_by=tuple(blocking))
        task = supervisor.tasks.start(_capture(work() if callable(work) else work), "action")
        known = {b.id for b in there} - {b.id for b in blocking}

        def question(state: State) -> list[Blocker]:
            return [b for b in blockers(state, tab) if b.id not in known]

        while not task.done():
            found = await self._wait_for_blocker(task, question, on, probe_after)
            if found and not await self._finishes_anyway(task, found, on):
                return self._park(tab, task, found)
            known |= {b.id for b in found or ()}
        crash = self._crash_blockers(task, tab, on)
        return Outcome(blocked_by=crash) if crash else Outcome(_unwrap(result_of(task)))

    def _crash_blockers(
        self, task: asyncio.Task[Any], tab: str, session: Session
    ) -> tuple[Blocker, ...]:
        """Return the blockers after a crash of the page ended the work: the caller can reload the
        page, so report the crash as an interrupt instead of an error."""
        if not isinstance(result_of(task)[1], TargetCrashed):
            return ()
        state = self._supervisor.state
        return tuple(b for b in blockers(state, tab) if blocks_session(state, b, session.id))

    async def _wait_for_blocker(
        self,
        task: asyncio.Task[Any],
        question: Callable[[State], list[Blocker]],
        session: Session,
        probe_after: float,
    ) -> list[Blocker] | None:
        """Wait for the work or a blocker; probe the renderer meanwhile."""
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

    async def _finishes_anyway(
        self, task: asyncio.Task[Any], found: list[Blocker], session: Session
    ) -> bool:
        supervisor = self._supervisor
        stopping = [b for b in found if blocks_session(supervisor.state, b, session.id)]
        if not all(is_being_answered(b) for b in stopping):
            return task.done()
        await asyncio.wait({task}, timeout=ANSWERED_GRACE_S if stopping else GRACE_S)
        return task.done() or not any(b.id in supervisor.state.dialogs for b in found)

    def _park(self, tab: str, task: asyncio.Task[Any], found: list[Blocker]) -> Outcome[Any]:
        self._count += 1
        key = f"a-{self._count}"
        self._parked[key] = ParkedWork(tab, task)
        while len(self._parked) > PARKED_KEPT:
            self._parked.pop(next(iter(self._parked))).task.cancel()
        return Outcome(blocked_by=tuple(found), action_id=key)

    def drop(self, action_id: str) -> None:
        """Cancel parked work whose result nobody will ask for."""
        if action_id in self._parked:
            self._parked.pop(action_id).task.cancel()

    def parked_on(self, tab: str) -> dict[str, ParkedWork]:
        """Return the blocked work of a tab by its action id, the oldest first."""
        return {action_id: work for action_id, work in self._parked.items() if work.tab == tab}

    async def result(self, action_id: str, deadline: float) -> Outcome[Any]:
        """Return the value of parked work; an Outcome with its `action_id` if it still runs."""
        work = self._parked.get(action_id)
        if work is None:
            known = ", ".join(self._parked) or "none"
            raise ToolError(f"there is no action {action_id}", hint=f"waiting actions: {known}")
        await asyncio.wait({work.task}, timeout=deadline)
        if not work.task.done():
            return Outcome(action_id=action_id)
        self._parked.pop(action_id, None)
        return Outcome(_unwrap(result_of(work.task)))

    async def resume(self, tab: str, action_id: str, deadline: float) -> Outcome[Any]:
        """Like `result`, but return at once with what blocks the work, still or again."""
        supervisor, work = self._supervisor, self._parked.get(action_id)
        if work is None or work.task.done():
            return await self.result(action_id, deadline)
        task = work.task

        def question(state: State) -> list[Blocker]:
            return [b for b in blockers(state, tab) if not is_being_answered(b)]

        watch = supervisor.tasks.start(supervisor.wait_for(question, 3600.0), "watch")
        try:
            await asyncio.wait({task, watch}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                # Work that another page's dialog does not block finishes anyway.
                await asyncio.wait({task}, timeout=GRACE_S)
            if watch.done() and not task.done():
                found = result_of(watch)
                return Outcome(blocked_by=tuple(found), action_id=action_id)
        finally:
            watch.cancel()
        return await self.result(action_id, 0)

    async def _probe(self, session: Session, *ends: asyncio.Task[Any]) -> None:
        """Evaluate something trivial; open a "hung" interrupt when only the browser process
        answers. Returns as soon as one of `ends` is done.

        Does nothing while a navigation waits for its server: until the next document Chromium
        queues the commands for the renderer, so silence means nothing.
        """
        supervisor = self._supervisor
        tab = supervisor.state.tab_of(session.id)
        top = supervisor.connection.sessions.get(tab.session) if tab else None
        if tab is None or top is None or supervisor.navigations.waiting_for_server(session.id):
            return
        answers = self._probes.get(session.id)
        if answers is None:
            answers = supervisor.tasks.start(self._await_renderer(session), "probe")
            self._probes[session.id] = answers
        coming = supervisor.navigations.get(session.id) is not None
        within = COMMITS_WITHIN_S if coming else PROBE_WITHIN_S
        await asyncio.wait({answers, *ends}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        if answers.done() or any(end.done() for end in ends):
            return
        try:
            await top.send(Page.getNavigationHistory(), PROBE_WITHIN_S)
        except CommandFailed:
            pass  # an error reply also shows that the browser is alive
        except CdpError:
            return  # the browser itself is slow, or gone
        state = supervisor.state
        waits = (blocks_session(state, b, session.id) for b in blockers(state, tab.id))
        silent = not answers.done() and not supervisor.navigations.waiting_for_server(session.id)
        if silent and not any(waits):
            supervisor.feed(
                InterruptOpened(supervisor.now(), "hung", session.id, session.target_id, session.id)
            )

    async def _await_renderer(self, session: Session) -> None:
        """Wait until the renderer answers, however long, and close the "hung" interrupt."""
        supervisor = self._supervisor
        try:
            await session.send(Runtime.evaluate(expression="1"), PROBED_FOR_S)
        except CdpError:
            return  # the session ended; other events report that
        finally:
            self._probes.pop(session.id, None)
        supervisor.feed(InterruptClosed(supervisor.now(), "hung", session.id, "answers again"))

    def locate_frame(self, asked: DialogOpened) -> DialogOpened:
        """Return the question with its frame set: `Debugger.paused` does not say which frame
        stopped."""
        frames = [
            f
            for f in self._supervisor.state.frames.values()
            if f.session == asked.session and f.url == asked.url
        ]
        info = self._supervisor.state.sessions.get(asked.session)
        root = info.target_id if info else ""
        return replace(asked, frame=frames[0].id if len(frames) == 1 else root)


async def _capture(work: Awaitable[T]) -> tuple[T | None, BaseException | None]:
    """Return the result or error of the work as a value: it may end when nobody awaits it."""
    try:
        return await work, None
    except (CdpError, ToolError, TimeoutError) as error:
        return None, error


def _unwrap(settled: tuple[T | None, BaseException | None]) -> T | None:
    value, error = settled
    if error is not None:
        raise error
    return value
