"""The shell around `step`: one browser, one wire, one state that is always true.

It feeds events (Chrome's, the clock's, the agent's) to `step` and carries out the effects as
owned tasks. Whoever reads `state` waits for nothing.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from pilothouse.cdp import Command, Connection, Session, SessionId, Status
from pilothouse.cdp.message import decode_object
from pilothouse.cdp.protocol import Page, Target
from pilothouse.errors import CdpError, ConnectionLost, ToolError
from pilothouse.supervisor.actions import Actions, Outcome
from pilothouse.supervisor.answering import Answered, Answering
from pilothouse.supervisor.capabilities import BROWSER_PROCESS, HANDLE_DIALOG, choose, measure
from pilothouse.supervisor.event_pump import Wiring
from pilothouse.supervisor.holder import Holder
from pilothouse.supervisor.journal import Console
from pilothouse.supervisor.model import (
    Navigations,
    Policy,
    State,
    decode_frame_tree,
    step,
    watch_unheld,
)
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.options import Options
from pilothouse.supervisor.resume_gate import Turnstile
from pilothouse.supervisor.service_workers import ServiceWorkers
from pilothouse.supervisor.session_hooks import Additions
from pilothouse.supervisor.session_setup import Setup, session_commands
from pilothouse.supervisor.url_policy_enforcer import Fences
from pilothouse.tasks import Tasks, wait_for_result

__all__ = ["Supervisor"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

NOTICES_KEPT = 50
SETUP_WITHIN_S = 10.0
TAB_WITHIN_S = 10.0
WORLD_WITHIN_S = 5.0


class Supervisor:
    """Make it over an open connection, `start` it, read `state`, `close` it."""

    def __init__(
        self, connection: Connection, options: Options | None = None, holder: Holder | None = None
    ) -> None:
        self.connection = connection
        self.options = options or Options()
        self.setup = Setup(
            host=f"https://{secrets.token_hex(12)}.invalid/",
            page_setup=self.options.page_setup,
            binding=f"_{secrets.token_hex(12)}",
        )
        # What the backend can do, for the agent; `start` finds it out.
        self.capabilities: dict[str, Any] = {}
        self.state = State(policies={"": self.options.policy})
        self.console = Console()
        self.navigations = Navigations()
        self.tasks = Tasks(self._gone)
        self._over = False
        self._on_end: dict[object, Callable[[ConnectionLost], object]] = {}
        self.actions = Actions(self)
        self.additions = Additions(self)
        self.fences = Fences(self)
        self.service_workers = ServiceWorkers(self)
        # Whether somebody gives finished downloads their names (`DownloadSaved`).
        self.names_downloads = False
        # How many tabs are being opened for owners that nobody knows as theirs yet.
        self.opening = 0
        self.turnstile = Turnstile(connection)
        self.holder = holder
        self._answering = Answering(self)
        self._loop = asyncio.get_running_loop()
        # What turns an event's monotonic time into a date for people; nothing is decided by it.
        self.clock = time.time() - self._loop.time()  # noqa: TID251
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._ready: dict[SessionId, asyncio.Future[None]] = {}
        self._watchers: dict[asyncio.Future[Any], Callable[[State], Any]] = {}
        self._notices: defaultdict[str, deque[str]] = defaultdict(
            lambda: deque(maxlen=NOTICES_KEPT)
        )
        self._observers: list[Callable[[ev.Event, State, list[do.Effect]], object]] = []
        self._wiring = Wiring(self)

    # Life.

    async def start(self) -> None:
        """Find out what the backend can do and attach to what is there. Raises CdpError if the
        browser does not take orders."""
        given = self.options
        backend, found = await measure(
            self.connection, owned=given.owned, known=given.known, product=given.product
        )
        can = choose(backend, found, self.options.bridge)
        self.setup = replace(self.setup, page_mode=can.page_mode, frame_mode=can.frame_mode)
        self.capabilities = can.shown()
        if not found.native:
            watch_unheld(self)
        self._wiring.listen()
        if self.holder is not None:
            await self.holder.start(self)
        await self._wiring.attach_root()

    async def close(self) -> None:
        """Stop supervising; the browser and its tabs are left as they are. Whatever still waits
        for something here gets ConnectionLost: nobody would ever tell it more."""
        self._over = True
        self._wiring.leave()
        for timer in self._timers.values():
            timer.cancel()
        for future in [*self._watchers, *self._ready.values()]:
            if not future.done():
                future.set_exception(self._gone())
                future.exception()  # whoever waited may have gone
        for listener in list(self._on_end.values()):
            listener(self._gone())
        await self.tasks.close()
        if self.holder is not None:
            await self.holder.close()

    def on_end(self, listener: Callable[[ConnectionLost], object]) -> Callable[[], object]:
        """Have `listener` called once when supervision ends; the returned function takes it out."""
        key = object()
        self._on_end[key] = listener
        return lambda: self._on_end.pop(key, None)

    def _check_alive(self) -> None:
        """Raise ConnectionLost if no tab can be had because the whole browser is gone."""
        if self._over or self.connection.status is Status.CLOSED:
            raise self._gone()

    def _gone(self) -> ConnectionLost:
        """Why nothing can be had from this browser any more; a new error each time."""
        why = self.connection.closed_because or "supervision ended"
        return ConnectionLost(
            f"the browser went away: {why}",
            hint="open the tab again: a new browser starts by itself",
            terminal=True,
        )

    # Events in, effects out.

    def feed(self, event: ev.Event) -> None:
        """Let one event happen. Synchronous: when it returns, `state` is after it."""
        before = self.state
        self.state, effects = step(before, event)
        for observer in self._observers:
            observer(event, self.state, effects)
        for effect in effects:
            self._do(effect)
        if self.state is not before:
            self._wake()

    def observe(
        self, observer: Callable[[ev.Event, State, list[do.Effect]], object]
    ) -> Callable[[], None]:
        """Hear every event with the state after it and its effects, as a journal does."""
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def now(self) -> float:
        """The clock of all events."""
        return self._loop.time()

    # Effects.

    def _do(self, effect: do.Effect) -> None:
        match effect:
            case do.Instrument():
                self._instrument(effect)
            case do.AnswerDialog():
                self.tasks.start(self._answering.dialog(effect), f"answer {effect.dialog}")
            case do.AnswerInterrupt():
                self.tasks.start(self._answering.interrupt(effect), f"answer {effect.interrupt}")
            case do.Send():
                session = self.connection.sessions.get(effect.session)
                if session is not None:
                    session.send(Command(effect.method, effect.params))
            case do.StartTimer():
                self._timers[effect.key] = self._loop.call_later(
                    effect.seconds, self._on_timer, effect.key
                )
            case do.StopTimer():
                timer = self._timers.pop(effect.key, None)
                if timer is not None:
                    timer.cancel()
            case do.Tell():
                tab = self.state.tabs.get(effect.tab)
                self._notices[tab.owner if tab else ""].append(effect.text)

    def _on_timer(self, key: str) -> None:
        self._timers.pop(key, None)
        self.feed(ev.TimerFired(self.now(), key))

    def _instrument(self, effect: do.Instrument) -> None:
        session = self.connection.sessions[effect.session]
        ready = self._loop.create_future()
        self._ready[session.id] = ready
        if not effect.waiting and effect.kind in ("page", "iframe"):
            session.send(Page.getFrameTree(), SETUP_WITHIN_S).heard(
                lambda raw: self._seed(session, decode_object(raw) or {})
            )
        tab = self.state.tab_of(session.id)
        wanted = session_commands(
            effect.kind,
            self.setup,
            self.additions.commands(tab.id, session) if tab else (),
            self.additions.stopped(tab.id) if tab else (),
        )
        commands = self.turnstile.pass_through(session.id, effect.waiting, wanted)
        replies = [session.send(command, SETUP_WITHIN_S) for command in commands]
        self.tasks.start(self._settle(session, replies, ready), f"set up {session.id}")
        if effect.kind == "service_worker":
            self.service_workers.watch(session)
        if effect.kind == "page" and effect.waiting:
            ready.add_done_callback(lambda _: self.fences.look(session))
        if self.holder is not None and effect.kind == "page":
            self.tasks.start(self.holder.hold(session.target_id), "hold a tab")

    def _seed(self, session: Session, answer: Mapping[str, Any]) -> None:
        if "frameTree" in answer:
            found = decode_frame_tree(answer["frameTree"], session.id, self.now())
            self.feed(found)
            self.fences.arrived(found)

    async def _settle(
        self, session: Session, replies: list[Any], ready: asyncio.Future[None]
    ) -> None:
        for reply in replies:
            try:
                await reply
            except CdpError as error:
                # Some targets lack some domains; what matters fails again where it is used.
                _log.debug("setting up %r: %s", session, error)
        if not ready.done():
            ready.set_result(None)
        self._ready.pop(session.id, None)

    # Waiting for the state.

    async def wait_for(self, question: Callable[[State], T | None], deadline: float) -> T:
        """The first truthy answer of `question(state)`. Raises TimeoutError, or ConnectionLost
        once supervision has ended."""
        answer = question(self.state)
        if answer:
            return answer
        if self._over:
            raise self._gone()
        future: asyncio.Future[T] = self._loop.create_future()
        self._watchers[future] = question
        try:
            async with asyncio.timeout(deadline):
                return await future
        finally:
            self._watchers.pop(future, None)

    def _wake(self) -> None:
        for future, question in list(self._watchers.items()):
            if not future.done() and (answer := question(self.state)):
                future.set_result(answer)

    def note(self, owner: str, text: str) -> None:
        """Have an owner told something with its next answer."""
        self._notices[owner].append(text)

    def take_notices(self, owner: str = "") -> list[str]:
        """What was noted for an owner since it last asked."""
        return list(self._notices.pop(owner, ()))

    def set_policy(self, owner: str, policy: Policy) -> None:
        """How an owner's dialogs end from now on; the owner "" speaks for all who said nothing."""
        self.feed(ev.PolicySet(self.now(), owner, policy))

    def forget(self, owner: str) -> None:
        """An owner is gone for good: its policy and its notices go, if no tab of it is left."""
        if owner in self.state.policies:
            self.feed(ev.PolicySet(self.now(), owner, None))
        if not any(tab.owner == owner for tab in self.state.tabs.values()):
            self._notices.pop(owner, None)

    # Tabs and frames.

    async def open_tab(
        self, owner: str = "", url: str = "about:blank", context: str = "", *, wait: bool = True
    ) -> str:
        """A new tab of `owner`; it is instrumented before its first script runs. Who does not wait
        has more to send to it at once, and waits until it is `ready` itself."""
        self.opening += 1
        try:
            creating = self.connection.send(
                Target.createTarget(url="about:blank", browserContextId=context or None)
            )
            # Nothing runs in a blank page: this is decided while Chrome makes its window.
            if context and self.options.owned:
                await self._wiring.permit(context)
            target = (await creating)["targetId"]
            if not self.options.owned and self.state.tab_of_target(target) is None:
                await self._wiring.attach(target)
            tab = await self.wait_for(lambda s: s.tab_of_target(target), TAB_WITHIN_S)
        finally:
            self.opening -= 1
        self.feed(ev.OwnerSet(self.now(), target, owner))
        if wait:
            await self.ready(tab.id)
        await self.additions.fence_in(tab.id)
        if url != "about:blank":
            await self.race(tab.id, self.session(tab.id).send(Page.navigate(url=url)))
        return tab.id

    async def adopt(self, target_id: str, owner: str = "") -> str:
        """Take an existing tab of a browser that is not ours under supervision."""
        if self.state.tab_of_target(target_id) is None:
            await self._wiring.attach(target_id)
        tab = await self.wait_for(lambda s: s.tab_of_target(target_id), TAB_WITHIN_S)
        self.feed(ev.OwnerSet(self.now(), target_id, owner))
        await self.ready(tab.id)
        await self.additions.fence_in(tab.id)
        return tab.id

    def disown(self, tab_id: str) -> None:
        """Let go of an adopted tab: it stays open, and is nobody's."""
        if tab_id in self.state.tabs:
            self.feed(ev.OwnerSet(self.now(), self.state.tabs[tab_id].target_id, ""))

    async def ready(self, tab: str, deadline: float = SETUP_WITHIN_S) -> None:
        """Wait until a tab's session is set up: a navigation would overtake it."""
        waiting = self._ready.get(self.session(tab).id)
        if waiting is not None:
            async with asyncio.timeout(deadline):
                await wait_for_result(waiting)

    async def refresh(self, tab_id: str, deadline: float = 30.0) -> None:
        """Ask for a tab's address and title: Chrome tells changes of the title late."""
        target = self.session(tab_id).target_id
        asked = self.connection.send(Target.getTargetInfo(targetId=target), deadline)
        info = (await asked)["targetInfo"]
        self.feed(ev.TargetChanged(self.now(), target, info["url"], info["title"]))

    async def attach_again(self, session: Session) -> None:
        """Give a tab a new session in place of one that is of no use any more."""
        await self._wiring.attach(session.target_id)
        self.connection.send(Target.detachFromTarget(sessionId=session.id))

    async def close_tab(self, tab_id: str) -> None:
        """Close a tab, its dialogs first: Chrome would crash over some of them."""
        await self._answering.close_tab(tab_id)

    def session(self, tab_id: str) -> Session:
        """A tab's own session. Raises ToolError if there is no such tab now, ConnectionLost if the
        browser itself is gone."""
        tab = self.state.tabs.get(tab_id)
        session = self.connection.sessions.get(tab.session) if tab else None
        if session is None:
            self._check_alive()
            # Which ones there are is not told: they may be another owner's.
            raise ToolError(f"there is no tab {tab_id} now", hint="it was closed; open it again")
        return session

    def frame(self, frame_id: str) -> tuple[Session, str]:
        """Where a frame lives: its session, and its main world there."""
        frame = self.state.frames.get(frame_id)
        session = self.connection.sessions.get(frame.session) if frame else None
        if frame is None or session is None:
            self._check_alive()
            raise ToolError(
                f"there is no frame {frame_id} now",
                hint="give a frame_id of the frame tree as it is now",
            )
        return session, self.state.context_of(frame)

    async def main_world(self, frame_id: str) -> str:
        """The main world of a frame. A document that has just arrived has it in a moment."""

        def question(state: State) -> str:
            frame = state.frames.get(frame_id)
            return state.context_of(frame) if frame else ""

        try:
            return await self.wait_for(question, WORLD_WITHIN_S)
        except TimeoutError:
            raise ToolError(
                f"frame {frame_id} has no document that can run code now",
                hint="wait until it has loaded, then try again",
            ) from None

    async def cdp(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        tab: str = "",
        frame_id: str = "",
        deadline: float = 30.0,
    ) -> Outcome[dict[str, Any]]:
        """Any CDP command, on a tab, in a frame (whichever process it is in), or on the browser.

        What the browser process answers by itself is sent also while a dialog blocks the page."""
        params = dict(params or {})
        if not tab and not frame_id:
            return Outcome(await self.connection.send(Command(method, params), deadline))
        session = self.frame(frame_id)[0] if frame_id else self.session(tab)
        tab = self.state.frames[frame_id].tab if frame_id else tab
        if method == HANDLE_DIALOG and self._answering.pending(tab):
            await self._answering.by_command(tab, params)
            return Outcome({})
        if method in BROWSER_PROCESS:
            return Outcome(await session.send(Command(method, params), deadline))
        runs = method in ("Runtime.evaluate", "Runtime.callFunctionOn")

        async def work() -> dict[str, Any]:
            if frame_id and runs and not {"objectId", "uniqueContextId"} & params.keys():
                params["uniqueContextId"] = await self.main_world(frame_id)
            return await session.send(Command(method, params), deadline)

        return await self.race(tab, work, session)

    # Races and answers.

    async def race(
        self,
        tab: str,
        work: Awaitable[T] | Callable[[], Awaitable[T]],
        session: Session | None = None,
        **patience: float,
    ) -> Outcome[T]:
        """Do `work` on a tab, but end at once when something blocks it; see `Actions.race`."""
        return await self.actions.race(tab, work, session, **patience)

    async def answer(
        self,
        *,
        accept: bool,
        text: str | None = None,
        dialog_id: str | None = None,
        tab: str | None = None,
        by: str = "agent",
    ) -> Answered:
        """Answer a pending dialog; without an id, the only one there is."""
        return await self._answering.answer(accept, text, dialog_id, tab, by)

    def answer_interrupt(self, interrupt_id: str, action: str, **detail: Any) -> None:
        """Decide about anything else that waits. Raises ToolError for what it does not take."""
        self._answering.decide(interrupt_id, action, detail)
