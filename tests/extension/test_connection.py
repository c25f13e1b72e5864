"""The line between extension and relay: proof both ways, and coming back, in a real Chromium."""

from __future__ import annotations

import contextlib
import functools
import json
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pilothouse.relay.server.pairing_store import PairingStore
from tests.extension.chrome_relay_and_pages import Stage
from tests.extension.chrome_with_extension import ORIGIN, Chrome, chrome_with_extension, paired_copy
from tests.extension.fake_relay import FakeRelay, WireError
from tests.soak_extent import repeats

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(600),
]

KILLS = repeats(3, 50)


async def test_hello_says_who_it_is_and_proves_it(stage: Stage) -> None:
    hello = stage.relay.visit.hello
    assert stage.relay.origins[0] == ORIGIN
    assert hello["install"] == json.loads((stage.folder / "pairing.json").read_text())["install"]
    assert hello["product"].startswith("Chrome/")
    assert hello["product"].count(".") == 3
    assert "Chrome/" in hello["userAgent"]
    assert hello["profile"].startswith("profile-")
    assert hello["settings"]["mode"] == "auto"
    assert stage.relay.secret not in json.dumps(hello)


async def test_ping_is_answered_with_and_without_an_id(stage: Stage) -> None:
    assert await stage.relay.ask("ping") == {}
    since = len(stage.relay.told)
    await stage.relay.visit.socket.send(json.dumps({"method": "ping"}))
    await stage.relay.until("pong", since=since)


@pytest.mark.figures
@pytest.mark.soak
async def test_a_killed_worker_is_back_within_two_seconds_and_doubles_nothing(stage: Stage) -> None:
    tab_id = await stage.held("<title>kept</title>")
    took = []
    for _ in range(KILLS):
        welcomes, started = stage.relay.welcomes(), time.monotonic()
        await stage.chrome.kill_worker()
        await stage.relay.wait(functools.partial(_more_than, stage, welcomes))
        took.append(time.monotonic() - started)
        tabs = (await stage.relay.ask("listTabs"))["tabs"]
        (kept,) = (tab for tab in tabs if tab["tabId"] == tab_id)
        assert kept["attached"] is True
        assert len({tab["targetId"] for tab in tabs}) == len(tabs)
        # The debugger stayed on the page: nothing had to be attached again.
        assert await stage.relay.value(tab_id, "document.title") == "kept"
        assert len(await stage.chrome.workers()) == 1
    # The alarm rings after a second; what is more is the machine's.
    assert sorted(took)[len(took) // 2] < 2.0


async def test_a_dialog_that_opened_before_the_relay_was_restarted_can_still_be_answered(
    stage: Stage,
) -> None:
    tab_id = await stage.held("<title>asks</title>")
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.value(tab_id, "void setTimeout(() => (self.got = prompt('Who?')))")
    await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
    welcomes, port = stage.relay.welcomes(), stage.relay.port
    await stage.relay.stop()
    await stage.relay.start(port)
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    await stage.relay.cdp(tab_id, "Page.handleJavaScriptDialog", accept=True, promptText="Ann")
    assert await stage.relay.value(tab_id, "self.got") == "Ann"


async def test_what_happens_while_the_line_is_down_is_told_afterwards(stage: Stage) -> None:
    tab = await stage.shown("<title>talks</title>")
    await stage.relay.ask("attachTab", tabId=tab["tabId"])
    await stage.relay.cdp(tab["tabId"], "Runtime.enable")
    welcomes, port = stage.relay.welcomes(), stage.relay.port
    # A line that is down for two seconds lets the tab go: all that takes time is done before.
    session = await stage.chrome.attach(tab["targetId"])
    await stage.relay.stop()
    await stage.on_panel(
        "(async () => { while (document.getElementById('connection').dataset.is === 'connected')"
        " await new Promise((done) => setTimeout(done, 20)); })()"
    )
    await stage.chrome.evaluate(session, "console.log('while it was down')")
    await stage.relay.start(port)
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    told = await stage.relay.event(tab["tabId"], "Runtime.consoleAPICalled")
    assert told["params"]["args"][0]["value"] == "while it was down"
    await stage.chrome.call("Target.detachFromTarget", sessionId=session)


async def test_one_relay_has_one_line_however_often_it_is_told_to_connect(stage: Stage) -> None:
    # Five times in a row. A code that is none is answered after them: what stands then, stays.
    await stage.on_panel(
        "new Promise((done) => { let asked = false, heard = false;"
        " const port = chrome.runtime.connect();"
        " port.onMessage.addListener(({view, problem}) => {"
        "   if (problem) heard = true;"
        "   if (heard && view?.connection.state === 'connected') done(1);"
        "   if (asked) return;"
        "   asked = true;"
        "   for (let n = 0; n < 5; n++) port.postMessage({action: 'connect'});"
        "   port.postMessage({action: 'pair', code: 'none'}); }); })"
    )
    await stage.relay.wait(lambda: sum(visit.stands for visit in stage.relay.visits) == 1)
    assert stage.relay.visit.stands
    assert await stage.relay.ask("listTabs")


def _more_than(stage: Stage, welcomes: int) -> bool:
    return stage.relay.welcomes() > welcomes


@contextlib.asynccontextmanager
async def _other_relay(stage: Stage, relay: FakeRelay) -> AsyncIterator[FakeRelay]:
    """The user sets the port of another relay, and afterwards the old one."""
    welcomes = stage.relay.welcomes()
    async with relay.running():
        await stage.on_panel(f"chrome.storage.local.set({{port: {relay.port}}})")
        yield relay
        await stage.on_panel("chrome.storage.local.remove('port')")
        await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)


async def test_a_relay_with_another_secret_gets_nothing(stage: Stage) -> None:
    async with _other_relay(stage, FakeRelay("not the secret of this extension")) as stranger:
        await stranger.wait(lambda: len(stranger.visits) >= 2)
        assert stranger.told == []
        assert stranger.welcomes() == 0
        words = await stage.on_panel("document.getElementById('connection').textContent")
        assert words


async def test_a_relay_that_proves_nothing_is_not_obeyed(stage: Stage) -> None:
    tab_id = await stage.held("<title>untouched</title>")
    async with _other_relay(stage, FakeRelay("", proves=False)) as false_one:
        await false_one.wait(lambda: len(false_one.visits) >= 3)
        # Each visit got a false welcome and then a command; none was answered.
        assert all(visit.said == [] for visit in false_one.visits)
    assert await stage.relay.value(tab_id, "document.title") == "untouched"


async def test_an_extension_without_a_secret_pairs_by_a_code(chromium_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="ph-code-") as root:
        async with FakeRelay("", code="HJKMNPQR").running() as relay:
            folder = paired_copy(Path(root), relay.port).folder
            record = folder / "pairing.json"
            record.unlink()
            async with chrome_with_extension(chromium_path, folder) as chrome:
                page = await chrome.open_page("popup/popup.html")
                await chrome.evaluate(page, f"chrome.storage.local.set({{port: {relay.port}}})")
                await _shows(chrome, page, "state", "Not paired")
                assert relay.visits == []
                type_code = (
                    "document.getElementById('code').value = '{}';"
                    "document.getElementById('pairing').requestSubmit()"
                )
                await chrome.evaluate(page, type_code.format("short"))
                await _shows(chrome, page, "problem", "eight letters")
                await chrome.evaluate(page, type_code.format("XXXX-XXXX"))
                await _shows(chrome, page, "problem", "not paired")
                # A wrong code is tried once: the relay counts.
                assert len(relay.visits) == 1
                await chrome.evaluate(page, type_code.format("hjkm-npqr"))
                await relay.wait(relay.welcomes)
                await _shows(chrome, page, "state", "Connected")
                # Nothing is shared until the user says so; the first page asks.
                assert (await relay.ask("listTabs"))["tabs"] == []
                urls = [target["url"] for target in await chrome.targets()]
                assert any(url.endswith("/welcome/welcome.html") for url in urls)
                await chrome.evaluate(page, "chrome.storage.local.set({mode: 'auto'})")
                await relay.until("settingsChanged", lambda p: p["settings"]["mode"] == "auto")
                assert (await relay.ask("listTabs"))["tabs"]
                # From now on it comes with the secret that it was given.
                welcomes = relay.welcomes()
                await chrome.kill_worker()
                await relay.wait(lambda: relay.welcomes() > welcomes)
                assert "codeProof" not in relay.visit.hello
                # It may be loaded anew, and is who it was.
                await chrome.developer_mode()
                welcomes, profile = relay.welcomes(), relay.visit.hello["profile"]
                assert await relay.ask("reload") == {}
                await relay.wait(lambda: relay.welcomes() > welcomes)
                assert relay.visit.hello["profile"] == profile


async def test_an_extension_that_was_unpaired_asks_for_a_code_and_finds_a_new_installation(
    chromium_path: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="ph-unpaired-") as root:
        async with FakeRelay("no secret of this extension", code="HJKMNPQR").running() as relay:
            copy = paired_copy(Path(root), relay.port)
            async with chrome_with_extension(chromium_path, copy.folder) as chrome:
                page = await chrome.open_page("popup/popup.html")
                await _shows(chrome, page, "state", "No longer paired")
                hidden = "['pairing', 'start'].map((id) => document.getElementById(id).hidden)"
                assert await chrome.evaluate(page, hidden) == [False, True]
                await chrome.evaluate(
                    page,
                    "document.getElementById('code').value = 'XXXX-XXXX';"
                    "document.getElementById('pairing').requestSubmit()",
                )
                await _shows(chrome, page, "problem", "not paired")
                # The answer about the code stays while the old secret is tried again.
                visits = len(relay.visits)
                await relay.wait(lambda: len(relay.visits) >= visits + 2)
                await _shows(chrome, page, "problem", "not paired")
                # Installed anew it has another secret, which the extension reads without a reload.
                PairingStore(Path(root) / "pairings.json").remove(copy.install)
                again = paired_copy(Path(root), relay.port)
                assert again.secret != copy.secret
                relay.secret = again.secret
                await relay.wait(relay.welcomes)
                await _shows(chrome, page, "state", "Connected")
                assert relay.visit.hello["install"] == again.install


async def test_a_port_that_is_set_while_the_worker_starts_for_the_first_time_is_heard(
    chromium_path: Path,
) -> None:
    with tempfile.TemporaryDirectory(prefix="ph-slow-") as root:
        async with FakeRelay("some secret").running() as relay:
            folder = paired_copy(Path(root), 1).folder
            # As on a busy machine: the worker stands still right after it has begun to start.
            worker, begins = folder / "background" / "worker.js", "const ready = start();\n"
            words = worker.read_text()
            assert begins in words
            stands = "for (const until = performance.now() + 300; performance.now() < until; );\n"
            worker.write_text(words.replace(begins, begins + stands))
            async with chrome_with_extension(chromium_path, folder) as chrome:
                page = await chrome.open_page("popup/popup.html")
                await chrome.evaluate(page, f"chrome.storage.local.set({{port: {relay.port}}})")
                await relay.wait(lambda: relay.visits)


async def _shows(chrome: Chrome, page: str, element: str, words: str) -> None:
    await chrome.evaluate(
        page,
        "(async () => { while (!(document.getElementById("
        f"{json.dumps(element)})?.textContent ?? '').includes({json.dumps(words)}))"
        " await new Promise((done) => setTimeout(done, 20)); })()",
    )


async def test_unknown_commands_are_said_to_be_unknown(stage: Stage) -> None:
    for method in ("__proto__", "constructor", "toString", "eval"):
        with pytest.raises(WireError, match="wasn't found") as caught:
            await stage.relay.ask(method)
        assert caught.value.code == -32601


async def test_a_relay_that_knows_nothing_of_a_held_tab_gets_it_afresh(stage: Stage) -> None:
    tab_id = await stage.held("<title>asks</title>")
    await stage.relay.cdp(tab_id, "Page.enable")
    await stage.relay.cdp(tab_id, "Runtime.enable")
    await stage.relay.value(tab_id, "void setTimeout(() => (self.got = prompt('Who?')))")
    await stage.relay.event(tab_id, "Page.javascriptDialogOpening")
    welcomes, port = stage.relay.welcomes(), stage.relay.port
    await stage.relay.stop()
    await stage.relay.start(port)
    await stage.relay.wait(lambda: stage.relay.welcomes() > welcomes)
    since = len(stage.relay.told)
    # The dialog, which nobody knows of any more, is dismissed; contexts are told anew.
    await stage.relay.ask("attachTab", tabId=tab_id)
    await stage.relay.cdp(tab_id, "Runtime.enable")
    await stage.relay.until(
        "cdpEvent", lambda p: p["method"] == "Runtime.executionContextCreated", since
    )
    assert await stage.relay.value(tab_id, "self.got === null") is True
