"""What to do: frozen values, the only output of `step` beside the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import SessionId

__all__ = [
    "AnswerDialog",
    "AnswerInterrupt",
    "Effect",
    "Instrument",
    "Send",
    "StartTimer",
    "StopTimer",
    "Tell",
]


class Effect(msgspec.Struct, frozen=True):
    """The root of all effects."""


class Instrument(Effect, frozen=True):
    """Set a fresh session up, everything pipelined, and let its target run."""

    session: SessionId
    kind: str
    waiting: bool


class AnswerDialog(Effect, frozen=True):
    """Give a dialog its answer, the way it is held."""

    dialog: str
    accept: bool
    text: str | None


class AnswerInterrupt(Effect, frozen=True):
    """Do what was decided about an interrupt."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)


class Send(Effect, frozen=True):
    """Send a command and forget it; a failure is only logged."""

    session: SessionId
    method: str
    params: Mapping[str, Any] = msgspec.field(default_factory=dict)


class StartTimer(Effect, frozen=True):
    """Let `TimerFired(key)` come after `seconds`."""

    key: str
    seconds: float


class StopTimer(Effect, frozen=True):
    """The timer is not needed any more."""

    key: str


class Tell(Effect, frozen=True):
    """Say something once to the owner of a tab (all owners: empty)."""

    tab: str
    text: str
