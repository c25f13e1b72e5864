"""The extension in a Chromium with a window, loaded in other ways, twice, and after a restart."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

import pytest

from pilothouse.relay.extension.installation import EXTENSION_ID
from tests.extension.chrome_relay_and_pages import open_stage
from tests.extension.chrome_with_extension import chrome_with_extension, on_a_screen, paired_copy
from tests.extension.fake_relay import FakeRelay

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


async def test_on_a_screen_it_does_what_it_does_without_one(chromium_path: Path) -> None:
    with on_a_screen() as environment:
        async with open_stage(chromium_path, environment=environment) as stage:
            assert "Headless" not in stage.relay.visit.hello["userAgent"]
            inner = stage.page("<title>inner</title>", host="localhost")
            tab_id = await stage.held(f'<title>outer</title><iframe src="{inner}"></iframe>')
            await stage.relay.cdp(tab_id, "Target.setAutoAttach", autoAttach=True, flatten=True,
                                waitForDebuggerOnStart=False)  # fmt: skip
            frame = await stage.relay.event(tab_id, "Target.attachedToTarget")
            child = frame["params"]["sessionId"]
            assert await stage.relay.value(tab_id, "document.title", child) == "inner"
            await stage.relay.cdp(tab_id, "Page.enable")
            await stage.relay.value(tab_id, "void setTimeout(() => (self.got = confirm('Go?')))")
            await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
            await stage.relay.cdp(tab_id, "Page.handleJavaScriptDialog", accept=True)
            assert await stage.relay.value(tab_id, "self.got") is True
            await stage.relay.cdp(tab_id, "Emulation.setFocusEmulationEnabled", enabled=True)
            shot = await stage.relay.cdp(tab_id, "Page.captureScreenshot")
            assert base64.b64decode(shot["data"]).startswith(b"\x89PNG")
            made = await stage.relay.ask("createTab", url=inner, client="claude")
            await stage.listed(inner)
            assert await stage.relay.ask("closeTab", tabId=made["tabId"]) == {"closed": True}
            welcomes = stage.relay.welcomes()
            await stage.chrome.kill_worker()
            await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
            assert await stage.relay.value(tab_id, "document.title") == "outer"


async def test_two_profiles_with_one_folder_are_told_apart_and_one_comes_back(
    chromium_path: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="ph-two-", ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        async with FakeRelay("").running() as relay:
            installed = paired_copy(root, relay.port)
            relay.secret = installed.secret
            async with chrome_with_extension(chromium_path, installed.folder, profile=root / "one"):
                await relay.wait(relay.welcomes)
                first = relay.visit.hello
                # The other way in: over the debugging port, as a tool would load it.
                async with chrome_with_extension(
                    chromium_path, None, "--enable-unsafe-extension-debugging"
                ) as second:
                    loaded = await second.call(
                        "Extensions.loadUnpacked", path=str(installed.folder)
                    )
                    assert loaded["id"] == EXTENSION_ID
                    await relay.wait(lambda: relay.welcomes() == 2)
                    other = relay.visit.hello
                    assert (await relay.ask("listTabs"))["tabs"]
            assert first["install"] == other["install"]
            assert first["profile"] != other["profile"]
            # After a restart of the browser it is who it was.
            async with chrome_with_extension(chromium_path, installed.folder, profile=root / "one"):
                await relay.wait(lambda: relay.welcomes() == 3)
                assert relay.visit.hello["profile"] == first["profile"]
                assert (await relay.ask("listTabs"))["tabs"]
