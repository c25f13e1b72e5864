"""Random orders of everything that can happen: whatever comes, the state stays whole.

Chrome promises no order between processes, and a browser at the other end of a network promises
less. So the machine plays any event at any time, with ids that exist, that are gone and that never
were, and does to timers what the shell does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, get_args

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from pilothouse.cdp.message import SessionId
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.model.dialog_policy_and_permissions import Action, Policy, Rule
from pilothouse.supervisor.model.interrupts_and_downloads import INTERRUPT_KINDS
from pilothouse.supervisor.model.state import Frame, State
from pilothouse.supervisor.model.step import step
from tests.supervisor.state_invariants import check_invariants

K = TypeVar("K", bound=str)

TARGETS = [f"T{n}" for n in range(3)]
FRAMES = [f"F{n}" for n in range(4)]
CONTEXTS = [f"c{n}" for n in range(3)]
PICK = st.integers(0, 30)
OWNERS = st.sampled_from(["", "ann", "bob"])
DIALOGS = st.sampled_from(["alert", "confirm", "prompt", "beforeunload"])


def _mostly(pick: int, there: Iterable[K], others: Sequence[K]) -> K:
    """One that is there; one time in six, or when none is, another one."""
    known = list(there)
    choice = known if known and pick < 25 else others
    return choice[pick % len(choice)]


class AnyOrder(RuleBasedStateMachine):
    """A browser that does what it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.state = State()
        self.at = 0.0
        self.sessions: list[SessionId] = []
        self.timers: set[str] = set()
        self.handles = 0
        self.ids: dict[str, set[str]] = {"tab": set(), "dialog": set(), "interrupt": set()}

    def happens(self, event: ev.Event) -> None:
        """One event, and what the shell would do to its timers about it."""
        before = self.state
        self.state, effects = step(before, event)
        for effect in effects:
            match effect:
                case do.StartTimer():
                    assert effect.key not in self.timers, f"{effect.key} has a timer already"
                    assert effect.seconds > 0
                    self.timers.add(effect.key)
                case do.StopTimer():
                    self.timers.discard(effect.key)
        for name, old, new in (
            ("tab", before.tabs, self.state.tabs),
            ("dialog", before.dialogs, self.state.dialogs),
            ("interrupt", before.interrupts, self.state.interrupts),
        ):
            for born in new.keys() - old.keys():
                assert born not in self.ids[name], f"{born} was used before"
                self.ids[name].add(born)

    def now(self) -> float:
        self.at += 0.25
        return self.at

    def session(self, pick: int) -> SessionId:
        """A session that lives, one that is gone, or one nobody knows."""
        return _mostly(pick, self.state.sessions, [*self.sessions[-3:], SessionId("nobody")])

    def frame(self, pick: int) -> str:
        """A frame that is there, one that may be, or none."""
        return _mostly(pick, self.state.frames, [*FRAMES, "nowhere"])

    def fresh(self, prefix: str) -> str:
        self.handles += 1
        return f"{prefix}{self.handles}"

    # Targets and the wire.

    @initialize()
    def two_tabs_are_there(self) -> None:
        self.attach_page(TARGETS[0], "")
        self.attach_page(TARGETS[1], TARGETS[0])

    @rule(pick=PICK, below=PICK, kind=st.sampled_from(["iframe", "iframe", "worker"]), by=PICK)
    def attach_child(self, pick: int, below: int, kind: str, by: int) -> None:
        """A session of a frame that is known, or that was there before us."""
        session, parent, of = SessionId(self.fresh("S")), self.session(by), self.frame(pick)
        self.sessions.append(session)
        parent_frame = self.frame(below)
        self.happens(
            ev.SessionAttached(
                self.now(), session, of, kind, parent=parent, parent_frame=parent_frame
            )
        )

    @rule(of=st.sampled_from(TARGETS), by=st.sampled_from(["", *TARGETS]))
    def attach_page(self, of: str, by: str) -> None:
        session = SessionId(self.fresh("S"))
        self.sessions.append(session)
        self.happens(
            ev.SessionAttached(self.now(), session, of, "page", f"https://{of}/", opener=by)
        )

    @rule(pick=PICK, again=st.booleans())
    def crash(self, pick: int, again: bool) -> None:
        session, _ = self.place(pick)
        self.happens(ev.RendererCrashed(self.now(), session))
        if again:
            self.happens(ev.ReloadedAfterCrash(self.now(), session))

    @rule(pick=PICK, what=st.sampled_from(["child", "child", "session", "tab"]))
    def end(self, pick: int, what: str) -> None:
        """Mostly a frame's or a worker's session: with a tab everything goes."""
        children = [info.id for info in self.state.sessions.values() if info.kind != "page"]
        if what == "tab":
            self.happens(ev.TargetDestroyed(self.now(), TARGETS[pick % 3]))
        elif what == "session" or children:
            session = _mostly(pick, children if what == "child" else [], [self.session(pick)])
            self.happens(ev.SessionDetached(self.now(), session))

    @rule(
        held=st.sampled_from(["", *TARGETS]),
        found=st.lists(st.sampled_from(TARGETS), unique=True),
        moved=st.none() | st.integers(1, 4),
        stays_down=st.sampled_from([False, False, True]),
    )
    def drop(self, held: str, found: list[str], moved: int | None, stays_down: bool) -> None:
        """The wire drops; mostly it comes back and finds some of the tabs."""
        self.hold(held, True)
        self.happens(ev.ConnectionDropped(self.now(), "reset"))
        if not stays_down:
            self.restore(found, moved)

    @rule(found=st.lists(st.sampled_from(TARGETS), unique=True), moved=st.none())
    def restore(self, found: list[str], moved: int | None) -> None:
        if self.state.connected:
            return
        self.happens(ev.ConnectionRestored(self.now()))
        for target in found:
            if moved is not None:
                self.happens(ev.TabTargetReplaced(self.now(), f"t{moved}", target))
            self.attach_page(target, "")
        self.happens(ev.TargetsReattached(self.now()))

    @rule(of=st.sampled_from(TARGETS), holds=st.booleans())
    def hold(self, of: str, holds: bool) -> None:
        self.happens(ev.StandbyChanged(self.now(), of, holds))

    @rule(of=st.sampled_from(TARGETS), owner=OWNERS, by=st.sampled_from(["agent", "human"]))
    def own_and_leave(self, of: str, owner: str, by: str) -> None:
        self.happens(ev.OwnerSet(self.now(), of, TabKey(owner)))
        self.happens(ev.TargetInfoChanged(self.now(), of, f"https://{owner}/", "title"))
        self.happens(ev.LeaveRequested(self.now(), f"t{len(owner)}", by))

    @rule(owner=OWNERS, action=st.sampled_from(get_args(Action)), kind=DIALOGS)
    def set_policy(self, owner: str, action: Any, kind: str) -> None:
        rules = (Rule("auto_accept", type=kind),)
        self.happens(ev.PolicySet(self.now(), TabKey(owner), Policy(action, 300.0, rules)))

    # Frames.

    @rule(pick=PICK, which=PICK, below=PICK)
    def attach_frame(self, pick: int, which: int, below: int) -> None:
        frame, parent = [*FRAMES, *TARGETS][which % 7], self.frame(below)
        self.happens(ev.FrameAttached(self.now(), self.session(pick), frame, parent))

    @rule(tree=st.lists(st.tuples(PICK, st.booleans()), min_size=2, max_size=4))
    def grow(self, tree: list[tuple[int, bool]]) -> None:
        """Frames enter documents, as Chrome tells it; some get their own process."""
        for frame, (below, own) in zip(FRAMES, tree, strict=False):
            hosts = [f for f in self.state.frames.values() if f.session and f.id != frame]
            if hosts:
                self.put(hosts[below % len(hosts)], frame, own)

    def put(self, parent: Frame, frame: str, own: bool) -> None:
        self.happens(ev.FrameAttached(self.now(), parent.session, frame, parent.id))
        if own:
            session = SessionId(self.fresh("S"))
            self.sessions.append(session)
            self.happens(
                ev.SessionAttached(self.now(), session, frame, "iframe", parent=parent.session)
            )
            self.happens(
                ev.FrameNavigated(self.now(), session, frame, parent.id, "https://c/", "o", "L")
            )
            self.happens(ev.FrameDetached(self.now(), parent.session, frame, swap=True))

    @rule(pick=PICK, which=PICK, below=st.none() | PICK)
    def navigate_frame(self, pick: int, which: int, below: int | None) -> None:
        self.happens(self.navigated(pick, which, below))
        frame = self.frame(which)
        self.happens(ev.FrameStartedNavigating(self.now(), self.session(pick), frame))
        self.happens(
            ev.FrameNavigatedWithinDocument(
                self.now(), self.session(pick), frame, "https://b/#moved"
            )
        )

    def navigated(self, pick: int, which: int, below: int | None) -> ev.FrameNavigated:
        session, frame = self.session(pick), self.frame(which)
        parent = "" if below is None else self.frame(below)
        return ev.FrameNavigated(self.now(), session, frame, parent, "https://b/", "https://b", "L")

    @rule(which=PICK, by=st.none() | PICK, swap=st.booleans())
    def detach_frame(self, which: int, by: int | None, swap: bool) -> None:
        """Mostly told by the session the frame lives in."""
        frame = self.state.frames.get(self.frame(which))
        session = frame.session if frame and by is None else self.session(by or 0)
        self.happens(ev.FrameDetached(self.now(), session, self.frame(which), swap))

    @rule(pick=PICK, tree=st.lists(st.tuples(PICK, st.none() | PICK), max_size=4))
    def seed(self, pick: int, tree: list[tuple[int, int | None]]) -> None:
        frames = tuple(self.navigated(pick, frame, parent) for frame, parent in tree)
        self.happens(ev.FrameTreeLoaded(self.now(), self.session(pick), frames))

    @rule(pick=PICK, which=PICK, context=st.sampled_from(CONTEXTS), what=st.integers(0, 2))
    def worlds(self, pick: int, which: int, context: str, what: int) -> None:
        session, frame = self.session(pick), self.frame(which)
        events = (
            ev.ContextCreated(self.now(), session, frame, context),
            ev.ContextDestroyed(self.now(), session, context),
            ev.ContextsCleared(self.now(), session),
        )
        self.happens(events[what])

    # Dialogs.

    def place(self, pick: int) -> tuple[SessionId, str]:
        """A frame and a session of its tab, as Chrome pairs them; or a pair that is none."""
        pairs = [
            (session, frame.id)
            for frame in self.state.frames.values()
            for session in {frame.session, self.state.tabs[frame.tab].session}
        ]
        pairs += [(self.session(pick), "")]
        return pairs[pick % len(pairs)]

    @rule(pick=PICK, kind=DIALOGS, message=st.sampled_from(["sure?", "really?"]))
    def open_native_dialog(self, pick: int, kind: str, message: str) -> None:
        session, frame = self.place(pick)
        self.happens(
            ev.DialogOpened(self.now(), session, frame, kind, message, "yes", "https://b/")
        )

    @rule(pick=PICK, kind=DIALOGS, via=st.sampled_from(["debugger", "xhr"]), again=st.booleans())
    def open_bridged_dialog(self, pick: int, kind: str, via: str, again: bool) -> None:
        """`again`: another session tells of a call we know."""
        session, frame = self.place(pick)
        keys = [d.key for d in self.state.dialogs.values() if d.key]
        key = keys[0] if keys and again else self.fresh("k")
        handle, url = self.fresh("h"), "https://b/"
        self.happens(
            ev.DialogOpened(self.now(), session, frame, kind, "sure?", "yes", url, via, handle, key)
        )

    @rule(of=st.sampled_from(TARGETS), kind=DIALOGS, closed=st.booleans())
    def holder_tells(self, of: str, kind: str, closed: bool) -> None:
        session = SessionId("held")
        self.happens(ev.DialogOpened(self.now(), session, of, kind, "sure?", standby_target=of))
        if closed:
            self.happens(ev.DialogClosed(self.now(), session, of, True, "", of))

    @rule(pick=PICK, unnamed=st.booleans(), accepted=st.booleans())
    def close_dialog(self, pick: int, unnamed: bool, accepted: bool) -> None:
        session, frame = self.place(pick)
        frame = "" if unnamed else frame
        self.happens(ev.DialogClosed(self.now(), session, frame, accepted))

    def dialog(self, pick: int) -> str:
        return _mostly(pick, self.state.dialogs, ["d-1", "d-404"])

    @rule(pick=PICK, accept=st.booleans(), by=st.sampled_from(["agent", "human"]))
    def answer(self, pick: int, accept: bool, by: str) -> None:
        self.happens(ev.DialogAnswered(self.now(), self.dialog(pick), accept, None, by))

    @rule(pick=PICK, refused=st.booleans())
    def answer_fails(self, pick: int, refused: bool) -> None:
        self.happens(ev.AnswerFailed(self.now(), self.dialog(pick), "no", refused))

    @rule(pick=PICK, accepted=st.booleans())
    def answer_is_taken(self, pick: int, accepted: bool) -> None:
        self.happens(ev.AnswerDelivered(self.now(), self.dialog(pick), accepted))

    @rule(pick=PICK)
    def timer_fires(self, pick: int) -> None:
        keys = [*sorted(self.timers), "d-404"]
        key = keys[pick % len(keys)]
        self.timers.discard(key)
        self.happens(ev.TimerFired(self.now(), key))

    # Other interrupts.

    @rule(pick=PICK, kind=st.sampled_from(sorted(INTERRUPT_KINDS)))
    def open_interrupt(self, pick: int, kind: str) -> None:
        session, frame = self.place(pick)
        self.happens(ev.InterruptOpened(self.now(), kind, session, frame, f"h{pick}"))

    @rule(pick=PICK, kind=st.sampled_from(sorted(INTERRUPT_KINDS)))
    def close_interrupt(self, pick: int, kind: str) -> None:
        self.happens(ev.InterruptClosed(self.now(), kind, f"h{pick}", "gone"))

    @rule(pick=PICK, action=st.sampled_from(["cancel", "deny", "reload", "done", "nonsense"]))
    def answer_interrupt(self, pick: int, action: str) -> None:
        known = [*self.state.interrupts, "i-404"]
        self.happens(ev.InterruptAnswered(self.now(), known[pick % len(known)], action))

    @rule(pick=PICK, state=st.sampled_from(["inProgress", "completed"]))
    def download(self, pick: int, state: str) -> None:
        frame = self.frame(pick)
        self.happens(ev.DownloadStarted(self.now(), f"g{pick}", frame, "https://b/f", "f"))
        self.happens(ev.DownloadProgressed(self.now(), f"g{pick + 1}", state, 1, 2))
        self.happens(ev.RequestPaused(self.now(), self.session(pick), "r"))

    @invariant()
    def the_state_is_whole(self) -> None:
        check_invariants(self.state, self.timers)


AnyOrder.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=50,
    deadline=None,
    phases=(Phase.reuse, Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)
TestAnyOrder = AnyOrder.TestCase
