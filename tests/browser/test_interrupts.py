"""Everything but dialogs that stops a page, on a real Chromium (fault rows F4, F5)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.cdp.protocol import Page
from pilothouse.errors import CommandFailed
from pilothouse.supervisor import Interrupt, Options, State
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model.dialog_policy_and_permissions import PERMISSION_FUNCTIONS
from pilothouse.supervisor.model.events import TimerFired
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, browser_lives, show, staged

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(
    chromium_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    folder = tmp_path_factory.mktemp("downloads")
    async with staged(Options(downloads=str(folder))) as made:
        made.pages.add_protected("/secret.html", "the secret", "anna", "geheim")
        yield made


@pytest_asyncio.fixture(loop_scope="module", autouse=True)
async def cleared(stage: Stage) -> AsyncIterator[None]:
    yield
    await stage.clear()


# HTTP authentication.


async def ask_for_secret(stage: Stage, host: str) -> tuple[str, str, str]:
    """Each test as another site: Chromium remembers passwords."""
    tab = await stage.sup.open_tab("auth")
    url = stage.pages.url("/secret.html", host)
    outcome = await stage.sup.cdp("Page.navigate", {"url": url}, tab=tab)
    (auth,) = outcome.blocked_by
    assert isinstance(auth, Interrupt)
    assert (auth.kind, auth.detail["realm"]) == ("auth", "pages")
    return tab, auth.id, outcome.action_id


async def shown(stage: Stage, tab: str) -> str:
    top = await stage.loaded(tab)
    return str(await stage.value(top.id, "document.body.innerText"))


async def test_a_password_is_asked_for_and_given(stage: Stage) -> None:
    tab, auth, action = await ask_for_secret(stage, "127.0.0.1")
    stage.sup.answer_interrupt(auth, "provide", username="anna", password="geheim")
    assert "errorText" not in await stage.delivered(action)
    assert await shown(stage, tab) == "the secret"


async def test_a_password_that_nobody_gives_ends_the_request(stage: Stage) -> None:
    tab, auth, action = await ask_for_secret(stage, "localhost")
    stage.sup.answer_interrupt(auth, "cancel")
    await stage.delivered(action)
    assert await shown(stage, tab) == "who are you?"
    assert not stage.sup.state.interrupts


async def test_a_password_nobody_decides_about_is_not_given(stage: Stage) -> None:
    """The deadline itself is 300 s; here its timer is told that they have passed."""
    tab, auth, action = await ask_for_secret(stage, "localhost")
    stage.sup.feed(TimerFired(stage.sup.now(), auth))
    await stage.delivered(action)
    assert await shown(stage, tab) == "who are you?"


async def test_a_wrong_password_is_asked_for_again(stage: Stage) -> None:
    tab, auth, action = await ask_for_secret(stage, "a.localhost")
    stage.sup.answer_interrupt(auth, "provide", username="anna", password="falsch")
    again = await stage.sup.wait_for(
        lambda s: next((i for i in s.interrupts.values() if i.id != auth), None), WITHIN_S
    )
    stage.sup.answer_interrupt(again.id, "cancel")
    await stage.delivered(action)
    assert await shown(stage, tab) == "who are you?"


# Files in and out.


async def test_a_file_chooser_takes_a_file(stage: Stage, tmp_path: Path) -> None:
    html = "<input type=file style='position:fixed;left:0;top:0;width:200px;height:50px'>"
    tab = await stage.sup.open_tab("files", stage.pages.add("/file.html", html))
    top = await stage.loaded(tab)
    await stage.run(top.id, "document.querySelector('input').click(); 0", gesture=True)
    chooser = await stage.interrupt("file_chooser", tab)
    file = tmp_path / "report.txt"
    file.write_text("figures")
    stage.sup.answer_interrupt(chooser.id, "upload", files=[str(file)])
    chosen = "new Promise(r => document.querySelector('input').files.length ? r(1) : oninput = r)"
    await stage.run(top.id, f"{chosen}.then(() => 0)")
    read = "document.querySelector('input').files[0].text()"
    assert await stage.value(top.id, read) == "figures"
    assert not stage.sup.state.interrupts


async def test_a_download_is_told_from_start_to_end(stage: Stage) -> None:
    url = stage.pages.add_download("/get", "content", "report.csv")
    tab = await stage.sup.open_tab("loader", stage.pages.url("/main.html"))
    await stage.loaded(tab)  # docs/cdp/downloads-untold.md
    await stage.sup.cdp("Page.navigate", {"url": url}, tab=tab)
    download = await stage.sup.wait_for(
        lambda s: next((d for d in s.downloads.values() if d.state == "completed"), None), WITHIN_S
    )
    assert (download.tab, download.filename) == (tab, "report.csv")
    assert await asyncio.to_thread(Path(download.path).read_text) == "content"
    told = stage.sup.take_notices(TabKey("loader"))
    assert [line.partition(":")[0] for line in told] == ["download started", "download completed"]


async def test_a_download_that_fails_is_told(stage: Stage) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=half.bin\r\n"
            b"Content-Length: 1000\r\n\r\nhalf"
        )
        writer.close()

    async with await asyncio.start_server(half, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/half.bin"
        tab = await stage.sup.open_tab("loader2", stage.pages.url("/main.html"))
        await stage.loaded(tab)  # docs/cdp/downloads-untold.md
        await stage.sup.cdp("Page.navigate", {"url": url}, tab=tab)
        await stage.sup.wait_for(
            lambda s: any((d.tab, d.state) == (tab, "canceled") for d in s.downloads.values()),
            WITHIN_S,
        )
    assert "download canceled: half.bin" in stage.sup.take_notices(TabKey("loader2"))


# Renderers that hang and die.


async def test_a_hung_page_is_reported_and_freed(stage: Stage) -> None:
    spot = await stage.go("main")
    outcome = await stage.run(spot.frame_id, "for (;;);")
    (hung,) = outcome.blocked_by
    assert isinstance(hung, Interrupt)
    assert (hung.kind, hung.tab) == ("hung", spot.tab)
    began = time.perf_counter()
    other = await stage.go("main")
    assert await stage.value(other.frame_id, "1") == 1
    assert (await stage.run(spot.frame_id, "1")).blocked_by == (hung,)
    stage.sup.answer_interrupt(hung.id, "terminate")
    with pytest.raises(CommandFailed):
        await stage.delivered(outcome.action_id)
    show(f"freed a hung page after {time.perf_counter() - began:.2f} s")
    assert await stage.value(spot.frame_id, "2") == 2


async def test_a_page_that_was_only_busy_is_not_called_hung_for_long(stage: Stage) -> None:
    spot = await stage.go("main")
    busy = "{ const end = Date.now() + 7000; while (Date.now() < end); } 'awake'"
    outcome = await stage.run(spot.frame_id, busy)
    assert [i.kind for i in stage.sup.state.interrupts.values()] == ["hung"]
    await stage.sup.wait_for(lambda s: not s.interrupts, WITHIN_S + 7)
    assert (await stage.delivered(outcome.action_id))["result"]["value"] == "awake"
    assert await stage.value(spot.frame_id, "3") == 3


async def test_a_crashed_page_is_reported_and_a_reload_revives_it(stage: Stage) -> None:
    """F4: what waits fails, other tabs live on, one answer recovers the tab."""
    spot, other = await stage.go("main"), await stage.go("main")
    loader = stage.sup.state.frames[spot.frame_id].loader
    forever = asyncio.ensure_future(stage.run(spot.frame_id, "new Promise(() => 0)"))
    await stage.value(spot.frame_id, "1")
    stage.sup.session(spot.tab).send(Page.crash())
    crashed = await stage.interrupt("crashed", spot.tab)
    assert stage.sup.state.tabs[spot.tab].crashed
    assert (await forever).blocked_by == (crashed,)
    assert await stage.value(other.frame_id, "1") == 1
    assert (await stage.run(spot.frame_id, "1")).blocked_by == (crashed,)
    stage.sup.answer_interrupt(crashed.id, "reload")
    await stage.sup.wait_for(lambda s: not s.tabs[spot.tab].crashed and not s.interrupts, WITHIN_S)
    top = await stage.loaded(spot.tab, but=loader)
    assert await stage.value(top.id, "got") == "not asked"
    assert await browser_lives(stage)


# Popups, workers, print, permissions.


async def test_a_popup_belongs_to_its_openers_owner_and_is_announced(stage: Stage) -> None:
    spot = await stage.go("popup", owner="opener")
    assert stage.sup.state.tabs[spot.tab].owner == "opener"
    assert any(spot.tab in line for line in stage.sup.take_notices(TabKey("opener")))


async def test_errors_of_workers_are_in_the_console(stage: Stage) -> None:
    script = "console.error('from', 'worker'); setTimeout(() => { throw new Error('thrown') })"
    stage.pages.add("/worker.js", script)
    tab = await stage.sup.open_tab("w", stage.pages.url("/main.html"))
    top = await stage.loaded(tab)
    await stage.value(top.id, "window.w = new Worker('/worker.js'); 0")
    async with asyncio.timeout(WITHIN_S):
        while not both(texts(stage, tab)):
            await stage.value(top.id, "new Promise(r => setTimeout(r, 20))")


def both(lines: list[str]) -> bool:
    return "from worker" in lines and any("Error: thrown" in line for line in lines)


def texts(stage: Stage, tab: str) -> list[str]:
    return [error["text"] for error in stage.sup.console.errors(tab)]


@pytest.mark.parametrize("place", ["main", "oopif"])
async def test_print_is_reported_and_holds_nobody(stage: Stage, place: str) -> None:
    spot = await stage.go(place)
    assert await stage.value(spot.frame_id, "print(); 'went on'") == "went on"
    found = await stage.sup.wait_for(
        lambda s: [i for i in s.interrupts.values() if i.kind == "print"], WITHIN_S
    )
    assert found[0].tab == spot.tab
    stage.sup.answer_interrupt(found[0].id, "acknowledge")
    assert found[0].id not in stage.sup.state.interrupts


async def test_print_looks_as_it_did(stage: Stage) -> None:
    spot = await stage.go("main")
    look = "[print.name, print.length, Object.keys(window).filter(k => k.startsWith('_')).length]"
    assert await stage.value(spot.frame_id, look) == ["print", 0, 0]


async def test_permission_is_decided_before_it_is_asked_for(stage: Stage) -> None:
    spot = await stage.go("main")
    ask = "new Promise(r => navigator.geolocation.getCurrentPosition(() => r(0), e => r(e.code)))"
    assert await stage.value(spot.frame_id, ask) == 1
    query = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)"
    assert await stage.value(spot.frame_id, query) == "denied"


async def test_every_function_that_asks_for_a_permission_is_one_of_chromes(stage: Stage) -> None:
    spot = await stage.go("main")
    paths = sorted({path for paths in PERMISSION_FUNCTIONS.values() for path in paths})
    looked = f"{json.dumps(paths)}.filter(path => typeof eval(path) !== 'function')"
    assert await stage.value(spot.frame_id, looked) == []
    names = [path.rpartition(".")[2] for path in paths]
    named = f"{json.dumps(paths)}.map(path => eval(path).name)"
    assert await stage.value(spot.frame_id, named) == names


async def test_a_denied_permission_is_reported_and_can_be_granted(stage: Stage) -> None:
    spot = await stage.go("main")
    ask = "Notification.requestPermission()"
    assert await stage.value(spot.frame_id, ask) == "denied"
    asked = await stage.interrupt("permission", spot.tab)
    assert asked.detail["permission"] == "notifications"
    stage.sup.answer_interrupt(asked.id, "grant")
    assert await stage.value(spot.frame_id, ask) == "granted"


async def test_permission_of_the_options_is_granted(chromium_path: Path) -> None:
    options = Options(permissions={"geolocation": "granted", "no-such-thing": "granted"})
    async with staged(options) as other:
        spot = await other.go("main")
        query = "navigator.permissions.query({name: 'geolocation'}).then(p => p.state)"
        assert await other.value(spot.frame_id, query) == "granted"


# Federated sign-in.


async def test_a_federated_sign_in_is_reported_and_an_account_chosen(stage: Stage) -> None:
    url = furnish_identity(stage)
    tab = await stage.sup.open_tab("fed", url)
    top = await stage.loaded(tab)
    idp = stage.pages.url("/config.json", host="localhost")
    ask = (
        "navigator.credentials.get({identity: {mode: 'passive', providers: [{configURL: "
        f"{idp!r}, clientId: 'me', nonce: 'n'}}]}}}}).then(c => c.token, e => 'failed ' + e)"
    )
    begun = asyncio.ensure_future(stage.run(top.id, ask, gesture=True))
    fedcm = await stage.interrupt("fedcm", tab)
    assert [a["email"] for a in fedcm.detail["accounts"]] == ["anna@pages.test"]
    stage.sup.answer_interrupt(fedcm.id, "select", account=0)
    outcome = await begun
    assert outcome.value is not None
    assert outcome.value["result"]["value"] == "a token"

    def none_left(state: State) -> bool:
        return not state.interrupts

    await stage.sup.wait_for(none_left, WITHIN_S)


def furnish_identity(stage: Stage) -> str:
    pages, idp = stage.pages, "localhost"
    allow = {
        "Content-Type": "application/json",
        "Access-Control-Allow-Origin": pages.url(""),
        "Access-Control-Allow-Credentials": "true",
    }
    config = pages.url("/config.json", host=idp)
    pages.add("/.well-known/web-identity", f'{{"provider_urls": ["{config}"]}}', headers=allow)
    pages.add(
        "/config.json",
        '{"accounts_endpoint": "/accounts", "id_assertion_endpoint": "/assert",'
        ' "client_metadata_endpoint": "/client", "login_url": "/login"}',
        headers=allow,
    )
    account = '{"id": "1", "name": "Anna", "email": "anna@pages.test", "approved_clients": ["me"]}'
    pages.add("/accounts", f'{{"accounts": [{account}]}}', headers=allow)
    pages.add("/client", "{}", headers=allow)
    pages.add("/assert", '{"token": "a token"}', headers=allow)
    return pages.add("/relying.html", "<title>relying party</title>")
