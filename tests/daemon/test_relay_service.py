"""The relay in a whole daemon: real clients by the URL that is printed, and our own tools in the
user's Chrome, which has the real extension in it."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.async_api import Error, async_playwright

from pilothouse.daemon.daemon import Daemon
from pilothouse.errors import BrowserError, PilothouseError, ToolError
from pilothouse.paths import RuntimePaths
from pilothouse.relay.server.auth import ROUTES
from pilothouse.settings import BrowserSettings, Settings
from tests.daemon.shared_user_chrome import (
    WITHIN_S,
    Lent,
    is_shared,
    lent_daemon,
    popup,
    press,
    read_json,
    restricted,
    shares,
    tab_number,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def test_daemon_tells_of_its_relay_and_of_who_lends(lent: Lent) -> None:
    line = lent.daemon.home.line("looks")
    await lent.call(line, "open", browser="extension")
    told = (await lent.call(line, "status"))["relay"]
    assert (told["open"], told["port"], told["mode"]) == (True, lent.daemon.port, "multi-client")
    (one,) = told["extensions"]
    assert (one["connected"], one["attached"]) == (True, 1)
    assert one["product"].startswith("Chrome/")
    assert "user.html" not in json.dumps(told)
    await lent.call(line, "close", all=True)


async def test_our_tools_work_in_the_users_chrome_dialogs_and_frames_included(lent: Lent) -> None:
    line = lent.daemon.home.line("me")
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
    line = lent.daemon.home.line("me")
    opened = await lent.call(line, "open", browser="extension", target="the user's own")
    assert opened["details"]["url"] == lent.pages.url("/user.html")
    assert await lent.call(line, "tab.text", target="p") == "private"
    other = lent.daemon.home.line("another")
    assert await lent.call(other, "tabs") == []
    with pytest.raises(PilothouseError, match="no shared tab matches") as refused:
        await lent.call(other, "open", browser="extension", target="the user's own")
    assert "user.html" not in refused.value.format_line()
    await lent.call(line, "close", all=True, kill=True)
    assert lent.pages.url("/user.html") in await lent.urls()


async def test_what_an_extension_cannot_do_is_said_by_name(lent: Lent) -> None:
    line = lent.daemon.home.line("me")
    await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
    with pytest.raises(PilothouseError, match=r"refuses Storage\.clearCookies: it would sign"):
        await lent.call(line, "tab.clear_cookies")
    await lent.call(line, "tab.click", target="#file")
    async with asyncio.timeout(WITHIN_S):
        while not any(d["state"] == "completed" for d in await lent.call(line, "tab.downloads")):
            continue
    (file,) = await lent.call(line, "tab.downloads")
    assert (file["filename"], file["url"]) == ("a.bin", lent.pages.url("/a.bin"))
    with pytest.raises(PilothouseError, match="this browser saves downloads itself"):
        await lent.call(line, "tab.save_download", id=file["id"])
    with pytest.raises(PilothouseError, match="stealth: not available in the user's Chrome"):
        await lent.call(line, "open", browser="extension", stealth="full")
    await lent.call(line, "close", all=True)


async def test_cookies_of_the_tab_and_no_others_unless_the_user_shares_everything(
    lent: Lent,
) -> None:
    hosts = ("127.0.0.1", "localhost", "clinic.example")
    jar = [{"name": "who", "value": "ann", "url": f"http://{host}/"} for host in hosts]
    await lent.chrome.call("Storage.setCookies", cookies=jar)
    await lent.chrome.open(lent.pages.url("/user.html", "localhost"))
    line = lent.daemon.home.line("me")
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
            with pytest.raises(PilothouseError, match=f"shares no cookies of {other}"):
                await lent.call(line, "tab.set_cookies", cookies=wanted)
        assert await lent.call(line, "tab.clear_cookies", name="who") == {"deleted": 1}
    finally:
        await shares(lent, "all")
    kept = (await lent.chrome.call("Storage.getCookies"))["cookies"]
    assert {c["domain"]: c["value"] for c in kept} == dict.fromkeys(hosts[1:], "ann")
    await lent.call(line, "close", all=True)


async def test_an_agent_finds_the_shared_tabs_adopts_one_and_gives_it_back(lent: Lent) -> None:
    line = lent.daemon.home.line("agent")

    async def tool(name: str, **arguments: Any) -> Any:
        return await lent.call(line, "tool", name=name, arguments=arguments)

    listed = await tool("browser_tabs")
    own = lent.pages.url("/user.html")
    (mine,) = [tab for tab in listed["shared"] if tab["url"] == own]
    assert mine["title"] == "the user's own"
    assert mine["shared_by"] == "the user shares every tab"
    assert listed["tabs"] == []
    missing = await tool("browser_tabs", action="adopt", target="no such tab")
    assert "no shared tab matches 'no such tab'" in missing["error"]
    assert mine["id"] in missing["error"]
    assert "press Share" in missing["hint"]
    adopted = await tool("browser_tabs", action="adopt", target=mine["id"])
    assert (adopted["success"], adopted["adopted"]) == (True, "main"), adopted
    assert adopted["result"].startswith('Using the user\'s tab as "main"')
    assert mine["id"] not in [tab["id"] for tab in adopted.get("shared", [])]
    assert "private" in (await tool("browser_snapshot"))["snapshot"]
    # Another owner is not told of it any more, and cannot take it.
    other = lent.daemon.home.line("another")
    told = await lent.call(other, "relay.shared")
    assert mine["url"] not in json.dumps(told)
    with pytest.raises(PilothouseError, match="no shared tab matches") as hidden:
        await lent.call(other, "open", target=mine["id"])
    assert "press Share" in hidden.value.hint
    await lent.call(line, "close", all=True)
    assert mine["url"] in await lent.urls()
    # By its title alone, from the command line's own method; no other browser is meant.
    opened = await lent.call(line, "open", target=own)
    assert opened["details"]["adopted"] is True
    ran = await lent.call(line, "run", code="[(type(p).__name__, p.url) for p in context.pages]")
    kinds = {kind for kind, _ in ran["value"]}
    assert ["PlaywrightPage", mine["url"]] in ran["value"]
    await lent.call(line, "close", all=True)
    await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
    ran = await lent.call(line, "run", code="context.pages")
    assert any("the user's own" in one and "not adopted yet" in one for one in ran["value"])
    kept = "next(p for p in context.pages if 'user.html' in p.url)"
    refused = await lent.call(line, "run", code=f"{kept}.click('p')")
    assert 'the tool browser_tabs outside of this code: action="adopt"' in refused["error"]["hint"]
    page = await lent.call(line, "run", code="page")
    assert page["value"] == "<page of tab main>", "a page is told, not looked into"
    assert kinds <= {"PlaywrightPage", "SharedPage"}
    await lent.call(line, "close", all=True)


async def test_an_agent_navigates_in_a_tab_that_it_adopted_whatever_browser_is_usual(
    chromium_path: Path,
) -> None:
    async with lent_daemon(chromium_path, usual=False) as lent:
        line = lent.daemon.home.line("agent")
        await lent.call(line, "open", target=lent.pages.url("/user.html"))
        gone_to = lent.pages.url("/page.html")
        arguments = {"name": "browser_navigate", "arguments": {"url": gone_to}}
        told = await lent.call(line, "tool", **arguments)
        assert told["success"] is True, told
        assert (await lent.call(line, "tabs"))[0]["url"] == gone_to
        assert gone_to in await lent.urls()
        # Another browser that is named is still another one.
        with pytest.raises(PilothouseError, match="bound to a different browser"):
            await lent.call(line, "open", browser="managed", url=gone_to)
        await lent.call(line, "close", all=True)


async def test_where_the_user_picks_tabs_an_agent_is_told_what_to_share(lent: Lent) -> None:
    line = lent.daemon.home.line("agent")
    navigate = {"name": "browser_navigate", "arguments": {"url": "https://a.test/"}}
    await press(lent, action="narrow", share="manual")
    try:
        await restricted(lent, "mode", "manual")
        async with asyncio.timeout(WITHIN_S):
            while (await lent.call(line, "relay.shared"))["tabs"]:
                continue
        with pytest.raises(PilothouseError, match="none is shared, or another agent") as empty:
            await lent.call(line, "open", target="Inbox")
        assert "press Share" in empty.value.hint
        nothing = await lent.call(line, "tool", **navigate)
        assert "the user shares only the tabs they pick" in nothing["error"]
        assert nothing["hint"].startswith("ask the user to share one: open https://a.test/ in")
        await press(lent, action="attach", tabId=await tab_number(lent, "/user.html"))
        async with asyncio.timeout(WITHIN_S):
            while len(tabs := (await lent.call(line, "relay.shared"))["tabs"]) != 1:
                continue
        assert tabs[0]["shared_by"] == "the user picked this tab"
        one = await lent.call(line, "tool", **navigate)
        adopt = f'browser_tabs(action="adopt", target="{tabs[0]["target"][:8]}"'
        assert adopt in one["hint"]
        assert "the user's own" in one["hint"]
        with pytest.raises(PilothouseError, match="only the tabs they pick") as refused:
            await lent.call(line, "open", browser="extension", url="https://a.test/")
        assert refused.value.hint.startswith("pilothouse open --target ID uses a shared one")
    finally:
        await shares(lent, "all")


async def test_a_tab_that_the_user_takes_back_is_told_as_that_and_kept_in_the_journal(
    lent: Lent,
) -> None:
    line = lent.daemon.home.line("agent")
    number = await tab_number(lent, "/user.html")
    await lent.call(line, "open", browser="extension", target=lent.pages.url("/user.html"))
    await press(lent, action="detach", tabId=number)
    async with asyncio.timeout(WITHIN_S):
        while (await lent.call(line, "tabs"))[0]["alive"]:
            continue
    with pytest.raises(PilothouseError, match="the user took this tab back") as refused:
        await lent.call(line, "tab.snapshot")
    assert "share it again" in refused.value.hint
    journal = (await lent.call(line, "journal"))["entries"]
    assert "the user took this tab back" in [entry["words"] for entry in journal]
    await press(lent, action="attach", tabId=number)
    await is_shared(lent, lent.pages.url("/user.html"))
    await lent.call(line, "open", browser="extension", target=lent.pages.url("/user.html"))
    await press(lent, action="stop")
    try:
        async with asyncio.timeout(WITHIN_S):
            while (await lent.call(line, "tabs"))[0]["alive"]:
                continue
        with pytest.raises(PilothouseError, match="the user stopped all agents"):
            await lent.call(line, "tab.snapshot")
        (one,) = (await lent.call(line, "status"))["relay"]["extensions"]
        assert one["state"] == (await popup(lent))["stopped"] == "stopped"
        with pytest.raises(PilothouseError, match="the user stopped all agents"):
            await lent.call(line, "open", target="the user's own", name="again")
    finally:
        await press(lent, action="allow")
    await press(lent, action="pause")
    try:
        await restricted(lent, "paused", True)
        with pytest.raises(PilothouseError, match="the user paused all agents") as paused:
            await lent.call(line, "open", browser="extension", name="more")
        assert "Go on" in paused.value.format_line()
        # At once: an agent that adopts a tab does not wait for a debugger that may not come.
        with pytest.raises(PilothouseError, match="the user paused all agents"):
            await lent.call(line, "open", target="the user's own", name="again")
    finally:
        await press(lent, action="resume")
        await restricted(lent, "paused", False)
    await lent.call(line, "close", all=True)


async def test_popup_tells_who_did_what_in_words_for_tools_and_for_clients(lent: Lent) -> None:
    line = lent.daemon.home.line("agent")
    await lent.call(line, "open", browser="extension", url=lent.pages.url("/page.html"))
    await lent.call(line, "tab.hover", target="button=Go")

    panel = await lent.chrome.open_page("popup/popup.html")

    async def shown(label: str, words: str) -> None:
        rows: dict[str, Any] = {}
        try:
            async with asyncio.timeout(WITHIN_S / 3):
                while rows.get(label) != words:
                    clients = (await popup(lent, panel))["clients"]
                    rows = {row["label"]: row.get("lastAction") for row in clients}
        except TimeoutError:
            raise AssertionError(f"the popup says {rows}") from None

    await shown("agent", 'pointed at "Go"')
    url = lent.daemon.url(browser="extension", attach="lazy", label="claude")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(url)
        pages = browser.contexts[0].pages
        page = next(one for one in pages if one.url == lent.pages.url("/user.html"))
        await page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<button>Search flights</button>')"
        )
        await page.get_by_role("button").click()
        await shown("claude", 'clicked "Search flights" in the user\'s own')
        # What the user opened is not the client's to close.
        await page.evaluate("document.querySelector('button').remove()")
        raw = await browser.new_browser_cdp_session()
        target = next(one for one in (await raw.send("Target.getTargets"))["targetInfos"]
                      if one["url"] == page.url)  # fmt: skip
        with pytest.raises(Error, match="the user opened this tab, and agents may not close it"):
            await raw.send("Target.closeTarget", {"targetId": target["targetId"]})
        await page.close()  # it is off it already, and never waits for what does not come
        assert page.url not in [one.url for one in browser.contexts[0].pages]
        listed = await asyncio.to_thread(
            read_json, lent.daemon.http("/json/list", browser="extension")
        )
        assert any(one["url"] == page.url and "tabs=" in one["webSocketDebuggerUrl"]
                   for one in listed)  # fmt: skip
        await browser.close()
    await lent.call(line, "close", all=True)


async def test_clients_by_the_printed_url_reach_both_browsers_apart(lent: Lent) -> None:
    line = lent.daemon.home.line("prints")

    async def url(**asked: str) -> str:
        told = await lent.call(line, "relay.url", **asked)
        assert lent.daemon.token not in json.dumps(told)
        return str(told["url"]).replace("TOKEN", lent.daemon.token, 1)

    async with async_playwright() as playwright:
        ours = await playwright.chromium.connect_over_cdp(await url(browser="managed", label="one"))
        theirs = await playwright.chromium.connect_over_cdp(await url(label="two"))
        for browser in (ours, theirs):
            page = await browser.contexts[0].new_page()
            await page.goto(lent.pages.url("/page.html"))
            assert await page.inner_text("h1") == "Hello"
            assert [one.url for one in browser.contexts[0].pages] == [page.url]
        clients = (await lent.call(line, "relay.status"))["clients"]
        assert [(c["label"], c["browser"]) for c in clients] == [
            ("one", "managed"),
            ("two", "extension"),
        ]
        assert await lent.call(line, "tabs") == []
        names = [client["owner"] for client in clients]
        told = await lent.call(lent.daemon.home.line(names[0]), "tabs")
        assert [tab["url"] for tab in told] == [lent.pages.url("/page.html")]
        journal = await lent.call(lent.daemon.home.line(names[1]), "journal")
        assert "two joined through the relay" in [line["words"] for line in journal["entries"]]
        await ours.close()
        await theirs.close()
    assert lent.pages.url("/user.html") in await lent.urls()


async def test_no_route_of_the_relay_answers_without_the_token(lent: Lent) -> None:
    said: list[bytes] = []

    def status(path: str) -> int:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{lent.daemon.port}{path}", timeout=20
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
    assert not any(lent.daemon.token.encode() in answer for answer in said)


async def test_token_and_secrets_are_in_no_log_answer_or_command_line(lent: Lent) -> None:
    root = lent.daemon.home.paths.root
    secrets = [
        lent.daemon.token,
        *json.loads((root / "data" / "pairings.json").read_text()).values(),
    ]
    line = lent.daemon.home.line("me")
    said = [
        json.dumps(await lent.call(line, method))
        for method in ("status", "relay.status", "journal", "relay.url", "tabs")
    ]
    said += [
        path.read_text() for path in (root / "daemon.log", root / "tabs.json") if path.exists()
    ]
    for process in lent.daemon.home.family():
        try:
            said.append(" ".join(process.cmdline()))
        except psutil.NoSuchProcess:
            continue
    assert [secret[:4] for secret in secrets if any(secret in text for text in said)] == []


async def test_pairing_code_is_made_for_one_that_has_no_secret(lent: Lent) -> None:
    told = await lent.call(lent.daemon.home.line("me"), "relay.pair")
    assert (len(told["code"]), told["port"], told["lives_s"]) == (8, lent.daemon.port, 120)


async def test_relay_that_is_stopped_leaves_the_daemon_and_the_users_tabs(lent: Lent) -> None:
    line = lent.daemon.home.line("me")
    await lent.call(line, "open", browser="extension", target="the user's own")
    assert await lent.call(line, "relay.stop") == {"stopped": True}
    assert (await lent.call(line, "status"))["relay"]["open"] is False
    with pytest.raises(PilothouseError, match="`pilothouse relay stop` stopped the relay"):
        await lent.call(line, "open", browser="extension", name="another")
    assert lent.pages.url("/user.html") in await lent.urls()
    # On the same port the extension finds it again.
    await lent.call(line, "relay.start", port=lent.daemon.port)
    await lent.comes()
    await lent.call(line, "open", browser="extension", target="the user's own")
    assert await lent.call(line, "tab.text", target="p") == "private"
    await lent.call(line, "close", all=True)


async def test_browser_is_the_one_named_or_joined_or_as_the_settings_say(tmp_path: Path) -> None:
    lending = Daemon(
        RuntimePaths(tmp_path), Settings(browser=BrowserSettings(kind="extension"))
    ).relay_service
    # One that a person closed stays closed; else it would be opened for whoever asks for it.
    await lending.methods["relay.stop"]("me", {})
    with pytest.raises(BrowserError, match="`pilothouse relay stop` stopped the relay") as refused:
        await lending.resolve_request({})
    assert "pilothouse relay start" in refused.value.hint
    for ours in ({"browser": "managed"}, {"headed": True}, {"stealth": "off"}):
        assert (await lending.resolve_request(ours)).browser in ("", "managed")
    joined = await lending.resolve_request({}, "http://127.0.0.1:9")
    assert joined.app is not None
    assert joined.app.cdp_url == "http://127.0.0.1:9"
    launching = Daemon(RuntimePaths(tmp_path), Settings()).relay_service
    await launching.methods["relay.stop"]("me", {})
    assert (await launching.resolve_request({})).browser == ""
    with pytest.raises(BrowserError, match="`pilothouse relay stop` stopped the relay"):
        await launching.resolve_request({"browser": "extension"}, "http://127.0.0.1:9")
    with pytest.raises(ToolError, match="port: expected a number from 0 to 65535, got 70000"):
        await launching.methods["relay.start"]("me", {"port": 70000})


async def test_user_is_heard_by_who_comes_and_sees_whose_a_tab_is(lent: Lent) -> None:
    line = lent.daemon.home.line("ann")
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
