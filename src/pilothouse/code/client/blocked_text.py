"""What waits for an answer, in words: what is in the way of a call, and what an action opened.

Knows: how each surface answers (a tool, a command, a call of Python). Must not know: a socket.
"""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import: clients should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["add_answer_hints", "answer_hint", "describe_block", "is_blocked"]

_ANSWER = frozenset({"blocked_by", "action_id"})


def is_blocked(answer: Any) -> bool:
    """Whether an answer says that something waits for a decision, instead of a result."""
    return isinstance(answer, dict) and answer.keys() == _ANSWER and bool(answer["blocked_by"])


# How to answer what an action opened, by surface: {id} is the interrupt, {more} the options that
# lead to the same tab.
_WAYS = {
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
_POSITION = "; browser_emulate"
_BY_A_PERSON = "only a person can grant it: browser.permissions in config.yaml"


def answer_hint(waiting: dict[str, Any], surface: str, more: str = "") -> str:
    """How to answer an interrupt of a receipt: by a tool (`mcp`), a command (`cli`), or a call of
    `python`. None of it is a page's word."""
    kind, key = str(waiting["kind"]), str(waiting["id"])
    if kind == "permission" and "grant" not in waiting.get("answers", ()):
        return _BY_A_PERSON
    if (way := _WAYS[surface].get(kind)) is None:
        answers = ", ".join(str(one) for one in waiting.get("answers", ())) or "…"
        named = {"mcp": "browser_interrupt", "cli": "pilothouse answer", "python": "tab.answer"}
        return f"answer {key} with {named[surface]}: {answers}"
    if kind == "permission" and waiting.get("permission") != "geolocation":
        way = way.partition(_POSITION)[0]
    return way.format(id=key, more=more)


def add_answer_hints(answer: Any, surface: str, more: str = "") -> Any:
    """A receipt whose text says how to answer what the action opened."""
    if not isinstance(answer, dict) or not answer.get("interrupts") or "text" not in answer:
        return answer
    said = str(answer["text"])
    for one in answer["interrupts"]:
        mark = f"({one['id']})"
        said = said.replace(mark, f"{mark}: {answer_hint(one, surface, more)}", 1)
    return {**answer, "text": said}


def describe_block(what: str, answer: dict[str, Any]) -> tuple[str, str]:
    """What is blocked by what, and how to go on."""
    first, action = answer["blocked_by"][0], answer["action_id"]
    told = first.get("message") or first.get("kind")
    message = f"{what} is blocked by {first.get('type') or first['kind']} {told!r}"
    if first["kind"] == "dialog":
        text = ", text='…'" if first.get("type") == "prompt" else ""
        way = f"tab.handle_dialog(accept=True{text})"
    else:
        answers = ", ".join(str(one) for one in first.get("answers", ())) or "…"
        way = f"tab.answer({first['id']!r}, action) with one of {answers}"
    # Without an action nothing was begun that could go on.
    then = f"tab.result({action!r})" if action else "call it again"
    return message, f"{way}, then {then}"
