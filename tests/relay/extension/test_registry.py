"""Which lent Chrome is meant, and our own tabs in one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pilothouse.browsers import ExtensionKind
from pilothouse.errors import BrowserError
from pilothouse.relay.extension.registry import EXTENSION_CAPABILITIES, ExtensionRegistry
from pilothouse.relay.interfaces import HttpRefusal, MessageHandler, MessageSocket
from pilothouse.settings import RelaySettings
from pilothouse.tabs.open_and_close_requests import CloseRequest, OpenRequest
from tests.relay.fake_extension import EXTENSION_ID, FakeExtension, FakeTab
from tests.relay.relay_and_daemon_setup import Relayed, relayed

WITHIN_S = 10.0


class Door:
    """Lets a fake extension in, as the relay's server does once it has proven who it is."""

    def __init__(self, registry: ExtensionRegistry, fake: FakeExtension) -> None:
        self._registry = registry
        self._fake = fake

    def accept(self, line: MessageSocket) -> MessageHandler:
        return self._registry.accept(self._fake.hello, line)


def connect(registry: ExtensionRegistry, fake: FakeExtension) -> FakeExtension:
    fake.joins(Door(registry, fake))
    return fake


@pytest_asyncio.fixture
async def registry() -> AsyncIterator[ExtensionRegistry]:
    made = ExtensionRegistry(RelaySettings(grace_s=0.05), comes_within_s=0.05)
    yield made
    await made.close()


@pytest_asyncio.fixture
async def relay() -> AsyncIterator[Relayed]:
    async with relayed(extension_id=EXTENSION_ID) as made:
        yield made


async def test_nobody_lends_and_it_is_said_what_to_do(registry: ExtensionRegistry) -> None:
    refused = await registry.resolve_name()
    assert isinstance(refused, HttpRefusal)
    assert (refused.status, refused.message) == (
        503,
        "no Chrome is connected through the extension",
    )
    assert "pilothouse extension install" in refused.hint
    assert (len(registry), registry.status()) == (0, [])


async def test_only_one_is_meant_without_a_name_and_by_any_of_its_names(
    registry: ExtensionRegistry,
) -> None:
    connect(registry, FakeExtension(install="install-1", profile="Work"))
    for name in ("", "Work", "install-1"):
        assert await registry.resolve_name(name) == "Work"
    refused = await registry.resolve_name("Home")
    assert isinstance(refused, HttpRefusal)
    assert (refused.message, refused.hint) == (
        "profile: no connected Chrome is named 'Home'",
        "use one of: Work",
    )


async def test_of_several_one_must_be_named(registry: ExtensionRegistry) -> None:
    connect(registry, FakeExtension(install="install-1", profile="Work"))
    connect(registry, FakeExtension(install="install-2", profile="Work"))
    refused = await registry.resolve_name()
    assert isinstance(refused, HttpRefusal)
    assert refused.status == 400
    assert refused.message == "several Chromes are connected: Work, Work install-"
    assert await registry.resolve_name("install-2") == "Work install-"


async def test_two_profiles_with_the_same_copy_are_two(registry: ExtensionRegistry) -> None:
    connect(registry, FakeExtension(install="install-1", profile="Work"))
    connect(registry, FakeExtension(install="install-1", profile="Home"))
    assert (await registry.resolve_name("Work"), await registry.resolve_name("Home")) == (
        "Work",
        "Home",
    )
    refused = await registry.resolve_name("install-1")
    assert isinstance(refused, HttpRefusal)
    assert refused.message == "several Chromes are connected: Work, Home"


async def test_one_that_is_about_to_come_is_waited_for() -> None:
    registry = ExtensionRegistry(RelaySettings(), comes_within_s=WITHIN_S)
    waiting = asyncio.ensure_future(registry.resolve_name())
    await asyncio.sleep(0)
    connect(registry, FakeExtension(profile="Work"))
    assert await waiting == "Work"
    await registry.close()


async def test_one_that_stays_away_is_not_meant_and_the_same_again_when_it_is_back(
    registry: ExtensionRegistry,
) -> None:
    fake = connect(registry, FakeExtension(profile="Work"))
    lent = registry.find_only()
    assert lent is not None
    gone = asyncio.Event()
    lent.on_closed.append(lambda _: gone.set())
    fake.drops()
    assert await registry.resolve_name() == "Work"  # within the time of grace
    async with asyncio.timeout(WITHIN_S):
        await gone.wait()
    assert (len(registry), registry.find_only()) == (0, None)
    with pytest.raises(BrowserError, match="is no longer connected"):
        await registry.open(ExtensionKind("Work"))
    connect(registry, fake)
    assert (await registry.resolve_name(), registry.find_only()) == ("Work", lent)


async def test_status_tells_nothing_of_tabs(registry: ExtensionRegistry) -> None:
    connect(registry, FakeExtension(FakeTab(1, "https://secret.test/", "Secret"), profile="Work"))
    (told,) = registry.status()
    assert (told["name"], told["connected"], told["attached"]) == ("Work", True, 0)
    assert "secret" not in str(told).lower()


async def test_user_says_how_the_chrome_is_to_be_used(registry: ExtensionRegistry) -> None:
    said = {"userInstructions": " buy nothing ", "readOnly": True, "lockUrl": False}
    connect(registry, FakeExtension(profile="Work", settings=said))
    assert registry.user_notes("Work") == [
        "the user of this Chrome says: buy nothing",
        "the user's settings: look, and do not act",
    ]
    assert registry.user_notes("Home") == []


async def test_our_tab_in_a_lent_chrome_is_a_new_one_and_no_other_is_touched(
    relay: Relayed,
) -> None:
    users = FakeTab(1, "https://mail.test/", "Inbox")
    fake = FakeExtension(users, profile="Work")
    async with fake.dials(relay.extension_url, relay.pair()):
        name = await relay.relay.wait_for_browser("")
        opened = await relay.tabs.open("me", OpenRequest(browser="extension", profile=name))
        assert opened.tab.kind == ExtensionKind("Work")
        assert opened.tab.describe()["browser"] == 'the user\'s Chrome, profile "Work"'
        assert len(fake.wire("createTab")) == 1  # and none to try out what it can do
        assert [params["tabId"] for params in fake.wire("attachTab")] == [2]
        assert opened.tab.supervisor.capabilities["note"] == EXTENSION_CAPABILITIES.note
        assert opened.tab.supervisor.capabilities["dialog_respond"] == "native"
        await relay.tabs.close("me", CloseRequest(all=True))
        assert list(fake.tabs) == [1]


async def test_tab_of_the_user_is_adopted_by_its_title_and_left_open(relay: Relayed) -> None:
    users = (FakeTab(1, "https://mail.test/", "Inbox"), FakeTab(2, "https://bank.test/", "Bank"))
    fake = FakeExtension(*users, profile="Work")
    async with fake.dials(relay.extension_url, relay.pair()):
        wanted = OpenRequest(browser="extension", profile="Work", target="inbox")
        opened = await relay.tabs.open("me", wanted)
        assert opened.tab.adopted
        assert [params["tabId"] for params in fake.wire("attachTab")] == [1]
        await relay.tabs.close("me", CloseRequest(all=True))
        assert (sorted(fake.tabs), fake.wire("closeTab")) == ([1, 2], [])
        await fake.until(lambda: fake.wire("detachTab"))


async def test_our_own_use_stands_by_while_somebody_else_has_the_only_slot() -> None:
    async with relayed(extension_id=EXTENSION_ID, client_mode="single-active") as relay:
        fake = FakeExtension(profile="Work")
        async with fake.dials(relay.extension_url, relay.pair()):
            assert await relay.relay.wait_for_browser("") == "Work"
            slots = relay.relay.server.slots
            assert slots.take("c1", "somebody", 0.0, "now") is None
            waiting = asyncio.ensure_future(relay.relay.wait_for_browser(""))
            done, _ = await asyncio.wait({waiting}, timeout=0.5)
            assert not done
            slots.leave("c1")
            async with asyncio.timeout(WITHIN_S):
                assert await waiting == "Work"
