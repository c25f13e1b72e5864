"""What is in the way of a call, in words: for code that runs in the house and for clients of it."""

from __future__ import annotations

# As typing.TYPE_CHECKING, without the import: clients should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["blocked_words", "is_blocked"]

_ANSWER = frozenset({"blocked_by", "action_id"})


def is_blocked(answer: Any) -> bool:
    """Whether an answer says that something waits for a decision, instead of a result."""
    return isinstance(answer, dict) and answer.keys() == _ANSWER and bool(answer["blocked_by"])


def blocked_words(what: str, answer: dict[str, Any]) -> tuple[str, str]:
    """What is blocked by what, and how to go on."""
    first, action = answer["blocked_by"][0], answer["action_id"]
    told = first.get("message") or first.get("kind")
    message = f"{what} is blocked by {first.get('type') or first['kind']} {told!r}"
    if first["kind"] == "dialog":
        way = "tab.handle_dialog(accept=True)"
    else:
        answers = ", ".join(str(one) for one in first.get("answers", ())) or "…"
        way = f"tab.answer({first['id']!r}, action) with one of {answers}"
    # Without an action nothing was begun that could go on.
    then = f"tab.result({action!r})" if action else "call it again"
    return message, f"{way}, then {then}"
