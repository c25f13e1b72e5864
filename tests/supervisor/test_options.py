"""What is said of a browser before it is supervised; what nobody says is the careful choice."""

from __future__ import annotations

from pilothouse.supervisor import Options
from pilothouse.supervisor.model.dialog_policy_and_permissions import PERMISSIONS


def test_pages_are_denied_what_they_would_ask_for_unless_somebody_says_otherwise() -> None:
    assert dict(Options().permissions) == dict.fromkeys(PERMISSIONS, "denied")
    assert Options(permissions={}).permissions == {}


def test_a_browser_is_asked_what_it_is_unless_that_is_known() -> None:
    assert (Options().product, Options().features, Options().bridge) == ("", None, "auto")
