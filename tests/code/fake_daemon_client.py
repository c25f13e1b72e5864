"""A stand-in for the connection to the daemon: it records calls and returns prepared answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Answering"]


class Answering:
    """Returns the answer for a verb; the next item if the answer is an iterator."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, method: str, /, **params: Any) -> Any:
        verb = method.removeprefix("tab.")
        self.calls.append((verb, params))
        answer = self.answers.get(verb)
        return next(answer) if isinstance(answer, Iterator) else answer
