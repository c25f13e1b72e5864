"""`EventPublisher`: tells the dashboards that are open what happens in the daemon.

It listens to browsers and calls from the first viewer to LINGER_S after the last one left; at other
times it costs nothing. A change marks the view as old; a moment later the view is made again and
compared with the last one. Events go to a bounded ring, from which every viewer reads at its own
pace, and after a dropped connection from the last event that it has seen.

Knows: how a view is made of tabs and states. Must not know: HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.daemon.owner_journals import CallRecord
from pilothouse.daemon.web.events import (
    CallFinished,
    CallStarted,
    DaemonView,
    InterruptView,
    TabView,
    ViewersChanged,
    WebEvent,
    compare,
    summarize_answer,
)
from pilothouse.supervisor import Supervisor
from pilothouse.tabs.tabs import OwnedTab

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["RESET", "EventPublisher", "EventRing"]

RING = 1000
CALLS_KEPT = 200
# Changes of one moment become one comparison.
GATHER_S = 0.05
LINGER_S = 30.0
HEARTBEAT_S = 15.0
# Sent as data instead of an event: the viewer has missed some, and must read the state again.
RESET = b'{"type":"reset"}'


class EventRing:
    """The last events, as JSON, numbered. Ids of another daemon are not taken for its own."""

    def __init__(self, size: int = RING) -> None:
        self._boot = secrets.token_hex(4)
        self._events: deque[tuple[int, bytes]] = deque(maxlen=size)
        self.last = 0

    def add(self, data: bytes) -> None:
        """Append an event."""
        self.last += 1
        self._events.append((self.last, data))

    def id_of(self, number: int) -> str:
        """Return the id of an event, as it is sent."""
        return f"{self._boot}-{number}"

    def number_of(self, event_id: str) -> int | None:
        """Return the number behind an id; None if it is not of this ring."""
        boot, _, number = event_id.partition("-")
        if boot != self._boot or not number.isdecimal() or len(number) > 15:
            return None
        return int(number)

    def after(self, number: int) -> list[tuple[int, bytes]] | None:
        """Return the events after a number; None if some of them are no longer kept."""
        if number > self.last or number < self.last - len(self._events):
            return None
        return [event for event in self._events if event[0] > number]


class EventPublisher:
    """The one source of events for all viewers of a daemon."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self.ring = EventRing()
        self.view = DaemonView()
        self.calls: deque[CallFinished] = deque(maxlen=CALLS_KEPT)
        self.viewers = 0
        self._news = asyncio.Event()
        self._is_listening = False
        self._compare_timer: asyncio.TimerHandle | None = None
        self._stop_timer: asyncio.TimerHandle | None = None
        self._watched: dict[Supervisor, Callable[[], None]] = {}
        self._ended = asyncio.Event()

    # Viewers.

    @contextlib.contextmanager
    def viewer(self) -> Iterator[None]:
        """Count a viewer, and listen as long as there is one."""
        self.listen()
        self.viewers += 1
        self._publish(ViewersChanged(self.viewers))
        try:
            yield
        finally:
            self.viewers -= 1
            self._publish(ViewersChanged(self.viewers))
            if not self.viewers and self._is_listening:
                loop = asyncio.get_running_loop()
                self._stop_timer = loop.call_later(LINGER_S, self.stop)

    async def stream(self, last_id: str) -> AsyncIterator[bytes]:
        """Yield server-sent events from the one after `last_id` on, until the publisher ends."""
        ended = self._ended
        with self.viewer():
            number = self.ring.number_of(last_id)
            position = self.ring.last if number is None else number
            if number is None:
                yield self._message(position, RESET)
            while not ended.is_set():
                found = self.ring.after(position)
                if found is None:
                    position = self.ring.last
                    yield self._message(position, RESET)
                    continue
                for position, data in found:
                    yield self._message(position, data)
                if not await self._wait_for_news(position):
                    yield b": still here\n\n"

    def _message(self, number: int, data: bytes) -> bytes:
        return b"id: %s\ndata: %s\n\n" % (self.ring.id_of(number).encode(), data)

    async def _wait_for_news(self, position: int) -> bool:
        """Wait for an event after `position`; False after HEARTBEAT_S without one."""
        if self.ring.last > position:
            return True
        news = self._news  # the next event sets this one and replaces it
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                await news.wait()
        except TimeoutError:
            return False
        return True

    # Listening.

    def listen(self) -> None:
        """Start to listen, or go on."""
        if self._stop_timer is not None:
            self._stop_timer.cancel()
            self._stop_timer = None
        if self._is_listening:
            return
        self._is_listening = True
        self._daemon.journals.on_call = self._on_call
        self._daemon.journals.on_browser = self._watch
        self.view = self._make_view()

    def stop(self) -> None:
        """Stop to listen. What happens from now on is not recorded."""
        self._is_listening = False
        self._daemon.journals.on_call = None
        self._daemon.journals.on_browser = None
        for timer in (self._compare_timer, self._stop_timer):
            if timer is not None:
                timer.cancel()
        self._compare_timer = self._stop_timer = None
        for remove in self._watched.values():
            remove()
        self._watched.clear()
        self.calls.clear()
        self.ring = EventRing()  # with a new id: what was missed cannot be replayed

    def end_streams(self) -> None:
        """End all streams: the sessions of their viewers have ended."""
        self._ended.set()
        self._news.set()
        self._ended = asyncio.Event()

    def close(self) -> None:
        """End all streams, and listen no longer."""
        self.end_streams()
        self.stop()

    def _watch(self, supervisor: Supervisor) -> None:
        if supervisor in self._watched:
            return

        def on_event(event: Any, state: Any, effects: Any) -> None:
            self._mark_old()

        self._watched[supervisor] = supervisor.observe(on_event)
        supervisor.on_end(lambda _: self._forget(supervisor))

    def _forget(self, supervisor: Supervisor) -> None:
        if self._watched.pop(supervisor, None) is not None:
            self._mark_old()

    def _on_call(self, call: CallRecord) -> None:
        self._mark_old()
        redact = self._daemon.redactor.redact_text
        shown = (call.number, call.at, call.owner, call.tab, call.name, redact(call.on))
        if not call.ended:
            self._publish(CallStarted(*shown))
            return
        error, summary = summarize_answer(self._daemon.redactor.redact(call.answer))
        error = redact(call.error) or error
        done = CallFinished(*shown, round(call.ms, 1), error, summary)
        self.calls.append(done)
        self._publish(done)

    # Views.

    def _mark_old(self) -> None:
        if self._is_listening and self._compare_timer is None:
            loop = asyncio.get_running_loop()
            self._compare_timer = loop.call_later(GATHER_S, self._compare)

    def refresh(self) -> None:
        """Bring the view up to date now."""
        if self._is_listening:
            self._compare()
        else:
            self.listen()
            loop = asyncio.get_running_loop()
            self._stop_timer = loop.call_later(LINGER_S, self.stop)

    def _compare(self) -> None:
        if self._compare_timer is not None:
            self._compare_timer.cancel()
            self._compare_timer = None
        before, self.view = self.view, self._make_view()
        for event in compare(before, self.view):
            self._publish(event)

    def _publish(self, event: WebEvent) -> None:
        self.ring.add(msgspec.json.encode(event))
        self._news.set()
        self._news = asyncio.Event()

    def _make_view(self) -> DaemonView:
        tabs: dict[str, TabView] = {}
        interrupts: dict[str, InterruptView] = {}
        closed_by: dict[str, str] = {}
        for owner in sorted({tab.owner for tab in self._daemon.tabs.all()}):
            for tab in self._daemon.tabs.owned_by(owner):
                self._watch(tab.supervisor)
                key = self.tab_key(tab)
                tabs[key] = self._describe_tab(key, tab)
                for one in self._waiting(key, tab):
                    interrupts[one.id] = one
                number = key.partition(".")[0]
                for closed in tab.supervisor.state.recent_dialogs:
                    closed_by[f"{number}.{closed.dialog.id}"] = closed.closed_by
        return DaemonView(tabs, interrupts, closed_by)

    def tab_key(self, tab: OwnedTab) -> str:
        """Return the id of a tab for viewers."""
        return f"{self._daemon.journals.browser_number(tab.supervisor)}.{tab.tab_id}"

    def find_tab(self, key: str) -> OwnedTab | None:
        """Return the tab of an id, if it is still there."""
        return next((tab for tab in self._daemon.tabs.all() if self.tab_key(tab) == key), None)

    def _describe_tab(self, key: str, tab: OwnedTab) -> TabView:
        known = tab.supervisor.state.tabs.get(tab.tab_id)
        redact = self._daemon.redactor.redact_text
        state = "gone" if known is None or not tab.alive else "crashed" if known.crashed else "open"
        return TabView(
            key,
            tab.owner,
            tab.name,
            redact(tab.url),
            redact(known.title) if known else "",
            tab.kind.describe(),
            tab.lease.holder,
            redact(tab.last_action),
            state,
        )

    def _waiting(self, key: str, tab: OwnedTab) -> Iterator[InterruptView]:
        supervisor, redact = tab.supervisor, self._daemon.redactor.redact_text
        number, clock = key.partition(".")[0], supervisor.clock
        for dialog in supervisor.state.dialogs.values():
            if dialog.tab == tab.tab_id:
                answers = ("accept",) if dialog.type == "alert" else ("accept", "dismiss")
                yield InterruptView(
                    f"{number}.{dialog.id}",
                    key,
                    "dialog",
                    dialog.type,
                    redact(dialog.message),
                    redact(dialog.default_prompt),
                    dialog.origin,
                    clock + dialog.opened_at,
                    () if dialog.orphaned else answers,
                    orphaned=dialog.orphaned,
                )
        for one in supervisor.state.interrupts.values():
            if one.tab == tab.tab_id:
                named = (one.detail.get(name) for name in ("permission", "realm", "reason"))
                told = next((text for text in named if text), "")
                yield InterruptView(
                    f"{number}.{one.id}",
                    key,
                    one.kind,
                    message=redact(str(told)),
                    origin=one.origin,
                    opened_at=clock + one.opened_at,
                    answers=one.answers,
                    choices=tuple(redact(str(text)) for text in one.detail.get("choices", ())),
                )
