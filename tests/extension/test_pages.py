"""The popup and the settings page, used as a person uses them, in a real Chromium."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.extension.room import Room

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def until(room: Room, page: str, condition: str) -> Any:
    """What a condition comes to on a page, once it comes to something."""
    return await room.chrome.evaluate(
        page,
        "(async () => { for (;;) { const at = (id) => document.getElementById(id);"
        f" const found = {condition}; if (found) return found;"
        " await new Promise((done) => setTimeout(done, 20)); } })()",
    )


async def press(room: Room, page: str, element: str) -> None:
    await room.chrome.evaluate(page, f"document.getElementById({json.dumps(element)}).click()")


async def test_the_popup_says_in_a_sentence_how_things_are(room: Room) -> None:
    popup = await room.chrome.open_page("popup/popup.html")
    said = "Connected. No agent is in any tab."
    await until(room, popup, f"at('state-text').textContent === {said!r}")
    assert await until(room, popup, "at('pairing').hidden && at('alarm').hidden")
    tab_id = await room.held("<title>Flights</title>", client="claude")
    await until(room, popup, "at('state-text').textContent === 'Agents are working in 1 tab.'")
    await until(room, popup, "at('tabs').textContent.includes('Flights')")
    await until(room, popup, "at('tabs').textContent.includes('claude')")
    assert await room.on_panel("chrome.action.getBadgeText({})") == "1"
    # Take it back, on its own button.
    since = len(room.peer.told)
    await room.chrome.evaluate(popup, "document.querySelector('#tabs button').click()")
    await room.peer.until("tabDetached", lambda p: p["tabId"] == tab_id, since)
    await until(room, popup, "at('tabs').hidden")


async def test_the_popup_shows_which_agent_does_what(room: Room) -> None:
    popup = await room.chrome.open_page("popup/popup.html")
    await until(room, popup, "at('agents').hidden")
    markup = "<img src=x onerror=alert(1)>"
    await room.peer.ask(
        "status",
        clients=[
            {"id": "c1", "label": "claude", "lastAction": "clicked Search"},
            {"id": "c2", "label": markup, "conflicts": ["claude used this tab 10 s ago"]},
        ],
    )
    await until(room, popup, "at('clients').textContent.includes('claude clicked Search')")
    await until(room, popup, "at('clients').textContent.includes('claude used this tab')")
    # What an agent calls itself is text, whatever it looks like.
    assert await until(room, popup, f"at('clients').textContent.includes({json.dumps(markup)})")
    assert (
        await room.chrome.evaluate(popup, "document.querySelectorAll('#clients img').length") == 0
    )
    await room.peer.ask("status", clients=[])
    await until(room, popup, "at('agents').hidden")


async def test_pause_and_go_on_are_one_button(room: Room) -> None:
    popup = await room.chrome.open_page("popup/popup.html")
    await until(room, popup, "at('pause').textContent === 'Pause all'")
    await press(room, popup, "pause")
    await until(room, popup, "at('pause').textContent === 'Go on'")
    await until(room, popup, "at('state-text').textContent.startsWith('Paused')")
    assert await room.on_panel("chrome.action.getBadgeText({})") == "II"
    assert (await room.peer.ask("settings"))["paused"] is True
    await press(room, popup, "pause")
    await until(room, popup, "at('pause').textContent === 'Pause all'")


async def test_what_was_taken_back_is_allowed_again_by_hand(room: Room) -> None:
    popup = await room.chrome.open_page("popup/popup.html")
    await room.shown()
    await until(room, popup, "at('state-text').textContent.startsWith('Connected')")
    since = len(room.peer.told)
    await press(room, popup, "stop")
    await until(room, popup, "!at('alarm').hidden && at('shared-text').textContent === 'Nothing.'")
    await room.peer.until(
        "userAction", lambda p: p == {"kind": "detach", "state": "stopped"}, since
    )
    said = await room.chrome.evaluate(popup, "document.getElementById('state-text').textContent")
    assert said == "Stopped. You stopped all agents; no tab is shared."
    await press(room, popup, "alarm-act")
    await until(room, popup, "at('alarm').hidden")
    assert (await room.peer.ask("listTabs"))["tabs"]


async def test_every_setting_is_kept_at_once_and_told(room: Room) -> None:
    page = await room.chrome.open_page("settings/settings.html")
    await until(room, page, "at('connection').textContent.startsWith('Connected')")
    for name in ("readOnly", "lockUrl", "noNewTabs", "mayClose"):
        since = len(room.peer.told)
        await press(room, page, name)
        told = await room.peer.until("settingsChanged", since=since)
        assert told["settings"][name] is True
    change = (
        "for (const [id, value] of Object.entries({{{}}})) {{ const field ="
        " document.getElementById(id); field.value = value;"
        " field.dispatchEvent(new Event('change')); }}"
    )
    values = "userInstructions: ' Ask first. ', autoDetachMinutes: 5, autoCloseMinutes: 15"
    await room.chrome.evaluate(page, change.format(values))
    await room.peer.until(
        "settingsChanged",
        lambda p: (
            (p["settings"]["userInstructions"], p["settings"]["autoCloseMinutes"])
            == ("Ask first.", 15)
        ),
    )
    assert (await room.peer.ask("settings"))["autoDetachMinutes"] == 5
    # A port that is none is not kept.
    await room.chrome.evaluate(page, change.format("port: 70000"))
    await until(room, page, "at('port').getAttribute('aria-invalid') === 'true'")
    assert "port" not in await room.on_panel("chrome.storage.local.get('port')")


async def test_an_older_change_does_not_undo_what_was_set_since(room: Room) -> None:
    since = len(room.peer.told)
    seen = await room.on_panel(
        "(async () => { const { Settings } = await import('/shared/user_settings.js');"
        " const settings = new Settings(); const seen = [];"
        " const heard = (value) => {"
        "   settings.onStorageChanged({share: {newValue: value}}, 'local');"
        "   seen.push(settings.values.share); };"
        " const written = [settings.set({share: 'window'}), settings.set({share: 'tab'})];"
        " for (const value of ['all', 'window', 'tab', 'all']) heard(value);"
        " await Promise.all(written); return seen; })()"
    )
    assert seen == ["tab", "tab", "tab", "all"]
    # They were really written, and the extension's worker hears of it: not in the next test.
    await room.peer.until("settingsChanged", lambda p: p["settings"]["share"] == "tab", since)


async def test_the_scope_is_chosen_with_its_tab(room: Room) -> None:
    tab = await room.shown("<title>The only one</title>")
    page = await room.chrome.open_page("settings/settings.html")
    await until(room, page, "at('connection').textContent.startsWith('Connected')")
    await room.chrome.evaluate(page, "document.querySelector('[value=tab]').click()")
    await until(room, page, "!at('tab-row').hidden")
    await room.chrome.evaluate(
        page,
        f"const tab = document.getElementById('tab'); tab.value = '{tab['tabId']}';"
        " tab.dispatchEvent(new Event('change'))",
    )
    await until(room, page, f"Number(at('tab').value) === {tab['tabId']}")
    await room.peer.wait(lambda: room.peer.told)
    listed = await room.peer.ask("listTabs")
    assert [t["tabId"] for t in listed["tabs"]] == [tab["tabId"]]
    await room.chrome.evaluate(page, "document.querySelector('[value=manual]').click()")
    await room.peer.until("settingsChanged", lambda p: p["settings"]["mode"] == "manual")
    assert (await room.peer.ask("listTabs"))["tabs"] == []


async def test_a_web_page_gets_no_port_to_the_extension(room: Room) -> None:
    tab_id = await room.held("<title>curious</title>")
    assert await room.peer.value(tab_id, "typeof chrome?.runtime?.connect") == "undefined"
    # Nor any of its files.
    got = await room.peer.cdp(
        tab_id,
        "Runtime.evaluate",
        expression="fetch('chrome-extension://pghelcmpnljfajfjjdipjipocoahkpda/pairing.json')"
        ".then(() => 'read', () => 'refused')",
        awaitPromise=True,
        returnByValue=True,
    )
    assert got["result"]["value"] == "refused"
