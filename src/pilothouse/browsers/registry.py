"""One door to all browsers: acquire a kind, share what is open, end what nobody holds.

Knows: who waits for and who holds which kind. Must not know: how any kind is opened; a new kind
is one new file and one line in `OPENERS`.

The life of an entry: opening (a task; callers wait on it) -> open (handles hold it) -> retired.
It is retired when its last holder leaves, when its connection is closed for good, or when all
callers gave up waiting. A retired entry is out of the table at once; whoever acquires the kind
again waits for its end first, so that a kept profile is never opened twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.browsers.connected import open_connected
from pilothouse.browsers.handle import BrowserHandle
from pilothouse.browsers.headless import open_headless
from pilothouse.browsers.kinds import Connected, Headless, Kind, Spawned
from pilothouse.browsers.launcher import Ahead
from pilothouse.browsers.open_result import Grounds, Opened, Opener
from pilothouse.cdp import Status
from pilothouse.errors import BrowserError, CdpError, explain
from pilothouse.tasks import Tasks

__all__ = ["OPENERS", "Browsers"]


async def _open_spawned(kind: Spawned, grounds: Grounds) -> Opened:
    # Few want an application, and what looks for its processes takes long to import.
    from pilothouse.browsers.spawned import open_spawned

    return await open_spawned(kind, grounds)


OPENERS: Mapping[type, Opener[Any]] = {
    Headless: open_headless,
    Connected: open_connected,
    Spawned: _open_spawned,
}

# On `close` a browser may end in order for so long; then it is cut off. Both together stay below
# the 3 s in which a signalled process has to be gone.
_IN_ORDER_S = 1.2
_CUT_OFF_S = 1.0

# How long a browser that was opened ahead waits for the first who wants it.
_PREPARED_S = 30.0


class Browsers:
    """The browsers of one owner. Use it as `async with Browsers() as browsers`."""

    def __init__(
        self,
        *,
        root: Path | None = None,
        environ: Mapping[str, str] | None = None,
        openers: Mapping[type, Opener[Any]] = OPENERS,
        ahead: Ahead | None = None,
    ) -> None:
        self.openers = openers
        ahead = ahead or Ahead(root=root, environ=environ)
        self._grounds = Grounds(ahead.runs, ahead.guard, ahead.environ, launched=ahead.launched)
        self._entries: dict[Kind, _Entry] = {}
        self._retired: set[_Entry] = set()
        self._tasks = Tasks()
        self._closed = False
        self.swept: list[str] = []

    async def __aenter__(self) -> Browsers:
        self.swept = await asyncio.to_thread(self._grounds.runs.sweep)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    @property
    def guardian_pid(self) -> int | None:
        """The process that cleans up if this one dies; None while there is nothing to guard."""
        return self._grounds.guard.pid

    def open_kinds(self) -> list[Kind]:
        """What is open or being opened."""
        return list(self._entries)

    async def acquire(self, kind: Kind) -> BrowserHandle:
        """A hold on the browser of this kind: the open one, or a new one. However many ask at
        once, it is opened once. Raises BrowserError."""
        if self._closed:
            raise BrowserError("the browsers are closed", hint="make a new Browsers")
        opener = self.openers.get(type(kind))
        if opener is None:
            raise BrowserError(
                f"no browser can be had of the kind {type(kind).__name__}",
                hint="use one of: " + ", ".join(known.__name__ for known in self.openers),
            )
        entry = self._entry(kind, opener)
        opening = entry.opening
        assert opening is not None
        entry.holders += 1
        try:
            await asyncio.wait({opening})
        except asyncio.CancelledError:
            self._leave(entry, kill=False)
            raise
        self._taken_over(entry)
        if opening.cancelled():
            self._leave(entry, kill=False)
            why = "the browsers are being closed" if self._closed else "its opening was stopped"
            raise BrowserError(f"the {kind.describe()} was not opened: {why}", hint="open it again")
        outcome = opening.result()
        if isinstance(outcome, BrowserError):
            # Each waiter gets an error of its own: one exception object keeps one traceback.
            raise BrowserError(outcome.message, hint=outcome.hint) from outcome
        return BrowserHandle(outcome, lambda kill: self._release(entry, kill))

    def prepare(self, kind: Kind, *, within: float = _PREPARED_S) -> None:
        """Begin to open a browser that is about to be asked for. Who acquires it first takes it
        over once it is open; if nobody has by then, it is ended. One who gives up meanwhile does
        not end it: who asks again finds it further on. What goes wrong is told to who asks."""
        opener = self.openers.get(type(kind))
        if self._closed or opener is None or kind in self._entries:
            return
        entry = self._entry(kind, opener)
        entry.holders += 1
        loop = asyncio.get_running_loop()
        entry.prepared = loop.call_later(within, self._taken_over, entry)

    def _taken_over(self, entry: _Entry) -> None:
        """Nobody holds it any more only because somebody was expected."""
        if entry.prepared is not None:
            entry.prepared.cancel()
            entry.prepared = None
            self._leave(entry, kill=False)

    def _entry(self, kind: Kind, opener: Opener[Any]) -> _Entry:
        entry = self._entries.get(kind)
        if entry is None or entry.stale:
            if entry is not None:
                self._retire(entry, kill=False)
            entry = _Entry(kind)
            self._entries[kind] = entry
            entry.opening = self._tasks.start(self._open(entry, opener), f"open {kind.describe()}")
        return entry

    async def close(self) -> None:
        """End our hold on everything, in bounded time, however the browsers behave."""
        self._closed = True
        for entry in list(self._entries.values()):
            self._retire(entry, kill=False)
        await self._ended(within=_IN_ORDER_S)
        for entry in self._retired:
            if entry.opened is not None:
                entry.opened.cut_off()
        await self._ended(within=_CUT_OFF_S)
        await self._tasks.close()
        for child in self._grounds.children:
            child.forget()
        await self._grounds.guard.close()

    async def _open(self, entry: _Entry, opener: Opener[Any]) -> Opened | BrowserError:
        try:
            while any(retired.kind == entry.kind for retired in self._retired):
                await self._ended(entry.kind)
            entry.opened = opened = await opener(entry.kind, self._grounds)
        except BrowserError as error:
            self._forget(entry)
            return error
        except (OSError, CdpError) as error:
            # Kept in the table it would be everybody's answer for ever.
            self._forget(entry)
            told = explain(error, f"opening the {entry.kind.describe()}")
            return BrowserError(told.message, hint=told.hint)
        # What has died is ended at once, not when somebody asks for it again.
        opened.connection.on_status(lambda _: self._look_after(entry))
        if opened.exited is not None:
            opened.exited.add_done_callback(lambda _: self._look_after(entry))
        self._look_after(entry)
        return opened

    def _look_after(self, entry: _Entry) -> None:
        if entry.stale:
            self._retire(entry, kill=False)

    async def _release(self, entry: _Entry, kill: bool) -> None:
        self._leave(entry, kill)
        ending = entry.ending
        if ending is not None:
            await asyncio.wait({ending})

    def _leave(self, entry: _Entry, kill: bool) -> None:
        entry.holders -= 1
        entry.kill = entry.kill or kill
        if entry.holders == 0:
            self._retire(entry, entry.kill)

    def _forget(self, entry: _Entry) -> None:
        if self._entries.get(entry.kind) is entry:
            del self._entries[entry.kind]

    def _retire(self, entry: _Entry, kill: bool) -> None:
        self._forget(entry)
        if entry.ending is None:
            self._retired.add(entry)
            entry.ending = self._tasks.start(self._end(entry, kill), f"end {entry.kind.describe()}")
            # Not in the task itself: one that is cancelled before it starts never runs.
            entry.ending.add_done_callback(lambda _: self._retired.discard(entry))

    async def _end(self, entry: _Entry, kill: bool) -> None:
        if entry.opening is not None and not entry.opening.done():
            if entry.opened is None:
                entry.opening.cancel()
            await asyncio.wait([entry.opening])
        if entry.opened is not None:
            await entry.opened.close(kill)

    async def _ended(self, kind: Kind | None = None, within: float | None = None) -> None:
        """Wait until what was retired, of one kind or of all, has ended."""
        endings = [
            entry.ending
            for entry in self._retired
            if entry.ending is not None and kind in (None, entry.kind)
        ]
        if endings:
            await asyncio.wait(endings, timeout=within)


class _Entry:
    """One kind's present browser, from the first request to its end."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.holders = 0
        self.kill = False
        self.opening: asyncio.Task[Opened | BrowserError] | None = None
        self.opened: Opened | None = None
        # Runs out when nobody came for what was opened ahead.
        self.prepared: asyncio.TimerHandle | None = None
        self.ending: asyncio.Task[None] | None = None

    @property
    def stale(self) -> bool:
        """True when nobody should be given this one any more."""
        if self.ending is not None:
            return True
        if self.opened is None:
            return False
        exited = self.opened.exited
        return self.opened.connection.status is Status.CLOSED or (
            exited is not None and exited.done()
        )
