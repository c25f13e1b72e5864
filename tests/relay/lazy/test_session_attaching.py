"""A lazy session while the debugger attaches: what is replayed, and what the client is told."""

from __future__ import annotations

from pilothouse.relay.lazy.execution_contexts import FIRST_CONTEXT_ID
from pilothouse.relay.lazy.session import CommandFailure, LazySession
from tests.relay.lazy_session_calls import (
    ADD_SCRIPT,
    AUTO,
    CLEARED,
    CREATED,
    REMOVE_SCRIPT,
    TARGET,
    URL,
    ask,
    attach,
    created,
    frame,
    lazy,
    names,
    playwright_like,
    read,
)


def test_a_session_that_recorded_nothing_is_ready_at_once() -> None:
    session = lazy()
    assert session.replay() == []
    assert session.is_attached
    assert session.is_transparent


def test_what_was_recorded_goes_out_in_an_order_that_loses_nothing() -> None:
    session = lazy()
    playwright_like(session)
    sent, told = attach(session)
    assert [one.method for one in sent] == [
        "Page.enable",
        "Page.getFrameTree",
        ADD_SCRIPT,
        "Page.createIsolatedWorld",
        "Log.enable",
        "Page.setLifecycleEventsEnabled",
        "Runtime.enable",
        "Network.enable",
        "Emulation.setFocusEmulationEnabled",
        "Target.setAutoAttach",
        "Runtime.runIfWaitingForDebugger",
    ]
    assert sent[9].params == AUTO
    assert told == []
    assert session.answer(1, "Page.enable", {}) is None


def test_scripts_go_out_with_all_they_carry() -> None:
    session = lazy()
    script = {"source": "x()", "worldName": "w", "includeCommandLineAPI": True}
    ask(session, ADD_SCRIPT, script)
    ask(session, ADD_SCRIPT, {"source": "y()", "runImmediately": True})
    sent, _ = attach(session)
    assert [one.params for one in sent] == [script, {"source": "y()", "runImmediately": True}]


def test_a_script_that_only_names_a_world_makes_it_in_every_frame() -> None:
    session = lazy()
    ask(session, ADD_SCRIPT, {"source": "// a comment", "worldName": "w"})
    ask(session, ADD_SCRIPT, {"source": "acts()", "worldName": "w"})
    ask(session, "Page.createIsolatedWorld", {"frameId": TARGET, "worldName": "w"})
    sent, _ = attach(session)
    at_once = [one.params.get("runImmediately") for one in sent if one.method == ADD_SCRIPT]
    assert at_once == [True, None]


def test_frames_that_the_client_could_not_know_are_told_of() -> None:
    session = lazy()
    playwright_like(session)
    inner = {"frame": frame("C2", "http://c/", parentId="C1")}
    child = {"frame": frame("C1", "http://b/", parentId=TARGET), "childFrames": [inner]}
    waiting = {"frame": frame("C3", "", parentId=TARGET)}
    _, told = attach(session, {"frame": frame(), "childFrames": [child, waiting]})
    assert [(m, p.get("frameId") or p["frame"]["id"]) for m, p in told] == [
        ("Page.frameAttached", "C1"),
        ("Page.frameNavigated", "C1"),
        ("Page.frameAttached", "C2"),
        ("Page.frameNavigated", "C2"),
        ("Page.frameAttached", "C3"),
    ]
    assert told[2][1]["parentFrameId"] == "C1"


def test_who_never_asked_for_frames_is_not_told_of_them() -> None:
    session = lazy()
    ask(session, "Runtime.enable")
    child = {"frame": frame("C1", "http://b/", parentId=TARGET)}
    _, told = attach(session, {"frame": frame(), "childFrames": [child]})
    assert told == []


def test_contexts_that_turn_out_to_be_real_are_not_told_again() -> None:
    session = lazy()
    playwright_like(session)
    attach(session)
    assert session.inbound(CREATED, created(50, "utility")) == []
    assert session.inbound(CREATED, created(49)) == []
    evaluate = {"expression": "1", "contextId": FIRST_CONTEXT_ID + 1}
    assert session.outbound("Runtime.evaluate", evaluate) == {"expression": "1", "contextId": 50}
    assert session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID}) == {
        "contextId": 49
    }
    assert not session.is_transparent


def test_lifecycle_events_of_the_same_document_are_not_told_again() -> None:
    session = lazy()
    playwright_like(session)
    attach(session)
    load = {"frameId": TARGET, "loaderId": f"LOADER-{TARGET}", "name": "load", "timestamp": 1}
    assert session.inbound("Page.lifecycleEvent", load) == []
    child = {**load, "frameId": "C1"}
    assert session.inbound("Page.lifecycleEvent", child) != []


def test_another_document_than_the_listed_one_ends_what_was_told() -> None:
    session = lazy()
    playwright_like(session)
    there = frame(url="http://elsewhere/")
    _, told = attach(session, {"frame": there})
    assert names(told) == [CLEARED, "Page.lifecycleEvent", "Page.frameNavigated"]
    assert told[1][1]["loaderId"] == there["loaderId"]
    assert told[2][1]["frame"] == there
    stale = session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID})
    assert stale == CommandFailure("Cannot find context with specified id", -32000)
    assert session.inbound(CREATED, created(3)) == [(CREATED, created(3))]
    assert session.is_transparent


def test_events_wait_for_the_frames_they_belong_to() -> None:
    session = lazy()
    playwright_like(session)
    sent = session.replay()
    iframe = {"targetInfo": {"targetId": "C9", "parentFrameId": "C1"}}
    assert session.inbound("Target.attachedToTarget", iframe) == []
    # The tree says it better.
    assert session.inbound("Page.frameAttached", {"frameId": "C1"}) == []
    child = {"frame": frame("C1", "http://b/", parentId=TARGET)}
    tree = {"frameTree": {"frame": frame(), "childFrames": [child]}}
    told = read(session.finish_replay(sent[1].token, tree))
    assert [m["method"] for m in told] == [
        "Page.frameAttached",
        "Page.frameNavigated",
        "Target.attachedToTarget",
    ]


def test_a_tree_that_cannot_be_had_ends_what_was_told() -> None:
    session = lazy()
    playwright_like(session)
    sent, told = attach(session, fails="Page.getFrameTree")
    assert names(told) == [CLEARED]
    assert isinstance(
        session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID}), CommandFailure
    )
    assert session.finish_replay(sent[0].token, {}) == []


def test_a_tab_that_was_prerendered_has_its_frame_renamed() -> None:
    session = lazy()
    playwright_like(session)
    child = {"frame": frame("C1", "http://b/", parentId="REAL")}
    tree = {"frame": frame("REAL"), "childFrames": [child]}
    _, told = attach(session, tree, fails="Page.createIsolatedWorld")
    assert told[0][1] == {"frameId": "C1", "parentFrameId": TARGET}
    about = {"isDefault": False, "type": "isolated", "frameId": "REAL"}
    world = {"id": 8, "name": "utility", "uniqueId": "8.1", "auxData": about}
    assert session.inbound(CREATED, {"context": world}) == []
    assert session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID + 1}) == {
        "contextId": 8
    }
    assert session.outbound("Page.navigate", {"frameId": TARGET}) == {"frameId": "REAL"}


def test_an_attach_that_failed_can_be_made_again() -> None:
    session = lazy()
    playwright_like(session)
    first = session.replay()
    second, _ = attach(session)
    assert [one.method for one in second] == [one.method for one in first]
    assert {one.token for one in first}.isdisjoint(one.token for one in second)
    session.inbound(CREATED, created(3))
    assert session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID}) == {"contextId": 3}


def test_only_the_scripts_still_in_force_go_out_and_keep_their_identifiers() -> None:
    session = lazy()
    one, _ = ask(session, ADD_SCRIPT, {"source": "a"})
    two, _ = ask(session, ADD_SCRIPT, {"source": "b"})
    assert ask(session, REMOVE_SCRIPT, one)[0] == {}
    sent, _ = attach(session)
    assert [o.params["source"] for o in sent] == ["b"]
    assert not session.is_transparent
    assert session.outbound(REMOVE_SCRIPT, two) == {"identifier": "1"}
    assert session.is_transparent


def test_two_sessions_on_one_tab_do_not_know_of_each_other() -> None:
    one = lazy()
    other = LazySession("L" + "1" * 31, {"targetId": TARGET, "url": URL})
    ask(one, "Runtime.enable")
    assert other.replay() == []
    assert other.is_attached
    assert not one.is_attached
    assert ask(one, "Page.enable") == ({}, [])


def test_a_tab_that_moves_after_it_attached_says_so_itself() -> None:
    session = lazy()
    playwright_like(session)
    attach(session)
    assert session.on_navigated("http://b/") == []
    navigated = {"frame": frame(url="http://b/", loaderId="NEXT")}
    assert session.inbound(CLEARED, {}) == [(CLEARED, {})]
    assert session.inbound("Page.frameNavigated", navigated) != []
    assert session.is_transparent
