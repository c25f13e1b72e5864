"""Which raw CDP commands may be sent to a page, and with which fields. Pure.

    check_tool_command("Page.navigate", {"url": "file:///etc/passwd"}, sender)   # ToolError

Tools, code in runs and the daemon's own RPC use `check_tool_command`; the relay builds its table of
page commands from `RELAY` and asks `drag_problem` and `stream_problem` for those two shapes.
Knows: fields and what they may hold. Must not know: sessions, clients or the URL policy itself,
which the caller hands over as a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

import msgspec

from pilothouse.errors import ToolError
from pilothouse.security.cdp_methods import RELAY, TOOL, Check, Decision

__all__ = [
    "RELAY",
    "TOOL",
    "Check",
    "Decision",
    "Made",
    "Sender",
    "check_tool_command",
    "drag_problem",
    "dragged_urls",
    "made_by",
    "stream_problem",
]

UNDECIDED: Final = Decision(
    Check.REFUSED,
    why="Pilothouse does not know this command, so it is not sent",
    instead="check the spelling; or use a command of the Chrome DevTools Protocol that it knows",
)
# In a field of any command: they name a tab or a cookie jar, perhaps another owner's.
_NAMES_OTHERS: Final = frozenset({"browserContextId", "targetId"})
_DRAG_DATA: Final = frozenset({"items", "files", "dragOperationsMask"})
_DRAG_ITEM: Final = frozenset({"mimeType", "data", "title", "baseURL"})
_URI_LIST: Final = "text/uri-list"
# Browsers drop these characters from addresses before they read them.
_DROPPED: Final = re.compile(r"[\t\n\r]")
_FILE: Final = re.compile(r"(?<![a-z0-9+.\-])(?:view-source:|filesystem:)*file:", re.IGNORECASE)


# What was made and its name: ("script", "7"), ("binding", "report").
Made = tuple[str, str]


class Sender(msgspec.Struct, frozen=True):
    """Who sends a command: what is needed to judge it."""

    # Raises for an address that the sender's pages may not be sent to.
    going: Callable[[str], object]
    # Whether the cookie jar of the tab ends with its owner: no kept profile, no joined browser.
    own_jar: bool = False
    # What the sender added on this session: see `made_by`.
    made: Collection[Made] = frozenset()


def check_tool_command(method: object, params: object, sender: Sender) -> None:
    """Let a command pass that stays in its tab. Raises ToolError for any other, and whatever
    `sender.going` raises for an address that the command goes to."""
    if not isinstance(method, str) or "." not in method:
        raise ToolError(
            f"command: {method!r} is no CDP method", hint='expected one such as "Page.reload"'
        )
    if not isinstance(params, Mapping):
        raise ToolError(f"params: {params!r} is no object", hint="expected an object of fields")
    decision = TOOL.get(method, UNDECIDED)
    if others := _NAMES_OTHERS & set(params) if decision.check is not Check.REFUSED else None:
        raise ToolError(
            f"{method}: {sorted(others)[0]} reaches beyond this tab", hint="leave it out"
        )
    problem = _problem(decision, params, sender)
    if problem:
        raise ToolError(
            f"{method} is refused: {problem}",
            hint=decision.instead or "work in a browser without a kept profile",
        )
    for url in _urls(decision, params):
        sender.going(url)


def made_by(method: str, params: Mapping[str, Any], result: object) -> frozenset[Made]:
    """What a command that succeeded made on its session, and its sender may remove again."""
    if method == "Runtime.addBinding":
        return frozenset({("binding", str(params.get("name")))})
    if method in _ADDS_SCRIPTS and isinstance(result, Mapping) and "identifier" in result:
        return frozenset({("script", str(result["identifier"]))})
    return frozenset()


_ADDS_SCRIPTS = frozenset(
    {"Page.addScriptToEvaluateOnLoad", "Page.addScriptToEvaluateOnNewDocument"}
)


def _problem(decision: Decision, params: Mapping[str, Any], sender: Sender) -> str:
    """Why a command is refused; empty when it is not."""
    given = {name: params[name] for name in decision.fields if name in params}
    match decision.check:
        case Check.NONE | Check.URL:
            return ""
        case Check.OWN_JAR:
            return "" if sender.own_jar else decision.why or _NOT_OWN
        case Check.FIELDS:
            unknown = sorted(set(params) - set(decision.fields))
            return f"{unknown[0]}: {decision.why}" if unknown else ""
        case Check.VALUES:
            wrong = [name for name, value in given.items() if not _among(value, decision.values)]
            return f"{wrong[0]}: {decision.why}" if wrong else ""
        case Check.MADE:
            (kind,) = decision.values
            named = {(str(kind), str(value)) for value in given.values()}
            return (
                ""
                if named and named <= set(sender.made)
                else f"{decision.fields[0]}: {decision.why}"
            )
        case Check.STREAM:
            return stream_problem(params)
        case Check.DRAG:
            unknown = sorted(set(params) - set(decision.fields))
            return f"{unknown[0]}: unknown field" if unknown else drag_problem(params)
    # REFUSED, and whatever only the relay can judge.
    return decision.why or "it is not for tools"


_NOT_OWN = "it reads or clears data of a profile that others use as well"


def _among(value: object, values: tuple[object, ...]) -> bool:
    # By identity for booleans: 1 == True, and Chrome may read numbers otherwise.
    return any(value is each for each in values)


def _urls(decision: Decision, params: Mapping[str, Any]) -> list[str]:
    """The addresses that the command goes to."""
    if decision.check is Check.URL:
        return [str(params.get(name, "")) for name in decision.fields]
    if decision.check is Check.DRAG:
        return dragged_urls(params)
    return []


def stream_problem(params: Mapping[str, Any]) -> str:
    """Why a stream may not be read or closed; empty when it may."""
    handle = params.get("handle")
    if not isinstance(handle, str) or handle.lower().startswith("blob:"):
        return "handle: expected a stream that a command returned, not a blob by its name"
    return ""


def drag_problem(params: Mapping[str, Any]) -> str:
    """Why drag data may not be dropped on a page; empty when it may. A page that is dropped a file
    may read it, and one that is dropped the address of a file opens it."""
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
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            return f"data.items[{place}]: expected an object"
        if unknown := sorted(set(item) - _DRAG_ITEM):
            return f"data.items[{place}].{unknown[0]}: unknown field"
        for name, value in item.items():
            if not isinstance(value, str):
                return f"data.items[{place}].{name}: expected text"
            if _FILE.search(_DROPPED.sub("", value)):
                return f"data.items[{place}].{name}: names a file of this machine"
    return ""


def dragged_urls(params: Mapping[str, Any]) -> list[str]:
    """The addresses in drag data that Chrome may open when the page does not take the drop. Only
    for data without a `drag_problem`."""
    found = []
    for item in params["data"].get("items", ()):
        if item.get("mimeType", "").strip().lower() == _URI_LIST:
            text = item.get("data", "")
            lines = [line.strip() for line in text.splitlines()]
            found += [line for line in lines if line and not line.startswith("#")]
            # Chrome itself reads the whole of it as one address, without line breaks.
            found += [_DROPPED.sub("", text).strip()] if len(lines) > 1 else []
        if item.get("baseURL"):
            found.append(item["baseURL"])
    return found
