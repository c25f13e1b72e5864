"""How events and lost connections reach the supervisor, on a fake Chrome."""

from __future__ import annotations

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.supervisor import Options, Supervisor
from tests.fake_chrome import FakeChrome
from tests.supervisor.fake_dialogs import WITHIN_S


async def test_a_tab_that_the_browser_opens_is_supervised(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    target = fake_chrome.model.add_target(url="http://popup.test/")
    fake_chrome.flush()
    tab = await supervised.wait_for(lambda s: s.tab_of_target(target.id), WITHIN_S)
    assert tab.url == "http://popup.test/"


async def test_a_target_that_closes_takes_its_tab_with_it(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    fake_chrome.close_target(fake_chrome.model.targets[supervised.state.tabs[tab].target_id])
    await supervised.wait_for(lambda s: tab not in s.tabs, WITHIN_S)


async def test_only_popups_of_our_tabs_are_attached_in_the_browser_of_another(
    fake_chrome: FakeChrome,
) -> None:
    dial = dial_websocket(fake_chrome.websocket_url)
    async with await Connection.open(dial) as connection:
        supervisor = Supervisor(connection, Options(owned=False, bridge="native"))
        await supervisor.start()
        tab = await supervisor.open_tab("ann")
        opener = supervisor.state.tabs[tab].target_id
        theirs, ours = fake_chrome.model.add_target(), fake_chrome.model.add_target()
        for target, by in ((theirs, "F-other"), (ours, opener)):
            info = {**fake_chrome.model.info(target), "openerId": by}
            fake_chrome.emit("Target.targetCreated", {"targetInfo": info})
        await supervisor.wait_for(lambda s: s.tab_of_target(ours.id), WITHIN_S)
        attached = {r.params["targetId"] for r in await fake_chrome.heard("Target.attachToTarget")}
        assert theirs.id not in attached
        await supervisor.close()


async def test_each_context_gets_downloads_and_permissions(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    await supervised.open_tab("ann", context="C1")
    downloads = await fake_chrome.heard("Browser.setDownloadBehavior", 2)
    assert [r.params.get("browserContextId") for r in downloads] == [None, "C1"]
    permissions = await fake_chrome.heard("Browser.setPermission", 2)
    assert [(r.params.get("browserContextId"), r.params["setting"]) for r in permissions] == [
        (None, "denied"),
        ("C1", "denied"),
    ]


async def test_a_tab_keeps_its_name_when_the_connection_is_back(
    fake_chrome: FakeChrome, supervised: Supervisor
) -> None:
    tab = await supervised.open_tab("ann")
    before = supervised.session(tab).id
    epoch = supervised.connection.epoch
    fake_chrome.drop()
    await supervised.wait_for(
        lambda s: supervised.connection.epoch > epoch and s.connected and s.tabs[tab].session,
        WITHIN_S,
    )
    assert supervised.session(tab).id != before
    assert supervised.state.tabs[tab].owner == "ann"
