"""How dialogs end that nobody answers."""

from __future__ import annotations

import pytest

from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy, Rule

BANK = "https://bank"
POLICY = Policy(
    "must_respond",
    rules=(
        Rule("auto_dismiss", type="beforeunload"),
        Rule("auto_accept", type="alert"),
        Rule("auto_dismiss", origin="https://ads"),
        Rule("must_respond", type="alert", origin=BANK),
        Rule("auto_dismiss", type="alert"),
    ),
)


@pytest.mark.parametrize(
    ("kind", "origin", "action"),
    [
        ("confirm", BANK, "must_respond"),
        ("beforeunload", BANK, "auto_dismiss"),
        ("alert", "https://x", "auto_accept"),
        ("prompt", "https://ads", "auto_dismiss"),
        ("alert", BANK, "must_respond"),
    ],
)
def test_most_specific_rule_wins_and_the_earlier_of_two_equals(
    kind: str, origin: str, action: str
) -> None:
    assert POLICY.decide(kind, origin) == action


def test_policy_without_rules_is_its_action() -> None:
    assert Policy("auto_accept").decide("prompt", "null") == "auto_accept"


def test_default_is_to_wait_for_an_answer_with_a_watchdog() -> None:
    assert (Policy().decide("alert", ""), Policy().timeout_s) == ("must_respond", 300.0)
