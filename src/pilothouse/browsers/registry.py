"""Opens browsers by kind, shares them between callers, and ends them.

Knows: who waits for and who holds which kind. Must not know: how any kind is opened. A new kind is
one new file and one line in `OPENERS`.

The life of an entry: opening (a task that callers wait for) -> open (handles hold it) -> retired.
It is retired when its last holder leaves, when its connection is closed for good, or when all
callers gave up waiting. A retired entry leaves the table at once. Whoever acquires the kind again
first waits for its end, so that a kept profile is never open twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.asyncio_tasks import Tasks
from pilothouse.browsers.handle import BrowserHandle
from pilothouse.browsers.kinds import AppKind, BrowserKind, ConnectedKind, HeadlessKind
from pilothouse.browsers.launched_browser_opener import open_headless
from pilothouse.browsers.launcher import EarlyLauncher
from pilothouse.browsers.opener_interface import BrowserOpener, OpenedBrowser, OpenerContext
from pilothouse.browsers.running_browser_opener import open_connected
from pilothouse.cdp import Status
from pilothouse.errors import BrowserError, CdpError, explain

__all__ = ["OPENERS", "Browsers"]


async def _open_chromium_app(kind: AppKind, context: OpenerContext) -> OpenedBrowser:
    # Imported late: psutil is slow to import, and few callers want an application.
    from pilothouse.browsers.chromium_app import open_chromium_app

    return await open_chromium_app(kind, context)


OPENERS: Mapping[type, BrowserOpener[Any]] = {
    HeadlessKind: open_headless,
    ConnectedKind: open_connected,
    AppKind: _open_chromium_app,
}

# On `close` a browser has this long to end gracefully; then it is killed. The sum stays below the
# 3 s in which a signalled process has to be gone.
_GRACEFUL_S = 1.2
_KILL_S = 1.0

# How long a browser that was opened in advance waits for its first caller.
_PREPARED_S = 30.0


class Browsers:
    """The browsers of one owner. Use it as `async with Browsers() as browsers`."""

    def __init__(
        self,
        *,
        root: Path | None = None,
        environ: Mapping[str, str] | None = None,
        openers: Mapping[type, BrowserOpener[Any]] = OPENERS,
        early_launcher: EarlyLauncher | None = None,
    ) -> None:
        self.openers = openers
        early = early_launcher or EarlyLauncher(root=root, environ=environ)
        self._context = OpenerContext(
            early.runs, early.guardian, early.environ, launched=early.launched
        )
        self._entries: dict[BrowserKind, _Entry] = {}
        self._retired: set[_Entry] = set()
        self._tasks = Tasks()
        self._closed = False

    async def __aenter__(self) -> Browsers:
        await asyncio.to_thread(self._context.runs.sweep)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def open_kinds(self) -> list[BrowserKind]:
        """Return the kinds that are open or being opened."""
        return list(self._entries)

    async def acquire(self, kind: BrowserKind) -> BrowserHandle:
        """Return a handle on the browser of this kind, opening it if necessary.

        Concurrent callers share one opening. Raises BrowserError.
        """
        if self._closed:
            raise BrowserError("this browser is closed", hint="launch or connect a new one")
        opener = self.openers.get(type(kind))
        if opener is None:
            raise BrowserError(
                f"unknown kind of browser: {type(kind).__name__}",
                hint="use one of: " + ", ".join(known.__name__ for known in self.openers),
            )
        entry = self._entry(kind, opener)
        opening = entry.opening
        assert opening is not None
        entry.holders += 1
        try:
            await asyncio.wait({opening})
        except asyncio.CancelledError:
            self._drop_holder(entry, kill=False)
            raise
        self._end_reservation(entry)
        if opening.cancelled():
            self._drop_holder(entry, kill=False)
            why = "the browsers are being closed" if self._closed else "its opening was stopped"
            raise BrowserError(f"the {kind.describe()} was not opened: {why}", hint="open it again")
        outcome = opening.result()
        if isinstance(outcome, BrowserError):
            # Each waiter gets its own error: an exception object holds only one traceback.
            raise outcome.as_kind(BrowserError) from outcome
        return BrowserHandle(outcome, lambda kill: self._release(entry, kill))

    def prepare(self, kind: BrowserKind, *, within: float = _PREPARED_S) -> None:
        """Start opening a browser that a caller is about to ask for.

        The first caller that acquires it takes it over. It is ended if none does within `within`
        seconds. A caller that gives up meanwhile does not end it, so a second try finds it further
        on. Errors are raised to the callers.
        """
        opener = self.openers.get(type(kind))
        if self._closed or opener is None or kind in self._entries:
            return
        entry = self._entry(kind, opener)
        entry.holders += 1
        loop = asyncio.get_running_loop()
        entry.prepared = loop.call_later(within, self._end_reservation, entry)

    def _end_reservation(self, entry: _Entry) -> None:
        """Drop the hold that `prepare` took for the expected caller."""
        if entry.prepared is not None:
            entry.prepared.cancel()
            entry.prepared = None
            self._drop_holder(entry, kill=False)

    def _entry(self, kind: BrowserKind, opener: BrowserOpener[Any]) -> _Entry:
        entry = self._entries.get(kind)
        if entry is None or entry.is_stale:
            if entry is not None:
                self._retire(entry, kill=False)
            entry = _Entry(kind)
            self._entries[kind] = entry
            entry.opening = self._tasks.start(self._open(entry, opener), f"open {kind.describe()}")
        return entry

    async def close(self) -> None:
        """End or disconnect from all browsers, in bounded time, however they behave."""
        self._closed = True
        for entry in list(self._entries.values()):
            self._retire(entry, kill=False)
        await self._wait_ended(within=_GRACEFUL_S)
        for entry in self._retired:
            if entry.opened is not None:
                entry.opened.kill_now()
        await self._wait_ended(within=_KILL_S)
        await self._tasks.close()
        for child in self._context.children:
            child.stop_watching()
        await self._context.guardian.close()

    async def _open(
        self, entry: _Entry, opener: BrowserOpener[Any]
    ) -> OpenedBrowser | BrowserError:
        try:
            while any(retired.kind == entry.kind for retired in self._retired):
                await self._wait_ended(entry.kind)
            entry.opened = opened = await opener(entry.kind, self._context)
        except BrowserError as error:
            self._forget(entry)
            return error
        except (OSError, CdpError) as error:
            # In the table, the failed entry would be returned to every later caller.
            self._forget(entry)
            explained = explain(error, f"opening the {entry.kind.describe()}")
            return explained.as_kind(BrowserError)
        # Clean up after a browser that dies at once, not only at the next acquire.
        opened.connection.on_status(lambda _: self._retire_if_stale(entry))
        if opened.exited is not None:
            opened.exited.add_done_callback(lambda _: self._retire_if_stale(entry))
        self._retire_if_stale(entry)
        return opened

    def _retire_if_stale(self, entry: _Entry) -> None:
        if entry.is_stale:
            self._retire(entry, kill=False)

    async def _release(self, entry: _Entry, kill: bool) -> None:
        self._drop_holder(entry, kill)
        ending = entry.ending
        if ending is not None:
            await asyncio.wait({ending})

    def _drop_holder(self, entry: _Entry, kill: bool) -> None:
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
            # Not in the task itself: a task that is cancelled before it starts never runs.
            entry.ending.add_done_callback(lambda _: self._retired.discard(entry))

    async def _end(self, entry: _Entry, kill: bool) -> None:
        if entry.opening is not None and not entry.opening.done():
            if entry.opened is None:
                entry.opening.cancel()
            await asyncio.wait([entry.opening])
        if entry.opened is not None:
            await entry.opened.close(kill)

    async def _wait_ended(
        self, kind: BrowserKind | None = None, within: float | None = None
    ) -> None:
        """Wait until the retired entries, of one kind or of all, have ended."""
        endings = [
            entry.ending
            for entry in self._retired
            if entry.ending is not None and kind in (None, entry.kind)
        ]
        if endings:
            await asyncio.wait(endings, timeout=within)


class _Entry:
    """The current browser of one kind, from the first request to its end."""

    def __init__(self, kind: BrowserKind) -> None:
        self.kind = kind
        self.holders = 0
        self.kill = False
        self.opening: asyncio.Task[OpenedBrowser | BrowserError] | None = None
        self.opened: OpenedBrowser | None = None
        # Ends the hold of `prepare` if no caller comes.
        self.prepared: asyncio.TimerHandle | None = None
        self.ending: asyncio.Task[None] | None = None

    @property
    def is_stale(self) -> bool:
        """True if new callers must not get this browser."""
        if self.ending is not None:
            return True
        if self.opened is None:
            return False
        exited = self.opened.exited
        return self.opened.connection.status is Status.CLOSED or (
            exited is not None and exited.done()
        )
