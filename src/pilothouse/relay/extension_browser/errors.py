"""How a client hears what the user does not allow. Pure.

Knows: that clients take an evaluation which fails for the end of its world and drop the words, but
tell an exception as it is; and that one which could not run a script of its own in a world does
not try again there. Must not know: what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pilothouse.relay.extension_browser.client_session import Session
from pilothouse.relay.extension_browser.event_replay import CLEARED
from pilothouse.relay.extension_browser.types import Wrong, encode, event_frame

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["EVALUATES", "Refused"]

EVALUATES = frozenset(
    {"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate"}
)
_OURS = "Pilothouse refuses "


# What Chrome says of a script that would change something, and what is said instead.
_STOPPED = b"Possible side-effect in debug-evaluate"
_IN_WORDS = (
    b"Pilothouse refuses this script: the user allows reading only (read only is on), and the "
    b"script may change the page; instead use what only reads"
)


class Refused:
    """What was refused on one lent browser."""

    def __init__(self, core: Core) -> None:
        self._core = core
        # Sessions that an evaluation was refused to.
        self._evaluated: set[str] = set()
        # Scripts that Chrome was asked to refuse if they would change anything.
        self._guarded: set[tuple[str, int]] = set()

    def guards(self, session: str, number: int) -> None:
        """A script of a session is sent with Chrome's guard against side effects."""
        self._guarded.add((session, number))

    def ended(self, session: str) -> None:
        """A session is no more: nothing of it is answered."""
        self._evaluated.discard(session)
        self._guarded = {one for one in self._guarded if one[0] != session}

    def worded(
        self, session: Session, number: int, result: msgspec.Raw | None
    ) -> msgspec.Raw | None:
        """The answer to a command; that Chrome's guard stopped a script is said in our words."""
        if (session.id, number) not in self._guarded:
            return result
        self._guarded.discard((session.id, number))
        if result is None or _STOPPED not in bytes(result):
            return result
        self._evaluated.add(session.id)
        return msgspec.Raw(bytes(result).replace(_STOPPED, _IN_WORDS))

    def tell(self, session: Session, number: int, method: str, wrong: Wrong) -> None:
        """Answer a command that failed. A refused evaluation of a client throws; our own
        supervisor, which is on the root, reads errors as they are."""
        if method in EVALUATES and session.parent and wrong.message.startswith(_OURS):
            self._evaluated.add(session.id)
            self._core.reply(session.id, number, _thrown(wrong.message))
        else:
            self._core.fail(session.id, number, wrong)

    def lifted(self) -> None:
        """The user allows more than before: who was refused is told its worlds anew."""
        core = self._core
        evaluated, self._evaluated = self._evaluated, set()
        for session in [s for s in core.sessions.values() if s.id in evaluated]:
            strand = session.strand
            if strand is not None and session.id in strand.hearers("Runtime"):
                for method, raw in (CLEARED, *strand.memory.replay("Runtime")):
                    core.emit(event_frame(method, raw, session.id))


def _thrown(words: str) -> bytes:
    """The answer to an evaluation that threw."""
    error = {
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
        "exception": error,
    }
    return encode({"result": error, "exceptionDetails": details})
