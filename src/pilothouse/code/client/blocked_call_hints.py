"""Describes what blocks a call and what an action opened, and how to answer it.

Knows: how to answer on each surface (MCP tool, command line, Python). Must not know: the socket.
"""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import, which would slow down the command line.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["add_answer_hints", "answer_hint", "describe_block", "is_blocked"]

_BLOCKED_KEYS = frozenset({"blocked_by", "action_id"})


def is_blocked(answer: Any) -> bool:
    """Return whether a reply says that the call is blocked, instead of its result."""
    return (
        isinstance(answer, dict) and answer.keys() == _BLOCKED_KEYS and bool(answer["blocked_by"])
    )


# How to answer an interrupt, by surface and kind: {id} is the interrupt, {more} the options that
# select the same tab.
_ANSWER_HINTS = {
    "mcp": {
        "file_chooser": 'give it files with browser_interrupt(action="upload", files=[…]), or '
        'browser_upload on the same ref; action="cancel" closes it',
        "print": "browser_pdf saves the page as a PDF; nothing has to be answered",
        "permission": 'browser_interrupt(action="grant") grants it: then do the step again; '
        "browser_emulate(geolocation=[…]) sets a position",
    },
    "cli": {
        "file_chooser": "pilothouse answer {id} upload FILE…{more}, or pilothouse upload TARGET "
        "FILE…{more}; pilothouse answer {id} cancel{more} closes it",
        "print": "pilothouse pdf{more} saves the page as a PDF; nothing has to be answered",
        "permission": "pilothouse answer {id} grant{more} grants it: then do the step again",
    },
    "python": {
        "file_chooser": "tab.answer({id!r}, 'upload', {{'files': […]}}), or tab.upload(target, "
        "…); tab.answer({id!r}, 'cancel') closes it",
        "print": "tab.pdf() gives the page as a PDF; nothing has to be answered",
        "permission": "tab.answer({id!r}, 'grant') grants it: then do the step again",
    },
}
_PERSON_ANSWERS = "only a person can answer it: pilothouse handover"
_POSITION_HINT = "; browser_emulate"
_GRANT_BY_USER = "only a person can grant it: browser.permissions in config.yaml"


def answer_hint(waiting: dict[str, Any], surface: str, more: str = "") -> str:
    """Return how to answer an interrupt: with a tool (`mcp`), a command (`cli`) or a call
    (`python`). The text contains nothing from the page."""
    kind, key = str(waiting["kind"]), str(waiting["id"])
    if kind == "human":
        return _PERSON_ANSWERS
    if kind == "permission" and "grant" not in waiting.get("answers", ()):
        return _GRANT_BY_USER
    if (way := _ANSWER_HINTS[surface].get(kind)) is None:
        answers = ", ".join(str(one) for one in waiting.get("answers", ())) or "…"
        named = {"mcp": "browser_interrupt", "cli": "pilothouse answer", "python": "tab.answer"}
        return f"answer {key} with {named[surface]}: {answers}"
    if kind == "permission" and waiting.get("permission") != "geolocation":
        way = way.partition(_POSITION_HINT)[0]
    return way.format(id=key, more=more)


def add_answer_hints(answer: Any, surface: str, more: str = "") -> Any:
    """Add to the text of a receipt how to answer each interrupt that the action opened."""
    if not isinstance(answer, dict) or not answer.get("interrupts") or "text" not in answer:
        return answer
    said = str(answer["text"])
    for one in answer["interrupts"]:
        mark = f"({one['id']})"
        said = said.replace(mark, f"{mark}: {answer_hint(one, surface, more)}", 1)
    return {**answer, "text": said}


def describe_block(what: str, answer: dict[str, Any]) -> tuple[str, str]:
    """Return the message and the hint for a call that is blocked."""
    first, action = answer["blocked_by"][0], answer["action_id"]
    subject = first.get("message") or first.get("kind")
    message = f"{what} is blocked by {first.get('type') or first['kind']} {subject!r}"
    if first["kind"] == "dialog":
        text = ", text='…'" if first.get("type") == "prompt" else ""
        way = f"tab.handle_dialog(accept=True{text})"
    elif first["kind"] == "human":
        way = "wait for the person (pilothouse handover)"
    else:
        answers = ", ".join(str(one) for one in first.get("answers", ())) or "…"
        way = f"tab.answer({first['id']!r}, action) with one of {answers}"
    # Without an action id the call did not start, so there is no result to wait for.
    then = f"tab.result({action!r})" if action else "call it again"
    return message, f"{way}, then {then}"
