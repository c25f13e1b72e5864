"""What is kept, and what the page is told of the world, by name."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_cookies_are_set_listed_and_cleared(room: Room) -> None:
    tab = await room.show("<title>c</title>")
    await room.do(tab, "clear_cookies")
    url = await room.do(tab, "url")
    cookie = {"name": "n", "value": "v", "url": url}
    assert await room.do(tab, "set_cookies", cookies=[cookie]) == {"set": 1}
    await room.js(tab, "document.cookie = 'm=w'")
    assert {c["name"] for c in await room.do(tab, "cookies", urls=[url])} == {"n", "m"}
    await room.do(tab, "clear_cookies", name="n")
    assert [c["name"] for c in await room.do(tab, "cookies")] == ["m"]
    await room.do(tab, "clear_cookies")
    assert await room.do(tab, "cookies") == []


async def test_storage_is_read_and_written(room: Room) -> None:
    tab = await room.show("<title>s</title>")
    await room.js(tab, "localStorage.clear()")
    await room.do(tab, "set_storage", key="k", value="v")
    assert await room.do(tab, "storage", key="k") == "v"
    assert await room.do(tab, "storage") == {"k": "v"}
    await room.do(tab, "set_storage", key="k", value=None)
    assert await room.do(tab, "storage") == {}
    await room.do(tab, "set_storage", key="k", value="v", kind="session")
    assert await room.js(tab, "sessionStorage.k") == "v"


@pytest.mark.parametrize("path", ["", "state.json"])
async def test_state_is_saved_and_restored(room: Room, path: str) -> None:
    tab = await room.show("<title>s</title>")
    await room.js(tab, "document.cookie = 'kept=1'; localStorage.kept = 'yes'; 0")
    name = str(room.files / path) if path else ""
    saved: Any = await room.do(tab, "save_state", path=name)
    await room.do(tab, "clear_cookies")
    await room.js(tab, "localStorage.clear()")
    state = name or {key: value for key, value in saved.items() if key in ("cookies", "origins")}
    await room.do(tab, "load_state", state=state)
    assert await room.js(tab, "document.cookie") == "kept=1"
    assert await room.do(tab, "storage", key="kept") == "yes"
    await room.do(tab, "clear_cookies")
    await room.js(tab, "localStorage.clear()")


async def test_viewport_and_world_are_as_the_page_is_told(room: Room) -> None:
    tab = await room.show("<title>e</title>", "told")
    await room.do(tab, "viewport", width=500, height=400, scale=2.0)
    assert await room.js(tab, "[innerWidth, innerHeight, devicePixelRatio]") == [500, 400, 2]
    await room.do(tab, "emulate", timezone="Asia/Tokyo", locale="de-DE", color_scheme="dark")
    told = "[Intl.DateTimeFormat().resolvedOptions().timeZone, (1.5).toLocaleString(),"
    told += " matchMedia('(prefers-color-scheme: dark)').matches]"
    assert await room.js(tab, told) == ["Asia/Tokyo", "1,5", True]
    await room.do(tab, "emulate", offline=True)
    assert await room.js(tab, "navigator.onLine") is False
    await room.do(tab, "emulate", offline=False, user_agent="Ours/1.0", geolocation=[48.2, 16.4])
    assert await room.js(tab, "navigator.userAgent") == "Ours/1.0"
    await room.do(tab, "emulate", media="print")
    assert await room.js(tab, "matchMedia('print').matches") is True
    assert "Asia/Tokyo" in str(await room.do(tab, "emulate"))
    await room.do(tab, "emulate", reset=True)
    assert await room.js(tab, "navigator.userAgent") != "Ours/1.0"
    with pytest.raises(ToolError, match="geolocation:"):
        await room.do(tab, "emulate", geolocation=[1])


async def test_downloads_are_listed_and_saved_under_their_own_name(room: Room) -> None:
    link = room.pages.add_download("/file.bin", b"12345", "file.bin")
    tab = await room.show(f"<a href={link}>get</a>", "loads")
    await room.do(tab, "click", target="text=get")
    await tab.supervisor.wait_for(
        lambda s: [d for d in s.downloads.values() if d.state == "completed"], 20.0
    )
    got = await room.do(tab, "downloads")
    assert got[0]["state"] == "completed"
    saved = await room.do(tab, "save_download", id=got[0]["id"])
    assert saved["path"] == str(room.files / "file.bin")
    assert (room.files / "file.bin").read_bytes() == b"12345"
