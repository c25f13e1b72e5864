"""Execution contexts that a client was told of before there was a debugger, and the real ones
that they turn out to be.

    made (2**30)  --told-->  client        bound (2**30 is 7)  <--created 7--  browser

Knows: both names of each context. Must not know: messages, documents or when contexts end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["FIRST_CONTEXT_ID", "UNIQUE_ID_PREFIX", "LazyContext", "LazyContexts"]

# V8 counts contexts from 1, and never comes this far.
FIRST_CONTEXT_ID = 2**30
# Chrome's are two numbers.
UNIQUE_ID_PREFIX = "lazy."


@dataclass(slots=True)
class LazyContext:
    """A context that the client knows by `id` and `unique`. Until it is bound, `real` is None."""

    id: int
    unique: str
    name: str
    default: bool
    frame: str
    universal: bool = False
    # Whether the client had the event that it was created.
    announced: bool = False
    real: int | None = None
    real_unique: str = ""

    def description(self, origin: str) -> dict[str, Any]:
        """It as `Runtime.executionContextCreated` describes it."""
        return {
            "id": self.id,
            "origin": origin,
            "name": self.name,
            "uniqueId": self.unique,
            "auxData": {
                "isDefault": self.default,
                "type": "default" if self.default else "isolated",
                "frameId": self.frame,
            },
        }


class LazyContexts:
    """The made-up contexts of one session that live. An id is never given twice."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._next = FIRST_CONTEXT_ID
        self._known: dict[int, LazyContext] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def __iter__(self) -> Iterator[LazyContext]:
        return iter(list(self._known.values()))

    def make(
        self, frame: str, name: str = "", *, default: bool = False, universal: bool = False
    ) -> LazyContext:
        """A context of the document that is shown now."""
        number = self._next
        self._next += 1
        unique = f"{UNIQUE_ID_PREFIX}{self._session}.{number}"
        made = LazyContext(number, unique, name, default, frame, universal)
        self._known[number] = made
        return made

    def main(self) -> LazyContext | None:
        """The context of the page's own scripts."""
        return next((c for c in self._known.values() if c.default), None)

    def world(self, name: str) -> LazyContext | None:
        """The isolated world of this name. Worlds without one are never found again."""
        named = (c for c in self._known.values() if not c.default and c.name == name)
        return next(named, None) if name else None

    def worlds(self) -> list[LazyContext]:
        """The isolated ones, in the order they were made."""
        return [c for c in self._known.values() if not c.default]

    def by_id(self, number: object) -> LazyContext | None:
        """The one that the client knows by this id."""
        return self._known.get(number) if isinstance(number, int) else None

    def by_unique(self, unique: object) -> LazyContext | None:
        """The one that the client knows by this unique id."""
        return next((c for c in self._known.values() if c.unique == unique), None)

    def by_real(self, number: object) -> LazyContext | None:
        """The one that the browser knows by this id."""
        if number is None:
            return None
        return next((c for c in self._known.values() if c.real == number), None)

    def bind(self, context: LazyContext, real: int, unique: str = "") -> None:
        """Both names are known now; the unique one may come later."""
        context.real = real
        if unique:
            context.real_unique = unique

    def drop(self, context: LazyContext) -> None:
        """It is gone; its id stays dead."""
        self._known.pop(context.id, None)

    def clear(self) -> None:
        """All are gone."""
        self._known.clear()
