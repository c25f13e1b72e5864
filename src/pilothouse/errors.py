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

A class exists only where someone catches it apart from the others.
"""

from __future__ import annotations

__all__ = [
    "BrowserError",
    "CdpError",
    "CommandFailed",
    "CommandTimeout",
    "CommandTooLarge",
    "ConnectionLost",
    "Navigated",
    "PilothouseError",
    "SessionGone",
    "TargetCrashed",
    "ToolError",
]


class PilothouseError(Exception):
    """The root of the tree; `hint` says what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

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
