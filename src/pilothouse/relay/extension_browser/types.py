"""Values of a lent browser: a tab, a target filter, an error, and the frames they travel in. Pure.

Knows: the shapes of CDP messages and of the extension's wire. Must not know: who sends what when.
Frames end with their session id, so that whoever passes them on may cut it off undecoded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

__all__ = [
    "DEFAULT_FILTER",
    "EMPTY",
    "NO_SESSION",
    "OK",
    "SESSION_ENDED",
    "TARGET_GONE",
    "AutostartMessage",
    "DebuggerEvent",
    "ErrorReply",
    "Filter",
    "NewTabMessage",
    "SessionCommand",
    "SettingsMessage",
    "SharedTab",
    "TabChangeMessage",
    "TabEntry",
    "UserActionMessage",
    "context_id",
    "decode_object",
    "encode",
    "error_message",
    "event_message",
    "filter_admits",
    "read_tab",
    "read_tabs",
    "refusal",
    "result_message",
    "unknown_method",
]

OK = b"{}"
EMPTY = msgspec.Raw(OK)

Filter = Sequence[Mapping[str, Any]]
DEFAULT_FILTER: Filter = (
    {"type": "browser", "exclude": True},
    {"type": "tab", "exclude": True},
    {},
)


class ErrorReply(NamedTuple):
    """An error answer."""

    code: int
    message: str
    # What Chrome adds of the reason.
    data: str = ""


NO_SESSION = ErrorReply(-32001, "Session with given id not found.")
# Chrome's own words; clients know them.
TARGET_GONE = ErrorReply(-32000, "Inspected target navigated or closed")
# The same where the session itself ends: to that Chrome says nothing.
SESSION_ENDED = ErrorReply(-32000, "Target closed")


class SessionCommand(msgspec.Struct, gc=False):
    """A command as a client of the connection sends it."""

    id: int
    method: str
    params: msgspec.Raw = EMPTY
    sessionId: str = ""


class DebuggerEvent(msgspec.Struct, gc=False):
    """What the debugger of a tab says, as the extension passes it on."""

    tabId: int
    method: str
    params: msgspec.Raw = EMPTY
    childSessionId: str | None = None


class TabEntry(msgspec.Struct, rename="camel", gc=False):
    """A tab, as an entry of listTabs has it."""

    tab_id: int
    target_id: str | None = None
    window_id: int | None = None
    url: str | None = None
    title: str | None = None
    active: bool | None = None
    discarded: bool | None = None
    opener_tab_id: int | None = None
    attached: bool | None = None
    by: str | None = None
    closable: bool | None = None


class NewTabMessage(msgspec.Struct, gc=False):
    """News of a tab that came: tabCreated, tabGlimpsed."""

    tab: TabEntry


class TabChangeMessage(msgspec.Struct, gc=False):
    """News of a tab that is known: tabRemoved, tabReplaced, tabDetached."""

    tabId: int
    newTabId: int = -1
    reason: str = ""


class SettingsMessage(msgspec.Struct, gc=False):
    """The user changed settings."""

    settings: dict[str, Any]


class AutostartMessage(msgspec.Struct, gc=False):
    """The user wants the relay to start at login, or not any more."""

    on: bool


class UserActionMessage(msgspec.Struct, gc=False):
    """The user did something in the extension's window."""

    kind: str
    tabId: int | None = None
    # How all tabs were taken: "stopped" in the popup, or "cancelled" on Chrome's bar.
    state: str = ""


@dataclass(slots=True)
class SharedTab:
    """A tab of the user's browser, as the extension tells of it."""

    tab_id: int
    # By which clients know the tab, and its main frame.
    target_id: str
    window_id: int = 0
    url: str = ""
    title: str = ""
    active: bool = False
    discarded: bool = False
    opener: int | None = None
    # Whether the extension's debugger is on it, as it was last entry.
    attached: bool = False
    # Ids it was known by before.
    aliases: set[str] = field(default_factory=set)
    # The real id of its main frame, where it is another: a prerendered page took over.
    frame_id: str = ""
    # The address that it may not leave, and whether it did.
    locked_to: str = ""
    # Who opened it, as the debugger says: a target, none, or nobody knows yet.
    opener_target_id: str | None = None
    can_access_opener: bool = False
    # Not told of until that is known.
    hidden: bool = False
    # Somebody has asked for its end.
    closing: bool = False
    # Who shares it: "user" (picked by hand), "agent" (an agent opened it), or "" (the settings).
    by: str = ""
    # Whether agents may close it; the extension decides.
    closable: bool = True

    @classmethod
    def from_entry(cls, entry: TabEntry) -> SharedTab:
        """From an entry of listTabs."""
        return cls(
            tab_id=entry.tab_id,
            target_id=entry.target_id or "",
            window_id=entry.window_id or 0,
            url=entry.url or "",
            title=entry.title or "",
            active=entry.active is True,
            discarded=entry.discarded is True,
            opener=entry.opener_tab_id,
            attached=entry.attached is True,
            by=entry.by or "",
            closable=entry.closable is not False,
        )


def read_tabs(raw: msgspec.Raw | bytes) -> list[SharedTab] | None:
    """The tabs of an answer to listTabs; None if it is malformed."""
    try:
        return [SharedTab.from_entry(entry) for entry in _listed.decode(raw).tabs]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_tab(raw: msgspec.Raw | bytes) -> SharedTab | None:
    """The tab of an answer to createTab; None if it is malformed."""
    try:
        return SharedTab.from_entry(_tab.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def filter_admits(wanted: Filter, kind: str) -> bool:
    """Whether a target filter lets a type through: the first entry that fits decides."""
    for entry in wanted:
        if entry.get("type", kind) == kind:
            return not entry.get("exclude", False)
    return False


def context_id(install: str, profile: str) -> str:
    """The one browser context of a Chrome: the user's profile. Two may have loaded one install."""
    seed = json.dumps(["profile", install, profile])
    return hashlib.sha256(seed.encode()).hexdigest()[:32].upper()


def unknown_method(method: str) -> ErrorReply:
    """There is no such command here."""
    return ErrorReply(-32601, f"'{method}' wasn't found")


def refusal(what: str, why: str, instead: str = "") -> ErrorReply:
    """A refusal that says what to do about it."""
    return ErrorReply(
        -32000, f"Pilothouse refuses {what}: {why}" + (f"; instead {instead}" if instead else "")
    )


class _TabList(msgspec.Struct, gc=False):
    tabs: list[TabEntry]


_listed = msgspec.json.Decoder(_TabList)
_tab = msgspec.json.Decoder(TabEntry)
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()

encode = _encoder.encode


def decode_object(raw: msgspec.Raw | bytes) -> dict[str, Any]:
    """Raw JSON as an object; anything else is an empty one."""
    try:
        value = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _session_suffix(session: str) -> bytes:
    return b',"sessionId":"%b"}' % session.encode() if session else b"}"


def result_message(number: int, result: msgspec.Raw | bytes, session: str) -> bytes:
    """The answer to a command."""
    return b"".join((b'{"id":%d,"result":' % number, memoryview(result), _session_suffix(session)))


def error_message(number: int, error: ErrorReply, session: str) -> bytes:
    """The answer to a command that failed."""
    more = {"data": error.data} if error.data else {}
    body = encode({"code": error.code, "message": error.message, **more})
    return b'{"id":%d,"error":%b%b' % (number, body, _session_suffix(session))


def event_message(method: str, params: msgspec.Raw | bytes, session: str) -> bytes:
    """Something that happened."""
    head = b'{"method":"%b","params":' % method.encode()
    return b"".join((head, memoryview(params), _session_suffix(session)))
