"""Captures: what a tab showed after each navigation or action, through a whole daemon."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.browsers.kinds import AppKind, ConnectedKind, ExtensionKind, HeadlessKind
from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.tabs.captures import captured_words, may_capture
from tests.daemon.daemon_process import Home, at_home
from tests.daemon.raw_mcp_client import talking
from tests.page_server import Pages

WITHIN_S = 30.0
SECRET = 'P@ssw0rd_*! "&/ü'

PAGE = """<!doctype html><title>Shop</title><h1>Our shop</h1>
<script>console.log('ready'); console.log('Bearer abcdefghijklmnop')</script>
<label>Secret <input id=field></label><button onclick="said.textContent = 'saved ' + field.value;
console.log('typed', field.value); document.title = field.value">Save all</button><p id=said></p>
<a href="/next.html">Next</a> <button onclick="alert('sure?')">Ask</button>"""
NEXT = "<!doctype html><title>Next</title><p>the next page"


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as served:
        served.add("/shop.html", PAGE)
        served.add("/next.html", NEXT)
        yield served


@pytest.fixture
def home(chromium_path: Path) -> Iterator[Home]:
    with at_home(chromium_path) as made:
        yield made


def _captures(home: Home) -> Path:
    return home.paths.root / "data" / "captures"


def _wait(line: DaemonClient, holds: Callable[[dict[str, Any]], bool]) -> None:
    """Ask for the status, with a round trip to the browser, until that holds for its captures."""
    give_up = time.monotonic() + WITHIN_S
    while not holds(line.call("status")["captures"]):
        assert time.monotonic() < give_up, "the capture did not appear"


def _kept(home: Home, line: DaemonClient, number: int) -> list[Path]:
    """The folders of that many captures, by number. They appear after the answers."""
    _wait(line, lambda found: found["captures"] >= number)
    found = sorted(_captures(home).glob("*/*/*"), key=lambda folder: folder.name)
    assert len(found) == number
    return found


def _receipt(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / "receipt.json").read_text())
    return told


@pytest.mark.browser
async def test_an_mcp_session_is_told_where_each_navigation_is_kept(
    home: Home, pages: Pages
) -> None:
    home.start(PILOTHOUSE_CAPTURE="navigation")
    async with talking(home, "ann") as talk:
        await talk.greet()
        url = pages.url("/shop.html")
        opened = await talk.call("browser_navigate", url=url)
        _kept(home, home.line("ann"), 1)
        await talk.call("browser_type", ref="label=Secret", text="hello")
        clicked = await talk.call("browser_click", ref="text=Next")
        first, second = _kept(home, home.line("ann"), 2)
    assert f"captured in {first}" in json.dumps(opened)
    assert f"captured in {second}" in json.dumps(clicked)
    assert [first.name, second.name] == ["001-navigate", "002-click-Next"]
    assert first.parent.parent == _captures(home) / "ann"
    names = {"console.txt", "page.html", "page.md", "picture.jpg", "receipt.json"}
    assert {file.name for file in first.iterdir()} == names
    assert "# Our shop" in (first / "page.md").read_text()
    assert "<h1>Our shop</h1>" in (first / "page.html").read_text()
    assert (first / "picture.jpg").read_bytes().startswith(b"\xff\xd8")
    console = (first / "console.txt").read_text()
    assert "info: ready" in console
    assert "abcdefghijklmnop" not in console
    assert _receipt(first)["receipt"]["url"] == url
    assert "the next page" in (second / "page.md").read_text()
    assert not (second / "console.txt").exists(), "only lines since the last capture"
    assert _receipt(second)["action"] == 'clicked "Next"'


@pytest.mark.browser
def test_every_action_is_kept_but_none_while_a_dialog_holds_the_page(
    home: Home, pages: Pages
) -> None:
    home.start(PILOTHOUSE_CAPTURE="actions")
    line = home.line("ann")
    line.call("open", url=pages.url("/shop.html"))
    line.call("tab.fill", target="#field", value="hello")
    asked = line.call("tab.click", target="button=Ask")
    assert asked["blocked_by"]
    line.call("tab.handle_dialog", accept=True)
    line.call("tab.result", action_id=asked["action_id"])
    _kept(home, line, 3)
    line.call("run", code="tab.click('button=Save all'); tab.click('button=Save all')")
    kept = _kept(home, line, 5)
    assert [folder.name for folder in kept] == [
        "001-navigate",
        "002-fill-Secret",
        "003-clicked-Ask",
        "004-click-Save-all",
        "005-click-Save-all",
    ]
    for one in kept:  # no call waits for a picture: it may be missing, but never without a reason
        assert (one / "picture.jpg").exists() != ("picture.jpg" in _receipt(one)["missing"])
    assert "saved hello" in (kept[-1] / "page.md").read_text()
    assert f"captured in {kept[-1].parent}" in line.notices, "a run names the folder once"
    (tab,) = line.call("tabs")
    assert tab["captures"] == str(kept[0].parent)


@pytest.mark.browser
def test_a_secret_typed_by_name_is_in_no_file(home: Home, pages: Pages) -> None:
    home.paths.prepare()
    config = home.paths.root / "none.yaml"
    config.write_text(f"secrets:\n  SHOP: {json.dumps(SECRET)}\nbrowser:\n  capture: actions\n")
    home.start()
    line = home.line("ann")
    line.call("open", url=pages.url("/shop.html"))
    _kept(home, line, 1)
    line.call("tab.fill", target="#field", value="{{secret:SHOP}}")
    line.call("tab.click", target="button=Save all")
    _kept(home, line, 3)
    line.call("tab.goto", url=pages.url("/next.html"))
    before, typed, clicked, after = _kept(home, line, 4)
    for file in _captures(home).rglob("*"):
        assert "ssw0rd" not in file.name
        assert file.is_dir() or b"ssw0rd" not in file.read_bytes(), file
    assert "[secret SHOP]" in (clicked / "page.html").read_text()
    assert "saved [secret SHOP]" in (clicked / "page.md").read_text()
    # A picture would show what was typed.
    assert [(one / "picture.jpg").exists() for one in (before, typed, clicked, after)] == [
        True, False, False, True,
    ]  # fmt: skip
    why = "a secret was typed into this document"
    assert _receipt(clicked)["missing"]["picture.jpg"] == why


@pytest.mark.browser
def test_a_page_that_shows_a_secret_by_itself_gets_no_picture(home: Home, pages: Pages) -> None:
    home.paths.prepare()
    config = home.paths.root / "none.yaml"
    config.write_text("secrets:\n  SHOP: geheimnis\nbrowser:\n  capture: navigation\n")
    home.start()
    line = home.line("ann")
    pages.add("/inner.html", "<input id=f><script>f.value = 'geheimnis'</script>")
    pages.add("/plain.html", "<title>plain</title>")
    framed = f"<title>framed</title><iframe src={pages.url('/inner.html', 'a.localhost')}></iframe>"
    line.call("open", url=pages.add("/framed.html", framed))
    _kept(home, line, 1)
    line.call("tab.goto", url=pages.url("/plain.html"))
    framed_one, plain = _kept(home, line, 2)
    assert _receipt(framed_one)["missing"] == {"picture.jpg": "the page shows a secret"}
    assert (plain / "picture.jpg").exists()


@pytest.mark.browser
def test_a_capture_is_kept_although_its_tab_is_closed_at_once(home: Home, pages: Pages) -> None:
    home.start(PILOTHOUSE_CAPTURE="navigation")
    line = home.line("ann")
    line.call("open", url=pages.url("/shop.html"))
    line.call("close", name="main")
    told = _receipt(Path(line.notices[-1].removeprefix("captured in ")))
    assert told["receipt"]["title"] == "Shop"


@pytest.mark.browser
def test_captures_stay_within_their_size(home: Home, pages: Pages) -> None:
    home.paths.prepare()
    (home.paths.root / "none.yaml").write_text("browser:\n  capture: navigation\n  capture_mb: 1\n")
    home.start()
    line = home.line("ann")
    url = pages.add("/large.html", f"<title>large</title><p>{'words and words ' * 20_000}")
    for _ in range(4):
        line.call("open", url=url)
        last = Path(line.notices[-1].removeprefix("captured in "))
        _wait(line, lambda found, last=last: last.exists())  # type: ignore[misc]
    found = line.call("status")["captures"]
    assert found["bytes"] <= 1_000_000
    assert 1 <= found["captures"] < 4
    assert last.name == "004-navigate"
    assert (last / "page.html").read_text().endswith("[cut]")


@pytest.mark.browser
def test_nothing_is_written_while_captures_are_off(home: Home, pages: Pages) -> None:
    home.start()
    line = home.line("ann")
    line.call("open", url=pages.url("/shop.html"))
    line.call("tab.click", target="button=Save all")
    line.call("close", name="main")
    assert line.call("status")["captures"] == {"mode": "off"}
    assert not _captures(home).exists()
    assert line.notices == []


def test_only_browsers_that_pilothouse_launched_are_captured() -> None:
    assert may_capture(HeadlessKind())
    assert may_capture(HeadlessKind(headed=True, profile="work"))
    assert not may_capture(ExtensionKind("", None))
    assert not may_capture(ConnectedKind("http://127.0.0.1:9222"))
    assert not may_capture(AppKind("/usr/bin/app"))


CLICKED = {"action": "clicked", "target": 'button "Save"', "navigated": "", "changed": True}
ARRIVED = {"kind": "document", "url": "https://shop.example/"}


@pytest.mark.parametrize(
    ("mode", "verb", "answer", "words"),
    [
        ("actions", "click", CLICKED, 'click "Save"'),
        ("actions", "result", CLICKED, 'clicked "Save"'),
        ("navigation", "click", CLICKED, ""),
        ("navigation", "click", {**CLICKED, "navigated": "went to x"}, 'click "Save"'),
        ("navigation", "goto", ARRIVED, "navigate"),
        ("navigation", "goto", {**ARRIVED, "kind": "aborted"}, ""),
        ("actions", "goto", {**ARRIVED, "kind": "aborted"}, "navigate"),
        ("navigation", "open", None, ""),
        ("navigation", "reload", ARRIVED, "reload"),
        ("actions", "evaluate", {"blocked_by": "a value of the page"}, "evaluate"),
        ("navigation", "evaluate", 1, ""),
        ("actions", "click", {"blocked_by": [], "action_id": "a-1"}, ""),
        ("actions", "snapshot", {"text": "page"}, ""),
        ("off", "click", CLICKED, ""),
        ("off", "goto", ARRIVED, ""),
    ],
)
def test_which_calls_are_captured(mode: str, verb: str, answer: Any, words: str) -> None:
    assert captured_words(mode, verb, answer) == words
