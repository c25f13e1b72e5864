"""Navigation verbs: navigation, waits and code in the page, by name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pilothouse.asyncio_tasks import Tasks
from pilothouse.errors import ToolError, UsageError
from pilothouse.tabs.tabs import OwnedTab
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_history_is_walked_and_pages_are_loaded_again(room: Room) -> None:
    one, two = room.page("<title>one</title>"), room.page("<title>two</title>")
    tab = await room.open()
    assert (await room.do(tab, "goto", url=one))["url"] == one
    await room.do(tab, "goto", url=two, wait_until="domcontentloaded")
    await room.do(tab, "back")
    assert await room.do(tab, "title") == "one"
    await room.do(tab, "forward")
    assert await room.do(tab, "title") == "two"
    await room.js(tab, "window.kept = 1")
    await room.do(tab, "reload", ignore_cache=True)
    assert await room.js(tab, "window.kept === undefined") is True


async def test_loading_is_stopped(room: Room) -> None:
    gate = room.pages.add_slow("/slow.html", "late")
    tab = await room.show("<title>here</title>")
    tasks = Tasks()
    going = tasks.start(
        room.do(tab, "goto", url=room.pages.url("/slow.html"), timeout=20), "go somewhere slow"
    )
    await room.pages.visited("/slow.html")
    assert await room.do(tab, "stop") == {"stopped": True}
    gate.set()
    async with asyncio.timeout(30):
        await asyncio.gather(going, return_exceptions=True)
    assert await room.do(tab, "title") == "here"


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"code": "1 + 1"}, 2),
        ({"code": "return document.title"}, "js"),
        ({"code": "(a, b) => a + b", "args": [1, 2]}, 3),
        ({"code": "typeof mine", "world": "isolated"}, "undefined"),
        ({"code": "NaN"}, {"type": "number", "description": "NaN"}),
    ],
)
async def test_code_runs_in_the_page(room: Room, given: dict[str, Any], value: Any) -> None:
    tab = await room.show("<title>js</title><script>var mine = 1</script>")
    assert await room.do(tab, "evaluate", **given) == value


_LATER = """<title>w</title><p id=there>there</p><p id=leaving>leaving</p>
<button onclick="act()">act</button><script>
function act() { setTimeout(() => { leaving.remove(); document.body.append('arrived');
 location.hash = 'here'; window.ready = 1; fetch('/data.json'); window.open('/w.html') }, 50) }
</script>"""


@pytest.mark.parametrize(
    "given",
    [
        {"selector": "#there"},
        {"selector": "#leaving", "state": "detached"},
        {"selector": "text=leaving", "state": "hidden"},
        {"selector": "text/arrived"},
        {"selector": "html >> body:has-text('arrived') >> nth=0"},
        {"selector": "//p[@id='there']", "state": "attached"},
        {"text": "arrived"},
        {"text_gone": "leaving"},
        {"url": "here"},
        {"function": "window.ready"},
        {"response": "data.json"},
        {"request": "data.json"},
        {"popup": True},
        {"idle": True},
    ],
)
async def test_waits_end_when_what_is_waited_for_comes(room: Room, given: dict[str, Any]) -> None:
    room.pages.add("/data.json", "{}")
    room.pages.add("/w.html", "w")
    tab = await room.show(_LATER)
    tasks = Tasks()
    waiting = tasks.start(room.do(tab, "wait_for", timeout=20.0, **given), "wait")
    await asyncio.sleep(0)
    await room.do(tab, "click", target="button=act")
    async with asyncio.timeout(25):
        await waiting


async def test_addresses_and_answers_are_waited_for_by_their_own_names(room: Room) -> None:
    room.pages.add("/data.json", "{}")
    room.pages.add("/w.html", "w")
    tab = await room.show(_LATER)
    tasks = Tasks()
    waits = [
        tasks.start(room.do(tab, "wait_for_url", pattern="#here", timeout=20.0), "url"),
        tasks.start(room.do(tab, "wait_for_response", pattern="data.json", timeout=20.0), "answer"),
    ]
    await asyncio.sleep(0)
    await room.do(tab, "click", target="button=act")
    async with asyncio.timeout(25):
        url, answer = await asyncio.gather(*waits)
    assert url.endswith("#here")
    assert answer["status"] == 200


async def test_what_a_ref_names_may_be_waited_away(room: Room) -> None:
    tab = await room.show(_LATER)
    seen = await room.do(tab, "observe", include_all=True)
    ref = next(one["id"] for one in seen["elements"] if one["role"] == "button")
    assert (await room.do(tab, "wait_for", selector=ref))["visible"] == 1
    await room.js(tab, "document.querySelector('button').remove()")
    assert (await room.do(tab, "wait_for", selector=ref, state="detached"))["count"] == 0
    with pytest.raises(ToolError, match="is not supported in"):
        await room.do(tab, "wait_for", selector="p:visible")


async def test_wait_for_a_download_gives_its_file(room: Room) -> None:
    link = room.pages.add_download("/w.bin", b"123", "w.bin")
    tab = await room.show(f"<a href={link}>get</a>")
    tasks = Tasks()
    waiting = tasks.start(room.do(tab, "wait_for", download=True, timeout=20.0), "wait")
    await asyncio.sleep(0)
    await room.do(tab, "click", target="text=get")
    async with asyncio.timeout(25):
        assert "w.bin" in str(await waiting)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "wait_for: nothing to wait for is given"),
        ({"text": "a", "url": "b"}, "wait_for: text and url are both given"),
    ],
)
async def test_waiting_for_no_thing_or_two_is_refused(
    room: Room, given: dict[str, Any], said: str
) -> None:
    tab = await room.open()
    with pytest.raises(UsageError, match=said) as refused:
        await room.do(tab, "wait_for", **given)
    assert refused.value.hint.startswith("give one of selector, text, text_gone, url")


async def test_wait_that_ends_in_vain_says_so_in_time(room: Room) -> None:
    tab = await room.show("nothing")
    with pytest.raises(ToolError):
        await room.do(tab, "wait_for", text="never", timeout=0.2)


async def _blocked(room: Room, tab: OwnedTab) -> str:
    blocked = await room.do(tab, "evaluate", code="confirm('sure?')")
    return str(blocked["action_id"])


async def test_result_of_blocked_work_comes_once_it_is_answered(room: Room) -> None:
    tab = await room.open("asks", dialogs="ask", url=room.page("hello"))
    action = await _blocked(room, tab)
    with pytest.raises(ToolError, match=f"{action} is still running"):
        await room.do(tab, "result", action_id=action, timeout=0.1)
    await room.do(tab, "handle_dialog", accept=True)
    assert await room.do(tab, "result", action_id=action) is True
    with pytest.raises(ToolError, match="there is no action"):
        await room.do(tab, "result", action_id=action)


async def test_result_that_is_asked_for_again_tells_what_blocks_it_anew(room: Room) -> None:
    tab = await room.open("asks", dialogs="ask", url=room.page("hello"))
    blocked = await room.do(tab, "evaluate", code="[confirm('one'), confirm('two')]")
    action = blocked["action_id"]
    still = await room.do(tab, "result", action_id=action, again=True)
    assert still["blocked_by"][0]["message"] == "one"
    await room.do(tab, "handle_dialog", accept=True)
    anew = await room.do(tab, "result", action_id=action, again=True)
    assert (anew["action_id"], anew["blocked_by"][0]["message"]) == (action, "two")
    await room.do(tab, "handle_dialog", accept=False)
    assert await room.do(tab, "result", action_id=action, again=True) == [True, False]
    with pytest.raises(ToolError, match="there is no action"):
        await room.do(tab, "result", action_id=action, again=True)
