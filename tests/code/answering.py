"""A stand-in for the daemon's line, for code that only spells calls: it notes them and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Answering"]


class Answering:
    """Answers by verb; of an iterator, one after the other."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, method: str, /, **params: Any) -> Any:
        verb = method.removeprefix("tab.")
        self.calls.append((verb, params))
        answer = self.answers.get(verb)
        return next(answer) if isinstance(answer, Iterator) else answer
