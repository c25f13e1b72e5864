"""What sessions set on a page that they share."""

from __future__ import annotations

from pilothouse.relay.extension_browser.merged_settings import (
    EnabledDomains,
    Screencast,
    SharedOverrides,
    is_override,
)

FOCUS = "Emulation.setFocusEmulationEnabled"
SIZE = "Emulation.setDeviceMetricsOverride"
HEADERS = "Network.setExtraHTTPHeaders"
URLS = "Network.setBlockedURLs"


def test_the_same_wish_of_two_is_sent_once_and_undone_by_the_last() -> None:
    wishes = SharedOverrides()
    assert wishes.set("a", FOCUS, {"enabled": True}) == (FOCUS, {"enabled": True})
    assert wishes.set("b", FOCUS, {"enabled": True}) is None
    assert wishes.remove_session("a") == []
    assert wishes.remove_session("b") == [(FOCUS, {"enabled": False})]


def test_a_flag_holds_while_anybody_wants_it() -> None:
    wishes = SharedOverrides()
    wishes.set("a", FOCUS, {"enabled": True})
    assert wishes.set("b", FOCUS, {"enabled": False}) is None
    assert wishes.remove_session("a") == [(FOCUS, {"enabled": False})]
    assert wishes.remove_session("b") == []


def test_the_last_wish_holds_and_the_one_before_comes_back() -> None:
    wishes = SharedOverrides()
    small, large = {"width": 1}, {"width": 2}
    assert wishes.set("a", SIZE, small) == (SIZE, small)
    assert wishes.set("b", SIZE, large) == (SIZE, large)
    assert wishes.remove_session("b") == [(SIZE, small)]
    assert wishes.remove_session("a") == [("Emulation.clearDeviceMetricsOverride", {})]


def test_what_was_cleared_need_not_be_undone() -> None:
    wishes = SharedOverrides()
    clear = "Emulation.clearDeviceMetricsOverride"
    wishes.set("a", SIZE, {"width": 1})
    assert wishes.set("a", clear, {}) == (clear, {})
    assert wishes.remove_session("a") == []
    assert wishes.set("b", SIZE, {"width": 1}) == (SIZE, {"width": 1})


def test_headers_and_urls_of_all_go_together() -> None:
    wishes = SharedOverrides()
    wishes.set("a", HEADERS, {"headers": {"x": "1"}})
    both = {"headers": {"x": "1", "y": "2"}}
    assert wishes.set("b", HEADERS, {"headers": {"y": "2"}}) == (HEADERS, both)
    assert wishes.remove_session("a") == [(HEADERS, {"headers": {"y": "2"}})]
    assert wishes.remove_session("b") == [(HEADERS, {"headers": {}})]
    wishes.set("a", URLS, {"urls": ["*x"]})
    assert wishes.set("b", URLS, {"urls": ["*x", "*y"]}) == (URLS, {"urls": ["*x", "*y"]})


def test_a_wish_that_the_page_refused_is_no_wish() -> None:
    wishes = SharedOverrides()
    wishes.set("a", SIZE, {"width": -1})
    wishes.reject("a", SIZE)
    assert wishes.replay() == []
    assert wishes.remove_session("a") == []


def test_everything_that_holds_is_replayed() -> None:
    wishes = SharedOverrides()
    wishes.set("a", FOCUS, {"enabled": True})
    wishes.set("b", SIZE, {"width": 1})
    assert wishes.replay() == [(FOCUS, {"enabled": True}), (SIZE, {"width": 1})]
    assert wishes.has_flag("a", FOCUS)
    assert not wishes.has_flag("b", FOCUS)


def test_only_what_outlives_its_command_is_a_wish() -> None:
    assert is_override(SIZE)
    assert is_override("Emulation.clearDeviceMetricsOverride")
    assert not is_override("Page.navigate")


def test_a_domain_is_turned_on_by_the_first_and_off_by_the_last() -> None:
    domains = EnabledDomains()
    assert domains.enable("a", "Page", {}) == {}
    assert domains.enable("b", "Page", {}) is None
    assert list(domains.listeners("Page")) == ["a", "b"]
    assert not domains.disable("a", "Page")
    assert domains.remove_session("b") == ["Page"]
    assert list(domains.listeners("Page")) == []


def test_limits_are_the_larger_and_none_where_one_has_none() -> None:
    domains = EnabledDomains()
    domains.enable("a", "Network", {"maxTotalBufferSize": 10, "reportDirectSocketTraffic": True})
    merged = {"maxTotalBufferSize": 20, "reportDirectSocketTraffic": True}
    assert domains.enable("b", "Network", {"maxTotalBufferSize": 20}) == merged
    assert domains.enable("c", "Network", {}) == {"reportDirectSocketTraffic": True}
    assert domains.enable("d", "Network", {"maxTotalBufferSize": 5}) is None
    assert domains.replay() == [("Network.enable", {"reportDirectSocketTraffic": True})]


def test_a_domain_that_is_not_there_is_nobodys() -> None:
    domains = EnabledDomains()
    domains.enable("a", "Nothing", {})
    domains.forget("Nothing")
    assert domains.replay() == []
    assert domains.remove_session("a") == []
    assert domains.disable("a", "Nothing")


def test_the_slowest_watcher_sets_the_pace() -> None:
    pictures = Screencast()
    for name in ("a", "b"):
        pictures.start(name)
    assert pictures.watchers() == ["a", "b"]
    assert not pictures.acknowledge("a")
    assert not pictures.acknowledge("a")
    assert pictures.acknowledge("b")
    assert pictures.acknowledge("b")


def test_who_comes_later_is_not_behind_and_the_last_ends_it() -> None:
    pictures = Screencast()
    pictures.start("a")
    assert pictures.acknowledge("a")
    pictures.start("b")
    assert not pictures.acknowledge("b")
    assert not pictures.stop("a")
    assert not pictures.stop("a")
    assert pictures.stop("b")
    assert not pictures.acknowledge("stranger")
