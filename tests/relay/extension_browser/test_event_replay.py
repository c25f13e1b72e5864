"""What a newcomer must hear again."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pilothouse.relay.extension_browser.event_replay import LIFECYCLE, MAX_SCRIPTS, EventHistory


def note(memory: EventHistory, method: str, **params: Any) -> None:
    memory.record(method, msgspec.Raw(json.dumps(params).encode()))


def told(memory: EventHistory, what: str) -> list[Any]:
    return [json.loads(bytes(raw)) for _, raw in memory.replay(what)]


def test_worlds_live_until_they_are_destroyed_or_all_cleared() -> None:
    memory = EventHistory()
    for number in (1, 2):
        context = {"id": number, "uniqueId": f"u{number}"}
        note(memory, "Runtime.executionContextCreated", context=context)
    note(memory, "Runtime.executionContextDestroyed", executionContextId=1)
    assert [e["context"]["uniqueId"] for e in told(memory, "Runtime")] == ["u2"]
    note(memory, "Runtime.executionContextsCleared")
    assert told(memory, "Runtime") == []


def test_load_states_are_those_of_the_present_document() -> None:
    memory = EventHistory()
    for name in ("init", "load", "init", "DOMContentLoaded"):
        note(memory, "Page.lifecycleEvent", frameId="F", name=name)
    assert [e["name"] for e in told(memory, LIFECYCLE)] == ["init", "DOMContentLoaded"]
    note(memory, "Page.frameDetached", frameId="F")
    assert told(memory, LIFECYCLE) == []


def test_a_navigation_of_the_main_frame_forgets_all_other_frames() -> None:
    memory = EventHistory()
    for frame in ("MAIN", "F"):
        note(memory, "Page.lifecycleEvent", frameId=frame, name="init")
    note(memory, "Page.frameNavigated", frame={"id": "X", "parentId": "MAIN"})
    assert len(told(memory, LIFECYCLE)) == 2
    note(memory, "Page.frameNavigated", frame={"id": "MAIN"})
    assert [e["frameId"] for e in told(memory, LIFECYCLE)] == ["MAIN"]


def test_scripts_go_with_their_world_and_are_bounded() -> None:
    memory = EventHistory()
    for number in range(MAX_SCRIPTS + 5):
        world = 1 if number % 2 else 2
        note(memory, "Debugger.scriptParsed", scriptId=str(number), executionContextId=world)
    assert len(told(memory, "Debugger")) == MAX_SCRIPTS
    note(memory, "Runtime.executionContextDestroyed", executionContextId=1)
    assert {e["executionContextId"] for e in told(memory, "Debugger")} == {2}


def test_a_pause_is_told_again_until_it_ends() -> None:
    memory = EventHistory()
    note(memory, "Debugger.paused", reason="other")
    assert told(memory, "Debugger") == [{"reason": "other"}]
    assert memory.is_paused()
    note(memory, "Debugger.resumed")
    assert told(memory, "Debugger") == []


def test_style_sheets_are_told_until_they_are_removed() -> None:
    memory = EventHistory()
    for number in ("1", "2"):
        note(memory, "CSS.styleSheetAdded", header={"styleSheetId": number})
    note(memory, "CSS.styleSheetRemoved", styleSheetId="1")
    assert told(memory, "CSS") == [{"header": {"styleSheetId": "2"}}]
    memory.forget("CSS")
    assert told(memory, "CSS") == []


def test_log_entries_are_not_told_again() -> None:
    memory = EventHistory()
    note(memory, "Log.entryAdded", entry={})
    assert told(memory, "Log") == []
