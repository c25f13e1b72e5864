"""One frame in, what it means out. No loop, no socket."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from pilothouse.cdp.message import ROOT, Event, SessionId
from pilothouse.cdp.router import (
    IgnoredMessage,
    ReplyReceived,
    Router,
    SentCommand,
    SessionsChanged,
)


def frame(**message: Any) -> bytes:
    return json.dumps(message).encode()


def attached(session: str, target: str = "T1", parent: str = "", kind: str = "page") -> bytes:
    params = {
        "sessionId": session,
        "targetInfo": {"targetId": target, "type": kind},
        "waitingForDebugger": True,
    }
    return frame(method="Target.attachedToTarget", params=params, **_on(parent))


def detached(session: str, parent: str = "") -> bytes:
    return frame(method="Target.detachedFromTarget", params={"sessionId": session}, **_on(parent))


def _on(session: str) -> dict[str, str]:
    return {"sessionId": session} if session else {}


def waiting(router: Router[SentCommand], session: str = "", method: str = "A.b") -> SentCommand:
    pending = SentCommand(method, SessionId(session), sent_at=0.0, origin="here")
    router.register(pending)
    return pending


def test_reply_settles_the_command_with_its_id() -> None:
    router: Router[SentCommand] = Router()
    first, second = waiting(router), waiting(router)
    outcome = router.receive(frame(id=second.id, result={"x": 1}))
    assert isinstance(outcome, ReplyReceived)
    assert outcome.pending is second
    assert bytes(outcome.result) == b'{"x": 1}'
    assert outcome.error is None
    assert list(router.pending.values()) == [first]


def test_error_reply_settles_with_the_error() -> None:
    router: Router[SentCommand] = Router()
    pending = waiting(router)
    outcome = router.receive(frame(id=pending.id, error={"code": -32000, "message": "no"}))
    assert isinstance(outcome, ReplyReceived)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.error.message) == (-32000, "no")


def test_ids_are_counted_once_for_all_sessions() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    assert [waiting(router).id, waiting(router, "S1").id, waiting(router).id] == [1, 2, 3]


def test_reply_that_lacks_its_session_id_still_settles() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    pending = waiting(router, "S1")
    outcome = router.receive(frame(id=pending.id, error={"code": -32001, "message": "gone"}))
    assert isinstance(outcome, ReplyReceived)


def test_duplicate_late_and_unknown_replies_are_told_apart_and_ignored() -> None:
    router: Router[SentCommand] = Router()
    done, given_up = waiting(router), waiting(router)
    router.receive(frame(id=done.id, result={}))
    assert router.abandon(given_up.id)
    assert router.receive(frame(id=done.id, result={})) == IgnoredMessage("duplicate")
    assert router.receive(frame(id=given_up.id, result={})) == IgnoredMessage("late")
    assert router.receive(frame(id=999, result={})) == IgnoredMessage("unknown_id")
    assert router.receive(frame(id=-1, result={})) == IgnoredMessage("unknown_id")
    assert (router.counts.duplicate, router.counts.late, router.counts.unknown_id) == (1, 1, 2)


def test_command_settled_already_cannot_be_abandoned() -> None:
    router: Router[SentCommand] = Router()
    pending = waiting(router)
    router.receive(frame(id=pending.id, result={}))
    assert not router.abandon(pending.id)


def test_memory_of_abandoned_commands_is_bounded() -> None:
    router: Router[SentCommand] = Router()
    for _ in range(10_500):
        router.abandon(waiting(router).id)
    assert router.receive(frame(id=1, result={})) == IgnoredMessage("duplicate")
    assert router.receive(frame(id=10_500, result={})) == IgnoredMessage("late")


def test_session_exists_when_its_attach_event_is_told() -> None:
    router: Router[SentCommand] = Router()
    outcome = router.receive(attached("S1", target="T9"))
    assert isinstance(outcome, SessionsChanged)
    assert outcome.attached is router.sessions[SessionId("S1")]
    assert (outcome.attached.target_id, outcome.attached.target_type) == ("T9", "page")
    assert outcome.attached.waiting_for_debugger


def test_event_of_a_session_names_it() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    outcome = router.receive(frame(method="Page.loadEventFired", params={}, sessionId="S1"))
    assert isinstance(outcome, Event)
    assert outcome.session_id == "S1"


def test_event_of_a_session_nobody_knows_is_counted() -> None:
    router: Router[SentCommand] = Router()
    outcome = router.receive(frame(method="Page.loadEventFired", params={}, sessionId="S9"))
    assert outcome == IgnoredMessage("unknown_session")
    assert router.counts.unknown_session == 1


def test_detaching_ends_the_session_its_children_and_their_commands() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    router.receive(attached("S2", "T2", parent="S1", kind="iframe"))
    router.receive(attached("S3", "T3", parent="S2", kind="iframe"))
    router.receive(attached("S4", "T4"))
    doomed = [waiting(router, s) for s in ("S1", "S2", "S3")]
    spared = [waiting(router, "S4"), waiting(router)]
    outcome = router.receive(detached("S1"))
    assert isinstance(outcome, SessionsChanged)
    assert [record.id for record in outcome.detached] == ["S3", "S2", "S1"]
    assert outcome.lost_commands == doomed
    assert list(router.sessions) == ["S4"]
    assert list(router.pending.values()) == spared
    assert router.receive(frame(id=doomed[0].id, result={})) == IgnoredMessage("late")


def test_crash_dooms_the_commands_of_that_target_and_keeps_the_session() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1", "T1"))
    router.receive(attached("S2", "T2"))
    doomed, spared = waiting(router, "S1"), waiting(router, "S2")
    outcome = router.receive(frame(method="Inspector.targetCrashed", params={}, sessionId="S1"))
    assert isinstance(outcome, SessionsChanged)
    assert outcome.lost_commands == [doomed]
    assert list(router.pending.values()) == [spared]
    assert router.sessions[SessionId("S1")].crashed
    assert not router.sessions[SessionId("S2")].crashed


def test_crash_told_by_the_browser_finds_every_session_of_the_target() -> None:
    router: Router[SentCommand] = Router()
    for session in ("S1", "S2"):
        router.receive(attached(session, "T1"))
    router.receive(frame(method="Target.targetCrashed", params={"targetId": "T1"}))
    assert all(record.crashed for record in router.sessions.values())


def test_crash_told_twice_spares_the_reload_that_was_sent_in_between() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1", "T1"))
    router.receive(frame(method="Inspector.targetCrashed", params={}, sessionId="S1"))
    reload = waiting(router, "S1")
    outcome = router.receive(frame(method="Target.targetCrashed", params={"targetId": "T1"}))
    assert isinstance(outcome, SessionsChanged)
    assert outcome.lost_commands == []
    assert list(router.pending.values()) == [reload]


def test_reload_after_a_crash_revives_the_session() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    router.receive(frame(method="Inspector.targetCrashed", params={}, sessionId="S1"))
    router.receive(frame(method="Inspector.targetReloadedAfterCrash", sessionId="S1"))
    assert not router.sessions[SessionId("S1")].crashed


def test_attach_event_without_its_parts_is_malformed() -> None:
    router: Router[SentCommand] = Router()
    for params in ({}, {"sessionId": 3}, {"sessionId": "S1", "targetInfo": []}):
        outcome = router.receive(frame(method="Target.attachedToTarget", params=params))
        assert outcome == IgnoredMessage("malformed")
    assert router.counts.malformed == 3
    assert router.sessions == {}


def test_reset_hands_back_all_that_waited_and_was_attached() -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    pending = waiting(router, "S1")
    doomed, gone = router.reset()
    assert doomed == [pending]
    assert [record.id for record in gone] == ["S1"]
    assert router.pending == {}
    assert router.sessions == {}
    assert waiting(router).id > pending.id


@given(st.binary(max_size=200))
def test_no_bytes_make_the_router_raise(noise: bytes) -> None:
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    waiting(router, "S1")
    router.receive(noise)
    router.receive(frame(method="A.b", params=noise.decode("latin-1"), sessionId="S1"))
    assert len(router.pending) == 1


class RouterUnderAnyOrder(RuleBasedStateMachine):
    """Random attaches, detaches, crashes, commands and replies in any order."""

    sessions = Bundle("sessions")

    def __init__(self) -> None:
        super().__init__()
        self.router: Router[SentCommand] = Router()
        self.sent: dict[int, SentCommand] = {}
        self.ended: set[int] = set()
        self.count = 0

    @rule(target=sessions, parent=st.none() | sessions)
    def attach(self, parent: str | None) -> str:
        self.count += 1
        session = f"S{self.count}"
        alive = parent if parent in self.router.sessions else ""
        self.router.receive(attached(session, f"T{self.count}", parent=alive or ""))
        return session

    @rule(session=consumes(sessions))
    def detach(self, session: str) -> None:
        self._note(self.router.receive(detached(session)))

    @rule(session=sessions)
    def crash(self, session: str) -> None:
        self._note(
            self.router.receive(
                frame(method="Inspector.targetCrashed", params={}, sessionId=session)
            )
        )

    @rule(session=st.none() | sessions)
    def send(self, session: str | None) -> None:
        if session is None or session in self.router.sessions:
            pending = waiting(self.router, session or "")
            self.sent[pending.id] = pending

    @rule(number=st.integers(0, 30))
    def reply(self, number: int) -> None:
        outcome = self.router.receive(frame(id=number, result={}))
        if isinstance(outcome, ReplyReceived):
            self.ended.add(outcome.pending.id)

    def _note(self, outcome: object) -> None:
        if isinstance(outcome, SessionsChanged):
            self.ended.update(pending.id for pending in outcome.lost_commands)

    @invariant()
    def every_command_waits_or_has_ended(self) -> None:
        assert set(self.sent) == set(self.router.pending) | self.ended
        assert not set(self.router.pending) & self.ended

    @invariant()
    def nothing_waits_on_a_session_that_is_gone(self) -> None:
        for pending in self.router.pending.values():
            assert pending.session_id == ROOT or pending.session_id in self.router.sessions

    @invariant()
    def every_session_has_a_living_parent(self) -> None:
        for record in self.router.sessions.values():
            assert record.parent == ROOT or record.parent in self.router.sessions


TestRouterUnderAnyOrder = RouterUnderAnyOrder.TestCase
TestRouterUnderAnyOrder.settings = settings(max_examples=60, deadline=None)


def test_hundred_thousand_mangled_messages_leave_the_router_alive() -> None:
    """F15: cut, flipped, doubled and crossed bytes of real messages; none raises, none settles
    what it should not."""
    random = Random(20261116)
    router: Router[SentCommand] = Router()
    router.receive(attached("S1"))
    waits = waiting(router, "S1")
    seeds = [
        attached("S1"),
        detached("S9"),
        frame(id=77, result={"value": "x" * 20}),
        frame(id=78, error={"code": -32000, "message": "no"}),
        frame(method="Page.frameNavigated", params={"frame": {"id": "F"}}, sessionId="S1"),
    ]
    for _ in range(100_000):
        noise = bytearray(random.choice(seeds))
        for _ in range(random.randrange(4)):
            at = random.randrange(len(noise))
            match random.randrange(4):
                case 0:
                    noise[at] = random.randrange(256)
                case 1:
                    del noise[at : at + random.randrange(1, 9)]
                case 2:
                    noise[at:at] = noise[at : at + 9]
                case 3:
                    noise[at:at] = random.choice(seeds)
            noise = noise or bytearray(b"{")
        router.receive(bytes(noise))
    known = router.receive(frame(id=waits.id, result={}))
    assert isinstance(known, ReplyReceived) or waits.id not in router.pending
    assert router.counts.malformed > 10_000
