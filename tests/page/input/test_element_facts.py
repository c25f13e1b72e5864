"""Plain facts about elements."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.input.element_facts import FACTS
from pilothouse.page.page import Page
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.snapshot_tab import opened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

HTML = """<h1 id=h>Hello  there</h1><input id=i value=five data-x=1><button disabled>Off</button>
<input type=checkbox id=c checked><p id=gone style="display:none">hidden</p>
<iframe srcdoc="<button>Inner</button>"></iframe>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(stage: Stage) -> Page:
    return Page(stage.sup, (await opened(stage, HTML)).tab)


@pytest.mark.parametrize(
    ("target", "what", "wanted"),
    [
        ("#h", "text", "Hello there"),
        ("#i", "value", "five"),
        ("button=Off", "enabled", False),
        ("#i", "enabled", True),
        ("#c", "checked", True),
        ("#gone", "visible", False),
        ("#h", "visible", True),
        ("#never", "visible", False),
        ("#never", "count", 0),
        ("input", "count", 2),
        ("button=Inner", "text", "Inner"),
    ],
)
async def test_facts_are_told_as_they_are(page: Page, target: str, what: str, wanted: Any) -> None:
    outcome = await page.inspect(target, what)
    assert (outcome.blocked_by, outcome.value) == ((), wanted)


async def test_words_of_scripts_and_styles_are_nobodys_text(stage: Stage) -> None:
    page = Page(
        stage.sup,
        (
            await opened(
                stage,
                "<p>Buy<script>'secret'</script></p><style>/* secret */</style>"
                "<script>/* only here, Buy */</script>",
            )
        ).tab,
    )
    assert (await page.inspect("text=secret", "count")).value == 0
    assert (await page.inspect("text=only here", "count")).value == 0
    assert (await page.inspect("text=Buy", "count")).value == 1
    assert (await page.inspect('text="Buy"', "count")).value == 1


async def test_a_ref_counts_as_one_or_none(page: Page) -> None:
    taken = await page.snapshot()
    ref = next(node.ref for top in taken.nodes for node in top.walk() if node.role == "textbox")
    assert (await page.inspect(ref, "count")).value == 1
    assert (await page.inspect("e99999", "count")).value == 0


async def test_attributes_styles_boxes_and_html_are_told(page: Page) -> None:
    assert (await page.inspect("#i", "attr", "data-x")).value == "1"
    assert (await page.inspect("#i", "attr", "data-y")).value is None
    assert (await page.inspect("#gone", "styles", ["display"])).value == {"display": "none"}
    html = (await page.inspect("#h", "html")).value
    assert html == '<h1 id="h">Hello  there</h1>'
    box = (await page.inspect("#h", "box")).value
    assert box is not None
    assert box["width"] > 100


async def test_bad_questions_name_what_is_wrong(page: Page) -> None:
    for target, what, words in (
        ("#h", "colour", "colour"),
        ("#h", "attr", "attr needs the name"),
        ("10,20", "text", "a point"),
        ("#never", "text", "matches nothing"),
        ("input", "value", "matches 2 elements"),
    ):
        with pytest.raises(ToolError, match=words):
            await page.inspect(target, what)
    assert "count" in FACTS


@pytest.mark.parametrize("target", ["//[", "["])
@pytest.mark.parametrize("what", ["count", "text"])
async def test_a_selector_that_is_not_valid_is_named(page: Page, target: str, what: str) -> None:
    with pytest.raises(ToolError, match="is not a valid selector") as refused:
        await page.inspect(target, what)
    assert refused.value.hint
