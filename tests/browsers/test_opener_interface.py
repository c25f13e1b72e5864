"""The first question to a browser."""

from __future__ import annotations

import pytest

from pilothouse.browsers.opener_interface import BrowserVersion, ask_version
from pilothouse.cdp import Connection, dial_websocket
from pilothouse.errors import CommandTimeout
from tests.fake_chrome import FakeChrome


async def test_version_is_what_the_browser_says(fake_chrome: FakeChrome) -> None:
    said = {"product": "Chrome/1", "userAgent": "UA", "protocolVersion": "1.3"}
    fake_chrome.answer("Browser.getVersion", said)
    async with await Connection.open(dial_websocket(fake_chrome.websocket_url)) as connection:
        assert await ask_version(connection, 5) == BrowserVersion("Chrome/1", "UA", "1.3")


async def test_browser_that_says_nothing_is_not_waited_for_in_vain(fake_chrome: FakeChrome) -> None:
    fake_chrome.hold("Browser.getVersion")
    async with await Connection.open(dial_websocket(fake_chrome.websocket_url)) as connection:
        with pytest.raises(CommandTimeout):
            await ask_version(connection, 0.05)
