"""One call of a verb on an owner's tab: its lease, its time limit, and all of its answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.errors import CommandTimeout, PilothouseError, ToolError
from pilothouse.security.redaction import Redactor
from pilothouse.tabs.open_and_close_requests import CloseRequest
from pilothouse.tabs.owned_tab_and_browser import OwnedTab
from pilothouse.tabs.tab_calls import TabCalls, limit_call, verb_time_limit
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

BUTTON = "<button onclick=\"document.body.append('hello secret-word')\">Go</button>"


def _calls(room: Room, answered: list[str] | None = None) -> TabCalls:
    def explain(tab: OwnedTab, error: PilothouseError) -> PilothouseError:
        return ToolError(f"{tab.name}: {error.message}", hint=error.hint)

    return TabCalls(
        room.tabs,
        Redactor({"WORD": "secret-word"}),
        explain=explain,
        on_answer=lambda: (answered if answered is not None else []).append("answered"),
    )


async def _clicked(calls: TabCalls, diff: bool = True) -> Any:
    def diff_if(receipt: Any) -> bool:
        return diff

    return await calls.perform("me", "click", {"tab": "calls", "target": "button"}, diff_if)


async def test_the_answer_has_the_changed_lines_without_secrets(room: Room) -> None:
    await room.open("calls", url=room.page(BUTTON))
    answered: list[str] = []
    calls = _calls(room, answered)
    await calls.perform("me", "snapshot", {"tab": "calls"})
    receipt = await _clicked(calls)
    assert [line for line in receipt["diff"] if "hello [secret WORD]" in line]
    assert len(answered) == 2
    assert "diff" not in await _clicked(calls, diff=False)


async def test_the_changed_lines_are_read_before_another_call_acts(room: Room) -> None:
    await room.open("calls", url=room.page(BUTTON))
    calls = _calls(room)
    await calls.perform("me", "snapshot", {"tab": "calls"})
    code = "document.body.append('from another call')"
    # The second call waits for the lease that the first one takes at once.
    receipt, _ = await asyncio.gather(
        _clicked(calls), calls.perform("me", "evaluate", {"tab": "calls", "code": code})
    )
    assert "hello" in str(receipt["diff"])
    assert "from another call" not in str(receipt["diff"])


async def test_an_error_is_explained_and_has_no_secrets(room: Room) -> None:
    await room.open("calls", url=room.page("empty"))
    with pytest.raises(ToolError, match=r"^calls: ") as caught:
        await _calls(room).perform(
            "me", "click", {"tab": "calls", "target": "#secret-word", "timeout": 1}
        )
    assert "secret-word" not in caught.value.message + caught.value.hint
    with pytest.raises(ToolError, match="there is no tab"):
        await _calls(room).perform("someone else", "click", {"tab": "calls", "target": "button"})


async def test_open_dialogs_are_found_in_the_state(room: Room) -> None:
    calls = _calls(room)
    await room.open("calls", dialogs="ask", url=room.page("here"))
    await room.open("asks", dialogs="ask", url=room.page("there"))
    assert calls.tab_with_dialog("me", "calls") == "calls"
    assert (calls.pending("me", "asks").dialogs, calls.interrupt_ids("me")) == ([], set())
    await calls.perform("me", "evaluate", {"tab": "asks", "code": "prompt('secret-word?')"})
    (dialog,) = calls.pending("me", "asks").dialogs
    assert dialog["message"] == "[secret WORD]?"
    assert calls.interrupt_ids("me") == {dialog["id"]}
    assert calls.tab_with_dialog("me", "calls") == "asks"
    assert calls.tab_with_dialog("me", "calls", dialog["id"]) == "asks"
    assert calls.tab_with_dialog("me", "calls", "d-none") == "calls"
    assert calls.interrupt_ids("someone else") == set()
    with pytest.raises(ToolError, match="there is no tab"):
        calls.tab_with_dialog("someone else", "asks")
    await calls.perform("me", "handle_dialog", {"tab": "asks"})


async def test_what_a_caller_keeps_with_a_blocked_call_ends_with_it_or_with_its_tab(
    room: Room,
) -> None:
    calls = _calls(room)
    ask = {"tab": "asks", "code": "confirm('sure?')"}
    tab = await room.open("asks", dialogs="ask", url=room.page("there"))
    action = (await calls.perform("me", "evaluate", ask))["action_id"]
    calls.keep_with_blocked("me", "asks", action, "a call")
    assert calls.blocked_calls("me", tab.tab_id) == {action: "a call"}
    assert calls.blocked_calls("someone else", "asks") == {}
    await calls.perform("me", "handle_dialog", {"tab": "asks"})
    assert await calls.perform("me", "result", {"tab": "asks", "action_id": action}) is True
    assert calls.blocked_calls("me", "asks") == {}
    action = (await calls.perform("me", "evaluate", ask))["action_id"]
    calls.keep_with_blocked("me", "asks", action, "a call")
    await room.tabs.close("me", CloseRequest("asks"))
    await room.open("asks", url=room.page("there"))
    assert calls.blocked_calls("me", "asks") == {}


async def test_notices_are_told_once_with_the_names_of_tabs(room: Room) -> None:
    calls = _calls(room)
    tab = await room.open("calls", url=room.page("here"))
    tab.supervisor.add_notice(tab.key, f"{tab.tab_id} has secret-word")
    assert calls.pending("me", "calls").notices == ["calls has [secret WORD]"]
    assert calls.take_notices("me", "calls") == []


@pytest.mark.parametrize("name", ["click", "goto", "nothing"])
async def test_the_callers_timeout_is_the_limit_and_thirty_seconds_without_one(name: str) -> None:
    assert verb_time_limit(name, {"timeout": 7}) == 7.0
    assert verb_time_limit(name, {}) == 30.0
    assert verb_time_limit(name, {"timeout": 300}) == 300.0
    assert verb_time_limit(name, {"timeout": "soon"}) is None
    for wrong in (float("nan"), 1000):
        with pytest.raises(ToolError, match="timeout"):
            verb_time_limit(name, {"timeout": wrong})


async def test_a_call_that_takes_longer_is_told_as_a_timeout() -> None:
    with pytest.raises(CommandTimeout, match=r"the call tab\.click did not end within 0\.01 s"):
        async with limit_call("tab.click", 0.01):
            await asyncio.Event().wait()
    with pytest.raises(TimeoutError, match="its own"):
        async with limit_call("tab.click", 5):
            raise TimeoutError("its own")
