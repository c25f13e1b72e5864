"""Answers about tabs, as clients read them; a browser's life is proved in test_daemon.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pilothouse.daemon.tab_and_browser_replies import (
    describe_closed,
    describe_opened,
    environment_notices,
)
from pilothouse.settings import Settings, config_path
from pilothouse.tabs.tabs import ClosedTabs, OwnedTab


class _Open:
    name, tab_id, adopted, kind = "shop", "t3", False, None
    page = SimpleNamespace(emulation=SimpleNamespace(status=dict))

    def describe(self) -> dict[str, Any]:
        """As a tab shows itself."""
        return {"url": "http://now/", "title": "Now", "browser": "headless"}


@pytest.mark.parametrize(
    ("reused", "arrival", "said"),
    [
        (False, None, 'Opened tab "shop" on headless\nURL: http://now/\nTitle: Now'),
        (True, None, 'Reused tab "shop" on headless\nURL: http://now/\nTitle: Now'),
        (False, {"url": "http://a/"}, 'Opened tab "shop" on headless\nURL: http://a/'),
        (
            False,
            {"url": "http://a/", "title": "A"},
            'Opened tab "shop" on headless\nURL: http://a/\nTitle: A',
        ),
    ],
)
def test_opened_tab_is_told_with_where_it_is(reused: bool, arrival: Any, said: str) -> None:
    told = describe_opened(cast(OwnedTab, _Open()), reused, arrival)
    assert told["text"] == told["details"]["result"] == said
    assert told["details"]["reused"] is reused
    assert told["details"].get("arrival") == arrival


@pytest.mark.parametrize(
    ("every", "closed", "released", "said"),
    [
        (False, ["shop"], [], "Closed shop"),
        (True, ["shop", "main"], [], "Closed shop, main"),
        (False, [], ["shop"], "Released shop (left open)"),
        (True, ["main"], ["shop"], "Closed main; released shop (left open)"),
        (False, [], [], 'No tab named "shop"'),
        (True, [], [], "No tabs"),
    ],
)
def test_closing_tells_what_was_closed_and_what_was_released(
    every: bool, closed: list[str], released: list[str], said: str
) -> None:
    told = describe_closed("shop", every, ClosedTabs(closed, released))
    assert told["text"] == told["details"]["result"] == said
    assert told["details"]["closed"] == closed
    assert told["details"]["released"] == released


def test_what_a_clients_environment_asks_for_in_vain_is_told_without_its_secrets() -> None:
    asked = {
        "PILOTHOUSE_BROWSER": "/nope",
        "PILOTHOUSE_CDP_URL": "wss://host/x?token=hush",
        "PILOTHOUSE_HEADLESS": "maybe",
        "PILOTHOUSE_CONFIG": "/other.yaml",
    }
    told = {
        said.partition("=")[0].partition(":")[0]: said
        for said in environment_notices(asked, Settings())
    }
    assert told["PILOTHOUSE_BROWSER"] == (
        "PILOTHOUSE_BROWSER=/nope has no effect: the daemon runs with browser.executable = "
        "(empty); run `pilothouse daemon stop`, then try again"
    )
    assert told["PILOTHOUSE_CDP_URL"].startswith("PILOTHOUSE_CDP_URL=wss://host/x?… has no effect")
    assert told["PILOTHOUSE_HEADLESS"].startswith(
        "PILOTHOUSE_HEADLESS: browser.headless: invalid value 'maybe'"
    )
    assert "the daemon keeps using true" in told["PILOTHOUSE_HEADLESS"]
    assert str(config_path()) in told["PILOTHOUSE_CONFIG"]
    assert environment_notices({"PILOTHOUSE_CONFIG": str(config_path())}, Settings()) == []
    assert environment_notices("nonsense", Settings()) == []
