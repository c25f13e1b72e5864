"""Hands: every verb that acts, by name, on a real page."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

_HTML = """<style>#far{margin-top:3000px}#box,#drop{width:80px;height:40px;background:#ccc}</style>
<button id=b onclick="log('click ' + event.button)" ondblclick="log('dblclick')"
 onmouseover="log('over')" oncontextmenu="log('menu');return false">Go</button>
<input id=i onfocus="log('focus')"
 onkeydown="log('down '+event.key)" onkeyup="log('up '+event.key)">
<select id=s><option value=a>Alpha<option value=b>Beta</select>
<input id=c type=checkbox><input id=f type=file onchange="log(this.files[0].name)">
<div id=box draggable=true ondragstart="log('dragstart');event.dataTransfer.setData('a','b')"></div>
<div id=drop ondragover="event.preventDefault()" ondrop="log('drop');event.preventDefault()"></div>
<p id=far>far</p><script>var said=[];function log(x){said.push(x)}</script>"""


async def test_click_dblclick_and_hover_reach_the_element(room: Room) -> None:
    tab = await room.show(_HTML)
    assert (await room.do(tab, "click", target="#b"))["action"] == "clicked"
    await room.do(tab, "click", target="button=Go", button="right", count=1, position=[3, 3])
    await room.do(tab, "dblclick", target="#b")
    said = await room.js(tab, "said")
    assert said.count("click 0") == 3
    assert {"menu", "dblclick", "over"} <= set(said)
    await room.do(tab, "hover", target="#i")
    await room.js(tab, "said = []; 0")
    await room.do(tab, "hover", target="#b")
    assert await room.js(tab, "said") == ["over"]


async def test_type_fill_clear_press_and_focus_change_a_field(room: Room) -> None:
    tab = await room.show(_HTML)
    await room.do(tab, "fill", target="#i", value="one")
    await room.do(tab, "type", target="#i", text=" two")
    assert await room.js(tab, "i.value") == "one two"
    await room.do(tab, "clear", target="#i")
    assert await room.js(tab, "i.value") == ""
    await room.do(tab, "focus", target="#b")
    assert await room.js(tab, "document.activeElement.id") == "b"
    await room.do(tab, "press", keys="x", target="#i")
    assert await room.js(tab, "i.value") == "x"


async def test_held_keys_are_let_go(room: Room) -> None:
    tab = await room.show(_HTML)
    await room.do(tab, "focus", target="#i")
    await room.do(tab, "key_down", key="Shift")
    await room.do(tab, "key_up", key="Shift")
    await room.do(tab, "key_down", key="a")
    await room.do(tab, "key_up")
    said = [line for line in await room.js(tab, "said") if line != "focus"]
    assert said == ["down Shift", "up Shift", "down a", "up a"]


async def test_select_check_and_uncheck_set_what_they_say(room: Room) -> None:
    tab = await room.show(_HTML)
    await room.do(tab, "select", target="#s", values="Beta")
    assert await room.js(tab, "s.value") == "b"
    await room.do(tab, "select", target="#s", values=[0])
    assert await room.js(tab, "s.value") == "a"
    await room.do(tab, "check", target="#c")
    assert await room.js(tab, "c.checked") is True
    await room.do(tab, "uncheck", target="#c")
    assert await room.js(tab, "c.checked") is False


async def test_scrolling_goes_by_pixels_to_edges_and_to_elements(room: Room) -> None:
    tab = await room.show(_HTML)
    await room.do(tab, "scroll", dy=200)
    assert await room.js(tab, "scrollY") == 200
    await room.do(tab, "scroll", to="top")
    assert await room.js(tab, "scrollY") == 0
    await room.do(tab, "scroll_into_view", target="#far")
    assert await room.js(tab, "scrollY") > 1000


async def test_drag_drops_one_element_on_another_or_by_a_distance(room: Room) -> None:
    tab = await room.show(_HTML)
    await room.do(tab, "drag", source="#box", destination="#drop")
    assert {"dragstart", "drop"} <= set(await room.js(tab, "said"))
    await room.do(tab, "drag", source="#box", by=[0, 45])
    with pytest.raises(ToolError, match=r"by: .* is not a distance"):
        await room.do(tab, "drag", source="#box", by=[1])


async def test_upload_gives_a_file_from_an_allowed_folder_only(room: Room) -> None:
    tab = await room.show(_HTML)
    file = room.files / "note.txt"
    file.write_text("hello")
    await room.do(tab, "upload", target="#f", paths=str(file))
    assert "note.txt" in await room.js(tab, "said")
    with pytest.raises(ToolError):
        await room.do(tab, "upload", target="#f", paths="/etc/passwd")


async def test_clipboard_gives_back_what_was_put_in(room: Room) -> None:
    tab = await room.show(_HTML)
    assert await room.do(tab, "clipboard_write", text="copied") == {"written": 6}
    assert await room.do(tab, "clipboard_read") == "copied"
