"""Requests to a person, at the tabs themselves. What agents see of them: tests/tools/catalog."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import PersonHasTab, ToolError, UsageError
from pilothouse.tabs.hand_over import decide_request, list_requests, person_has, refuse_meanwhile
from pilothouse.tabs.verb import invoke, plain
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def _ask(room: Room, name: str, **more: Any) -> Any:
    tab = await room.open(name, url=room.page("<p>here</p>"))
    return tab, plain(await invoke(tab, "request_human", {"reason": f"for {name}", **more}))


async def test_requests_of_all_tabs_are_listed_with_the_oldest_first(room: Room) -> None:
    first, blocked = await _ask(room, "first")
    second, _ = await _ask(room, "second", within=60)
    assert [one["kind"] for one in blocked["blocked_by"]] == ["human"]
    listed = list_requests([second, first])
    assert [one["reason"] for one in listed] == ["for first", "for second"]
    assert listed[1]["expires_at"] - listed[1]["opened_at"] == pytest.approx(60)
    assert person_has(first)
    decide_request([first, second], listed[0]["id"], "done", "")
    decide_request([first, second], listed[1]["id"], "refuse", "no")
    assert list_requests([first, second]) == []
    assert not person_has(first)


async def test_only_the_result_and_the_list_may_be_read_meanwhile(room: Room) -> None:
    tab, blocked = await _ask(room, "held")
    refuse_meanwhile(tab, "dialogs")
    refuse_meanwhile(tab, "result")
    with pytest.raises(PersonHasTab, match="a person has the tab"):
        refuse_meanwhile(tab, "title")
    decide_request([tab], blocked["blocked_by"][0]["request"], "answer", "yes")
    result = plain(await invoke(tab, "result", {"action_id": blocked["action_id"]}))
    assert (result["outcome"], result["answer"]) == ("answered", "yes")
    refuse_meanwhile(tab, "title")


async def test_decision_that_does_not_fit_changes_nothing(room: Room) -> None:
    tab, blocked = await _ask(room, "odd")
    request = blocked["blocked_by"][0]["request"]
    with pytest.raises(UsageError, match="text: missing"):
        decide_request([tab], request, "answer", " ")
    with pytest.raises(ToolError, match="does not take 'grant'"):
        decide_request([tab], request, "grant", "")
    with pytest.raises(ToolError, match="no open request 'h-x'"):
        decide_request([tab], "h-x", "done", "")
    assert person_has(tab)
    decide_request([tab], request, "done", "")
