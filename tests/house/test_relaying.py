"""The relay in a whole house: real clients by the URL that is printed, and our own tools in the
user's Chrome, which has the real extension in it."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from pilothouse.code.dial import Line
from pilothouse.errors import BrowserError, PilothouseError, ToolError
from pilothouse.house.house import House
from pilothouse.places import Places
from pilothouse.relay.door import ROUTES
from pilothouse.relay.extension_files import install
from pilothouse.relay.pairings import Pairings
from pilothouse.settings import BrowserSettings, Settings
from tests.extension.chrome import Chrome, chrome_with_extension
from tests.pages import Pages
from tests.relay.relayed import RelayedHouse, relayed_house

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 60.0
USER = "<title>the user's own</title><p>private"
PAGE = """<title>a page</title><h1>Hello</h1><a id=file href=/a.bin>a file</a>
<button onclick="document.title = confirm('sure?') ? 'yes' : 'no'">Go</button>
<iframe src="{frame}"></iframe>"""


@dataclass(slots=True)
class Lent:
    """A house with a relay, and a Chrome that is lent to it."""

    house: RelayedHouse
    chrome: Chrome
    pages: Pages

    async def call(self, line: Line, method: str, **params: Any) -> Any:
        """Ask the house, as a program outside does."""
        return await asyncio.to_thread(line.call, method, **params)

    async def comes(self) -> None:
        """Wait until the extension has come; the house waits a while each time it is asked."""
        line = self.house.home.line("waits")
        async with asyncio.timeout(WITHIN_S):
            while True:
                try:
                    await self.call(line, "open", browser="extension")
                    break
                except PilothouseError as error:
                    if "no Chrome is lent" not in error.message:
                        raise
        await self.call(line, "close", all=True)

    async def urls(self) -> list[str]:
        """What is open in the user's Chrome."""
        return sorted(info["url"] for info in await self.chrome.targets())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lent(chromium_path: Path) -> AsyncIterator[Lent]:
    with Pages() as pages, relayed_house(chromium_path) as house:
        data = house.home.places.root / "data"
        pairings = Pairings(data / "pairings.json")
        copy = await asyncio.to_thread(install, data / "extension", house.port, pairings)
        frame = pages.add("/frame.html", "<button onclick=\"alert('inner')\">Inner</button>")
        pages.add("/page.html", PAGE.format(frame=frame.replace("127.0.0.1", "localhost")))
        pages.add_download("/a.bin", "abc", "a.bin")
        async with chrome_with_extension(chromium_path, copy.folder) as chrome:
            await chrome.open(pages.add("/user.html", USER))
            made = Lent(house, chrome, pages)
            await made.comes()
            yield made


async def test_house_tells_of_its_relay_and_of_who_lends(lent: Lent) -> None:
    line = lent.house.home.line("looks")
    await lent.call(line, "open", browser="extension")
    told = (await lent.call(line, "status"))["relay"]
    assert (told["open"], told["port"], told["mode"]) == (True, lent.house.port, "multi-client")
    (one,) = told["extensions"]
    assert (one["connected"], one["attached"]) == (True, 1)
    assert one["product"].startswith("Chrome/")
    assert "user.html" not in json.dumps(told)
    await lent.call(line, "close", all=True)


async def test_our_tools_work_in_the_users_chrome_dialogs_and_frames_included(lent: Lent) -> None:
    line = lent.house.home.line("me")
    opened = await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
    assert opened["details"]["browser"].startswith("the user's Chrome, profile ")
    seen = (await lent.call(line, "tab.snapshot"))["text"]
    assert 'button "Go"' in seen
    assert 'button "Inner"' in seen, "the frame of another site is seen, too"
    blocked = await lent.call(line, "tab.click", target="button=Go")
    assert blocked["blocked_by"][0]["message"] == "sure?"
    await lent.call(line, "tab.handle_dialog", accept=True)
    await lent.call(line, "tab.result", action_id=blocked["action_id"])
    assert await lent.call(line, "tab.title") == "yes"
    ref = re.search(r'button "Inner" \[ref=(\w+)\]', seen)
    assert ref is not None
    inner = await lent.call(line, "tab.click", target=ref[1])
    assert inner["blocked_by"][0]["message"] == "inner"
    await lent.call(line, "tab.handle_dialog", accept=True)
    shot = await lent.call(line, "tab.screenshot")
    assert shot["width"] > 100
    told = await lent.call(line, "tool", name="browser_snapshot", arguments={})
    assert told["success"], told
    ran = await lent.call(line, "run", code="tab.title()")
    assert ran["value"] == "yes"
    before = await lent.urls()
    await lent.call(line, "close", all=True)
    assert [url for url in before if url not in await lent.urls()] == [lent.pages.url("/page.html")]


async def test_tab_of_the_user_is_lent_by_its_title_and_never_closed(lent: Lent) -> None:
    line = lent.house.home.line("me")
    opened = await lent.call(line, "open", browser="extension", target="the user's own")
    assert opened["details"]["url"] == lent.pages.url("/user.html")
    assert await lent.call(line, "tab.text", target="p") == "private"
    other = lent.house.home.line("another")
    assert await lent.call(other, "tabs") == []
    with pytest.raises(PilothouseError, match="no page matches") as refused:
        await lent.call(other, "open", browser="extension", target="the user's own")
    assert "user.html" not in refused.value.line()
    await lent.call(line, "close", all=True, kill=True)
    assert lent.pages.url("/user.html") in await lent.urls()


async def test_what_an_extension_cannot_do_is_said_by_name(lent: Lent) -> None:
    line = lent.house.home.line("me")
    await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
    with pytest.raises(PilothouseError, match=r"refuses Storage\.clearCookies: it would sign"):
        await lent.call(line, "tab.clear_cookies")
    await lent.call(line, "tab.click", target="#file")
    async with asyncio.timeout(WITHIN_S):
        while not any(d["state"] == "completed" for d in await lent.call(line, "tab.downloads")):
            continue
    (file,) = await lent.call(line, "tab.downloads")
    assert (file["filename"], file["url"]) == ("a.bin", lent.pages.url("/a.bin"))
    with pytest.raises(PilothouseError, match="this browser keeps its downloads itself"):
        await lent.call(line, "tab.save_download", id=file["id"])
    with pytest.raises(PilothouseError, match="stealth: the user's Chrome is left as it is"):
        await lent.call(line, "open", browser="extension", stealth="full")
    await lent.call(line, "close", all=True)


async def shares(lent: Lent, share: str) -> None:
    """The user shares so much of the browser; the relay has heard of it when this returns."""
    panel = await lent.chrome.open_page("popup.html")
    await lent.chrome.evaluate(
        panel,
        "(async () => { window.port = chrome.runtime.connect();"
        " const { windowId } = await chrome.tabs.getCurrent();"
        f" port.postMessage({{ wish: 'narrow', share: '{share}', windowId }}) }})()",
    )
    url = f"http://127.0.0.1:{lent.house.port}/restrictions?token={lent.house.token}"

    def told() -> str:
        with urllib.request.urlopen(url, timeout=WITHIN_S) as answer:
            return str(json.load(answer).get("share"))

    async with asyncio.timeout(WITHIN_S):
        while await asyncio.to_thread(told) != share:
            continue


async def test_cookies_of_the_tab_and_no_others_unless_the_user_shares_everything(
    lent: Lent,
) -> None:
    hosts = ("127.0.0.1", "localhost", "clinic.example")
    jar = [{"name": "who", "value": "ann", "url": f"http://{host}/"} for host in hosts]
    await lent.chrome.call("Storage.setCookies", cookies=jar)
    await lent.chrome.open(lent.pages.url("/user.html", "localhost"))
    line = lent.house.home.line("me")
    await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))

    async def seen() -> list[set[str]]:
        cookies = await lent.call(line, "tab.cookies")
        state = await lent.call(line, "tab.save_state")
        return [{cookie["domain"] for cookie in found} for found in (cookies, state["cookies"])]

    assert await seen() == [set(hosts)] * 2
    await shares(lent, "window")
    try:
        assert await seen() == [{"127.0.0.1"}] * 2
        there = [lent.pages.url("/", host) for host in ("127.0.0.1", "localhost")]
        found = await lent.call(line, "tab.cookies", urls=there)
        assert [cookie["domain"] for cookie in found] == ["127.0.0.1"]
        for other in ("localhost", "clinic.example"):
            wanted = [{"name": "who", "value": "eve", "domain": other}]
            with pytest.raises(PilothouseError, match=f"lends no cookies of {other}"):
                await lent.call(line, "tab.set_cookies", cookies=wanted)
        assert await lent.call(line, "tab.clear_cookies", name="who") == {"deleted": 1}
    finally:
        await shares(lent, "all")
    kept = (await lent.chrome.call("Storage.getCookies"))["cookies"]
    assert {c["domain"]: c["value"] for c in kept} == dict.fromkeys(hosts[1:], "ann")
    await lent.call(line, "close", all=True)


async def test_clients_by_the_printed_url_reach_both_browsers_apart(lent: Lent) -> None:
    line = lent.house.home.line("prints")

    async def url(**asked: str) -> str:
        told = await lent.call(line, "relay.url", **asked)
        assert lent.house.token not in json.dumps(told)
        return str(told["url"]).replace("TOKEN", lent.house.token, 1)

    async with async_playwright() as playwright:
        ours = await playwright.chromium.connect_over_cdp(await url(browser="house", label="one"))
        theirs = await playwright.chromium.connect_over_cdp(await url(label="two"))
        for browser in (ours, theirs):
            page = await browser.contexts[0].new_page()
            await page.goto(lent.pages.url("/page.html"))
            assert await page.inner_text("h1") == "Hello"
            assert [one.url for one in browser.contexts[0].pages] == [page.url]
        clients = (await lent.call(line, "relay.status"))["clients"]
        assert [(c["label"], c["browser"]) for c in clients] == [
            ("one", "house"),
            ("two", "extension"),
        ]
        assert await lent.call(line, "tabs") == []
        names = [client["owner"] for client in clients]
        told = await lent.call(lent.house.home.line(names[0]), "tabs")
        assert [tab["url"] for tab in told] == [lent.pages.url("/page.html")]
        journal = await lent.call(lent.house.home.line(names[1]), "journal")
        assert "two came through the relay" in [line["words"] for line in journal["entries"]]
        await ours.close()
        await theirs.close()
    assert lent.pages.url("/user.html") in await lent.urls()


async def test_no_route_of_the_relay_answers_without_the_token(lent: Lent) -> None:
    said: list[bytes] = []

    def status(path: str) -> int:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{lent.house.port}{path}", timeout=20
            ) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                said.append(error.read())
                return error.code

    for route in ROUTES:
        assert await asyncio.to_thread(status, route) in (401, 403), route
        wrong = f"{route}?token={'x' * 43}"
        assert await asyncio.to_thread(status, wrong) in (401, 403), route
    assert not any(lent.house.token.encode() in answer for answer in said)


async def test_token_and_secrets_are_in_no_log_answer_or_command_line(lent: Lent) -> None:
    root = lent.house.home.places.root
    secrets = [
        lent.house.token,
        *json.loads((root / "data" / "pairings.json").read_text()).values(),
    ]
    line = lent.house.home.line("me")
    said = [
        json.dumps(await lent.call(line, method))
        for method in ("status", "relay.status", "journal", "relay.url", "tabs")
    ]
    said += [path.read_text() for path in (root / "house.log", root / "tabs.json") if path.exists()]
    for process in lent.house.home.family():
        try:
            said.append(" ".join(process.cmdline()))
        except psutil.NoSuchProcess:
            continue
    assert [secret[:4] for secret in secrets if any(secret in text for text in said)] == []


async def test_pairing_code_is_made_for_one_that_has_no_secret(lent: Lent) -> None:
    told = await lent.call(lent.house.home.line("me"), "relay.pair")
    assert (len(told["code"]), told["port"], told["lives_s"]) == (8, lent.house.port, 120)


async def test_relay_that_is_stopped_leaves_the_house_and_the_users_tabs(lent: Lent) -> None:
    line = lent.house.home.line("me")
    await lent.call(line, "open", browser="extension", target="the user's own")
    assert await lent.call(line, "relay.stop") == {"stopped": True}
    assert (await lent.call(line, "status"))["relay"]["open"] is False
    with pytest.raises(PilothouseError, match="the relay is closed"):
        await lent.call(line, "open", browser="extension", name="another")
    assert lent.pages.url("/user.html") in await lent.urls()
    # On the same port the extension finds it again.
    await lent.call(line, "relay.start", port=lent.house.port)
    await lent.comes()
    await lent.call(line, "open", browser="extension", target="the user's own")
    assert await lent.call(line, "tab.text", target="p") == "private"
    await lent.call(line, "close", all=True)


async def test_browser_is_the_one_named_or_joined_or_as_the_settings_say(tmp_path: Path) -> None:
    lending = House(Places(tmp_path), Settings(browser=BrowserSettings(kind="extension"))).relaying
    with pytest.raises(BrowserError, match="the relay is closed") as refused:
        await lending.wanted({})
    assert "pilothouse relay start" in refused.value.hint
    for ours in ({"browser": "house"}, {"headed": True}, {"stealth": "off"}):
        assert (await lending.wanted(ours)).browser in ("", "house")
    joined = await lending.wanted({}, "http://127.0.0.1:9")
    assert joined.app is not None
    assert joined.app.cdp_url == "http://127.0.0.1:9"
    launching = House(Places(tmp_path), Settings()).relaying
    assert (await launching.wanted({})).browser == ""
    with pytest.raises(BrowserError, match="the relay is closed"):
        await launching.wanted({"browser": "extension"}, "http://127.0.0.1:9")
    with pytest.raises(ToolError, match="port: 70000 is none"):
        await launching.methods["relay.start"]("me", {"port": 70000})


async def test_user_is_heard_by_who_comes_and_sees_whose_a_tab_is(lent: Lent) -> None:
    line = lent.house.home.line("ann")
    said = "the user of this Chrome says: buy nothing"
    await lent.chrome.in_worker("chrome.storage.local.set({userInstructions: 'buy nothing'})")
    async with asyncio.timeout(WITHIN_S):
        while True:
            await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
            if said in await lent.call(line, "notices"):
                break
            await lent.call(line, "close", all=True)
        while True:
            groups = await lent.chrome.in_worker("chrome.tabGroups.query({})")
            if "ann" in [group["title"] for group in groups]:
                break
    await lent.call(line, "close", all=True)
    await lent.chrome.in_worker("chrome.storage.local.set({userInstructions: ''})")
