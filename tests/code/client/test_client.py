"""The Python client against a real daemon and a real browser."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse import connect
from pilothouse.code.client.client import Blocked, Client, RunFailed
from pilothouse.code.client.daemon_connection import Refused
from pilothouse.code.client.notebook_display import Picture
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import RuntimePaths
from tests.daemon.daemon_process import Home, at_home, open_daemon
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_DOCS = Path(__file__).parents[3] / "docs" / "python.md"
_HTML = """<!doctype html><title>shop</title><label>Email <input id=email></label>
<button onclick="document.title = 'signed in'">Sign in</button>
<button id=delete onclick="document.title = confirm('Really?')">Delete</button>
<a target=_blank href=/child.html>child</a><input type=file id=file>"""


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    """An open daemon for the whole file, with its browser."""
    with open_daemon(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    """The address of a page with something to do."""
    with Pages() as pages:
        pages.add("/child.html", "<title>child</title>")
        pages.add("/alert.html", "<title>loud</title><script>alert('hear me')</script>")
        pages.add("/shop.html", _HTML)
        yield pages.url("/shop.html")


@pytest.fixture
def client(home: Home) -> Iterator[Client]:
    """A client without a name: its tabs go with it."""
    with connect(paths=home.paths, start=False) as made:
        yield made


def test_a_tab_is_opened_used_and_closed(client: Client, shop: str) -> None:
    tab = client.open(shop)
    assert tab.opened["url"] == shop
    assert tab.opened["title"] == "shop"
    assert tab.opened["reused"] is False
    assert "clicked" in tab.click("text=Sign in")["text"]
    assert tab.title() == "signed in"
    assert client.open(name="main").opened["reused"] is True
    (facts,) = client.tabs()
    assert (facts.name, facts.url, facts.alive, facts.busy) == ("main", shop, True, "")
    assert client.close() == {"closed": ["main"], "released": []}
    assert client.close() == {"closed": [], "released": []}
    assert client.tabs() == []


def test_open_passes_on_what_is_asked_for(client: Client, shop: str) -> None:
    size = {"width": 500, "height": 400}
    tab = client.open(shop, "small", viewport=size, wait_until="domcontentloaded", dialogs="accept")
    assert tab.name == "small"
    assert tab.evaluate("[innerWidth, innerHeight]") == [500, 400]
    tab.click("#delete")
    assert tab.title() == "true"
    with pytest.raises(Refused, match="wait_until"):
        client.open(shop, wait_until="whenever")


def test_a_refusal_has_reason_hint_and_kind(client: Client, shop: str) -> None:
    tab = client.open(shop)
    with pytest.raises(Refused, match="matches nothing") as refused:
        tab.click("#nowhere", timeout=0.2)
    assert refused.value.hint
    assert refused.value.kind == "ElementNotFound"
    with pytest.raises(Refused, match='there is no tab "other"') as unknown:
        client.tab("other").title()
    assert unknown.value.kind == "TabNotFound"
    assert "main" in unknown.value.hint


def test_errors_have_a_kind_to_branch_on(client: Client, shop: str) -> None:
    tab = client.open(shop)

    def kind_of(call: Any) -> str:
        with pytest.raises(ToolError) as refused:
            call()
        assert isinstance(refused.value, Refused)
        return refused.value.kind

    tab.evaluate("document.querySelector('#delete').disabled = true")
    assert kind_of(lambda: tab.click("#nowhere", timeout=0.1)) == "ElementNotFound"
    assert kind_of(lambda: tab.click("e9999")) == "ElementNotFound"
    assert kind_of(lambda: tab.click("#delete", timeout=0.1)) == "NotActionable"
    assert kind_of(lambda: tab.wait_for(text="never", timeout=0.1)) == "WaitTimeout"
    assert kind_of(lambda: tab.evaluate("new Promise(() => {})", timeout=0.2)) == "WaitTimeout"
    assert kind_of(lambda: tab.click("#delete", button="other")) == "UsageError"
    assert kind_of(lambda: tab.goto("file:///etc/passwd")) == "NotPermitted"
    assert kind_of(lambda: client.tab("gone").url()) == "TabNotFound"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda tab: tab.click("#delete", timeout=5000), "timeout: expected at most 300 seconds"),
        (lambda tab: tab.goto("about:blank", timeout=5000), "timeout: expected at most 300"),
        (lambda tab: tab.wait_for(text="x", timeout=5000), "timeout: expected at most 300"),
        (lambda tab: tab.viewport(5, 5), "width: expected a whole number from 100 to 10000, got 5"),
        (lambda tab: tab.viewport(500, 5), "height: expected a whole number from 100 to 10000"),
        (lambda tab: tab.scroll(to="middle"), "to: unknown value 'middle'"),
        (lambda tab: tab.emulate(throttle="5g"), "throttle: unknown value '5g'"),
        (lambda tab: tab.emulate(cpu=500), "cpu: expected a number from 1 to 100"),
        (lambda tab: tab.emulate(media="paper"), "media: unknown value 'paper'"),
        (lambda tab: tab.emulate(geolocation=[95, 0]), "geolocation: latitude: expected a number"),
        (lambda tab: tab.press("Entr"), "keys: unknown key 'Entr'"),
        (lambda tab: tab.press("Hyper+A"), "keys: unknown value 'Hyper'"),
        (lambda tab: tab.drag("", "#delete"), "source: expected a selector"),
        (lambda tab: tab.attr("#delete", ""), "name: attr needs the name of an attribute"),
        (lambda tab: tab.wait_for(text_gone=" "), "text_gone: empty"),
        (lambda tab: tab.wait_for(" "), "nothing to wait for is given|selector: "),
        (lambda tab: tab.wait_for(response="re:("), "response 're:\\(' is not a valid regular"),
        (lambda tab: tab.wait_for_url("re:("), "pattern 're:\\(' is not a valid regular"),
        (lambda tab: tab.route("re:("), "pattern 're:\\(' is not a valid regular"),
        (lambda tab: tab.click("9999,9999"), "target: 9999,9999 is outside the viewport"),
        (lambda tab: tab.hover([-1, 5]), "target: -1,5 is outside the viewport"),
        (lambda tab: tab.screenshot(save="x.gif"), "save: .gif is not an image format"),
        (lambda tab: tab.screenshot(format="webp", save="x.jpg"), "save: the suffix .jpg does not"),
    ],
)
def test_errors_name_the_parameter_as_it_was_written(
    client: Client, shop: str, call: Any, said: str
) -> None:
    tab = client.open(shop)
    with pytest.raises(Refused, match=f"^{said}|: {said}") as refused:
        call(tab)
    assert refused.value.kind == "UsageError"
    assert refused.value.hint


def test_a_point_may_be_anywhere_in_the_viewport(client: Client, shop: str) -> None:
    tab = client.open(shop, viewport={"width": 500, "height": 400})
    assert tab.click("499,399")
    with pytest.raises(Refused, match="500,399 is outside the viewport, which is 500 x 400"):
        tab.click("500,399")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("x.png", b"\x89PNG"), ("x.jpg", b"\xff\xd8"), ("x.JPEG", b"\xff\xd8"), ("x.webp", b"RIFF")],
)
def test_a_screenshot_has_the_format_of_its_files_suffix(
    client: Client, shop: str, tmp_path: Path, name: str, begins: bytes
) -> None:
    path = tmp_path / name
    picture = client.open(shop).screenshot(save=str(path))
    assert picture["path"] == str(path)
    assert path.read_bytes().startswith(begins)


def test_the_title_is_the_documents_own(client: Client, shop: str) -> None:
    tab = client.open(shop)
    assert tab.title() == "shop"
    tab.evaluate("document.title = ' two   words '")
    assert tab.title() == "two words"
    tab.evaluate("document.querySelector('title').remove()")
    assert tab.title() == ""
    with pytest.raises(Blocked):
        tab.evaluate("document.title = 'held'; alert('wait')")
    # Chrome's own knowledge, while the page cannot answer.
    assert tab.title()
    tab.handle_dialog(True)
    assert tab.title() == "held"


@pytest.mark.parametrize(
    ("wait", "said", "hint"),
    [
        ({"download": True}, "a download: none started", "start the wait before"),
        ({"popup": True}, "a new tab: no tab was opened", "start the wait before"),
        ({"request": "**/nothing"}, "a request to '**/nothing'", "start the wait before"),
        ({"response": "**/nothing"}, "a response to '**/nothing'", "start the wait before"),
    ],
)
def test_waits_for_the_next_one_say_how_to_be_in_time(
    client: Client, shop: str, wait: dict[str, Any], said: str, hint: str
) -> None:
    tab = client.open(shop)
    with pytest.raises(Refused, match=re.escape(said)) as refused:
        tab.wait_for(**wait, timeout=0.1)
    assert hint in refused.value.hint


def test_hints_about_tabs_are_in_the_words_of_python(client: Client, shop: str) -> None:
    client.open(shop)
    with pytest.raises(Refused) as refused:
        client.tab("other").title()
    assert refused.value.hint == "open it first, with client.open(url); your tabs: main"


def test_a_dialog_is_raised_answered_and_its_action_ended(client: Client, shop: str) -> None:
    tab = client.open(shop)
    with pytest.raises(Blocked, match=r"click is blocked by confirm 'Really\?'") as blocked:
        tab.click("#delete")
    assert blocked.value.kind == "Blocked"
    assert blocked.value.blocked_by[0]["type"] == "confirm"
    assert blocked.value.action_id in blocked.value.hint
    tab.handle_dialog(accept=False)
    assert "clicked" in tab.result(blocked.value.action_id)["text"]
    assert tab.title() == "false"


def test_a_dialog_while_opening_leaves_the_tab_there(client: Client, shop: str) -> None:
    with pytest.raises(Blocked, match="open is blocked by alert 'hear me'"):
        client.open(shop.replace("shop.html", "alert.html"), "loud")
    tab = client.tab("loud")
    tab.handle_dialog()
    tab.wait_for(function="document.readyState == 'complete'")
    assert tab.title() == "loud"


def test_a_popup_is_a_tab_by_its_name(client: Client, shop: str) -> None:
    tab = client.open(shop)
    (name,) = tab.click("text=child")["new_tabs"]
    popup = client.tab(name)
    popup.wait_for_url("child.html")
    assert popup.evaluate("document.title") == "child"


def test_run_gives_text_value_and_displays(client: Client, shop: str) -> None:
    client.open(shop)
    code = "print('one')\ndisplay({'a': 1})\ntab.screenshot()\n[1, 2]"
    result = client.run(code)
    assert result.value == [1, 2]
    assert result.text.startswith("one\n")
    assert str(result) == result.text
    assert [item["type"] for item in result.displays] == ["text", "text", "text", "image", "text"]
    shown = result._repr_html_()
    assert "<pre>one\n</pre>" in shown
    assert '<img src="data:image/jpeg;base64,' in shown
    assert client.run("document.title", language="js").value == "shop"


def test_a_run_that_fails_or_hangs_is_raised_with_what_it_showed(client: Client, shop: str) -> None:
    tab = client.open(shop)
    with pytest.raises(RunFailed, match="division by zero") as failed:
        client.run("print('so far')\n1 / 0")
    assert failed.value.kind == "ZeroDivisionError"
    assert failed.value.at_line == 2
    assert failed.value.result.text == "so far"
    with pytest.raises(RunFailed, match="took longer than 1 s") as late:
        client.run("while True: pass", timeout=1)
    assert late.value.kind == "RunTimeout"
    assert tab.title() == "shop"


def test_status_proves_life(client: Client) -> None:
    status = client.status()
    assert status["browsers"][0]["product"].startswith("Chrome")
    assert status["pid"]


def test_files_are_the_clients_own(client: Client, shop: str, tmp_path: Path) -> None:
    tab = client.open(shop)
    file = tmp_path / "photo.txt"
    file.write_text("hello")
    tab.upload("#file", str(file))
    assert tab.evaluate("document.querySelector('#file').files[0].text()") == "hello"
    with pytest.raises(PilothouseError, match=r"none\.txt: No such file"):
        tab.upload("#file", str(tmp_path / "none.txt"))
    picture = tab.screenshot(save=str(tmp_path / "page.png"))
    assert Path(picture["path"]).read_bytes() == picture.raw
    tab.evaluate("localStorage.a = 'kept'")
    assert tab.save_state(str(tmp_path / "state.json")) == {"path": str(tmp_path / "state.json")}
    assert (tmp_path / "state.json").stat().st_mode & 0o077 == 0
    tab.evaluate("localStorage.clear()")
    tab.load_state(str(tmp_path / "state.json"))
    assert tab.storage(key="a") == "kept"


def test_notebooks_show_tabs_snapshots_and_screenshots(client: Client, shop: str) -> None:
    tab = client.open(shop)
    shown = tab._repr_mimebundle_()
    assert shown["text/plain"] == "<Tab main>"
    assert shown["text/html"].startswith('<img src="data:image/png;base64,')
    assert "Sign in" in shown["text/html"]
    picture = tab.screenshot(format="jpeg")
    assert isinstance(picture, Picture)
    assert picture._repr_mimebundle_()["image/jpeg"] == picture["data"]
    assert picture.raw.startswith(b"\xff\xd8")
    snapshot = tab.snapshot()
    assert "Sign in" in str(snapshot)
    assert "Sign in" in snapshot._repr_html_()


def test_a_notebook_is_told_what_blocks_a_page_or_that_it_is_gone(
    client: Client, shop: str
) -> None:
    tab = client.open(shop)
    with pytest.raises(Blocked):
        tab.click("#delete")
    blocked = tab._repr_mimebundle_()
    assert "image/png" not in blocked
    assert "Really?" in blocked["text/html"]
    tab.handle_dialog()
    client.close()
    gone = tab._repr_mimebundle_()
    assert "image/png" not in gone
    assert "there is no tab" in gone["text/html"]
    assert tab._repr_png_() is None


def test_a_named_owner_finds_its_tabs_again(home: Home, shop: str) -> None:
    with connect("ann", paths=home.paths, start=False) as first:
        assert first.owner == "ann"
        assert repr(first) == "<Client ann>"
        first.open(shop, "kept")
    with connect("ann", paths=home.paths, start=False) as second:
        assert [facts.name for facts in second.tabs()] == ["kept"]
        second.close(all=True)


def test_a_nameless_clients_tabs_go_with_it(home: Home, shop: str) -> None:
    with connect(paths=home.paths, start=False) as guest:
        owner = guest.owner
        guest.open(shop)
        with connect(owner, paths=home.paths, start=False) as same:
            assert len(same.tabs()) == 1
    with connect(owner, paths=home.paths, start=False) as later:
        assert later.tabs() == []


def test_the_environment_names_the_owner(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PILOTHOUSE_OWNER", "from-outside")
    with connect(paths=home.paths, start=False) as client:
        assert client.owner == "from-outside"


def test_a_client_that_is_forgotten_hangs_up(home: Home, shop: str) -> None:
    client = connect(paths=home.paths, start=False)
    tab = client.open(shop)
    before = client.status()["clients"]
    del client
    assert tab.title() == "shop"  # the tab keeps the line
    tab.page.cdp("Page.close")
    del tab
    gc.collect()
    with connect(paths=home.paths, start=False) as other:
        while other.status()["clients"] > before:  # bounded by the test's own timeout
            os.sched_yield()


def test_a_daemon_that_died_is_told_once_and_the_next_call_reaches_the_new_one(
    chromium_path: Path,
) -> None:
    with at_home(chromium_path) as home:
        home.start()
        with connect("ann", paths=home.paths, start=False) as client:
            home.family()
            home.kill()
            with pytest.raises(PilothouseError, match="stopped during the call") as gone:
                client.tabs()
            assert "call again" in gone.value.hint
            with pytest.raises(PilothouseError, match="no daemon is running"):
                client.tabs()
            home.paths.ledger.write_text('{"ann": ["main http://127.0.0.1/lost"]}')
            home.start()
            assert client.tabs() == []
            assert client.owner == "ann"
            assert any("http://127.0.0.1/lost" in notice for notice in client.notices)


def test_nobody_is_started_if_that_is_not_wanted(tmp_path: Path) -> None:
    with pytest.raises(PilothouseError, match="no daemon is running"):
        connect(paths=RuntimePaths(tmp_path), start=False)


def test_every_example_of_the_document_runs(
    home: Home,
    shop: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PILOTHOUSE_RUNTIME_DIR", str(home.paths.root))
    monkeypatch.delenv("PILOTHOUSE_OWNER", raising=False)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", _DOCS.read_text("utf-8"), re.DOTALL)
    scope: dict[str, Any] = {}
    for block in blocks:
        exec(block.replace("https://shop.example/", shop), scope)
    said = capsys.readouterr().out
    for expected in ("signed in", shop, "matches nothing", "Really?", "clicked", "2 so far"):
        assert expected in said
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "button.png").exists()


def test_a_tool_is_called_as_an_agent_calls_it(client: Client, shop: str) -> None:
    came = client.tool("browser_navigate", url=shop)
    assert (came["success"], came["url"]) == (True, shop)
    refused = client.tool("browser_clik", ref="e1")
    assert (refused["success"], refused["hint"]) == (False, "did you mean browser_click?")
    assert client.tool("execute", toolsets=["code"], code="1 + 1")["result"] == "2"


def test_a_navigation_that_was_blocked_while_opening_can_be_ended(
    client: Client, shop: str
) -> None:
    with pytest.raises(Blocked) as blocked:
        client.open(shop.replace("shop.html", "alert.html"), "loud2")
    tab = client.tab("loud2")
    tab.handle_dialog()
    assert tab.result(blocked.value.action_id)["kind"] == "document"
