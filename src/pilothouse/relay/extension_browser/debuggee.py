"""One real debugger session of a tab, shared by any number of sessions of clients. Pure.

Knows: who hears which event, and which command goes out, is answered here, or waits for another.
Must not know: lines, timers, tabs that are not attached. A tab has one strand of its own and one
for every frame and worker that Chrome attaches below it.

    command of a session -> strand -> one debugger session -> event -> sessions that asked for it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.client_session import Session
from pilothouse.relay.extension_browser.enabled_domains import UNASKED, Domains
from pilothouse.relay.extension_browser.event_replay import LIFECYCLE, REPLAYED, Memory
from pilothouse.relay.extension_browser.fetch import Fetching, Send, Tell
from pilothouse.relay.extension_browser.new_document_scripts import (
    REMOVE_SCRIPT,
    add_binding,
    add_script,
    remove_binding,
    remove_script,
    take_back,
)
from pilothouse.relay.extension_browser.pending_commands import Flights
from pilothouse.relay.extension_browser.popups import window_open
from pilothouse.relay.extension_browser.screencast import Pictures
from pilothouse.relay.extension_browser.shared_state import Wishes, sets_something
from pilothouse.relay.extension_browser.types import (
    OK,
    SESSION_ENDS,
    Tab,
    Wrong,
    encode,
    event_frame,
    loads,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["MARKER", "RUN", "Strand"]

# A question that every page and worker answers in its turn, and that changes nothing.
MARKER = "Runtime.getIsolateId"
RUN = "Runtime.runIfWaitingForDebugger"
_CHOOSERS = "Page.setInterceptFileChooserDialog"
_NO_REQUEST = Wrong(-32602, "Invalid InterceptionId.")
CRASHED = Wrong(-32000, "Target crashed")
# What the browser itself answers for a page whose process is dead.
WORKS_WHILE_CRASHED = frozenset(
    {
        "Inspector.enable",
        "Page.close",
        "Page.getNavigationHistory",
        "Page.navigate",
        "Page.navigateToHistoryEntry",
        "Page.reload",
    }
)


class Strand:
    """See the module."""

    def __init__(
        self,
        core: Core,
        tab: Tab,
        child: str = "",
        parent: Strand | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        self.core = core
        self.tab = tab
        # Chrome's own session id below the tab's; empty for the tab itself.
        self.child = child
        self.parent = parent
        self.info: dict[str, Any] = dict(info or {})
        self.sessions: dict[str, Session] = {}
        self.children: dict[str, Strand] = {}
        self.waiting = False
        # Sessions that were told that it waits.
        self.told: set[str] = set()
        self.auto_on = False
        self.crashed = False
        self.restoring = False
        self.loader = ""
        self.memory = Memory()
        self.domains = Domains()
        self.wishes = Wishes()
        self.fetching = Fetching()
        self.pictures = Pictures()
        self.flights = Flights(core, self)

    @property
    def target_id(self) -> str:
        """The target that it is on."""
        return str(self.info.get("targetId", "")) if self.child else self.tab.target_id

    @property
    def kind(self) -> str:
        """The type of that target."""
        return str(self.info.get("type", "")) if self.child else "page"

    # Commands of sessions.

    def command(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        """Deal with one command."""
        act = _ACTS.get(method)
        if self.crashed and method not in WORKS_WHILE_CRASHED:
            self.core.fail(session.id, number, CRASHED)
        elif act is not None:
            act(self, session, number, method, raw)
        elif method.endswith(".enable"):
            self._enable(session, number, method, raw)
        elif method.endswith(".disable"):
            self._disable(session, number, method, raw)
        elif sets_something(method):
            self._set(session, number, method, raw)
        else:
            self.core.forward(self, session, number, method, raw)

    def _enable(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        domain = method.partition(".")[0]
        hearing = self.domains.hears(domain)
        here = session.id in hearing and domain not in session.arriving
        late = bool(hearing) and not here and domain in REPLAYED
        sent = self.domains.enable(session.id, domain, loads(raw))

        def again(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            self.core.settle(session.id, number, None, wrong if wrong is SESSION_ENDS else None)

        if here and sent is None:
            # Clients say it again to wait for whatever is on its way to them.
            self.core.ask_strand(self, MARKER, OK, again, session=session)
        elif not late:
            self.flights.share(session, number, method, sent, lambda: self.domains.failed(domain))
        elif sent is None:
            self._catch_up(session, number, domain)
        else:
            self._catch_up(session, number, domain, method, encode(sent))

    def _catch_up(
        self, session: Session, number: int, what: str, method: str = MARKER, params: bytes = OK
    ) -> None:
        """Tell a newcomer what the others have heard, after the answers to whatever it asked
        before: a client takes a world only for frames that it knows. So something is sent along
        that the page answers in turn."""
        session.arriving.add(what)

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            untold = what in session.arriving
            session.arriving.discard(what)
            if wrong is not None:
                self.core.fail(session.id, number, wrong)
                return
            for name, raw in self.memory.replay(what) if untold else ():
                self.core.emit(event_frame(name, raw, session.id))
            self.core.reply(session.id, number, OK)

        self.core.ask_strand(self, method, params, settled, session=session)

    def _disable(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        domain = method.partition(".")[0]
        off = self.domains.disable(session.id, domain)
        if off:
            self.memory.forget(domain)
        self.forward_if(off, session, number, method, raw)

    def _set(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        before = method == LIFECYCLE and self.wishes.wants(session.id, method)
        sent = self.wishes.says(session.id, method, loads(raw))
        if sent is None:
            if method == LIFECYCLE and not before and self.wishes.wants(session.id, method):
                self._catch_up(session, number, LIFECYCLE)
            else:
                self.core.reply(session.id, number, OK)
            return

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            if wrong is not None:
                self.wishes.failed(session.id, method)
            self.core.settle(session.id, number, result, wrong)

        self.core.ask_strand(self, sent[0], encode(sent[1]), settled, session=session)

    def _run(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        """As in Chrome a frame runs when all who were told to prepare it have said so, anything
        else at the first word of anybody."""
        self.told.discard(session.id)
        if self.waiting and self.kind == "iframe" and self.told:
            self.core.reply(session.id, number, OK)
            return
        held, self.waiting = self.waiting or not self.child, False
        self.told.clear()
        self.forward_if(held, session, number, method, raw)

    def _fetch_enable(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        sent = self.fetching.enable(session.id, loads(raw))

        def failed() -> None:
            self.fetching.disable(session.id)

        self.flights.share(session, number, method, sent.params if sent else None, failed)

    def _fetch_disable(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        self._carry_out(self.fetching.disable(session.id))
        self.core.reply(session.id, number, OK)

    def _fetch_answer(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        acts = self.fetching.answers(session.id, method, loads(raw))
        if acts is None:
            self.core.fail(session.id, number, _NO_REQUEST)
            return
        sent = [act for act in acts if isinstance(act, Send)]
        if sent:
            params = msgspec.Raw(encode(sent[0].params))
            self.core.forward(self, session, number, sent[0].method, params)
        else:
            self.core.reply(session.id, number, OK)
            self._carry_out(acts)

    def _carry_out(self, acts: Iterable[Send | Tell]) -> None:
        for act in acts:
            if isinstance(act, Send):
                self.core.tell_strand(self, act.method, act.params)
            else:
                self.core.emit(event_frame(act.method, act.raw, act.session))

    def _auto_attach(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        self.core.children.set_auto_attach(self, session, number, loads(raw))

    def _cast(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        self.pictures.starts(session.id)
        self.core.forward(self, session, number, method, raw)

    def _stop_cast(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        self.forward_if(self.pictures.stops(session.id), session, number, method, raw)

    def _picture_taken(self, session: Session, number: int, method: str, raw: msgspec.Raw) -> None:
        self.forward_if(self.pictures.takes(session.id), session, number, method, raw)

    def forward_if(
        self, sent: bool, session: Session, number: int, method: str, raw: msgspec.Raw
    ) -> None:
        """Pass a command on, or say that it is done."""
        if sent:
            self.core.forward(self, session, number, method, raw)
        else:
            self.core.reply(session.id, number, OK)

    # Events of the page.

    def event(self, method: str, raw: msgspec.Raw) -> None:
        """Something happened; whoever asked for it hears of it."""
        self.memory.note(method, raw)
        if self.restoring and self.memory.tells_again(method, raw):
            return
        if self.tab.closing and method.startswith("Runtime.executionContext"):
            return  # of a page that ends Chrome tells others only that
        special = _EVENTS.get(method)
        if special is not None:
            special(self, method, raw)
        else:
            domain = method.partition(".")[0]
            everybody = domain in UNASKED
            self._tell(self.sessions if everybody else self.hearers(domain), method, raw)

    def hearers(self, domain: str) -> list[str]:
        """Who has a domain on; one that is being told what was before hears of this then."""
        return [s for s in self.domains.hears(domain) if domain not in self.sessions[s].arriving]

    def _tell(self, hearers: Iterable[str], method: str, raw: msgspec.Raw) -> None:
        for session in tuple(hearers):
            self.core.emit(event_frame(method, raw, session))

    def _lifecycle(self, method: str, raw: msgspec.Raw) -> None:
        self._tell(self.follows(), method, raw)

    def follows(self) -> list[str]:
        """Who is told how far documents have come."""
        return [
            s.id
            for s in self.sessions.values()
            if LIFECYCLE not in s.arriving and self.wishes.wants(s.id, LIFECYCLE)
        ]

    def _binding_called(self, method: str, raw: msgspec.Raw) -> None:
        name = str(loads(raw).get("name", ""))
        self._tell([s.id for s in self.sessions.values() if name in s.bindings], method, raw)

    def _chooser(self, method: str, raw: msgspec.Raw) -> None:
        self._tell([s for s in self.sessions if self.wishes.wants(s, _CHOOSERS)], method, raw)

    def _picture(self, method: str, raw: msgspec.Raw) -> None:
        self._tell(self.pictures.watchers(), method, raw)

    def _stopped(self, method: str, raw: msgspec.Raw) -> None:
        # A copy is kept until it is decided; the frame goes.
        self._carry_out(self.fetching.stopped(method, msgspec.Raw(bytes(raw))))

    def _download(self, method: str, raw: msgspec.Raw) -> None:
        self._tell(self.domains.hears("Page"), method, raw)
        self.core.downloads.heard(self, method, raw)

    def _came(self, method: str, raw: msgspec.Raw) -> None:
        self.core.children.came(self, loads(raw))

    def _went(self, method: str, raw: msgspec.Raw) -> None:
        self.core.children.went(self, str(loads(raw).get("sessionId", "")))

    def _info(self, method: str, raw: msgspec.Raw) -> None:
        self.core.children.described(self, loads(raw).get("targetInfo") or {})

    def _navigated(self, method: str, raw: msgspec.Raw) -> None:
        frame = loads(raw).get("frame", {})
        if not self.child and not frame.get("parentId"):
            self.loader = str(frame.get("loaderId", ""))
            url = f"{frame.get('url', '')}{frame.get('urlFragment', '')}"
            self.core.tabs.navigated(self.tab, url)
        self._tell(self.domains.hears("Page"), method, raw)

    def _revived(self, method: str, raw: msgspec.Raw) -> None:
        self.crashed = False
        self._tell(self.sessions, method, raw)

    def _crashed(self, method: str, raw: msgspec.Raw) -> None:
        self.crashed = True
        self.core.fail_strand(self, CRASHED, but=WORKS_WHILE_CRASHED)
        self._tell(self.sessions, method, raw)

    # Sessions come and go.

    def join(self, session: Session) -> None:
        """A session is on it now."""
        session.strand = self
        self.sessions[session.id] = session

    def leave(self, session: Session) -> None:
        """A session ended: what it has set is taken back, what it was asked goes on."""
        del self.sessions[session.id]
        self.told.discard(session.id)
        self._carry_out(self.fetching.disable(session.id))
        take_back(self, session)
        if self.pictures.stops(session.id):
            self.core.tell_strand(self, "Page.stopScreencast", {})
        for method, params in self.wishes.leaves(session.id):
            self.core.tell_strand(self, method, params)
        for domain in self.domains.leaves(session.id):
            self.memory.forget(domain)
            self.core.tell_strand(self, f"{domain}.disable", {})
        if self.waiting and not self.told:
            self.run()

    def run(self) -> None:
        """Let it run: nobody prepares it any more."""
        self.waiting = False
        self.core.tell_strand(self, RUN, {})


Act = Callable[[Strand, Session, int, str, msgspec.Raw], None]

_ACTS: dict[str, Act] = {
    RUN: Strand._run,
    "Fetch.continueRequest": Strand._fetch_answer,
    "Fetch.continueResponse": Strand._fetch_answer,
    "Fetch.continueWithAuth": Strand._fetch_answer,
    "Fetch.disable": Strand._fetch_disable,
    "Fetch.enable": Strand._fetch_enable,
    "Fetch.failRequest": Strand._fetch_answer,
    "Fetch.fulfillRequest": Strand._fetch_answer,
    "Page.addScriptToEvaluateOnNewDocument": add_script,
    REMOVE_SCRIPT: remove_script,
    "Page.screencastFrameAck": Strand._picture_taken,
    "Page.startScreencast": Strand._cast,
    "Page.stopScreencast": Strand._stop_cast,
    "Runtime.addBinding": add_binding,
    "Runtime.removeBinding": remove_binding,
    "Target.setAutoAttach": Strand._auto_attach,
}

_EVENTS: dict[str, Callable[[Strand, str, msgspec.Raw], None]] = {
    "Fetch.authRequired": Strand._stopped,
    "Fetch.requestPaused": Strand._stopped,
    "Inspector.targetCrashed": Strand._crashed,
    "Inspector.targetReloadedAfterCrash": Strand._revived,
    "Page.downloadProgress": Strand._download,
    "Page.downloadWillBegin": Strand._download,
    "Page.fileChooserOpened": Strand._chooser,
    "Page.frameNavigated": Strand._navigated,
    "Page.lifecycleEvent": Strand._lifecycle,
    "Page.screencastFrame": Strand._picture,
    "Page.windowOpen": window_open,
    "Runtime.bindingCalled": Strand._binding_called,
    "Target.attachedToTarget": Strand._came,
    "Target.detachedFromTarget": Strand._went,
    "Target.targetInfoChanged": Strand._info,
}
