"""Every exception Pilothouse raises.

    PilothouseError            message for a person, hint for whoever can act
    ├── CdpError               something about one command or the wire
    │   ├── ConnectionLost     the wire to the browser is gone (`terminal`: for good)
    │   ├── SessionGone        the target or its session ended; Chrome never answers these
    │   ├── TargetCrashed      the renderer died; `Page.reload` revives it
    │   ├── CommandFailed      Chrome answered with an error (`code`, `detail`)
    │   │   └── Navigated      ... because the document went away under the command
    │   ├── CommandTimeout     no answer within the deadline
    │   └── CommandTooLarge    refused before sending: Chrome chokes on large commands
    ├── BrowserError           no browser could be had from where it was asked for
    └── ToolError              the agent asked for something it can put right
        ├── NotShared          ... a tab of the user's Chrome that the user does not share
        └── UsageError         ... because a parameter is missing, unknown or out of range

A class exists only where someone catches it apart from the others. `explain` is the one place where
words of Chromium, Python or the system become ours before a caller reads them.
"""

from __future__ import annotations

import errno
import re

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

__all__ = [
    "BrowserError",
    "CdpError",
    "CommandFailed",
    "CommandTimeout",
    "CommandTooLarge",
    "ConnectionLost",
    "Navigated",
    "NotShared",
    "PilothouseError",
    "SessionGone",
    "TargetCrashed",
    "ToolError",
    "UsageError",
    "explain",
    "words_of",
]


class PilothouseError(Exception):
    """The root of the tree; `hint` says what to do about it. `quotes` names what of the two may
    quote a page: agents are told that apart from our own words."""

    def __init__(
        self, message: str, *, hint: str = "", quotes: tuple[str, ...] = ("message",)
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.quotes = quotes

    def saying(self, message: str) -> Self:
        """The same error in other words."""
        self.message = message
        self.args = (message,)
        return self

    def line(self) -> str:
        """The error and its hint as one line for a person."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class CdpError(PilothouseError):
    """One command, or the wire under it, came to grief."""


class ConnectionLost(CdpError):
    """The wire is gone. `terminal` is true when nobody tries to restore it any more."""

    def __init__(self, message: str, *, hint: str = "", terminal: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.terminal = terminal


class SessionGone(CdpError):
    """The session ended before the answer, or before the command was sent."""


class TargetCrashed(CdpError):
    """The renderer behind the session crashed."""


class CommandFailed(CdpError):
    """Chrome answered the command with an error."""

    def __init__(self, method: str, code: int, detail: str, *, hint: str = "") -> None:
        super().__init__(f"{method} failed: {detail} ({code})", hint=hint)
        self.method = method
        self.code = code
        self.detail = detail


class Navigated(CommandFailed):
    """The document the command was for went away; a safe read may be sent again."""


class CommandTimeout(CdpError):
    """No answer came within the command's deadline."""


class CommandTooLarge(CdpError):
    """The command exceeds what Chrome takes in reasonable time."""


class BrowserError(PilothouseError):
    """A browser could not be launched, reached or chosen."""


class ToolError(PilothouseError):
    """The agent asked for something it can put right; `hint` says how."""


class NotShared(ToolError):
    """The user shares only some tabs of their Chrome, and not this one. `instead` says how to go
    on with each shared tab, by its id and title, for a hint in the caller's own words."""

    def __init__(self, message: str, *, hint: str, instead: tuple[tuple[str, str], ...]) -> None:
        super().__init__(message, hint=hint, quotes=("hint",))
        self.instead = instead


class UsageError(ToolError):
    """A parameter is missing, unknown, of the wrong type or out of range. Nothing was done; the
    command line ends with exit code 2."""


# What callers read of errors that others made.

GONE_HINT = "open the tab again: a new browser starts by itself"
_AGAIN = "take a fresh snapshot, then call again"

# Chromium's words for one and the same thing differ from method to method.
_CHROMIUM: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(
            "uniqueContextId not found|Cannot find context|Execution context was destroyed"
            "|Inspected target navigated"
        ),
        "the page navigated during the call",
        _AGAIN,
    ),
    (
        re.compile(
            "(No|Could not find) node (with|for|found for) (the )?given|[Nn]ode with given id"
            "|Node is (detached|not)|Could not compute box model|Node does not have a layout"
        ),
        "the element is no longer on the page",
        _AGAIN,
    ),
    (
        re.compile("No target with given id|Session with given id|Not attached to an active page"),
        "the tab is being closed or replaced",
        "list your tabs, then call again",
    ),
    (
        re.compile("Internal error"),
        "the browser reported an internal error",
        "call again; if it happens again, close the tab and open it anew",
    ),
)

_SYSTEM: dict[int, tuple[str, str]] = {
    number: words
    for numbers, words in (
        (
            (errno.EMFILE, errno.ENFILE),
            (
                "too many files and connections are open",
                "close tabs and clients that are not needed, or raise `ulimit -n` and restart the "
                "daemon",
            ),
        ),
        (
            (errno.ENOSPC, errno.EDQUOT),
            ("the disk is full", "free some disk space, then call again"),
        ),
        (
            (errno.ENOMEM, errno.EAGAIN),
            ("the machine is out of memory or processes", "close tabs, then call again"),
        ),
        (
            (errno.EACCES, errno.EPERM, errno.EROFS),
            ("the daemon has no permission", "check who owns the file or folder"),
        ),
    )
    for number in numbers
}


def words_of(error: BaseException) -> str:
    """What went wrong, without the system's numbers."""
    if isinstance(error, OSError):
        return _system_words(error)[0]
    return str(error) or type(error).__name__


def _system_words(error: OSError) -> tuple[str, str]:
    plain = re.sub(r"\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
    words, hint = _SYSTEM.get(
        error.errno or 0, (error.strerror or plain, "see `pilothouse daemon logs`")
    )
    return (f"{words}: {error.filename}" if error.filename else words), hint


def explain(error: BaseException, doing: str) -> PilothouseError:
    """Return the error that a caller reads: what failed, in our own words, with a hint. Errors that
    say all this already are returned as they are."""
    match error:
        case ConnectionLost(terminal=True):
            why = re.sub(r"^[A-Z]\w+\.\w+: ", "", error.message)
            return ConnectionLost(why, hint=GONE_HINT, terminal=True)
        case Navigated():
            said = f"the page navigated during {doing}"
            return Navigated(error.method, error.code, error.detail, hint=_AGAIN).saying(said)
        case CommandFailed():
            for pattern, words, hint in _CHROMIUM:
                if pattern.search(error.detail):
                    same = CommandFailed(error.method, error.code, error.detail, hint=hint)
                    return same.saying(f"{doing}: {words}")
            return error
        case CommandTimeout() if not error.hint:
            hint = "the browser is busy or stopped: try again, or close the tab and open it anew"
            return CommandTimeout(f"{doing}: {error.message}", hint=hint)
        case PilothouseError():
            return error
        case TimeoutError():
            said = f"{doing} took too long" + (f": {error}" if str(error) else "")
            return ToolError(said, hint="the browser is slow or gone; try again")
        case OSError():
            words, hint = _system_words(error)
            return PilothouseError(f"{doing} failed: {words}", hint=hint)
    if type(error).__name__ == "CancelledError":
        said = f"{doing} was dropped before it was done"
        return ConnectionLost(said, hint="call again; list your tabs if that fails")
    # An exception's own words mean nothing to a caller, and may hold anything: they are logged.
    return PilothouseError(
        f"{doing} failed: internal error",
        hint="this is a fault in Pilothouse: `pilothouse daemon logs` has the details",
        quotes=(),
    )
