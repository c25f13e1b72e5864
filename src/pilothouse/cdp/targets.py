"""The targets of a browser as they come and go: pages, frames, workers.

    await connection.targets.start()
    leave = connection.targets.on_created(lambda info: print(info["type"], info["url"]))
    opened = connection.targets.wait_for_new(lambda info: info["type"] == "page")
    await session.send(...)          # what opens a tab
    info = await opened

Knows: discovery, on a browser session of its own, so that nobody else's filter counts. Must not
know: tabs, or who they belong to. After a reconnect it compares: what is gone is told as destroyed,
what is new as created.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.cdp.message import Event, SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.cdp.session import DEFAULT_DEADLINE_S, Session
from pilothouse.errors import CdpError, CommandTimeout, ConnectionLost, PilothouseError
from pilothouse.tasks import Tasks, wait_for_result

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection, Status

__all__ = ["TargetInfo", "TargetWait", "Targets"]

_log = logging.getLogger(__name__)

# As Chrome tells it: targetId, type, title, url, browserContextId and more.
TargetInfo = Mapping[str, Any]
Listener = Callable[[TargetInfo], object]


class Targets:
    """The targets of one connection's browser."""

    def __init__(self, connection: Connection, tasks: Tasks) -> None:
        self._connection = connection
        self._tasks = tasks
        self._known: dict[str, TargetInfo] = {}
        # What discovery has named so far; None once it has told of all there were.
        self._found: dict[str, TargetInfo] | None = None
        self._created: list[Listener] = []
        self._destroyed: list[Listener] = []
        self._waits: set[TargetWait] = set()
        self._starting: asyncio.Task[None] | None = None
        self._watching = False

    async def start(self) -> None:
        """Begin to discover targets; asking again does nothing. Raises CdpError."""
        if self._starting is None:
            if not self._watching:
                self._watching = True
                self._connection.on_status(self._on_status)
            self._starting = self._tasks.start(self._discover(), "discover targets")
        starting = self._starting
        try:
            await wait_for_result(starting)
        except PilothouseError:
            if self._starting is starting:
                self._starting = None
            raise

    def list(self) -> list[TargetInfo]:
        """The targets there are, as they were last told."""
        return list(self._known.values())

    def on_created(self, listener: Listener) -> Callable[[], None]:
        """Hear of targets that come, until the returned function is called. Those that are there
        already are in `list`."""
        return _enlist(self._created, listener)

    def on_destroyed(self, listener: Listener) -> Callable[[], None]:
        """Hear of targets that go, as they were last told."""
        return _enlist(self._destroyed, listener)

    def wait_for_new(
        self,
        predicate: Callable[[TargetInfo], bool] | None = None,
        deadline: float = DEFAULT_DEADLINE_S,
    ) -> TargetWait:
        """Arm a wait for a target that is not there yet, *before* the action that makes it, then
        await it. `predicate` sees a target when it comes and whenever it changes."""
        return TargetWait(self._waits, frozenset(self._known), predicate, deadline)

    def close(self) -> None:
        """The connection is closed: nobody hears of anything any more."""
        error = ConnectionLost("the connection is closed", terminal=True)
        for wait in list(self._waits):
            wait.fail(error)

    # Discovery.

    async def _discover(self) -> None:
        connection = self._connection
        made = await connection.send(Target.attachToBrowserTarget())
        session: Session = connection.sessions[SessionId(made["sessionId"])]
        session.on(Target.targetCreated, self._on_told)
        session.on(Target.targetInfoChanged, self._on_told)
        session.on(Target.targetDestroyed, self._on_gone)
        self._found = {}
        # Chrome names what is there before it replies; what comes later is new.
        discovering = session.send(Target.setDiscoverTargets(discover=True))
        await discovering.heard(lambda _: self._caught_up())

    def _caught_up(self) -> None:
        found, self._found = self._found or {}, None
        before, self._known = self._known, {**self._known, **found}
        for target in before.keys() - found.keys():
            self._forget(target)
        if before:
            for target in found.keys() - before.keys():
                self._tell_new(found[target])

    def _on_told(self, event: Event[Any]) -> None:
        info: TargetInfo = event.params["targetInfo"]
        target = info["targetId"]
        if self._found is not None:
            self._found[target] = info
            return
        new = target not in self._known
        self._known[target] = info
        if new:
            self._tell_new(info)
        else:
            self._look(info)

    def _on_gone(self, event: Event[Any]) -> None:
        target = event.params["targetId"]
        if self._found is not None:
            self._found.pop(target, None)
        self._forget(target)

    def _forget(self, target: str) -> None:
        if (info := self._known.pop(target, None)) is not None:
            self._tell(self._destroyed, info)

    def _tell_new(self, info: TargetInfo) -> None:
        self._tell(self._created, info)
        self._look(info)

    def _look(self, info: TargetInfo) -> None:
        for wait in list(self._waits):
            wait.look(info)

    def _tell(self, listeners: Iterable[Listener], info: TargetInfo) -> None:
        for listener in tuple(listeners):
            try:
                listener(info)
            except Exception:  # noqa: BLE001 - a listener is someone else's code; the reader lives
                self._connection.counts.listener_errors += 1
                _log.exception("a listener to targets failed")

    def _on_status(self, status: Status) -> None:
        if status.value == "closed":
            self.close()
        elif status.value == "open":
            self._starting = self._tasks.start(self._again(), "discover targets again")

    async def _again(self) -> None:
        try:
            await self._discover()
        except CdpError as error:
            _log.warning("targets are not discovered any more: %s", error.message)


class TargetWait:
    """A wait for one new target, armed when it is made."""

    def __init__(
        self,
        waits: set[TargetWait],
        known: frozenset[str],
        predicate: Callable[[TargetInfo], bool] | None,
        deadline: float,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._future: asyncio.Future[TargetInfo] = loop.create_future()
        self._known = known
        self._predicate = predicate
        self._waits = waits
        self._timer = loop.call_later(deadline, self._expire, deadline)
        waits.add(self)

    def __await__(self) -> Generator[Any, None, TargetInfo]:
        try:
            return (yield from self._future)
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Stop waiting. Harmless when it is over."""
        self._over()
        self._future.cancel()

    def look(self, info: TargetInfo) -> None:
        """A target came or changed."""
        if self._future.done() or info["targetId"] in self._known:
            return
        try:
            if self._predicate is not None and not self._predicate(info):
                return
        except Exception as error:  # noqa: BLE001 - the caller's own code; it hears of it here
            self._future.set_exception(error)
        else:
            self._future.set_result(info)
        self._over()

    def fail(self, error: CdpError) -> None:
        """It will not come."""
        if not self._future.done():
            self._future.set_exception(type(error)(f"waiting for a target: {error.message}"))
            self._future.exception()
        self._over()

    def _expire(self, deadline: float) -> None:
        self.fail(CommandTimeout(f"none came within {deadline:g} s"))

    def _over(self) -> None:
        self._timer.cancel()
        self._waits.discard(self)


def _enlist(listeners: list[Listener], listener: Listener) -> Callable[[], None]:
    listeners.append(listener)

    def leave() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return leave
