"""Calls that something blocked are remembered, and ended with the answer."""

from __future__ import annotations

from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tools.blocked_calls import blocked_calls, finish_call, resume
from pilothouse.tools.tool import Fields
from tests.tools.fake_tool_context import Daemon, context_for

BLOCKED = {"blocked_by": [{"kind": "dialog", "id": "d-1"}], "action_id": "a-1"}


async def _shape(value: Any) -> Fields:
    return {"got": value}


async def test_answer_that_nothing_blocks_is_shaped_at_once() -> None:
    context = context_for(Daemon())
    assert await finish_call(context, "t", 5, _shape) == {"got": 5}
    assert blocked_calls(context) == {}
    assert await resume(context) is None


async def test_blocked_call_is_kept_and_ended_once() -> None:
    daemon = Daemon(tab_result=7)
    context = context_for(daemon)
    assert await finish_call(context, "browser_click", BLOCKED, _shape) == BLOCKED
    assert await resume(context, tab="other") is None
    assert await resume(context, "a-2") is None
    told = await resume(context, "a-1")
    assert told == {"tool": "browser_click", "action_id": "a-1", "success": True, "got": 7}
    assert daemon.calls[-1][1]["again"] is True
    assert await resume(context) is None


async def test_call_that_was_not_begun_is_not_kept() -> None:
    context = context_for(Daemon())
    await finish_call(context, "t", {**BLOCKED, "action_id": ""}, _shape)
    assert blocked_calls(context) == {}


async def test_call_that_is_blocked_again_is_told_and_stays() -> None:
    context = context_for(Daemon(tab_result=[dict(BLOCKED), 7]))
    await finish_call(context, "t", BLOCKED, _shape)
    told = await resume(context)
    assert told is not None
    assert (told["success"], told["blocked_by"]) == (False, BLOCKED["blocked_by"])
    assert (await resume(context) or {})["got"] == 7


async def test_error_of_the_call_is_its_own_answer() -> None:
    context = context_for(Daemon(tab_result=ToolError("it is gone", hint="look again")))
    await finish_call(context, "t", BLOCKED, _shape)
    told = await resume(context)
    assert told is not None
    assert (told["success"], told["error"], told["hint"]) == (False, "it is gone", "look again")
    assert blocked_calls(context) == {}


async def test_call_of_another_session_and_one_before_a_reset_are_not_resumed() -> None:
    daemon = Daemon(tab_result=7)
    context, other = context_for(daemon), context_for(daemon)
    await finish_call(context, "t", BLOCKED, _shape)
    assert await resume(other) is None
    context.session.memory.clear()
    assert await resume(context) is None
