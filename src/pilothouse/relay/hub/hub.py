"""The hub: outside clients on a browser that is supervised at the same time.

Knows: which frame of the browser is whose, and what every client is told of targets. Must not
know: sockets or HTTP (a `Line` is all it has of a client), or where the browser came from (see
`Upstream`). Each client has a browser session of its own; frames of it bypass the router of the
connection and go, all but unread, to the client's line in the order the browser sent them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from pilothouse.cdp.message import decode_envelope, decode_object
from pilothouse.errors import ConnectionLost, PilothouseError
from pilothouse.relay import cdp_bytes as frames
from pilothouse.relay.cdp_bytes import Asked
from pilothouse.relay.hub.action_text import action_words, in_page, node_name
from pilothouse.relay.hub.auth_challenges import Passwords
from pilothouse.relay.hub.auto_attach import Attaching
from pilothouse.relay.hub.client import Act, Client, ClientSession
from pilothouse.relay.hub.client_tasks import Errands
from pilothouse.relay.hub.commands.browser import ROOT_COMMANDS
from pilothouse.relay.hub.commands.page import PAGE_COMMANDS
from pilothouse.relay.hub.commands.tab import TAB_COMMANDS
from pilothouse.relay.hub.conflicts import Leases
from pilothouse.relay.hub.dialog_attribution import Causes
from pilothouse.relay.hub.dialogs import Dialogs
from pilothouse.relay.hub.discovery import Discovery
from pilothouse.relay.hub.downloads import DOWNLOAD_EVENTS, Downloads
from pilothouse.relay.hub.resume_barrier import Waiting
from pilothouse.relay.hub.targets import Targets
from pilothouse.relay.hub.upstream import Upstream
from pilothouse.relay.hub.watchdog import Watchdog
from pilothouse.relay.interfaces import ClientSpec, Guest, Line, Refused
from pilothouse.supervisor.model import OwnerSet, Tab
from pilothouse.tasks import Tasks

__all__ = ["Hub", "Upstream"]

_log = logging.getLogger(__name__)

JOINS_WITHIN_S = 30.0
# A script is told as an act of its own only so long after the last act.
SCRIPTS_AFTER_S = 2.0

Then = Callable[[dict[str, Any], str], None]
# A command of a client that waits: whose, its own id, and its session.
Forwarded = tuple[Client, int, ClientSession]


class Hub:
    """All clients of one browser. `join` lets one in; `close` sends all away."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.connection = upstream.connection
        self.supervisor = upstream.supervisor
        self.targets = Targets()
        self.leases = Leases()
        self.waiting = Waiting()
        self.tasks = Tasks()
        self.pending: dict[int, Forwarded | Then] = {}
        self.sessions: dict[bytes, ClientSession] = {}
        self.discovery = Discovery(self)
        self.attaching = Attaching(self)
        self.causes = Causes()
        self.dialogs = Dialogs(self)
        self.passwords = Passwords(self)
        self.errands = Errands(self)
        self.downloads = Downloads(self)
        self.watchdog = Watchdog(self)
        # Tabs that came while some were being opened: nobody knows yet whose they are.
        self.unsettled: set[str] = set()
        self._clients: list[Client] = []
        self._running: dict[str, list[asyncio.Future[None]]] = {}
        # Our own browser session, by which targets are discovered.
        self.own = b""
        self._default = ""
        self._opening: asyncio.Task[None] | None = None
        self._browsers_expected = 0
        self._browsers: dict[str, str] = {}
        self._leave: list[Callable[[], None]] = []
        self._bridge = upstream.supervisor.setup.host.encode()

    # Life.

    async def join(self, spec: ClientSpec, line: Line) -> Guest | Refused:
        """Let a client in. Its frames may come as soon as this returns."""
        try:
            async with asyncio.timeout(JOINS_WITHIN_S):
                await self._open()
                owner = spec.owner or f"client-{spec.id}"
                context = await self.upstream.context(owner)
                session, target = await self._browser_session()
                jar = await self.upstream.jar(owner)
        except (PilothouseError, TimeoutError) as error:
            return Refused(503, f"the browser does not take the client: {error}")
        client = Client(self, spec, line, owner, context, session, target)
        client.jar = jar
        self.sessions[session] = client.root
        self._clients.append(client)
        self.watchdog.start()
        return client

    def clients(self) -> list[Client]:
        """Who is here."""
        return list(self._clients)

    def conflicts(self) -> list[str]:
        """Where clients got into each other's way, the newest last."""
        return self.leases.conflicts()

    async def close(self) -> None:
        """Send all clients away and let go of the browser."""
        for client in list(self._clients):
            client.line.close(1001, "the relay is closing")
            client.on_gone("the relay is closing")
        if self.own:
            self._detach(self.own)
        for leave in self._leave:
            leave()
        self._leave.clear()
        self.own = b""
        await self.tasks.close()
        if self.connection.diversion is self:
            self.connection.diversion = None

    def leave(self, client: Client) -> None:
        """A client is gone: its sessions end, what it held goes on."""
        self._clients.remove(client)
        if not self._clients:
            self.watchdog.stop()
        self.attaching.left(client)
        self.dialogs.left(client)
        self.leases.left(client.label)
        for session in list(client.sessions.values()):
            self.sessions.pop(session.id, None)
            self.ran(session.target)
        client.sessions = {"": client.root}
        for number in [n for n, w in self.pending.items() if type(w) is tuple and w[0] is client]:
            del self.pending[number]
        self.waiting.left(client)
        self.settle()
        self._restore_downloads(client)
        self.downloads.left(client)
        self._detach(client.root.id)
        used = frozenset(client.used | client.opened)
        self.upstream.left(client.owner, client.spec.id, used)

    def _restore_downloads(self, client: Client) -> None:
        """Where a client had downloads put, they go to the daemon's own folder again."""
        folder = self.supervisor.options.downloads
        params: dict[str, Any] = {"behavior": "default"}
        if folder:
            params = {"behavior": "allowAndName", "downloadPath": folder, "eventsEnabled": True}
        stale = client.downloads - client.contexts if folder or not self.upstream.lent else ()
        for context in stale:
            jar = {"browserContextId": context} if context else {}
            self.ask("Browser.setDownloadBehavior", {**params, **jar}, b"", _unheard)

    async def _open(self) -> None:
        """Our own ears in the browser, once per wire."""
        if self._opening is None or (self._opening.done() and not self.own):
            self._opening = self.tasks.start(self._listen(), "listen to a browser")
        await asyncio.shield(self._opening)

    async def _listen(self) -> None:
        self.connection.diversion = self
        if not self._leave:
            self._leave = [
                self.supervisor.observe(self.attaching.observe),
                self.supervisor.observe(self.dialogs.observe),
                self.supervisor.observe(lambda event, state, effects: self.settle()),
                self.supervisor.turnstile.keep(self.attaching.keeps),
                self.connection.tap(self.passwords.heard),
            ]
            self.supervisor.fences.visited = self._visited
        self.own, _ = await self._browser_session()
        try:
            listed = await self.answer("Target.getBrowserContexts", {}, self.own)
            self._default = str(listed.get("defaultBrowserContextId", ""))
            everything = {"discover": True, "filter": [{}]}
            await self.answer("Target.setDiscoverTargets", everything, self.own)
        except PilothouseError:
            self.own = b""  # the next client tries again
            raise

    def _visited(self, tab: Tab) -> bool:
        """Whether a client has a session on a tab."""
        return any(client.on_target(tab.target_id) for client in self._clients)

    async def _browser_session(self) -> tuple[bytes, str]:
        """A session with the browser itself, and its target: each has one of its own."""
        self._browsers_expected += 1
        try:
            made = await self.answer("Target.attachToBrowserTarget", {})
        finally:
            self._browsers_expected -= 1
        session = str(made["sessionId"])
        return session.encode(), self._browsers.pop(session, "")

    def _detach(self, session: bytes) -> None:
        if session:
            self.ask("Target.detachFromTarget", {"sessionId": session.decode()}, b"", _unheard)

    # Commands of our own.

    def ask(self, method: str, params: Mapping[str, Any], session: bytes, then: Then) -> None:
        """Send a command; `then` gets the result and, when it failed, the words. It is called from
        the reader, in the order of the browser's messages."""
        number = self.connection.reserve_id()
        self.pending[number] = then
        try:
            self.connection.write(frames.command(number, method, params, session))
        except ConnectionLost as lost:
            if self.pending.pop(number, None) is not None:
                then({}, lost.message)

    async def answer(
        self, method: str, params: Mapping[str, Any], session: bytes = b""
    ) -> dict[str, Any]:
        """The same, waited for. Raises ConnectionLost when it fails."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        def then(result: dict[str, Any], words: str) -> None:
            if future.done():
                return
            if words:
                future.set_exception(ConnectionLost(f"{method}: {words}"))
            else:
                future.set_result(result)

        self.ask(method, params, session, then)
        return await future

    # The diversion: what the browser says to us or to a client.

    def takes(self, frame: bytes) -> bool:
        """See `Diversion`."""
        try:
            return self._takes(frame)
        except Exception:  # noqa: BLE001 - what breaks over one message must not break the wire
            what = frames.method_of(frame).decode() or "a reply"
            _log.exception("a message could not be relayed: %s", what)
            return True

    def _takes(self, frame: bytes) -> bool:
        number, end = frames.reply_id(frame)
        if number >= 0:
            waiting = self.pending.pop(number, None)
            if waiting is None:
                return False
            if type(waiting) is tuple:
                client, own, session = waiting
                frame = frames.with_id(frame, end, own)
                if not session.shown:
                    frame = frames.cut_session(frame)
                elif session.lazy is not None:
                    frame = session.lazy.replied(own, frame)
                client.line.send(frame)
            else:
                self._settle(waiting, frame)  # type: ignore[arg-type]
            return True
        name = frames.session_of(frame)
        if not name:
            return self._takes_other(frame)
        session_found = self.sessions.get(name)
        if session_found is not None:
            self._event(session_found, frame)
            return True
        if name == self.own:
            self.discovery.heard(frames.method_of(frame).decode(), frames.params_of(frame))
            return True
        return self.attaching.takes(name, frame)

    def _event(self, session: ClientSession, frame: bytes) -> None:
        if frame.startswith(b'{"method":"Target.'):
            if session.lazy is None or not session.lazy.holds(frame):
                self.attaching.told(session, frames.method_of(frame), frame)
        elif frame.startswith(b'{"method":"Page.javascriptDialog'):
            return  # dialogs are the supervisor's: a client hears of them by `Dialogs`
        elif frame.startswith(_BRIDGED) and self._bridge in frame:
            self.dialogs.bridged(session, frame)
        elif frame.startswith(_PARSED) and b'"url":"__pilothouse' in frame:
            return  # the supervisor's own scripts
        elif session.lazy is not None:
            session.lazy.heard(frame)
        elif session.kind == "browser" and frame.startswith(DOWNLOAD_EVENTS):
            self._tell_download(session, frame)
        elif session.shown:
            session.client.line.send(frame)
        else:
            session.client.line.send(frames.cut_session(frame))

    def _tell_download(self, session: ClientSession, frame: bytes) -> None:
        told = self.downloads.heard(session, frame)
        if told is not None:
            session.client.line.send(told if session.shown else frames.cut_session(told))

    def _takes_other(self, frame: bytes) -> bool:
        """Messages without a session at their end: the browser's own, or laid out otherwise."""
        if frame.startswith(b'{"method":"') and b'"sessionId":"' not in frame[:240]:
            return False
        usual = frames.canonical(frame)
        if usual and usual != frame:
            number, _ = frames.reply_id(usual)
            if number >= 0 or frames.session_of(usual):
                return self.takes(usual)
        if self._browsers_expected and frames.method_of(usual) == b"Target.attachedToTarget":
            params = frames.params_of(usual)
            if params["targetInfo"]["type"] == "browser":
                self._browsers[params["sessionId"]] = params["targetInfo"]["targetId"]
                return True
        return False

    def _settle(self, then: Then, frame: bytes) -> None:
        envelope = decode_envelope(frame)
        if envelope is None or envelope.error is not None:
            words = envelope.error.message if envelope and envelope.error else "no answer"
            then({}, words or "it failed")
        else:
            then(decode_object(envelope.result) or {}, "")

    def waits(self) -> bool:
        """See `Diversion`."""
        return bool(self.pending)

    def dropped(self, reason: str) -> None:
        """See `Diversion`: whoever waits is told, and every client hung up."""
        pending, self.pending = self.pending, {}
        self.sessions.clear()
        self.own = b""
        self.targets = Targets()
        self.unsettled.clear()
        words = f"the connection to the browser was lost: {reason}"
        for waiting in pending.values():
            if type(waiting) is tuple:
                client, own, session = waiting
                client.line.send(frames.error(own, frames.SERVER_ERROR, words, session.shown))
            else:
                waiting({}, words)  # type: ignore[operator]
        for client in list(self._clients):
            for session in client.sessions.values():
                if session.parent is not None and session.parent.kind == "browser":
                    told = {"sessionId": session.shown, "targetId": session.target}
                    client.tell(session.parent, "Target.detachedFromTarget", told)
            client.line.close(1001, "the browser is gone")

    # What clients ask of us.

    def acts(self, kind: str) -> Mapping[str, Act]:
        """What a session of this kind takes: all of it."""
        match kind:
            case "browser":
                return ROOT_COMMANDS
            case "tab":
                return TAB_COMMANDS
        return PAGE_COMMANDS

    def unknown(self, client: Client, session: ClientSession, asked: Asked) -> None:
        """A command that is in no table does not exist for a client."""
        client.line.send(frames.not_found(asked.id, asked.method, session.shown))

    def forget_pending(self, session: ClientSession) -> None:
        """A session is gone: Chrome answers nothing that was asked on it."""
        for number, waiting in list(self.pending.items()):
            if type(waiting) is tuple and waiting[2] is session:
                del self.pending[number]

    def opened(self, client: Client, target: str) -> None:
        """A client opened a tab: it is its owner's."""
        if self.upstream.opened is not None:
            self.upstream.opened(client.owner, target)
        else:
            self.supervisor.feed(OwnerSet(self.supervisor.now(), target, client.owner))

    def tab_came(self, target: str) -> None:
        """A tab is new: it is told to nobody while it may be one that somebody else opens."""
        if self.upstream.lent and self._is_opening():
            self.unsettled.add(target)

    def settle(self) -> None:
        """Tell of new tabs, once it is known whose each of them is."""
        if not self.unsettled or self._is_opening():
            return
        came, self.unsettled = self.unsettled, set()
        for info in [info for target in came if (info := self.targets.get(target)) is not None]:
            for client in self.clients():
                self.discovery.consider(client, info)

    def _is_opening(self) -> bool:
        return self.supervisor.opening > 0 or any(client.creating for client in self._clients)

    def acted(self, session: ClientSession, asked: Asked) -> None:
        """A client does something to a page."""
        now = self.supervisor.now()
        params = session.client.params(asked)
        words = action_words(asked.method, params)
        said = in_page(words or "moved the mouse", self._title(session))
        self.leases.acted(session.target, session.client.label, said, now)
        self.causes.began(session, asked.id, now, acts=True)
        if words:
            self._did(session, words, now)
        if words == "clicked" and self.upstream.lent and session.id:
            self._name_clicked(session, params, now)

    def looked(self, session: ClientSession, asked: Asked) -> None:
        """A client looks at a page, or runs a script in it."""
        self._did(session, action_words(asked.method, {}), self.supervisor.now())

    def _did(self, session: ClientSession, words: str, now: float) -> None:
        client = session.client
        client.touched.add(session.target)
        # What a click set off is told as the click: clients run scripts all the time.
        if words != "ran a script" or now - client.did_at > SCRIPTS_AFTER_S:
            client.did, client.did_at = in_page(words, self._title(session)), now

    def _title(self, session: ClientSession) -> str:
        info = self.targets.get(session.target)
        return str(info.get("title", "")) if info is not None else ""

    def _name_clicked(self, session: ClientSession, params: Mapping[str, Any], now: float) -> None:
        """Find out what is clicked, for the person who watches: asked before the click is sent."""
        client = session.client

        def found(node: dict[str, Any], words: str) -> None:
            if not words and node.get("backendNodeId"):
                asked = {"backendNodeId": node["backendNodeId"], "depth": 3}
                client.ask(session, "DOM.describeNode", asked, described)

        def described(told: dict[str, Any], words: str) -> None:
            name = node_name(told.get("node") or {})
            if not words and name and client.did_at == now:
                client.did = in_page(f"clicked {name}", self._title(session))

        point = {key: round(float(params.get(key) or 0)) for key in ("x", "y")}
        client.ask(session, "DOM.getNodeForLocation", point, found)

    def is_pending(self, client: Client, number: int) -> bool:
        """Whether a command of a client has no answer yet."""
        waiting = (w for w in self.pending.values() if type(w) is tuple)
        return any(w[0] is client and w[1] == number for w in waiting)

    def is_alone(self, client: Client) -> bool:
        """Whether no tab of this browser is another's; a blank one that nobody has is no one's."""
        tabs = self.supervisor.state.tabs.values()
        others = [tab for tab in tabs if tab.owner or tab.url != "about:blank"]
        return all(client.sees_target(tab.target_id) for tab in others)

    def default_context(self) -> str:
        """The browser's own cookie jar, as its targets name it; empty while nobody knows."""
        return self._default

    def ran(self, target: str) -> None:
        """A client let a target run."""
        for running in self._running.pop(target, ()):
            if not running.done():
                running.set_result(None)

    async def running(self, client: Client, target: str) -> None:
        """Wait until a client has let a target of its run."""
        while any(session.waits for session in client.on_target(target)):
            running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._running.setdefault(target, []).append(running)
            await running

    def page_of(self, info: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The page that a frame of another process is in."""
        if info.get("type") != "iframe":
            return None
        state = self.supervisor.state
        frame = state.frames.get(str(info.get("targetId", "")))
        tab = state.tabs.get(frame.tab) if frame is not None else None
        return self.targets.get(tab.target_id) if tab is not None else None


_PARSED = b'{"method":"Debugger.scriptParsed"'
_BRIDGED = (b'{"method":"Network.', b'{"method":"Fetch.')


def _unheard(result: dict[str, Any], words: str) -> None:
    """An answer that nobody waits for."""
