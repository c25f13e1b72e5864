"""Requests to the extension, and commands that several sessions share. Pure.

Knows: how a command is encoded in the extension's protocol, and which sessions wait for its reply.
Must not know: when it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.frame_ids import rename_frames
from pilothouse.relay.extension_browser.tab_and_message_types import (
    OK,
    TARGET_GONE,
    ErrorReply,
    encode,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser
    from pilothouse.relay.extension_browser.client_session import FlatSession
    from pilothouse.relay.extension_browser.debuggee import Debuggee

__all__ = ["ExtensionRequest", "OnReply", "SharedCommands"]

OnReply = Callable[[msgspec.Raw | None, ErrorReply | None], None]


class ExtensionRequest:
    """A request that was or will be sent to the extension."""

    __slots__ = ("debuggee", "done", "method", "params", "session", "then")

    def __init__(
        self,
        method: str,
        params: bytes | msgspec.Raw,
        then: OnReply,
        debuggee: Debuggee | None = None,
        session: FlatSession | None = None,
    ) -> None:
        # A CDP method if there is a debuggee, else one of the extension's own.
        self.method = method
        self.params = params
        self.then = then
        self.debuggee = debuggee
        self.session = session
        self.done = False

    def encode(self, request_id: int) -> bytes:
        """Encode it at the time of sending: a debuggee's session id can change while it waits."""
        debuggee = self.debuggee
        if debuggee is None:
            return b'{"id":%d,"method":"%b","params":%b}' % (
                request_id,
                self.method.encode(),
                bytes(self.params),
            )
        child = (
            b',"childSessionId":%b' % encode(debuggee.child_session_id)
            if debuggee.child_session_id
            else b""
        )
        head = b'{"id":%d,"method":"cdpCommand","params":{"tabId":%d%b' % (
            request_id,
            debuggee.tab.tab_id,
            child,
        )
        method, params, tab = encode(self.method), bytes(self.params), debuggee.tab
        if tab.frame_id:
            params = rename_frames(params, {tab.target_id.encode(): tab.frame_id.encode()})
        return b'%b,"method":%b,"params":%b}}' % (head, method, params)

    def settle(self, result: msgspec.Raw | None, error: ErrorReply | None) -> None:
        """Call back with the reply, once."""
        if not self.done:
            self.done = True
            self.then(result, error)


class SharedCommands:
    """Commands in flight on one debuggee whose single reply answers several sessions."""

    def __init__(self, browser: ExtensionBrowser, debuggee: Debuggee) -> None:
        self._browser = browser
        self._strand = debuggee
        self._waiting: dict[str, list[tuple[FlatSession, int]]] = {}

    def send(
        self,
        session: FlatSession,
        command_id: int,
        method: str,
        sent: Mapping[str, Any] | None,
        failed: Callable[[], None],
    ) -> None:
        """Send a command, or reply at once if `sent` is None. If the same command is in flight, the
        session waits for its reply."""
        if sent is None:
            waiting = self._waiting.get(method)
            if waiting is None:
                self._browser.reply(session.id, command_id, OK)
            else:
                waiting.append((session, command_id))
            return
        mine = self._waiting[method] = [(session, command_id)]

        def settled(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            if self._waiting.get(method) is mine:
                del self._waiting[method]
            if error is not None:
                failed()
            for waiter, command_id in mine:
                self._browser.answer(waiter.id, command_id, result, error)

        self._browser.send_command(self._strand, method, encode(sent), settled)

    def remove_session(self, session: FlatSession) -> None:
        """Fail what a session that ended waits for."""
        for waiting in self._waiting.values():
            for one in [pair for pair in waiting if pair[0] is session]:
                waiting.remove(one)
                self._browser.fail(session.id, one[1], TARGET_GONE)

    def clear(self) -> None:
        """Stop adding later commands to those already in flight."""
        self._waiting.clear()
