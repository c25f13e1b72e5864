"""Every argument that is a path, of every verb and tool: nothing outside its folders is touched."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.browsers import Browsers
from pilothouse.errors import PilothouseError
from pilothouse.security.file_access import FileAccess
from pilothouse.supervisor import Options, Supervisors
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.open_and_close_requests import OpenRequest
from pilothouse.tabs.owned_tab_and_browser import OwnedTab
from pilothouse.tabs.tabs import Tabs
from pilothouse.tabs.verb import VERBS, invoke, plain
from pilothouse.tools import catalog
from pilothouse.tools.tool import TOOLS
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CANARY = "root:x:0 canary 7f3a"
WITHIN_S = 5.0

# Each verb with a path, and which argument it is. What reads, and what writes.
READS = {"upload": "paths", "load_state": "state", "answer": "detail.files"}
WRITES = {"screenshot": "save", "pdf": "save", "save_state": "path", "save_download": "to"}
# Tools that take one hand it to these verbs.
TOOL_PATHS = {
    "browser_upload.paths": "upload",
    "browser_interrupt.files": "answer",
    "browser_screenshot.save": "screenshot",
    "browser_pdf.save": "pdf",
    "browser_downloads.to": "save_download",
    "browser_storage.path": "save_state",
}
# Arguments of these names are something else.
NO_PATHS = {
    "browser_drag.to": "an element",
    "scroll.to": "an end of the page",
    "browser_cookies.path": "of a cookie",
    "clear_cookies.path": "of a cookie",
}
_PATHLIKE = {"path", "paths", "save", "to", "file", "files", "folder", "dir"}


@dataclass(slots=True)
class World:
    """Two folders that may be used, one that may not, and a tab."""

    tab: OwnedTab
    pages: Pages
    root: Path
    outside: Path

    @property
    def nasty(self) -> list[str]:
        """Paths that lead out, or to what is no file."""
        return [
            "../outside/canary.txt",
            "../../outside/canary.txt",
            "sub/../../outside/canary.txt",
            "sub//..//..//outside/canary.txt",
            str(self.outside / "canary.txt"),
            f"{self.root}/../outside/canary.txt",
            f"{self.root}/link.txt",
            "link.txt",
            "links/canary.txt",
            f"{self.root}/links/canary.txt",
            "dangling.txt/x",
            "/proc/self/environ",
            "/proc/self/root/etc/passwd",
            f"/proc/self/cwd/{self.outside / 'canary.txt'}",
            "/dev/stdin",
            "/etc/passwd",
            "/",
            ".",
            "..",
            "~/canary.txt",
            "~root/canary.txt",
            "$HOME/canary.txt",
            "canary\0.txt",
            f"{self.outside}/canary.txt\0.png",
            "file:///etc/passwd",
            f"file://{self.outside}/canary.txt",
            "..\\outside\\canary.txt",
            "%2e%2e/outside/canary.txt",
            "pipe",
        ]

    def untouched(self) -> dict[str, tuple[str, str]]:
        """All that is outside, and what is in it."""
        found = {}
        for path in sorted(self.outside.parent.rglob("*")):
            if self.root not in path.parents and path != self.root and path.is_file():
                found[str(path)] = (path.read_text("utf-8"), str(path.stat().st_mode))
        return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[World]:
    base = tmp_path_factory.mktemp("world")
    root, outside = base / "allowed", base / "outside"
    for folder in (root / "sub", root / "downloads", outside):
        folder.mkdir(parents=True)
    (outside / "canary.txt").write_text(CANARY)
    (root / "fine.txt").write_text("fine")
    (root / "link.txt").symlink_to(outside / "canary.txt")
    (root / "links").symlink_to(outside)
    (root / "dangling.txt").symlink_to(outside / "new")
    os.mkfifo(root / "pipe")
    paths = FileAccess(reads=(root,), writes=(root,))
    with Pages() as pages:
        pages.add("/form.html", "<!doctype html><title>form</title><input type=file id=in>")
        async with Browsers() as browsers, Supervisors() as supervisors:
            tabs = Tabs(
                browsers,
                supervisors,
                options=Options(downloads=str(root / "downloads")),
                files=lambda owner: paths,
            )
            opened = await tabs.open("me", OpenRequest(url=pages.url("/form.html")))
            yield World(opened.tab, pages, root, outside)


async def _said(tab: OwnedTab, verb: str, **given: Any) -> str:
    """What a verb says, be it that it refuses."""
    assert verb in VERBS
    try:
        return json.dumps(plain(await invoke(tab, verb, given)))
    except PilothouseError as error:
        return f"refused: {error.format_line()}"


async def test_every_argument_that_may_be_a_path_is_known_here() -> None:
    assert catalog.DECLARED
    verbs = {
        f"{name}.{p.name}"
        for name, verb in VERBS.items()
        for p in verb.parameters
        if p.name in _PATHLIKE
    }
    listed = {f"{verb}.{name}" for verb, name in (READS | WRITES).items()}
    assert verbs - listed - NO_PATHS.keys() == set()
    tools = {
        f"{name}.{argument}"
        for name, tool in TOOLS.items()
        for argument in tool.schema["properties"]
        if argument in _PATHLIKE
    }
    assert tools - TOOL_PATHS.keys() - NO_PATHS.keys() == set()
    assert set(TOOL_PATHS.values()) <= READS.keys() | WRITES.keys()


async def test_no_upload_reads_outside(world: World) -> None:
    read = "[...document.querySelector('#in').files].length"
    for path in world.nasty:
        said = await _said(world.tab, "upload", target="#in", paths=path, timeout=WITHIN_S)
        assert said.startswith("refused"), path
        assert CANARY not in said
    assert await _said(world.tab, "evaluate", code=read) == "0"
    fine = await _said(world.tab, "upload", target="#in", paths="fine.txt", timeout=WITHIN_S)
    assert not fine.startswith("refused")


async def test_no_chooser_is_given_files_from_outside(world: World) -> None:
    await invoke(world.tab, "goto", {"url": world.pages.url("/form.html")})
    await _said(world.tab, "click", target="#in")
    waiting = plain(await invoke(world.tab, "dialogs", {}))["interrupts"]
    (chooser,) = [one["id"] for one in waiting if one["kind"] == "file_chooser"]
    for path in world.nasty:
        said = await _said(
            world.tab,
            "answer",
            interrupt_id=chooser,
            action="upload",
            detail={"files": [path]},
        )
        assert said.startswith("refused"), path
    await invoke(world.tab, "answer", {"interrupt_id": chooser, "action": "cancel"})


async def test_no_state_is_read_from_outside(world: World) -> None:
    for path in world.nasty:
        said = await _said(world.tab, "load_state", state=path)
        assert said.startswith("refused"), path
        assert "canary 7f3a" not in said


@pytest.mark.parametrize("verb", ["screenshot", "pdf", "save_state"])
async def test_nothing_is_written_outside(world: World, verb: str) -> None:
    before = world.untouched()
    for path in [*world.nasty, "dangling.txt", "sub"]:
        with contextlib.suppress(ValueError):
            await _said(world.tab, verb, **{WRITES[verb]: path})
    assert world.untouched() == before
    assert not (world.outside / "new").exists()
    # Whatever was written went into the folder itself, as a plain file.
    for written in world.root.rglob("*"):
        if written.is_file() and not written.is_symlink():
            assert written.resolve().is_relative_to(world.root.resolve())


async def test_no_download_is_saved_outside(world: World) -> None:
    url = world.pages.add_download("/got.txt", "what was fetched", "../../outside/named.txt")
    before = world.untouched()
    await _said(world.tab, "goto", url=url)
    wait = await _said(world.tab, "wait_for", download=True, timeout=WITHIN_S)
    got = plain(await invoke(world.tab, "downloads", {}))
    assert got, wait
    for path in world.nasty:
        await _said(world.tab, "save_download", id=got[0]["id"], to=path)
    assert world.untouched() == before
