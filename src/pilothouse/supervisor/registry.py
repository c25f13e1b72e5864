"""One supervisor per browser, shared by all owners that use it.

Knows: which owner uses which endpoint, who is starting, who is ending. Must not know: where
browsers come from; an opener, given by the caller, says so by returning a `Line`.

The life of an entry: starting (a task; callers wait on it) -> running -> ended, when its last
owner stops or goes to another endpoint, or when its wire is closed for good. An ended entry is
out of the table at once and nothing of it is used again: the next start has a state of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Any
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from pilothouse.cdp import Command, Connection, Status
from pilothouse.errors import ConnectionLost, PilothouseError, explain
from pilothouse.supervisor.capabilities import Findings
from pilothouse.supervisor.holder import Holder
from pilothouse.supervisor.model import Policy, PolicySet, State
from pilothouse.supervisor.options import Options
from pilothouse.supervisor.supervisor import Supervisor
from pilothouse.tasks import Tasks

__all__ = ["Line", "Opener", "Supervisors"]

_log = logging.getLogger(__name__)


async def _nothing() -> None:
    """What there is to give back when nothing was borrowed."""


class Line(msgspec.Struct, frozen=True):
    """A browser as an opener hands it over.

    `hold` dials a second wire to the same browser; a browser reached over a network has one, a
    launched one needs none, as its pipe drops only with the browser. `release` gives it all back.
    """

    connection: Connection
    owned: bool = True
    page_setup: tuple[Command[Any], ...] = ()
    hold: Callable[[], Awaitable[Connection]] | None = None
    release: Callable[[], Awaitable[None]] = _nothing
    known: Findings | None = None
    product: str = ""


Opener = Callable[[], Awaitable[Line]]


class Supervisors:
    """The supervisors of one daemon. There is no other place where they are kept."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._used_by: dict[str, _Entry] = {}
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._ending: dict[_Entry, asyncio.Task[None]] = {}
        self._tasks = Tasks()

    async def __aenter__(self) -> Supervisors:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop_all()

    async def get_or_start(
        self, owner: str, endpoint: Hashable, opener: Opener, options: Options | None = None
    ) -> Supervisor:
        """The supervisor of this owner's browser; started if there is none for `endpoint` yet.

        Asking again costs nothing, and at the same time gives the same one. Another endpoint
        than last time ends the owner's use of the old one first. The owner's policy is the one
        given last; the other options are those of whoever came first.

        Raises BrowserError or CdpError when no browser could be had.
        """
        async with self._turn(owner):
            entry = self._used_by.get(owner)
            if entry is not None and (entry.endpoint != endpoint or entry.stale):
                await self._leave(owner)
            entry = self._entries.get(endpoint)
            if entry is None or entry.stale:
                if entry is not None:
                    self._end(entry)
                entry = self._entries[endpoint] = _Entry(endpoint)
                start = self._start(entry, opener, options or Options())
                entry.starting = self._tasks.start(start, f"start supervising for {owner}")
            entry.owners.add(owner)
            self._used_by[owner] = entry
            started = await self._started(owner, entry)
            if isinstance(started, PilothouseError):
                self._give_up(owner, entry)
                raise started
            if options is not None:
                started.feed(PolicySet(started.now(), owner, options.policy))
            return started

    def get(self, owner: str) -> Supervisor | None:
        """The owner's supervisor, if it runs."""
        entry = self._used_by.get(owner)
        return entry.supervisor if entry is not None and not entry.stale else None

    def peek(self, owner: str) -> State | None:
        """What is true in the owner's browser now, for any thread.

        It takes no lock: it follows three references, each of which the interpreter replaces as
        a whole, to a value that nobody ever changes. A reader may be one step behind the loop;
        it never sees half a step.
        """
        supervisor = self.get(owner)
        return supervisor.state if supervisor is not None else None

    async def stop(self, owner: str) -> None:
        """End the owner's use; the last one ends the supervisor. Harmless when there is none."""
        async with self._turn(owner):
            await self._leave(owner)

    async def stop_all(self) -> None:
        """End everything and wait for it."""
        for entry in list(self._entries.values()):
            self._end(entry)
        await asyncio.gather(*self._ending.values(), return_exceptions=True)

    # Inside.

    def _turn(self, owner: str) -> asyncio.Lock:
        """Calls for one owner take turns; owners do not wait for each other."""
        return self._turns.setdefault(owner, asyncio.Lock())

    async def _started(self, owner: str, entry: _Entry) -> Supervisor | PilothouseError:
        assert entry.starting is not None
        try:
            await asyncio.wait({entry.starting})
        except asyncio.CancelledError:
            self._give_up(owner, entry)
            raise
        if entry.starting.cancelled():
            return ConnectionLost(
                "the browser was stopped or went away while it started",
                hint="open the tab again: a new browser starts by itself",
                terminal=True,
            )
        return entry.starting.result()

    async def _start(
        self, entry: _Entry, opener: Opener, options: Options
    ) -> Supervisor | PilothouseError:
        try:
            # The same browser may not be on two wires of ours at once.
            for other, ending in list(self._ending.items()):
                if other.endpoint == entry.endpoint:
                    await asyncio.wait({ending})
            entry.line = line = await opener()
            # Everyone's policy stays the usual one: the first owner's is its own.
            options = replace(
                options,
                owned=line.owned,
                known=line.known,
                product=line.product,
                page_setup=line.page_setup,
                policy=Policy(),
            )
            entry.holder = await _holder(line)
            supervisor = Supervisor(line.connection, options, entry.holder)
            entry.supervisor = supervisor
            await supervisor.start()
        except PilothouseError as error:
            return error
        except (OSError, TimeoutError) as error:
            return explain(error, "starting the browser")
        # What has died lets go of its second wire at once, not when somebody asks again.
        line.connection.on_status(lambda s: self._end(entry) if s is Status.CLOSED else None)
        return supervisor

    async def _leave(self, owner: str) -> None:
        entry = self._used_by.get(owner)
        if entry is not None:
            self._give_up(owner, entry)
            if entry in self._ending:
                await asyncio.wait({self._ending[entry]})

    def _give_up(self, owner: str, entry: _Entry) -> None:
        if self._used_by.get(owner) is entry:
            del self._used_by[owner]
        entry.owners.discard(owner)
        if entry.supervisor is not None:
            entry.supervisor.forget(owner)
        if not entry.owners:
            self._end(entry)

    def _end(self, entry: _Entry) -> None:
        """Out of the table at once; what it holds is given back by a task."""
        if self._entries.get(entry.endpoint) is entry:
            del self._entries[entry.endpoint]
        for owner in entry.owners:
            if self._used_by.get(owner) is entry:
                del self._used_by[owner]
        if not entry.ended:
            entry.ended = True
            task = self._tasks.start(self._close(entry), "end a supervisor")
            self._ending[entry] = task
            task.add_done_callback(lambda _: self._ending.pop(entry, None))

    async def _close(self, entry: _Entry) -> None:
        if entry.starting is not None:
            entry.starting.cancel()
            await asyncio.wait({entry.starting})
        if entry.supervisor is not None:
            await entry.supervisor.close()
        elif entry.holder is not None:
            await entry.holder.close()
        if entry.line is not None:
            await entry.line.release()


class _Entry:
    """One endpoint's present supervisor, from the first request to its end."""

    def __init__(self, endpoint: Hashable) -> None:
        self.endpoint = endpoint
        self.owners: set[str] = set()
        self.starting: asyncio.Task[Supervisor | PilothouseError] | None = None
        self.line: Line | None = None
        self.holder: Holder | None = None
        self.supervisor: Supervisor | None = None
        self.ended = False

    @property
    def stale(self) -> bool:
        """True when nobody should be given this one any more."""
        closed = self.line is not None and self.line.connection.status is Status.CLOSED
        return self.ended or closed


async def _holder(line: Line) -> Holder | None:
    """The second wire; without it a dialog does not outlive a drop, and is reported as lost."""
    if line.hold is None:
        return None
    try:
        return Holder(await line.hold())
    except PilothouseError as error:
        _log.warning("no second wire to hold dialogs with: %s", error.message)
        return None
