"""What went on: dialogs, interrupts, console and requests, by name."""

from __future__ import annotations

import pytest

from pilothouse.errors import NotPermitted, ToolError
from pilothouse.tabs.hand_over import decide_request
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_dialogs_are_listed_answered_and_remembered(room: Room) -> None:
    tab = await room.open("asks", dialogs="ask", url=room.page("hello"))
    await room.do(tab, "evaluate", code="prompt('name?', 'x')")
    (pending,) = (await room.do(tab, "dialogs"))["pending_dialogs"]
    assert (pending["type"], pending["message"]) == ("prompt", "name?")
    answered = await room.do(tab, "handle_dialog", text="me", dialog_id=pending["id"])
    assert answered["closed"]["text"] == "me"
    told = await room.do(tab, "dialogs")
    assert told["pending_dialogs"] == []
    assert told["recent_dialogs"][-1]["id"] == pending["id"]
    with pytest.raises(ToolError, match="no dialog is open"):
        await room.do(tab, "handle_dialog")


async def test_other_interrupts_are_answered_by_id(room: Room) -> None:
    url = room.pages.add_protected("/secret.html", "<title>inside</title>", "user", "pass")
    tab = await room.open("asks", dialogs="ask")
    blocked = await room.do(tab, "goto", url=url)
    (wanted,) = blocked["blocked_by"]
    assert wanted["kind"] == "auth"
    with pytest.raises(ToolError, match="does not take"):
        await room.do(tab, "answer", interrupt_id=wanted["id"], action="whatever")
    detail = {"username": "user", "password": "pass"}
    action = next(answer for answer in wanted["answers"] if answer != "cancel")
    given = {"interrupt_id": wanted["id"], "action": action, "detail": detail}
    assert await room.do(tab, "answer", **given) == {"answered": wanted["id"]}
    await room.do(tab, "result", action_id=blocked["action_id"])
    assert await room.do(tab, "title") == "inside"
    with pytest.raises(ToolError, match="there is no interrupt"):
        await room.do(tab, "answer", **given)


async def test_a_request_to_a_person_is_an_interrupt_that_no_answer_of_an_agent_ends(
    room: Room,
) -> None:
    tab = await room.open("asks a person", url=room.page("hello"))
    blocked = await room.do(tab, "request_human", reason="Please look", within=60)
    (wanted,) = (await room.do(tab, "dialogs"))["interrupts"]
    assert (wanted["kind"], wanted["reason"]) == ("human", "Please look")
    with pytest.raises(NotPermitted, match="waits for a person"):
        await room.do(tab, "answer", interrupt_id=wanted["id"], action="done")
    decide_request([tab], wanted["request"], "answer", "I did")
    ended = await room.do(tab, "result", action_id=blocked["action_id"])
    assert (ended["outcome"], ended["answer"]) == ("answered", "I did")


async def test_console_and_errors_tell_what_the_page_said(room: Room) -> None:
    tab = await room.show("<script>console.log('hi'); console.error('oh'); missing()</script>")
    texts = str((await room.do(tab, "console"))["entries"])
    assert "hi" in texts
    assert "oh" in texts
    worse = await room.do(tab, "errors")
    assert "missing" in str(worse["entries"])
    assert "hi" not in str(worse["entries"])
    with pytest.raises(ToolError, match="level:"):
        await room.do(tab, "console", level="loud")


async def test_requests_are_listed_read_and_written_as_har(room: Room) -> None:
    room.pages.add("/data.json", '{"n": 1}')
    tab = await room.show("<title>r</title>")
    await room.js(tab, "fetch('/data.json').then(r => r.json())")
    listed = await room.do(tab, "requests", url="data.json")
    assert (listed["total"], listed["dropped"]) == (1, 0)
    (entry,) = listed["requests"]
    whole = await room.do(tab, "request", id=str(entry["id"]), body=True)
    assert whole["url"].endswith("/data.json")
    assert "body" in whole
    har = await room.do(tab, "har", url="data.json")
    assert len(har["log"]["entries"]) == 1
    assert (await room.do(tab, "requests", limit=1))["total"] >= 2
    with pytest.raises(ToolError):
        await room.do(tab, "request", id="r99999")


async def test_routes_block_mock_and_change_requests_until_taken_back(room: Room) -> None:
    room.pages.add("/real.txt", "real")
    tab = await room.show("<title>r</title>")
    fetch = "fetch('/real.txt').then(r => r.text()).catch(e => 'blocked')"
    blocking = await room.do(tab, "route", pattern="**/real.txt")
    assert await room.js(tab, fetch) == "blocked"
    assert len(await room.do(tab, "routes")) == 1
    assert await room.do(tab, "unroute", id=blocking["id"]) == {"removed": 1}
    mock = {"pattern": "**/real.txt", "action": "mock", "body": "false", "status": 200}
    await room.do(tab, "route", **mock, times=1)
    assert await room.js(tab, fetch) == "false"
    assert await room.js(tab, fetch) == "real"
    change = {"pattern": "**/real.txt", "action": "continue", "headers": {"X-Ours": "1"}}
    await room.do(tab, "route", **change)
    await room.js(tab, fetch)
    sent = room.pages.visits_to("/real.txt")[-1].headers
    assert {name.lower(): value for name, value in sent.items()}["x-ours"] == "1"
    await room.do(tab, "unroute")
    assert await room.do(tab, "routes") == []
    with pytest.raises(ToolError, match="action: unknown value 'explode'"):
        await room.do(tab, "route", pattern="*", action="explode")


async def test_chooser_takes_only_files_that_may_be_read(room: Room) -> None:
    tab = await room.open("asks", dialogs="ask", url=room.page("<input type=file id=f>"))
    await room.do(tab, "click", target="#f")
    (chooser,) = (await room.do(tab, "dialogs"))["interrupts"]
    given = {"interrupt_id": chooser["id"], "action": "upload"}
    with pytest.raises(ToolError, match="outside the allowed"):
        await room.do(tab, "answer", **given, detail={"files": ["/etc/hostname"]})
    (room.files / "mine.txt").write_text("x")
    await room.do(tab, "answer", **given, detail={"files": str(room.files / "mine.txt")})
    name = "document.querySelector('#f').files[0]?.name"
    await room.do(tab, "wait_for", function=name)
    assert await room.do(tab, "evaluate", code=name) == "mine.txt"
