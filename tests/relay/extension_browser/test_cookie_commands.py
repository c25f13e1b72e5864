"""Cookies of the profile, through whichever tab will do."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cdp import Command, Reply
from pilothouse.errors import CommandFailed
from tests.relay.fake_extension import HELD, FakeExtension, FakeTab
from tests.relay.fake_extension_setup import open_stage


async def test_without_any_tab_it_is_said_what_to_do() -> None:
    extension = FakeExtension(FakeTab(1, "chrome://newtab/"))
    async with open_stage(extension) as stage:
        with pytest.raises(CommandFailed, match="open one"):
            await stage.send("Storage.getCookies")


async def test_the_debugger_stays_until_the_cookies_are_there() -> None:
    extension = FakeExtension(FakeTab(1))
    extension.script["Storage.getCookies"] = lambda _: HELD
    async with open_stage(extension, linger_s=0.0) as stage:
        waiting: Reply[Any] = stage.connection.send(Command("Storage.getCookies"), 5.0)
        await stage.until(lambda: extension.sent("Storage.getCookies"))
        for _ in range(5):
            await stage.settle()
        assert extension.wire("detachTab") == []
        extension.let_go("Storage.getCookies", {"cookies": [1]})
        answer = await waiting
        assert answer == {"cookies": [1]}
        await stage.until(lambda: extension.wire("detachTab"))


async def test_reading_only_keeps_cookies_to_the_user() -> None:
    extension = FakeExtension(FakeTab(1), settings={"readOnly": True})
    async with open_stage(extension) as stage:
        with pytest.raises(CommandFailed, match="reading only"):
            await stage.send("Storage.getCookies")
        assert extension.wire("attachTab") == []


JAR = [{"name": "who", "domain": d} for d in ("a.example", ".example", "b.example", ".c.example")]


def sharing_less(**settings: Any) -> FakeExtension:
    """Two tabs of a user who shares less than everything."""
    tabs = FakeTab(1, "https://a.example/x"), FakeTab(2, "https://b.example/")
    extension = FakeExtension(*tabs, settings=settings or {"share": "window"})
    for method in ("Storage.getCookies", "Network.getCookies", "Network.getAllCookies"):
        extension.script[method] = lambda _: {"cookies": JAR}
    return extension


def domains(answer: Any) -> list[str]:
    return [cookie["domain"] for cookie in answer["cookies"]]


@pytest.mark.parametrize("settings", [{"share": "window"}, {"share": "tab"}, {"mode": "manual"}])
async def test_a_tab_has_its_own_cookies_and_the_browser_those_of_shared_tabs(
    settings: dict[str, str],
) -> None:
    extension = sharing_less(**settings)
    async with open_stage(extension) as stage:
        session = await stage.attach(extension.tabs[1])
        for method in ("Storage.getCookies", "Network.getCookies", "Network.getAllCookies"):
            assert domains(await stage.send(method, session)) == ["a.example", ".example"]
        told = await stage.send("Storage.getCookies", await stage.browser())
        assert domains(told) == ["a.example", ".example", "b.example"]


async def test_a_user_who_shares_everything_shares_every_cookie() -> None:
    extension = sharing_less(share="all")
    async with open_stage(extension) as stage:
        session = await stage.attach(extension.tabs[1])
        assert len(domains(await stage.send("Storage.getCookies", session))) == len(JAR)
        assert len(domains(await stage.send("Storage.getCookies"))) == len(JAR)
        await stage.send("Network.setCookie", session, name="a", domain="other.example")
        extension.sets(share="tab")
        await stage.settle()
        assert domains(await stage.send("Storage.getCookies", session)) == ["a.example", ".example"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Network.setCookie", {"name": "a", "domain": "other.example"}),
        ("Network.setCookie", {"name": "a", "url": "https://b.example/"}),
        ("Network.setCookie", {"name": "a", "url": "https://a.example/", "domain": "b.example"}),
        ("Network.setCookie", {"name": "a"}),
        ("Network.deleteCookies", {"name": "a", "domain": "x.a.example"}),
        ("Network.setCookies", {"cookies": [{"domain": "a.example"}, {"domain": "b.example"}]}),
        ("Storage.setCookies", {"cookies": [{"url": "http://[/"}]}),
    ],
)
async def test_no_cookie_of_another_site_is_changed_through_a_tab(
    method: str, params: dict[str, Any]
) -> None:
    extension = sharing_less()
    async with open_stage(extension) as stage:
        session = await stage.attach(extension.tabs[1])
        with pytest.raises(CommandFailed, match=f"refuses {method}: the user shares no cookies of"):
            await stage.send(method, session, **params)
        assert extension.sent(method) == []


async def test_cookies_of_its_own_page_are_changed_through_a_tab() -> None:
    extension = sharing_less()
    async with open_stage(extension) as stage:
        session = await stage.attach(extension.tabs[1])
        for domain in ("a.example", ".a.example", ".EXAMPLE"):
            await stage.send("Network.setCookie", session, name="a", domain=domain)
        await stage.send("Network.deleteCookies", session, name="a", url="https://a.example/")
        both = [{"domain": "a.example"}, {"url": "https://b.example/y"}]
        await stage.send("Storage.setCookies", await stage.browser(), cookies=both)
        assert len(extension.sent("Network.setCookie")) == 3
        assert len(extension.sent("Storage.setCookies")) == 1
