"""Printing to PDF: lengths without a browser, files with a real Chromium."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.page.media.pdf import PdfOptions, PdfPrinter, inches, paper_size
from pilothouse.page.tab_context import TabContext
from tests.browser.browser_with_dialog_places import Stage, staged


@pytest.mark.parametrize(
    ("length", "wanted"), [(0.5, 0.5), ("1in", 1), ("25.4 mm", 1), ("2.54cm", 1), ("96px", 1)]
)
def test_lengths_are_inches_or_have_a_unit(length: float | str, wanted: float) -> None:
    assert inches(length, "margins") == pytest.approx(wanted)


@pytest.mark.parametrize("length", [-1, "wide", "1 mile", ""])
def test_what_is_no_length_is_refused_by_field(length: float | str) -> None:
    with pytest.raises(ToolError, match="margins"):
        inches(length, "margins")


def test_paper_has_a_name_or_two_sides() -> None:
    assert paper_size("Letter") == (8.5, 11.0)
    assert paper_size(("1in", 2)) == (1.0, 2.0)
    for wrong in ("b17", (0, 1)):
        with pytest.raises(ToolError, match="paper"):
            paper_size(wrong)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        made.pages.add(
            "/three.html", "<p style='break-after:page'>a<p style='break-after:page'>b<p>c"
        )
        yield made


async def printed(stage: Stage, sheet: PdfOptions | None = None) -> bytes:
    tab = await stage.sup.open_tab("x", stage.pages.url("/three.html"))
    await stage.loaded(tab)
    try:
        outcome = await PdfPrinter(TabContext(stage.sup, tab)).print(sheet)
    finally:
        await stage.sup.close_tab(tab)
    assert outcome.value is not None
    return outcome.value.data


def pages_of(data: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", data))


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_is_printed_on_the_paper_asked_for(stage: Stage) -> None:
    data = await printed(
        stage, PdfOptions(paper="letter", landscape=True, margins=("1cm", 0, 0, 0))
    )
    assert data.startswith(b"%PDF-")
    assert re.search(rb"/MediaBox\s*\[0 0 792 612\]", data)
    assert pages_of(data) == 3


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
async def test_some_pages_can_be_printed(stage: Stage) -> None:
    footer = "<span style='font-size:9px' class=pageNumber></span>"
    assert pages_of(await printed(stage, PdfOptions(pages="2-3", footer=footer))) == 2


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "sheet",
    [PdfOptions(scale=9), PdfOptions(pages="two"), PdfOptions(paper="x"), PdfOptions(pages="7-9")],
)
async def test_what_no_printer_can_do_is_refused(stage: Stage, sheet: PdfOptions) -> None:
    with pytest.raises(ToolError) as told:
        await printed(stage, sheet)
    assert told.value.hint
