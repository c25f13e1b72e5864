"""On a page's session nearly everything passes; what reaches beyond the page does not."""

from __future__ import annotations

import pytest

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


async def test_a_page_may_close_itself(place: Hosted) -> None:
    me = await came(place.hub)
    target, session = await me.page()
    me.tell("Page.close", {}, session)
    await me.event("Target.detachedFromTarget", where=lambda p: p["targetId"] == target)
    me.guest.on_gone("done")
