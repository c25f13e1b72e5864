"""Watchers of one screencast."""

from __future__ import annotations

from pilothouse.relay.extension_browser.screencast import Pictures


def test_the_slowest_watcher_sets_the_pace() -> None:
    pictures = Pictures()
    for name in ("a", "b"):
        pictures.starts(name)
    assert pictures.watchers() == ["a", "b"]
    assert not pictures.takes("a")
    assert not pictures.takes("a")
    assert pictures.takes("b")
    assert pictures.takes("b")


def test_who_comes_later_is_not_behind_and_the_last_ends_it() -> None:
    pictures = Pictures()
    pictures.starts("a")
    assert pictures.takes("a")
    pictures.starts("b")
    assert not pictures.takes("b")
    assert not pictures.stops("a")
    assert not pictures.stops("a")
    assert pictures.stops("b")
    assert not pictures.takes("stranger")
