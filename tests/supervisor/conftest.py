"""A supervisor over a fake Chrome, for the tests of its parts that act."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.supervisor import Options, Supervisor
from tests.fake_chrome import FakeChrome


@pytest.fixture
async def supervised(fake_chrome: FakeChrome) -> AsyncIterator[Supervisor]:
    """A supervisor of a browser that we launched, whose dialogs are the browser's own."""
    dial = dial_websocket(fake_chrome.websocket_url)
    async with await Connection.open(dial, reconnects=True) as connection:
        options = Options(bridge="native", permissions={"geolocation": "denied"})
        supervisor = Supervisor(connection, options)
        await supervisor.start()
        yield supervisor
        await supervisor.close()
