"""Refused evaluations, in a form that clients show to their users. Pure.

Knows: clients treat a failed evaluation as the end of its execution context and drop the message,
but show an exception as it is. A client that could not inject its own script into a context does
not try again there. Must not know: what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.event_replay import CONTEXTS_CLEARED
from pilothouse.relay.extension_browser.tab_and_message_types import (
    ErrorReply,
    decode_object,
    encode,
    event_message,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["EVALUATE_METHODS", "EvaluationRefusals"]

EVALUATE_METHODS = frozenset(
    {"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate"}
)
_REFUSAL_PREFIX = "Pilothouse refuses "


# Chrome's message for a script with a side effect, and our message instead.
_SIDE_EFFECT = b"Possible side-effect in debug-evaluate"
_SIDE_EFFECT_REFUSED = (
    b"Pilothouse refuses this script: the user allows reading only (read only is on), and the "
    b"script may change the page; instead use a method that only reads"
)


class EvaluationRefusals:
    """The evaluations that were refused in one browser."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        # Sessions that had an evaluation refused.
        self._refused_sessions: set[str] = set()
        # Evaluations sent with `throwOnSideEffect`, as (session id, command id).
        self._guarded: set[tuple[str, int]] = set()

    def add_guarded(self, session: str, command_id: int) -> None:
        """Remember that an evaluation was sent with `throwOnSideEffect`."""
        self._guarded.add((session, command_id))

    def forget_session(self, session: str) -> None:
        """Forget a session that ended."""
        self._refused_sessions.discard(session)
        self._guarded = {one for one in self._guarded if one[0] != session}

    def rewrite_result(
        self, session: FlatSession, command_id: int, result: msgspec.Raw | None
    ) -> msgspec.Raw | None:
        """Return a result with Chrome's side-effect message replaced by ours."""
        if (session.id, command_id) not in self._guarded:
            return result
        self._guarded.discard((session.id, command_id))
        if result is None or _SIDE_EFFECT not in bytes(result):
            return result
        if "exceptionDetails" not in decode_object(result):
            return result  # a script that read these words from its page
        self._refused_sessions.add(session.id)
        return msgspec.Raw(bytes(result).replace(_SIDE_EFFECT, _SIDE_EFFECT_REFUSED))

    def send_error(
        self, session: FlatSession, command_id: int, method: str, error: ErrorReply
    ) -> None:
        """Reply with an error. A client's refused evaluation becomes an exception; our own
        supervisor, on the root session, reads plain errors."""
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
        """Announce the execution contexts again to sessions that were refused, so that their
        clients inject their scripts after the user allowed more."""
        browser = self._browser
        evaluated, self._refused_sessions = self._refused_sessions, set()
        for session in [s for s in browser.sessions.values() if s.id in evaluated]:
            debuggee = session.debuggee
            if debuggee is not None and session.id in debuggee.listeners("Runtime"):
                for method, raw in (CONTEXTS_CLEARED, *debuggee.history.replay("Runtime")):
                    browser.emit(event_message(method, raw, session.id))


def _exception_result(words: str) -> bytes:
    """Return the result of an evaluation that threw."""
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
