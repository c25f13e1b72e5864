"""What the extension is asked, and how it is spelt."""

from __future__ import annotations

import json
from typing import Any

from pilothouse.cdp import Command, Reply
from pilothouse.relay.extension_browser.requests_and_shared_commands import ExtensionRequest
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


def test_it_is_answered_once() -> None:
    answers: list[Any] = []
    asked = ExtensionRequest("listTabs", b"{}", lambda result, wrong: answers.append(result))
    assert json.loads(asked.encode(7)) == {"id": 7, "method": "listTabs", "params": {}}
    asked.settle(None, None)
    asked.settle(None, None)
    assert answers == [None]


async def test_params_reach_the_page_as_they_were_sent() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        odd = {"text": 'a "b" \\ \u00fc \U0001f600', "list": [1, {"x": None}]}
        await stage.send("Input.insertText", session, **odd)
        assert stage.extension.sent("Input.insertText") == [odd]


async def test_each_of_two_different_wishes_is_answered_once() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Network.enable"] = lambda _: HELD
    async with open_stage(extension) as stage:
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
    async with open_stage(extension) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        replies: list[bytes] = []
        stage.connection.trace(lambda way, encode: replies.append(encode))
        first: Reply[Any] = one.send(Command("Log.enable"), 5.0)
        second: Reply[Any] = two.send(Command("Log.enable"), 5.0)
        await stage.settle()
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        assert first.done()
        assert b"Inspected target navigated or closed" in b"".join(replies)
        extension.let_go("Log.enable")
        assert await second == {}
