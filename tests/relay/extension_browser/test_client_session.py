"""What is remembered of a session."""

from __future__ import annotations

import re

from pilothouse.relay.extension_browser.client_session import AutoAttachOptions, new_id, read_filter
from pilothouse.relay.extension_browser.types import DEFAULT_FILTER


def test_ids_are_as_chrome_makes_them_and_never_the_same() -> None:
    made = {new_id() for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch("[0-9A-F]{32}", one) for one in made)


def test_auto_attach_is_read_with_chromes_own_filter_where_none_is_given() -> None:
    assert AutoAttachOptions.read({"autoAttach": False, "waitForDebuggerOnStart": True}) is None
    plain = AutoAttachOptions.read({"autoAttach": True})
    assert plain == AutoAttachOptions(DEFAULT_FILTER, waits=False)
    assert read_filter({"filter": [{}]}) == [{}]
    assert read_filter({"filter": "odd"}) == DEFAULT_FILTER
