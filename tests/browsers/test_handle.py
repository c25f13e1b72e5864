"""What a user of a browser holds."""

from __future__ import annotations

import pytest

from pilothouse.browsers import BrowserHandle, ConnectedKind
from pilothouse.browsers.opener_interface import BrowserVersion, OpenedBrowser
from pilothouse.cdp import Connection, dial_websocket
from pilothouse.errors import BrowserError
from tests.fake_chrome import FakeChrome

PAGES = [
    {"targetId": "1", "type": "page", "title": "One", "url": "https://one.example/"},
    {"targetId": "2", "type": "page", "title": "Two", "url": "https://two.example/"},
]
TARGETS = {"targetInfos": [{**page, "attached": False, "canAccessOpener": False} for page in PAGES]}


async def handle_of(chrome: FakeChrome, target: str | None, released: list[bool]) -> BrowserHandle:
    connection = await Connection.open(dial_websocket(chrome.websocket_url))

    async def close(kill: bool) -> None:
        await connection.close()

    async def release(kill: bool) -> None:
        released.append(kill)
        await close(kill)

    version = BrowserVersion("Chrome/1", "UA", "1.3")
    return BrowserHandle(
        OpenedBrowser(ConnectedKind("1"), connection, version, close, pid=7, target=target), release
    )


async def test_handle_tells_what_it_holds_and_releases_once(fake_chrome: FakeChrome) -> None:
    released: list[bool] = []
    handle = await handle_of(fake_chrome, None, released)
    assert (handle.product, handle.user_agent, handle.protocol_version) == ("Chrome/1", "UA", "1.3")
    assert (handle.pid, handle.owned, handle.notes, handle.alive) == (7, False, (), True)
    assert "Chrome/1" in repr(handle)
    await handle.release(kill=True)
    await handle.release()
    assert released == [True]
    assert not handle.alive


@pytest.mark.parametrize(
    ("of_kind", "asked", "found"), [(None, None, "1"), ("two", None, "2"), ("two", "ONE", "1")]
)
async def test_page_is_chosen_by_the_caller_then_by_the_kind(
    fake_chrome: FakeChrome, of_kind: str | None, asked: str | None, found: str
) -> None:
    fake_chrome.answer("Target.getTargets", TARGETS)
    async with await handle_of(fake_chrome, of_kind, []) as handle:
        assert (await handle.target(asked)).id == found


async def test_page_that_is_not_there_is_an_error_that_lists_the_others(
    fake_chrome: FakeChrome,
) -> None:
    fake_chrome.answer("Target.getTargets", TARGETS)
    async with await handle_of(fake_chrome, None, []) as handle:
        with pytest.raises(BrowserError, match=r"two\.example"):
            await handle.target("three")
