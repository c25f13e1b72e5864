"""Commands that several sessions wait for at once."""

from __future__ import annotations

from typing import Any

from pilothouse.cdp import Command, Reply
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.lending import lending


async def test_each_of_two_different_wishes_is_answered_once() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Network.enable"] = lambda _: HELD
    async with lending(extension) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        small: Reply[Any] = one.send(Command("Network.enable", {"maxTotalBufferSize": 1}), 5.0)
        large: Reply[Any] = two.send(Command("Network.enable", {"maxTotalBufferSize": 2}), 5.0)
        await stage.settle()
        assert [p["maxTotalBufferSize"] for p in extension.sent("Network.enable")] == [1, 2]
        extension.let_go("Network.enable")
        assert await small == {}
        assert await large == {}
        await stage.settle()
        assert stage.connection.counts.duplicate == 0


async def test_a_session_that_ends_while_it_waits_is_answered_and_the_other_goes_on() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Log.enable"] = lambda _: HELD
    async with lending(extension) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        replies: list[bytes] = []
        stage.connection.trace(lambda way, frame: replies.append(frame))
        first: Reply[Any] = one.send(Command("Log.enable"), 5.0)
        second: Reply[Any] = two.send(Command("Log.enable"), 5.0)
        await stage.settle()
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        assert first.done()
        assert b"Inspected target navigated or closed" in b"".join(replies)
        extension.let_go("Log.enable")
        assert await second == {}
