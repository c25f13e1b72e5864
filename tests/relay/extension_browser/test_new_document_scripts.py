"""Scripts and bindings belong to the session that set them."""

from __future__ import annotations

import pytest

from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.lending import lending


async def test_a_binding_calls_only_the_session_that_made_it() -> None:
    tab = FakeTab(1)
    async with lending(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            await stage.send("Runtime.enable", session)
        await stage.send("Runtime.addBinding", one, name="ring")
        called = {"name": "ring", "payload": "", "executionContextId": 1}
        stage.extension.event(1, "Runtime.bindingCalled", called)
        await stage.settle()
        assert len(stage.heard("Runtime.bindingCalled", one)) == 1
        assert stage.heard("Runtime.bindingCalled", two) == []


async def test_a_script_of_another_session_cannot_be_removed() -> None:
    tab = FakeTab(1)
    async with lending(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        made = await stage.send("Page.addScriptToEvaluateOnNewDocument", one, source="1")
        remove = "Page.removeScriptToEvaluateOnNewDocument"
        with pytest.raises(CommandFailed, match="Script not found"):
            await stage.send(remove, two, identifier=made["identifier"])
        assert await stage.send(remove, one, identifier=made["identifier"]) == {}
