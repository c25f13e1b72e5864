"""The one gate in front of all tools: what is checked, in which order, and how it answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from pilothouse.errors import ToolError
from pilothouse.tools.context import DaemonCall, ToolContext, ToolSession
from pilothouse.tools.gate import Gate
from pilothouse.tools.tool import Fields, Tool, ToolFlags, tool_from_function
from tests.tools.fake_tool_context import Daemon

BLOCKED: dict[str, Any] = {
    "blocked_by": [{"kind": "dialog", "id": "d-1", "type": "alert", "message": "stop"}],
    "action_id": "a-1",
}


async def look(context: ToolContext, at: str = "") -> Fields:
    """Look."""
    match at:
        case "refused":
            raise ToolError("no", hint="yes")
        case "slow":
            raise TimeoutError
        case "broken":
            raise KeyError("x")
        case "blocked":
            return dict(BLOCKED)
        case "chooser":
            blocker = {"kind": "auth", "id": "i-1", "answers": ["provide", "cancel"]}
            return {"blocked_by": [blocker], "action_id": ""}
        case "own":
            return {"success": False, "error": "by itself"}
        case "batch":
            return {"inner": await context.use("look", {"at": "refused"})}
    return {"saw": at, "tab": context.tab}


def _gate(daemon: Daemon | None = None, **more: Any) -> Gate:
    found = daemon or Daemon()
    tools: dict[str, Tool] = {"look": tool_from_function(look, "eyes", ToolFlags())}

    def call(owner: str) -> DaemonCall:
        return found.call

    return Gate(tools, found, call, **more)


async def _use(at: str = "", **more: Any) -> dict[str, Any]:
    return await _gate(**more).use(ToolSession("me"), "look", {"at": at})


async def test_answer_is_success_with_the_fields() -> None:
    answer = await _gate().use(ToolSession("me", tab="shop"), "look", {"at": "it"})
    assert answer == {"success": True, "saw": "it", "tab": "shop"}
    answer = await _gate().use(ToolSession("me", tab="shop"), "look", {"tab": "other"})
    assert answer["tab"] == "other"


async def test_unknown_tool_is_told_with_the_nearest() -> None:
    answer = await _gate().use(ToolSession("me"), "lok", {})
    assert answer == {
        "success": False,
        "error": "unknown tool 'lok'",
        "hint": "did you mean look?",
    }
    assert (await _gate().use(ToolSession("me"), "zzz", {}))[
        "hint"
    ] == "call a tool from the tool list"


async def test_tool_that_is_off_is_not_even_checked() -> None:
    asked: list[str] = []

    def switch(session: ToolSession, tool: Tool) -> tuple[str, str] | None:
        asked.append(tool.name)
        return "you said so", "say otherwise"

    gate = _gate(switch=switch)
    answer = await gate.use(ToolSession("me"), "look", {"nonsense": 1})
    assert answer["error"] == "look is off: you said so"
    assert answer["hint"] == "say otherwise"
    await gate.use(ToolSession("me"), "look", {})
    assert asked == ["look", "look"]  # each time anew


async def test_bad_arguments_are_refused_before_anything_is_done() -> None:
    daemon = Daemon()
    answer = await _gate(daemon).use(ToolSession("me"), "look", {"att": 1})
    assert answer["error"] == "look: unknown parameter 'att'"
    assert answer["hint"] == "did you mean at?"
    assert daemon.calls == []


@pytest.mark.parametrize(
    ("at", "error", "hint"),
    [
        ("refused", "no", "yes"),
        ("slow", "look took too long", "the browser is slow or gone; try again"),
        (
            "broken",
            "look failed: internal error",
            "this is a bug in Pilothouse: run `pilothouse daemon logs` for the details",
        ),
    ],
)
async def test_errors_are_answers(at: str, error: str, hint: str) -> None:
    answer = await _use(at)
    assert answer == {"success": False, "error": error, "hint": hint}


async def test_blocked_work_says_what_blocks_it_and_how_to_go_on() -> None:
    answer = await _use("blocked")
    assert answer["success"] is False
    assert answer["error"] == "blocked by a dialog (alert)"
    assert "browser_dialog (dialog_id d-1): that gives this call's result" in answer["hint"]
    assert (answer["blocked_by"], answer["action_id"]) == (BLOCKED["blocked_by"], "a-1")
    other = await _use("chooser")
    assert other["error"] == "blocked by auth i-1"
    assert other["hint"] == "answer i-1 with browser_interrupt (provide, cancel): then call again"


async def test_tool_may_say_itself_that_it_failed() -> None:
    assert await _use("own") == {"success": False, "error": "by itself"}


async def test_tools_call_tools_through_the_same_gate() -> None:
    assert (await _use("batch"))["inner"] == {"success": False, "error": "no", "hint": "yes"}


async def test_dialogs_that_wait_are_told_beside_any_answer() -> None:
    waiting = [{"id": "d-1"}]
    daemon = Daemon(pending=waiting)
    assert (await _gate(daemon).use(ToolSession("me"), "look", {}))["pending_dialogs"] == waiting
    gone = Daemon(pending=ToolError("no tab", hint=""))
    assert "pending_dialogs" not in await _gate(gone).use(ToolSession("me"), "look", {})


async def test_notices_come_with_the_next_answer_once() -> None:
    gate, session = _gate(), ToolSession("me")
    session.notices.append("a server left")
    assert (await gate.use(session, "lok", {}))["notices"] == ["a server left"]
    assert "notices" not in await gate.use(session, "lok", {})


@pytest.mark.parametrize("brought", [{"source": "plugin x"}, {"flags": ToolFlags(outside=True)}])
async def test_what_comes_from_outside_the_browser_is_redacted(brought: dict[str, Any]) -> None:
    def redact(answer: Any) -> Any:
        return dict.fromkeys(answer, "***")

    gate = _gate(redact=redact)
    gate.tools = {"look": replace(gate.tools["look"], **brought)}
    session = ToolSession("me")
    assert (await gate.use(session, "look", {"at": "it"}))["saw"] == "***"
    assert (await gate.use(session, "look", {"at": "refused"}))["error"] == "***"
    assert (await gate.use(session, "none", {}))["error"] == "***"


async def test_faults_are_redacted_and_what_calls_said_is_not_again() -> None:
    def redact(answer: Any) -> Any:
        return dict.fromkeys(answer, "***")

    assert (await _use("it", redact=redact))["saw"] == "it"
    assert (await _use("broken", redact=redact))["error"] == "***"


async def _plugin(answered: Any) -> dict[str, Any]:
    """The answer of a plugin's tool that returns this, or raises it."""

    async def odd(context: ToolContext) -> Any:
        """Answer with something odd."""
        if isinstance(answered, Exception):
            raise answered
        return answered

    tool = tool_from_function(odd, "weather", ToolFlags(tab=False), "weather")
    gate = Gate({"odd": tool}, Daemon(), lambda owner: Daemon().call)
    return await gate.use(ToolSession("me"), "odd", {})


@pytest.mark.parametrize(
    ("answered", "error"),
    [
        (None, "odd returned nothing; expected a dict of fields"),
        ([1], "odd returned a list; expected a dict of fields"),
        (KeyError("city"), "odd failed: weather raised KeyError: 'city'"),
        (ValueError(), "odd failed: weather raised ValueError"),
    ],
)
async def test_a_plugin_that_fails_is_named_with_what_it_did(answered: Any, error: str) -> None:
    answer = await _plugin(answered)
    assert (answer["success"], answer["error"]) == (False, error)
    assert answer["hint"]


@pytest.mark.parametrize(
    "fields",
    [
        {"notices": 5, "trusted": 5, "links": 5, "images": [1]},
        {"blocked_by": [], "action_id": ""},
        {"blocked_by": "me", "action_id": 1},
        {"blocked_by": [{"kind": "dialog"}], "action_id": ""},
        {"interrupted": {"trusted": 5}, "untrusted": object()},
        {"when": float("inf"), "who": "\ud800", 5: b"bytes"},
    ],
)
async def test_odd_fields_of_a_plugin_are_answered(fields: dict[Any, Any]) -> None:
    answer = await _plugin(fields)
    assert answer["success"] is True
    json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
