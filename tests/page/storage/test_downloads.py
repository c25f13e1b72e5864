"""Downloads of a tab, on a real Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Target
from pilothouse.errors import ToolError
from pilothouse.page.storage.downloads import TabDownloads
from pilothouse.page.tab_context import TabContext
from pilothouse.security.file_access import FileAccess
from pilothouse.supervisor import Options
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CLICK = """(() => {
  const link = document.createElement("a");
  link.href = %r;
  link.target = %r;
  document.body.append(link);
  link.click();
  return 1;
})()"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("by-guid")
    async with staged(Options(downloads=str(folder))) as made:
        made.pages.add_download("/get", "content", "re:port.csv")
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def downloads(stage: Stage, tmp_path: Path) -> AsyncIterator[TabDownloads]:
    made = await opened(stage, tmp_path)
    yield made
    await stage.clear()


async def opened(stage: Stage, folder: Path, context: str = "") -> TabDownloads:
    tab = await stage.sup.open_tab("owner", stage.pages.url("/main.html"), context)
    await stage.loaded(tab)
    return TabDownloads(TabContext(stage.sup, tab), FileAccess(writes=(folder,)))


def files(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


async def click(stage: Stage, path: str = "/get", target: str = "") -> None:
    tab = [t for t in stage.sup.state.tabs.values() if t.owner == "owner"][-1]
    top = await stage.loaded(tab.id)
    await stage.run(top.id, CLICK % (stage.pages.url(path), target), gesture=True)


async def test_a_download_is_saved_under_its_own_name(
    stage: Stage, downloads: TabDownloads, tmp_path: Path
) -> None:
    arrival = downloads.expect(WITHIN_S)
    await click(stage)
    saved = await arrival
    assert saved.path is not None
    assert files(tmp_path) == [saved.path.name] == ["re_port.csv"]
    assert await asyncio.to_thread(saved.path.read_text) == "content"
    assert downloads.all() == [saved]


async def test_no_file_is_ever_replaced(
    stage: Stage, downloads: TabDownloads, tmp_path: Path
) -> None:
    for _ in range(2):
        arrival = downloads.expect(WITHIN_S, to="mine.csv")
        await click(stage)
        await arrival
    assert files(tmp_path) == ["mine (2).csv", "mine.csv"]


async def test_a_saved_download_can_be_moved_again(
    stage: Stage, downloads: TabDownloads, tmp_path: Path
) -> None:
    arrival = downloads.expect(WITHIN_S)
    await click(stage)
    saved = await downloads.save_as((await arrival).id, "other.txt")
    assert saved.path is not None
    assert files(tmp_path) == [saved.path.name] == ["other.txt"]


@pytest.mark.parametrize("to", ["../out.csv", "/etc/out.csv", "~/out.csv", "no/such/folder.csv"])
async def test_nothing_is_saved_outside(
    stage: Stage, downloads: TabDownloads, tmp_path: Path, to: str
) -> None:
    arrival = downloads.expect(WITHIN_S, to=to)
    await click(stage)
    with pytest.raises(ToolError, match="refused"):
        await arrival
    (left,) = downloads.all()
    assert left.path is None
    assert (await downloads.save_as(left.id)).path is not None


async def test_a_download_of_a_tab_that_opened_for_it_counts(
    stage: Stage, downloads: TabDownloads
) -> None:
    arrival = downloads.expect(WITHIN_S)
    await click(stage, target="_blank")
    assert (await arrival).filename.endswith("port.csv")


async def test_another_tabs_download_is_not_mine(
    stage: Stage, downloads: TabDownloads, tmp_path: Path
) -> None:
    other = await opened(stage, tmp_path)
    arrival = other.expect(WITHIN_S)
    await click(stage)
    await arrival
    assert downloads.all() == []


async def test_other_contexts_download_too(stage: Stage, tmp_path: Path) -> None:
    made = await stage.sup.connection.send(Target.createBrowserContext())
    downloads = await opened(stage, tmp_path, made["browserContextId"])
    arrival = downloads.expect(WITHIN_S)
    await click(stage)
    assert (await arrival).path is not None
    await stage.clear()


async def test_a_download_that_does_not_come_is_told(downloads: TabDownloads) -> None:
    with pytest.raises(ToolError, match=r"no download ended within 0.1 s"):
        await downloads.expect(0.1)


async def test_a_download_that_breaks_off_is_told(stage: Stage, downloads: TabDownloads) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=half.bin\r\n"
            b"Content-Length: 1000\r\n\r\nhalf"
        )
        writer.close()

    async with await asyncio.start_server(half, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        tab = next(iter(t for t in stage.sup.state.tabs.values() if t.owner == "owner"))
        arrival = downloads.expect(WITHIN_S)
        await stage.sup.cdp("Page.navigate", {"url": f"http://127.0.0.1:{port}/x"}, tab=tab.id)
        with pytest.raises(ToolError, match="canceled"):
            await arrival
    (broken,) = downloads.all()
    with pytest.raises(ToolError, match="not completed"):
        await downloads.save_as(broken.id)
    with pytest.raises(ToolError, match="no download"):
        await downloads.save_as("other")


async def test_a_file_that_is_gone_is_told(stage: Stage, downloads: TabDownloads) -> None:
    arrival = downloads.expect(WITHIN_S)
    await click(stage)
    saved = await arrival
    assert saved.path is not None
    await asyncio.to_thread(saved.path.unlink)
    with pytest.raises(ToolError, match="no longer here"):
        await downloads.save_as(saved.id, "again.csv")
