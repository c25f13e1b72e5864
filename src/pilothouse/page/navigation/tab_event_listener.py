"""Events of one tab from all of its sessions, which come and go with processes.

Knows: which sessions a tab has, and that Network must be enabled to receive request events. Must
not know: what the events mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pilothouse.cdp import Event, EventName, Reply, Session, SessionId
from pilothouse.cdp.protocol import Network, Target
from pilothouse.page.tab_context import TabContext

__all__ = ["TabEventHandler", "TabEventListener"]

TabEventHandler = Callable[[str, Mapping[str, Any], SessionId, float], object]

# OOPIFs send their own requests.
_FRAME_TARGETS = ("page", "iframe")


class TabEventListener:
    """Passes chosen events of a tab to a handler until `close`."""

    def __init__(
        self,
        context: TabContext,
        methods: Iterable[str],
        handler: TabEventHandler,
        *,
        network: set[SessionId],
    ) -> None:
        """Subscribe at once. `network` holds the sessions with Network enabled; more are added."""
        self._context = context
        self._handler = handler
        self._network = network
        connection = context.supervisor.connection
        # Replies to the enable commands; await them to be sure that events arrive.
        self.replies: list[Reply[Any]] = []
        self._unsubscribe = [
            connection.on(EventName[Mapping[str, Any]](method), self._on_event)
            for method in methods
        ]
        self._unsubscribe.append(connection.on(Target.attachedToTarget, self._on_attached))
        state = context.supervisor.state
        for session_id in state.session_subtree(context.session.id):
            session = connection.sessions.get(session_id)
            if session is not None:
                self._enable_network(session)

    def close(self) -> None:
        """Unsubscribe. Harmless to repeat."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def _on_event(self, event: Event[Mapping[str, Any]]) -> None:
        supervisor = self._context.supervisor
        tab = supervisor.state.tab_of(event.session_id)
        if tab is not None and tab.id == self._context.tab_id:
            self._handler(event.method, event.params, event.session_id, supervisor.now())

    def _on_attached(self, event: Event[Any]) -> None:
        supervisor = self._context.supervisor
        session_id = SessionId(event.params["sessionId"])
        tab = supervisor.state.tab_of(session_id)
        session = supervisor.connection.sessions.get(session_id)
        if tab is not None and tab.id == self._context.tab_id and session is not None:
            self._enable_network(session)

    def _enable_network(self, session: Session) -> None:
        if session.target_type in _FRAME_TARGETS and session.id not in self._network:
            self._network.add(session.id)
            self.replies.append(session.send(Network.enable()))
