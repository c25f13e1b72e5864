"""On a page's session nearly everything passes; what reaches beyond the page does not."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from pilothouse.relay.page_commands import ACTING, PAGE_COMMANDS
from pilothouse.relay.refusals import DESTRUCTIVE
from tests.relay.hosted import Hosted
from tests.relay.hub_talk import came

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_the_table_holds_what_reaches_beyond_a_page() -> None:
    assert set(ACTING) <= PAGE_COMMANDS.keys()
    assert set(DESTRUCTIVE) <= PAGE_COMMANDS.keys()
    assert {"Target.createTarget", "Browser.close", "Storage.getCookies"} <= PAGE_COMMANDS.keys()
    assert not {"Runtime.getProperties", "DOM.getDocument", "Network.enable"} & PAGE_COMMANDS.keys()


async def test_acting_on_a_tab_takes_its_lease(place: Hosted) -> None:
    me = await came(place.hub, label="actor")
    target, session = await me.page()
    assert place.hub.leases.of(target) is None
    await me.ask("Page.navigate", {"url": "about:blank"}, session)
    lease = place.hub.leases.of(target)
    assert lease is not None
    assert lease.label == "actor"
    me.guest.on_gone("done")
    assert place.hub.leases.of(target) is None


async def test_pictures_are_packed_quickly_and_have_the_same_pixels(place: Hosted) -> None:
    me = await came(place.hub)
    _, session = await me.page()
    script = "document.body.innerHTML = '<h1>Ahoy</h1>'.repeat(20)"
    await me.ask("Runtime.evaluate", {"expression": script}, session)
    asked: list[dict[str, Any]] = [
        {},
        {"format": "png", "optimizeForSpeed": True},
        {"optimizeForSpeed": False},
    ]
    quick, as_quick, small = [
        base64.b64decode((await me.ask("Page.captureScreenshot", params, session))["data"])
        for params in asked
    ]
    assert quick == as_quick
    assert len(small) < len(quick)
    same = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in (quick, small)]
    assert same[0].tobytes() == same[1].tobytes()
    jpeg = await me.ask("Page.captureScreenshot", {"format": "jpeg"}, session)
    assert base64.b64decode(jpeg["data"])[:2] == b"\xff\xd8"
    me.guest.on_gone("done")


async def test_a_page_may_close_itself(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    me.tell("Page.close", {}, session)
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)
    me.guest.on_gone("done")
