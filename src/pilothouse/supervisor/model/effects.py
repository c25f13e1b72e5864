"""Effects: frozen values that say what to do, the only output of `step` beside the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.cdp.message import SessionId

__all__ = [
    "AnswerDialog",
    "AnswerInterrupt",
    "Effect",
    "Notify",
    "SendCommand",
    "SetUpSession",
    "StartTimer",
    "StopTimer",
]


class Effect(msgspec.Struct, frozen=True):
    """The base class of all effects."""


class SetUpSession(Effect, frozen=True):
    """Send a new session its setup commands, pipelined, and let its target run."""

    session: SessionId
    kind: str
    waiting: bool


class AnswerDialog(Effect, frozen=True):
    """Send a dialog its answer, natively or through its bridge."""

    dialog: str
    accept: bool
    text: str | None


class AnswerInterrupt(Effect, frozen=True):
    """Send the commands for a decision about an interrupt."""

    interrupt: str
    action: str
    detail: Mapping[str, Any] = msgspec.field(default_factory=dict)


class SendCommand(Effect, frozen=True):
    """Send a command without waiting for its reply."""

    session: SessionId
    method: str
    params: Mapping[str, Any] = msgspec.field(default_factory=dict)


class StartTimer(Effect, frozen=True):
    """Feed `TimerFired(key)` after `seconds`."""

    key: str
    seconds: float


class StopTimer(Effect, frozen=True):
    """Cancel a timer."""

    key: str


class Notify(Effect, frozen=True):
    """Add a notice for the owner of a tab; it comes with the owner's next result."""

    tab: str
    text: str
