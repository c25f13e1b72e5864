"""Receipts: what was true before, what is true now, and the words for the difference."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pilothouse.cdp.message import SessionId
from pilothouse.page.input.action_runner import QUIET_S, REQUESTS_S, quiet_deadline
from pilothouse.page.input.receipt import (
    Baseline,
    ObservedChanges,
    Receipt,
    errors_since,
    make_receipt,
    observe_changes,
)
from pilothouse.supervisor import Dialog, Frame, State, Tab
from pilothouse.supervisor.model.state import ClosedDialog, Download

SESSION = SessionId("s")
MAIN = Frame("T", "", SESSION, "t1", url="http://a.test/", loader="L1")
TAB = Tab("t1", "T", SESSION, title="Start")
STATE = State(tabs={"t1": TAB}, frames={"T": MAIN})
BEFORE = Baseline.of(STATE, "t1", MAIN, 10.0)
FILE = {
    "filename": "f.txt",
    "state": "completed",
    "bytes": 7,
    "path": "/files/f.txt",
    "problem": "",
}
CHOOSER = {"id": "i-1", "kind": "file_chooser", "answers": ["upload", "cancel"]}
NOTHING = ObservedChanges("http://a.test/", False, False, False, (), (), ())


def dialog(at: float, tab: str = "t1") -> Dialog:
    return Dialog("d", "confirm", "sure?", "", SESSION, "T", "", "", tab, at)


def test_nothing_new_is_no_sign() -> None:
    assert observe_changes(BEFORE, STATE, "t1") == NOTHING
    assert not NOTHING.has_effect


def test_errors_are_those_of_the_action_and_a_missing_icon_is_none() -> None:
    def error(at: float, text: str, url: str) -> dict[str, Any]:
        return {"at": at, "text": text, "url": url}

    said = [
        error(9.0, "before", "http://a.test/"),
        error(10.0, "404", "http://a.test/favicon.ico"),
        *[error(11.0 + n, f"oh {n}", "http://a.test/") for n in range(7)],
    ]
    assert errors_since(10.0, said) == ("oh 0", "oh 1", "oh 2", "oh 3", "oh 4")


def test_another_document_is_a_commit_and_another_address_is_a_move() -> None:
    loaded = replace(MAIN, loader="L2", url="http://a.test/2")
    now = observe_changes(BEFORE, replace(STATE, frames={"T": loaded}), "t1")
    assert (now.committed, now.url_changed, now.url, now.has_effect) == (
        True,
        False,
        "http://a.test/2",
        True,
    )
    url_changed = replace(MAIN, url="http://a.test/#2")
    now = observe_changes(BEFORE, replace(STATE, frames={"T": url_changed}), "t1")
    assert (now.committed, now.url_changed, now.has_effect) == (False, True, True)


def test_a_tab_that_leaves_or_is_gone_is_a_sign() -> None:
    navigating = replace(STATE, tabs={"t1": replace(TAB, leave_requested_by="http://b.test/")})
    assert observe_changes(BEFORE, navigating, "t1").navigating
    tab_closed = observe_changes(BEFORE, State(), "t1")
    assert tab_closed.tab_closed
    assert tab_closed.has_effect


def test_only_tabs_this_one_opened_count() -> None:
    ours, other = Tab("t2", "U", SESSION, opener="t1"), Tab("t3", "V", SESSION, opener="t9")
    now = observe_changes(BEFORE, replace(STATE, tabs={"t1": TAB, "t2": ours, "t3": other}), "t1")
    assert now.new_tabs == ("t2",)


def test_only_dialogs_and_downloads_since_then_count() -> None:
    closed = ClosedDialog(dialog(11.0), 12.0, "agent", True)
    early = ClosedDialog(dialog(9.0), 9.5, "agent", True)
    state = replace(
        STATE,
        dialogs={"d": dialog(13.0), "e": dialog(13.0, "t2")},
        recent_dialogs=(early, closed),
        downloads={
            "g1": Download("g1", "t1", "http://a.test/f", "f.txt"),
            "g2": Download("g2", "t2", "http://a.test/g", "g.txt"),
            "g3": Download("g3", "", "http://a.test/h", ""),
            # By a tab that it opened, which is gone.
            "g4": Download("g4", "t7", "http://a.test/i", "i.txt", opener="t1"),
        },
    )
    now = observe_changes(BEFORE, state, "t1")
    assert now.dialogs == ("confirm 'sure?'",) * 2
    assert [one["filename"] for one in now.downloads] == ["f.txt", "http://a.test/h", "i.txt"]
    later = Baseline.of(state, "t1", MAIN, 20.0)
    assert observe_changes(later, state, "t1") == NOTHING


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        (True, "confirm 'sure?' (accepted by policy)"),
        (False, "confirm 'sure?' (dismissed by policy)"),
    ],
)
def test_a_dialog_that_a_policy_answered_is_not_taken_for_open(accepted: bool, said: str) -> None:
    closed = ClosedDialog(dialog(11.0), 12.0, "auto_policy", accepted)
    now = observe_changes(BEFORE, replace(STATE, recent_dialogs=(closed,)), "t1")
    assert now.dialogs == (said,)


def made(
    now: ObservedChanges = NOTHING, effects: dict[str, Any] | None = None, **more: Any
) -> Receipt:
    return make_receipt("clicked", 'button "Save" [e1]', BEFORE, now, effects or {}, **more)


def test_a_receipt_without_any_effect_says_that_nothing_changed() -> None:
    receipt = made()
    assert not receipt.changed
    assert receipt.text() == 'clicked button "Save" [e1]; nothing changed'
    assert (receipt.url, receipt.title) == ("http://a.test/", "Start")


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"tab_closed": True}, "the tab closed"),
        ({"committed": True, "url": "http://b.test/"}, "went to http://b.test/"),
        (
            {"url_changed": True, "url": "http://a.test/#x"},
            "address is http://a.test/#x (same document)",
        ),
        ({"navigating": True}, "a navigation from http://a.test/ has started"),
        ({"new_tabs": ("t2",)}, "new tab t2"),
        ({"downloads": (FILE,)}, "downloaded f.txt to /files/f.txt (7 bytes)"),
        ({"downloads": ({**FILE, "state": "canceled"},)}, "download f.txt was canceled"),
        ({"downloads": ({**FILE, "problem": "no room"},)}, "could not be saved: no room"),
        ({"downloads": ({**FILE, "state": "inProgress"},)}, "f.txt started: 7 bytes so far"),
        ({"interrupts": (CHOOSER,)}, "a file chooser opened (i-1)"),
        ({"interrupts": ({**CHOOSER, "kind": "print"},)}, "the page asked to print"),
        ({"dialogs": ("alert 'hi'",)}, "dialog opened: alert 'hi'"),
    ],
)
def test_each_sign_has_its_words(now: dict[str, Any], words: str) -> None:
    receipt = made(replace(NOTHING, **now))
    assert receipt.changed
    assert words in receipt.text()
    assert "nothing changed" not in receipt.text()


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ({"added": 2, "removed": 1}, "page changed (2 nodes added, 1 removed)"),
        ({"attributes": 1}, "page changed (1 attribute)"),
        ({"text": 1, "inputs": 2}, "page changed (1 text, 2 inputs)"),
        ({"focus": 'textbox "Email"'}, 'focus on textbox "Email"'),
        ({"scrolled": 1}, "scrolled"),
    ],
)
def test_each_effect_has_its_words(effects: dict[str, Any], words: str) -> None:
    receipt = made(effects=effects)
    assert receipt.changed
    assert words in receipt.text()


def test_errors_values_requests_and_notes_are_told() -> None:
    receipt = made(errors=("Uncaught x",), pending=2, value="v", notes=("by its label",), hit="<b>")
    assert receipt.hit == "<b>"
    assert receipt.text() == (
        "clicked button \"Save\" [e1]; value is 'v'; 2 requests still pending; "
        "console error: Uncaught x; by its label"
    )


def test_a_new_title_is_the_pages_own() -> None:
    assert made(effects={"title": "Done"}).title == "Done"


def test_a_page_is_quiet_a_moment_after_the_last_answer_and_never_waited_for_longer() -> None:
    assert quiet_deadline(10.0, 0, 0.0) == 10.0 + QUIET_S
    assert quiet_deadline(10.0, 0, 9.0) == 10.0 + QUIET_S
    assert quiet_deadline(10.0, 1, 0.0) == 10.0 + REQUESTS_S
    assert quiet_deadline(10.0, 0, 10.4) == 10.4 + QUIET_S
    assert quiet_deadline(10.0, 0, 10.99) == 10.0 + REQUESTS_S


def test_downloads_that_are_off_are_told_with_the_way_to_switch_them_on() -> None:
    receipt = made(replace(NOTHING, downloads=({**FILE, "state": "canceled"},)), downloads_off=True)
    assert "download f.txt was blocked: downloads are off" in receipt.text()
    assert "pilothouse config set browser.downloads true" in receipt.text()
    assert not made(downloads_off=True).downloads_off, "nothing was refused"
