"""Refs: the names an agent has for elements: `e12` in the main frame, `f2e12` in another.

Knows: how refs are written and which frame a number stands for. Must not know: pages. A number is
never used again in a tab's life, so a ref means one element for good.
"""

from __future__ import annotations

import re
from itertools import islice

import msgspec

from pilothouse.errors import ToolError

__all__ = ["Ref", "Refs", "parse_ref"]

SAID_KEPT = 20_000

_REF = re.compile(r"\[?(?:@|ref=)?(?:f(?P<frame>\d+))?e(?P<number>\d+)\]?\Z", re.ASCII)


class Ref(msgspec.Struct, frozen=True):
    """A ref, taken apart: the number of its frame (0: the main one) and its own."""

    frame: int
    number: int

    def __str__(self) -> str:
        return f"f{self.frame}e{self.number}" if self.frame else f"e{self.number}"


def parse_ref(text: str) -> Ref | None:
    """`e12`, `f2e12`, `@e12` or `[ref=e12]` as a Ref; None for anything else."""
    found = _REF.match(text.strip())
    return Ref(int(found["frame"] or 0), int(found["number"])) if found else None


class Refs(msgspec.Struct):
    """The refs of one tab."""

    main: str
    _numbers: dict[str, int] = msgspec.field(default_factory=dict)
    _said: dict[str, tuple[str, str]] = msgspec.field(default_factory=dict)

    def prefix(self, frame_id: str) -> str:
        """What stands before the refs of a frame; a new frame gets a number of its own."""
        if frame_id == self.main:
            return ""
        return f"f{self._numbers.setdefault(frame_id, len(self._numbers) + 1)}"

    def frame_of(self, ref: Ref) -> str:
        """The frame a ref is in. Raises ToolError for a frame that was never shown."""
        if not ref.frame:
            return self.main
        for frame_id, number in self._numbers.items():
            if number == ref.frame:
                return frame_id
        raise ToolError(f"{ref} was never given", hint="take a snapshot and use one of its refs")

    def said(self, shown: dict[str, tuple[str, str]]) -> None:
        """Note as what refs were shown, by role and name."""
        for ref in shown:
            self._said.pop(ref, None)  # what is shown again counts as new
        self._said |= shown
        for ref in [*islice(self._said, max(len(self._said) - SAID_KEPT, 0))]:
            del self._said[ref]

    def shown_as(self, ref: str) -> tuple[str, str] | None:
        """Role and name under which a ref was shown last."""
        return self._said.get(ref)
