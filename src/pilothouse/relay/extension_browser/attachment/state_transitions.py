"""The states of the debugger on one tab, and the only table that changes them. Pure.

Knows: what each event does in each state. Must not know: requests, timers, sessions, clocks.

    state        the debugger                                      what leads out of it
    FREE         is not on the tab                                 a client attaches
    ATTACHING    is requested; clients wait                        the extension's reply
    IDENTIFYING  is on; the main frame's id is not known yet       the page's reply, or its timeout
    ATTACHED     is on; sessions use it                            its last session ends
    UNUSED       is on, without sessions, for a while              a client attaches, or time is up
    LOST         left a tab in use; a retry is due                 the retry
    IDLE         was taken off by the extension to save resources  a request for the tab
    REATTACHING  is requested again; sessions wait                 the extension's reply
    RESTORING    is on again; its old state is being set           all of it is answered
    AWAY         was on when the extension disconnected            the extension returns
    AWAY_LOST    was off or half restored at that time             the extension returns
    TAKEN_BACK   may not be on: the user took the tab back         the user shares it again
    CLOSED       has no tab any more                               nothing

Who sends the events: clients (ATTACH, UNUSED, WANTED), the extension's replies (ATTACH_OK,
ATTACH_FAILED, IDENTIFIED, RESTORED), what it reports of Chrome (DETACHED, DETACHED_UNUSED, IDLED,
CLOSED) and of the user (TAKEN, WITHDRAWN, SHARED), timers (IDENTIFIED, LINGER_OVER, STILL_USED,
RETRY, GIVEN_UP), and the connection (DISCONNECTED, RESUMED_*).

An event that a state does not list is a defect: `step` raises `IllegalEvent`. Events that may
come late, and then mean nothing, are listed without a change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from pilothouse.relay.illegal_event import IllegalEvent

__all__ = [
    "DEBUGGED",
    "PENDING",
    "QUEUEING",
    "AttachEffect",
    "AttachEvent",
    "AttachState",
    "Transition",
    "step",
]


class AttachState(Enum):
    """The debugger on one tab. See the module docstring."""

    FREE = auto()
    ATTACHING = auto()
    IDENTIFYING = auto()
    ATTACHED = auto()
    UNUSED = auto()
    LOST = auto()
    IDLE = auto()
    REATTACHING = auto()
    RESTORING = auto()
    AWAY = auto()
    AWAY_LOST = auto()
    TAKEN_BACK = auto()
    CLOSED = auto()


class AttachEvent(Enum):
    """Something that may change the state."""

    ATTACH = auto()  # a client wants the debugger on the tab
    ATTACH_OK = auto()
    ATTACH_FAILED = auto()
    IDENTIFIED = auto()  # the main frame's id is known, or it took too long
    UNUSED = auto()  # no session is left on the tab
    LINGER_OVER = auto()
    STILL_USED = auto()  # the time is over, but a session came meanwhile
    DETACHED = auto()  # Chrome took the debugger off a tab in use
    DETACHED_UNUSED = auto()
    IDLED = auto()  # the extension took the debugger off a tab in use
    RETRY = auto()
    GIVEN_UP = auto()  # no retry is left, or the user's settings refuse
    WANTED = auto()  # a request waits for an idle tab
    RESTORED = auto()
    TAKEN = auto()  # the user took the tab back
    WITHDRAWN = auto()  # the user stopped all agents, or shares the tab no longer
    SHARED = auto()  # the user shares the tab again
    DISCONNECTED = auto()  # the extension
    RESUMED_ATTACHED = auto()  # the extension is back, the debugger is still on
    RESUMED_DETACHED = auto()
    RESUMED_UNUSED = auto()  # the extension is back, no session is left
    CLOSED = auto()  # the tab


class AttachEffect(Enum):
    """What a transition does, in this order."""

    ABANDON = auto()  # the request to attach: its reply counts no more
    END = auto()  # everything on the tab: debuggee, sessions, waiting requests
    ANSWER = auto()  # everyone who waits for the attachment
    SEND_ATTACH = auto()
    SEND_DETACH = auto()
    ADOPT = auto()  # the attachment: create its debuggee, ask for the main frame
    START_LINGER = auto()
    MARK_LOST = auto()  # what sessions had set must be set again
    DROP_REPLAY = auto()  # a replay in progress, if any
    SCHEDULE_RETRY = auto()
    SEND_REATTACH = auto()
    RESTORE = auto()
    FLUSH = auto()  # send the requests that waited


# The debugger is, or should be, on the tab: it has a debuggee.
DEBUGGED: Final = frozenset(
    {
        AttachState.IDENTIFYING,
        AttachState.ATTACHED,
        AttachState.UNUSED,
        AttachState.LOST,
        AttachState.IDLE,
        AttachState.REATTACHING,
        AttachState.RESTORING,
        AttachState.AWAY,
        AttachState.AWAY_LOST,
    }
)
# Requests for the tab wait.
QUEUEING: Final = DEBUGGED - {AttachState.IDENTIFYING, AttachState.ATTACHED, AttachState.UNUSED}
# Clients that attach wait.
PENDING: Final = frozenset({AttachState.ATTACHING, AttachState.IDENTIFYING})


class Transition(NamedTuple):
    """The next state, and what to do on the way."""

    state: AttachState
    effects: tuple[AttachEffect, ...] = ()


def step(state: AttachState, event: AttachEvent) -> Transition:
    """Return the next state and the effects of an event. Raises IllegalEvent for one that cannot
    happen."""
    found = _TABLE.get((state, event))
    if found is None:
        raise IllegalEvent("tab", state, event)
    return found


_Rows = Mapping[tuple[AttachState, AttachEvent], Transition]


def _attaching() -> Iterator[_Rows]:
    """Yield what happens from the request to the first use, and until nobody uses the tab."""
    yield {
        (AttachState.FREE, AttachEvent.ATTACH): Transition(
            AttachState.ATTACHING, (AttachEffect.SEND_ATTACH,)
        ),
        # The user's decision stands: only SHARED leads out of TAKEN_BACK.
        (AttachState.TAKEN_BACK, AttachEvent.ATTACH): Transition(
            AttachState.TAKEN_BACK, (AttachEffect.ANSWER,)
        ),
        (AttachState.ATTACHING, AttachEvent.ATTACH_OK): Transition(
            AttachState.IDENTIFYING, (AttachEffect.ADOPT,)
        ),
        (AttachState.ATTACHING, AttachEvent.ATTACH_FAILED): Transition(
            AttachState.FREE, (AttachEffect.ANSWER,)
        ),
        (AttachState.IDENTIFYING, AttachEvent.IDENTIFIED): Transition(
            AttachState.ATTACHED, (AttachEffect.ANSWER,)
        ),
        (AttachState.ATTACHED, AttachEvent.UNUSED): Transition(
            AttachState.UNUSED, (AttachEffect.START_LINGER,)
        ),
        (AttachState.UNUSED, AttachEvent.UNUSED): Transition(
            AttachState.UNUSED, (AttachEffect.START_LINGER,)
        ),
        (AttachState.UNUSED, AttachEvent.ATTACH): Transition(
            AttachState.ATTACHED, (AttachEffect.ANSWER,)
        ),
        (AttachState.UNUSED, AttachEvent.STILL_USED): Transition(AttachState.ATTACHED),
        (AttachState.UNUSED, AttachEvent.LINGER_OVER): Transition(
            AttachState.FREE, (AttachEffect.SEND_DETACH, AttachEffect.END)
        ),
    }
    yield _unchanged(AttachEvent.ATTACH, PENDING)
    # Its session's requests wait where the debugger is off.
    yield _unchanged(AttachEvent.ATTACH, QUEUEING | {AttachState.ATTACHED}, (AttachEffect.ANSWER,))
    # The page answers after the timeout, or because everything on it is ending.
    yield _unchanged(
        AttachEvent.IDENTIFIED, set(AttachState) - {AttachState.ATTACHING, AttachState.IDENTIFYING}
    )
    # IDENTIFYING: clients still wait. The others settle it when they are on again.
    yield _unchanged(
        AttachEvent.UNUSED,
        set(AttachState)
        - {AttachState.ATTACHED, AttachState.UNUSED, AttachState.LOST, AttachState.IDLE},
    )


def _losing() -> Iterator[_Rows]:
    """Yield what happens when Chrome or the extension takes the debugger off."""
    lost = Transition(AttachState.LOST, (AttachEffect.MARK_LOST, AttachEffect.SCHEDULE_RETRY))
    idle = Transition(AttachState.IDLE, (AttachEffect.MARK_LOST,))
    ended = Transition(AttachState.FREE, (AttachEffect.END,))
    again = Transition(AttachState.REATTACHING, (AttachEffect.SEND_REATTACH,))
    for state in (AttachState.ATTACHED, AttachState.UNUSED, AttachState.RESTORING):
        yield {(state, AttachEvent.DETACHED): lost, (state, AttachEvent.IDLED): idle}
    yield {
        # No session is on the tab yet: who waits is told, and may try again.
        (AttachState.IDENTIFYING, event): Transition(
            AttachState.FREE, (AttachEffect.END, AttachEffect.ANSWER)
        )
        for event in (AttachEvent.DETACHED, AttachEvent.DETACHED_UNUSED, AttachEvent.IDLED)
    }
    yield {
        (AttachState.REATTACHING, AttachEvent.DETACHED): Transition(
            AttachState.LOST, (AttachEffect.ABANDON, AttachEffect.SCHEDULE_RETRY)
        ),
        (AttachState.REATTACHING, AttachEvent.IDLED): Transition(
            AttachState.IDLE, (AttachEffect.ABANDON,)
        ),
        (AttachState.REATTACHING, AttachEvent.DETACHED_UNUSED): Transition(
            AttachState.FREE, (AttachEffect.ABANDON, AttachEffect.END)
        ),
        (AttachState.AWAY, AttachEvent.DETACHED): Transition(
            AttachState.AWAY_LOST, (AttachEffect.MARK_LOST,)
        ),
        (AttachState.AWAY, AttachEvent.IDLED): idle,
        (AttachState.AWAY_LOST, AttachEvent.IDLED): idle,
    }
    for state in DEBUGGED - {AttachState.IDENTIFYING, AttachState.REATTACHING}:
        yield {(state, AttachEvent.DETACHED_UNUSED): ended}
    # Nothing is on a tab that nobody needs: there is nothing to retry.
    yield {
        (AttachState.LOST, AttachEvent.UNUSED): ended,
        (AttachState.IDLE, AttachEvent.UNUSED): ended,
    }
    yield {
        (AttachState.LOST, AttachEvent.RETRY): again,
        (AttachState.LOST, AttachEvent.GIVEN_UP): ended,
        (AttachState.IDLE, AttachEvent.WANTED): again,
        (AttachState.REATTACHING, AttachEvent.ATTACH_OK): Transition(
            AttachState.RESTORING, (AttachEffect.RESTORE,)
        ),
        (AttachState.REATTACHING, AttachEvent.ATTACH_FAILED): Transition(
            AttachState.LOST, (AttachEffect.SCHEDULE_RETRY,)
        ),
        (AttachState.REATTACHING, AttachEvent.GIVEN_UP): ended,
        (AttachState.RESTORING, AttachEvent.RESTORED): Transition(
            AttachState.ATTACHED, (AttachEffect.FLUSH,)
        ),
    }
    # A report about an attachment that has ended here already, or about one of an earlier relay.
    for event in (AttachEvent.DETACHED, AttachEvent.DETACHED_UNUSED, AttachEvent.IDLED):
        yield _unchanged(event, {AttachState.FREE, AttachState.ATTACHING, AttachState.TAKEN_BACK})
    yield _unchanged(
        AttachEvent.DETACHED, {AttachState.LOST, AttachState.IDLE, AttachState.AWAY_LOST}
    )
    yield _unchanged(AttachEvent.IDLED, {AttachState.LOST, AttachState.IDLE})


def _ending() -> Iterator[_Rows]:
    """Yield what happens when the user decides, or closes the tab."""
    for event, to in (
        (AttachEvent.TAKEN, AttachState.TAKEN_BACK),
        (AttachEvent.WITHDRAWN, AttachState.FREE),
        (AttachEvent.CLOSED, AttachState.CLOSED),
    ):
        yield {
            (AttachState.FREE, event): Transition(to),
            (AttachState.ATTACHING, event): Transition(
                to, (AttachEffect.ABANDON, AttachEffect.ANSWER)
            ),
            (AttachState.IDENTIFYING, event): Transition(
                to, (AttachEffect.END, AttachEffect.ANSWER)
            ),
            (AttachState.REATTACHING, event): Transition(
                to, (AttachEffect.ABANDON, AttachEffect.END)
            ),
        }
        for state in DEBUGGED - {AttachState.IDENTIFYING, AttachState.REATTACHING}:
            yield {(state, event): Transition(to, (AttachEffect.END,))}
    yield {(AttachState.TAKEN_BACK, AttachEvent.CLOSED): Transition(AttachState.CLOSED)}
    yield {(AttachState.TAKEN_BACK, AttachEvent.SHARED): Transition(AttachState.FREE)}
    yield _unchanged(AttachEvent.TAKEN, {AttachState.TAKEN_BACK})
    yield _unchanged(AttachEvent.WITHDRAWN, {AttachState.TAKEN_BACK})
    yield _unchanged(
        AttachEvent.SHARED, set(AttachState) - {AttachState.TAKEN_BACK, AttachState.CLOSED}
    )


def _connection() -> Iterator[_Rows]:
    """Yield what happens when the extension disconnects and returns."""
    again = Transition(
        AttachState.REATTACHING, (AttachEffect.MARK_LOST, AttachEffect.SEND_REATTACH)
    )
    for state in (AttachState.ATTACHED, AttachState.UNUSED):
        yield {
            (state, AttachEvent.DISCONNECTED): Transition(
                AttachState.AWAY, (AttachEffect.DROP_REPLAY,)
            )
        }
    yield {
        # Those who wait get their session now. Its commands wait for the extension.
        (AttachState.IDENTIFYING, AttachEvent.DISCONNECTED): Transition(
            AttachState.AWAY, (AttachEffect.ANSWER,)
        ),
        (AttachState.LOST, AttachEvent.DISCONNECTED): Transition(AttachState.AWAY_LOST),
        (AttachState.REATTACHING, AttachEvent.DISCONNECTED): Transition(
            AttachState.AWAY_LOST, (AttachEffect.ABANDON,)
        ),
        (AttachState.RESTORING, AttachEvent.DISCONNECTED): Transition(
            AttachState.AWAY_LOST, (AttachEffect.DROP_REPLAY,)
        ),
        (AttachState.AWAY, AttachEvent.RESUMED_ATTACHED): Transition(
            AttachState.ATTACHED, (AttachEffect.FLUSH,)
        ),
        (AttachState.AWAY, AttachEvent.RESUMED_DETACHED): again,
        (AttachState.AWAY, AttachEvent.RESUMED_UNUSED): Transition(
            AttachState.UNUSED, (AttachEffect.FLUSH, AttachEffect.START_LINGER)
        ),
        (AttachState.AWAY_LOST, AttachEvent.RESUMED_ATTACHED): again,
        (AttachState.AWAY_LOST, AttachEvent.RESUMED_DETACHED): again,
        (AttachState.AWAY_LOST, AttachEvent.RESUMED_UNUSED): Transition(
            AttachState.FREE, (AttachEffect.SEND_DETACH, AttachEffect.END)
        ),
        (AttachState.IDLE, AttachEvent.RESUMED_UNUSED): Transition(
            AttachState.FREE, (AttachEffect.END,)
        ),
    }
    # ATTACHING: its request is sent again.
    yield _unchanged(
        AttachEvent.DISCONNECTED,
        {
            AttachState.FREE,
            AttachState.ATTACHING,
            AttachState.IDLE,
            AttachState.AWAY,
            AttachState.AWAY_LOST,
            AttachState.TAKEN_BACK,
        },
    )
    # REATTACHING: the list of tabs, which comes first, may already have woken it.
    for event in (AttachEvent.RESUMED_ATTACHED, AttachEvent.RESUMED_DETACHED):
        yield _unchanged(event, {AttachState.IDLE, AttachState.REATTACHING})
    yield _unchanged(AttachEvent.RESUMED_UNUSED, {AttachState.REATTACHING})


def _unchanged(
    event: AttachEvent, states: Collection[AttachState], effects: tuple[AttachEffect, ...] = ()
) -> _Rows:
    return {(state, event): Transition(state, effects) for state in states}


def _merge(rows: Iterable[_Rows]) -> dict[tuple[AttachState, AttachEvent], Transition]:
    table: dict[tuple[AttachState, AttachEvent], Transition] = {}
    for row in rows:
        twice = table.keys() & row.keys()
        if twice:
            raise ValueError(f"two rows for {twice}; expected one")
        table.update(row)
    return table


_TABLE: Final = _merge(
    row for part in (_attaching, _losing, _ending, _connection) for row in part()
)
