"""An event that a state machine does not allow names the event, the thing and its state."""

from __future__ import annotations

from enum import Enum

from pilothouse.relay.illegal_event import IllegalEvent


class Light(Enum):
    """Both the states and the events of a small machine."""

    ON = 1
    OFF = 2


def test_the_error_names_the_event_the_thing_and_its_state() -> None:
    assert str(IllegalEvent("lamp", Light.ON, Light.OFF)) == (
        "OFF cannot happen to a lamp that is ON"
    )
