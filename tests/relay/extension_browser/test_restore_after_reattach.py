"""A fresh debugger gets everything that sessions had set, and sessions hear what changed."""

from __future__ import annotations

from typing import Any

from pilothouse.cdp import Command, Reply, SessionId
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}


async def test_an_extension_that_was_reloaded_gets_everything_back() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab, FakeTab(2))
    async with open_stage(extension) as stage:
        await stage.send("Target.setDiscoverTargets", discover=True)
        one, two = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Page.enable", one)
        await stage.send("Runtime.enable", two)
        made = await stage.send("Page.addScriptToEvaluateOnNewDocument", one, source="1")
        await stage.send("Fetch.enable", two, patterns=[{"urlPattern": "*"}])
        before, created = len(extension.calls), len(stage.heard("Target.targetCreated"))
        extension.dies()
        waiting: Reply[Any] = one.send(Command("Runtime.evaluate", {"expression": "1"}), 5.0)
        extension.joins(stage.lent)
        assert await waiting == {}
        again = [call.method for call in extension.calls[before:]]
        assert {"Page.enable", "Runtime.enable", "Fetch.enable"} <= set(again)
        assert again[-1] == "Runtime.evaluate"
        # The script has another id there; its own session still knows it by the old one.
        await stage.send("Page.removeScriptToEvaluateOnNewDocument", one, **made)
        assert extension.sent("Page.removeScriptToEvaluateOnNewDocument") == [{"identifier": "2"}]
        assert len(stage.heard("Target.targetCreated")) == created
        assert stage.heard("Target.detachedFromTarget") == []


async def test_worlds_are_told_as_ended_and_as_new_when_the_debugger_is_back() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Runtime.enable", session)
        await stage.send("DOM.enable", session)
        extension.dies()
        tab.contexts = 2
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", session, expression="1")
        assert len(stage.heard("Runtime.executionContextsCleared", session)) == 1
        assert len(stage.heard("DOM.documentUpdated", session)) == 1
        told = stage.heard("Runtime.executionContextCreated", session)
        assert [e["context"]["id"] for e in told] == [1, 2]


async def test_newcomer_is_told_of_worlds_once() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session, newcomer = await stage.attach(tab), await stage.attach(tab)
        await stage.send("Runtime.enable", session)
        extension.dies()
        comes: Reply[Any] = newcomer.send(Command("Runtime.enable"), 5.0)
        extension.joins(stage.lent)
        await comes
        assert len(stage.heard("Runtime.executionContextCreated", newcomer)) == 1
        assert len(stage.heard("Runtime.executionContextCreated", session)) == 2


async def test_what_the_page_said_before_is_not_told_twice() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)

    def says(*times: float) -> dict[str, Any]:
        for time in times:
            extension.event(1, "Runtime.consoleAPICalled", {"type": "log", "timestamp": time})
            extension.event(1, "Log.entryAdded", {"entry": {"level": "error", "timestamp": time}})
        return {}

    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Runtime.enable", session)
        await stage.send("Log.enable", session)
        says(1.0, 2.0)
        await stage.settle()
        extension.script["Log.enable"] = lambda _: says(1.0, 2.0, 3.0)
        extension.dies()
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", session, expression="1")
        calls = stage.heard("Runtime.consoleAPICalled", session)
        assert [call["timestamp"] for call in calls] == [1.0, 2.0, 3.0]
        entries = stage.heard("Log.entryAdded", session)
        assert [told["entry"]["timestamp"] for told in entries] == [1.0, 2.0, 3.0]


async def test_worker_is_told_as_another_one_because_clients_learn_its_world_once() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Target.setAutoAttach", session, **AUTO)
        extension.attaches_child(1, "C1", targetId="W", type="worker")
        await stage.settle()

        def attach_again(_: object) -> dict[str, object]:
            extension.attaches_child(1, "C9", targetId="W", type="worker")
            return {}

        extension.script["Target.setAutoAttach"] = attach_again
        extension.dies()
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", session, expression="1")
        told = stage.heard("Target.attachedToTarget", session)
        assert [e["targetInfo"]["targetId"] for e in told] == ["W", "W"]
        ended = stage.heard("Target.detachedFromTarget", session)
        assert [e["sessionId"] for e in ended] == [told[0]["sessionId"]]


async def test_a_world_is_made_in_a_page_that_came_meanwhile() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        add = "Page.addScriptToEvaluateOnNewDocument"
        await stage.send(add, session, source="", worldName="utility")
        await stage.send(add, session, source="count()", worldName="utility")
        extension.dies()
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", session, expression="1")
        again = [(params["source"], params.get("runImmediately")) for params in extension.sent(add)]
        assert again == [("", None), ("count()", None), ("", True), ("count()", None)]


async def test_a_page_that_moved_on_meanwhile_is_told_of() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Page.enable", session)
        extension.dies()
        frame = {"id": tab.frame_id, "url": "https://next.test/", "loaderId": "other"}
        child = {"id": "CHILD", "parentId": tab.frame_id, "url": "https://next.test/in"}
        tree = {"frame": frame, "childFrames": [{"frame": child}]}
        extension.script["Page.getFrameTree"] = lambda _: {"frameTree": tree}
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", session, expression="1")
        assert [e["frame"] for e in stage.heard("Page.frameNavigated", session)] == [frame, child]
        came = {"frameId": "CHILD", "parentFrameId": tab.frame_id}
        assert stage.heard("Page.frameAttached", session) == [came]


async def test_a_child_keeps_its_sessions_under_its_new_number() -> None:
    tab = FakeTab(1)
    extension = FakeExtension(tab)
    async with open_stage(extension) as stage:
        session = await stage.attach(tab)
        await stage.send("Target.setAutoAttach", session, **AUTO)
        extension.attaches_child(1, "C1", targetId="FRAME")
        extension.attaches_child(1, "C2", targetId="GONE")
        await stage.settle()
        told = stage.heard("Target.attachedToTarget", session)
        child, gone = (stage.connection.sessions[SessionId(e["sessionId"])] for e in told)
        for one in (child, gone):
            await stage.send("Runtime.runIfWaitingForDebugger", one)
        await stage.send("Network.enable", child)

        def attach_again(_: object) -> dict[str, object]:
            extension.attaches_child(1, "C9", targetId="FRAME")
            return {}

        extension.script["Target.setAutoAttach"] = attach_again
        extension.dies()
        extension.joins(stage.lent)
        await stage.send("Runtime.evaluate", child, expression="1")
        again = extension.methods(child="C9")
        assert again == ["Network.enable", "Runtime.runIfWaitingForDebugger", "Runtime.evaluate"]
        ended = [e["sessionId"] for e in stage.heard("Target.detachedFromTarget", session)]
        assert ended == [gone.id]
        assert len(stage.heard("Target.attachedToTarget", session)) == 2
