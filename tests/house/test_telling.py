"""Answers about tabs, as clients read them; a browser's life is proved in test_house.py."""

from __future__ import annotations

from typing import Any, cast

import pytest

from pilothouse.house.telling import closed_shown, opened_shown
from pilothouse.tabs.tabs import OwnedTab


class _Open:
    name, tab_id = "shop", "t3"

    def shown(self) -> dict[str, Any]:
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
    told = opened_shown(cast(OwnedTab, _Open()), reused, arrival)
    assert told["text"] == told["details"]["result"] == said
    assert told["details"]["reused"] is reused
    assert told["details"].get("arrival") == arrival


@pytest.mark.parametrize(
    ("every", "closed", "said"),
    [
        (False, ["shop"], "Closed shop"),
        (True, ["shop", "main"], "Closed shop, main"),
        (False, [], 'No tab named "shop"'),
        (True, [], "No tabs"),
    ],
)
def test_closing_tells_what_was_closed(every: bool, closed: list[str], said: str) -> None:
    told = closed_shown("shop", every, closed)
    assert told["text"] == said
    assert told["details"]["closed"] == closed
