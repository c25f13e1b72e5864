"""Finished downloads are given their names in the folder of whoever's tab they are of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pilothouse.browsers import Browsers
from pilothouse.security.file_access import FileAccess
from pilothouse.supervisor import Options, Supervisors
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.open_and_close_requests import open_request
from pilothouse.tabs.tabs import Tabs
from pilothouse.tabs.verb import invoke
from tests.page_server import Pages

pytestmark = pytest.mark.browser


async def test_each_owner_finds_its_own_downloads_in_its_own_folder(
    chromium_path: Path, tmp_path: Path
) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()

    def files(owner: str) -> FileAccess:
        if owner == "nobody":
            (tmp_path / "nobody").write_text("a file, where a folder is wanted")
        return FileAccess(downloads=tmp_path / owner)

    with Pages() as pages:
        pages.add_download("/get", "tide table", "../tide:s.csv")
        url = pages.add("/main.html", "<a href=/get>Get</a>")
        async with Browsers() as browsers, Supervisors() as supervisors:
            options = Options(downloads=str(incoming))
            tabs = Tabs(browsers, supervisors, options=options, files=files)
            told = {}
            for owner in ("ann", "bob", "nobody"):
                tab = (await tabs.open(owner, open_request({"url": url}))).tab
                receipt = (await invoke(tab, "click", {"target": "link=Get"})).value
                (told[owner],) = receipt.downloads
                (listed,) = await invoke(tab, "downloads", {})
                assert str(listed.path or "") == told[owner]["path"] or owner == "nobody"
            for owner in ("ann", "bob"):
                kept = Path(told[owner]["path"])
                assert kept == tmp_path / owner / kept.name
                assert "tide_s.csv" in kept.name
                assert await asyncio.to_thread(kept.read_text) == "tide table"
            assert "nobody" in told["nobody"]["problem"], "why it could not be kept"
            assert len(list(incoming.iterdir())) == 1, "it stays where it came to"
