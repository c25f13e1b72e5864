"""`Supervisor`: feeds events to `step` and carries out the effects, for one browser.

Events come from Chrome, from timers and from callers. `feed` is synchronous, so `state` is always
current and reading it needs no await. Slow effects run as tasks that the supervisor owns.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks, wait_for_result
from pilothouse.cdp import Command, Connection, Session, SessionId, Status
from pilothouse.cdp.message import decode_object
from pilothouse.cdp.protocol import Page, Target
from pilothouse.errors import CdpError, ConnectionLost, ElementNotFound, TabNotFound, ToolError
from pilothouse.supervisor.backend_dismissed_dialogs import watch_auto_dismissed_dialogs
from pilothouse.supervisor.capabilities import (
    DIALOG_SAFE_COMMANDS,
    HANDLE_DIALOG,
    choose_dialog_modes,
    detect_features,
)
from pilothouse.supervisor.ended_service_workers import ServiceWorkers
from pilothouse.supervisor.event_pump import EventPump
from pilothouse.supervisor.extra_session_setup import SessionHooks
from pilothouse.supervisor.interrupt_responder import DialogResult, InterruptResponder
from pilothouse.supervisor.interruptible_actions import Actions, Outcome
from pilothouse.supervisor.journal import ConsoleLog
from pilothouse.supervisor.model import (
    PendingNavigations,
    Policy,
    State,
    TabKey,
    decode_frame_tree,
    step,
)
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.new_target_hold import ResumeGate
from pilothouse.supervisor.options import Options
from pilothouse.supervisor.session_setup import SessionSetup, session_commands
from pilothouse.supervisor.standby_connection import StandbyConnection
from pilothouse.supervisor.url_policy_enforcer import UrlPolicyEnforcer

__all__ = ["Supervisor"]

_log = logging.getLogger(__name__)

T = TypeVar("T")

NOTICES_KEPT = 50
SETUP_WITHIN_S = 10.0
TAB_WITHIN_S = 10.0
WORLD_WITHIN_S = 5.0


class Supervisor:
    """Supervises one browser. Create it over an open connection, `start`, read `state`, `close`."""

    def __init__(
        self,
        connection: Connection,
        options: Options | None = None,
        standby: StandbyConnection | None = None,
    ) -> None:
        self.connection = connection
        self.options = options or Options()
        self.setup = SessionSetup(
            bridge_url=f"https://{secrets.token_hex(12)}.invalid/",
            page_setup=self.options.page_setup,
            binding=f"_{secrets.token_hex(12)}",
        )
        # What the backend can do, as an agent reads it; `start` fills it in.
        self.capabilities: dict[str, Any] = {}
        self.state = State(policies={TabKey(): self.options.policy})
        self.console = ConsoleLog()
        self.navigations = PendingNavigations()
        self.tasks = Tasks(self._connection_lost)
        self._ended = False
        self._on_end: dict[object, Callable[[ConnectionLost], object]] = {}
        self.actions = Actions(self)
        self.session_hooks = SessionHooks(self)
        self.url_policy = UrlPolicyEnforcer(self)
        self.service_workers = ServiceWorkers(self)
        # Whether tabs/download_mover.py renames finished downloads and feeds `DownloadSaved`.
        self.names_downloads = False
        # How many tabs are being opened and have no owner set yet.
        self.opening_tabs = 0
        self.resume_gate = ResumeGate(connection)
        self.standby = standby
        self._responder = InterruptResponder(self)
        self._loop = asyncio.get_running_loop()
        # Offset from an event's monotonic time to wall time, for display only.
        self.clock = time.time() - self._loop.time()  # noqa: TID251
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._ready: dict[SessionId, asyncio.Future[None]] = {}
        self._watchers: dict[asyncio.Future[Any], Callable[[State], Any]] = {}
        self._notices: defaultdict[TabKey, deque[str]] = defaultdict(
            lambda: deque(maxlen=NOTICES_KEPT)
        )
        self._observers: list[Callable[[ev.Event, State, list[do.Effect]], object]] = []
        self._event_pump = EventPump(self)

    # Start and close.

    async def start(self) -> None:
        """Detect the backend's features and attach to its targets. Raises CdpError if the browser
        refuses the commands for that."""
        given = self.options
        backend, found = await detect_features(
            self.connection, owned=given.owned, known=given.features, product=given.product
        )
        can = choose_dialog_modes(backend, found, self.options.bridge)
        self.setup = replace(self.setup, page_mode=can.page_mode, frame_mode=can.frame_mode)
        self.capabilities = can.to_dict()
        if not found.holds_native_dialogs:
            watch_auto_dismissed_dialogs(self)
        self._event_pump.start()
        if self.standby is not None:
            await self.standby.start(self)
        await self._event_pump.attach_root()

    async def close(self) -> None:
        """Stop supervising; the browser and its tabs stay as they are. Pending waits fail with
        ConnectionLost, because no event would ever end them."""
        self._ended = True
        self._event_pump.stop()
        for timer in self._timers.values():
            timer.cancel()
        for future in [*self._watchers, *self._ready.values()]:
            if not future.done():
                future.set_exception(self._connection_lost())
                future.exception()  # the waiting task may be gone; keep asyncio from logging it
        for listener in list(self._on_end.values()):
            listener(self._connection_lost())
        await self.tasks.close()
        if self.standby is not None:
            await self.standby.close()

    def on_end(self, listener: Callable[[ConnectionLost], object]) -> Callable[[], object]:
        """Call `listener` once when supervision ends; the returned function removes it."""
        key = object()
        self._on_end[key] = listener
        return lambda: self._on_end.pop(key, None)

    def _check_alive(self) -> None:
        """Raise ConnectionLost if the whole browser is gone."""
        if self._ended or self.connection.status is Status.CLOSED:
            raise self._connection_lost()

    def _connection_lost(self) -> ConnectionLost:
        """Build the error for a browser that is gone; a new object each time."""
        why = self.connection.close_reason or "supervision ended"
        return ConnectionLost(
            f"the browser went away: {why}",
            hint="open the tab again: a new browser starts by itself",
            terminal=True,
        )

    # Events in, effects out.

    def feed(self, event: ev.Event) -> None:
        """Apply one event. Synchronous: when it returns, `state` includes the event."""
        before = self.state
        self.state, effects = step(before, event)
        for observer in self._observers:
            observer(event, self.state, effects)
        for effect in effects:
            self._run_effect(effect)
        if self.state is not before:
            self._wake()

    def observe(
        self, observer: Callable[[ev.Event, State, list[do.Effect]], object]
    ) -> Callable[[], None]:
        """Call `observer` with every event, the state after it and its effects, as the journal
        needs. The returned function removes it."""
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def now(self) -> float:
        """Return the time that events carry: the loop's monotonic clock."""
        return self._loop.time()

    # Effects.

    def _run_effect(self, effect: do.Effect) -> None:
        match effect:
            case do.SetUpSession():
                self._set_up_session(effect)
            case do.AnswerDialog():
                self.tasks.start(
                    self._responder.send_dialog_answer(effect), f"answer {effect.dialog}"
                )
            case do.AnswerInterrupt():
                self.tasks.start(
                    self._responder.send_interrupt_answer(effect), f"answer {effect.interrupt}"
                )
            case do.SendCommand():
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
            case do.Notify():
                tab = self.state.tabs.get(effect.tab)
                self._notices[tab.key if tab else TabKey()].append(effect.text)

    def _on_timer(self, key: str) -> None:
        self._timers.pop(key, None)
        self.feed(ev.TimerFired(self.now(), key))

    def _set_up_session(self, effect: do.SetUpSession) -> None:
        session = self.connection.sessions[effect.session]
        ready = self._loop.create_future()
        self._ready[session.id] = ready
        if not effect.waiting and effect.kind in ("page", "iframe"):
            session.send(Page.getFrameTree(), SETUP_WITHIN_S).on_result(
                lambda raw: self._load_frame_tree(session, decode_object(raw) or {})
            )
        tab = self.state.tab_of(session.id)
        wanted = session_commands(
            effect.kind,
            self.setup,
            self.session_hooks.commands(tab.id, session) if tab else (),
            self.session_hooks.intercept_patterns(tab.id) if tab else (),
        )
        commands = self.resume_gate.filter_commands(session.id, effect.waiting, wanted)
        replies = [session.send(command, SETUP_WITHIN_S) for command in commands]
        self.tasks.start(self._wait_for_setup(session, replies, ready), f"set up {session.id}")
        if effect.kind == "service_worker":
            self.service_workers.watch(session)
        if effect.kind == "page" and effect.waiting:
            ready.add_done_callback(lambda _: self.url_policy.check_first_document(session))
        if self.standby is not None and effect.kind == "page":
            self.tasks.start(self.standby.attach(session.target_id), "hold a tab")

    def _load_frame_tree(self, session: Session, answer: Mapping[str, Any]) -> None:
        if "frameTree" in answer:
            found = decode_frame_tree(answer["frameTree"], session.id, self.now())
            self.feed(found)
            self.url_policy.check_document(found)

    async def _wait_for_setup(
        self, session: Session, replies: list[Any], ready: asyncio.Future[None]
    ) -> None:
        for reply in replies:
            try:
                await reply
            except CdpError as error:
                # Some targets lack some domains. A command that matters fails again where it is
                # used.
                _log.debug("setting up %r: %s", session, error)
        if not ready.done():
            ready.set_result(None)
        self._ready.pop(session.id, None)

    # Waiting for a state.

    async def wait_for(self, question: Callable[[State], T | None], deadline: float) -> T:
        """Wait until `question(state)` returns something truthy, and return that. Raises
        TimeoutError, or ConnectionLost once supervision has ended."""
        answer = question(self.state)
        if answer:
            return answer
        if self._ended:
            raise self._connection_lost()
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

    def add_notice(self, key: TabKey, text: str) -> None:
        """Add a notice that comes with the next result of this tab or of its popups."""
        self._notices[key].append(text)

    def take_notices(self, key: TabKey) -> list[str]:
        """Return and remove the notices of a tab and its popups."""
        return list(self._notices.pop(key, ()))

    def set_policy(self, key: TabKey, policy: Policy) -> None:
        """Set the dialog policy of a tab and its popups; the empty key sets the common one."""
        self.feed(ev.PolicySet(self.now(), key, policy))

    def forget(self, key: TabKey) -> None:
        """Remove the policy and notices of a key, unless a popup that has it is left."""
        if key in self.state.policies:
            self.feed(ev.PolicySet(self.now(), key, None))
        if not any(tab.key == key for tab in self.state.tabs.values()):
            self._notices.pop(key, None)

    # Tabs and frames.

    async def open_tab(
        self,
        owner: str = "",
        url: str = "about:blank",
        context: str = "",
        *,
        name: str = "",
        wait: bool = True,
    ) -> str:
        """Open a tab for `owner` and return its id. It is set up before its first script runs.
        With `wait=False` the caller can send more at once and must call `wait_ready` itself."""
        self.opening_tabs += 1
        try:
            creating = self.connection.send(
                Target.createTarget(url="about:blank", browserContextId=context or None)
            )
            # A blank page runs nothing, so set up its context while Chrome creates the window.
            if context and self.options.owned:
                await self._event_pump.set_up_context(context)
            target = (await creating)["targetId"]
            if not self.options.owned and self.state.tab_of_target(target) is None:
                await self._event_pump.attach(target)
            tab = await self.wait_for(lambda s: s.tab_of_target(target), TAB_WITHIN_S)
        finally:
            self.opening_tabs -= 1
        self.feed(ev.OwnerSet(self.now(), target, TabKey(owner, name)))
        if wait:
            await self.wait_ready(tab.id)
        await self.session_hooks.apply_url_policy(tab.id)
        if url != "about:blank":
            await self.actions.race(tab.id, self.session(tab.id).send(Page.navigate(url=url)))
        return tab.id

    async def adopt(self, target_id: str, owner: str = "", name: str = "") -> str:
        """Supervise an existing tab of a browser that we did not launch; return its id."""
        if self.state.tab_of_target(target_id) is None:
            await self._event_pump.attach(target_id)
        tab = await self.wait_for(lambda s: s.tab_of_target(target_id), TAB_WITHIN_S)
        self.feed(ev.OwnerSet(self.now(), target_id, TabKey(owner, name)))
        await self.wait_ready(tab.id)
        await self.session_hooks.apply_url_policy(tab.id)
        return tab.id

    def disown(self, tab_id: str) -> None:
        """Release an adopted tab: it stays open, without an owner."""
        if tab_id in self.state.tabs:
            target = self.state.tabs[tab_id].target_id
            self.feed(ev.OwnerSet(self.now(), target, TabKey()))

    async def wait_ready(self, tab: str, deadline: float = SETUP_WITHIN_S) -> None:
        """Wait until a tab's session is set up: a navigation sent earlier would overtake the
        setup."""
        waiting = self._ready.get(self.session(tab).id)
        if waiting is not None:
            async with asyncio.timeout(deadline):
                await wait_for_result(waiting)

    async def refresh(self, tab_id: str, deadline: float = 30.0) -> None:
        """Fetch a tab's URL and title: Chrome reports title changes late."""
        target = self.session(tab_id).target_id
        asked = self.connection.send(Target.getTargetInfo(targetId=target), deadline)
        info = (await asked)["targetInfo"]
        self.feed(ev.TargetInfoChanged(self.now(), target, info["url"], info["title"]))

    async def reattach(self, session: Session) -> None:
        """Replace a tab's session by a new one."""
        await self._event_pump.attach(session.target_id)
        self.connection.send(Target.detachFromTarget(sessionId=session.id))

    async def close_tab(self, tab_id: str) -> None:
        """Close a tab, its dialogs first: some of them would crash Chrome."""
        await self._responder.close_tab(tab_id)

    def session(self, tab_id: str) -> Session:
        """Return a tab's page session. Raises ToolError if the tab is gone, ConnectionLost if the
        browser is."""
        tab = self.state.tabs.get(tab_id)
        session = self.connection.sessions.get(tab.session) if tab else None
        if session is None:
            self._check_alive()
            # Do not list the tabs there are: they may belong to another owner.
            raise TabNotFound(f"there is no tab {tab_id} now", hint="it was closed; open it again")
        return session

    def frame(self, frame_id: str) -> tuple[Session, str]:
        """Return the session that hosts a frame, and the frame's main execution context."""
        frame = self.state.frames.get(frame_id)
        session = self.connection.sessions.get(frame.session) if frame else None
        if frame is None or session is None:
            self._check_alive()
            raise ElementNotFound(
                f"there is no frame {frame_id} now",
                hint="frame ids change when a page loads: take one from a new frame_tree",
            )
        return session, self.state.context_of(frame)

    async def main_world(self, frame_id: str) -> str:
        """Return the main execution context of a frame; wait for it if the document is new."""

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
        """Send any CDP command to a tab, a frame (in whichever process) or the browser.

        Commands that the browser process answers are sent even while a dialog blocks the page."""
        params = dict(params or {})
        if not tab and not frame_id:
            return Outcome(await self.connection.send(Command(method, params), deadline))
        session = self.frame(frame_id)[0] if frame_id else self.session(tab)
        tab = self.state.frames[frame_id].tab if frame_id else tab
        if method == HANDLE_DIALOG and self._responder.has_pending_dialog(tab):
            await self._responder.answer_by_command(tab, params)
            return Outcome({})
        if method in DIALOG_SAFE_COMMANDS:
            return Outcome(await session.send(Command(method, params), deadline))
        runs = method in ("Runtime.evaluate", "Runtime.callFunctionOn")

        async def work() -> dict[str, Any]:
            if frame_id and runs and not {"objectId", "uniqueContextId"} & params.keys():
                params["uniqueContextId"] = await self.main_world(frame_id)
            return await session.send(Command(method, params), deadline)

        return await self.actions.race(tab, work, session)

    # Answers.

    async def answer(
        self,
        *,
        accept: bool,
        text: str | None = None,
        dialog_id: str | None = None,
        tab: str | None = None,
        by: str = "agent",
    ) -> DialogResult:
        """Answer a pending dialog; without `dialog_id`, the only one there is."""
        return await self._responder.answer_dialog(accept, text, dialog_id, tab, by)

    def answer_interrupt(self, interrupt_id: str, action: str, **detail: Any) -> None:
        """Answer a pending interrupt. Raises ToolError for an action that it does not accept,
        NotPermitted if only a person may answer."""
        self._responder.answer_interrupt(interrupt_id, action, detail, "agent")

    def answer_as_person(self, interrupt_id: str, action: str, text: str = "") -> None:
        """Answer a pending interrupt with a person's decision, and with what the person wrote.
        Raises ToolError for an action that it does not accept."""
        self._responder.answer_interrupt(interrupt_id, action, {"text": text}, "human")
