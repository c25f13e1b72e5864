"""Two owners in one browser: neither ever hears of the other. A short version of 2 x 50 x 1,000."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from typing import Any

import pytest

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.tabs.open_and_close_requests import CloseRequest
from pilothouse.tabs.tabs import OwnedTab
from tests.soak_extent import repeats
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_HTML = """<title>{mark} title</title><p>{mark} text</p><input id=i value="{mark} value">
<button onclick="console.log('{mark} log'); document.title = '{mark} ' + Math.random()">go</button>
<button id=ask onclick="alert('{mark} alert')">ask</button>"""
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("title", {}),
    ("url", {}),
    ("snapshot", {}),
    ("click", {"target": "text=go"}),
    ("click", {"target": "#ask"}),
    ("fill", {"target": "#i", "value": "x"}),
    ("console", {}),
    ("dialogs", {}),
    ("cookies", {}),
    ("requests", {}),
    ("frames", {}),
    ("extract", {}),
    ("storage", {}),
    ("downloads", {}),
    ("errors", {}),
    ("evaluate", {"code": "[document.cookie, localStorage.m, performance.now()]"}),
)


async def _live(room: Room, owner: str, tabs: int, calls: int, seed: int) -> str:
    """An owner at work; everything it was told."""
    told: list[str] = []
    url = room.page(_HTML.format(mark=owner))
    for number in range(tabs):
        tab = await room.open(f"{owner}{number}", owner=owner, url=url, dialogs="accept")
        await room.js(tab, f"document.cookie = '{owner}=1'; localStorage.m = '{owner}'; 0")
    chance = random.Random(seed)
    for _ in range(calls):
        tab = room.tabs.get(owner, f"{owner}{chance.randrange(tabs)}")
        verb, given = chance.choice(_CALLS)
        async with tab.lease.hold(verb, 30.0):
            try:
                told.append(json.dumps(await room.do(tab, verb, **given)))
            except PilothouseError as error:
                told.append(error.format_line())
        told.append(json.dumps([shown.describe() for shown in room.tabs.owned_by(owner)]))
    return "\n".join(told)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_random_calls_of_two_owners_tell_neither_anything_of_the_other(room: Room) -> None:
    tabs, calls = repeats(5, 50), repeats(100, 1000)
    async with asyncio.timeout(3500):
        alice, bobby = await asyncio.gather(
            _live(room, "alice", tabs, calls, 1), _live(room, "bobby", tabs, calls, 2)
        )
    targets = {
        owner: {t.tab_id: t.page.tab_context.tab.target_id for t in room.tabs.owned_by(owner)}
        for owner in ("alice", "bobby")
    }
    for told, other in ((alice, "bobby"), (bobby, "alice")):
        assert other not in told
        for tab_id, target in targets[other].items():
            assert f'"{tab_id}"' not in told
            assert target not in told
    assert alice.count("alice title") > 0
    for owner in targets:
        await room.tabs.close(owner, CloseRequest(all=True))


async def _refused(room: Room, tab: OwnedTab, verb: str, **given: Any) -> str:
    with pytest.raises(ToolError) as refused:
        await room.do(tab, verb, **given)
    return refused.value.format_line()


async def test_ids_of_another_owner_open_nothing(room: Room) -> None:
    html = "<title>theirs</title><p>secret</p>"
    theirs = await room.open(owner="them", dialogs="ask", url=room.page(html))
    mine = await room.open(owner="us", dialogs="ask", url=room.page("mine"))
    with pytest.raises(ToolError, match="there is no tab"):
        room.tabs.get("us", theirs.tab_id)
    frame = theirs.page.tab_context.tab.target_id
    for verb, given in (
        ("evaluate", {"code": "document.title", "frame_id": frame}),
        ("storage", {"frame_id": frame}),
        ("snapshot", {"root": "e1"}),
    ):
        with contextlib.suppress(ToolError):
            assert "theirs" not in json.dumps(await room.do(mine, verb, **given))
    blocked = await room.do(theirs, "evaluate", code="confirm('their secret')")
    dialog, action = blocked["blocked_by"][0]["id"], blocked["action_id"]
    told = await _refused(room, mine, "handle_dialog", dialog_id=dialog)
    assert "pending dialogs: none" in told
    assert "no dialog is open" in await _refused(room, mine, "handle_dialog")
    assert "waiting actions: none" in await _refused(room, mine, "result", action_id=action)
    assert "pending: none" in await _refused(
        room, mine, "answer", interrupt_id=dialog, action="accept"
    )
    assert await room.do(mine, "dialogs") == {
        "pending_dialogs": [],
        "recent_dialogs": [],
        "interrupts": [],
    }
    await room.do(theirs, "handle_dialog", accept=False)
    assert await room.do(theirs, "result", action_id=action) is False
    assert "there is no dialog" in await _refused(room, mine, "handle_dialog", dialog_id=dialog)
    again = await room.do(theirs, "handle_dialog", dialog_id=dialog)
    assert again["already_closed"] is True
    for owner in ("them", "us"):
        await room.tabs.close(owner, CloseRequest(all=True))
