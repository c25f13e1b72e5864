"""The extension in a Chromium with a window, loaded in other ways, twice, and after a restart."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

import pytest

from pilothouse.relay.extension.files import EXTENSION_ID
from tests.extension.chrome import chrome_with_extension, on_a_screen, paired_copy
from tests.extension.peer import Peer
from tests.extension.room import furnished

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


async def test_on_a_screen_it_does_what_it_does_without_one(chromium_path: Path) -> None:
    with on_a_screen() as environment:
        async with furnished(chromium_path, environment=environment) as room:
            assert "Headless" not in room.peer.visit.hello["userAgent"]
            inner = room.page("<title>inner</title>", host="localhost")
            tab_id = await room.held(f'<title>outer</title><iframe src="{inner}"></iframe>')
            await room.peer.cdp(tab_id, "Target.setAutoAttach", autoAttach=True, flatten=True,
                                waitForDebuggerOnStart=False)  # fmt: skip
            frame = await room.peer.event(tab_id, "Target.attachedToTarget")
            child = frame["params"]["sessionId"]
            assert await room.peer.value(tab_id, "document.title", child) == "inner"
            await room.peer.cdp(tab_id, "Page.enable")
            await room.peer.value(tab_id, "void setTimeout(() => (self.got = confirm('Go?')))")
            await room.peer.event(tab_id, "Page.javascriptDialogOpening")
            await room.peer.cdp(tab_id, "Page.handleJavaScriptDialog", accept=True)
            assert await room.peer.value(tab_id, "self.got") is True
            await room.peer.cdp(tab_id, "Emulation.setFocusEmulationEnabled", enabled=True)
            shot = await room.peer.cdp(tab_id, "Page.captureScreenshot")
            assert base64.b64decode(shot["data"]).startswith(b"\x89PNG")
            made = await room.peer.ask("createTab", url=inner, client="claude")
            await room.listed(inner)
            assert await room.peer.ask("closeTab", tabId=made["tabId"]) == {"closed": True}
            welcomes = room.peer.welcomes()
            await room.chrome.kill_worker()
            await room.peer.wait(lambda: room.peer.welcomes() > welcomes)
            assert await room.peer.value(tab_id, "document.title") == "outer"


async def test_two_profiles_with_one_folder_are_told_apart_and_one_comes_back(
    chromium_path: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="ph-two-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        async with Peer("").running() as peer:
            installed = paired_copy(root, peer.port)
            peer.secret = installed.secret
            async with chrome_with_extension(chromium_path, installed.folder, profile=root / "one"):
                await peer.wait(peer.welcomes)
                first = peer.visit.hello
                # The other way in: over the debugging port, as a tool would load it.
                async with chrome_with_extension(
                    chromium_path, None, "--enable-unsafe-extension-debugging"
                ) as second:
                    loaded = await second.call(
                        "Extensions.loadUnpacked", path=str(installed.folder)
                    )
                    assert loaded["id"] == EXTENSION_ID
                    await peer.wait(lambda: peer.welcomes() == 2)
                    other = peer.visit.hello
                    assert (await peer.ask("listTabs"))["tabs"]
            assert first["install"] == other["install"]
            assert first["profile"] != other["profile"]
            # After a restart of the browser it is who it was.
            async with chrome_with_extension(chromium_path, installed.folder, profile=root / "one"):
                await peer.wait(lambda: peer.welcomes() == 3)
                assert peer.visit.hello["profile"] == first["profile"]
                assert (await peer.ask("listTabs"))["tabs"]
