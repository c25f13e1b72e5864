"""Trying a backend out; the real ones are in tests/browser/test_dialog_backends.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.cdp import Connection, dial_websocket
from pilothouse.errors import CdpError, ConnectionLost
from pilothouse.supervisor.capabilities.features_and_dialog_modes import (
    CHROMIUM_FEATURES,
    BackendFeatures,
)
from pilothouse.supervisor.capabilities.probe import detect_features, probe_features
from tests.fake_chrome import FakeChrome, FakeError


@pytest_asyncio.fixture
async def connection(fake_chrome: FakeChrome) -> AsyncIterator[Connection]:
    async with await Connection.open(dial_websocket(fake_chrome.websocket_url)) as opened:
        yield opened


def methods(chrome: FakeChrome) -> list[str]:
    return [request.method for request in chrome.received]


async def test_browser_that_we_launched_is_not_tried(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    assert await detect_features(connection, owned=True) == ("Chrome/0.0.0.0", CHROMIUM_FEATURES)
    assert methods(fake_chrome) == ["Browser.getVersion"]


async def test_product_nobody_knows_is_tried_though_we_launched_it(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    fake_chrome.answer("Browser.getVersion", {"product": "Other/1"})
    product, found = await detect_features(connection, owned=True)
    assert product == "Other/1"
    assert found.probed


async def test_backend_that_does_nothing_is_found_to_do_nothing(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    found = await probe_features(connection)
    # It takes nearly every command; what counts is what comes of it.
    assert found == BackendFeatures(downloads=True, probed=True)


async def test_tab_that_was_tried_on_is_dismissed_then_closed(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    before = set(fake_chrome.model.targets)
    await probe_features(connection)
    assert set(fake_chrome.model.targets) == before
    said = methods(fake_chrome)
    assert said.index("Page.handleJavaScriptDialog") < said.index("Target.closeTarget")
    assert connection.sessions == {}


async def test_tab_is_closed_too_when_the_trial_is_refused(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    def refuse(params: Any) -> Any:
        raise FakeError(-32000, "no pages here")

    before = set(fake_chrome.model.targets)
    fake_chrome.answer("Page.enable", refuse)
    found = await probe_features(connection)
    assert set(fake_chrome.model.targets) == before
    assert "no pages here" in found.note


async def test_backend_that_opens_no_tab_is_taken_for_a_chromium_and_says_so(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    def refuse(params: Any) -> Any:
        raise FakeError(-32000, "Not supported")

    fake_chrome.answer("Target.createTarget", refuse)
    found = await probe_features(connection)
    assert found.holds_native_dialogs
    assert not found.probed
    assert "not measured" in found.note


async def test_command_that_is_refused_is_there_and_one_that_is_unknown_is_not(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    found = await probe_features(connection)
    # The fake browser wants parameters for the one and has never heard of the other.
    assert (found.downloads, found.extensions) == (True, False)


async def test_lost_wire_is_an_error_and_not_an_inability(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    def drop(params: Any) -> Any:
        fake_chrome.drop()
        return {}

    fake_chrome.answer("Page.enable", drop)
    with pytest.raises(ConnectionLost):
        await probe_features(connection)


async def test_backend_that_does_not_say_what_it_is_is_an_error(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    def refuse(params: Any) -> Any:
        raise FakeError(-32000, "no")

    fake_chrome.answer("Browser.getVersion", refuse)
    with pytest.raises(CdpError):
        await detect_features(connection, owned=False)


async def test_backend_that_is_known_is_not_tried_whoever_launched_it(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    known = BackendFeatures(reports_dialogs=True, note="lent")
    assert await detect_features(connection, owned=False, known=known) == ("Chrome/0.0.0.0", known)
    assert methods(fake_chrome) == ["Browser.getVersion"]
