"""Several sessions on one tab, over the one debugger it has."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pilothouse.cdp import Command, Reply
from pilothouse.errors import CdpError, CommandFailed, TargetCrashed
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage

FRAME = {"frameId": "F", "loaderId": "L", "timestamp": 1}


async def test_a_domain_goes_out_once_and_off_when_the_last_leaves_it() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        assert one.id != two.id
        for session in (one, two):
            await stage.send("Network.enable", session)
        assert stage.extension.methods().count("Network.enable") == 1
        await stage.send("Network.disable", one)
        assert "Network.disable" not in stage.extension.methods()
        await stage.send("Network.disable", two)
        assert stage.extension.methods().count("Network.disable") == 1


async def test_an_event_goes_only_to_sessions_that_turned_its_domain_on() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Page.enable", one)
        stage.extension.event(1, "Page.loadEventFired", {"timestamp": 1})
        stage.extension.event(1, "Inspector.detached", {"reason": "x"})
        await stage.settle()
        assert len(stage.heard("Page.loadEventFired", one)) == 1
        assert stage.heard("Page.loadEventFired", two) == []
        assert len(stage.heard("Inspector.detached", two)) == 1


async def test_a_newcomer_hears_of_worlds_before_its_answer_and_nobody_else_does_again() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Runtime.enable", one)
        assert len(stage.heard("Runtime.executionContextCreated", one)) == 1
        await stage.send("Runtime.enable", two)
        # Everything was emitted before the reply that has just been awaited.
        assert len(stage.heard("Runtime.executionContextCreated", two)) == 1
        assert len(stage.heard("Runtime.executionContextCreated", one)) == 1
        assert stage.extension.methods().count("Runtime.enable") == 1


async def test_a_world_that_is_gone_is_not_told_to_a_newcomer() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Runtime.enable", one)
        stage.extension.event(1, "Runtime.executionContextDestroyed", {"executionContextId": 1})
        await stage.settle()
        await stage.send("Runtime.enable", two)
        assert stage.heard("Runtime.executionContextCreated", two) == []


async def test_two_sessions_that_turn_a_domain_on_at_once_wait_for_one_answer() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Log.enable"] = lambda _: HELD
    async with open_stage(extension) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        replies: list[Reply[Any]] = [
            session.send(Command("Log.enable"), 5.0) for session in (one, two)
        ]
        await stage.settle()
        assert not any(reply.done() for reply in replies)
        assert extension.methods().count("Log.enable") == 1
        extension.let_go("Log.enable")
        for reply in replies:
            assert await reply == {}


async def test_a_domain_that_the_page_lacks_is_refused_to_everybody() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            with pytest.raises(CommandFailed) as failed:
                await stage.send("ServiceWorker.enable", session)
            assert failed.value.code == -32601


async def test_load_states_are_for_those_who_asked_and_told_again_to_a_newcomer() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            await stage.send("Page.enable", session)
        await stage.send("Page.setLifecycleEventsEnabled", one, enabled=True)
        for name in ("init", "load"):
            stage.extension.event(1, "Page.lifecycleEvent", {**FRAME, "name": name})
        await stage.settle()
        assert [e["name"] for e in stage.heard("Page.lifecycleEvent", one)] == ["init", "load"]
        assert stage.heard("Page.lifecycleEvent", two) == []
        await stage.send("Page.setLifecycleEventsEnabled", two, enabled=True)
        assert [e["name"] for e in stage.heard("Page.lifecycleEvent", two)] == ["init", "load"]
        sent = stage.extension.sent("Page.setLifecycleEventsEnabled")
        assert sent == [{"enabled": True}]


async def test_what_a_session_set_is_taken_back_when_it_ends() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Page.enable", two)
        await stage.send("Page.addScriptToEvaluateOnNewDocument", one, source="1")
        await stage.send("Runtime.addBinding", one, name="ring")
        await stage.send("Emulation.setTimezoneOverride", one, timezoneId="Europe/Berlin")
        await stage.send("Network.setExtraHTTPHeaders", one, headers={"x": "1"})
        await stage.send("Network.setExtraHTTPHeaders", two, headers={"y": "2"})
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        await stage.settle()
        sent = stage.extension.sent
        assert sent("Page.removeScriptToEvaluateOnNewDocument") == [{"identifier": "1"}]
        assert sent("Runtime.removeBinding") == [{"name": "ring"}]
        assert sent("Emulation.setTimezoneOverride")[-1] == {"timezoneId": ""}
        assert sent("Network.setExtraHTTPHeaders")[-1] == {"headers": {"y": "2"}}
        assert "Page.disable" not in stage.extension.methods()


async def test_requests_are_decided_by_one_session_after_the_other() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Fetch.enable", one, patterns=[{"urlPattern": "*a*"}])
        await stage.send("Fetch.enable", two, patterns=[{"urlPattern": "*"}])
        request = {"requestId": "R", "request": {"url": "https://x.test/a"}, "resourceType": "XHR"}
        stage.extension.event(1, "Fetch.requestPaused", request)
        await stage.settle()
        assert len(stage.heard("Fetch.requestPaused", two)) == 1
        assert stage.heard("Fetch.requestPaused", one) == []
        with pytest.raises(CommandFailed, match="Invalid InterceptionId"):
            await stage.send("Fetch.continueRequest", one, requestId="R")
        await stage.send("Fetch.continueRequest", two, requestId="R")
        assert len(stage.heard("Fetch.requestPaused", one)) == 1
        assert stage.extension.sent("Fetch.continueRequest") == []
        await stage.send("Fetch.fulfillRequest", one, requestId="R", responseCode=200)
        assert len(stage.extension.sent("Fetch.fulfillRequest")) == 1


async def test_a_request_whose_session_ends_goes_on() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Page.enable", two)
        await stage.send("Fetch.enable", one)
        request = {"requestId": "R", "request": {"url": "https://x.test/a"}}
        stage.extension.event(1, "Fetch.requestPaused", request)
        await stage.settle()
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        await stage.settle()
        assert stage.extension.sent("Fetch.continueRequest") == [{"requestId": "R"}]
        assert stage.extension.methods()[-1] == "Fetch.disable"


async def test_dialogs_are_told_to_every_session_with_page_on() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            await stage.send("Page.enable", session)
        stage.extension.event(1, "Page.javascriptDialogOpening", {"message": "?", "type": "alert"})
        await stage.settle()
        for session in (one, two):
            assert len(stage.heard("Page.javascriptDialogOpening", session)) == 1


async def test_what_waits_for_a_crashed_page_fails_and_what_revives_it_goes_out() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    extension.script["Runtime.evaluate"] = lambda _: HELD
    async with open_stage(extension) as stage:
        one = await stage.attach(tab)
        waiting: Reply[Any] = one.send(Command("Runtime.evaluate", {"expression": "1"}), 5.0)
        await stage.settle()
        extension.event(1, "Inspector.targetCrashed", {})
        with pytest.raises(CdpError):
            await waiting
        with pytest.raises(TargetCrashed):
            await stage.send("Runtime.evaluate", one, expression="2")
        await stage.send("Page.reload", one)
        extension.event(1, "Inspector.targetReloadedAfterCrash", {})
        extension.script.clear()
        await stage.settle()
        assert await stage.send("Runtime.evaluate", one, expression="3") == {}


async def test_a_picture_is_acknowledged_when_all_watchers_have_taken_it() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        for session in (one, two):
            await stage.send("Page.startScreencast", session)
        stage.extension.event(1, "Page.screencastFrame", {"data": "", "sessionId": 1})
        await stage.settle()
        assert len(stage.heard("Page.screencastFrame", one)) == 1
        await stage.send("Page.screencastFrameAck", one, sessionId=1)
        assert stage.extension.sent("Page.screencastFrameAck") == []
        await stage.send("Page.screencastFrameAck", two, sessionId=1)
        assert len(stage.extension.sent("Page.screencastFrameAck")) == 1
        await stage.send("Page.stopScreencast", one)
        assert stage.extension.sent("Page.stopScreencast") == []


async def test_a_newcomer_is_told_the_past_after_the_answers_to_what_it_asked_before() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Page.enable", one)
        await stage.send("Runtime.enable", one)
        await stage.send("Page.setLifecycleEventsEnabled", one, enabled=True)
        stage.extension.event(1, "Page.lifecycleEvent", {**FRAME, "name": "init"})
        await stage.settle()
        seen: list[str] = []
        stage.connection.trace(
            lambda way, frame: (
                seen.append(json.loads(frame).get("method", "answer")) if way == "receive" else None
            )
        )
        tree: Reply[Any] = two.send(Command("Page.getFrameTree"), 5.0)
        states: Reply[Any] = two.send(
            Command("Page.setLifecycleEventsEnabled", {"enabled": True}), 5.0
        )
        worlds: Reply[Any] = two.send(Command("Runtime.enable"), 5.0)
        again: Reply[Any] = two.send(Command("Runtime.enable"), 5.0)
        for reply in (tree, states, worlds, again):
            await reply
        assert seen == [
            "answer",
            "Page.lifecycleEvent",
            "answer",
            "Runtime.executionContextCreated",
            "answer",
            "answer",
        ]
        # Once: not live as well.
        stage.extension.event(1, "Runtime.executionContextDestroyed", {"executionContextId": 1})
        await stage.settle()
        assert len(stage.heard("Runtime.executionContextDestroyed", two)) == 1


async def test_enabling_again_waits_for_what_is_on_its_way() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.enable", session)
        before = len(stage.extension.calls)
        # Playwright asks this to learn whether a frame went or only moved to another process.
        await stage.send("Page.enable", session)
        assert len(stage.extension.calls) == before + 1


async def test_a_binding_calls_only_the_session_that_made_it() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
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
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.attach(tab), await stage.attach(tab)
        made = await stage.send("Page.addScriptToEvaluateOnNewDocument", one, source="1")
        remove = "Page.removeScriptToEvaluateOnNewDocument"
        with pytest.raises(CommandFailed, match="Script not found"):
            await stage.send(remove, two, identifier=made["identifier"])
        assert await stage.send(remove, one, identifier=made["identifier"]) == {}
