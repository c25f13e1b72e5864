"""Values in fields on a real Chromium."""

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


FORM = """
<label for=mail>Email</label><input id=mail type=email value=old@x.y>
<label>Notes <textarea id=notes>first</textarea></label>
<div id=rich contenteditable><p>old</p><p>text</p></div>
<input id=pass type=password placeholder=Password>
<script>
var seen = [];
for (const type of ['beforeinput', 'input', 'change'])
  document.addEventListener(
    type, (e) => seen.push([type, e.target.id, e.isTrusted].join(' ')), true);
</script>
"""


@pytest.mark.parametrize("within", FRAMES)
async def test_text_fields_are_filled_by_trusted_input_in_every_frame(
    stage: Stage, within: str
) -> None:
    hands = await show_page(stage, FORM, within)
    receipt = done(await hands.fields.fill("label=Email", "new@x.y"))
    assert (receipt.action, receipt.value, receipt.notes) == ("filled", "new@x.y", ())
    assert receipt.dom["inputs"] == 1
    assert await hands.js("mail.value + ' ' + seen") == (
        "new@x.y beforeinput mail true,input mail true"
    )
    assert done(await hands.fields.fill("#notes", "one\ntwo")).value == "one\ntwo"
    rich = done(await hands.fields.fill("#rich", "one\ntwo"))
    assert "one" in rich.value
    assert await hands.js("rich.innerText.split('\\n').filter(Boolean).join()") == "one,two"


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_fields_in_shadow_roots_are_filled(stage: Stage, mode: str) -> None:
    hands = await show_page(
        stage,
        f"""<div id=host></div><script>
        var root = host.attachShadow({{mode: '{mode}'}});
        root.innerHTML = '<label>Name <input></label><input type=checkbox aria-label=Yes>';
        </script>""",
    )
    await hands.snapshots.take(None, "")
    assert done(await hands.fields.fill("label=Name", "Anna")).value == "Anna"
    assert await hands.js("root.querySelector('input').value") == "Anna"
    assert done(await hands.fields.check("checkbox=Yes")).value is True


ASSIGNED = [
    ("date", "2025-03-31"),
    ("time", "08:30"),
    ("datetime-local", "2025-03-31T08:30"),
    ("month", "2025-03"),
    ("week", "2025-W07"),
    ("range", "40"),
    ("color", "#ff8800"),
    ("number", "12.5"),
    ("search", "words"),
    ("tel", "+49 30 1"),
    ("url", "https://x.y/"),
    ("text", "plain 🙂 日本"),
]


async def test_every_type_of_input_is_filled_and_tells_the_page(stage: Stage) -> None:
    inputs = "".join(f"<input id={kind} type={kind} step=any>" for kind, _ in ASSIGNED)
    hands = await show_page(
        stage,
        f"{inputs}<script>var last = {{}};"
        "document.oninput = (e) => { last[e.target.id] = e.target.value; };</script>",
    )
    for kind, value in ASSIGNED:
        assert done(await hands.fields.fill(f"#{kind}", value)).value == value
    assert await hands.js("last") == dict(ASSIGNED)


REFUSED: list[tuple[str, object, str]] = [
    ("type=date", "31.3.2025", "is not a valid date"),
    ("type=date", "2025-02-31", "does not accept"),
    ("type=date min=2025-01-01", "2024-12-31", "outside the range"),
    ("type=time", "25:00", "is not a valid time"),
    ("type=color", "red", "is not a valid color"),
    ("type=range max=10", "11", "outside the range"),
    ("type=number", "many", "is not a valid number"),
    ("maxlength=3", "four", "takes at most 3"),
    ("type=text", True, "expected text, got True"),
    ("type=checkbox", "perhaps", "expected true or false for a checkbox, got 'perhaps'"),
    ("type=file", "x", "does not take text"),
    ("type=text readonly", "x", "is read-only"),
]


async def test_a_value_the_field_cannot_hold_is_refused_before_anything_is_done(
    stage: Stage,
) -> None:
    inputs = "".join(f"<input id=f{n} {html}>" for n, (html, _, _) in enumerate(REFUSED))
    hands = await show_page(
        stage,
        f"{inputs}<script>var touched = 0;"
        "for (const type of ['focusin', 'input', 'click']) addEventListener(type, () => touched++);"
        "</script>",
    )
    for number, (_, value, said) in enumerate(REFUSED):
        with pytest.raises(ToolError, match=said):
            await hands.fields.fill(f"#f{number}", value, timeout=0.1)
    assert await hands.js("touched") == 0


async def test_a_controlled_input_that_hears_trusted_input_keeps_its_value(stage: Stage) -> None:
    """As frameworks do: the value is put back unless an input event changed their state."""
    hands = await show_page(
        stage,
        """<input id=f value=old><output id=o></output><script>
        let state = 'old', tracked = 'old';
        const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        Object.defineProperty(f, 'value', {
          get() { return native.get.call(this); },
          set(v) { tracked = v; native.set.call(this, v); },
        });
        f.addEventListener('input', () => {
          if (f.value !== tracked) state = f.value;
          queueMicrotask(() => { f.value = state; o.textContent = state; });
        });
        </script>""",
    )
    assert done(await hands.fields.fill("#f", "new")).value == "new"
    assert await hands.js("o.textContent") == "new"


async def test_a_controlled_date_sees_the_new_value(stage: Stage) -> None:
    hands = await show_page(
        stage,
        """<input id=f type=date><script>
        let state = '', tracked = '';
        const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
        Object.defineProperty(f, 'value', {
          get() { return native.get.call(this); },
          set(v) { tracked = v; native.set.call(this, v); },
        });
        f.addEventListener('input', () => { if (f.value !== tracked) state = f.value; });
        f.addEventListener('change', () => { f.value = state; });
        </script>""",
    )
    assert done(await hands.fields.fill("#f", "2025-03-31")).value == "2025-03-31"


async def test_a_mask_is_a_note_and_a_refusal_an_error(stage: Stage) -> None:
    hands = await show_page(
        stage,
        """<input id=mask><input id=no value=kept><input id=late>
        <script>
        mask.oninput = () => mask.value = mask.value.replace(/^(\\d\\d)(\\d\\d)$/, '$1/$2');
        no.oninput = () => no.value = 'kept';
        late.oninput = () => setTimeout(() => late.value = late.value.toUpperCase());
        </script>""",
    )
    masked = done(await hands.fields.fill("#mask", "1231"))
    assert masked.value == "12/31"
    assert masked.notes == ("the page changed it to '12/31' for '1231'",)
    with pytest.raises(ToolError, match="did not accept 'other': it holds 'kept' still"):
        await hands.fields.fill("#no", "other")
    assert (done(await hands.fields.fill("#late", "abc")).value or "").lower() == "abc"


async def test_a_field_that_complains_is_filled_with_a_note(stage: Stage) -> None:
    hands = await show_page(stage, "<input id=f type=number max=5><input id=m type=email>")
    receipt = done(await hands.fields.fill("#f", 7))
    assert receipt.value == "7"
    assert receipt.notes[0].startswith("the field says: ")
    assert done(await hands.fields.fill("#m", "nonsense")).notes


async def test_passwords_are_not_in_receipts(stage: Stage) -> None:
    hands = await show_page(stage, FORM)
    receipt = done(await hands.fields.fill("#pass", "geheim"))
    assert receipt.value is None
    assert "geheim" not in repr(receipt)
    assert await hands.js("window['pass'].value") == "geheim"
    await hands.js("window['pass'].oninput = (e) => e.target.value = ''; 0")
    with pytest.raises(ToolError) as refused:
        await hands.fields.fill("#pass", "geheim2")
    assert "geheim" not in refused.value.format_line()


async def test_a_field_is_cleared_by_a_key(stage: Stage) -> None:
    hands = await show_page(stage, FORM)
    for field in ("#mail", "#notes", "#rich"):
        receipt = done(await hands.fields.clear(field))
        assert (receipt.action, receipt.value) == ("cleared", "")
    assert await hands.js("mail.value + notes.value + rich.innerText.trim()") == ""


# An editor with a selection of its own, as they all have, on a page that always has work to do:
# keys come before other tasks then.
BUSY_EDITOR = """
<div id=rich role=textbox aria-label=Story contenteditable><p>old</p></div><script>
let all = false;
const busy = () => { const t = performance.now() + 15; while (performance.now() < t); };
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => { busy(); port2.postMessage(0); };
port2.postMessage(0);
document.addEventListener('selectionchange', () => { all = String(getSelection()) === 'old'; });
rich.addEventListener('keydown', (e) => { e.preventDefault(); if (all) rich.textContent = ''; });
</script>"""


async def test_an_editor_has_heard_that_all_is_selected_before_the_key_comes(stage: Stage) -> None:
    hands = await show_page(stage, BUSY_EDITOR)
    for _ in range(10):
        assert done(await hands.fields.clear("#rich")).value == ""
        await hands.js("getSelection().removeAllRanges(); rich.innerHTML = '<p>old</p>'")


async def test_the_ref_of_an_editor_outlives_what_is_written_in_it(stage: Stage) -> None:
    hands = await show_page(stage, FORM)
    receipt = done(await hands.fields.fill("#rich", "first"))
    ref = receipt.target.partition("[")[2].rstrip("]")
    assert done(await hands.fields.fill(ref, "second")).value == "second"
    assert done(await hands.keys.type(ref, "!")).value == "second!"


async def test_focus_that_goes_elsewhere_takes_no_value_along(stage: Stage) -> None:
    """Search boxes that open a dialog with another box: at once, or as soon as nothing runs."""
    hands = await show_page(
        stage,
        "<input id=now onfocus='other.focus()'><input id=soon value=old "
        "onfocus='queueMicrotask(() => other.focus())'><input id=other value=mine>",
    )
    with pytest.raises(ToolError, match="does not keep the focus"):
        await hands.fields.fill("#now", "secret")
    with pytest.raises(ToolError, match=r"was not filled: the focus moved to <input#other>"):
        await hands.fields.fill("#soon", "secret")
    assert await hands.js("[now.value, soon.value, other.value]") == ["", "old", "mine"]


async def test_submit_sends_the_form_from_fields_in_which_enter_does_not(stage: Stage) -> None:
    fields = (
        "<select name=s><option>a<option>b</select><textarea name=t></textarea>"
        "<input type=checkbox name=c><input type=submit value=Go>"
    )
    form = f"<form action='#sent' onsubmit='event.preventDefault(); out.textContent += 1'>{fields}"
    rest = "<p id=out></p><select id=alone><option>x<option>y</select>"
    hands = await show_page(stage, f"{form}</form>{rest}")
    for target, value in (("[name=s]", "b"), ("textarea", "two\nlines"), ("[name=c]", True)):
        receipt = done(await hands.fields.fill(target, value, submit=True))
        assert (receipt.action.split(" and ")[-1], receipt.value) == ("submitted", value)
    assert await hands.js("out.textContent") == "111"
    with pytest.raises(ToolError, match="not in a form with a submit button") as refused:
        await hands.fields.fill("#alone", "y", submit=True)
    assert "nothing was filled" in refused.value.hint


async def test_submit_presses_enter_and_the_receipt_tells_where_it_led(stage: Stage) -> None:
    stage.pages.add("/found.html", "<title>found</title>")
    hands = await show_page(stage, "<form action=/found.html><input name=q></form>")
    receipt = done(await hands.fields.fill("input", "words", submit=True))
    assert (receipt.action, receipt.value) == ("filled and submitted", "words")
    assert "/found.html?q=words" in receipt.navigated


async def test_labels_and_boxes_around_stand_for_their_field(stage: Stage) -> None:
    hands = await show_page(
        stage,
        "<label id=a>City <span>(where)</span><input></label>"
        "<div id=b><i>x</i><textarea></textarea></div>"
        "<label id=c><input type=checkbox> Agree</label>"
        "<div id=d><input><input></div>",
    )
    for target in ("#a", "text=(where)", "#b"):
        receipt = done(await hands.fields.fill(target, "Berlin"))
        assert receipt.target.startswith("textbox")
    assert done(await hands.fields.fill("#c", True)).value is True
    assert await hands.js("document.querySelector('#c input').checked") is True
    with pytest.raises(ToolError, match="does not take text"):
        await hands.fields.fill("#d", "x")


CHECKS = """
<label><input type=checkbox id=a> Plain</label>
<input type=checkbox id=h style="position:absolute;opacity:0;width:0;height:0">
<label for=h>Styled</label>
<div role=switch aria-checked=false id=s tabindex=0
 onclick="setTimeout(() => this.ariaChecked = String(this.ariaChecked != 'true'), 20)">Switch</div>
<div role=menuitemcheckbox aria-checked=true id=m onclick="this.ariaChecked = 'false'">Item</div>
<input type=radio name=r id=r1 checked><input type=radio name=r id=r2>
<input type=checkbox id=n onclick="return false"> <button id=plain>no</button>
"""


@pytest.mark.parametrize("within", FRAMES)
async def test_checkboxes_of_all_kinds_are_switched_by_a_click(stage: Stage, within: str) -> None:
    hands = await show_page(stage, CHECKS, within)
    for target in ("#a", "#h", "#s", "#r2"):
        receipt = done(await hands.fields.check(target))
        assert (receipt.action, receipt.value) == ("checked", True), target
    assert done(await hands.fields.uncheck("#m")).value is False
    assert await hands.js("[a.checked, h.checked, s.ariaChecked, m.ariaChecked, r2.checked]") == [
        True,
        True,
        "true",
        "false",
        True,
    ]
    assert done(await hands.fields.check("text=Plain")).action == "already checked"
    assert done(await hands.fields.uncheck("#m")).action == "already unchecked"


async def test_what_cannot_be_checked_says_so(stage: Stage) -> None:
    hands = await show_page(stage, CHECKS)
    with pytest.raises(ToolError, match="radio button"):
        await hands.fields.uncheck("#r1")
    with pytest.raises(ToolError, match="was clicked, but it is still not checked"):
        await hands.fields.check("#n")
    with pytest.raises(ToolError, match="cannot be checked"):
        await hands.fields.check("#plain")


async def test_focus_is_given_and_told(stage: Stage) -> None:
    hands = await show_page(stage, "<button id=b>B</button><p id=p>no</p>", "oopif")
    receipt = done(await hands.fields.focus("#b"))
    assert (receipt.action, receipt.focus) == ("focused", 'button "B"')
    assert await hands.js("document.activeElement.id") == "b"
    assert done(await hands.fields.focus("#b")).action == "already focused"
    with pytest.raises(ToolError, match="does not keep the focus"):
        await hands.fields.focus("#p")


async def test_a_dialog_during_a_fill_is_told_and_the_fill_ends_after_it(stage: Stage) -> None:
    hands = await show_page(stage, "<input id=f oninput='alert(1)'>")
    outcome = await hands.fields.fill("#f", "abc")
    assert outcome.blocked_by
    await stage.sup.answer(accept=True)
    assert (await stage.delivered(outcome.action_id)).value == "abc"
