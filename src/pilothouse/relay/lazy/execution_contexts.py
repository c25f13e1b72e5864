"""Execution contexts that a client learned of before there was a debugger, and their real ones.

    made (2**30)  --announced-->  client     bound (2**30 is 7)  <--created 7--  browser

Knows: both ids of each context. Must not know: messages, documents or when contexts end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["FIRST_CONTEXT_ID", "UNIQUE_ID_PREFIX", "LazyContext", "LazyContexts"]

# V8 counts contexts from 1 and never gets this far, so made-up ids cannot collide.
FIRST_CONTEXT_ID = 2**30
# Chrome's unique ids are two numbers, so this prefix marks ours.
UNIQUE_ID_PREFIX = "lazy."


@dataclass(slots=True)
class LazyContext:
    """A context that the client knows by `id` and `unique`. `real` is None until it is bound."""

    id: int
    unique: str
    name: str
    default: bool
    frame: str
    universal: bool = False
    # Whether the client got `Runtime.executionContextCreated` for it.
    announced: bool = False
    real: int | None = None
    real_unique: str = ""

    def description(self, origin: str) -> dict[str, Any]:
        """Return its description for `Runtime.executionContextCreated`."""
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
    """The living made-up contexts of one session. An id is never used twice."""

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
        """Create a context of the current document."""
        number = self._next
        self._next += 1
        unique = f"{UNIQUE_ID_PREFIX}{self._session}.{number}"
        made = LazyContext(number, unique, name, default, frame, universal)
        self._known[number] = made
        return made

    def main(self) -> LazyContext | None:
        """Return the context of the page's own scripts."""
        return next((c for c in self._known.values() if c.default), None)

    def world(self, name: str) -> LazyContext | None:
        """Return the isolated world of this name. Worlds without a name are never found again."""
        named = (c for c in self._known.values() if not c.default and c.name == name)
        return next(named, None) if name else None

    def worlds(self) -> list[LazyContext]:
        """Return the isolated worlds, oldest first."""
        return [c for c in self._known.values() if not c.default]

    def by_id(self, number: object) -> LazyContext | None:
        """Find a context by the id that the client knows."""
        return self._known.get(number) if isinstance(number, int) else None

    def by_unique(self, unique: object) -> LazyContext | None:
        """Find a context by the unique id that the client knows."""
        return next((c for c in self._known.values() if c.unique == unique), None)

    def by_real(self, number: object) -> LazyContext | None:
        """Find a context by the browser's id."""
        if number is None:
            return None
        return next((c for c in self._known.values() if c.real == number), None)

    def bind(self, context: LazyContext, real: int, unique: str = "") -> None:
        """Set the browser's ids of a context. The unique id may come later."""
        context.real = real
        if unique:
            context.real_unique = unique

    def drop(self, context: LazyContext) -> None:
        """Remove a context. Its id is not used again."""
        self._known.pop(context.id, None)

    def clear(self) -> None:
        """Remove all contexts."""
        self._known.clear()
