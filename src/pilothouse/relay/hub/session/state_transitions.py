"""The states of a client's session, and the only table that changes them. Pure.

Knows: what each event does in each state. Must not know: clients, targets, messages.

    state      the session                                          what leads out of it
    NEW        exists; nothing is decided                           the decision
    UNDECIDED  may be on the tab that the client is creating        the id of the created tab
    WITHHELD   is on a page that its tab target's session must ask  that session's setAutoAttach
               for
    DISMISSED  is not for the client: is resumed and detached       Chrome's event that it ended
    WAITING    is the client's; its target waits for the debugger   the reply to the client's resume
    OPEN       is the client's; nothing waits                       its end
    ENDED      is over                                              nothing

The client knows the session exactly in WAITING and OPEN. In UNDECIDED, WITHHELD and DISMISSED the
session is hidden: its messages are dropped.

Who sends the events: the hub's decisions (SHOW, SHOW_WAITING, DEFER, WITHHOLD, DISMISS), the reply
to the client's `Runtime.runIfWaitingForDebugger` (RESUMED), the end of the session or of its parent
(END), and the end of the client (CLIENT_LEFT).

An event that a state does not list is a defect: `step` raises `IllegalEvent`.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from pilothouse.relay.illegal_event import IllegalEvent

__all__ = [
    "HIDDEN",
    "SHOWN",
    "SessionEffect",
    "SessionEvent",
    "SessionState",
    "SessionTransition",
    "step",
]


class SessionState(Enum):
    """A client's session. See the module docstring."""

    NEW = auto()
    UNDECIDED = auto()
    WITHHELD = auto()
    DISMISSED = auto()
    WAITING = auto()
    OPEN = auto()
    ENDED = auto()


class SessionEvent(Enum):
    """Something that may change the state."""

    SHOW = auto()
    SHOW_WAITING = auto()  # the same, and the target waits for the debugger
    DEFER = auto()
    WITHHOLD = auto()
    DISMISS = auto()
    RESUMED = auto()
    END = auto()
    CLIENT_LEFT = auto()


class SessionEffect(Enum):
    """What a transition does, in this order."""

    HIDE = auto()  # drop the session's messages from now on
    REVEAL = auto()  # drop them no longer
    ADD = auto()  # to the sessions that the client can use
    REMOVE = auto()  # from them, with all sessions below it
    STOP_WAITING = auto()  # nothing waits for the client on this target any more
    LET_GO = auto()  # resume the target and detach
    RUN = auto()  # resume the target: its client is gone


# The client knows the session.
SHOWN: Final = frozenset({SessionState.WAITING, SessionState.OPEN})
# The browser has the session, and the client must not hear of it.
HIDDEN: Final = frozenset({SessionState.UNDECIDED, SessionState.WITHHELD, SessionState.DISMISSED})


class SessionTransition(NamedTuple):
    """The next state, and what to do on the way."""

    state: SessionState
    effects: tuple[SessionEffect, ...] = ()


def step(state: SessionState, event: SessionEvent) -> SessionTransition:
    """Return the next state and the effects of an event. Raises IllegalEvent for one that cannot
    happen."""
    found = _TABLE.get((state, event))
    if found is None:
        raise IllegalEvent("session", state, event)
    return found


_SHOWN_AT_ONCE = (SessionEffect.ADD,)
_SHOWN_LATER = (SessionEffect.REVEAL, SessionEffect.ADD)
_DISMISSED = (SessionEffect.STOP_WAITING, SessionEffect.LET_GO)
_ENDED_HIDDEN = (SessionEffect.REVEAL, SessionEffect.STOP_WAITING)
_LEFT_HIDDEN = (SessionEffect.REVEAL, SessionEffect.RUN)

_TABLE: Final[dict[tuple[SessionState, SessionEvent], SessionTransition]] = {
    (state, event): SessionTransition(to, effects)
    for state, event, to, effects in (
        # The decision.
        (SessionState.NEW, SessionEvent.SHOW, SessionState.OPEN, _SHOWN_AT_ONCE),
        (SessionState.NEW, SessionEvent.SHOW_WAITING, SessionState.WAITING, _SHOWN_AT_ONCE),
        (SessionState.NEW, SessionEvent.DEFER, SessionState.UNDECIDED, (SessionEffect.HIDE,)),
        (SessionState.NEW, SessionEvent.WITHHOLD, SessionState.WITHHELD, (SessionEffect.HIDE,)),
        (
            SessionState.NEW,
            SessionEvent.DISMISS,
            SessionState.DISMISSED,
            (SessionEffect.HIDE, *_DISMISSED),
        ),
        # The decision comes later.
        (SessionState.UNDECIDED, SessionEvent.SHOW, SessionState.OPEN, _SHOWN_LATER),
        (SessionState.UNDECIDED, SessionEvent.SHOW_WAITING, SessionState.WAITING, _SHOWN_LATER),
        (SessionState.UNDECIDED, SessionEvent.WITHHOLD, SessionState.WITHHELD, ()),
        (SessionState.UNDECIDED, SessionEvent.DISMISS, SessionState.DISMISSED, _DISMISSED),
        (SessionState.UNDECIDED, SessionEvent.END, SessionState.ENDED, _ENDED_HIDDEN),
        (SessionState.UNDECIDED, SessionEvent.CLIENT_LEFT, SessionState.ENDED, _LEFT_HIDDEN),
        (SessionState.WITHHELD, SessionEvent.SHOW, SessionState.OPEN, _SHOWN_LATER),
        (SessionState.WITHHELD, SessionEvent.SHOW_WAITING, SessionState.WAITING, _SHOWN_LATER),
        (SessionState.WITHHELD, SessionEvent.DISMISS, SessionState.DISMISSED, _DISMISSED),
        (SessionState.WITHHELD, SessionEvent.END, SessionState.ENDED, _ENDED_HIDDEN),
        (SessionState.WITHHELD, SessionEvent.CLIENT_LEFT, SessionState.ENDED, _LEFT_HIDDEN),
        # It was let go when it was dismissed.
        (SessionState.DISMISSED, SessionEvent.END, SessionState.ENDED, (SessionEffect.REVEAL,)),
        (
            SessionState.DISMISSED,
            SessionEvent.CLIENT_LEFT,
            SessionState.ENDED,
            (SessionEffect.REVEAL,),
        ),
        # The client has it.
        (SessionState.WAITING, SessionEvent.RESUMED, SessionState.OPEN, ()),
        (SessionState.WAITING, SessionEvent.END, SessionState.ENDED, (SessionEffect.REMOVE,)),
        (SessionState.WAITING, SessionEvent.CLIENT_LEFT, SessionState.ENDED, (SessionEffect.RUN,)),
        # Clients resume targets that do not wait, too.
        (SessionState.OPEN, SessionEvent.RESUMED, SessionState.OPEN, ()),
        (SessionState.OPEN, SessionEvent.END, SessionState.ENDED, (SessionEffect.REMOVE,)),
        (SessionState.OPEN, SessionEvent.CLIENT_LEFT, SessionState.ENDED, ()),
        # A parent ends its children, and Chrome may report the same end; a reply may come late.
        (SessionState.ENDED, SessionEvent.RESUMED, SessionState.ENDED, ()),
        (SessionState.ENDED, SessionEvent.END, SessionState.ENDED, ()),
        (SessionState.ENDED, SessionEvent.CLIENT_LEFT, SessionState.ENDED, ()),
    )
}
