"""Effects are plain values."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import effects as do


def test_effects_are_equal_when_they_ask_for_the_same() -> None:
    assert do.StartTimer("d-1", 3.0) == do.StartTimer("d-1", 3.0)
    assert do.StartTimer("d-1", 3.0) != do.StartTimer("d-1", 4.0)
    assert do.SendCommand(SessionId("s"), "Page.enable").params == {}
    assert do.AnswerInterrupt("i-1", "cancel").detail == {}
