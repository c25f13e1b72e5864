"""Which session has which domain on."""

from __future__ import annotations

from pilothouse.relay.extension_browser.enabled_domains import Domains


def test_a_domain_is_turned_on_by_the_first_and_off_by_the_last() -> None:
    domains = Domains()
    assert domains.enable("a", "Page", {}) == {}
    assert domains.enable("b", "Page", {}) is None
    assert list(domains.hears("Page")) == ["a", "b"]
    assert not domains.disable("a", "Page")
    assert domains.leaves("b") == ["Page"]
    assert list(domains.hears("Page")) == []


def test_limits_are_the_larger_and_none_where_one_has_none() -> None:
    domains = Domains()
    domains.enable("a", "Network", {"maxTotalBufferSize": 10, "reportDirectSocketTraffic": True})
    merged = {"maxTotalBufferSize": 20, "reportDirectSocketTraffic": True}
    assert domains.enable("b", "Network", {"maxTotalBufferSize": 20}) == merged
    assert domains.enable("c", "Network", {}) == {"reportDirectSocketTraffic": True}
    assert domains.enable("d", "Network", {"maxTotalBufferSize": 5}) is None
    assert domains.replay() == [("Network.enable", {"reportDirectSocketTraffic": True})]


def test_a_domain_that_is_not_there_is_nobodys() -> None:
    domains = Domains()
    domains.enable("a", "Nothing", {})
    domains.failed("Nothing")
    assert domains.replay() == []
    assert domains.leaves("a") == []
    assert domains.disable("a", "Nothing")
