"""The popup and the settings page, used as a person uses them, in a real Chromium."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.extension.chrome_relay_and_pages import Stage

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def until(stage: Stage, page: str, condition: str) -> Any:
    """What a condition comes to on a page, once it comes to something."""
    return await stage.chrome.evaluate(
        page,
        "(async () => { for (;;) { const at = (id) => document.getElementById(id);"
        f" const found = {condition}; if (found) return found;"
        " await new Promise((done) => setTimeout(done, 20)); } })()",
    )


async def press(stage: Stage, page: str, element: str) -> None:
    await stage.chrome.evaluate(page, f"document.getElementById({json.dumps(element)}).click()")


async def test_the_popup_says_in_a_sentence_how_things_are(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    said = "Connected. No agent is in any tab."
    await until(stage, popup, f"at('state-text').textContent === {said!r}")
    assert await until(stage, popup, "at('pairing').hidden && at('alarm').hidden")
    tab_id = await stage.held("<title>Flights</title>", client="claude")
    await until(stage, popup, "at('state-text').textContent === 'Agents are working in 1 tab.'")
    await until(stage, popup, "at('tabs').textContent.includes('Flights')")
    await until(stage, popup, "at('tabs').textContent.includes('claude')")
    assert await stage.on_panel("chrome.action.getBadgeText({})") == "1"
    # Take it back, on its own button.
    since = len(stage.relay.told)
    await stage.chrome.evaluate(popup, "document.querySelector('#tabs button').click()")
    await stage.relay.until("tabDetached", lambda p: p["tabId"] == tab_id, since)
    await until(stage, popup, "at('tabs').hidden")


async def test_the_popup_says_that_agents_may_only_read(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    said = "Connected. No agent is in any tab."
    await until(stage, popup, f"at('state-text').textContent === {said!r}")
    await stage.set(readOnly=True)
    said += " Read only: agents can look, but change nothing."
    await until(stage, popup, f"at('state-text').textContent === {said!r}")
    await stage.set(readOnly=False)
    await until(stage, popup, "!at('state-text').textContent.includes('Read only')")


async def test_a_tab_shared_by_hand_loses_the_name_of_an_agent_that_left(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    tab = await stage.shown("<title>Harbour</title>")
    await stage.press("attach", tabId=tab["tabId"])
    await stage.relay.ask("share", client="claude", tabIds=[tab["tabId"]])
    await stage.relay.ask("status", clients=[{"id": "c1", "label": "claude"}])
    await until(stage, popup, "at('tabs').textContent.includes('claude')")
    await stage.relay.ask("status", clients=[])
    await until(stage, popup, "at('tabs').textContent.includes('shared by you')")
    assert not await stage.chrome.evaluate(
        popup, "document.getElementById('tabs').textContent.includes('claude')"
    )


async def test_the_popup_shows_which_agent_does_what(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    await until(stage, popup, "at('agents').hidden")
    markup = "<img src=x onerror=alert(1)>"
    await stage.relay.ask(
        "status",
        clients=[
            {"id": "c1", "label": "claude", "lastAction": "clicked Search"},
            {"id": "c2", "label": markup, "conflicts": ["claude used this tab 10 s ago"]},
        ],
    )
    await until(stage, popup, "at('clients').textContent.includes('claude clicked Search')")
    await until(stage, popup, "at('clients').textContent.includes('claude used this tab')")
    # What an agent calls itself is text, whatever it looks like.
    assert await until(stage, popup, f"at('clients').textContent.includes({json.dumps(markup)})")
    assert (
        await stage.chrome.evaluate(popup, "document.querySelectorAll('#clients img').length") == 0
    )
    await stage.relay.ask("status", clients=[])
    await until(stage, popup, "at('agents').hidden")


async def test_pause_and_go_on_are_one_button(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    await until(stage, popup, "at('pause').textContent === 'Pause all'")
    await press(stage, popup, "pause")
    await until(stage, popup, "at('pause').textContent === 'Go on'")
    await until(stage, popup, "at('state-text').textContent.startsWith('Paused')")
    assert await stage.on_panel("chrome.action.getBadgeText({})") == "II"
    assert (await stage.relay.ask("settings"))["paused"] is True
    await press(stage, popup, "pause")
    await until(stage, popup, "at('pause').textContent === 'Pause all'")


async def test_what_was_taken_back_is_allowed_again_by_hand(stage: Stage) -> None:
    popup = await stage.chrome.open_page("popup/popup.html")
    await stage.shown()
    await until(stage, popup, "at('state-text').textContent.startsWith('Connected')")
    since = len(stage.relay.told)
    await press(stage, popup, "stop")
    await until(stage, popup, "!at('alarm').hidden && at('shared-text').textContent === 'Nothing.'")
    await stage.relay.until(
        "userAction", lambda p: p == {"kind": "detach", "state": "stopped"}, since
    )
    said = await stage.chrome.evaluate(popup, "document.getElementById('state-text').textContent")
    assert said == "Stopped. You stopped all agents; no tab is shared."
    await press(stage, popup, "alarm-act")
    await until(stage, popup, "at('alarm').hidden")
    assert (await stage.relay.ask("listTabs"))["tabs"]


async def test_every_setting_is_kept_at_once_and_told(stage: Stage) -> None:
    page = await stage.chrome.open_page("settings/settings.html")
    await until(stage, page, "at('connection').textContent.startsWith('Connected')")
    for name in ("readOnly", "lockUrl", "noNewTabs", "mayClose"):
        since = len(stage.relay.told)
        await press(stage, page, name)
        told = await stage.relay.until("settingsChanged", since=since)
        assert told["settings"][name] is True
    change = (
        "for (const [id, value] of Object.entries({{{}}})) {{ const field ="
        " document.getElementById(id); field.value = value;"
        " field.dispatchEvent(new Event('change')); }}"
    )
    values = "userInstructions: ' Ask first. ', autoDetachMinutes: 5, autoCloseMinutes: 15"
    await stage.chrome.evaluate(page, change.format(values))
    await stage.relay.until(
        "settingsChanged",
        lambda p: (
            (p["settings"]["userInstructions"], p["settings"]["autoCloseMinutes"])
            == ("Ask first.", 15)
        ),
    )
    assert (await stage.relay.ask("settings"))["autoDetachMinutes"] == 5
    # A port that is none is not kept.
    await stage.chrome.evaluate(page, change.format("port: 70000"))
    await until(stage, page, "at('port').getAttribute('aria-invalid') === 'true'")
    assert "port" not in await stage.on_panel("chrome.storage.local.get('port')")


async def test_an_older_change_does_not_undo_what_was_set_since(stage: Stage) -> None:
    since = len(stage.relay.told)
    seen = await stage.on_panel(
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
    await stage.relay.until("settingsChanged", lambda p: p["settings"]["share"] == "tab", since)


async def test_the_scope_is_chosen_with_its_tab(stage: Stage) -> None:
    tab = await stage.shown("<title>The only one</title>")
    page = await stage.chrome.open_page("settings/settings.html")
    await until(stage, page, "at('connection').textContent.startsWith('Connected')")
    await stage.chrome.evaluate(page, "document.querySelector('[value=tab]').click()")
    await until(stage, page, "!at('tab-row').hidden")
    await stage.chrome.evaluate(
        page,
        f"const tab = document.getElementById('tab'); tab.value = '{tab['tabId']}';"
        " tab.dispatchEvent(new Event('change'))",
    )
    await until(stage, page, f"Number(at('tab').value) === {tab['tabId']}")
    await stage.relay.wait(lambda: stage.relay.told)
    listed = await stage.relay.ask("listTabs")
    assert [t["tabId"] for t in listed["tabs"]] == [tab["tabId"]]
    await stage.chrome.evaluate(page, "document.querySelector('[value=manual]').click()")
    await stage.relay.until("settingsChanged", lambda p: p["settings"]["mode"] == "manual")
    assert (await stage.relay.ask("listTabs"))["tabs"] == []


async def test_a_web_page_gets_no_port_to_the_extension(stage: Stage) -> None:
    tab_id = await stage.held("<title>curious</title>")
    assert await stage.relay.value(tab_id, "typeof chrome?.runtime?.connect") == "undefined"
    # Nor any of its files.
    got = await stage.relay.cdp(
        tab_id,
        "Runtime.evaluate",
        expression="fetch('chrome-extension://pghelcmpnljfajfjjdipjipocoahkpda/pairing.json')"
        ".then(() => 'read', () => 'refused')",
        awaitPromise=True,
        returnByValue=True,
    )
    assert got["result"]["value"] == "refused"
