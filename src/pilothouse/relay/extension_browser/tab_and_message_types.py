"""Values that the extension browser's modules share: tabs, errors, messages. Pure.

Knows: the shapes of CDP messages and of the extension's protocol. Must not know: who sends what
when.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from pilothouse.cdp.message import Envelope, ErrorBody, SessionId

__all__ = [
    "EMPTY",
    "NO_SESSION",
    "OK",
    "SESSION_ENDED",
    "TARGET_GONE",
    "AutostartMessage",
    "DebuggerEvent",
    "ErrorReply",
    "NewTabMessage",
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
    "read_tab",
    "read_tabs",
    "refusal",
    "result_message",
    "unknown_method",
]

OK = b"{}"
EMPTY = msgspec.Raw(OK)


class ErrorReply(NamedTuple):
    """The error of a CDP reply."""

    code: int
    message: str
    # Chrome's additional detail, if any.
    data: str = ""


NO_SESSION = ErrorReply(-32001, "Session with given id not found.")
# Chrome's own message; clients match on it.
TARGET_GONE = ErrorReply(-32000, "Inspected target navigated or closed")
# The session itself ended. Chrome sends no reply then, and neither do we.
SESSION_ENDED = ErrorReply(-32000, "Target closed")


class DebuggerEvent(msgspec.Struct, gc=False):
    """An event of a tab's debugger, as the extension forwards it."""

    tabId: int
    method: str
    params: msgspec.Raw = EMPTY
    childSessionId: str | None = None


class TabEntry(msgspec.Struct, rename="camel", gc=False):
    """A tab as `listTabs` describes it."""

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
    """A new tab: `tabCreated`, `tabGlimpsed`."""

    tab: TabEntry


class TabChangeMessage(msgspec.Struct, gc=False):
    """A change of a known tab: `tabRemoved`, `tabReplaced`, `tabDetached`."""

    tabId: int
    newTabId: int = -1
    reason: str = ""


class SettingsMessage(msgspec.Struct, gc=False):
    """The user's changed settings."""

    settings: dict[str, Any]


class AutostartMessage(msgspec.Struct, gc=False):
    """The user's choice whether the relay starts at login."""

    on: bool


class UserActionMessage(msgspec.Struct, gc=False):
    """Something the user did in the extension's popup."""

    kind: str
    tabId: int | None = None
    # How the user stopped all agents: "stopped" in the popup, "cancelled" on Chrome's debugging
    # bar.
    state: str = ""


@dataclass(slots=True)
class SharedTab:
    """A tab of the user's browser, as the extension describes it."""

    tab_id: int
    # The id by which clients know the tab and its main frame.
    target_id: str
    window_id: int = 0
    url: str = ""
    title: str = ""
    active: bool = False
    discarded: bool = False
    opener: int | None = None
    # Whether the extension's debugger is attached, as the extension last reported.
    attached: bool = False
    # Target ids it had before.
    aliases: set[str] = field(default_factory=set)
    # The main frame's real id, if it differs from `target_id`: a prerendered page took over.
    frame_id: str = ""
    # The site that the tab may not leave under `lockUrl`.
    locked_to: str = ""
    # The opener's target id according to the debugger; "" for none, None while unknown.
    opener_target_id: str | None = None
    can_access_opener: bool = False
    # Not announced to clients until the opener is known.
    hidden: bool = False
    # A client has asked to close it.
    closing: bool = False
    # Why it is shared: "user" (picked by hand), "agent" (an agent opened it), "" (by the settings).
    by: str = ""
    # Whether agents may close it. The extension decides.
    closable: bool = True

    @classmethod
    def from_entry(cls, entry: TabEntry) -> SharedTab:
        """Create a tab from an entry of `listTabs`."""
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
    """Read the tabs of a `listTabs` reply; None if it is malformed."""
    try:
        return [SharedTab.from_entry(entry) for entry in _listed.decode(raw).tabs]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def read_tab(raw: msgspec.Raw | bytes) -> SharedTab | None:
    """Read the tab of a `createTab` reply; None if it is malformed."""
    try:
        return SharedTab.from_entry(_tab.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def context_id(install: str, profile: str) -> str:
    """Return the id of a Chrome's only browser context, the user's profile. Two profiles may have
    loaded the same install, so both go into the id."""
    seed = json.dumps(["profile", install, profile])
    return hashlib.sha256(seed.encode()).hexdigest()[:32].upper()


def unknown_method(method: str) -> ErrorReply:
    """Return the error for a command that does not exist here."""
    return ErrorReply(-32601, f"'{method}' wasn't found")


def refusal(what: str, why: str, instead: str = "") -> ErrorReply:
    """Return the error for a command that the user or the extension does not allow."""
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
    """Decode a JSON object; anything else becomes an empty one."""
    try:
        value = _decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def result_message(number: int, result: msgspec.Raw | bytes, session: str) -> Envelope:
    """Return a reply with a result."""
    raw = msgspec.Raw(result) if isinstance(result, bytes) else result
    return Envelope(id=number, result=raw, sessionId=session)  # type: ignore[arg-type]


def error_message(number: int, error: ErrorReply, session: str) -> Envelope:
    """Return a reply with an error."""
    body = ErrorBody(error.code, error.message)
    if error.data:
        body.data = msgspec.Raw(encode(error.data))
    return Envelope(id=number, error=body, sessionId=SessionId(session))


def event_message(method: str, params: msgspec.Raw | bytes, session: str) -> Envelope:
    """Return an event."""
    raw = msgspec.Raw(params) if isinstance(params, bytes) else params
    # Not `SessionId(session)`: it is a function call, and this line runs once for every event.
    return Envelope(method=method, params=raw, sessionId=session)  # type: ignore[arg-type]
