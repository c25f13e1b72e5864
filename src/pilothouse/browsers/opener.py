"""A browser of any kind, as the supervisors want it opened."""

from __future__ import annotations

from pilothouse.browsers.connected import READY_WITHIN_S, connect
from pilothouse.browsers.endpoint import asks_consent, parse_endpoint
from pilothouse.browsers.kinds import Connected, Kind
from pilothouse.browsers.registry import Browsers
from pilothouse.cdp import Connection
from pilothouse.supervisor.registry import SupervisedConnection, Opener

__all__ = ["opener"]


def opener(browsers: Browsers, kind: Kind) -> Opener:
    """How `Supervisors.get_or_start` gets this kind of browser.

    One that is reached over a network gets a second socket for the holder: its wire can drop
    while the browser lives. One that may ask its user for consent gets none: it would ask twice.
    """

    async def dial_standby() -> Connection:
        assert isinstance(kind, Connected)
        connection, _ = await connect(parse_endpoint(kind.endpoint), READY_WITHIN_S)
        return connection

    async def open_connection() -> SupervisedConnection:
        handle = await browsers.acquire(kind)
        return SupervisedConnection(
            handle.connection,
            handle.owned,
            handle.page_setup,
            dial_standby if isinstance(kind, Connected) and not asks_consent(kind.endpoint) else None,
            handle.release,
            handle.features,
            handle.product,
        )

    return open_connection
