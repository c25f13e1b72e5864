"""The standby connection on a fake Chrome; `tests/browser` has it on a real one."""

from __future__ import annotations

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.supervisor import Options, StandbyConnection, Supervisor
from tests.fake_chrome import FakeChrome
from tests.supervisor.fake_dialogs import WITHIN_S


async def test_tabs_have_a_standby_until_its_connection_is_lost(fake_chrome: FakeChrome) -> None:
    dial = dial_websocket(fake_chrome.websocket_url)
    async with await Connection.open(dial) as main, await Connection.open(dial) as second:
        standby = StandbyConnection(second)
        supervisor = Supervisor(main, Options(bridge="native"), standby)
        await supervisor.start()
        tab = await supervisor.open_tab("ann")
        await supervisor.wait_for(lambda s: s.tabs[tab].has_standby, WITHIN_S)
        target = supervisor.state.tabs[tab].target_id
        assert standby.session(target).id != supervisor.session(tab).id
        await second.close()
        await supervisor.wait_for(lambda s: not s.tabs[tab].has_standby, WITHIN_S)
        await supervisor.close()
