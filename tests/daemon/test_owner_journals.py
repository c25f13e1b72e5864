"""Journals: each owner reads of its own tabs, in a browser that all of them share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from pilothouse.cdp.message import SessionId
from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.daemon.owner_journals import MAX_LINE_CHARS, MAX_LINES, MAX_OWNERS, Journals
from pilothouse.daemon.rpc.messages import RpcRequest
from pilothouse.errors import ToolError
from pilothouse.supervisor import State, Supervisor
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.step import step
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.supervisor.step_driver_and_events import TOP, alert, page

OTHER = SessionId("other")

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def _journals() -> Journals:
    return Journals(lambda supervisor, tab: "", lambda supervisor: set())


def _did(journals: Journals, owner: str, method: str, **params: Any) -> None:
    with journals.record_call(owner, RpcRequest(method, params)):
        pass


def _read(journals: Journals, owner: str, **wishes: Any) -> list[tuple[str, str]]:
    return [(e["tab"], e["event"]) for e in journals.read(owner, wishes, {})["entries"]]


def test_calls_on_tabs_are_lines_and_other_calls_are_not() -> None:
    journals = _journals()
    _did(journals, "ann", "tab.click", target="e3", tab="shop")
    _did(journals, "ann", "open", name="two", url="http://a/")
    _did(journals, "ann", "page.cdp", command="Page.reload")
    for method in ("tabs", "status", "journal", "hello", "nonsense"):
        _did(journals, "ann", method)
    assert _read(journals, "ann") == [("shop", "click"), ("two", "open"), ("main", "page.cdp")]
    words = [e["words"].split(", ")[0] for e in journals.read("ann", {}, {})["entries"]]
    assert words == ["e3", "http://a/", "Page.reload"]
    assert _read(journals, "bob") == []


def test_refused_call_says_why_and_no_line_has_what_was_typed_or_a_secret() -> None:
    journals = _journals()
    request = RpcRequest("tab.fill", {"target": "label=Key", "text": "hunter2"})
    with (
        pytest.raises(ToolError),
        journals.record_call("ann", request),
    ):
        raise ToolError("Authorization: Bearer abcdef0123456789 is no good", hint="")
    _did(journals, "ann", "open", url="http://ann:pw99@a/?token=abcdef&x=1")
    text = str(journals.read("ann", {}, {}))
    assert "label=Key, refused: " in text
    assert not any(secret in text for secret in ("hunter2", "abcdef", "pw99"))


def test_journals_do_not_grow_beyond_their_bounds() -> None:
    journals = _journals()
    for _ in range(MAX_LINES + 10):
        _did(journals, "ann", "tab.click", target="x" * 10_000)
    assert len(journals) == MAX_LINES
    read = journals.read("ann", {"last": MAX_LINES}, {})
    assert max(len(entry["words"]) for entry in read["entries"]) <= MAX_LINE_CHARS
    for number in range(MAX_OWNERS + 5):
        _did(journals, f"owner {number}", "open")
    assert len(journals) == MAX_OWNERS
    assert _read(journals, "ann") == []


def test_last_since_and_tab_choose_lines() -> None:
    journals = _journals()
    for name in ("a", "b", "a"):
        _did(journals, "ann", "open", name=name)
    assert _read(journals, "ann", tab="a") == [("a", "open")] * 2
    assert _read(journals, "ann", tab="nowhere") == []
    read = journals.read("ann", {"last": 1}, {})
    assert (len(read["entries"]), read["left_out"]) == (1, 2)
    assert _read(journals, "ann", since=time.time() + 60) == []  # noqa: TID251
    assert len(_read(journals, "ann", since=0.0)) == 3


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"last": 0}, "last:"),
        ({"last": True}, "last:"),
        ({"last": MAX_LINES + 1}, "last:"),
        ({"since": "now"}, "since:"),
        ({"tab": 5}, "tab:"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(wishes: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        _journals().read("ann", wishes, {})


class _Browser:
    """What a journal needs of a supervisor: events that happen, one at a time."""

    def __init__(self) -> None:
        self.state, self.clock = State(), 1000.0
        self._hears: list[Callable[..., object]] = []

    def observe(self, on_event: Callable[..., object]) -> None:
        """As a supervisor has it."""
        self._hears.append(on_event)

    def say(self, *events: ev.Event) -> None:
        """Let these happen."""
        for event in events:
            self.state, effects = step(self.state, event)
            for on_event in self._hears:
                on_event(event, self.state, effects)


def _followed(*browsers: _Browser) -> Journals:
    journals = Journals(
        lambda supervisor, tab: tab.owner.partition("\n")[0], lambda supervisor: {"ann", "bob"}
    )
    for browser in (*browsers, *browsers):  # twice is once
        journals.follow(cast(Supervisor, browser))
    return journals


def test_lines_go_to_the_owner_of_the_tab_and_of_the_browser_to_all_its_users() -> None:
    browser = _Browser()
    journals = _followed(browser)
    browser.say(page(), ev.OwnerSet(1, TOP, TabKey("ann", "shop")), alert(message="for ann"))
    browser.say(
        page("BOB", OTHER),
        ev.OwnerSet(1, "BOB", TabKey("bob", "main")),
        ev.ConnectionDropped(5, "reset"),
    )
    assert _read(journals, "ann") == [
        ("shop", "opened"),
        ("shop", "dialog"),
        ("", "connection lost"),
        ("shop", "note"),
    ]
    assert _read(journals, "bob") == [("main", "opened"), ("", "connection lost")]
    assert _read(journals, "carol") == []
    asked = journals.read("ann", {"tab": "shop"}, {})["entries"][1]
    assert (asked["at"], asked["words"]) == (1003, "alert d-1: for ann")


def test_tabs_of_two_browsers_are_told_apart_though_their_ids_are_the_same() -> None:
    one, two = _Browser(), _Browser()
    journals = _followed(one, two)
    for browser, name in ((one, "a"), (two, "b")):
        browser.say(page(), ev.OwnerSet(1, TOP, TabKey("ann", name)))
        browser.say(page("POP", OTHER, opener=TOP))
    names = {
        (journals.browser_number(cast(Supervisor, browser)), tab): name
        for browser, tab, name in (
            (one, "t1", "a"), (one, "t2", "a.1"), (two, "t1", "b"), (two, "t2", "b.1"),
        )
    }  # fmt: skip
    told = [(e["tab"], e["words"]) for e in journals.read("ann", {}, names)["entries"]]
    assert told == [
        ("a", "https://top/"),
        ("a", "a.1 https://pop/"),
        ("a.1", "by a"),
        ("b", "https://top/"),
        ("b", "b.1 https://pop/"),
        ("b.1", "by b"),
    ]


def test_adopted_tab_that_is_let_go_is_nobodys_business_any_more() -> None:
    browser = _Browser()
    journals = _followed(browser)
    browser.say(page(), ev.OwnerSet(1, TOP, TabKey("ann", "main")), ev.OwnerSet(2, TOP, TabKey()))
    browser.say(ev.TargetInfoChanged(3, TOP, "https://top/", "private"), alert(message="private"))
    assert _read(journals, "ann") == [("main", "opened")]


@pytest.fixture(scope="module")
def two(lived_in: Home) -> tuple[DaemonClient, DaemonClient]:
    """Two owners of one daemon, and of one browser."""
    return lived_in.line("ann"), lived_in.line("bob")


def _page(served: Pages, who: str) -> str:
    served.add(f"/{who}-child.html", f"<title>{who} child</title>")
    return served.add(
        f"/{who}.html",
        f"<title>{who} title</title><button onclick=\"alert('{who} alert')\">Ask</button>"
        f"<a target=_blank href=/{who}-child.html>Pop</a>"
        f"<a target=_blank rel=noopener href=/{who}-child.html?alone>Alone</a>"
        f"<iframe srcdoc='{who} frame'></iframe>",
    )


def _live(line: DaemonClient, url: str) -> None:
    """All that a tab can do, in both owners' tabs at the same time."""
    line.call("open", url=url)
    line.call("tab.click", target="button=Ask")
    line.call("tab.handle_dialog", accept=True)
    line.call("tab.click", target="text=Pop")
    line.call("tab.click", target="text=Alone")
    give_up = time.monotonic() + 20
    while "?alone" not in str(line.call("journal")):  # it loads when it likes
        assert time.monotonic() < give_up
    line.call("close", name="main.1")


def test_owners_of_one_browser_read_only_of_their_own_tabs(
    two: tuple[DaemonClient, DaemonClient], served: Pages
) -> None:
    urls = [_page(served, line.owner) for line in two]
    lives = [
        threading.Thread(target=_live, args=(line, url))
        for line, url in zip(two, urls, strict=True)
    ]
    for life in lives:
        life.start()
    for life in lives:
        life.join(60)
    for line, foreign in zip(two, ("bob", "ann"), strict=True):
        found = line.call("journal", last=MAX_LINES)["entries"]
        text = str(found)
        assert foreign not in text
        assert {"opened", "loads", "dialog", "dialog over", "popup", "closed"} <= {
            entry["event"] for entry in found
        }
        assert "alert d-" in text
        assert f"{line.owner} alert" in text
        popups = [entry["words"].split(" ")[0] for entry in found if entry["event"] == "popup"]
        assert "main.1" in popups or "main.2" in popups, popups
        mine = {tab["id"] for tab in line.call("tabs")} | {""}
        gone = {entry["id"] for entry in found if entry["event"] == "closed"}
        assert {entry["id"] for entry in found} <= mine | gone
        assert [entry["at"] for entry in found if entry["id"]] == sorted(
            entry["at"] for entry in found if entry["id"]
        )
    assert str(two[0].call("journal", tab="main")).count("'tab': 'main'") == len(
        two[0].call("journal", tab="main")["entries"]
    )


def test_journal_of_a_stranger_is_empty_and_bad_wishes_are_refused(lived_in: Home) -> None:
    line = lived_in.line("stranger")
    assert line.call("journal") == {"entries": [], "left_out": 0}
    with pytest.raises(Refused, match="last:"):
        line.call("journal", last="all")
