"""Adapts a kind of browser for the registry of supervisors."""

from __future__ import annotations

from pilothouse.browsers.endpoint import may_ask_consent, parse_endpoint
from pilothouse.browsers.kinds import BrowserKind, ConnectedKind
from pilothouse.browsers.registry import Browsers
from pilothouse.browsers.running_browser_opener import READY_WITHIN_S, connect
from pilothouse.cdp import Connection
from pilothouse.supervisor.supervisor_registry import Opener, SupervisedConnection

__all__ = ["make_opener"]


def make_opener(browsers: Browsers, kind: BrowserKind) -> Opener:
    """Return the function that `Supervisors.get_or_start` calls to open this kind of browser.

    A connected browser gets a second socket for the standby connection, because the connection can
    drop while the browser lives. A browser that may ask its user for consent gets none, because it
    would ask twice.
    """

    async def dial_standby() -> Connection:
        assert isinstance(kind, ConnectedKind)
        connection, _ = await connect(parse_endpoint(kind.endpoint), READY_WITHIN_S)
        return connection

    async def open_connection() -> SupervisedConnection:
        handle = await browsers.acquire(kind)
        return SupervisedConnection(
            handle.connection,
            handle.owned,
            handle.page_setup,
            dial_standby
            if isinstance(kind, ConnectedKind) and not may_ask_consent(kind.endpoint)
            else None,
            handle.release,
            handle.features,
            handle.product,
        )

    return open_connection
