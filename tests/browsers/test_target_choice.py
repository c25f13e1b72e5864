"""Which page is meant."""

from __future__ import annotations

import pytest

from pilothouse.browsers import TargetInfo, choose_target
from pilothouse.errors import BrowserError

DEVTOOLS = TargetInfo("1", "page", "DevTools", "devtools://devtools/bundled/inspector.html")
WORKER = TargetInfo("2", "service_worker", "mail", "https://mail.example/sw.js")
HOST = TargetInfo("3", "page", "Background Host", "file:///app/host.html")
MAIL = TargetInfo("4", "page", "Inbox - Mail", "https://mail.example/")
CHAT = TargetInfo("5", "page", "Chat", "https://chat.example/room/7")
ALL = [DEVTOOLS, WORKER, HOST, MAIL, CHAT]


def test_first_real_page_is_chosen_when_none_is_named() -> None:
    assert choose_target(ALL) == MAIL


@pytest.mark.parametrize(
    ("wanted", "page"), [("ROOM/7", CHAT), ("inbox", MAIL), ("devtools", DEVTOOLS)]
)
def test_part_of_url_or_title_chooses_whatever_the_case(wanted: str, page: TargetInfo) -> None:
    assert choose_target(ALL, wanted) == page


def test_only_backstage_pages_are_better_than_none() -> None:
    assert choose_target([WORKER, HOST]) == HOST


def test_no_match_lists_the_candidates_on_one_line() -> None:
    with pytest.raises(BrowserError) as error:
        choose_target(ALL, "calendar")
    assert "Inbox - Mail" in error.value.message
    assert "https://chat.example/room/7" in error.value.message
    assert "\n" not in error.value.format_line()


def test_a_tab_that_the_user_does_not_share_says_how_it_is_shared() -> None:
    with pytest.raises(BrowserError, match="no shared tab matches 'calendar'") as unknown:
        choose_target(ALL, "calendar", shared=True)
    with pytest.raises(BrowserError, match="none is shared, or another agent uses it") as none:
        choose_target([], "calendar", shared=True)
    assert "press Share" in unknown.value.hint
    assert "press Share" in none.value.hint


def test_no_page_at_all_says_what_there_is() -> None:
    with pytest.raises(BrowserError, match="service_worker"):
        choose_target([WORKER])
