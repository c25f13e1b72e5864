"""Which tabs the debugger is on, and what happens when it is taken off. Pure.

Knows: one attachment per tab, shared by all its sessions; the pauses between tries; that what the
user ended stays ended. Must not know: what is sent on a tab.

    no session -> first one: attachTab -> last one gone: a short while -> detachTab
    target_closed while the tab lives -> tries again -> state put back | sessions end
    idle -> sessions stay -> next command: attached again
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import Session
from pilothouse.relay.extension_browser.debuggee import Strand
from pilothouse.relay.extension_browser.requests import Asked
from pilothouse.relay.extension_browser.restrictions import attachable, judge_tab
from pilothouse.relay.extension_browser.types import (
    TARGET_GONE,
    Tab,
    Wrong,
    admits,
    encode,
    loads,
    read_tabs,
    refused,
)
from pilothouse.relay.extension_browser.user_stops import (
    CANCELLED,
    NOT_SHARED,
    STATES,
    STOPPED,
    TAKEN_BACK,
    UserState,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["RETRY_S", "Attachments", "Times", "refused_by"]

RETRY_S = (0.15, 0.3, 0.7, 1.5)
# A tab that is lost again so soon goes on with its tries where it was.
COOLDOWN_S = 10.0
# A page that does not even say its frames is attached as what the browser calls it.
FRAMES_WITHIN_S = 1.0
# A tab that is closed is told to be gone within this, however much the machine has to do else.
LOST_AFTER_S = 1.0

# Reasons that are nobody's mistake: it is not tried again.
_FINAL: Mapping[str, UserState] = {
    "detached_by_user": TAKEN_BACK,
    "stopped_by_user": STOPPED,
    "not_shared": NOT_SHARED,
    "left_locked_site": NOT_SHARED,
}
# So many tabs are remembered after the user took them.
MOST_REMEMBERED = 200

Done = Callable[[Wrong | None], None]


@dataclass(frozen=True, slots=True)
class Times:
    """How long the debugger stays on a tab that nobody uses, and the pauses between tries to put
    it on again."""

    linger_s: float = 3.0
    retry_s: tuple[float, ...] = RETRY_S


class Attachments:
    """The debugger's attachments of one install."""

    def __init__(self, core: Core, times: Times) -> None:
        self._core = core
        self._times = times
        # How the user took all tabs, if they did, and which single ones.
        self.stopped: UserState | None = None
        self._taken_by_user: set[int] = set()
        # Why tabs that were in use ended, by target.
        self.ended_by: dict[str, UserState] = {}
        # Tabs that are being attached: who waits for it.
        self._coming: dict[int, list[Done]] = {}
        # Tabs whose commands wait until the debugger is back.
        self._held: dict[int, list[Asked]] = {}
        self._tries: dict[int, int] = {}
        # Tabs that the debugger left because nobody did anything there.
        self._resting: set[int] = set()
        self.away = False
        # What is asked of the extension itself while it is away.
        self.held_here: list[Asked] = []
        # Tabs that were opened here or had the debugger on them, and those that the extension is
        # to be told to take back.
        self.used: set[int] = set()
        self.owed: set[int] = set()

    # What waits.

    def held_for(self, strand: Strand | None) -> list[Asked] | None:
        """Where something must wait now; None if it need not."""
        if strand is not None:
            return self._held.get(strand.tab.tab_id)
        return self.held_here if self.away else None

    def all_held(self) -> Iterator[Asked]:
        """Everything that waits."""
        for held in list(self._held.values()):
            yield from list(held)
        yield from [*self.held_here, *self._core.returning.flights]

    def holds(self, tab: Tab) -> bool:
        """Whether the debugger is or should be on a tab."""
        return tab.tab_id in self._core.strands

    def hold(self, tab_id: int) -> None:
        """What is for a tab waits from now on."""
        self._held.setdefault(tab_id, [])

    def release(self, tab_id: int) -> None:
        """What has waited for a tab goes out."""
        self._resting.discard(tab_id)
        for asked in self._held.pop(tab_id, []):
            if not asked.done:
                self._core.send_now(asked)

    def wake(self, strand: Strand | None) -> None:
        """Something waits for a tab: one that rests gets its debugger back."""
        if strand is not None and strand.tab.tab_id in self._resting:
            self._resting.discard(strand.tab.tab_id)
            self._try(strand.tab)

    # Attaching and letting go.

    def attach(self, tab: Tab, then: Done) -> None:
        """See that the debugger is on a tab; `then` gets what went wrong."""
        core = self._core
        core.port.cancel(f"detach {tab.tab_id}")
        wrong = self._refusal(tab)
        if wrong is not None:
            then(wrong)
        elif tab.tab_id in self._coming:
            self._coming[tab.tab_id].append(then)
        elif tab.tab_id in core.strands:
            then(None)
        else:
            self._coming[tab.tab_id] = [then]
            number = {"tabId": tab.tab_id}
            if tab.attached:
                # Left over from a life before: what was set then is not known.
                core.ask("detachTab", number, lambda _, __: None)
            core.ask("attachTab", number, lambda raw, wrong: self._attached(tab, raw, wrong))

    def _refusal(self, tab: Tab) -> Wrong | None:
        if self.stopped is not None:
            return refused_by("to attach", self.stopped)
        if tab.tab_id in self._taken_by_user:
            return refused_by("to attach", TAKEN_BACK)
        return judge_tab(self._core.settings, tab)

    def _attached(self, tab: Tab, raw: msgspec.Raw | None, wrong: Wrong | None) -> None:
        core = self._core
        if raw is not None and tab.opened_by is None:
            core.popups.described(tab, loads(raw).get("targetInfo") or {})
        if core.tabs.by_id.get(tab.tab_id) is not tab:
            wrong = wrong or Wrong(-32000, "No target with given id found")
        if wrong is not None:
            self._come(tab, wrong)
            return
        tab.attached = True
        self.ended_by.pop(tab.target_id, None)
        self.used.add(tab.tab_id)
        core.strands[tab.tab_id] = strand = Strand(core, tab)
        # Only the page itself knows its main frame's id, which clients must know as the tab's.
        key = f"frames {tab.tab_id}"
        core.port.after(key, FRAMES_WITHIN_S, lambda: self._come(tab, None))
        core.ask_strand(
            strand, "Page.getFrameTree", b"{}", lambda raw, _: self._framed(tab, strand, raw)
        )

    def _framed(self, tab: Tab, strand: Strand, raw: msgspec.Raw | None) -> None:
        frame = loads(raw).get("frameTree", {}).get("frame", {}) if raw is not None else {}
        strand.loader = str(frame.get("loaderId", ""))
        name = frame.get("id")
        if isinstance(name, str) and name not in ("", tab.target_id):
            self._core.tabs.framed(tab, name)
        self._come(tab, None)

    def _come(self, tab: Tab, wrong: Wrong | None) -> None:
        self._core.port.cancel(f"frames {tab.tab_id}")
        for then in self._coming.pop(tab.tab_id, []):
            then(wrong)
        strand = self._core.strands.get(tab.tab_id)
        if wrong is None and strand is not None and not self._core.in_use(tab):
            self.unused(tab)

    def settled(self, tab: Tab, then: Done) -> None:
        """Call back when a tab is not being attached any more."""
        if tab.tab_id in self._coming:
            self._coming[tab.tab_id].append(then)
        else:
            then(None)

    def unused(self, tab: Tab) -> None:
        """No session is on a tab any more: after a while the debugger goes, and with it the bar
        that Chrome shows."""
        if tab.tab_id in self._core.strands:
            self._core.port.after(
                f"detach {tab.tab_id}", self._times.linger_s, lambda: self._drop(tab)
            )

    def _drop(self, tab: Tab) -> None:
        core = self._core
        if core.in_use(tab) or tab.tab_id not in core.strands or self.away:
            return
        if any(a.session and a.strand and a.strand.tab is tab for a in core.asks.values()):
            self.unused(tab)  # somebody who is not on it waits for it, as for cookies
        else:
            self._forget(tab)
            core.ask("detachTab", {"tabId": tab.tab_id}, lambda _, __: None)

    def _forget(self, tab: Tab) -> None:
        """The debugger is off a tab: nothing that was on it lives."""
        core = self._core
        strand = core.strands.get(tab.tab_id)
        for key in ("detach", "frames", "lost", "retry", "steady"):
            core.port.cancel(f"{key} {tab.tab_id}")
        if strand is not None:
            core.children.end(strand)
            core.strands.pop(tab.tab_id, None)
            core.targets.changed(core.targets.page(tab))
        for asked in self._held.pop(tab.tab_id, []):
            asked.settle(None, TARGET_GONE)
        self._tries.pop(tab.tab_id, None)
        self._resting.discard(tab.tab_id)
        tab.attached = False

    def ended(self, tab: Tab) -> None:
        """A tab is no more."""
        self._forget(tab)
        self._taken_by_user.discard(tab.tab_id)
        self._come(tab, Wrong(-32000, "No target with given id found"))

    def offer(self, tab: Tab, only: Session | None = None, then: Done | None = None) -> None:
        """Give a tab to every browser session that attaches by itself, or to one of them."""
        core = self._core
        sessions = [only] if only is not None else list(core.sessions.values())
        wanting = [s for s in sessions if s.strand is None and self._wants(s, tab)]
        if not wanting or not tab.target_id or not attachable(tab.url):
            if then is not None:
                then(None)
            return

        def attached(wrong: Wrong | None) -> None:
            for session in wanting:
                if wrong is None and core.sessions.get(session.id) is session:
                    self._give(session, tab)
            if then is not None:
                then(wrong)

        self.attach(tab, attached)

    def _wants(self, session: Session, tab: Tab) -> bool:
        if session.auto is None or not admits(session.auto.wanted, "page"):
            return False
        return not any(
            s.auto_made and s.strand is not None and s.strand.tab is tab and not s.strand.child
            for s in self._core.below(session)
        )

    def _give(self, session: Session, tab: Tab) -> None:
        core = self._core
        strand = core.strands.get(tab.tab_id)
        if strand is not None and self._wants(session, tab):
            if session.id:
                core.accompany(strand)
            made = core.make(session.id, strand)
            made.auto_made = True
            core.tell_attached(made)

    # The debugger was taken off.

    def detached(self, tab_id: int, reason: str) -> None:
        """Chrome or the user took the debugger off a tab."""
        core = self._core
        if reason == "canceled_by_user":
            self._stopped(CANCELLED)
            return
        tab = core.tabs.by_id.get(tab_id)
        if tab is None:
            return
        tab.attached = False
        strand = core.strands.get(tab_id)
        if strand is None:
            return
        if reason == "detached_by_user":
            self._taken_by_user.add(tab_id)
        if reason in _FINAL:
            self._taken(tab, _FINAL[reason])
        if not core.in_use(tab) or reason in _FINAL:
            self._forget(tab)
            return
        self.hold(tab_id)
        if reason == "idle":
            core.restoring.lost(strand)
            self._resting.add(tab_id)
        else:
            # Of a tab that is closed nobody is told that its debugger was lost before.
            core.port.after(f"lost {tab_id}", LOST_AFTER_S, lambda: self._lose(tab))
            self._retry(tab)

    def _lose(self, tab: Tab) -> None:
        self._core.port.cancel(f"lost {tab.tab_id}")
        strand = self._core.strands.get(tab.tab_id)
        if strand is not None and not strand.restoring:
            self._core.restoring.lost(strand)

    def _retry(self, tab: Tab) -> None:
        tried = self._tries.get(tab.tab_id, 0)
        core = self._core
        core.port.cancel(f"steady {tab.tab_id}")
        if tried >= len(self._times.retry_s):
            self._forget(tab)
            return
        self._tries[tab.tab_id] = tried + 1
        core.port.after(f"retry {tab.tab_id}", self._times.retry_s[tried], lambda: self._try(tab))

    def _try(self, tab: Tab) -> None:
        if self.away:
            return  # it is tried when the extension is back
        wrong = self._refusal(tab)
        if wrong is not None:
            self._forget(tab)
            return
        params = encode({"tabId": tab.tab_id})
        tried = Asked("attachTab", params, lambda _, wrong: self._tried(tab, wrong))
        self._core.send_now(tried)

    def _tried(self, tab: Tab, wrong: Wrong | None) -> None:
        core = self._core
        strand = core.strands.get(tab.tab_id)
        if strand is None:
            return
        if wrong is not None:
            self._retry(tab)
            return
        self._lose(tab)
        tab.attached = True
        core.port.after(f"steady {tab.tab_id}", COOLDOWN_S, lambda: self._steady(tab))
        core.restoring.start(strand, lambda: self.release(tab.tab_id))

    def _steady(self, tab: Tab) -> None:
        """A tab has kept its debugger for a while: its next loss is a new one."""
        self._tries.pop(tab.tab_id, None)

    def _stopped(self, state: UserState) -> None:
        """That is for all tabs, and nobody undoes it but the user."""
        self.stopped = state
        for tab in list(self._core.tabs.by_id.values()):
            self._taken(tab, state)
            self._forget(tab)
        for waiting in [t for n in list(self._coming) for t in self._coming.pop(n, [])]:
            waiting(refused_by("to attach", state))

    def _taken(self, tab: Tab, state: UserState) -> None:
        """The user ended what was done in a tab: whoever was there is told so."""
        if tab.tab_id in self._core.strands and tab.target_id not in self.ended_by:
            self.ended_by[tab.target_id] = state
            if len(self.ended_by) > MOST_REMEMBERED:
                del self.ended_by[next(iter(self.ended_by))]
            self._core.port.taken(tab.target_id, state)

    def user_acted(self, kind: str, tab_id: Any, state: str = "") -> None:
        """The user did something in the extension's popup."""
        tab = self._core.tabs.by_id.get(tab_id) if isinstance(tab_id, int) else None
        if kind == "attach":
            self.stopped = None
            self._taken_by_user.discard(tab_id)
            for one in list(self._core.tabs.by_id.values()):
                self.offer(one)
        elif kind == "detach" and tab is not None:
            self._taken_by_user.add(tab.tab_id)
            self._taken(tab, TAKEN_BACK)
            self._forget(tab)
        elif kind == "detach" and tab_id is None:
            self._stopped(STATES.get(state, STOPPED))
        elif kind in ("pause", "resume"):
            self._core.settings["paused"] = kind == "pause"

    def list_again(self, then: Callable[[], None] = lambda: None) -> None:
        """Tabs changed in a way that only the whole list explains."""

        def listed(raw: msgspec.Raw | None) -> None:
            tabs = read_tabs(raw) if raw is not None else None
            if tabs is not None:
                self._core.tabs.listed(tabs)
            then()

        self._core.ask("listTabs", {}, lambda raw, _: listed(raw))

    def give_back(self, targets: Collection[str]) -> None:
        """Whoever used these tabs is gone. They are forgotten here at once; a tab that the user's
        settings share all the same is listed again."""
        tabs = [self._core.tabs.by_target(target) for target in targets]
        ids = {tab.tab_id for tab in tabs if tab is not None} & self.used
        self.used -= ids
        for tab_id in ids:
            self._core.tabs.removed(tab_id)
        self.owed |= ids
        if not self.away:
            self.settle_debts()

    def settle_debts(self) -> None:
        """Have the extension take back what it is owed."""
        ids, self.owed = sorted(self.owed), set()
        if ids:
            self._core.ask("giveBackTabs", {"tabIds": ids}, lambda _, __: self.list_again())

    def drop_leftovers(self) -> None:
        """Take the debugger off tabs that a relay before this one held: its bar would stay, and
        whatever it stopped there would wait for ever."""
        core = self._core
        for tab in core.tabs.by_id.values():
            if tab.attached and tab.tab_id not in core.strands and tab.tab_id not in self._coming:
                tab.attached = False
                core.ask("detachTab", {"tabId": tab.tab_id}, lambda _, __: None)

    def resume(self, strand: Strand) -> None:
        """The extension is here again: go on with a tab as it is now."""
        tab = strand.tab
        if not self._core.in_use(tab):
            self.release(tab.tab_id)
            self.unused(tab)
        elif tab.attached and not strand.restoring:
            self.release(tab.tab_id)
        elif tab.tab_id not in self._resting:
            self._core.restoring.lost(strand)
            self._try(tab)


def refused_by(what: str, state: UserState) -> Wrong:
    """The refusal of whatever the user has stopped."""
    return refused(what, state.words, state.instead)
