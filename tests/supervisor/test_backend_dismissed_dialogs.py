"""The end of dialogs that a backend closes without a word."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.protocol import Target
from pilothouse.supervisor import Options, Supervisor
from tests.fake_chrome import FakeChrome

WITHIN_S = 5.0


@pytest_asyncio.fixture
async def sup(fake_chrome: FakeChrome) -> AsyncIterator[Supervisor]:
    """A supervisor of a backend that was found to hold no dialog."""
    connection = await Connection.open(dial_websocket(fake_chrome.websocket_url))
    supervisor = Supervisor(connection, Options(owned=False))
    await supervisor.start()
    assert supervisor.capabilities["dialog_respond"] == "no"
    yield supervisor
    await supervisor.close()
    await connection.close()


async def open_dialog(chrome: FakeChrome, sup: Supervisor, tab: str) -> None:
    """Let a page ask; returns when the page is asked in turn, and not answering."""
    chrome.hold("Runtime.evaluate")
    before = sum(request.method == "Runtime.evaluate" for request in chrome.received)
    opening = {
        "url": "about:blank",
        "frameId": sup.state.tabs[tab].target_id,
        "message": "sure?",
        "type": "confirm",
        "hasBrowserHandler": False,
    }
    chrome.emit("Page.javascriptDialogOpening", opening, sup.session(tab).id)
    await chrome.heard("Runtime.evaluate", before + 1)


async def test_dialog_is_over_when_its_page_answers_again(
    fake_chrome: FakeChrome, sup: Supervisor
) -> None:
    tab = await sup.open_tab("agent")
    await open_dialog(fake_chrome, sup, tab)
    assert [d.message for d in sup.state.dialogs.values()] == ["sure?"]
    fake_chrome.release()
    await sup.wait_for(lambda s: not s.dialogs, WITHIN_S)
    assert [c.closed_by for c in sup.state.recent_dialogs] == ["remote"]


async def test_dialog_whose_end_was_told_is_not_ended_twice(
    fake_chrome: FakeChrome, sup: Supervisor
) -> None:
    tab = await sup.open_tab("agent")
    await open_dialog(fake_chrome, sup, tab)
    closed = {"frameId": sup.state.tabs[tab].target_id, "result": True, "userInput": ""}
    fake_chrome.emit("Page.javascriptDialogClosed", closed, sup.session(tab).id)
    await sup.wait_for(lambda s: s.recent_dialogs, WITHIN_S)
    await open_dialog(fake_chrome, sup, tab)
    fake_chrome.release()
    await sup.wait_for(lambda s: not s.dialogs, WITHIN_S)
    assert [(c.dialog.id, c.accepted) for c in sup.state.recent_dialogs] == [
        ("d-1", True),
        ("d-2", False),
    ]


async def test_tab_that_closes_under_its_dialog_ends_it(
    fake_chrome: FakeChrome, sup: Supervisor
) -> None:
    tab = await sup.open_tab("agent")
    await open_dialog(fake_chrome, sup, tab)
    await sup.connection.send(Target.closeTarget(targetId=sup.state.tabs[tab].target_id))
    await sup.wait_for(lambda s: tab not in s.tabs, WITHIN_S)
    assert sup.state.dialogs == {}
