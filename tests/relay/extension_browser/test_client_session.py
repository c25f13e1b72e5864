"""What is remembered of a session."""

from __future__ import annotations

import re

from pilothouse.relay.extension_browser.client_session import new_id


def test_ids_are_as_chrome_makes_them_and_never_the_same() -> None:
    made = {new_id() for _ in range(50)}
    assert len(made) == 50
    assert all(re.fullmatch("[0-9A-F]{32}", one) for one in made)
