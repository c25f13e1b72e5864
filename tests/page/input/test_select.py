"""Lists on a real Chromium: the browser's own and those that pages make."""

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


NATIVE = """
<label for=one>Fruit</label><select id=one>
<option value="">none</option><option value=a>Apple</option>
<option value=b>Big  pear</option><option value=c disabled>Cherry</option></select>
<select id=many multiple><option>x</option><option>y</option><option>z</option></select>
<script>var heard = [];
document.addEventListener('change', (e) => heard.push(e.target.id)); </script>
"""


@pytest.mark.parametrize("within", FRAMES)
async def test_options_are_chosen_by_value_label_and_place(stage: Stage, within: str) -> None:
    hands = await show_page(stage, NATIVE, within)
    for wanted, value in (("a", "a"), ("Big pear", "b"), (0, ""), ("index=2", "b"), ("APPLE", "a")):
        receipt = done(await hands.choose.select("label=Fruit", wanted))
        assert receipt.action == "selected in"
        assert await hands.js("one.value") == value
    assert receipt.value == "Apple"
    assert receipt.dom["inputs"] == 2
    assert done(await hands.choose.select("#one", "a")).action == "already selected in"
    assert done(await hands.choose.select("#many", ["x", "z"])).value == ["x", "z"]
    assert done(await hands.choose.select("#many", ["y"])).value == ["y"]
    assert (await hands.js("heard"))[-2:] == ["many", "many"]
    assert done(await hands.fields.fill("#one", "Big pear")).value == "Big pear"


async def test_what_cannot_be_chosen_is_refused_with_the_options(stage: Stage) -> None:
    hands = await show_page(stage, NATIVE)
    with pytest.raises(ToolError, match="has no option 'Plum'") as refused:
        await hands.choose.select("#one", "Plum")
    assert "'Apple' (value 'a')" in refused.value.hint
    assert "'Cherry' (value 'c') [disabled]" in refused.value.hint
    with pytest.raises(ToolError, match="is disabled"):
        await hands.choose.select("#one", "c")
    with pytest.raises(ToolError, match="takes one option"):
        await hands.choose.select("#one", ["a", "b"])
    with pytest.raises(ToolError, match="expected a string or an index"):
        await hands.choose.select("#one", True)
    assert await hands.js("one.value + heard") == ""


async def test_options_that_come_late_are_waited_for_and_a_choice_set_back_is_told(
    stage: Stage,
) -> None:
    hands = await show_page(
        stage,
        "<select id=late></select><select id=back onchange='this.value = 1'><option>1</option>"
        "<option>2</option></select><script>"
        "setTimeout(() => late.innerHTML = '<option>x</option><option>now</option>', 150)</script>",
    )
    assert done(await hands.choose.select("#late", "now")).value == "now"
    with pytest.raises(ToolError, match=r"did not keep the choice: the page set \['1'\]"):
        await hands.choose.select("#back", "2")


# A combobox as component libraries build it: the list is made in a portal at the end of the body.
CUSTOM = """
<div id=box role=combobox tabindex=0 aria-expanded=false aria-haspopup=listbox
 aria-label=Colour>Choose</div>
<ul role=listbox aria-label=Other><li role=option>Red</li></ul>
<script>
box.onclick = () => {
  if (document.querySelector('#portal')) return;
  box.ariaExpanded = 'true';
  const list = document.createElement('div');
  list.id = 'portal'; list.setAttribute('role', 'listbox');
  setTimeout(() => {
    for (const name of ['Red', 'Green', 'Blue']) {
      const option = document.createElement('div');
      option.setAttribute('role', 'option');
      option.textContent = name;
      option.dataset.value = name[0].toLowerCase();
      if (name === 'Blue') option.ariaDisabled = 'true';
      option.onclick = () => {
        if (name !== 'Red') box.textContent = name;
        list.remove();
        box.ariaExpanded = 'false';
      };
      list.append(option);
    }
    document.body.append(list);
  }, 30);
};
</script>
"""


@pytest.mark.parametrize("within", ["main", "nested"])
async def test_a_custom_combobox_is_opened_and_its_option_clicked(
    stage: Stage, within: str
) -> None:
    hands = await show_page(stage, CUSTOM, within)
    receipt = done(await hands.choose.select("#box", "Green"))
    assert (receipt.action, receipt.value) == ("selected in", "Green")
    assert await hands.js("box.textContent") == "Green"


async def test_a_custom_combobox_that_refuses_is_not_called_a_success(stage: Stage) -> None:
    hands = await show_page(stage, CUSTOM)
    with pytest.raises(ToolError, match=r"'Red' was clicked, but .* shows 'Choose'"):
        await hands.choose.select("#box", "Red")
    with pytest.raises(ToolError, match="has no option 'Pink'") as refused:
        await hands.choose.select("#box", "Pink")
    assert "'Red' (value 'r'), 'Green' (value 'g'), 'Blue'" in refused.value.hint
    with pytest.raises(ToolError, match="is disabled"):
        await hands.choose.select("#box", "Blue")


async def test_an_open_listbox_takes_several(stage: Stage) -> None:
    hands = await show_page(
        stage,
        """<ul role=listbox aria-multiselectable=true id=list><li role=option>A<li role=option>B
        <li role=option>C</ul><script>for (const one of document.querySelectorAll('li'))
        one.onclick = () => one.ariaSelected = String(one.ariaSelected != 'true');</script>""",
    )
    assert done(await hands.choose.select("#list", ["A", "C"])).value == ["A", "C"]
    chosen = "[...document.querySelectorAll('[aria-selected=true]')].map(o => o.innerText.trim())"
    assert await hands.js(chosen) == ["A", "C"]


async def test_a_searchable_combobox_is_searched(stage: Stage) -> None:
    hands = await show_page(
        stage,
        """<input id=q role=combobox aria-controls=hits aria-expanded=false aria-label=Town>
        <ul id=hits role=listbox></ul><script>
        q.oninput = () => {
          q.ariaExpanded = 'true';
          hits.innerHTML = ['Berlin', 'Bern'].filter((t) => t.startsWith(q.value))
            .map((t) => `<li role=option>${t}</li>`).join('');
          for (const hit of hits.children)
            hit.onclick = () => { q.value = hit.textContent; hits.innerHTML = ''; };
        };</script>""",
    )
    assert done(await hands.choose.select("#q", "Bern")).value == "Bern"
    assert await hands.js("q.value") == "Bern"


async def test_what_is_no_list_is_refused(stage: Stage) -> None:
    hands = await show_page(stage, "<p id=p>text</p>")
    with pytest.raises(ToolError, match="is not a list of options"):
        await hands.choose.select("#p", "x")
