"""Calls that something blocked are remembered, and ended with the answer."""

from __future__ import annotations

from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tools.blocked_calls import KEPT, begun, finished, resume
from pilothouse.tools.tool import Fields
from tests.tools.bench import Daemon, desk_at

BLOCKED = {"blocked_by": [{"kind": "dialog", "id": "d-1"}], "action_id": "a-1"}


async def _shape(value: Any) -> Fields:
    return {"got": value}


async def test_answer_that_nothing_blocks_is_shaped_at_once() -> None:
    desk = desk_at(Daemon())
    assert await finished(desk, "t", 5, _shape) == {"got": 5}
    assert begun(desk.seat) == {}
    assert await resume(desk) is None


async def test_blocked_call_is_kept_and_ended_once() -> None:
    daemon = Daemon(tab_result=7)
    desk = desk_at(daemon)
    assert await finished(desk, "browser_click", BLOCKED, _shape) == BLOCKED
    assert await resume(desk, tab="other") is None
    assert await resume(desk, "a-2") is None
    told = await resume(desk, "a-1")
    assert told == {"tool": "browser_click", "action_id": "a-1", "success": True, "got": 7}
    assert daemon.calls[-1][1]["again"] is True
    assert await resume(desk) is None


async def test_call_that_was_not_begun_is_not_kept() -> None:
    desk = desk_at(Daemon())
    await finished(desk, "t", {**BLOCKED, "action_id": ""}, _shape)
    assert begun(desk.seat) == {}


async def test_call_that_is_blocked_again_is_told_and_stays() -> None:
    desk = desk_at(Daemon(tab_result=[dict(BLOCKED), 7]))
    await finished(desk, "t", BLOCKED, _shape)
    told = await resume(desk)
    assert told is not None
    assert (told["success"], told["blocked_by"]) == (False, BLOCKED["blocked_by"])
    assert (await resume(desk) or {})["got"] == 7


async def test_error_of_the_call_is_its_own_answer() -> None:
    desk = desk_at(Daemon(tab_result=ToolError("it is gone", hint="look again")))
    await finished(desk, "t", BLOCKED, _shape)
    told = await resume(desk)
    assert told is not None
    assert (told["success"], told["error"], told["hint"]) == (False, "it is gone", "look again")
    assert begun(desk.seat) == {}


async def test_only_the_newest_calls_are_kept() -> None:
    desk = desk_at(Daemon())
    for number in range(KEPT + 5):
        await finished(desk, "t", {**BLOCKED, "action_id": f"a-{number}"}, _shape)
    assert len(begun(desk.seat)) == KEPT
    assert "main\na-4" not in begun(desk.seat)
