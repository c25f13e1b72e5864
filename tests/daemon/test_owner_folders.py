"""Where the files of a session are: what is downloaded, uploaded and saved, on each surface."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.client import Client
from pilothouse.daemon.owner_folders import KEPT_DAYS, SessionFiles, parse_folders
from pilothouse.errors import ToolError
from pilothouse.paths import RuntimePaths
from pilothouse.security.file_access import DOWNLOADS
from pilothouse.settings import BrowserSettings
from tests.cli.cli_process import run
from tests.daemon.daemon_process import Home, at_home
from tests.daemon.raw_mcp_client import LONGEST, Talk, talking
from tests.page_server import Pages

pytestmark = pytest.mark.timeout(180)

ROOT = Path(__file__).parents[2]

_HTML = """<!doctype html><title>files</title>
<a id=get href="/report.csv" download>Report</a>
<a id=blank target=_blank href="/report.csv">Blank</a>
<label>Resume <input type=file id=file></label>
<button id=attach onclick="const made = document.createElement('input'); made.type = 'file';
  made.onchange = () => out.value = 'attached ' + made.files[0].name; made.click()">Attach</button>
<output id=out></output>"""


# The folders themselves.


def test_what_sessions_left_long_ago_is_removed_and_downloads_on_their_way(tmp_path: Path) -> None:
    paths = RuntimePaths(tmp_path)
    files = SessionFiles(paths, BrowserSettings())
    for name in ("old", "new", ".incoming"):
        (paths.files / name).mkdir(parents=True)
        (paths.files / name / "file").write_text(name)
    long_ago = (paths.files / "new").stat().st_mtime - (KEPT_DAYS + 1) * 86400
    for path in (paths.files / "old" / "file", paths.files / "old"):
        os.utime(path, (long_ago, long_ago))
    files.sweep()
    assert [path.name for path in paths.files.iterdir()] == ["new"]


def test_an_owners_folders_follow_its_roots(tmp_path: Path) -> None:
    files = SessionFiles(RuntimePaths(tmp_path / "run"), BrowserSettings(uploadDirs=("~/x",)))
    mine = files.for_owner("me")
    assert mine.own == tmp_path / "run" / "files" / "me"
    files.set_roots("me", [tmp_path], [], None)
    assert mine.roots == mine.reads[:1] == mine.writes[:1] == (tmp_path,)
    assert mine.downloads == tmp_path / DOWNLOADS
    assert Path("~/x").expanduser() in mine.reads
    assert tmp_path / "run" in mine.never
    files.forget("me")
    assert not mine.roots


@pytest.mark.parametrize("folder", ["/", "~", "/no/such/folder", 7])
def test_files_names_a_folder_that_is_there_and_not_too_wide(folder: Any) -> None:
    given = [os.path.expanduser(folder)] if isinstance(folder, str) else folder
    with pytest.raises(ToolError, match="files: "):
        parse_folders(given)


# The surfaces.


@pytest.fixture(scope="module")
def url(served: Pages) -> str:
    served.add_download("/report.csv", "a,b\n1,2\n", "report.csv")
    return served.add("/files.html", _HTML)


async def begun(talk: Talk, url: str, **able: Any) -> Talk:
    await talk.greet(**able)
    await talk.call("browser_navigate", url=url)
    return talk


@asynccontextmanager
async def speaking(home: Home, *words: str, where: Path) -> AsyncIterator[Talk]:
    """`pilothouse mcp` as a client starts it, in a working directory."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "pilothouse",
        "mcp",
        *words,
        stdin=PIPE,
        stdout=PIPE,
        cwd=where,
        env=home.environ(PYTHONPATH=str(ROOT)),
        limit=LONGEST,
    )
    assert process.stdin
    assert process.stdout
    try:
        yield Talk(process.stdout, process.stdin)
    finally:
        process.stdin.close()
        await process.wait()


def said(result: dict[str, Any]) -> str:
    return "\n".join(str(block.get("text", "")) for block in result["content"])


@pytest.mark.browser
async def test_a_download_is_kept_under_its_name_and_told_with_its_path(
    lived_in: Home, url: str
) -> None:
    async with talking(lived_in) as talk:
        await begun(talk, url)
        told = said(await talk.call("browser_click", ref="#get"))
        path = Path(re.findall(r"downloaded report\.csv to (\S+) \(8 bytes\)", told)[0])
        assert path.name == "report.csv"
        assert path.is_relative_to(lived_in.paths.files)
        assert await asyncio.to_thread(path.read_text) == "a,b\n1,2\n"
        assert "download completed" not in told, "it is told once"
        again = said(await talk.call("browser_click", ref="#blank"))
        assert "report (2).csv (8 bytes)" in again, "of a tab that opened only for it"
        listed = (await talk.call("browser_downloads"))["structuredContent"]["downloads"]
        assert [Path(one["path"]).name for one in listed] == ["report.csv", "report (2).csv"]
        went = said(
            await talk.call("browser_navigate", url=url.replace("files.html", "report.csv"))
        )
        assert "report (3).csv" in went


@pytest.mark.browser
async def test_a_client_that_names_a_root_has_its_downloads_there(
    lived_in: Home, url: str, tmp_path: Path
) -> None:
    async with talking(lived_in, toolsets="browser,browser-data") as talk:
        talk.roots = [tmp_path.as_uri()]
        await begun(talk, url, roots={})
        told = said(await talk.call("browser_click", ref="#get"))
        assert str(tmp_path / DOWNLOADS / "report.csv") in told
        saved = await talk.call("browser_pdf", save="page.pdf")
        assert saved["structuredContent"]["path"] == str(tmp_path / "page.pdf")


@pytest.mark.browser
@pytest.mark.parametrize("given", ["cwd", "files"])
async def test_files_are_uploaded_from_the_working_directory_or_a_named_folder(
    lived_in: Home, url: str, tmp_path: Path, given: str
) -> None:
    (tmp_path / "cv.txt").write_text("sails")
    words, where = ((), tmp_path) if given == "cwd" else (("--files", str(tmp_path)), Path("/"))
    async with speaking(lived_in, *words, where=where) as talk:
        await begun(talk, url)
        # Whatever chooser a click has opened, the files arrive and nothing is left waiting.
        await talk.call("browser_click", ref="#attach")
        await talk.call("browser_click", ref="#file")
        done = await talk.call("browser_upload", ref="#file", paths="cv.txt")
        assert done["isError"] is False, done
        waiting = (await talk.call("browser_interrupt"))["structuredContent"]["interrupts"]
        assert waiting == []
        told = said(await talk.call("browser_upload", ref="#attach", paths="cv.txt"))
        assert "attached cv.txt" in told
        shot = await talk.call("browser_screenshot", save="shot.png")
        assert str(tmp_path / "shot.png") in said(shot)


@pytest.mark.browser
@pytest.mark.boundary
async def test_files_outside_of_the_folders_and_the_daemons_own_are_refused(
    lived_in: Home, url: str, tmp_path: Path
) -> None:
    async with talking(lived_in, files=[str(tmp_path)]) as talk:
        await begun(talk, url)
        for path in ("/etc/passwd", str(lived_in.paths.log), "../../etc/passwd"):
            told = said(await talk.call("browser_upload", ref="#file", paths=path))
            assert "outside the allowed folders" in told, told
        for path in ("/etc/x.png", str(lived_in.paths.root / "x.png")):
            told = said(await talk.call("browser_screenshot", save=path))
            assert "is refused" in told, told
    for wide in ("/", str(Path.home())):
        async with talking(lived_in, cwd=wide) as talk:
            await begun(talk, url)
            told = said(await talk.call("browser_upload", ref="#file", paths="x.txt"))
            assert "is refused" in told
            assert "pilothouse mcp --files DIR" in told
            assert "browser.uploadDirs" in told


@pytest.mark.browser
async def test_downloads_that_are_off_are_refused_and_told(
    chromium_path: Path, served: Pages, url: str, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("browser:\n  downloads: false\n")
    with at_home(chromium_path) as home:
        home.start(PILOTHOUSE_CONFIG=str(config))
        async with talking(home) as talk:
            await begun(talk, url)
            told = said(await talk.call("browser_click", ref="#get"))
            assert "download report.csv was blocked: downloads are off" in told
            assert "pilothouse config set browser.downloads true" in told
            listed = said(await talk.call("browser_downloads"))
            assert "pilothouse config set browser.downloads true" in listed
        assert list(home.paths.files.rglob("report*")) == []


@pytest.mark.browser
async def test_person_finds_downloads_and_copies_one(
    lived_in: Home, url: str, tmp_path: Path
) -> None:
    async def cli(*words: str) -> str:
        code, out, err = await run(*words, "--owner", "bob", **lived_in.environ())
        assert code == 0, err
        return out

    await cli("open", url)
    assert f"downloaded report.csv to {lived_in.paths.files / 'bob'}/" in await cli("click", "#get")
    (one,) = json.loads(await cli("downloads", "--json"))["result"]
    copied = await cli("save-download", one["id"], str(tmp_path / "mine.csv"))
    assert copied.strip() == str(tmp_path / "mine.csv")
    assert (tmp_path / "mine.csv").read_text() == "a,b\n1,2\n"
    await cli("close")


@pytest.mark.browser
def test_python_saves_pictures_documents_and_downloads_where_it_says(
    lived_in: Home, url: str, tmp_path: Path
) -> None:
    with Client(paths=lived_in.paths, start=False) as client:
        tab = client.open(url)
        for made in (
            tab.screenshot(save=str(tmp_path / "a.png")),
            tab.pdf(save=str(tmp_path / "a.pdf")),
        ):
            assert Path(made["path"]).parent == tmp_path
            assert Path(made["path"]).stat().st_size > 100
        tab.click("#get")
        (one,) = tab.downloads()
        saved = tab.save_download(one["id"], str(tmp_path))
        assert saved["path"] == str(tmp_path / "report.csv")
