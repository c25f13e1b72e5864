"""Connections to a fake Chrome, over either wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from pilothouse.cdp import Connection, dial_pipe, dial_websocket
from tests.fake_chrome import FakeChrome


@pytest.fixture(params=["websocket", "pipe"])
async def connection(
    request: pytest.FixtureRequest, fake_chrome: FakeChrome
) -> AsyncIterator[Connection]:
    """The same connection above either wire."""
    pipe = request.param == "pipe"
    dial = dial_pipe(fake_chrome.pipe()) if pipe else dial_websocket(fake_chrome.websocket_url)
    async with asyncio.timeout(30), await Connection.open(dial) as opened:
        yield opened


@pytest.fixture
async def wire(fake_chrome: FakeChrome) -> AsyncIterator[Connection]:
    """A WebSocket connection that restores itself."""
    dial = dial_websocket(fake_chrome.websocket_url)
    async with asyncio.timeout(30), await Connection.open(dial, reconnects=True) as opened:
        yield opened
