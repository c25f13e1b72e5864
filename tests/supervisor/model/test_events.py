"""Events are plain values with a JSON form."""

from __future__ import annotations

import pytest

from pilothouse.supervisor.journal.journal import event_from_json, event_to_json
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import Policy, Rule
from tests.supervisor.step_driver_and_events import (
    PAGE,
    TOP,
    alert,
    bridged,
    child,
    navigated,
    page,
)

EVENTS: list[ev.Event] = [
    page(),
    child(),
    alert(kind="prompt"),
    bridged(),
    ev.FrameTreeLoaded(1.5, PAGE, (navigated(TOP), navigated())),
    ev.PolicySet(
        1, TabKey("ann"), Policy("auto_accept", 5.0, (Rule("must_respond", origin="https://x"),))
    ),
    ev.InterruptOpened(1, "fedcm", PAGE, "", "h", {"accounts": [{"id": "1"}], "n": 2}),
    ev.DialogAnswered(1, "d-1", True, None, "agent"),
    ev.AnswerFailed(1, "d-1", "no", refused=False),
    ev.ConnectionRestored(0.1 + 0.2),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_event_survives_its_json_form(event: ev.Event) -> None:
    said = event_to_json(event)
    assert said["event"] == type(event).__name__
    assert event_from_json(said) == event


def test_event_told_by_the_holder_names_the_target() -> None:
    assert ev.from_standby(alert(), TOP) == alert(standby_target=TOP)
