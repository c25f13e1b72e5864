"""Cookies of the profile, through whichever tab will do."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cdp import Command, Reply
from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.lending import lending


async def test_without_any_tab_it_is_said_what_to_do() -> None:
    extension = FakeExtension(FakeTab(1, "chrome://newtab/"))
    async with lending(extension) as stage:
        with pytest.raises(CommandFailed, match="open one"):
            await stage.send("Storage.getCookies")


async def test_the_debugger_stays_until_the_cookies_are_there() -> None:
    extension = FakeExtension(FakeTab(1))
    extension.script["Storage.getCookies"] = lambda _: HELD
    async with lending(extension, linger_s=0.0) as stage:
        waiting: Reply[Any] = stage.connection.send(Command("Storage.getCookies"), 5.0)
        await stage.until(lambda: extension.sent("Storage.getCookies"))
        for _ in range(5):
            await stage.settle()
        assert extension.wire("detachTab") == []
        extension.let_go("Storage.getCookies", {"cookies": [1]})
        answer = await waiting
        assert answer == {"cookies": [1]}
        await stage.until(lambda: extension.wire("detachTab"))


async def test_reading_only_keeps_cookies_to_the_user() -> None:
    extension = FakeExtension(FakeTab(1), settings={"readOnly": True})
    async with lending(extension) as stage:
        with pytest.raises(CommandFailed, match="reading only"):
            await stage.send("Storage.getCookies")
        assert extension.wire("attachTab") == []
