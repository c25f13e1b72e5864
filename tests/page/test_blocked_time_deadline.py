"""How the time of dialogs is taken off: pure questions to a state."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.page.blocked_time_deadline import blocked_seconds
from pilothouse.supervisor import ClosedDialog, Dialog, Interrupt, State

S = SessionId("s")


def dialog(opened: float, tab: str = "t1") -> Dialog:
    return Dialog("d-1", "alert", "", "", S, "f", "", "", tab, opened)


def test_a_tab_that_nothing_held_was_held_for_no_time() -> None:
    assert blocked_seconds(State(), "t1", 0.0, 10.0) == 0.0


def test_open_and_closed_dialogs_count_once_where_they_overlap() -> None:
    closed = (
        ClosedDialog(dialog(1.0), 3.0, "agent", True),
        ClosedDialog(dialog(2.0), 4.0, "agent", True),
        ClosedDialog(dialog(5.0, "t2"), 9.0, "agent", True),
    )
    state = State(recent_dialogs=closed, dialogs={"d-1": dialog(8.0)})
    assert blocked_seconds(state, "t1", 0.0, 10.0) == 5.0


def test_only_the_time_since_then_counts() -> None:
    state = State(recent_dialogs=(ClosedDialog(dialog(1.0), 6.0, "agent", True),))
    assert blocked_seconds(state, "t1", 4.0, 10.0) == 2.0


def test_a_renderer_that_hangs_asks_nobody() -> None:
    def interrupt(kind: str) -> State:
        held = Interrupt("i-1", kind, "t1", S, "f", "", 2.0, "h")
        return State(interrupts={"i-1": held})

    assert blocked_seconds(interrupt("hung"), "t1", 0.0, 10.0) == 0.0
    assert blocked_seconds(interrupt("auth"), "t1", 0.0, 10.0) == 8.0
