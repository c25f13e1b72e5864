"""Detaches from service workers that are unregistered or closed, so that Chrome can stop them.

Chrome does not stop a service worker while a debugger is attached to it. Ours stays attached,
because it enforces the URL policy on the worker's session (docs/cdp/service-workers-end.md).

Knows: the sessions on service workers. Must not know: who closes one.
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

__all__ = ["WORKER_UPDATED", "ServiceWorkers"]

_log = logging.getLogger(__name__)

WORKER_UPDATED = "ServiceWorker.workerVersionUpdated"


class ServiceWorkers:
    """The service workers of one browser."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._watched: set[str] = set()

    def watch(self, worker: Session) -> None:
        """Enable version events for a worker, on the session of its page."""
        info = self._supervisor.state.sessions.get(worker.id)
        page = self._supervisor.connection.sessions.get(info.parent) if info else None
        if page is not None and page.id not in self._watched:
            self._watched &= self._supervisor.connection.sessions.keys()
            self._watched.add(page.id)
            page.send(Command("ServiceWorker.enable"))

    def on_versions(self, params: Mapping[str, Any]) -> None:
        """Detach from workers that are unregistered or replaced, so that Chrome stops them."""
        for version in params["versions"]:
            if version["status"] == "redundant" and version.get("targetId"):
                self.detach(version["targetId"])

    def detach(self, target: str) -> None:
        """Detach our sessions from a worker; commands sent after this run later in Chrome. Does
        nothing if there are none."""
        state, sessions = self._supervisor.state, self._supervisor.connection.sessions
        for info in state.sessions.values():
            page = sessions.get(info.parent)
            if info.target_id == target and info.kind == "service_worker" and page is not None:
                left = page.send(Target.detachFromTarget(sessionId=info.id))
                self._supervisor.tasks.start(
                    _log_failure(left, target), "detach from a service worker"
                )


async def _log_failure(left: Reply[Any], target: str) -> None:
    try:
        await left
    except CdpError as error:
        _log.debug("detaching from service worker %s: %s", target, error)  # it has ended
