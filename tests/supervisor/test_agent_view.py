"""What an agent reads of the state."""

from __future__ import annotations

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.agent_view import (
    FRAMES_SHOWN,
    frame_tree,
    interrupts,
    page_got,
    pending_dialogs,
    recent_dialogs,
)
from pilothouse.supervisor.model import events as ev
from tests.supervisor.step_driver_and_events import (
    CHILD,
    PAGE,
    TAB,
    TOP,
    Dialogue,
    alert,
    attached,
    bridged,
    child,
    navigated,
    page,
)

OTHER = SessionId("other")


def test_pending_dialog_says_all_that_is_needed_to_answer_it() -> None:
    talk = Dialogue(page(), navigated(TOP), alert(kind="prompt"))
    assert pending_dialogs(talk.state, clock=1000) == [
        {
            "id": "d-1",
            "type": "prompt",
            "message": "hello",
            "default_prompt": "nobody",
            "tab": TAB,
            "frame_id": TOP,
            "session_id": PAGE,
            "origin": "https://new",
            "via": "native",
            "opened_at": 1003,
        }
    ]


def test_what_does_not_apply_is_left_out() -> None:
    talk = Dialogue(page(), alert(), ev.ConnectionDropped(5, "reset"))
    (shown,) = pending_dialogs(talk.state)
    assert "default_prompt" not in shown
    assert "reload" in shown["orphaned"]
    talk.say(ev.TimerFired(9, "d-1"))
    assert "orphaned" not in recent_dialogs(talk.state)[0]


def test_dialogs_can_be_asked_for_by_tab() -> None:
    talk = Dialogue(page(), page("NEXT", OTHER), alert(), alert("NEXT", session=OTHER))
    assert [d["id"] for d in pending_dialogs(talk.state, "t2")] == ["d-2"]
    talk.say(ev.DialogClosed(4, PAGE, TOP, True))
    assert recent_dialogs(talk.state, "t2") == []
    assert [d["id"] for d in recent_dialogs(talk.state, TAB)] == ["d-1"]


def test_both_bridges_are_called_bridge() -> None:
    talk = Dialogue(page(), attached(), child(), bridged())
    assert pending_dialogs(talk.state)[0]["via"] == "bridge"


def test_closed_dialog_says_who_and_what_the_page_got() -> None:
    talk = Dialogue(page(), alert(kind="prompt"), ev.DialogAnswered(4, "d-1", True, "ann", "agent"))
    talk.say(ev.DialogClosed(5, PAGE, TOP, True, "ann"))
    (shown,) = recent_dialogs(talk.state, clock=100)
    assert (shown["closed_by"], shown["page_got"], shown["closed_at"]) == ("agent", "ann", 105)


def test_page_gets_what_its_call_returns() -> None:
    talk = Dialogue(page())
    for kind, accepted in (("alert", True), ("confirm", True), ("confirm", False)):
        talk.say(alert(kind=kind), ev.DialogClosed(5, PAGE, TOP, accepted, ""))
    talk.say(alert(kind="prompt"), ev.DialogClosed(5, PAGE, TOP, False, ""))
    talk.say(alert(kind="beforeunload"), ev.DialogClosed(5, PAGE, TOP, True, ""))
    assert [page_got(c) for c in talk.state.recent_dialogs] == [None, True, False, None, True]


def test_interrupt_says_what_may_be_answered() -> None:
    talk = Dialogue(page(), ev.InterruptOpened(3, "auth", PAGE, TOP, "r", {"realm": "x"}))
    (shown,) = interrupts(talk.state, TAB, clock=10)
    assert (shown["kind"], shown["answers"], shown["realm"]) == ("auth", ["provide", "cancel"], "x")
    assert shown["opened_at"] == 13
    assert interrupts(talk.state, "t9") == []


def test_unknown_tab_has_an_empty_tree() -> None:
    assert frame_tree(Dialogue().state, "t9")["top"] is None


def test_tree_names_frames_and_gives_sessions_to_oopifs_alone() -> None:
    talk = Dialogue(page(), attached(), attached("G"), child(), navigated(session=CHILD))
    talk.say(ev.FrameNavigated(3, PAGE, "G", TOP, "https://g/", "https://g", "l", "gee"))
    tree = frame_tree(talk.state, TAB)
    assert "parent_frame_id" not in tree["top"]
    oopif, same = sorted(tree["children"], key=lambda shown: str(shown["frame_id"]))
    assert (oopif["is_oopif"], oopif["session_id"]) == (True, CHILD)
    assert (same["is_oopif"], same["name"], "session_id" in same) == (False, "gee", False)
    assert (tree["total"], tree["total_oopif"], tree["truncated"]) == (3, 1, False)


def test_tree_is_cut_at_its_length_and_says_the_true_number() -> None:
    talk = Dialogue(page())
    for n in range(FRAMES_SHOWN + 4):
        talk.say(attached(f"F{n}"))
    tree = frame_tree(talk.state, TAB)
    assert (len(tree["children"]), tree["truncated"], tree["total"]) == (FRAMES_SHOWN, True, 35)


def test_tree_is_cut_at_the_third_foreign_frame_with_all_below() -> None:
    talk = Dialogue(page())
    above, parent = PAGE, TOP
    for n in range(3):
        session, frame = SessionId(f"s{n}"), f"F{n}"
        talk.say(attached(frame, parent, above), child(frame, session, parent=above))
        talk.say(navigated(frame, parent, session))
        above, parent = session, frame
    talk.say(attached("below", "F2", above))
    tree = frame_tree(talk.state, TAB)
    assert [shown["frame_id"] for shown in tree["children"]] == ["F0", "F1"]
    assert (tree["truncated"], tree["total"], tree["total_oopif"]) == (True, 5, 3)
