"""A session of a tab without a debugger: what it answers, command by command."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.lazy.execution_contexts import FIRST_CONTEXT_ID
from tests.relay.lazy_session_calls import (
    ADD_SCRIPT,
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


@pytest.mark.parametrize(
    "method", ["Page.enable", "Network.enable", "WebMCP.enable", "Inspector.enable", "Log.disable"]
)
def test_enabling_a_domain_is_answered_however_often(method: str) -> None:
    session = lazy()
    assert ask(session, method) == ({}, [])
    assert ask(session, method) == ({}, [])


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Runtime.evaluate", {"expression": "1"}),
        ("Page.navigate", {"url": URL}),
        ("Page.captureScreenshot", {}),
        ("Debugger.enable", {}),
        ("Nonsense.nothing", {}),
        ("Page.createIsolatedWorld", {"frameId": "of somebody else"}),
        ("Page.createIsolatedWorld", {}),
        ("Target.getTargetInfo", {"targetId": "another"}),
    ],
)
def test_anything_else_is_a_real_command(method: str, params: dict[str, Any]) -> None:
    assert lazy().answer(1, method, params) is None


def test_the_frame_tree_has_the_real_target_and_the_listed_address() -> None:
    result, _ = ask(lazy("http://example.org/a#b"), "Page.getFrameTree")
    shown = result["frameTree"]["frame"]
    assert (shown["id"], shown["url"], shown["urlFragment"]) == (TARGET, URL, "#b")
    assert "childFrames" not in result["frameTree"]
    empty, _ = ask(lazy(""), "Page.getFrameTree")
    assert empty["frameTree"]["frame"]["url"] == "about:blank"


def test_the_target_is_described_as_it_was_listed() -> None:
    result, _ = ask(lazy(), "Target.getTargetInfo")
    assert result["targetInfo"]["title"] == "A"


def test_enabling_the_runtime_tells_of_the_main_world_before_the_answer() -> None:
    session = lazy()
    result, ((method, params),) = ask(session, "Runtime.enable")
    assert (result, method) == ({}, CREATED)
    assert params["context"]["id"] == FIRST_CONTEXT_ID
    assert params["context"]["origin"] == "http://example.org"
    about = {"isDefault": True, "type": "default", "frameId": TARGET}
    assert params["context"]["auxData"] == about
    assert ask(session, "Runtime.enable") == ({}, [])
    ask(session, "Runtime.disable")
    _, again = ask(session, "Runtime.enable")
    assert again == [(method, params)]


def test_a_world_is_made_once_and_told_of_before_the_answer() -> None:
    session = lazy()
    ask(session, "Runtime.enable")
    world = {"frameId": TARGET, "worldName": "w"}
    result, ((method, params),) = ask(session, "Page.createIsolatedWorld", world)
    assert method == CREATED
    assert params["context"]["id"] == result["executionContextId"] == FIRST_CONTEXT_ID + 1
    assert params["context"]["name"] == "w"
    assert ask(session, "Page.createIsolatedWorld", world) == (result, [])
    unnamed = {"frameId": TARGET}
    first, _ = ask(session, "Page.createIsolatedWorld", unnamed)
    second, _ = ask(session, "Page.createIsolatedWorld", unnamed)
    assert first != second


def test_a_world_from_before_the_runtime_is_told_of_when_that_is_enabled() -> None:
    session = lazy()
    _, nothing = ask(session, "Page.createIsolatedWorld", {"frameId": TARGET, "worldName": "w"})
    assert nothing == []
    _, events = ask(session, "Runtime.enable")
    assert [params["context"]["name"] for _, params in events] == ["w", ""]


def test_only_a_script_that_runs_at_once_makes_its_world_now() -> None:
    session = lazy()
    ask(session, "Runtime.enable")
    script = {"source": "1", "worldName": "w"}
    _, events = ask(session, ADD_SCRIPT, script)
    assert events == []
    _, ((_, params),) = ask(session, ADD_SCRIPT, {**script, "runImmediately": True})
    assert params["context"]["name"] == "w"


def test_lifecycle_events_of_a_loaded_page_come_before_the_answer() -> None:
    session = lazy()
    _, events = ask(session, "Page.setLifecycleEventsEnabled", {"enabled": True})
    told = [params["name"] for _, params in events]
    assert told[0] == "commit"
    assert {"DOMContentLoaded", "load", "networkIdle"} <= set(told)
    tree, _ = ask(session, "Page.getFrameTree")
    assert {p["loaderId"] for _, p in events} == {tree["frameTree"]["frame"]["loaderId"]}
    assert ask(session, "Page.setLifecycleEventsEnabled", {"enabled": False}) == ({}, [])


def test_what_chrome_refuses_is_refused_in_its_words() -> None:
    session = lazy()
    refused = {"code": -32000, "message": "Script not found"}
    assert ask(session, REMOVE_SCRIPT, {"identifier": "1"})[0] == refused
    needs = {"code": -32000, "message": "DOM should be enabled first"}
    assert ask(session, "Overlay.enable")[0] == needs
    ask(session, "DOM.enable")
    assert ask(session, "Overlay.enable")[0] == {}
    assert ask(session, "CSS.enable")[0] == {}


def test_a_tab_that_goes_elsewhere_meanwhile_is_another_document() -> None:
    session = lazy()
    playwright_like(session)
    events = [(m["method"], m["params"]) for m in read(session.on_navigated("http://b/", "B"))]
    assert names(events)[:3] == [CLEARED, "Page.lifecycleEvent", "Page.frameNavigated"]
    assert events[1][1]["name"] == "init"
    assert events[2][1]["frame"]["url"] == "http://b/"
    worlds = [p["context"] for method, p in events if method == CREATED]
    assert [(w["name"], w["id"] > FIRST_CONTEXT_ID + 1) for w in worlds] == [
        ("", True),
        ("utility", True),
    ]
    assert events[-1][1]["name"] == "networkIdle"
    assert session.on_navigated("http://b/", "another title") == []
    assert ask(session, "Target.getTargetInfo")[0]["targetInfo"]["title"] == "another title"


def test_a_tab_that_only_moves_within_its_document_keeps_its_contexts() -> None:
    session = lazy()
    playwright_like(session)
    (told,) = read(session.on_navigated(URL + "#there"))
    assert told["method"] == "Page.navigatedWithinDocument"
    assert told["params"]["url"] == URL + "#there"
    attach(session, {"frame": frame(urlFragment="#there")})
    session.inbound(CREATED, created(3))
    assert session.outbound("Runtime.evaluate", {"contextId": FIRST_CONTEXT_ID}) == {"contextId": 3}


def test_who_enabled_nothing_is_told_nothing_when_the_tab_moves() -> None:
    assert lazy().on_navigated("http://b/") == []
