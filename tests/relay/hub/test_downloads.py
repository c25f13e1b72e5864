"""Downloads of clients go where they are wanted, and over nothing that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.relay.hub_client import Talk, came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def page_with_link(me: Talk, place: Hosted, name: str) -> str:
    """A session of a page with a link to a download."""
    link = place.pages.add_download(f"/{name}", b"from the page", name)
    url = place.pages.add(f"/{name}.html", f"<title>{name}</title><a id=a href='{link}'>x</a>")
    _, session = await me.page()
    await me.ask("Page.enable", {}, session)
    await me.ask("Page.navigate", {"url": url}, session)
    await me.event("Page.loadEventFired", session)
    return session


async def downloaded(me: Talk, session: str) -> dict[str, Any]:
    """Click the link; what is told when the download is whole."""
    before = len(me.heard)
    await me.value(session, "document.getElementById('a').click()")
    found = await me.find(
        lambda m: (
            m in me.heard[before:]
            and m.get("method") == "Browser.downloadProgress"
            and m["params"]["state"] == "completed"
        )
    )
    params: dict[str, Any] = found["params"]
    return params


async def test_a_download_by_name_goes_over_no_file(place: Hosted) -> None:
    me = await came(place.hub, owner="named")
    folder = place.folder / "by-name"
    folder.mkdir()
    (folder / "name.txt").write_text("precious")
    wanted = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": True}
    await me.ask("Browser.setDownloadBehavior", wanted)
    session = await page_with_link(me, place, "name.txt")
    first = await downloaded(me, session)
    second = await downloaded(me, session)
    kept = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    assert kept.pop("name.txt") == "precious"
    assert list(kept.values()) == ["from the page", "from the page"]
    if "filePath" in first:
        assert {Path(one["filePath"]).name for one in (first, second)} == set(kept)
    me.guest.on_disconnect("done")
    assert [path for path in folder.iterdir() if path.is_dir()] == []


async def test_a_page_says_where_its_downloads_go_and_hears_nothing_it_did_not_ask_for(
    place: Hosted,
) -> None:
    me = await came(place.hub, owner="page")
    folder = place.folder / "of-a-page"
    session = await page_with_link(me, place, "paged.txt")
    wanted = {"behavior": "allow", "downloadPath": str(folder)}
    await me.ask("Page.setDownloadBehavior", wanted, session)
    await me.value(session, "document.getElementById('a').click()")
    progress = "Page.downloadProgress"
    await me.event(progress, session, where=lambda p: p["state"] == "completed")
    # The browser tells its own sessions after those of the page, or before.
    await me.ask("Browser.getVersion")
    assert (folder / "paged.txt").read_text() == "from the page"
    assert not [m for m in me.heard if m.get("method", "").startswith("Browser.download")]
    me.guest.on_disconnect("done")


async def test_downloads_wanted_elsewhere_go_to_the_clients_own_folder(place: Hosted) -> None:
    me = await came(place.hub, owner="mapped")
    for behavior in ("allow", "allowAndName"):
        wanted = {"behavior": behavior, "downloadPath": "/etc", "eventsEnabled": True}
        await me.ask("Browser.setDownloadBehavior", wanted)
        await downloaded(me, await page_with_link(me, place, f"{behavior}.txt"))
    own = place.folder / "clients" / "mapped" / "downloads"
    files = [path for path in own.iterdir() if path.is_file()]
    assert [path.read_text() for path in files] == ["from the page"] * 2
    assert "allow.txt" in [path.name for path in files]
    me.guest.on_disconnect("done")
