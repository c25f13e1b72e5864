"""Eyes: every verb that looks, by name, on a real page."""

from __future__ import annotations

import base64

import pytest

from pilothouse.errors import ToolError
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
_HTML = f"""<title>seen</title><h1 id=h class=big>Head</h1><p>para one<p>para two
<button id=b disabled>Save</button><input id=i value=val aria-label=Field>
<input id=c type=checkbox checked aria-label=Box><img alt=dot src="{_PIXEL}">
<iframe name=inner srcdoc="<p>inside</p>"></iframe><p id=gone hidden>gone</p>"""


async def test_address_and_title_are_those_of_the_page(room: Room) -> None:
    tab = await room.show(_HTML)
    assert await room.do(tab, "title") == "seen"
    assert (await room.do(tab, "url")).startswith("http://127.0.0.1")
    await room.js(tab, "document.title = 'changed'")
    assert await room.do(tab, "title") == "changed"


async def test_snapshot_shows_the_page_with_refs_and_finds_lines(room: Room) -> None:
    tab = await room.show(_HTML)
    whole = (await room.do(tab, "snapshot"))["text"]
    assert 'button "Save"' in whole
    assert "inside" in whole
    assert "ref=e" in whole
    found = (await room.do(tab, "snapshot", find="/he[a]d/"))["text"]
    assert found.split("\n")[1].startswith("1 match in seen <")
    assert "Head" in found
    assert "Save" in found  # what follows a heading may act on what it names
    assert "inside" not in found
    with pytest.raises(ToolError, match="find: ") as refused:
        await room.do(tab, "snapshot", find="/(/")
    assert "regex" in refused.value.hint
    unchanged = await room.do(tab, "snapshot", diff=True)
    assert "Save" not in unchanged["text"]


async def test_what_has_changed_since_the_last_look_is_told_in_lines(room: Room) -> None:
    tab = await room.show("<p id=p>before</p><button id=b>Save</button>")
    assert await room.do(tab, "changed") == []  # nobody has looked
    await room.do(tab, "snapshot")
    assert await room.do(tab, "changed") == []
    await room.js(tab, "p.textContent = 'after'; b.remove()")
    came, gone, button = await room.do(tab, "changed")
    assert (gone, came) == ("- text: before", "+ text: after")
    assert button.startswith('- button "Save" [ref=')
    assert await room.do(tab, "changed") == []
    lines = (await room.do(tab, "snapshot", diff=True))["text"]
    assert "after" in lines  # what a client saw is not changed by it


async def test_of_another_document_or_a_large_one_no_lines_are_told(room: Room) -> None:
    tab = await room.show("<p>first</p>")
    await room.do(tab, "snapshot")
    await room.do(tab, "goto", url=(await room.do(tab, "url")))
    assert await room.do(tab, "changed") == []
    await room.js(tab, "document.body.innerHTML = '<a href=#>x</a>'.repeat(1600) + '<p id=p>a'")
    await room.do(tab, "snapshot")
    await room.js(tab, "p.textContent = 'b'")
    assert await room.do(tab, "changed") == []


async def test_observe_lists_what_can_be_acted_on(room: Room) -> None:
    tab = await room.show(_HTML)
    seen = await room.do(tab, "observe")
    assert seen["title"] == "seen"
    assert seen["viewport"]["width"] == 1365
    assert set(seen["scroll"]) == {"x", "y", "width", "height", "scrollWidth", "scrollHeight"}
    names = {element["name"]: element for element in seen["elements"]}
    assert names["Field"]["value"] == "val"
    assert "checked" in names["Box"]["states"]
    assert "Head" not in names
    every = await room.do(tab, "observe", include_all=True)
    assert len(every["elements"]) > len(seen["elements"])


async def test_pictures_and_pdf_are_base64_of_what_they_say(room: Room) -> None:
    tab = await room.show(_HTML)
    picture = await room.do(tab, "screenshot")
    assert base64.b64decode(picture["data"]).startswith(b"\x89PNG")
    small = await room.do(tab, "screenshot", target="#h", format="jpeg", quality=50)
    assert base64.b64decode(small["data"]).startswith(b"\xff\xd8")
    printed = await room.do(tab, "pdf")
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


async def test_a_picture_is_written_where_that_is_allowed(room: Room) -> None:
    tab = await room.show(_HTML)
    picture = await room.do(tab, "screenshot", save="shot.png")
    assert picture["path"] == str(room.files / "shot.png")
    assert (room.files / "shot.png").read_bytes() == base64.b64decode(picture["data"])
    with pytest.raises(ToolError, match="refused"):
        await room.do(tab, "screenshot", save="../shot.png")


async def test_extract_and_images_read_the_content(room: Room) -> None:
    tab = await room.show(_HTML)
    extracted = await room.do(tab, "extract")
    assert "# Head" in str(extracted)
    assert "para two" in str(await room.do(tab, "extract", format="text"))
    long = "<p>The tide turns at noon, and whoever is late walks home along the shore. </p>" * 9
    tab = await room.show(f"<title>t</title><nav>Menu</nav><article>{long}</article>")
    assert "Menu" not in (await room.do(tab, "extract"))["text"]
    whole = await room.do(tab, "extract", article=False)
    assert (whole["what"], "Menu" in whole["text"]) == ("page", True)
    assert (await room.do(tab, "extract", selector="nav"))["text"] == "Menu"
    assert await room.do(await room.show("<title>t</title>"), "extract") is None
    tab = await room.show(_HTML)
    (image,) = await room.do(tab, "images")
    assert image["alt"] == "dot"


async def test_facts_of_an_element_are_told_one_by_one(room: Room) -> None:
    tab = await room.show(_HTML)
    assert await room.do(tab, "text", target="#h") == "Head"
    assert 'class="big"' in await room.do(tab, "html", target="#h")
    assert "<iframe" in await room.do(tab, "html")
    assert await room.do(tab, "value", target="#i") == "val"
    assert await room.do(tab, "attr", target="#h", name="class") == "big"
    assert await room.do(tab, "attr", target="#h", name="nothing") is None
    assert await room.do(tab, "count", target="p") >= 3
    assert (await room.do(tab, "box", target="#h"))["width"] > 100
    assert await room.do(tab, "is_visible", target="#h") is True
    assert await room.do(tab, "is_visible", target="#gone") is False
    assert await room.do(tab, "is_enabled", target="#b") is False
    assert await room.do(tab, "is_checked", target="#c") is True


async def test_frames_are_told_as_a_tree(room: Room) -> None:
    tab = await room.show(_HTML)
    told = await room.do(tab, "frames")
    assert "about:srcdoc" in str(told)


async def test_pdf_is_put_on_paper_as_asked_and_written_where_allowed(room: Room) -> None:
    tab = await room.show(_HTML)
    printed = await room.do(tab, "pdf", paper="letter", landscape=True, pages="1", save="p.pdf")
    assert printed["path"] == str(room.files / "p.pdf")
    assert (room.files / "p.pdf").read_bytes() == base64.b64decode(printed["data"])
    with pytest.raises(ToolError, match="paper: unknown value 'a9'"):
        await room.do(tab, "pdf", paper="a9")


async def test_facts_are_told_of_one_of_several(room: Room) -> None:
    tab = await room.show("<p class=a>one</p><p class=b>two</p>")
    assert await room.do(tab, "text", target="p", nth=1) == "two"
    assert await room.do(tab, "attr", target="p", name="class", nth=0) == "a"
    assert await room.do(tab, "is_visible", target="p", nth=1) is True
