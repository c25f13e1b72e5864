"""Every exception that Pilothouse raises.

    PilothouseError                     a message, and a hint that says what to do about it
    ├── CdpError                        one CDP command failed, or the connection under it
    │   ├── ConnectionLost              the connection to the browser is gone (`terminal`: for good)
    │   ├── SessionGone                 the session ended; Chrome never replies to its commands
    │   ├── TargetCrashed               the renderer crashed; `Page.reload` revives it
    │   ├── CommandFailed               Chrome replied with an error (`code`, `detail`)
    │   │   └── InterruptedByNavigation ... because the document was replaced meanwhile
    │   ├── CommandTimeout              no reply before the deadline
    │   └── CommandTooLarge             refused before sending: Chrome hangs on very large commands
    ├── BrowserError                    a browser could not be launched, reached or chosen
    └── ToolError                       the caller can correct the call
        ├── ElementNotFound             ... no element matches the selector, or the ref is stale
        ├── NotActionable               ... the element is there, but hidden, covered or disabled
        ├── NotPermitted                ... a policy of the user or of Pilothouse forbids it
        ├── PersonHasTab                ... a person has the tab until they answer a request
        ├── TabNotFound                 ... no tab of this name or id, or it is closed
        ├── TabNotShared                ... the user does not share this tab of their own Chrome
        ├── UsageError                  ... a parameter is missing, unknown or out of range
        └── WaitTimeout                 ... what was waited for did not happen in time

A class exists only where code of ours or of a caller reacts to it in its own way. `explain` is the
only function that translates error texts of Chromium, Python or the operating system for callers.
"""

from __future__ import annotations

import errno
import re

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self, TypeVar

    AnyError = TypeVar("AnyError", "BrowserError", "ConnectionLost")

__all__ = [
    "BrowserError",
    "CdpError",
    "CommandFailed",
    "CommandTimeout",
    "CommandTooLarge",
    "ConnectionLost",
    "ElementNotFound",
    "InterruptedByNavigation",
    "NotActionable",
    "NotPermitted",
    "PersonHasTab",
    "PilothouseError",
    "SessionGone",
    "TabNotFound",
    "TabNotShared",
    "TargetCrashed",
    "ToolError",
    "UsageError",
    "WaitTimeout",
    "describe_error",
    "explain",
    "plural",
    "read_hint",
    "write_hint",
]


# The field at the beginning of a message: `timeout: expected …`, `url pattern 'x' is not …`.
_FIELD = re.compile(r"(url pattern|[a-z]\w*(?=: |\[|\.\w))")


class PilothouseError(Exception):
    """The base class of all our errors.

    hint: what the caller can do about it, as an imperative
    hints: the same in the words of a surface: `cli`, `mcp` or `python`
    untrusted: which of `message` and `hint` may quote a page. Results for agents put those between
        untrusted-text markers.
    """

    # What `untrusted` is if the error that is raised does not say.
    _untrusted: tuple[str, ...] = ("message",)

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        hints: Mapping[str, str] | None = None,
        untrusted: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.hints = dict(hints or {})
        self.untrusted = self._untrusted if untrusted is None else untrusted

    def with_message(self, message: str) -> Self:
        """Replace the message and return the same error."""
        self.message = message
        self.args = (message,)
        return self

    def with_field(self, names: Mapping[str, str]) -> Self:
        """Replace the field that the message begins with, and return the same error. `names` maps
        the names of inner parameters to those that the caller wrote."""
        field = _FIELD.match(self.message)
        if field is None or field[1] not in names:
            return self
        return self.with_message(names[field[1]] + self.message[field.end() :])

    def hint_for(self, surface: str) -> str:
        """Return the hint in the words of a surface."""
        return self.hints.get(surface, self.hint)

    def as_kind(self, kind: type[AnyError]) -> AnyError:
        """Return a new error of another class with the same words."""
        error = kind(self.message)
        error.hint, error.hints, error.untrusted = self.hint, self.hints, self.untrusted
        return error

    def format_line(self) -> str:
        """Return the message and the hint as one line of text."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class CdpError(PilothouseError):
    """A CDP command failed, or the connection under it."""


class ConnectionLost(CdpError):
    """The connection is gone. `terminal`: nothing tries to restore it any more."""

    def __init__(self, message: str, *, hint: str = "", terminal: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.terminal = terminal


class SessionGone(CdpError):
    """The session ended before the reply came, or before the command was sent."""


class TargetCrashed(CdpError):
    """The renderer behind the session crashed."""


class CommandFailed(CdpError):
    """Chrome replied to the command with an error."""

    def __init__(self, method: str, code: int, detail: str, *, hint: str = "") -> None:
        super().__init__(f"{method} failed: {detail} ({code})", hint=hint)
        self.method = method
        self.code = code
        self.detail = detail


class InterruptedByNavigation(CommandFailed):
    """The document was replaced while the command ran. Reads may be sent again."""


class CommandTimeout(CdpError):
    """No reply came before the deadline of the command."""


class CommandTooLarge(CdpError):
    """The command is larger than Chrome handles in reasonable time."""


class BrowserError(PilothouseError):
    """A browser could not be launched, reached or chosen. Its words are ours and the caller's. One
    that quotes a page, a program's output or what another host replied says so in `untrusted`."""

    _untrusted = ()


class ToolError(PilothouseError):
    """The caller can correct the call; `hint` says how."""


class ElementNotFound(ToolError):
    """No element matches the selector, or the ref or frame is no longer on the page."""


class NotActionable(ToolError):
    """The element is on the page, but it is hidden, covered, disabled, read-only or moving."""


class NotPermitted(ToolError):
    """A policy of the user or of Pilothouse forbids it: a URL, a file, a method, a secret."""


class PersonHasTab(ToolError):
    """A person has the tab: an agent asked them to do something there. Nothing was done.

    blocked_by: the open request, as in an answer that something blocks
    """

    def __init__(self, message: str, *, hint: str, blocked_by: Mapping[str, Any]) -> None:
        super().__init__(message, hint=hint, untrusted=())
        self.blocked_by = blocked_by


class TabNotFound(ToolError):
    """There is no tab of this name or id, or it is closed."""


class TabNotShared(ToolError):
    """The user shares only some tabs of their Chrome, and not this one.

    shared_tabs: id and title of each shared tab. Callers put them into a hint of their own.
    """

    def __init__(
        self, message: str, *, hint: str, shared_tabs: tuple[tuple[str, str], ...]
    ) -> None:
        super().__init__(message, hint=hint, untrusted=("hint",))
        self.shared_tabs = shared_tabs


class UsageError(ToolError):
    """A parameter is missing, unknown, of the wrong type or out of range. Nothing was done. The
    command line exits with code 2. It quotes the caller, not a page."""

    _untrusted = ()


class WaitTimeout(ToolError):
    """What the call waited for did not happen before its timeout."""


# Texts for errors that Chromium or the operating system made.

BROWSER_GONE_HINT = "open the tab again: a new browser starts by itself"
_RETRY_HINT = "take a fresh snapshot, then call again"

# Chromium words the same condition differently in each method: (pattern, message, hint).
_CHROMIUM_ERRORS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(
            "uniqueContextId not found|Cannot find context|Execution context was destroyed"
            "|Inspected target navigated"
        ),
        "the page navigated during the call",
        _RETRY_HINT,
    ),
    (
        re.compile(
            "(No|Could not find) node (with|for|found for) (the )?given|[Nn]ode with given id"
            "|Node is (detached|not)|Could not compute box model|Node does not have a layout"
        ),
        "the element is no longer on the page",
        _RETRY_HINT,
    ),
    (
        re.compile("No target with given id|Session with given id|Not attached to an active page"),
        "the tab is being closed or replaced",
        "list your tabs, then call again",
    ),
    (
        re.compile("Internal error"),
        "the browser reported an internal error",
        "call again; if it happens again, close the tab and open it again",
    ),
)

# Per errno: (message, hint).
_SYSTEM_ERRORS: dict[int, tuple[str, str]] = {
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
            ("permission denied", "check who owns the file or folder"),
        ),
    )
    for number in numbers
}


def describe_error(error: BaseException) -> str:
    """Return the text of an error, without errno numbers."""
    if isinstance(error, OSError):
        return _describe_os_error(error)[0]
    return str(error) or type(error).__name__


def _describe_os_error(error: OSError) -> tuple[str, str]:
    plain = re.sub(r"\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
    words, hint = _SYSTEM_ERRORS.get(
        error.errno or 0, (error.strerror or plain, "see `pilothouse daemon logs`")
    )
    return (f"{words}: {error.filename}" if error.filename else words), hint


_USE_ANOTHER_PATH = "another file or folder is in the way: use another path"
# Per errno: what to do about a file that could not be read or written.
_FILE_HINTS: dict[int, str] = {
    errno.EACCES: "check who owns the file or folder",
    errno.EPERM: "check who owns the file or folder",
    errno.EROFS: "that disk is read-only: use another path",
    errno.EEXIST: _USE_ANOTHER_PATH,
    errno.EISDIR: _USE_ANOTHER_PATH,
    errno.ENOTDIR: _USE_ANOTHER_PATH,
    errno.ENOENT: "check the path: a part of it does not exist",
    errno.ENAMETOOLONG: "use a shorter path",
    errno.ELOOP: "the path is a circle of links: use another path",
    errno.EMFILE: _SYSTEM_ERRORS[errno.EMFILE][1],
    errno.ENFILE: _SYSTEM_ERRORS[errno.ENFILE][1],
}


def write_hint(error: OSError, otherwise: str = "") -> str:
    """Return what to do about a file that could not be written, by the reason. `otherwise` is a
    second way for a full disk, such as another folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "free space on that disk" + (f", or {otherwise}" if otherwise else "")
    return _FILE_HINTS.get(error.errno or 0, "use another path")


def read_hint(error: OSError) -> str:
    """Return what to do about a file that could not be read, by the reason."""
    if error.errno == errno.EISDIR:
        return "name a file: a folder is there"
    if error.errno == errno.ENOTDIR:
        return "check the path: a part of it is a file, not a folder"
    if error.errno == errno.ENOENT:
        return "check the path for a typo"
    return _FILE_HINTS.get(error.errno or 0, "use another path")


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Return a count with its noun: `1 request`, `2 requests`. `nouns` is for irregular ones."""
    return f"{count} {noun if count == 1 else nouns or noun + 's'}"


def explain(error: BaseException, doing: str) -> PilothouseError:
    """Translate any exception into one that a caller can act on.

    doing: what was attempted, as the subject of the message, for example `click`

    Errors that already have a clear message and a hint are returned unchanged.
    """
    match error:
        case ConnectionLost(terminal=True):
            # Drop the name of the command: the caller did not send one.
            why = re.sub(r"^[A-Z]\w+\.\w+: ", "", error.message)
            return ConnectionLost(why, hint=BROWSER_GONE_HINT, terminal=True)
        case InterruptedByNavigation():
            said = f"the page navigated during {doing}"
            return InterruptedByNavigation(
                error.method, error.code, error.detail, hint=_RETRY_HINT
            ).with_message(said)
        case CommandFailed():
            for pattern, words, hint in _CHROMIUM_ERRORS:
                if pattern.search(error.detail):
                    same = CommandFailed(error.method, error.code, error.detail, hint=hint)
                    return same.with_message(f"{doing}: {words}")
            return error
        case CommandTimeout() if not error.hint:
            hint = "the browser is busy or stopped: try again, or close the tab and open it again"
            return CommandTimeout(f"{doing}: {error.message}", hint=hint)
        case PilothouseError():
            return error
        case TimeoutError():
            said = f"{doing} took too long" + (f": {error}" if str(error) else "")
            return WaitTimeout(said, hint="the browser is slow or gone; try again")
        case OSError():
            words, hint = _describe_os_error(error)
            return PilothouseError(f"{doing} failed: {words}", hint=hint)
    # By name: importing asyncio would slow down the command line.
    if type(error).__name__ == "CancelledError":
        said = f"{doing} was cancelled before it finished"
        return ConnectionLost(said, hint="call again; list your tabs if that fails")
    # The text of an unknown exception means nothing to a caller and may contain secrets, so it is
    # only logged.
    return PilothouseError(
        f"{doing} failed: internal error",
        hint="this is a bug in Pilothouse: run `pilothouse daemon logs` for the details",
        untrusted=(),
    )
