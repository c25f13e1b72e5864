"""Files for pages on a real Chromium: inputs, choosers, drop zones."""

from __future__ import annotations

import asyncio
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


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "report.txt").write_text("figures")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "folder").mkdir()
    return tmp_path


PAGE = """
<label>Report <input type=file id=plain style="display:none"></label>
<input type=file id=many multiple accept=".txt, image/*">
<input type=file id=pictures accept="image/*"><input type=file id=tree webkitdirectory>
<input type=file id=eats>
<button id=opens>Attach</button>
<button id=dead>Dead</button>
<div id=zone style="width:200px;height:60px;background:#eee">Drop here</div>
<div id=plainbox style="width:200px;height:60px" onclick="many.click()">Click here</div>
<script>
var got = [], made;
opens.onclick = () => {
  made = Object.assign(document.createElement('input'), {type: 'file'});
  made.onchange = async () => got.push('chosen ' + await made.files[0].text());
  made.click();
};
document.addEventListener(
  'change', (e) => got.push(e.target.id + ' ' + [...e.target.files].map(f => f.name)));
eats.addEventListener('change', () => { eats.value = ''; });
zone.ondragover = (e) => e.preventDefault();
zone.ondrop = async (e) => {
  e.preventDefault();
  got.push('dropped ' + await e.dataTransfer.files[0].text());
};
</script>"""


@pytest.mark.parametrize("within", FRAMES)
async def test_files_arrive_in_every_frame_by_input_chooser_and_drop(
    stage: Stage, files: Path, within: str
) -> None:
    hands = await show_page(stage, PAGE, within, files)
    receipt = done(await hands.uploads.upload("text=Report", "report.txt"))
    assert (receipt.action, receipt.value) == ("uploaded to", ["report.txt"])
    assert await hands.js("plain.files[0].text()") == "figures"
    receipt = done(await hands.uploads.upload("#opens", files / "report.txt"))
    assert (receipt.action, receipt.value) == ("uploaded through", ["report.txt"])
    receipt = done(await hands.uploads.upload("#zone", "report.txt"))
    assert (receipt.action, receipt.value) == ("dropped files on", ["report.txt"])
    assert not stage.sup.state.interrupts
    async with asyncio.timeout(5):
        # The page reads the files in its own time.
        while len(got := await hands.js("got")) < 3:
            await hands.js("new Promise(r => setTimeout(r, 10))")
    assert sorted(got) == ["chosen figures", "dropped figures", "plain report.txt"]


async def test_several_files_and_boxes_that_open_choosers(stage: Stage, files: Path) -> None:
    hands = await show_page(stage, PAGE, files=files)
    receipt = done(await hands.uploads.upload("#many", ["report.txt", "photo.png"]))
    assert receipt.value == ["report.txt", "photo.png"]
    receipt = done(await hands.uploads.upload("#plainbox", "photo.png"))
    assert receipt.value == ["photo.png"]
    assert await hands.js("got") == ["many report.txt,photo.png", "many photo.png"]


async def test_an_input_the_page_empties_at_once_has_had_the_files(
    stage: Stage, files: Path
) -> None:
    hands = await show_page(stage, PAGE, files=files)
    receipt = done(await hands.uploads.upload("#eats", "report.txt"))
    assert receipt.value == ["report.txt"]
    assert receipt.notes == ("the page took them and emptied the input",)


async def test_what_an_input_does_not_take_is_refused_before_anything_is_done(
    stage: Stage, files: Path
) -> None:
    hands = await show_page(stage, PAGE, files=files)
    outside = Path(__file__)
    for target, paths, said in (
        ("#plain", ["report.txt", "photo.png"], "takes one file"),
        ("#pictures", "report.txt", "accepts image/"),
        ("#tree", "report.txt", "takes a whole folder"),
        ("#plain", "missing.txt", "it does not exist"),
        ("#plain", "folder", "not a regular file"),
        ("#plain", outside, "outside the allowed folders"),
        ("#plain", [], "0 files"),
    ):
        with pytest.raises(ToolError, match=said):
            await hands.uploads.upload(target, paths)
    assert await hands.js("got") == []
    receipt = done(await hands.uploads.upload("#pictures", "report.txt", any_type=True))
    assert receipt.value == ["report.txt"]


async def test_a_chooser_that_takes_one_file_is_cancelled_when_there_are_two(
    stage: Stage, files: Path
) -> None:
    hands = await show_page(stage, PAGE, files=files)
    with pytest.raises(ToolError, match="takes one file"):
        await hands.uploads.upload("#opens", ["report.txt", "photo.png"])
    assert not stage.sup.state.interrupts
    assert await hands.js("made.files.length") == 0


async def test_what_opens_no_chooser_and_takes_no_drop_is_no_success(
    stage: Stage, files: Path
) -> None:
    hands = await show_page(stage, PAGE, files=files)
    with pytest.raises(ToolError, match="opened no file chooser"):
        await hands.uploads.upload("#dead", "report.txt")
    with pytest.raises(ToolError, match="does not accept dropped files"):
        await hands.uploads.upload("#dead", "report.txt", how="drop")
    with pytest.raises(ToolError, match="is not a file input"):
        await hands.uploads.upload("#dead", "report.txt", how="input")
