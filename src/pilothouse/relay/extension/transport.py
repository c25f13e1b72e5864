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
from pilothouse.relay.extension_browser import PAUSED, RETRY_S, Core, Times, UserState, context_id
from pilothouse.relay.interfaces import HEARTBEAT_S, Guest, Hello, Line
from pilothouse.supervisor.capabilities import LAUNCHED

__all__ = ["FINDINGS", "GRACE_S", "LINGER_S", "Lent"]

_log = logging.getLogger(__name__)

# How long sessions outlive their extension.
GRACE_S = 20.0
# So many pings without any word in return, and the extension is given up.
MISSED = 15
# How long the debugger stays on a tab that nobody uses, with the bar that Chrome shows for it.
LINGER_S = 3.0
LISTED_WITHIN_S = 10.0
# Messages that cannot be understood are dropped; a line with so many of them is closed.
MOST_MALFORMED = 100
MALFORMED = 4012

# What is known of a Chrome behind an extension without trying it on a tab of the user's.
FINDINGS = replace(
    LAUNCHED,
    downloads=False,
    extensions=False,
    lent=True,
    note="the user's own Chrome, through the extension",
)


class Lent:
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
        self.gone: list[Callable[[str], object]] = []
        # Called with what the user wants of the next login.
        self.on_autostart: list[Callable[[bool], object]] = []
        # Called with a target and how the user took it, while somebody used it.
        self.on_taken: list[Callable[[str, UserState], object]] = []
        self._grace_s = grace_s
        self._heartbeat_s = heartbeat_s
        self._times = Times(linger_s, retry_s)
        self._loop = asyncio.get_running_loop()
        self._line: Line | None = None
        self._guest: _Guest | None = None
        self._receiver: Receiver | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._commands: deque[bytes] = deque()
        self._busy = False
        self._beats = 0
        self._malformed = 0
        self._listed = asyncio.Event()
        self._ended = ""
        self._core = Core(self, hello, context_id(hello.install, hello.profile), self._times)

    # For the relay.

    def came(self, line: Line, hello: Hello | None = None) -> Guest:
        """The extension is here, for the first time or again. An older line is hung up."""
        if hello is not None:
            self.hello = self._core.hello = hello
            self._core.settings = dict(hello.settings)
        old, self._line = self._line, line
        guest = self._guest = _Guest(self)
        self._ended = ""
        if old is not None:
            self._run(self._core.returning.away)
            old.close(1000, "the extension came again")
        self.cancel("grace")
        self._listed.clear()
        self._beats = self._malformed = 0
        self.after("heartbeat", self._heartbeat_s, self._beat)
        # Whoever called us has yet to say welcome, and to hear who listens.
        self._loop.call_soon(self._begin, guest)
        return guest

    def _begin(self, guest: Guest) -> None:
        if guest is self._guest:
            self._run(lambda: self._core.returning.back(self._listed.set))

    @property
    def connected(self) -> bool:
        """Whether the extension is here now."""
        return self._line is not None

    def status(self) -> dict[str, Any]:
        """For a person: who it is, whether it is here, what it shares and what is attached."""
        core = self._core
        tabs = core.tabs.by_id.values()
        state = "connected" if self.connected else "away"
        if core.settings.get("paused") is True:
            state = PAUSED.name
        if core.attachments.stopped is not None:
            state = core.attachments.stopped.name
        return {
            "install": self.hello.install,
            "profile": self.hello.profile,
            "version": self.hello.version,
            "product": self.hello.product,
            "connected": self.connected,
            "state": state,
            "paused": core.settings.get("paused") is True,
            "settings": dict(core.settings),
            "tabs": len(tabs),
            "attached": [
                {"tabId": tab.tab_id, "targetId": tab.target_id, "url": tab.url, "title": tab.title}
                for tab in tabs
                if core.attachments.holds(tab)
            ],
        }

    def shared(self) -> list[dict[str, str]]:
        """The tabs that the user shares: target, title, address, and who shares each of them."""
        core = self._core
        return [
            {"target": tab.target_id, "title": tab.title, "url": tab.url, "by": tab.by}
            for tab in core.tabs.by_id.values()
            if tab.target_id and not tab.hidden
        ]

    def give_back(self, targets: Collection[str]) -> None:
        """Whoever used these tabs is gone: they are the user's alone. Tabs that nobody has attached
        to are the user's already."""
        self._run(lambda: self._core.attachments.give_back(targets))

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Ask the extension for something of its own (`status`, `share`, `reload`); what it answers
        does not matter."""
        self._run(lambda: self._core.ask(method, params, lambda _, __: None))

    def close(self, reason: str = "the relay is closing") -> None:
        """Hang up, and let whoever dialled go."""
        line, self._line = self._line, None
        if line is not None:
            line.close(1001, reason)
        self._end(reason)

    # For the connection.

    async def dial(self, receiver: Receiver) -> Transport:
        """A `Dial`: a wire in this process. Raises ConnectionLost while the extension is away."""
        if self._line is None:
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
        return _Wire(self)

    def _name(self) -> str:
        return self.hello.profile or self.hello.install

    # The port of the core.

    def emit(self, frame: bytes) -> None:
        """Hand a frame to who dialled."""
        if self._receiver is not None:
            self._receiver.on_frame(frame)

    def send(self, frame: bytes) -> None:
        """Hand a frame to the extension."""
        if self._line is not None:
            self._line.send(frame)

    def after(self, key: str, seconds: float, then: Callable[[], None]) -> None:
        """Call back later; the same key again replaces it."""
        self.cancel(key)
        self._timers[key] = self._loop.call_later(seconds, self._ring, key, then)

    def cancel(self, key: str) -> None:
        """Do not call back."""
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def taken(self, target: str, state: UserState) -> None:
        """The user took a tab that somebody used."""
        for hear in list(self.on_taken):
            hear(target, state)

    def autostart(self, on: bool) -> None:
        """The user wants the relay to start at login, or not any more."""
        for hear in list(self.on_autostart):
            hear(on)

    def why_ended(self, target: str) -> UserState | None:
        """How the user ended what was done in a tab; None if the user did not."""
        return self._core.attachments.ended_by.get(target)

    def lost(self, reason: str) -> None:
        """The browser is gone for good: everybody hears that their sessions ended."""
        self._end(reason)

    def _ring(self, key: str, then: Callable[[], None]) -> None:
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
                self._core.command(self._commands.popleft())
        finally:
            self._busy = False

    def take(self, frame: bytes) -> None:
        """A frame of who dialled."""
        self._commands.append(frame)
        if not self._busy:
            self._run(lambda: None)

    def hang_up(self) -> None:
        """Who dialled goes: its sessions end, and the debugger goes off its tabs."""
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            self._commands.clear()
            self._run(self._clear)
            receiver.on_lost("hung up")

    def _clear(self) -> None:
        core = self._core
        for session in core.below(core.root_session):
            core.end(session, told=False)
        core.root_session.auto = core.root_session.discover = None

    # The line.

    def heard(self, guest: Guest, frame: bytes) -> None:
        """A frame of the extension."""
        if guest is self._guest:
            self._beats = 0
            self._run(lambda: self._hear(guest, frame))

    def _hear(self, guest: Guest, frame: bytes) -> None:
        """Take one message. Whatever is wrong with it, the next one is heard."""
        try:
            self._core.heard(frame)
        except Exception as error:  # noqa: BLE001 - a message that breaks us must not end the line
            self._malformed += 1
            what = f"{type(error).__name__}: {error}"[:200]
            _log.warning("a message of the extension of %s is malformed: %s", self._name(), what)
            line = self._line
            if self._malformed >= MOST_MALFORMED and guest is self._guest and line is not None:
                line.close(MALFORMED, f"{self._malformed} messages were malformed")
                self.line_gone(guest, "it sent too many malformed messages")

    def line_gone(self, guest: Guest, reason: str) -> None:
        """The line went down: the grace time begins."""
        if guest is not self._guest:
            return
        self._guest, self._line = None, None
        self.cancel("heartbeat")
        self._listed.clear()
        if self._ended:
            return
        _log.info("the extension of %s went away: %s", self._name(), reason)
        self._run(self._core.returning.away)
        self.after("grace", self._grace_s, lambda: self._end(f"the extension went away: {reason}"))

    def _beat(self) -> None:
        line, guest = self._line, self._guest
        if line is None or guest is None:
            return
        if self._beats >= MISSED:
            line.close(1001, "it does not answer")
            self.line_gone(guest, "it does not answer")
            return
        self._beats += 1
        line.send(b'{"method":"ping","params":{}}')
        self.after("heartbeat", self._heartbeat_s, self._beat)

    def _end(self, reason: str) -> None:
        if self._ended:
            return
        self._ended = reason
        self._commands.clear()
        for key in list(self._timers):
            self.cancel(key)
        core = self._core
        for session in core.below(core.root_session):
            core.end(session)
        receiver, self._receiver = self._receiver, None
        self._guest = None
        self._core = Core(self, self.hello, core.context, self._times)
        # Its clients have ended: what they used is the user's when the extension comes back.
        self._core.attachments.owed |= core.attachments.used | core.attachments.owed
        if receiver is not None:
            receiver.on_lost(reason)
        for gone in list(self.gone):
            gone(reason)


class _Guest:
    """The ears of one line; those of an older one are deaf."""

    def __init__(self, lent: Lent) -> None:
        self._lent = lent

    def on_frame(self, frame: bytes) -> None:
        self._lent.heard(self, frame)

    def on_gone(self, reason: str) -> None:
        self._lent.line_gone(self, reason)


class _Wire:
    """The transport that a connection gets."""

    def __init__(self, lent: Lent) -> None:
        self._lent = lent

    def write(self, frame: bytes) -> None:
        self._lent.take(frame)

    def unsent(self) -> int:
        line = self._lent._line
        return line.unsent() if line is not None else 0

    def close(self) -> None:
        self._lent.hang_up()
