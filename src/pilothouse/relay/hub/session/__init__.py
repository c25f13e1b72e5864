"""The sessions of a client: what is remembered of each, and the states it goes through.

state_transitions.py  `SessionState`, `SessionEvent`, `SessionEffect`, and their one table:
                      `step`
client_session.py     `ClientSession`: ids, target, state, and small structs, each with one
                      owner

event -> AutoAttacher.advance -> step(state, event) -> state, effects -> registers, commands
"""

from __future__ import annotations

from pilothouse.relay.hub.session.client_session import (
    ChromeAttach,
    ClientSession,
    CommandHandler,
    Discovery,
)
from pilothouse.relay.hub.session.state_transitions import (
    HIDDEN,
    SHOWN,
    SessionEffect,
    SessionEvent,
    SessionState,
    step,
)

__all__ = [
    "HIDDEN",
    "SHOWN",
    "ChromeAttach",
    "ClientSession",
    "CommandHandler",
    "Discovery",
    "SessionEffect",
    "SessionEvent",
    "SessionState",
    "step",
]
