"""The user's Chrome, presented as one browser with many flat sessions. Pure.

Knows: sessions, what is on its way to the extension, and who gets which answer. Must not know:
sockets, clocks, loops; `Port` is all it has of the world. Commands and the extension's messages
go in one by one; frames come out in the order in which things happened.

    frame of a client -> command() -> Root | Strand -> ask() -> extension
    extension -> heard() -> Tabs | Attachments | Strand -> frames for sessions
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

import msgspec

from pilothouse.cdp.message import ErrorBody, decode_envelope
from pilothouse.relay.extension_browser.attachment import Attachments, Times
from pilothouse.relay.extension_browser.child_targets import Children
from pilothouse.relay.extension_browser.client_session import Session, new_id
from pilothouse.relay.extension_browser.cookies import COOKIES, of_a_tab
from pilothouse.relay.extension_browser.debuggee import Strand
from pilothouse.relay.extension_browser.downloads import Downloads
from pilothouse.relay.extension_browser.errors import EVALUATES, Refused
from pilothouse.relay.extension_browser.popups import ACTS, Popups
from pilothouse.relay.extension_browser.reconnect import Returning
from pilothouse.relay.extension_browser.requests import Asked, Then
from pilothouse.relay.extension_browser.restrictions import guard, judge, table
from pilothouse.relay.extension_browser.root_commands import Root
from pilothouse.relay.extension_browser.state_restore import Restoring
from pilothouse.relay.extension_browser.targets import Tabs, Targets
from pilothouse.relay.extension_browser.types import (
    EMPTY,
    NO_SESSION,
    SESSION_ENDS,
    TARGET_GONE,
    Autostart,
    Inbound,
    OneTab,
    SettingsNews,
    Tab,
    TabNews,
    Told,
    UserNews,
    Wrong,
    encode,
    error_frame,
    event_frame,
    loads,
    result_frame,
)
from pilothouse.relay.extension_browser.user_stops import UserState
from pilothouse.relay.interfaces import Hello

__all__ = ["Core", "Port"]

_inbound = msgspec.json.Decoder(Inbound)
_told = msgspec.json.Decoder(Told)


class Port(Protocol):
    """What the core may do to the world."""

    def emit(self, frame: bytes) -> None:
        """Hand a frame to the clients."""

    def send(self, frame: bytes) -> None:
        """Hand a frame to the extension."""

    def after(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Call back later; the same key again replaces it."""

    def cancel(self, key: str) -> None:
        """Do not call back."""

    def lost(self, reason: str) -> None:
        """The browser is gone for good."""

    def taken(self, target: str, state: UserState) -> None:
        """The user took a tab that somebody used."""

    def autostart(self, on: bool) -> None:
        """The user wants the relay to start at login, or not any more."""


class Core:
    """See the module."""

    def __init__(self, port: Port, hello: Hello, context: str, times: Times) -> None:
        self.port = port
        self.hello = hello
        self.settings: dict[str, Any] = dict(hello.settings)
        self.context = context
        self.browser_target = new_id()
        self.root_session = Session("")
        self.sessions: dict[str, Session] = {"": self.root_session}
        # Every attached tab by its number, every child by Chrome's session id.
        self.strands: dict[int | str, Strand] = {}
        # Real ids of main frames, and what they are called here; mostly there are none.
        self.frame_names: dict[bytes, bytes] = {}
        self.targets = Targets(self)
        self.tabs = Tabs(self)
        self.popups = Popups(self)
        self.children = Children(self)
        self.restoring = Restoring(self)
        self.refused = Refused(self)
        self.attachments = Attachments(self, times)
        self.returning = Returning(self)
        self.downloads = Downloads(self)
        self.root = Root(self)
        self.asks: dict[int, Asked] = {}
        self._last = 0

    # What clients send.

    def command(self, frame: bytes) -> None:
        """One command of a client."""
        try:
            told = _inbound.decode(frame)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return  # the connection spells its own frames; anything else has no id to answer to
        session = self.sessions.get(told.sessionId)
        params = told.params if bytes(told.params) != b"null" else EMPTY
        if self.settings.get("readOnly") and told.method in EVALUATES:
            guarded = guard(self.settings, told.method, loads(params))
            if guarded is not None:
                params = msgspec.Raw(encode(guarded))
                self.refused.guards(told.sessionId, told.id)
        if session is None:
            self.emit(error_frame(told.id, NO_SESSION, ""))
        elif session.strand is None or (
            told.method.startswith(("Target.", "Browser.")) and told.method != _AUTO
        ):
            self.root.command(session, told.id, told.method, params)
        elif (wrong := self.refusal(told.method, params, session.strand.tab)) is not None:
            self.refused.tell(session, told.id, told.method, wrong)
        elif told.method in COOKIES:
            of_a_tab(self, session.strand, session, told.id, told.method, loads(params))
        else:
            if told.method in ACTS:
                self.popups.acted(session.strand.tab)
            session.strand.command(session, told.id, told.method, params)

    def refusal(self, method: str, params: msgspec.Raw, tab: Tab | None) -> Wrong | None:
        """Why the user does not allow a command, or None."""
        settings = self.settings
        if not (any(map(settings.get, _LIMITS)) or method in table().always):
            return None
        return judge(settings, method, loads(params), tab)

    def emit(self, frame: bytes) -> None:
        """Hand a frame to the clients."""
        self.port.emit(frame)

    def reply(self, session: str, number: int, result: bytes | msgspec.Raw) -> None:
        """Answer a command."""
        self.port.emit(result_frame(number, result, session))

    def fail(self, session: str, number: int, wrong: Wrong) -> None:
        """Answer a command that failed; that its session has ended is told by an event."""
        if wrong is not SESSION_ENDS:
            self.port.emit(error_frame(number, wrong, session))

    def settle(
        self, session: str, number: int, result: msgspec.Raw | None, wrong: Wrong | None
    ) -> None:
        """Answer a command as the extension did."""
        if wrong is not None:
            self.fail(session, number, wrong)
        else:
            self.reply(session, number, result if result is not None else EMPTY)

    # What the extension is asked.

    def ask(self, method: str, params: Mapping[str, Any], then: Then) -> None:
        """Ask the extension itself."""
        self._send_or_hold(Asked(method, encode(params), then, None, None))

    def ask_strand(
        self,
        strand: Strand,
        method: str,
        params: bytes | msgspec.Raw,
        then: Then,
        session: Session | None = None,
    ) -> None:
        """Ask the debugger of a tab or of one of its children."""
        self._send_or_hold(Asked(method, params, then, strand, session))

    def tell_strand(self, strand: Strand, method: str, params: Mapping[str, Any]) -> None:
        """The same where no answer matters."""
        if self.strands.get(strand.child or strand.tab.tab_id) is strand:
            self.ask_strand(strand, method, encode(params), _unheard)

    def forward(
        self, strand: Strand, session: Session, number: int, method: str, raw: msgspec.Raw
    ) -> None:
        """Pass a command on as it is; the answer goes to who sent it."""

        def settled(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
            if wrong is None:
                self.settle(session.id, number, self.refused.worded(session, number, result), None)
            elif wrong.message.startswith(_DYING):
                # Most often the session ends with what it is on, and is answered nothing.
                self.port.after(f"{session.id} {number}", DIES_WITHIN_S, lambda: failed(wrong))
            else:
                failed(wrong)

        def failed(wrong: Wrong) -> None:
            if self.sessions.get(session.id) is session:
                self.refused.tell(session, number, method, wrong)

        self._send_or_hold(Asked(method, raw, settled, strand, session))

    def _send_or_hold(self, asked: Asked) -> None:
        held = self.attachments.held_for(asked.strand)
        if held is not None:
            held.append(asked)
            self.attachments.wake(asked.strand)
        else:
            self.send_now(asked)

    def send_now(self, asked: Asked) -> None:
        """Send what may not wait for anything."""
        self._last += 1
        self.asks[self._last] = asked
        self.port.send(asked.frame(self._last))

    def fail_strand(
        self, strand: Strand, wrong: Wrong = TARGET_GONE, but: Collection[str] = ()
    ) -> None:
        """Whatever waits for a strand has waited in vain."""
        for asked in [*self.asks.values(), *self.attachments.all_held()]:
            if asked.strand is strand and asked.method not in but:
                asked.settle(None, wrong)

    # What the extension says.

    def heard(self, frame: bytes) -> None:
        """One message of the extension. Raises whatever its nonsense leads to."""
        for real, shown in self.frame_names.items():
            frame = frame.replace(real, shown)
        envelope = decode_envelope(frame)
        if envelope is None:
            # Even an answer that cannot be read is the answer.
            self._answered(_number_of(frame), None, _MALFORMED)
        elif envelope.id is not None:
            error = envelope.error
            wrong = _wrong(error) if error else None
            self._answered(envelope.id, None if error else envelope.result, wrong)
        elif envelope.method == "cdpEvent":
            self._said(envelope.params)
        elif envelope.method is not None:
            heard = _HEARD.get(envelope.method)
            if heard is not None:
                decoder, act = heard
                act(self, decoder.decode(envelope.params))

    def _answered(self, number: Any, result: msgspec.Raw | None, wrong: Wrong | None) -> None:
        asked = self.asks.pop(number, None) if isinstance(number, int) else None
        if asked is None:
            return
        try:
            asked.settle(result, wrong)
        except Exception:
            # Whoever asked is answered, whatever is wrong with the answer.
            if wrong is None:
                asked.then(None, _MALFORMED)
            raise

    def _said(self, raw: msgspec.Raw) -> None:
        told = _told.decode(raw)
        strand = self.strands.get(told.childSessionId or told.tabId)
        if strand is not None:
            strand.event(told.method, told.params)

    def _tab_created(self, told: OneTab) -> None:
        tab = self.tabs.created(Tab.read(told.tab))
        if not tab.target_id:
            self.attachments.list_again()

    def _tab_glimpsed(self, told: OneTab) -> None:
        self.popups.glimpsed(Tab.read(told.tab))

    def _tab_removed(self, told: TabNews) -> None:
        self.tabs.removed(told.tabId)

    def _tab_replaced(self, told: TabNews) -> None:
        self.tabs.renumbered(told.tabId, told.newTabId)
        self.attachments.list_again()

    def _tab_detached(self, told: TabNews) -> None:
        self.attachments.detached(told.tabId, told.reason)

    def _tab_updated(self, told: dict[str, Any]) -> None:
        self.tabs.updated(told)

    def _settings_changed(self, told: SettingsNews) -> None:
        before = {name for name in _LIMITS if self.settings.get(name)}
        self.settings.update(told.settings)
        if any(not self.settings.get(name) for name in before):
            self.refused.lifted()

    def _autostart(self, told: Autostart) -> None:
        self.port.autostart(told.on)

    def _user_acted(self, told: UserNews) -> None:
        self.attachments.user_acted(told.kind, told.tabId, told.state)

    # Sessions.

    def make(self, parent: str, strand: Strand | None) -> Session:
        """A new session; its parent is to be told."""
        session = Session(new_id(), parent)
        self.sessions[session.id] = session
        if strand is not None:
            before = self.in_use(strand.tab)
            strand.join(session)
            if not before and not strand.child:
                self.targets.changed(self.targets.page(strand.tab))
        return session

    def tell_attached(self, session: Session, waiting: bool = False) -> None:
        """Tell a parent of its new session."""
        strand = session.strand
        if strand is None:
            info: Mapping[str, Any] = self.targets.browser()
        else:
            info = strand.info if strand.child else self.targets.page(strand.tab)
        told = {"sessionId": session.id, "targetInfo": info, "waitingForDebugger": waiting}
        self.emit(event_frame("Target.attachedToTarget", encode(told), session.parent))

    def accompany(self, strand: Strand) -> None:
        """Whoever watches targets on the root supervises what others attach: it is given a session
        of its own first, which goes when the others are gone."""
        watched = self.root_session.discover is not None
        if watched and not any(s.parent == "" for s in strand.sessions.values()):
            made = self.make("", strand)
            made.companion = True
            self.tell_attached(made)

    def _accompanied(self, session: Session) -> bool:
        """Whether a session is there only because of others."""
        while not session.companion and session.parent in self.sessions and session.id:
            session = self.sessions[session.parent]
        return session.companion

    def _alone(self, tab: Tab) -> list[Session]:
        """The companions on a tab that have nobody left to accompany."""
        on_it = [s for s in self.sessions.values() if s.strand and s.strand.tab is tab]
        return [s for s in on_it if s.companion] if all(map(self._accompanied, on_it)) else []

    def below(self, session: Session) -> list[Session]:
        """The sessions that were announced on this one."""
        return [s for s in self.sessions.values() if s.parent == session.id and s.id]

    def end(self, session: Session, target: str = "", *, told: bool = True) -> None:
        """A session is no more, nor are those below it; its parent is told."""
        if self.sessions.pop(session.id, None) is None:
            return
        self.refused.ended(session.id)
        for child in self.below(session):
            self.end(child, told=False)
        strand = session.strand
        for asked in [*self.asks.values(), *self.attachments.all_held()]:
            if asked.session is session:
                asked.settle(None, SESSION_ENDS)
        if strand is not None:
            strand.flights.forsake(session)
        if told and session.parent in self.sessions:
            name = target or (strand.target_id if strand else self.browser_target)
            gone = encode({"sessionId": session.id, "targetId": name})
            self.emit(event_frame("Target.detachedFromTarget", gone, session.parent))
        if strand is not None:
            strand.leave(session)
            self.children.left(strand)
            for companion in self._alone(strand.tab):
                self.end(companion)
            if not self.in_use(strand.tab):
                self.attachments.unused(strand.tab)

    def in_use(self, tab: Tab) -> bool:
        """Whether any session is on a tab or below it."""
        own = self.strands.get(tab.tab_id)
        if own is None:
            return False
        if own.sessions:
            return True
        return any(s.child and s.tab is tab and s.sessions for s in self.strands.values())

    def appeared(self, tab: Tab) -> None:
        """A tab came: whoever attaches by itself gets it."""
        self.attachments.offer(tab)


_AUTO = "Target.setAutoAttach"
# What Chrome itself answers for a page that the debugger is being taken off.
_DYING = (
    "Debugger is not attached",
    "Detached while handling command",
    "No tab with given id",
    "No tab with id",
)
DIES_WITHIN_S = 1.0
_MALFORMED = Wrong(-32000, "the extension's answer is malformed")
# Settings by which commands are judged one by one.
_LIMITS = ("readOnly", "lockUrl", "paused")


def _wrong(error: ErrorBody) -> Wrong:
    data = msgspec.json.decode(error.data)
    return Wrong(error.code or -32000, error.message, data if isinstance(data, str) else "")


def _number_of(frame: bytes) -> Any:
    """The id of a message that is no proper one; None if it has none."""
    try:
        told = json.loads(frame)  # it takes what msgspec does not, as half a surrogate pair
    except (ValueError, RecursionError):
        return None
    return told.get("id") if isinstance(told, dict) else None


def _unheard(result: msgspec.Raw | None, wrong: Wrong | None) -> None:
    """Nobody waits for it."""


def _heard(kind: type[Any], act: Callable[[Core, Any], None]) -> tuple[Any, Any]:
    return msgspec.json.Decoder(kind), act


_HEARD: dict[str, tuple[msgspec.json.Decoder[Any], Callable[[Core, Any], None]]] = {
    "autostart": _heard(Autostart, Core._autostart),
    "settingsChanged": _heard(SettingsNews, Core._settings_changed),
    "tabCreated": _heard(OneTab, Core._tab_created),
    "tabDetached": _heard(TabNews, Core._tab_detached),
    "tabGlimpsed": _heard(OneTab, Core._tab_glimpsed),
    "tabRemoved": _heard(TabNews, Core._tab_removed),
    "tabReplaced": _heard(TabNews, Core._tab_replaced),
    "tabUpdated": _heard(dict, Core._tab_updated),
    "userAction": _heard(UserNews, Core._user_acted),
}
