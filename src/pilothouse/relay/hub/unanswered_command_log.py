"""Explain lost replies: log the CDP traffic around a client's command without a reply for 20 s.

Knows: the envelopes of recent CDP messages, and the age of forwarded commands. Must not know:
params, results or pages; none is kept, so the report holds no secret. The report is one warning in
the log (`pilothouse daemon logs`), at most one per minute and browser.

The hot path costs two slices and an append per message. Ages come from a check every two seconds:
ids only grow, so a command sent before an earlier check has a smaller id than that check.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from pilothouse.errors import plural

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["MessageSummary", "UnansweredCommand", "Watchdog", "describe_message", "format_report"]

_log = logging.getLogger(__name__)

UNANSWERED_S = 20.0
CHECK_EVERY_S = 2.0
WINDOW_S = 5.0
REPORT_EVERY_S = 60.0
# Envelopes of this many messages are kept: two megabytes.
MAX_MESSAGES = 8192
MAX_LINES = 300
MAX_BLOCKERS = 20

# Time, "send" or "receive", first and last bytes, size.
MessageSummary = tuple[float, str, bytes, bytes, int]

_ID = re.compile(rb'^\{"id":(\d+)')
_METHOD = re.compile(rb'"method":"([A-Za-z0-9_.]{1,64})"')
_SESSION = re.compile(rb'"sessionId":"([A-Za-z0-9_-]{1,64})"\}$')


class UnansweredCommand(msgspec.Struct, frozen=True):
    """A command without a reply: its client, session and target."""

    number: int
    client: str
    session: str
    target: str
    is_waiting: bool = False
    blockers: tuple[str, ...] = ()


class Watchdog:
    """Watches the forwarded commands of one hub while it has clients."""

    def __init__(self, hub: Hub, clock: Callable[[], float] = monotonic) -> None:
        self._hub = hub
        self._clock = clock
        self._messages: deque[MessageSummary] = deque(maxlen=MAX_MESSAGES)
        # (time, highest id by then), oldest first.
        self._marks: deque[tuple[float, int]] = deque()
        self._reported: set[int] = set()
        self._reported_at = -REPORT_EVERY_S
        self._watching: asyncio.Task[None] | None = None
        self._untrace: Callable[[], None] | None = None

    def start(self) -> None:
        """Start watching, unless it is watching already."""
        if self._untrace is None:
            self._untrace = self._hub.connection.trace_ends(self.record_message)
            self._watching = self._hub.tasks.start(self._watch(), "watch for lost replies")

    def stop(self) -> None:
        """Stop watching: the last client left."""
        if self._untrace is not None:
            self._untrace()
            self._untrace = None
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        self._messages.clear()
        self._marks.clear()
        self._reported.clear()

    def record_message(self, direction: str, head: bytes, tail: bytes, size: int) -> None:
        """Record the envelope of a message on the connection."""
        self._messages.append((self._clock(), direction, head, tail, size))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            self.check()

    def check(self) -> str:
        """Look for a command that has waited too long. Logs and returns its report."""
        now = self._clock()
        old = 0
        while self._marks and self._marks[0][0] <= now - UNANSWERED_S:
            old = max(old, self._marks.popleft()[1])
        if old:
            self._marks.appendleft((now - UNANSWERED_S, old))
        self._marks.append((now, self._hub.connection.reserve_id()))
        waiting = [n for n, w in self._hub.pending.items() if n < old and type(w) is tuple]
        self._reported.intersection_update(waiting)
        fresh = [number for number in waiting if number not in self._reported]
        if not fresh or now - self._reported_at < REPORT_EVERY_S:
            return ""
        self._reported.update(fresh)
        self._reported_at = now
        text = format_report(
            self._describe_unanswered(fresh[0]), list(self._messages), now, len(fresh) - 1
        )
        _log.warning("%s", text)
        return text

    def _describe_unanswered(self, number: int) -> UnansweredCommand:
        waiting = self._hub.pending[number]
        assert type(waiting) is tuple
        client, _, session = waiting
        state = self._hub.supervisor.state
        targets = {tab.id: tab.target_id for tab in state.tabs.values()}

        def place(tab: str) -> str:
            # Tabs share processes: a dialog in one may block another.
            return "here" if targets.get(tab) == session.target else f"in {targets.get(tab, tab)}"

        blockers = [
            *(f"dialog {d.id} ({d.type}) {place(d.tab)}" for d in state.dialogs.values()),
            *(f"{i.kind} {i.id} {place(i.tab)}" for i in state.interrupts.values()),
        ]
        return UnansweredCommand(
            number,
            client.label,
            session.id.decode(),
            session.target,
            session.is_waiting,
            tuple(blockers[:MAX_BLOCKERS]),
        )


def format_report(
    unanswered: UnansweredCommand, messages: Sequence[MessageSummary], now: float, more: int = 0
) -> str:
    """Format what is known of a lost reply: the command, the traffic around it and at the end."""
    sent = next((m for m in messages if m[1] == "send" and _number(m) == unanswered.number), None)
    what = _method(sent[2]) if sent else "a command older than the record"
    at = sent[0] if sent else now - UNANSWERED_S
    head = [
        f"no reply for {now - at:.1f} s: {what} (id {unanswered.number}) "
        f"of client {unanswered.client} "
        f"on session {unanswered.session}, target {unanswered.target}",
        f"others without a reply: {more}; the target waits for the debugger: "
        f"{'yes' if unanswered.is_waiting else 'no'}; open in the browser: "
        f"{', '.join(unanswered.blockers) or 'no dialog or other interrupt'}",
        _describe_received("the browser", (m for m in messages if m[1] == "receive"), now),
        _describe_received(
            "this session",
            (m for m in messages if m[1] == "receive" and _session(m) == unanswered.session),
            now,
        ),
    ]
    near = [m for m in messages if abs(m[0] - at) <= WINDOW_S or m[0] >= now - WINDOW_S]
    # Half around the command, half at the end; only the number of messages between.
    first, last = near[: MAX_LINES // 2], near[MAX_LINES // 2 :][-MAX_LINES // 2 :]
    left_out = len(near) - len(first) - len(last)
    lines = [describe_message(m, at) for m in first]
    if left_out:
        lines.append(f"… {plural(left_out, 'message')}")
    lines += [describe_message(m, at) for m in last]
    return "\n".join((*head, "seconds since the command was sent:", *lines))


def _describe_received(whom: str, messages: Iterable[MessageSummary], now: float) -> str:
    times = [message[0] for message in messages]
    if not times:
        return f"heard from {whom}: nothing on record"
    return (
        f"heard from {whom}: {plural(len(times), 'message')}, the last {now - times[-1]:.1f} s ago"
    )


def describe_message(message: MessageSummary, since: float) -> str:
    """Format one line: time, direction, id or method, session, size. No params, no results."""
    at, direction, head, _, size = message
    parts = [f"{at - since:+9.3f}", "->" if direction == "send" else "<-"]
    number, method = _number(message), _method(head)
    if number is not None:
        parts.append(f"id {number}")
    if direction == "send" or number is None:
        parts.append(method or "?")
    else:
        parts.append("error" if b'"error":{' in head[:40] else "reply")
    if session := _session(message):
        parts.append(session)
    parts.append(f"{size} bytes")
    return " ".join(parts)


def _number(message: MessageSummary) -> int | None:
    found = _ID.match(message[2])
    return int(found[1]) if found else None


def _method(head: bytes) -> str:
    # Only at the start or right after the id: further on it may be text from a page.
    found = _METHOD.search(head[:48] if head.startswith(b'{"method"') else head)
    return found[1].decode() if found else ""


def _session(message: MessageSummary) -> str:
    found = _SESSION.search(message[3])
    return found[1].decode() if found else ""
