"""A tab and whose it is; how tabs come and go is in test_tabs.py."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pilothouse.browsers import AppKind, ConnectedKind, ExtensionKind, HeadlessKind
from pilothouse.supervisor import TabKey
from pilothouse.tabs.open_and_close_requests import CloseRequest
from pilothouse.tabs.owned_tab_and_browser import browser_without_page
from tests.tabs.tabs_setup import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_tab_shows_itself_and_knows_when_it_has_gone(room: Room) -> None:
    tab = await room.show("<title>mine</title>")
    await tab.supervisor.refresh(tab.tab_id)
    shown = tab.describe()
    assert (shown["name"], shown["title"], shown["alive"]) == ("main", "mine", True)
    async with tab.lease.hold("click", 1.0):
        assert tab.describe()["busy"] == "click"
    await room.tabs.close(room.owner, CloseRequest())
    assert (tab.alive, tab.describe()["alive"], tab.describe()["url"]) == (False, False, "")


async def test_supervisor_knows_a_tab_and_its_popups_by_its_key_and_forgets_it_with_the_last(
    room: Room,
) -> None:
    state = room.tabs.get("whoever keeps the browser open", "kept").supervisor
    before = set(state.state.policies)
    tab = await room.show("<a target=_blank href=about:blank#p>pop</a>", "opener")
    assert tab.key == TabKey(room.owner, "opener")
    await room.do(tab, "click", target="text=pop")
    popup = room.tabs.get(room.owner, "opener.1")
    assert popup.key == tab.key
    await room.tabs.close(room.owner, CloseRequest("opener"))
    assert tab.key in state.state.policies
    await room.tabs.close(room.owner, CloseRequest("opener.1"))
    assert set(state.state.policies) <= before


@pytest.mark.parametrize(
    "kind",
    [
        ConnectedKind("9222", "Inbox"),
        AppKind("/app", target="Inbox"),
        ExtensionKind("w", "Inbox"),
    ],
)
async def test_browser_is_the_same_whichever_page_of_it_is_meant(
    kind: ConnectedKind | AppKind | ExtensionKind,
) -> None:
    assert browser_without_page(kind) == replace(kind, target=None)
    assert browser_without_page(HeadlessKind()) == HeadlessKind()
