"""Downloads of lent tabs are told as the browser would tell them."""

from __future__ import annotations

import pytest

from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage

BEGUN = {"frameId": "F", "guid": "G", "url": "https://x.test/f", "suggestedFilename": "f"}


async def test_only_who_is_on_the_tab_hears_of_its_downloads() -> None:
    tab = FakeTab(1)
    async with open_stage(FakeExtension(tab)) as stage:
        one, two = await stage.browser(), await stage.browser()
        for browser in (one, two):
            await stage.send(
                "Browser.setDownloadBehavior", browser, behavior="allowAndName", eventsEnabled=True
            )
        page = await stage.attach(tab, one)
        await stage.send("Page.enable", page)
        stage.extension.event(1, "Page.downloadWillBegin", BEGUN)
        stage.extension.event(1, "Page.downloadWillBegin", BEGUN)
        done = {"guid": "G", "totalBytes": 1, "receivedBytes": 1, "state": "completed"}
        stage.extension.event(1, "Page.downloadProgress", done)
        await stage.settle()
        assert stage.heard("Browser.downloadWillBegin", one) == [BEGUN]
        assert stage.heard("Browser.downloadProgress", one) == [done]
        assert stage.heard("Browser.downloadWillBegin", two) == []
        assert len(stage.heard("Page.downloadProgress", page)) == 1


async def test_downloads_cannot_be_forbidden() -> None:
    async with open_stage(FakeExtension(FakeTab(1))) as stage:
        with pytest.raises(CommandFailed, match="cannot stop downloads"):
            await stage.send("Browser.setDownloadBehavior", behavior="deny")
