"""One connected extension: its socket on one side, a CDP connection on the other.

Knows: the socket to the extension, the clock, the heartbeat, and the CDP connection. Must not know:
what CDP means; `extension_browser` decides everything. `Connection.open(transport.dial)` makes the
user's Chrome a browser like any other.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from pilothouse.cdp.message import Envelope, RawCommand
from pilothouse.cdp.transport import InProcessTransport, Receiver
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

# Sessions survive a disconnected extension for this long.
GRACE_S = 20.0
# Give an extension up after this many pings without any message in return.
MAX_MISSED_PINGS = 15
# The debugger, and Chrome's debugging bar with it, stays on an unused tab for this long.
LINGER_S = 3.0
LISTED_WITHIN_S = 10.0
# Malformed messages are dropped. A socket with this many of them is closed.
MAX_MALFORMED = 100
MALFORMED = 4012

# What a Chrome behind an extension can do. Known, so no probing in the user's tabs is needed.
BASE_CAPABILITIES = replace(
    CHROMIUM_FEATURES,
    downloads=False,
    extensions=False,
    from_extension=True,
    note="the user's own Chrome, through the extension",
)


_decode_command = msgspec.json.Decoder(RawCommand).decode


class ExtensionTransport:
    """One install of the extension in one profile. When it disconnects, the CDP connection keeps
    its sessions for the grace time."""

    def __init__(
        self,
        hello: Hello,
        *,
        hides: Callable[[str], bool] = lambda url: False,
        grace_s: float = GRACE_S,
        linger_s: float = LINGER_S,
        heartbeat_s: float = HEARTBEAT_S,
        retry_s: tuple[float, ...] = RETRY_S,
    ) -> None:
        self.hello = hello
        self._hides = hides
        # Called with the reason when the extension stayed away longer than the grace time.
        self.on_closed: list[Callable[[str], object]] = []
        # Called when the user chooses whether the relay starts at login.
        self.on_autostart: list[Callable[[bool], object]] = []
        # Called with a target id when the user stops work in a tab that is in use.
        self.on_user_stop: list[Callable[[str, UserStop], object]] = []
        self._grace_s = grace_s
        self._heartbeat_s = heartbeat_s
        self._times = AttachmentTimes(linger_s, retry_s)
        self._loop = asyncio.get_running_loop()
        self._socket: MessageSocket | None = None
        self._handler: _ExtensionHandler | None = None
        self._receiver: Receiver | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._commands: deque[RawCommand] = deque()
        self._busy = False
        self._unanswered_pings = 0
        self._malformed = 0
        self._listed = asyncio.Event()
        self._ended = ""
        self._browser = ExtensionBrowser(
            self, hello, context_id(hello.install, hello.profile), self._times, hides
        )

    # Called by the relay.

    def accept(self, socket: MessageSocket, hello: Hello | None = None) -> MessageHandler:
        """Take the extension's socket, for the first time or again. Closes an older one."""
        if hello is not None:
            self.hello = self._browser.hello = hello
            self._browser.settings = dict(hello.settings)
        old, self._socket = self._socket, socket
        handler = self._handler = _ExtensionHandler(self)
        self._ended = ""
        if old is not None:
            self._run(self._browser.reconnection.on_disconnected)
            old.close(1000, "the extension connected again")
        self.cancel("grace")
        self._listed.clear()
        self._unanswered_pings = self._malformed = 0
        self.call_later("heartbeat", self._heartbeat_s, self._send_ping)
        # Later: our caller must first send the welcome and install the returned handler.
        self._loop.call_soon(self._list_tabs, handler)
        return handler

    def _list_tabs(self, handler: MessageHandler) -> None:
        if handler is self._handler:
            self._run(lambda: self._browser.reconnection.on_connected(self._listed.set))

    @property
    def connected(self) -> bool:
        """Whether the extension is connected now."""
        return self._socket is not None

    def status(self) -> dict[str, Any]:
        """Return who it is, whether it is connected, the user's settings, and the attached tabs."""
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
        """Return the tabs that the user shares: target, title, URL, and why each is shared."""
        browser = self._browser
        return [
            {"target": tab.target_id, "title": tab.title, "url": tab.url, "by": tab.by}
            for tab in browser.tabs.by_id.values()
            if tab.target_id and not tab.hidden
        ]

    def give_back(self, targets: Collection[str]) -> None:
        """Give tabs back to the user after their client has gone. Tabs without attachment are
        untouched."""
        self._run(lambda: self._browser.attachments.give_back(targets))

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send one of the extension's own requests (`status`, `share`, `reload`) and ignore the
        reply."""
        self._run(lambda: self._browser.send_request(method, params, lambda _, __: None))

    def close(self, reason: str = "the relay is closing") -> None:
        """Close the socket and end the CDP connection."""
        socket, self._socket = self._socket, None
        if socket is not None:
            socket.close(1001, reason)
        self._end(reason)

    # Called by the CDP connection.

    async def dial(self, receiver: Receiver) -> InProcessTransport:
        """Return a transport within this process (a `Dial`). Raises ConnectionLost while the
        extension is away."""
        if self._socket is None:
            raise ConnectionLost(
                f"the extension of {self._name()} is not connected",
                hint="open that Chrome and click the Pilothouse icon to see why",
            )
        if self._receiver is not None:
            raise ConnectionLost(
                f"the Chrome of {self._name()} already has a CDP connection; it takes one",
                hint="call again; if that fails too, run `pilothouse daemon logs`",
            )
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

    # BrowserIO: called by the extension browser.

    def emit(self, message: Envelope) -> None:
        """Send a message to the CDP connection, which is in this process: nothing is encoded."""
        if self._receiver is not None:
            self._receiver.on_envelope(message)

    def send(self, frame: bytes) -> None:
        """Send a message to the extension."""
        if self._socket is not None:
            self._socket.send(frame)

    def call_later(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Start a timer. Starting one with the same key replaces it."""
        self.cancel(key)
        self._timers[key] = self._loop.call_later(seconds, self._fire_timer, key, then)

    def cancel(self, key: str) -> None:
        """Stop a timer."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def report_user_stop(self, target: str, state: UserStop) -> None:
        """Report that the user stopped work in a tab that was in use."""
        for callback in list(self.on_user_stop):
            callback(target, state)

    def set_autostart(self, on: bool) -> None:
        """Report whether the user wants the relay to start at login."""
        for callback in list(self.on_autostart):
            callback(on)

    def user_stop_of(self, target: str) -> UserStop | None:
        """Return how the user stopped work in a tab; None if the user did not."""
        return self._browser.attachments.user_stops.get(target)

    def lost(self, reason: str) -> None:
        """End all sessions: the browser is gone for good."""
        self._end(reason)

    def _fire_timer(self, key: str, then: Callable[[], None]) -> None:
        self._timers.pop(key, None)
        self._run(then)

    def _run(self, act: Callable[[], object]) -> None:
        """Run one action at a time. Commands that arrive meanwhile wait until it is done, so that
        all clients have been told what it changed."""
        if self._busy:
            self._loop.call_soon(self._run, act)
            return
        self._busy = True
        try:
            act()
            while self._commands:
                self._browser.handle_command(self._commands.popleft())
        finally:
            self._busy = False

    def handle_command(self, command: RawCommand) -> None:
        """Take a command of the CDP connection."""
        self._commands.append(command)
        if not self._busy:
            self._run(lambda: None)

    def disconnect_client(self) -> None:
        """End the CDP connection's sessions and detach from its tabs."""
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            self._commands.clear()
            self._run(self._end_client_sessions)
            receiver.on_lost("closed")

    def _end_client_sessions(self) -> None:
        browser = self._browser
        for session in browser.sessions_below(browser.root_session):
            browser.end_session(session, announce=False)
        browser.root_session.auto_attach = browser.root_session.discover = None

    # The extension's socket.

    def on_extension_message(self, handler: MessageHandler, frame: bytes) -> None:
        """Take a message of the extension."""
        if handler is self._handler:
            self._unanswered_pings = 0
            self._run(lambda: self._handle_extension_message(handler, frame))

    def _handle_extension_message(self, handler: MessageHandler, frame: bytes) -> None:
        """Handle one message. A malformed one must not stop the next."""
        try:
            self._browser.handle_extension_message(frame)
        except Exception as error:  # noqa: BLE001 - a message that breaks us must not close the socket
            self._malformed += 1
            what = f"{type(error).__name__}: {error}"[:200]
            _log.warning("malformed message from the extension of %s: %s", self._name(), what)
            socket = self._socket
            if self._malformed >= MAX_MALFORMED and handler is self._handler and socket is not None:
                socket.close(MALFORMED, f"{self._malformed} malformed messages")
                self.on_extension_gone(handler, "it sent too many malformed messages")

    def on_extension_gone(self, handler: MessageHandler, reason: str) -> None:
        """Start the grace time: the socket is closed."""
        if handler is not self._handler:
            return
        self._handler, self._socket = None, None
        self.cancel("heartbeat")
        self._listed.clear()
        if self._ended:
            return
        _log.info("the extension of %s disconnected: %s", self._name(), reason)
        self._run(self._browser.reconnection.on_disconnected)
        self.call_later(
            "grace", self._grace_s, lambda: self._end(f"the extension disconnected: {reason}")
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
        self._browser = ExtensionBrowser(
            self, self.hello, browser.context, self._times, self._hides
        )
        # Its clients are gone. Their tabs go back to the user when the extension returns.
        self._browser.attachments.tabs_to_give_back |= (
            browser.attachments.used_tabs | browser.attachments.tabs_to_give_back
        )
        if receiver is not None:
            receiver.on_lost(reason)
        for callback in list(self.on_closed):
            callback(reason)


class _ExtensionHandler:
    """Receives the messages of one socket. Those of an older socket are ignored."""

    def __init__(self, transport: ExtensionTransport) -> None:
        self._transport = transport

    def on_message(self, frame: bytes) -> None:
        self._transport.on_extension_message(self, frame)

    def on_disconnect(self, reason: str) -> None:
        self._transport.on_extension_gone(self, reason)


class _ClientTransport:
    """The transport that the CDP connection gets."""

    def __init__(self, transport: ExtensionTransport) -> None:
        self._transport = transport

    def write(self, frame: bytes) -> None:
        self.write_command(_decode_command(frame))

    def write_command(self, command: RawCommand) -> None:
        self._transport.handle_command(command)

    def unsent(self) -> int:
        socket = self._transport._socket
        return socket.unsent() if socket is not None else 0

    def close(self) -> None:
        self._transport.disconnect_client()
