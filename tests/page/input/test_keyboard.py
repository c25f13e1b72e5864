"""Keys on a real Chromium: what the page hears, and who gets it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from tests.browser.browser_with_dialog_places import Stage, staged
from tests.page.input_tab import FRAMES, done, show_page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(chromium_path: Path) -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


PAGE = """
<input id=a value=old><textarea id=t></textarea><div id=c contenteditable>rich</div>
<input id=n type=number value=1><input id=p type=password>
<script>
var heard = [];
for (const type of ['keydown', 'keypress', 'keyup'])
  document.addEventListener(type, (e) => heard.push(
    [type, e.key, e.code, e.keyCode, e.location,
     (e.ctrlKey ? 'C' : '') + (e.shiftKey ? 'S' : ''), e.isTrusted].join(' ')), true);
</script>
"""


async def test_a_chord_is_heard_like_that_of_a_person(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    receipt = done(await hands.keys.press("Control+Shift+k", "#a"))
    assert receipt.action == "pressed Control+Shift+k on"
    assert receipt.target.startswith("textbox")
    assert await hands.js("heard") == [
        "keydown Control ControlLeft 17 1 C true",
        "keydown Shift ShiftLeft 16 1 CS true",
        "keydown K KeyK 75 0 CS true",
        "keyup K KeyK 75 0 CS true",
        "keyup Shift ShiftLeft 16 1 C true",
        "keyup Control ControlLeft 17 1  true",
    ]


async def test_capitals_are_typed_with_shift(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    done(await hands.keys.type("#t", "aA?"))
    pressed = [line for line in await hands.js("heard") if line.startswith("keypress")]
    assert pressed == [
        "keypress a KeyA 97 0  true",
        "keypress A KeyA 65 0 S true",
        "keypress ? Slash 63 0 S true",
    ]


@pytest.mark.parametrize("within", FRAMES)
async def test_keys_reach_the_focus_in_every_frame(stage: Stage, within: str) -> None:
    hands = await show_page(stage, PAGE, within)
    receipt = done(await hands.keys.type("#a", " and new"))
    assert receipt.value == "old and new"
    # Without a target they go to where the focus is, whichever frame that is in.
    receipt = done(await hands.keys.press("Backspace", count=3))
    assert receipt.target.startswith("textbox")
    assert await hands.js("a.value") == "old and "
    assert done(await hands.keys.type(None, "more")).value == "old and more"
    assert done(await hands.keys.type("#c", "!")).value == "rich!"


async def test_a_whole_text_is_typed_with_line_ends_and_what_no_key_types(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    text = "Dear Anna,\n\tgrüße 🙂 日本語 {[~]}!"
    without_tab = text.replace("\t", "")
    assert done(await hands.keys.type("#t", without_tab)).value == without_tab
    assert done(await hands.keys.type("#n", "5")).value == "15"


async def test_editing_shortcuts_work(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    done(await hands.keys.press("Control+A", "#a"))
    done(await hands.keys.press("Control+C"))
    done(await hands.keys.press("Control+V", "#t"))
    done(await hands.keys.press("Control+V"))
    assert await hands.js("t.value") == "oldold"
    done(await hands.keys.press("Control+Z"))
    assert await hands.js("t.value") == "old"
    done(await hands.keys.press("Control+X", "#a"))
    assert await hands.js("a.value") == ""
    done(await hands.keys.press("Shift+ArrowLeft", "#t"))
    done(await hands.keys.press("Delete"))
    assert await hands.js("t.value") == "ol"


async def test_tab_moves_the_focus_and_the_receipt_says_where_to(stage: Stage) -> None:
    hands = await show_page(stage, "<input aria-label=One><input aria-label=Two>")
    receipt = done(await hands.keys.press("Tab", "label=One"))
    assert receipt.focus == 'textbox "Two"'
    receipt = done(await hands.keys.press("Shift+Tab"))
    assert receipt.focus == 'textbox "One"'


async def test_enter_submits_a_form_and_the_receipt_follows(stage: Stage) -> None:
    stage.pages.add("/sent.html", "<title>sent</title>")
    hands = await show_page(stage, "<form action=/sent.html><input name=q></form>")
    receipt = done(await hands.keys.type("input", "words", submit=True))
    assert "/sent.html?q=words" in receipt.navigated


async def test_typing_goes_on_where_the_page_moves_the_focus(stage: Stage) -> None:
    """Fields for codes, one per digit."""
    boxes = "<input maxlength=1 oninput='this.nextElementSibling?.focus()'>" * 4
    hands = await show_page(stage, boxes)
    receipt = done(await hands.keys.type("input", "1234", nth=0))
    assert await hands.js("[...document.querySelectorAll('input')].map(i => i.value).join('')") == (
        "1234"
    )
    assert receipt.notes == ("the text is not in the field: it holds '1' now",)


async def test_held_keys_are_held_until_they_are_let_go(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    done(await hands.keys.press("End", "#a"))
    done(await hands.keys.down("Shift"))
    done(await hands.keys.press("ArrowLeft"))
    assert hands.keys.held_modifiers == 8
    assert await hands.js("getSelection().toString()") == "d"
    done(await hands.keys.up("Shift"))
    assert (await hands.js("heard"))[-1] == "keyup Shift ShiftLeft 16 1  true"
    with pytest.raises(ToolError, match="is not held down"):
        await hands.keys.up("Shift")


async def test_passwords_are_typed_and_not_shown(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    receipt = done(await hands.keys.type("#p", "geheim"))
    assert "geheim" not in repr(receipt)
    assert await hands.js("p.value") == "geheim"


async def test_what_takes_no_focus_is_refused(stage: Stage) -> None:
    hands = await show_page(stage, "<p id=p>text</p>")
    with pytest.raises(ToolError, match="does not keep the focus"):
        await hands.keys.press("Enter", "#p")
    with pytest.raises(ToolError, match="unknown key"):
        await hands.keys.press("Control+Nothing")
    with pytest.raises(ToolError, match="control character"):
        await hands.keys.type(None, "a\x00")


async def test_keys_work_in_a_tab_in_the_background(stage: Stage) -> None:
    hands = await show_page(stage, PAGE)
    await stage.sup.open_tab("front", stage.pages.url("/main.html"))
    assert done(await hands.keys.type("#a", "er")).value == "older"


async def test_a_key_that_opens_a_dialog_says_so(stage: Stage) -> None:
    hands = await show_page(stage, "<input id=a onkeydown='alert(1)'>")
    outcome = await hands.keys.press("x", "#a")
    assert outcome.blocked_by
    await stage.sup.answer(accept=True)
    assert (await stage.delivered(outcome.action_id)).dialogs == ("alert '1'",)
