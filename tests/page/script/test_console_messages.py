"""The console of a tab on a real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.script.console_messages import PageConsole
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def console_of(stage: Stage, spot_name: str = "main") -> tuple[PageConsole, str]:
    spot = await stage.go(spot_name)
    return PageConsole(TabContext(stage.sup, spot.tab)), spot.frame_id


async def until(stage: Stage, frame: str, fits: Callable[[], bool]) -> None:
    """Until something was said; the page is asked meanwhile, so that its events come."""
    async with asyncio.timeout(WITHIN_S):
        while not fits():
            await stage.value(frame, "new Promise(r => setTimeout(r, 10))")


def said(console: PageConsole, source: str = "", **asked: Any) -> list[tuple[str, str]]:
    return [
        (line["level"], line["text"])
        for line in console.entries(**asked)["entries"]
        if source in ("", line["source"])
    ]


async def test_what_a_page_says_is_put_into_words(stage: Stage) -> None:
    console, frame = await console_of(stage)
    since = console.next_seq
    await stage.value(
        frame,
        "console.log('a', 1, true, null, undefined, {b: 'c', d: [1]}, [1, 'x']);"
        "console.info('%s is %d %%', 'x', 5, 'more'); console.debug(new Map([[1, 'one']]));"
        "console.warn(Symbol('s'), 10n, NaN); console.assert(false, 'no'); 0",
    )
    assert said(console, "console", since=since) == [
        ("info", 'a 1 true null undefined {b: "c", d: Array(1)} [1, "x"]'),
        ("info", "x is 5 % more"),
        ("debug", 'Map(1) {1 => "one"}'),
        ("warning", "Symbol(s) 10n NaN"),
        ("error", "no"),
    ]
    assert [level for level, _ in said(console, "console", since=since, level="warning")] == [
        "warning",
        "error",
    ]


async def test_uncaught_error_has_its_stack(stage: Stage) -> None:
    console, frame = await console_of(stage)
    script = "setTimeout(() => (function deep() { throw new Error('thrown') })()); 0"
    await stage.value(frame, script)
    await until(stage, frame, lambda: bool(said(console, level="error")))
    line = console.entries(level="error")["entries"][-1]
    assert line["source"] == "exception"
    assert line["text"].startswith("Error: thrown")
    assert line["stack"][0]["function"] == "deep"


async def test_frames_and_workers_of_the_tab_are_heard(stage: Stage) -> None:
    console, frame = await console_of(stage, "oopif")
    stage.pages.add("/says.js", "console.log('from a worker')")
    await stage.value(frame, "console.log('from a frame'); window.w = new Worker('/says.js'); 0")
    both = {("info", "from a frame"), ("info", "from a worker")}
    await until(stage, frame, lambda: both <= set(said(console)))
    found = [(line["text"], line["where"]) for line in console.entries()["entries"]]
    assert found.count(("from a frame", "iframe")) == 1
    assert [where for text, where in found if text == "from a worker"] == ["worker"]


async def test_what_the_browser_complains_about_is_there(stage: Stage) -> None:
    console, frame = await console_of(stage)
    await stage.value(frame, "fetch('/nowhere.json').then(r => r.status)")
    await until(stage, frame, lambda: bool(said(console, level="error")))
    assert any("404" in text for _, text in said(console, level="error"))


async def test_reading_goes_on_where_it_ended_and_says_what_was_lost(stage: Stage) -> None:
    console, frame = await console_of(stage)
    since = console.next_seq
    await stage.value(frame, "for (let i = 0; i < 10; i++) console.log(i); 0")
    first = console.entries(since=since, limit=4)
    rest = console.entries(since=first["next_seq"])
    texts = [line["text"] for line in first["entries"] + rest["entries"]]
    assert texts == [str(n) for n in range(10)]
    assert console.entries(since=rest["next_seq"])["entries"] == []
    assert [line["text"] for line in console.entries(limit=2)["entries"]] == ["8", "9"]
    await stage.value(frame, "for (let i = 0; i < 600; i++) console.log(i); 0")
    late = console.entries(since=rest["next_seq"], limit=500)
    assert (late["dropped"], len(late["entries"]), late["entries"][-1]["text"]) == (100, 500, "599")


async def test_long_lines_are_cut(stage: Stage) -> None:
    console, frame = await console_of(stage)
    await stage.value(frame, "console.log('x'.repeat(1000000)); 0")
    assert len(console.entries(limit=1)["entries"][0]["text"]) == 8 * 1024


async def test_tabs_do_not_hear_each_other_and_closed_ones_are_forgotten(stage: Stage) -> None:
    one, frame = await console_of(stage)
    two, _ = await console_of(stage)
    await stage.value(frame, "console.log('mine'); 0")
    assert said(one, "console") == [("info", "mine")]
    assert said(two, "console") == []
    await stage.clear()
    assert said(one) == []


@pytest.mark.parametrize("asked", [{"level": "loud"}, {"limit": 0}, {"limit": 501}, {"since": -1}])
async def test_question_without_sense_is_refused(stage: Stage, asked: dict[str, Any]) -> None:
    console, _ = await console_of(stage)
    with pytest.raises(ToolError) as refused:
        console.entries(**asked)
    assert refused.value.hint
