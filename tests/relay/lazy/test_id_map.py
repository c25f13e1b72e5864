"""The names that a client was given before there was a debugger, on their way out and back in."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.lazy.execution_contexts import FIRST_CONTEXT_ID, UNIQUE_ID_PREFIX
from pilothouse.relay.lazy.id_map import CommandFailure, IdMap

CREATED = "Runtime.executionContextCreated"


def bound() -> IdMap:
    """A session whose main world is 3 in the browser and whose world `w` is 4."""
    names = IdMap("L", "F")
    names.contexts.make("F", default=True).announced = True
    world = names.contexts.make("F", "w")
    world.announced = True
    names.contexts.bind(world, 4)
    for real, name in ((4, "w"), (3, "")):
        assert names.inbound(CREATED, created(real, name, default=not name)) == []
    names.loader, names.real_loader = "OURS", "REAL"
    return names


def created(
    real: int, name: str = "", *, default: bool = False, frame: str = "F"
) -> dict[str, Any]:
    about = {"isDefault": default, "type": "default" if default else "isolated", "frameId": frame}
    context = {"id": real, "origin": "", "name": name, "uniqueId": f"{real}.0", "auxData": about}
    return {"context": context}


MAIN, WORLD = FIRST_CONTEXT_ID, FIRST_CONTEXT_ID + 1
DEAD = FIRST_CONTEXT_ID + 77


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("Runtime.evaluate", "contextId"),
        ("Runtime.callFunctionOn", "executionContextId"),
        ("Runtime.addBinding", "executionContextId"),
        ("Runtime.compileScript", "executionContextId"),
        ("Runtime.runScript", "executionContextId"),
        ("Runtime.globalLexicalScopeNames", "executionContextId"),
        ("DOM.resolveNode", "executionContextId"),
    ],
)
def test_a_made_up_context_goes_out_as_the_real_one(method: str, key: str) -> None:
    names = bound()
    assert names.outbound(method, {"x": 1, key: MAIN}) == {"x": 1, key: 3}
    assert names.outbound(method, {key: WORLD}) == {key: 4}
    assert names.outbound(method, {key: 9}) == {key: 9}
    dead = names.outbound(method, {key: DEAD})
    assert dead == CommandFailure("Cannot find context with specified id", -32000)


def test_unique_ids_go_out_as_real_ones_too() -> None:
    names = bound()
    main = f"{UNIQUE_ID_PREFIX}L.{MAIN}"
    for method in ("Runtime.evaluate", "Runtime.callFunctionOn"):
        assert names.outbound(method, {"uniqueContextId": main}) == {"uniqueContextId": "3.0"}
        assert names.outbound(method, {"uniqueContextId": "9.9"}) == {"uniqueContextId": "9.9"}
        dead = names.outbound(method, {"uniqueContextId": f"{UNIQUE_ID_PREFIX}L.{DEAD}"})
        assert dead == CommandFailure("invalid uniqueContextId", -32602)
    several = {"uniqueIds": [main, "9.9", f"{UNIQUE_ID_PREFIX}L.{DEAD}"]}
    blackbox = names.outbound("Debugger.setBlackboxExecutionContexts", several)
    assert blackbox == {"uniqueIds": ["3.0", "9.9"]}


def test_what_names_nothing_made_up_goes_out_untouched() -> None:
    params = {"expression": "1", "contextId": "a string of another domain"}
    assert bound().outbound("Runtime.evaluate", params) is params


@pytest.mark.parametrize(
    "method",
    ["Runtime.consoleAPICalled", "Runtime.bindingCalled", "Debugger.scriptParsed"],
)
def test_events_name_the_context_that_the_client_knows(method: str) -> None:
    names = bound()
    told = names.inbound(method, {"executionContextId": 3, "x": 1})
    assert told == [(method, {"executionContextId": MAIN, "x": 1})]
    assert names.inbound(method, {"executionContextId": 8}) == [(method, {"executionContextId": 8})]


def test_exceptions_name_it_within_their_details() -> None:
    names, thrown = bound(), {"timestamp": 1, "exceptionDetails": {"executionContextId": 4}}
    told = {"timestamp": 1, "exceptionDetails": {"executionContextId": WORLD}}
    assert names.inbound("Runtime.exceptionThrown", thrown) == [("Runtime.exceptionThrown", told)]
    assert names.inbound_result("Runtime.evaluate", thrown) == told


def test_a_context_that_is_destroyed_is_dead_for_both() -> None:
    names, method = bound(), "Runtime.executionContextDestroyed"
    told = names.inbound(method, {"executionContextId": 4, "executionContextUniqueId": "4.0"})
    unique = f"{UNIQUE_ID_PREFIX}L.{WORLD}"
    expected = {"executionContextId": WORLD, "executionContextUniqueId": unique}
    assert told == [(method, expected)]
    assert isinstance(names.outbound("Runtime.evaluate", {"contextId": WORLD}), CommandFailure)
    assert names.outbound("Runtime.evaluate", {"contextId": MAIN}) == {"contextId": 3}
    again = {"executionContextId": 4}
    assert names.inbound(method, again) == [(method, again)]


def test_a_world_of_somebody_else_with_the_same_name_keeps_its_own_id() -> None:
    names, theirs = bound(), created(6, "w")
    assert names.inbound(CREATED, theirs) == [(CREATED, theirs)]
    assert names.outbound("Runtime.evaluate", {"contextId": WORLD}) == {"contextId": 4}


def test_contexts_of_other_frames_keep_their_own_ids() -> None:
    names, theirs = bound(), created(6, default=True, frame="CHILD")
    assert names.inbound(CREATED, theirs) == [(CREATED, theirs)]


def test_contexts_are_told_again_when_the_runtime_is_enabled_again() -> None:
    names = bound()
    assert names.outbound("Runtime.disable", {}) == {}
    ((_, told),) = names.inbound(CREATED, created(3, default=True))
    assert told["context"]["id"] == MAIN
    assert told["context"]["uniqueId"] == f"{UNIQUE_ID_PREFIX}L.{MAIN}"
    assert names.inbound(CREATED, created(3, default=True)) == []


def test_a_new_document_ends_all_made_up_names() -> None:
    names = bound()
    assert not names.is_identity
    navigated = {"frame": {"id": "F", "loaderId": "NEXT", "url": "http://a/"}}
    assert names.inbound("Page.frameNavigated", navigated) == [("Page.frameNavigated", navigated)]
    assert names.is_identity
    assert isinstance(names.outbound("Runtime.evaluate", {"contextId": MAIN}), CommandFailure)


def test_a_new_document_in_a_child_frame_ends_none() -> None:
    names = bound()
    child = {"frame": {"id": "CHILD", "parentId": "F", "loaderId": "NEXT"}}
    assert names.inbound("Page.frameNavigated", child) == [("Page.frameNavigated", child)]
    assert names.outbound("Runtime.evaluate", {"contextId": MAIN}) == {"contextId": 3}


def test_contexts_that_are_cleared_are_dead_but_the_document_has_its_loader() -> None:
    names = bound()
    assert names.inbound("Runtime.executionContextsCleared", {}) != []
    assert isinstance(names.outbound("Runtime.evaluate", {"contextId": MAIN}), CommandFailure)
    told = names.inbound("Network.requestWillBeSent", {"loaderId": "REAL", "requestId": "1"})
    assert told == [("Network.requestWillBeSent", {"loaderId": "OURS", "requestId": "1"})]


def test_lifecycle_events_that_the_client_had_are_not_told_twice() -> None:
    names, method = bound(), "Page.lifecycleEvent"
    names.sent_lifecycle = {"load"}
    load = {"frameId": "F", "loaderId": "REAL", "name": "load", "timestamp": 1}
    paint = {**load, "name": "firstPaint"}
    assert names.inbound(method, load) == []
    assert names.inbound(method, paint) == [(method, {**paint, "loaderId": "OURS"})]
    child = {**load, "frameId": "CHILD", "loaderId": "THEIRS"}
    assert names.inbound(method, child) == [(method, child)]
    # It asks for them again, and has them again.
    assert names.outbound("Page.setLifecycleEventsEnabled", {"enabled": True}) == {"enabled": True}
    assert names.inbound(method, load) == [(method, {**load, "loaderId": "OURS"})]


def test_answers_name_what_the_client_knows() -> None:
    names = bound()
    made = names.inbound_result("Page.createIsolatedWorld", {"executionContextId": 4})
    assert made == {"executionContextId": WORLD}
    tree = {"frameTree": {"frame": {"id": "F", "loaderId": "REAL"}, "childFrames": []}}
    assert names.inbound_result("Page.getFrameTree", tree)["frameTree"] == {
        "frame": {"id": "F", "loaderId": "OURS"},
        "childFrames": [],
    }
    other = {"result": {"type": "undefined"}}
    assert names.inbound_result("Runtime.evaluate", other) is other


def test_a_script_is_removed_by_the_identifier_that_was_made_up() -> None:
    names = IdMap("L", "F")
    names.map_script("1", "5")
    names.map_script("2", "2")
    assert not names.is_identity
    remove = "Page.removeScriptToEvaluateOnNewDocument"
    # The browser's next identifier is one that the client has for another script.
    add = "Page.addScriptToEvaluateOnNewDocument"
    later = names.inbound_result(add, {"identifier": "1"})["identifier"]
    assert later not in ("1", "2", "5")
    assert names.outbound(remove, {"identifier": "1"}) == {"identifier": "5"}
    assert names.outbound(remove, {"identifier": later}) == {"identifier": "1"}
    assert names.is_identity
    assert names.outbound(remove, {"identifier": "2"}) == {"identifier": "2"}


def test_a_main_frame_of_another_name_is_renamed_at_any_depth() -> None:
    names = IdMap("L", "TARGET")
    names.real_frame = "FRAME"
    assert names.outbound("Page.navigate", {"frameId": "TARGET"}) == {"frameId": "FRAME"}
    told = names.inbound("Page.frameAttached", {"frameId": "CHILD", "parentFrameId": "FRAME"})
    assert told == [("Page.frameAttached", {"frameId": "CHILD", "parentFrameId": "TARGET"})]
    tree = {"frameTree": {"frame": {"id": "FRAME"}, "childFrames": [{"frame": {"id": "C"}}]}}
    shown = names.inbound_result("Page.getFrameTree", tree)["frameTree"]
    assert shown == {"frame": {"id": "TARGET"}, "childFrames": [{"frame": {"id": "C"}}]}
    assert not names.is_identity


def test_a_session_that_was_lost_takes_the_real_names_with_it() -> None:
    names = bound()
    names.forget_real_ids()
    assert isinstance(names.outbound("Runtime.evaluate", {"contextId": MAIN}), CommandFailure)
    assert names.inbound(CREATED, created(11, default=True)) == []
    assert names.outbound("Runtime.evaluate", {"contextId": MAIN}) == {"contextId": 11}
