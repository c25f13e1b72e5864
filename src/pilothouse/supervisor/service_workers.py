"""Lets service workers end that are unregistered or closed.

Knows: the sessions on service workers. Must not know: who closes one. Chrome stops no service
worker while a debugger is attached to it, and ours stays attached, because the URL policy is held
on its session (docs/cdp/service-workers-end.md). So it leaves when the worker is to end.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Reply, Session
from pilothouse.cdp.protocol import Target
from pilothouse.errors import CdpError

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["METHOD", "ServiceWorkers"]

_log = logging.getLogger(__name__)

METHOD = "ServiceWorker.workerVersionUpdated"


class ServiceWorkers:
    """The service workers of one browser."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._watched: set[str] = set()

    def watch(self, worker: Session) -> None:
        """Hear of the states of a worker, on the session of its page."""
        info = self._supervisor.state.sessions.get(worker.id)
        page = self._supervisor.connection.sessions.get(info.parent) if info else None
        if page is not None and page.id not in self._watched:
            self._watched &= self._supervisor.connection.sessions.keys()
            self._watched.add(page.id)
            page.send(Command("ServiceWorker.enable"))

    def heard(self, params: Mapping[str, Any]) -> None:
        """Leave the workers that are unregistered or replaced: Chrome stops them then."""
        for version in params["versions"]:
            if version["status"] == "redundant" and version.get("targetId"):
                self.leave(version["targetId"])

    def leave(self, target: str) -> None:
        """End our sessions on a worker, before anything that is sent after this. Harmless when
        there are none."""
        state, sessions = self._supervisor.state, self._supervisor.connection.sessions
        for info in state.sessions.values():
            page = sessions.get(info.parent)
            if info.target_id == target and info.kind == "service_worker" and page is not None:
                left = page.send(Target.detachFromTarget(sessionId=info.id))
                self._supervisor.tasks.start(_log_failure(left, target), "leave a service worker")


async def _log_failure(left: Reply[Any], target: str) -> None:
    try:
        await left
    except CdpError as error:
        _log.debug("leaving service worker %s: %s", target, error)  # it has ended
