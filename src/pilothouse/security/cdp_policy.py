"""Decides which raw CDP commands may be sent to a page, and with which fields. Pure.

    check_tool_command("Page.navigate", {"url": "file:///etc/passwd"}, sender)   # ToolError

Tools, code in runs and the daemon's RPC use `check_tool_command`. The relay builds its table of
page commands from `RELAY` and calls `find_drag_problem` and `find_stream_problem` itself.

Knows: fields and their allowed values. Must not know: sessions, clients or the URL policy itself,
which the caller passes in as a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import msgspec

from pilothouse.errors import NotPermitted, UsageError
from pilothouse.security.cdp_methods import RELAY, TOOL, Check, Decision

__all__ = [
    "REFUSED_AT_ROOT",
    "RELAY",
    "TOOL",
    "Check",
    "CreatedObject",
    "Decision",
    "Sender",
    "check_tool_command",
    "created_by",
    "drag_urls",
    "find_drag_problem",
    "find_stream_problem",
]

# Refused to relay clients on a browser session, allowed on a session of the client's own tab.
REFUSED_AT_ROOT: Final[Mapping[str, Decision]] = dict.fromkeys(
    ("Security.setIgnoreCertificateErrors", "Security.setOverrideCertificateErrors"),
    Decision(
        Check.REFUSED,
        why="it would affect the tabs of others",
        instead="send it on a session of the tab",
    ),
)
UNDECIDED: Final = Decision(
    Check.REFUSED,
    why="Pilothouse does not know this command",
    instead="check the spelling, or use another command of the Chrome DevTools Protocol",
)
# Fields that name a tab or a cookie jar, possibly another owner's. Refused in every command.
_FOREIGN_FIELDS: Final = frozenset({"browserContextId", "targetId"})
_DRAG_DATA: Final = frozenset({"items", "files", "dragOperationsMask"})
_DRAG_ITEM: Final = frozenset({"mimeType", "data", "title", "baseURL"})
_URI_LIST: Final = "text/uri-list"
# The URL parser removes these characters.
_DROPPED: Final = re.compile(r"[\t\n\r]")
_FILE: Final = re.compile(r"(?<![a-z0-9+.\-])(?:view-source:|filesystem:)*file:", re.IGNORECASE)


# Kind and name of an object: ("script", "7"), ("binding", "report").
CreatedObject = tuple[str, str]


class Sender(msgspec.Struct, frozen=True):
    """The facts about the sender of a command that decide whether it is allowed."""

    # Raises for a URL that the sender's pages may not open.
    check_url: Callable[[str], object]
    # Whether the cookie jar is deleted with its owner: no kept profile, no joined browser.
    owns_cookie_jar: bool = False
    # What the sender created on this session: see `created_by`.
    created: Collection[CreatedObject] = frozenset()


def check_tool_command(method: object, params: object, sender: Sender) -> None:
    """Check that a command stays within its tab. Raises ToolError if not.

    Also raises what `sender.check_url` raises for the URLs in the command.
    """
    if not isinstance(method, str) or "." not in method:
        raise UsageError(
            f"command: {method!r} is not a CDP method", hint='use a name such as "Page.reload"'
        )
    if not isinstance(params, Mapping):
        raise UsageError(f"params: {params!r} is not an object", hint="pass an object of fields")
    decision = TOOL.get(method, UNDECIDED)
    if others := _FOREIGN_FIELDS & set(params) if decision.check is not Check.REFUSED else None:
        raise NotPermitted(
            f"{method}: {sorted(others)[0]} reaches beyond this tab", hint="leave it out"
        )
    problem = _problem(decision, params, sender)
    if problem:
        raise NotPermitted(
            f"{method} is refused: {problem}",
            hint=decision.instead or "work in a browser without a kept profile",
        )
    for url in _urls(decision, params):
        sender.check_url(url)


def created_by(method: str, params: Mapping[str, Any], result: object) -> frozenset[CreatedObject]:
    """Return the objects that a successful command created. Its sender may remove them later."""
    if method == "Runtime.addBinding":
        return frozenset({("binding", str(params.get("name")))})
    if method in _ADDS_SCRIPTS and isinstance(result, Mapping) and "identifier" in result:
        return frozenset({("script", str(result["identifier"]))})
    return frozenset()


_ADDS_SCRIPTS = frozenset(
    {"Page.addScriptToEvaluateOnLoad", "Page.addScriptToEvaluateOnNewDocument"}
)


def _problem(decision: Decision, params: Mapping[str, Any], sender: Sender) -> str:
    """Return why a command is refused; empty if it is allowed."""
    given = {name: params[name] for name in decision.fields if name in params}
    match decision.check:
        case Check.NONE | Check.URL:
            return ""
        case Check.OWN_JAR:
            return "" if sender.owns_cookie_jar else decision.why or _SHARED_PROFILE
        case Check.FIELDS:
            unknown = sorted(set(params) - set(decision.fields))
            return f"{unknown[0]}: {decision.why}" if unknown else ""
        case Check.VALUES:
            wrong = [
                name for name, value in given.items() if not _is_one_of(value, decision.values)
            ]
            return f"{wrong[0]}: {decision.why}" if wrong else ""
        case Check.CREATED_BY_SENDER:
            (kind,) = decision.values
            named = {(str(kind), str(value)) for value in given.values()}
            return (
                ""
                if named and named <= set(sender.created)
                else f"{decision.fields[0]}: {decision.why}"
            )
        case Check.STREAM:
            return find_stream_problem(params)
        case Check.DRAG:
            unknown = sorted(set(params) - set(decision.fields))
            return f"{unknown[0]}: unknown field" if unknown else find_drag_problem(params)
    # REFUSED, and checks that only the relay can make.
    return decision.why or "tools may not send it"


_SHARED_PROFILE = "it reads or clears data of a profile that others use, too"


def _is_one_of(value: object, values: tuple[object, ...]) -> bool:
    # Compare booleans by identity: 1 == True in Python, but Chrome may treat the number 1
    # differently.
    return any(value is each for each in values)


def _urls(decision: Decision, params: Mapping[str, Any]) -> list[str]:
    """Return the URLs that the command may open."""
    if decision.check is Check.URL:
        return [str(params.get(name, "")) for name in decision.fields]
    if decision.check is Check.DRAG:
        return drag_urls(params)
    return []


def find_stream_problem(params: Mapping[str, Any]) -> str:
    """Return why a stream may not be read or closed; empty if it may."""
    handle = params.get("handle")
    if not isinstance(handle, str) or handle.lower().startswith("blob:"):
        return "handle: expected a stream that a command returned, not a blob URL"
    return ""


def find_drag_problem(params: Mapping[str, Any]) -> str:
    """Return why drag data may not be dropped on a page; empty if it may.

    A page may read a file that is dropped on it, and opens a file URL that is dropped on it.
    """
    data = params.get("data")
    if not isinstance(data, Mapping):
        return "data: expected an object with items"
    if data.get("files"):
        return "data.files: a page could read files of this machine"
    if unknown := sorted(set(data) - _DRAG_DATA):
        return f"data.{unknown[0]}: unknown field"
    items = data.get("items", ())
    if not isinstance(items, list | tuple):
        return "data.items: expected a list"
    for index, item in enumerate(items):
        if not isinstance(item, Mapping):
            return f"data.items[{index}]: expected an object"
        if unknown := sorted(set(item) - _DRAG_ITEM):
            return f"data.items[{index}].{unknown[0]}: unknown field"
        for name, value in item.items():
            if not isinstance(value, str):
                return f"data.items[{index}].{name}: expected text"
            if _FILE.search(_DROPPED.sub("", value)):
                return f"data.items[{index}].{name}: names a file of this machine"
    return ""


def drag_urls(params: Mapping[str, Any]) -> list[str]:
    """Return the URLs that Chrome may open if the page does not handle the drop.

    Call it only for data in which `find_drag_problem` found nothing.
    """
    found = []
    for item in params["data"].get("items", ()):
        if item.get("mimeType", "").strip().lower() == _URI_LIST:
            text = item.get("data", "")
            lines = [line.strip() for line in text.splitlines()]
            found += [line for line in lines if line and not line.startswith("#")]
            # Chrome itself parses the whole text as one URL, without its line breaks.
            found += [_DROPPED.sub("", text).strip()] if len(lines) > 1 else []
        if item.get("baseURL"):
            found.append(item["baseURL"])
    return found
