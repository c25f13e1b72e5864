"""Actions on pages made with frameworks, in the main frame and three foreign frames deep.

What counts is what the framework itself holds afterwards: each page shows its own state as JSON.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage
from tests.browser.ui_framework_pages import PLACES, Shown, built_pages, show_bundle
from tests.page.input_tab import done
from tests.soak_extent import MATRIX, matrix

pytestmark = [
    *MATRIX,
    pytest.mark.early,
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    # The first one may have to wait for the frameworks to be fetched and built.
    pytest.mark.timeout(400),
]

FORMS = ("react", "react18", "vue", "svelte")
SHOWN = matrix(
    [*((name, "main") for name in FORMS), *((n, "deep") for n in FORMS if n != "react18")], tuple, 1
)
EDITORS = matrix(itertools.product(("prosemirror", "lexical"), PLACES), tuple, 1)
WITHIN_S = 5.0


@pytest.fixture(scope="session")
def built() -> Path:
    """The pages, built."""
    return built_pages()


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


async def holds(shown: Shown, **wanted: object) -> None:
    """Frameworks render when they like: wait until their state is this."""
    try:
        async with asyncio.timeout(WITHIN_S):
            while True:
                state = await shown.state()
                if all(state[name] == value for name, value in wanted.items()):
                    return
                await asyncio.sleep(0.02)
    except TimeoutError:
        pass
    state = await shown.state()
    assert {name: state[name] for name in wanted} == wanted


# Forms.


@pytest.mark.parametrize(("name", "place"), SHOWN)
async def test_every_kind_of_controlled_field_takes_its_value(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    page = shown.page
    assert done(await page.fill("label=Name", "Ada")).value == "Ada"
    assert done(await page.fill("label=Age", 36)).value == "36"
    assert done(await page.fill("label=Bio", "one\ntwo")).value == "one\ntwo"
    assert done(await page.fill("label=When", "2025-03-31")).value == "2025-03-31"
    assert done(await page.fill("label=Volume", 70)).value == "70"
    assert done(await page.check("label=Agree")).value is True
    assert done(await page.check("radio=L")).value is True
    assert done(await page.select("label=Country", "Japan")).value == "Japan"
    wanted = {
        "name": "Ada",
        "age": 36,
        "bio": "one\ntwo",
        "when": "2025-03-31",
        "volume": 70,
        "agree": True,
        "size": "L",
        "country": "Japan",
    }
    await holds(shown, **wanted)
    sent = done(await page.click("button=Send"))
    assert sent.changed, sent.text()
    assert {key: (await shown.state("sent"))[key] for key in wanted} == wanted


@pytest.mark.parametrize(("name", "place"), SHOWN)
async def test_a_mask_is_told_and_what_it_made_is_what_the_framework_holds(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    receipt = done(await shown.page.fill("label=Phone", "5551234567"))
    assert receipt.value == "(555) 123-4567"
    assert "the page changed it to" in receipt.text()
    await holds(shown, phone="(555) 123-4567")
    assert done(await shown.page.clear("label=Phone")).value == ""
    await holds(shown, phone="")
    typed = done(await shown.page.type("label=Phone", "4449876543"))
    assert typed.value == "(444) 987-6543"
    await holds(shown, phone="(444) 987-6543")


@pytest.mark.parametrize(("name", "place"), SHOWN)
async def test_what_a_framework_refuses_is_no_success(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    page = shown.page
    with pytest.raises(ToolError, match=r"did not accept '42'.*'abc' still"):
        await page.fill("label=Code", "42")
    with pytest.raises(ToolError, match="is still not checked"):
        await page.check("label=Locked")
    with pytest.raises(ToolError, match=r"did not keep the choice.*Chile"):
        await page.select("label=Country", "Atlantis")
    typed = done(await page.type("label=Code", "7"))
    assert "not in the field" in typed.text()
    await holds(shown, code="abc", locked=False, country="Chile")
    assert done(await page.fill("label=Code", "xyz")).value == "xyz"
    await holds(shown, code="xyz")


@pytest.mark.parametrize(("name", "place"), SHOWN)
async def test_typing_goes_on_after_what_a_controlled_field_holds(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    page = shown.page
    assert done(await page.type("label=Name", ", Ärzte 漢字 🙂")).value == "Nobody, Ärzte 漢字 🙂"
    await holds(shown, name="Nobody, Ärzte 漢字 🙂")
    await page.press("Control+A")
    assert done(await page.type(None, "Eve", submit=True)).value == "Eve"
    await holds(shown, name="Eve")
    assert (await shown.state("sent"))["name"] == "Eve"


@pytest.mark.parametrize("name", FORMS)
async def test_checks_and_choices_of_a_framework_can_be_taken_back(
    stage: Stage, built: Path, name: str
) -> None:
    shown = await show_bundle(stage, built, name, "main")
    page = shown.page
    for wanted in (True, False):
        await (page.check if wanted else page.uncheck)("label=Agree")
        await holds(shown, agree=wanted)
    assert done(await page.uncheck("label=Agree")).action == "already unchecked"
    for size in ("M", "L", "S"):
        await page.fill(f"radio={size}", True)
        await holds(shown, size=size)
    for country in ("Iceland", "index=2", "value=Chile"):
        await page.fill("label=Country", country)
    await holds(shown, country="Chile")


# Editors.


@pytest.mark.parametrize(("name", "place"), EDITORS)
async def test_an_editor_holds_in_its_own_model_what_was_filled_in(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    page = shown.page
    await holds(shown, blocks=["Old heading", "old bold"])
    receipt = done(await page.fill("textbox=Story", "A new start"))
    assert receipt.value.strip() == "A new start"
    await holds(shown, blocks=["A new start"])
    assert done(await page.fill("textbox=Story", "Once more")).value.strip() == "Once more"
    await holds(shown, blocks=["Once more"])
    await page.clear("textbox=Story")
    await holds(shown, blocks=[""])


@pytest.mark.parametrize(("name", "place"), EDITORS)
async def test_an_editor_takes_several_lines(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    receipt = done(await shown.page.fill("textbox=Story", "one\ntwo\nthree"))
    assert [line for line in receipt.value.split("\n") if line] == ["one", "two", "three"]
    state = await shown.state()
    assert [line for block in state["blocks"] for line in block.split("\n")] == [
        "one",
        "two",
        "three",
    ]


@pytest.mark.parametrize(("name", "place"), EDITORS)
async def test_keys_in_an_editor_write_break_lines_format_and_undo(
    stage: Stage, built: Path, name: str, place: str
) -> None:
    shown = await show_bundle(stage, built, name, place)
    page = shown.page
    await page.clear("textbox=Story")
    await page.type("textbox=Story", "first\nsecond")
    await holds(shown, blocks=["first", "second"], bold=False)
    await page.press("Control+B")
    await page.type(None, " strong")
    await holds(shown, blocks=["first", "second strong"], bold=True)
    await page.press("Backspace", count=7)
    await holds(shown, blocks=["first", "second"])
    await page.press("Control+Z")
    state = await shown.state()
    assert state["blocks"] != ["first", "second"]
    await page.click("textbox=Story")
    await page.press("Control+A")
    await page.type(None, "z")
    await holds(shown, blocks=["z"])


# Lists.


@pytest.mark.parametrize("place", PLACES)
async def test_lists_that_are_no_select_take_a_choice(
    stage: Stage, built: Path, place: str
) -> None:
    shown = await show_bundle(stage, built, "comboboxes", place)
    page = shown.page
    assert done(await page.select("combobox=Fruit", "Banana")).value == "Banana"
    await holds(shown, search="Banana")
    assert done(await page.select("combobox=Dessert", "Cherry")).value == "Cherry"
    await holds(shown, pick="Cherry")
    assert done(await page.select("combobox=Snack", "Grape")).value == "Grape"
    await holds(shown, late="Grape")
    # A second time: the list that can be searched shows only what fits its present text.
    assert done(await page.select("combobox=Fruit", "Mango")).value == "Mango"
    await holds(shown, search="Mango", pick="Cherry", late="Grape")


@pytest.mark.parametrize("place", PLACES)
async def test_a_choice_a_list_does_not_have_or_keep_is_told(
    stage: Stage, built: Path, place: str
) -> None:
    shown = await show_bundle(stage, built, "comboboxes", place)
    page = shown.page
    with pytest.raises(ToolError, match="no option 'Potato'") as told:
        await page.select("combobox=Dessert", "Potato")
    assert "'Apple', 'Apricot'" in (told.value.hint or "")
    with pytest.raises(ToolError, match=r"'Durian' was clicked, but .* shows 'none'"):
        await page.select("combobox=Snack", "Durian")
    await holds(shown, search=None, pick=None, late=None)


@pytest.mark.parametrize("place", PLACES)
async def test_a_list_is_searched_by_typing_and_taken_with_keys(
    stage: Stage, built: Path, place: str
) -> None:
    shown = await show_bundle(stage, built, "comboboxes", place)
    page = shown.page
    await page.type("combobox=Fruit", "ap")
    await page.press("ArrowDown")
    await page.press("ArrowDown")
    await page.press("Enter")
    await holds(shown, search="Apricot")
    await page.click("combobox=Dessert")
    await page.click("option=Mango")
    await holds(shown, pick="Mango")
