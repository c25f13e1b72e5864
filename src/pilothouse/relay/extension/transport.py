"""A Chrome that its user lends: the extension on one side, a CDP connection on the other.

Knows: the line to the extension, the clock, the heartbeat, and who dialled. Must not know: what
CDP means; `lent_core` decides everything. `Connection.open(lent.dial)` makes it a browser like
any other.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec.structs import replace

from pilothouse.cdp.transport import Receiver, Transport
from pilothouse.errors import ConnectionLost
from pilothouse.relay.extension_browser import (
    PAUSED,
    RETRY_S,
    AttachmentTimes,
    ExtensionBrowser,
    UserStop,
    context_id,
)
from pilothouse.relay.interfaces import HEARTBEAT_S, Hello, MessageHandler, MessageSocket
from pilothouse.supervisor.capabilities import CHROMIUM_FEATURES

__all__ = ["BASE_CAPABILITIES", "GRACE_S", "LINGER_S", "ExtensionTransport"]

_log = logging.getLogger(__name__)

# How long sessions outlive their extension.
GRACE_S = 20.0
# So many pings without any word in return, and the extension is given up.
MAX_MISSED_PINGS = 15
# How long the debugger stays on a tab that nobody uses, with the bar that Chrome shows for it.
LINGER_S = 3.0
LISTED_WITHIN_S = 10.0
# Messages that cannot be understood are dropped; a socket with so many of them is closed.
MAX_MALFORMED = 100
MALFORMED = 4012

# What is known of a Chrome behind an extension without trying it on a tab of the user's.
BASE_CAPABILITIES = replace(
    CHROMIUM_FEATURES,
    downloads=False,
    extensions=False,
    from_extension=True,
    note="the user's own Chrome, through the extension",
)


class ExtensionTransport:
    """One install of the extension. It may go and come again; who dialled keeps its sessions for
    the grace time."""

    def __init__(
        self,
        hello: Hello,
        *,
        grace_s: float = GRACE_S,
        linger_s: float = LINGER_S,
        heartbeat_s: float = HEARTBEAT_S,
        retry_s: tuple[float, ...] = RETRY_S,
    ) -> None:
        self.hello = hello
        # Called with words when the extension stayed away for longer than the grace time.
        self.on_closed: list[Callable[[str], object]] = []
        # Called with what the user wants of the next login.
        self.on_autostart: list[Callable[[bool], object]] = []
        # Called with a target and how the user took it, while somebody used it.
        self.on_user_stop: list[Callable[[str, UserStop], object]] = []
        self._grace_s = grace_s
        self._heartbeat_s = heartbeat_s
        self._times = AttachmentTimes(linger_s, retry_s)
        self._loop = asyncio.get_running_loop()
        self._socket: MessageSocket | None = None
        self._handler: _ExtensionHandler | None = None
        self._receiver: Receiver | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._commands: deque[bytes] = deque()
        self._busy = False
        self._unanswered_pings = 0
        self._malformed = 0
        self._listed = asyncio.Event()
        self._ended = ""
        self._browser = ExtensionBrowser(
            self, hello, context_id(hello.install, hello.profile), self._times
        )

    # For the relay.

    def accept(self, socket: MessageSocket, hello: Hello | None = None) -> MessageHandler:
        """The extension is here, for the first time or again. An older socket is hung up."""
        if hello is not None:
            self.hello = self._browser.hello = hello
            self._browser.settings = dict(hello.settings)
        old, self._socket = self._socket, socket
        handler = self._handler = _ExtensionHandler(self)
        self._ended = ""
        if old is not None:
            self._run(self._browser.reconnection.on_disconnected)
            old.close(1000, "the extension came again")
        self.cancel("grace")
        self._listed.clear()
        self._unanswered_pings = self._malformed = 0
        self.call_later("heartbeat", self._heartbeat_s, self._send_ping)
        # Whoever called us has yet to say welcome, and to hear who listens.
        self._loop.call_soon(self._list_tabs, handler)
        return handler

    def _list_tabs(self, handler: MessageHandler) -> None:
        if handler is self._handler:
            self._run(lambda: self._browser.reconnection.on_connected(self._listed.set))

    @property
    def connected(self) -> bool:
        """Whether the extension is here now."""
        return self._socket is not None

    def status(self) -> dict[str, Any]:
        """For a person: who it is, whether it is here, what it shares and what is attached."""
        browser = self._browser
        tabs = browser.tabs.by_id.values()
        state = "connected" if self.connected else "away"
        if browser.settings.get("paused") is True:
            state = PAUSED.name
        if browser.attachments.stopped_by is not None:
            state = browser.attachments.stopped_by.name
        return {
            "install": self.hello.install,
            "profile": self.hello.profile,
            "version": self.hello.version,
            "product": self.hello.product,
            "connected": self.connected,
            "state": state,
            "paused": browser.settings.get("paused") is True,
            "settings": dict(browser.settings),
            "tabs": len(tabs),
            "attached": [
                {"tabId": tab.tab_id, "targetId": tab.target_id, "url": tab.url, "title": tab.title}
                for tab in tabs
                if browser.attachments.is_attached(tab)
            ],
        }

    def shared_tabs(self) -> list[dict[str, str]]:
        """The tabs that the user shares: target, title, address, and who shares each of them."""
        browser = self._browser
        return [
            {"target": tab.target_id, "title": tab.title, "url": tab.url, "by": tab.by}
            for tab in browser.tabs.by_id.values()
            if tab.target_id and not tab.hidden
        ]

    def give_back(self, targets: Collection[str]) -> None:
        """Whoever used these tabs is gone: they are the user's alone. Tabs that nobody has attached
        to are the user's already."""
        self._run(lambda: self._browser.attachments.give_back(targets))

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Ask the extension for something of its own (`status`, `share`, `reload`); what it answers
        does not matter."""
        self._run(lambda: self._browser.send_request(method, params, lambda _, __: None))

    def close(self, reason: str = "the relay is closing") -> None:
        """Hang up, and let whoever dialled go."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close(1001, reason)
        self._end(reason)

    # For the connection.

    async def dial(self, receiver: Receiver) -> Transport:
        """A `Dial`: a wire in this process. Raises ConnectionLost while the extension is away."""
        if self._socket is None:
            raise ConnectionLost(
                f"the extension of {self._name()} is not connected",
                hint="open the browser it is installed in, and look at its popup",
            )
        if self._receiver is not None:
            raise ConnectionLost(f"the Chrome of {self._name()} is in use already")
        try:
            async with asyncio.timeout(LISTED_WITHIN_S):
                await self._listed.wait()
        except TimeoutError:
            raise ConnectionLost(
                f"the extension of {self._name()} does not list its tabs"
            ) from None
        self._receiver = receiver
        return _ClientTransport(self)

    def _name(self) -> str:
        return self.hello.profile or self.hello.install

    # The port of the browser.

    def emit(self, frame: bytes) -> None:
        """Hand a frame to who dialled."""
        if self._receiver is not None:
            self._receiver.on_message(frame)

    def send(self, frame: bytes) -> None:
        """Hand a frame to the extension."""
        if self._socket is not None:
            self._socket.send(frame)

    def call_later(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Call back later; the same key again replaces it."""
        self.cancel(key)
        self._timers[key] = self._loop.call_later(seconds, self._fire_timer, key, then)

    def cancel(self, key: str) -> None:
        """Do not call back."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def report_user_stop(self, target: str, state: UserStop) -> None:
        """The user took a tab that somebody used."""
        for callback in list(self.on_user_stop):
            callback(target, state)

    def set_autostart(self, on: bool) -> None:
        """The user wants the relay to start at login, or not any more."""
        for callback in list(self.on_autostart):
            callback(on)

    def user_stop_of(self, target: str) -> UserStop | None:
        """How the user ended what was done in a tab; None if the user did not."""
        return self._browser.attachments.user_stops.get(target)

    def lost(self, reason: str) -> None:
        """The browser is gone for good: everybody hears that their sessions ended."""
        self._end(reason)

    def _fire_timer(self, key: str, then: Callable[[], None]) -> None:
        self._timers.pop(key, None)
        self._run(then)

    def _run(self, act: Callable[[], object]) -> None:
        """One thing at a time: what clients send while they are told something waits until all
        have been told."""
        if self._busy:
            self._loop.call_soon(self._run, act)
            return
        self._busy = True
        try:
            act()
            while self._commands:
                self._browser.handle_client_message(self._commands.popleft())
        finally:
            self._busy = False

    def handle_client_message(self, frame: bytes) -> None:
        """A frame of who dialled."""
        self._commands.append(frame)
        if not self._busy:
            self._run(lambda: None)

    def disconnect_client(self) -> None:
        """Who dialled goes: its sessions end, and the debugger goes off its tabs."""
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            self._commands.clear()
            self._run(self._end_client_sessions)
            receiver.on_lost("hung up")

    def _end_client_sessions(self) -> None:
        browser = self._browser
        for session in browser.sessions_below(browser.root_session):
            browser.end_session(session, told=False)
        browser.root_session.auto_attach = browser.root_session.discover = None

    # The socket.

    def on_extension_message(self, handler: MessageHandler, frame: bytes) -> None:
        """A frame of the extension."""
        if handler is self._handler:
            self._unanswered_pings = 0
            self._run(lambda: self._handle_extension_message(handler, frame))

    def _handle_extension_message(self, handler: MessageHandler, frame: bytes) -> None:
        """Take one message. Whatever is wrong with it, the next one is heard."""
        try:
            self._browser.handle_extension_message(frame)
        except Exception as error:  # noqa: BLE001 - a message that breaks us must not end the line
            self._malformed += 1
            what = f"{type(error).__name__}: {error}"[:200]
            _log.warning("a message of the extension of %s is malformed: %s", self._name(), what)
            socket = self._socket
            if self._malformed >= MAX_MALFORMED and handler is self._handler and socket is not None:
                socket.close(MALFORMED, f"{self._malformed} messages were malformed")
                self.on_extension_gone(handler, "it sent too many malformed messages")

    def on_extension_gone(self, handler: MessageHandler, reason: str) -> None:
        """The socket went down: the grace time begins."""
        if handler is not self._handler:
            return
        self._handler, self._socket = None, None
        self.cancel("heartbeat")
        self._listed.clear()
        if self._ended:
            return
        _log.info("the extension of %s went away: %s", self._name(), reason)
        self._run(self._browser.reconnection.on_disconnected)
        self.call_later(
            "grace", self._grace_s, lambda: self._end(f"the extension went away: {reason}")
        )

    def _send_ping(self) -> None:
        socket, handler = self._socket, self._handler
        if socket is None or handler is None:
            return
        if self._unanswered_pings >= MAX_MISSED_PINGS:
            socket.close(1001, "it does not answer")
            self.on_extension_gone(handler, "it does not answer")
            return
        self._unanswered_pings += 1
        socket.send(b'{"method":"ping","params":{}}')
        self.call_later("heartbeat", self._heartbeat_s, self._send_ping)

    def _end(self, reason: str) -> None:
        if self._ended:
            return
        self._ended = reason
        self._commands.clear()
        for key in list(self._timers):
            self.cancel(key)
        browser = self._browser
        for session in browser.sessions_below(browser.root_session):
            browser.end_session(session)
        receiver, self._receiver = self._receiver, None
        self._handler = None
        self._browser = ExtensionBrowser(self, self.hello, browser.context, self._times)
        # Its clients have ended: what they used is the user's when the extension comes back.
        self._browser.attachments.tabs_to_give_back |= (
            browser.attachments.used_tabs | browser.attachments.tabs_to_give_back
        )
        if receiver is not None:
            receiver.on_lost(reason)
        for callback in list(self.on_closed):
            callback(reason)


class _ExtensionHandler:
    """The ears of one line; those of an older one are deaf."""

    def __init__(self, transport: ExtensionTransport) -> None:
        self._transport = transport

    def on_message(self, frame: bytes) -> None:
        self._transport.on_extension_message(self, frame)

    def on_disconnect(self, reason: str) -> None:
        self._transport.on_extension_gone(self, reason)


class _ClientTransport:
    """The transport that a connection gets."""

    def __init__(self, transport: ExtensionTransport) -> None:
        self._transport = transport

    def write(self, frame: bytes) -> None:
        self._transport.handle_client_message(frame)

    def unsent(self) -> int:
        socket = self._transport._socket
        return socket.unsent() if socket is not None else 0

    def close(self) -> None:
        self._transport.disconnect_client()
