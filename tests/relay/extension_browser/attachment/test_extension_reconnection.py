"""The extension goes away and comes back: sessions and waiting commands outlive it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.cdp import Command, Reply, Status
from pilothouse.errors import CdpError, CommandFailed
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


async def test_commands_wait_while_only_the_line_is_lost_and_nothing_is_replayed() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.enable", session)
        extension.event(1, "Page.javascriptDialogOpening", {"message": "?", "type": "confirm"})
        await stage.settle()
        before = extension.methods()
        extension.drops()
        assert not stage.lent.connected
        answer: Reply[Any] = session.send(
            Command("Page.handleJavaScriptDialog", {"accept": True}), 5.0
        )
        assert not answer.done()
        extension.joins(stage.lent)
        assert await answer == {}
        assert extension.methods() == [*before, "Page.handleJavaScriptDialog"]
        assert len(extension.wire("attachTab")) == 1
        assert stage.heard("Target.detachedFromTarget") == []


async def test_what_was_on_its_way_is_asked_again_only_where_that_does_no_harm() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    for method in ("Runtime.evaluate", "Page.getLayoutMetrics"):
        extension.script[method] = lambda _: HELD
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        acts: Reply[Any] = session.send(Command("Runtime.evaluate", {"expression": "buy()"}), 5.0)
        reads: Reply[Any] = session.send(Command("Page.getLayoutMetrics"), 5.0)
        await stage.settle()
        extension.drops()
        extension.script.clear()
        extension.joins(stage.lent)
        with pytest.raises(CommandFailed, match="it may have been done"):
            await acts
        assert await reads == {}
        assert extension.methods().count("Runtime.evaluate") == 1


async def test_tabs_that_came_and_went_meanwhile_are_told_once() -> None:
    extension = FakeExtension(FakeTab(1), FakeTab(2))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        session = await stage.attach(extension.tabs[2])
        extension.drops()
        gone = extension.tabs.pop(2)
        extension.tabs[3] = FakeTab(3)
        extension.joins(stage.lent)
        await stage.until(lambda: stage.heard("Target.targetDestroyed"))
        assert stage.heard("Target.targetDestroyed") == [{"targetId": gone.target_id}]
        ids = [e["targetInfo"]["targetId"] for e in stage.heard("Target.targetCreated")]
        assert ids == [FakeTab(n).target_id for n in (1, 2, 3)]
        assert session.id not in stage.connection.sessions


async def test_after_the_grace_time_everybody_hears_that_it_is_over() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension, grace_s=0.0) as stage:
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        stage.lent.on_closed.append(over.set_result)
        session = await stage.attach(tab)
        extension.drops("pulled")
        waiting: Reply[Any] = session.send(Command("Page.enable"), 5.0)
        async with asyncio.timeout(5):
            assert "pulled" in await over
        with pytest.raises(CdpError):
            await waiting
        told = stage.heard("Target.detachedFromTarget")
        assert told == [{"sessionId": session.id, "targetId": tab.target_id}]
        assert stage.connection.status is Status.CLOSED


async def test_an_extension_that_answers_no_ping_is_taken_for_lost() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension, heartbeat_s=0.01) as stage:
        session = await stage.attach(tab)
        extension.pongs = False
        await stage.until(lambda: extension.closed)
        assert not stage.lent.connected
        extension.pongs = True
        extension.joins(stage.lent)
        assert await stage.send("Page.enable", session) == {}


async def test_a_newer_line_of_the_same_install_takes_over() -> None:
    tab = FakeTab(1)
    first, second = FakeExtension(tab), FakeExtension(tab)
    async with open_stage(first) as stage:
        session = await stage.attach(tab)
        second.joins(stage.lent)
        assert first.closed == "the extension connected again"
        await stage.send("Page.enable", session)
        assert second.methods() == ["Page.enable"]


async def test_a_line_that_goes_again_before_the_tabs_are_listed_loses_nothing() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Page.getLayoutMetrics"] = lambda _: HELD
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        reads: Reply[Any] = session.send(Command("Page.getLayoutMetrics"), 5.0)
        await stage.settle()
        extension.script.clear()
        for _ in range(3):
            extension.drops()
            extension.joins(stage.lent)
        waits: Reply[Any] = session.send(Command("Page.enable"), 5.0)
        assert await reads == {}
        assert await waits == {}
        assert extension.methods().count("Page.enable") == 1
        assert len(extension.wire("attachTab")) == 1


async def test_a_tab_that_another_relay_held_is_let_go() -> None:
    held, free = FakeTab(1), FakeTab(2)
    extension = FakeExtension(held, free)
    async with open_stage(extension) as first:
        await first.attach(held)
        extension.drops()
        assert held.attached
        async with open_stage(extension) as second:
            await second.until(lambda: not held.attached)
            assert extension.wire("detachTab") == [{"tabId": 1}]
