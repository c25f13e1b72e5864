"""Frames and workers below a tab: Chrome attaches each once, every session gets its own."""

from __future__ import annotations

from typing import Any

from pilothouse.cdp import Session, SessionId
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import Stage, open_stage

AUTO = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
RUN = "Runtime.runIfWaitingForDebugger"


async def wanting(stage: Stage, tab: FakeTab, **wish: Any) -> Session:
    """A session on a tab that attaches what is below it."""
    session = await stage.attach(tab)
    await stage.send("Target.setAutoAttach", session, **{**AUTO, **wish})
    return session


def children(stage: Stage, parent: Session) -> list[Session]:
    """The sessions that a session was told of."""
    told = stage.heard("Target.attachedToTarget", parent)
    return [stage.connection.sessions[SessionId(e["sessionId"])] for e in told]


async def test_every_session_that_wants_children_gets_one_of_its_own() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await wanting(stage, tab)
        assert stage.extension.sent("Target.setAutoAttach") == [AUTO]
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        (first,), (second,) = children(stage, one), children(stage, two)
        assert first.id != second.id
        assert first.target_id == second.target_id == "T-C1"
        await stage.send("Runtime.evaluate", first, expression="1")
        call = stage.extension.calls[-1]
        assert (call.method, call.child) == ("Runtime.evaluate", "C1")


async def test_events_of_a_child_reach_the_sessions_on_it() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one = await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        (child,) = children(stage, one)
        await stage.send("Page.enable", child)
        stage.extension.event(1, "Page.loadEventFired", {"timestamp": 1}, "C1")
        await stage.settle()
        assert len(stage.heard("Page.loadEventFired", child)) == 1
        assert stage.heard("Page.loadEventFired", one) == []


async def test_a_frame_runs_when_all_who_prepare_it_have_said_so() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        (first,), (second,) = children(stage, one), children(stage, two)
        assert all(s.waiting_for_debugger for s in (first, second))
        await stage.send(RUN, first)
        assert stage.extension.methods(child="C1") == []
        await stage.send(RUN, second)
        await stage.send(RUN, second)
        assert stage.extension.methods(child="C1") == [RUN]


async def test_a_worker_runs_at_the_first_word_of_anybody() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1", "worker")
        await stage.settle()
        (first,), (second,) = children(stage, one), children(stage, two)
        await stage.send(RUN, second)
        await stage.send(RUN, first)
        assert stage.extension.methods(child="C1") == [RUN]


async def test_what_chrome_says_of_a_child_is_told_to_those_who_have_it() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await stage.attach(tab)
        stage.extension.attaches_child(1, "C1")
        info = {"targetId": "T-C1", "type": "iframe", "url": "https://in.test/", "title": ""}
        stage.extension.event(1, "Target.targetInfoChanged", {"targetInfo": info})
        mine = {**info, "targetId": tab.target_id, "type": "page", "title": "Now"}
        stage.extension.event(1, "Target.targetInfoChanged", {"targetInfo": mine})
        await stage.settle()
        (told,) = stage.heard("Target.targetInfoChanged", one)
        assert told["targetInfo"]["url"] == "https://in.test/"
        assert stage.heard("Target.targetInfoChanged", two) == []
        infos = (await stage.send("Target.getTargets"))["targetInfos"]
        assert len({i["browserContextId"] for i in infos}) == 1
        assert infos[0]["title"] == "Now"


async def test_a_child_that_nobody_wants_is_let_run_at_once() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one = await wanting(stage, tab, filter=[{"type": "worker"}, {"exclude": True}])
        stage.extension.attaches_child(1, "C1", "iframe")
        await stage.settle()
        assert stage.heard("Target.attachedToTarget", one) == []
        assert stage.extension.methods(child="C1") == [RUN]


async def test_a_child_runs_when_those_who_held_it_are_gone() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        await stage.send("Target.detachFromTarget", sessionId=one.id)
        assert stage.extension.methods(child="C1") == []
        await stage.send("Target.detachFromTarget", sessionId=two.id)
        await stage.settle()
        assert stage.extension.methods(child="C1") == [RUN]


async def test_a_newcomer_gets_the_children_that_are_there() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one = await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        await stage.send(RUN, children(stage, one)[0])
        two = await wanting(stage, tab)
        (late,) = children(stage, two)
        assert late.target_id == "T-C1"
        assert not late.waiting_for_debugger
        assert stage.extension.sent("Target.setAutoAttach") == [AUTO]


async def test_a_child_of_a_child_belongs_to_the_childs_session() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one = await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        (frame,) = children(stage, one)
        await stage.send("Target.setAutoAttach", frame, **AUTO)
        stage.extension.attaches_child(1, "C2", "worker", parent="C1")
        await stage.settle()
        (worker,) = children(stage, frame)
        await stage.send("Runtime.enable", worker)
        assert stage.extension.calls[-1].child == "C2"


async def test_a_child_that_ends_ends_its_sessions_and_what_is_below() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await wanting(stage, tab), await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        told = {"sessionId": "C1", "targetId": "T-C1"}
        stage.extension.event(1, "Target.detachedFromTarget", told)
        await stage.settle()
        for parent in (one, two):
            (gone,) = stage.heard("Target.detachedFromTarget", parent)
            assert gone["targetId"] == "T-C1"
        assert set(stage.connection.sessions) == {one.id, two.id}


async def test_a_session_may_be_attached_to_a_frame_by_its_target() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        await wanting(stage, tab)
        await stage.send("Target.setDiscoverTargets", discover=True)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        assert stage.heard("Target.targetCreated")[-1]["targetInfo"]["targetId"] == "T-C1"
        made = await stage.send("Target.attachToTarget", targetId="T-C1", flatten=True)
        session = stage.connection.sessions[SessionId(made["sessionId"])]
        await stage.send("Page.enable", session)
        assert stage.extension.calls[-1].child == "C1"


async def test_children_are_let_go_when_a_session_wants_none_any_more() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one = await wanting(stage, tab)
        stage.extension.attaches_child(1, "C1")
        await stage.settle()
        (child,) = children(stage, one)
        await stage.send("Target.setAutoAttach", one, **{**AUTO, "autoAttach": False})
        assert child.id not in stage.connection.sessions
        await stage.settle()
        assert stage.extension.sent("Target.setAutoAttach")[-1]["autoAttach"] is False
