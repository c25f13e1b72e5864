"""How a client hears what the user does not allow. Pure.

Knows: that clients take an evaluation which fails for the end of its world and drop the words, but
tell an exception as it is; and that one which could not run a script of its own in a world does
not try again there. Must not know: what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.event_replay import CONTEXTS_CLEARED
from pilothouse.relay.extension_browser.types import ErrorReply, encode, event_message

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["EVALUATE_METHODS", "EvaluationRefusals"]

EVALUATE_METHODS = frozenset(
    {"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate"}
)
_REFUSAL_PREFIX = "Pilothouse refuses "


# What Chrome says of a script that would change something, and what is said instead.
_SIDE_EFFECT = b"Possible side-effect in debug-evaluate"
_SIDE_EFFECT_REFUSED = (
    b"Pilothouse refuses this script: the user allows reading only (read only is on), and the "
    b"script may change the page; instead use what only reads"
)


class EvaluationRefusals:
    """What was refused on one lent browser."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        # Sessions that an evaluation was refused to.
        self._refused_sessions: set[str] = set()
        # Scripts that Chrome was asked to refuse if they would change anything.
        self._guarded: set[tuple[str, int]] = set()

    def add_guarded(self, session: str, command_id: int) -> None:
        """A script of a session is sent with Chrome's guard against side effects."""
        self._guarded.add((session, command_id))

    def forget_session(self, session: str) -> None:
        """A session is no more: nothing of it is answered."""
        self._refused_sessions.discard(session)
        self._guarded = {one for one in self._guarded if one[0] != session}

    def rewrite_result(
        self, session: FlatSession, command_id: int, result: msgspec.Raw | None
    ) -> msgspec.Raw | None:
        """The answer to a command; that Chrome's guard stopped a script is said in our words."""
        if (session.id, command_id) not in self._guarded:
            return result
        self._guarded.discard((session.id, command_id))
        if result is None or _SIDE_EFFECT not in bytes(result):
            return result
        self._refused_sessions.add(session.id)
        return msgspec.Raw(bytes(result).replace(_SIDE_EFFECT, _SIDE_EFFECT_REFUSED))

    def send_error(
        self, session: FlatSession, command_id: int, method: str, error: ErrorReply
    ) -> None:
        """Answer a command that failed. A refused evaluation of a client throws; our own
        supervisor, which is on the root, reads errors as they are."""
        if (
            method in EVALUATE_METHODS
            and session.parent
            and error.message.startswith(_REFUSAL_PREFIX)
        ):
            self._refused_sessions.add(session.id)
            self._browser.reply(session.id, command_id, _exception_result(error.message))
        else:
            self._browser.fail(session.id, command_id, error)

    def on_limits_lifted(self) -> None:
        """The user allows more than before: who was refused is told its worlds anew."""
        browser = self._browser
        evaluated, self._refused_sessions = self._refused_sessions, set()
        for session in [s for s in browser.sessions.values() if s.id in evaluated]:
            debuggee = session.debuggee
            if debuggee is not None and session.id in debuggee.listeners("Runtime"):
                for method, raw in (CONTEXTS_CLEARED, *debuggee.history.replay("Runtime")):
                    browser.emit(event_message(method, raw, session.id))


def _exception_result(words: str) -> bytes:
    """The answer to an evaluation that threw."""
    exception = {
        "type": "object",
        "subtype": "error",
        "className": "EvalError",
        "description": f"EvalError: {words}",
    }
    details = {
        "exceptionId": 1,
        "text": "Uncaught",
        "lineNumber": 0,
        "columnNumber": 0,
        "exception": exception,
    }
    return encode({"result": exception, "exceptionDetails": details})
