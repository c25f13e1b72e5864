"""What to do: frozen values, the only output of `step` beside the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Effect:
    """The root of all effects."""


@dataclass(frozen=True, slots=True)
class Instrument(Effect):
    """Set a fresh session up, everything pipelined, and let its target run."""

    session: SessionId
    kind: str
    waiting: bool


@dataclass(frozen=True, slots=True)
class AnswerDialog(Effect):
    """Give a dialog its answer, the way it is held."""

    dialog: str
    accept: bool
    text: str | None


@dataclass(frozen=True, slots=True)
class AnswerInterrupt(Effect):
    """Do what was decided about an interrupt."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Send(Effect):
    """Send a command and forget it; a failure is only logged."""

    session: SessionId
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StartTimer(Effect):
    """Let `TimerFired(key)` come after `seconds`."""

    key: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StopTimer(Effect):
    """The timer is not needed any more."""

    key: str


@dataclass(frozen=True, slots=True)
class Tell(Effect):
    """Say something once to the owner of a tab (all owners: empty)."""

    tab: str
    text: str
