"""What takes time: tabs and jars are closed the safe way, and the client hears how it went."""

from __future__ import annotations

import pytest

from tests.relay.hub_client import came
from tests.relay.hub_server import Hosted

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_a_jar_with_a_dialog_open_in_it_is_emptied(place: Hosted) -> None:
    me = await came(place.hub)
    jar = (await me.ask("Target.createBrowserContext"))["browserContextId"]
    target, session = await me.page(browserContextId=jar)
    await me.ask("Page.enable", {}, session)
    me.tell("Runtime.evaluate", {"expression": "alert('open')"}, session)
    await me.event("Page.javascriptDialogOpening", session)
    await me.ask("Target.disposeBrowserContext", {"browserContextId": jar})
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)
    me.guest.on_disconnect("done")


async def test_a_tab_with_a_dialog_open_in_it_is_closed(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    await me.ask("Page.enable", {}, session)
    me.tell("Runtime.evaluate", {"expression": "alert('open')"}, session)
    await me.event("Page.javascriptDialogOpening", session)
    await me.ask("Target.closeTarget", {"targetId": target})
    assert place.sup.state.tab_of_target(target) is None
    me.guest.on_disconnect("done")
