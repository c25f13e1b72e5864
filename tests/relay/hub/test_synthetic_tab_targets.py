"""Tabs above pages: made up, but always the same."""

from __future__ import annotations

from pilothouse.relay.hub.synthetic_tab_targets import tab_id, tab_info


def test_a_page_has_one_tab_with_an_id_of_its_own() -> None:
    assert tab_id("A") == tab_id("A")
    assert tab_id("A") != tab_id("B")
    assert len(tab_id("A")) == 32


def test_a_tab_shows_what_its_page_shows() -> None:
    page = {
        "targetId": "A",
        "type": "page",
        "title": "t",
        "url": "u",
        "attached": True,
        "openerId": "B",
        "browserContextId": "C",
    }
    assert tab_info(page) == {
        "targetId": tab_id("A"),
        "type": "tab",
        "title": "t",
        "url": "u",
        "attached": True,
        "canAccessOpener": False,
        "browserContextId": "C",
    }
