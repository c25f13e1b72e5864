"""A lent Chrome: the whole of it, over a fake extension."""

from __future__ import annotations

from pilothouse.relay.extension.transport import BASE_CAPABILITIES
from pilothouse.supervisor import Options, Supervisor
from tests.relay.fake_extension import FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


async def test_a_supervisor_opens_a_tab_in_the_users_chrome_and_tries_nothing_on_it() -> None:
    extension = FakeExtension(FakeTab(1))
    async with open_stage(extension) as stage:
        supervisor = Supervisor(stage.connection, Options(owned=False, features=BASE_CAPABILITIES))
        await supervisor.start()
        assert extension.wire("createTab") == []
        tab = await supervisor.open_tab("me", "https://example.test/a")
        assert [p["url"] for p in extension.wire("createTab")] == ["about:blank"]
        assert [p["url"] for p in extension.sent("Page.navigate")] == ["https://example.test/a"]
        assert supervisor.state.tabs[tab].owner == "me"
        assert extension.wire("attachTab") == [{"tabId": 2}]
        await supervisor.close()
