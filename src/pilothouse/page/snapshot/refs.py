"""Refs: short names of elements for agents: `e12` in the main frame, `f2e12` in another frame.

Knows: how refs are written and which frame a number stands for. Must not know: pages. A number is
never reused in a tab's lifetime, so a ref never names another element.
"""

from __future__ import annotations

import re
from itertools import islice

import msgspec

from pilothouse.errors import ElementNotFound

__all__ = ["Ref", "Refs", "parse_ref"]

# How many refs to remember with the role and name they were shown with.
REFS_REMEMBERED = 20_000

_REF = re.compile(r"\[?(?:@|ref=)?(?:f(?P<frame>\d+))?e(?P<number>\d+)\]?\Z", re.ASCII)


class Ref(msgspec.Struct, frozen=True):
    """A parsed ref: the number of its frame (0: the main frame) and of its element."""

    frame: int
    number: int

    def __str__(self) -> str:
        return f"f{self.frame}e{self.number}" if self.frame else f"e{self.number}"


def parse_ref(text: str) -> Ref | None:
    """Parse `e12`, `f2e12`, `@e12` or `[ref=e12]`; None for anything else."""
    found = _REF.match(text.strip())
    return Ref(int(found["frame"] or 0), int(found["number"])) if found else None


class Refs(msgspec.Struct):
    """The refs of one tab."""

    main: str
    _numbers: dict[str, int] = msgspec.field(default_factory=dict)
    _shown: dict[str, tuple[str, str]] = msgspec.field(default_factory=dict)

    def prefix(self, frame_id: str) -> str:
        """Return the prefix of a frame's refs (`f2`); a new frame gets the next number."""
        if frame_id == self.main:
            return ""
        return f"f{self._numbers.setdefault(frame_id, len(self._numbers) + 1)}"

    def frame_of(self, ref: Ref) -> str:
        """Return the frame a ref is in. Raises ToolError for a frame that was never shown."""
        if not ref.frame:
            return self.main
        for frame_id, number in self._numbers.items():
            if number == ref.frame:
                return frame_id
        raise ElementNotFound(
            f"ref: no snapshot of this tab has shown {ref}",
            hint="take a snapshot and use one of its refs",
        )

    def record_shown(self, shown: dict[str, tuple[str, str]]) -> None:
        """Remember the role and name with which refs were shown."""
        for ref in shown:
            self._shown.pop(ref, None)  # move it to the end: the oldest are dropped first
        self._shown |= shown
        for ref in [*islice(self._shown, max(len(self._shown) - REFS_REMEMBERED, 0))]:
            del self._shown[ref]

    def shown_as(self, ref: str) -> tuple[str, str] | None:
        """Return the role and name with which a ref was shown last."""
        return self._shown.get(ref)
