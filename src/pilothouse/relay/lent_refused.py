"""How a client hears what the user does not allow. Pure.

Knows: that clients take an evaluation which fails for the end of its world and drop the words, but
tell an exception as it is; and that one which could not run a script of its own in a world does
not try again there. Must not know: what is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pilothouse.relay.lent_memory import CLEARED
from pilothouse.relay.lent_sessions import Session
from pilothouse.relay.lent_shapes import Wrong, encode, event_frame

if TYPE_CHECKING:
    from pilothouse.relay.lent_core import Core

__all__ = ["EVALUATES", "Refused"]

EVALUATES = frozenset(
    {"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate"}
)
_OURS = "Pilothouse refuses "


class Refused:
    """What was refused on one lent browser."""

    def __init__(self, core: Core) -> None:
        self._core = core
        # Sessions that an evaluation was refused to.
        self._evaluated: set[str] = set()

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
