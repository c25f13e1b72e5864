"""One supervisor per browser, shared by all owners that use it.

Knows: which owner uses which endpoint, what is starting and ending. Must not know: where browsers
come from; the caller passes an `Opener`, which returns a `SupervisedConnection`.

The life of an entry: starting (a task that callers await) -> running -> ended. It ends when its
last owner stops or moves to another endpoint, or when its connection is closed. An ended entry
leaves the table at once and is never reused: the next start gets a new state.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Any
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from pilothouse.asyncio_tasks import Tasks
from pilothouse.cdp import Command, Connection, Status
from pilothouse.errors import ConnectionLost, PilothouseError, explain
from pilothouse.supervisor.capabilities import BackendFeatures
from pilothouse.supervisor.options import Options
from pilothouse.supervisor.standby_connection import StandbyConnection
from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Opener", "SupervisedConnection", "Supervisors"]

_log = logging.getLogger(__name__)


async def _nothing() -> None:
    """Release nothing: the default for `SupervisedConnection.release`."""


class SupervisedConnection(msgspec.Struct, frozen=True):
    """An open connection to a browser, and how to supervise it, as an opener returns it.

    `dial_standby` opens a second connection to the same browser. A browser reached over a network
    has one; a launched one needs none, because its pipe drops only with the browser. `release`
    gives the browser back.
    """

    connection: Connection
    owned: bool = True
    page_setup: tuple[Command[Any], ...] = ()
    dial_standby: Callable[[], Awaitable[Connection]] | None = None
    release: Callable[[], Awaitable[None]] = _nothing
    features: BackendFeatures | None = None
    product: str = ""


Opener = Callable[[], Awaitable[SupervisedConnection]]


class Supervisors:
    """All supervisors of one daemon."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}
        self._used_by: dict[Hashable, _Entry] = {}
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._ending: dict[_Entry, asyncio.Task[None]] = {}
        self._tasks = Tasks()

    async def __aenter__(self) -> Supervisors:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop_all()

    async def get_or_start(
        self, owner: Hashable, endpoint: Hashable, opener: Opener, options: Options | None = None
    ) -> Supervisor:
        """Return the supervisor of this owner's browser; start one if `endpoint` has none yet.

        Repeated and concurrent calls return the same one. With another endpoint than last time, the
        owner leaves the old one first. The options are those of the first owner.

        Raises BrowserError or CdpError when no browser could be opened.
        """
        async with self._lock(owner):
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
            return started

    def get(self, owner: Hashable) -> Supervisor | None:
        """Return the owner's supervisor, if it runs."""
        entry = self._used_by.get(owner)
        return entry.supervisor if entry is not None and not entry.stale else None

    def running(self) -> list[Supervisor]:
        """Return the supervisors of all browsers, whoever uses them."""
        found = [entry.supervisor for entry in self._entries.values() if not entry.stale]
        return [supervisor for supervisor in found if supervisor is not None]

    async def stop(self, owner: Hashable) -> None:
        """End the owner's use; the last owner's stop ends the supervisor. Does nothing without
        one."""
        async with self._lock(owner):
            await self._leave(owner)

    async def stop_all(self) -> None:
        """End everything and wait for it."""
        for entry in list(self._entries.values()):
            self._end(entry)
        await asyncio.gather(*self._ending.values(), return_exceptions=True)

    # Inside.

    def _lock(self, owner: Hashable) -> asyncio.Lock:
        """Return the owner's lock: calls for one owner run one at a time, owners independently."""
        return self._locks.setdefault(owner, asyncio.Lock())

    async def _started(self, owner: Hashable, entry: _Entry) -> Supervisor | PilothouseError:
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
            # Do not open a second connection while the old one to the same browser still closes.
            for other, ending in list(self._ending.items()):
                if other.endpoint == entry.endpoint:
                    await asyncio.wait({ending})
            entry.supervised = line = await opener()
            options = replace(
                options,
                owned=line.owned,
                features=line.features,
                product=line.product,
                page_setup=line.page_setup,
            )
            entry.standby = await _open_standby(line)
            supervisor = Supervisor(line.connection, options, entry.standby)
            entry.supervisor = supervisor
            await supervisor.start()
        except PilothouseError as error:
            return error
        except (OSError, TimeoutError) as error:
            return explain(error, "starting the browser")
        # Close the standby connection when the browser dies, not at the next call.
        line.connection.on_status(lambda s: self._end(entry) if s is Status.CLOSED else None)
        return supervisor

    async def _leave(self, owner: Hashable) -> None:
        entry = self._used_by.get(owner)
        if entry is not None:
            self._give_up(owner, entry)
            if entry in self._ending:
                await asyncio.wait({self._ending[entry]})

    def _give_up(self, owner: Hashable, entry: _Entry) -> None:
        if self._used_by.get(owner) is entry:
            del self._used_by[owner]
        entry.owners.discard(owner)
        if not entry.owners:
            self._end(entry)

    def _end(self, entry: _Entry) -> None:
        """Remove an entry from the table at once; a task releases what it holds."""
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
        elif entry.standby is not None:
            await entry.standby.close()
        if entry.supervised is not None:
            await entry.supervised.release()


class _Entry:
    """One endpoint's present supervisor, from the first request to its end."""

    def __init__(self, endpoint: Hashable) -> None:
        self.endpoint = endpoint
        self.owners: set[Hashable] = set()
        self.starting: asyncio.Task[Supervisor | PilothouseError] | None = None
        self.supervised: SupervisedConnection | None = None
        self.standby: StandbyConnection | None = None
        self.supervisor: Supervisor | None = None
        self.ended = False

    @property
    def stale(self) -> bool:
        """Whether this entry must not be used any more."""
        closed = self.supervised is not None and self.supervised.connection.status is Status.CLOSED
        return self.ended or closed


async def _open_standby(line: SupervisedConnection) -> StandbyConnection | None:
    """Open the standby connection. Without one a dialog is orphaned when the connection drops."""
    if line.dial_standby is None:
        return None
    try:
        return StandbyConnection(await line.dial_standby())
    except PilothouseError as error:
        _log.warning("no standby connection for dialogs: %s", error.message)
        return None
