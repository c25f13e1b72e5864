"""What the extension is asked, and how it is spelt."""

from __future__ import annotations

import json
from typing import Any

from pilothouse.relay.extension_browser.requests import Asked
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.lending import lending


def test_it_is_answered_once() -> None:
    answers: list[Any] = []
    asked = Asked("listTabs", b"{}", lambda result, wrong: answers.append(result))
    assert json.loads(asked.frame(7)) == {"id": 7, "method": "listTabs", "params": {}}
    asked.settle(None, None)
    asked.settle(None, None)
    assert answers == [None]


async def test_params_reach_the_page_as_they_were_sent() -> None:
    tab = FakeTab(1)
    async with lending(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        odd = {"text": 'a "b" \\ \u00fc \U0001f600', "list": [1, {"x": None}]}
        await stage.send("Input.insertText", session, **odd)
        assert stage.extension.sent("Input.insertText") == [odd]
