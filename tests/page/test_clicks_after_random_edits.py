"""Random edits of the page between snapshot and click: never the wrong element, never a success
for something not done."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage, show, staged
from tests.page.edited_items_page import EDITS, HTML
from tests.page.snapshot_tab import SnapshotTab, opened, refs, run
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TABS = 4
SEED = 20261116


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


async def trial(stage: Stage, page: SnapshotTab, random: Random) -> tuple[str, str]:
    """One edit and one click; how it ended, and what is wrong with it if anything is."""
    names = await run(stage, page, "reset()")
    name, kind = random.choice(names), random.choice(EDITS)
    # Half of the edits come before the click, the others while it is under way.
    after = None if random.random() < 0.4 else random.randrange(31)
    ref = refs(await page.snapshot())[name]
    what = f"{kind} after {after} ms of {name} [{ref}]"
    await run(stage, page, f"edit({json.dumps([kind, name, random.randrange(99), after])[1:-1]})")
    try:
        outcome = await page.click(ref)
    except ToolError as refused:
        said, success = refused.format_line(), False
    else:
        assert outcome.value is not None, outcome
        said, success = outcome.value.text(), outcome.value.action == "clicked"
    clicked = await run(stage, page, "clicked")
    if any(item != name for _, item in clicked):
        return "wrong", f"{what}: clicked {clicked}; {said}"
    hit = ["click", name] in clicked
    if success and not hit:
        return "false success", f"{what}: clicked {clicked}; {said}"
    if hit and not success:
        return "denied", f"{what}: clicked {clicked}; {said}"
    return ("clicked" if hit else "refused"), kind


async def trials(stage: Stage, seed: int, count: int) -> list[tuple[str, str]]:
    random = Random(seed)
    page = await opened(stage, HTML)
    return [await trial(stage, page, random) for _ in range(count)]


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_no_edit_makes_a_click_hit_another_element(stage: Stage) -> None:
    count = repeats(200, 2000)
    async with asyncio.timeout(0.25 * count):
        ended = await asyncio.gather(
            *(trials(stage, SEED + tab, count // TABS) for tab in range(TABS))
        )
    counted: Counter[str] = Counter()
    bad: list[str] = []
    for kind, what in (one for tab in ended for one in tab):
        counted[kind] += 1
        if kind in ("wrong", "false success", "denied"):
            bad.append(f"{kind}: {what}")
    show(f"random edits, seed {SEED}: {dict(counted)}")
    assert not bad, "\n".join(bad)
    # A click that is always refused would be no feat.
    assert counted["clicked"] > 0.3 * count
