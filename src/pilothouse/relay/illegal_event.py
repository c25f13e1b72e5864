"""The error for an event that a state machine of the relay does not allow in its state."""

from __future__ import annotations

from enum import Enum

__all__ = ["IllegalEvent"]


class IllegalEvent(RuntimeError):
    """An event that cannot happen in a state: a defect of the relay."""

    def __init__(self, subject: str, state: Enum, event: Enum) -> None:
        super().__init__(f"{event.name} cannot happen to a {subject} that is {state.name}")
