"""The wires on another event loop than asyncio's own."""

from __future__ import annotations

import pytest
import uvloop

from pilothouse.cdp import Connection, dial_pipe, dial_websocket
from tests.cdp.new_target_session import VERSION
from tests.fake_chrome import FakeChrome


@pytest.mark.parametrize("wire", ["pipe", "websocket"])
def test_a_command_is_answered_on_uvloop(wire: str) -> None:
    async def one_command() -> str:
        async with FakeChrome() as chrome:
            dial = (
                dial_pipe(chrome.pipe()) if wire == "pipe" else dial_websocket(chrome.websocket_url)
            )
            async with await Connection.open(dial) as connection:
                return str((await connection.send(VERSION))["product"])

    assert uvloop.run(one_command())
