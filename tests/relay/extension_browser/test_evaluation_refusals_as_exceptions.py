"""A refusal is told so that a client repeats its words."""

from __future__ import annotations

import pytest

from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage
from tests.relay.fake_tabs_and_calls import Failed

THROWS = {"expression": "1", "throwOnSideEffect": True}
GUARD = "EvalError: Possible side-effect in debug-evaluate"
STOPPED = {
    "result": {"type": "object", "description": GUARD},
    "exceptionDetails": {"text": "Uncaught", "exception": {"description": GUARD}},
}


async def test_a_script_that_chrome_stops_under_read_only_is_told_in_our_words() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, settings={"readOnly": True})
    async with open_stage(extension) as stage:
        client = await stage.attach(tab, on=await stage.browser())
        extension.script["Runtime.evaluate"] = lambda _: STOPPED
        told = await stage.send("Runtime.evaluate", client, expression="1")
        assert "read only" in told["exceptionDetails"]["exception"]["description"]
        assert "debug-evaluate" not in str(told)
        with pytest.raises(CommandFailed, match="read only"):
            await stage.send("Page.reload", client)
        with pytest.raises(CommandFailed, match="read only"):
            await stage.send("Page.reload", await stage.attach(tab))
        # Chrome itself is asked to refuse what it cannot prove to be a reader.
        assert extension.sent("Runtime.evaluate") == [THROWS]


async def test_a_page_that_shows_chromes_words_is_read_as_it_is() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, settings={"readOnly": True})
    read = {"result": {"type": "string", "value": GUARD}}
    extension.script["Runtime.evaluate"] = lambda _: read
    async with open_stage(extension) as stage:
        client = await stage.attach(tab, on=await stage.browser())
        assert await stage.send("Runtime.evaluate", client, expression="1") == read


async def test_refusal_of_the_extension_throws_and_an_error_of_chrome_stays_one() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)

    async with open_stage(extension) as stage:
        client = await stage.attach(tab, on=await stage.browser())
        extension.script["Runtime.evaluate"] = lambda _: Failed(
            "Pilothouse refuses it: read only is on"
        )
        told = await stage.send("Runtime.evaluate", client, expression="act()")
        assert "read only" in told["exceptionDetails"]["exception"]["description"]
        extension.script["Runtime.evaluate"] = lambda _: Failed(
            "Cannot find context with specified id"
        )
        with pytest.raises(CommandFailed, match="Cannot find context"):
            await stage.send("Runtime.evaluate", client, expression="act()")


async def test_worlds_are_told_anew_to_who_was_refused_once_more_is_allowed() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, settings={"readOnly": True})
    async with open_stage(extension) as stage:
        browser = await stage.browser()
        refused, other = await stage.attach(tab, on=browser), await stage.attach(tab, on=browser)
        for session in (refused, other):
            await stage.send("Runtime.enable", session)
        extension.script["Runtime.evaluate"] = lambda _: STOPPED
        await stage.send("Runtime.evaluate", refused, expression="act()")
        extension.sets(readOnly=False)
        await stage.settle()
        assert len(stage.heard("Runtime.executionContextsCleared", refused)) == 1
        assert len(stage.heard("Runtime.executionContextCreated", refused)) == 2
        assert stage.heard("Runtime.executionContextsCleared", other) == []
