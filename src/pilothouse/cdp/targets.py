"""Target discovery: the pages, frames and workers of a browser as they come and go.

    await connection.targets.start()
    remove = connection.targets.on_created(lambda info: print(info["type"], info["url"]))
    opened = connection.targets.wait_for_new(lambda info: info["type"] == "page")
    await session.send(...)          # opens a tab
    info = await opened

Knows: `Target.setDiscoverTargets`, on a browser session of its own, because each session has one
filter. Must not know: tabs, or who they belong to. After a reconnect it compares the old list with
the new one and reports the differences as destroyed and created.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.asyncio_tasks import Tasks, wait_for_result
from pilothouse.cdp.armed_wait import ArmedWait
from pilothouse.cdp.message import Event, SessionId
from pilothouse.cdp.protocol import Target
from pilothouse.cdp.session import DEFAULT_DEADLINE_S, Session, add_listener
from pilothouse.errors import CdpError, ConnectionLost, PilothouseError

if TYPE_CHECKING:
    from pilothouse.cdp.connection import Connection, Status

__all__ = ["TargetDiscovery", "TargetInfo", "TargetWait"]

_log = logging.getLogger(__name__)

# CDP's TargetInfo: targetId, type, title, url, browserContextId and more.
TargetInfo = Mapping[str, Any]
Listener = Callable[[TargetInfo], object]


class TargetDiscovery:
    """The targets of one browser. `start` it, then `list`, listen or wait."""

    def __init__(self, connection: Connection, tasks: Tasks) -> None:
        self._connection = connection
        self._tasks = tasks
        self._known: dict[str, TargetInfo] = {}
        # The targets that existed when discovery started, while Chrome lists them; then None.
        self._initial: dict[str, TargetInfo] | None = None
        self._created: list[Listener] = []
        self._destroyed: list[Listener] = []
        self._waits: set[TargetWait] = set()
        self._starting: asyncio.Task[None] | None = None
        self._is_watching_status = False

    async def start(self) -> None:
        """Start discovery; a second call does nothing. Raises CdpError."""
        if self._starting is None:
            if not self._is_watching_status:
                self._is_watching_status = True
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
        """Return the present targets, each as last reported."""
        return list(self._known.values())

    def on_created(self, listener: Listener) -> Callable[[], None]:
        """Listen to new targets; the returned function removes the listener. Targets that exist
        already are in `list`."""
        return add_listener(self._created, listener)

    def on_destroyed(self, listener: Listener) -> Callable[[], None]:
        """Listen to targets that end; the listener gets each as last reported."""
        return add_listener(self._destroyed, listener)

    def wait_for_new(
        self,
        predicate: Callable[[TargetInfo], bool] | None = None,
        deadline: float = DEFAULT_DEADLINE_S,
    ) -> TargetWait:
        """Start waiting for a new target. Call this *before* the action that creates it, then await
        it. `predicate` is called when a target appears and whenever it changes."""
        return TargetWait(self._waits, frozenset(self._known), predicate, deadline)

    def close(self) -> None:
        """Fail all waits: the connection is closed."""
        error = ConnectionLost("the connection is closed", terminal=True)
        for wait in list(self._waits):
            wait.fail(error)

    # Discovery.

    async def _discover(self) -> None:
        connection = self._connection
        made = await connection.send(Target.attachToBrowserTarget())
        session: Session = connection.sessions[SessionId(made["sessionId"])]
        session.on(Target.targetCreated, self._on_target_info)
        session.on(Target.targetInfoChanged, self._on_target_info)
        session.on(Target.targetDestroyed, self._on_destroyed)
        self._initial = {}
        # Chrome reports the existing targets before it replies; later ones are new.
        discovering = session.send(Target.setDiscoverTargets(discover=True))
        await discovering.on_result(lambda _: self._finish_initial())

    def _finish_initial(self) -> None:
        found, self._initial = self._initial or {}, None
        before, self._known = self._known, {**self._known, **found}
        for target in before.keys() - found.keys():
            self._forget(target)
        if before:
            for target in found.keys() - before.keys():
                self._notify_created(found[target])

    def _on_target_info(self, event: Event[Any]) -> None:
        info: TargetInfo = event.params["targetInfo"]
        target = info["targetId"]
        if self._initial is not None:
            self._initial[target] = info
            return
        new = target not in self._known
        self._known[target] = info
        if new:
            self._notify_created(info)
        else:
            self._offer_to_waits(info)

    def _on_destroyed(self, event: Event[Any]) -> None:
        target = event.params["targetId"]
        if self._initial is not None:
            self._initial.pop(target, None)
        self._forget(target)

    def _forget(self, target: str) -> None:
        if (info := self._known.pop(target, None)) is not None:
            self._notify(self._destroyed, info)

    def _notify_created(self, info: TargetInfo) -> None:
        self._notify(self._created, info)
        self._offer_to_waits(info)

    def _offer_to_waits(self, info: TargetInfo) -> None:
        for wait in list(self._waits):
            wait.offer(info)

    def _notify(self, listeners: Iterable[Listener], info: TargetInfo) -> None:
        for listener in tuple(listeners):
            try:
                listener(info)
            except Exception:  # noqa: BLE001 - a failing listener must not stop the reader
                self._connection.counts.listener_errors += 1
                _log.exception("a target listener failed")

    def _on_status(self, status: Status) -> None:
        if status.value == "closed":
            self.close()
        elif status.value == "open":
            self._starting = self._tasks.start(self._rediscover(), "discover targets again")

    async def _rediscover(self) -> None:
        try:
            await self._discover()
        except CdpError as error:
            _log.warning("target discovery stopped: %s", error.message)


class TargetWait(ArmedWait[TargetInfo]):
    """A wait for one new target; it starts on creation."""

    def __init__(
        self,
        waits: set[TargetWait],
        known: frozenset[str],
        predicate: Callable[[TargetInfo], bool] | None,
        deadline: float,
    ) -> None:
        super().__init__(predicate, deadline)
        self._known = known
        self._waits = waits
        waits.add(self)

    def offer(self, info: TargetInfo) -> None:
        """Finish the wait if this new or changed target matches."""
        if info["targetId"] not in self._known:
            self._offer(info)

    def fail(self, error: CdpError) -> None:
        """Fail the wait: the target will not come."""
        super().fail(type(error)(f"waiting for a target: {error.message}"))

    def _timeout_text(self, deadline: float) -> str:
        return f"none came within {deadline:g} s"

    def _stop(self) -> None:
        super()._stop()
        self._waits.discard(self)
