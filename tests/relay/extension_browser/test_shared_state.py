"""What sessions set on a page that they share."""

from __future__ import annotations

from pilothouse.relay.extension_browser.shared_state import Wishes, sets_something

FOCUS = "Emulation.setFocusEmulationEnabled"
SIZE = "Emulation.setDeviceMetricsOverride"
HEADERS = "Network.setExtraHTTPHeaders"
URLS = "Network.setBlockedURLs"


def test_the_same_wish_of_two_is_sent_once_and_undone_by_the_last() -> None:
    wishes = Wishes()
    assert wishes.says("a", FOCUS, {"enabled": True}) == (FOCUS, {"enabled": True})
    assert wishes.says("b", FOCUS, {"enabled": True}) is None
    assert wishes.leaves("a") == []
    assert wishes.leaves("b") == [(FOCUS, {"enabled": False})]


def test_a_flag_holds_while_anybody_wants_it() -> None:
    wishes = Wishes()
    wishes.says("a", FOCUS, {"enabled": True})
    assert wishes.says("b", FOCUS, {"enabled": False}) is None
    assert wishes.leaves("a") == [(FOCUS, {"enabled": False})]
    assert wishes.leaves("b") == []


def test_the_last_wish_holds_and_the_one_before_comes_back() -> None:
    wishes = Wishes()
    small, large = {"width": 1}, {"width": 2}
    assert wishes.says("a", SIZE, small) == (SIZE, small)
    assert wishes.says("b", SIZE, large) == (SIZE, large)
    assert wishes.leaves("b") == [(SIZE, small)]
    assert wishes.leaves("a") == [("Emulation.clearDeviceMetricsOverride", {})]


def test_what_was_cleared_need_not_be_undone() -> None:
    wishes = Wishes()
    clear = "Emulation.clearDeviceMetricsOverride"
    wishes.says("a", SIZE, {"width": 1})
    assert wishes.says("a", clear, {}) == (clear, {})
    assert wishes.leaves("a") == []
    assert wishes.says("b", SIZE, {"width": 1}) == (SIZE, {"width": 1})


def test_headers_and_urls_of_all_go_together() -> None:
    wishes = Wishes()
    wishes.says("a", HEADERS, {"headers": {"x": "1"}})
    both = {"headers": {"x": "1", "y": "2"}}
    assert wishes.says("b", HEADERS, {"headers": {"y": "2"}}) == (HEADERS, both)
    assert wishes.leaves("a") == [(HEADERS, {"headers": {"y": "2"}})]
    assert wishes.leaves("b") == [(HEADERS, {"headers": {}})]
    wishes.says("a", URLS, {"urls": ["*x"]})
    assert wishes.says("b", URLS, {"urls": ["*x", "*y"]}) == (URLS, {"urls": ["*x", "*y"]})


def test_a_wish_that_the_page_refused_is_no_wish() -> None:
    wishes = Wishes()
    wishes.says("a", SIZE, {"width": -1})
    wishes.failed("a", SIZE)
    assert wishes.replay() == []
    assert wishes.leaves("a") == []


def test_everything_that_holds_is_replayed() -> None:
    wishes = Wishes()
    wishes.says("a", FOCUS, {"enabled": True})
    wishes.says("b", SIZE, {"width": 1})
    assert wishes.replay() == [(FOCUS, {"enabled": True}), (SIZE, {"width": 1})]
    assert wishes.wants("a", FOCUS)
    assert not wishes.wants("b", FOCUS)


def test_only_what_outlives_its_command_is_a_wish() -> None:
    assert sets_something(SIZE)
    assert sets_something("Emulation.clearDeviceMetricsOverride")
    assert not sets_something("Page.navigate")
