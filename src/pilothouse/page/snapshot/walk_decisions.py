"""The decisions of a walk: what happens next with a document, and where a frame belongs.

Knows: the phases of a document's walk, and what a frame reports of its place. Must not know: how
anything is sent (frame_walker.py). Pure.

    ASSUMING ---- same ----> COMPARING -- equal --> UNCHANGED
        |                        | differs
        |                        v
        |                     ASKING                       REPEATING <------+
        |                        |                            |             |
        +---- a tree or gone ----+----------------------------+             |
                                 |                                          |
            may have closed roots v                                         |
                              ADOPTING ---------- roots found --------------+
                                 | none found
                                 v
                               DONE
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum, auto
from typing import Any

import msgspec

from pilothouse.page.snapshot.tree import Absence, WalkedFrame, parse_walk
from pilothouse.page.world import CachedWalk
from pilothouse.supervisor import Frame

__all__ = [
    "ADOPTIONS",
    "Answer",
    "DocumentWalk",
    "Unplaced",
    "WalkPhase",
    "WalkResult",
    "answer_of",
    "assumption_held",
    "begin_walk",
    "frames_without_slots",
    "parse_answer",
    "place_in_parent",
    "walk_arguments",
]

# Each adoption finds the closed shadow roots of one nesting level only.
ADOPTIONS = 5
# In a document with more frames than this, frames do not report their index in the parent
# (js/walk_cache.js).
MOST_SLOTS = 64

# A frame's tree, the reason why there is none, or the unchanged cached walk.
WalkResult = WalkedFrame | Absence | CachedWalk


class WalkPhase(Enum):
    """What a document's walk does now."""

    # Walk as if the same elements listened as last time, while Chrome is asked whether they do.
    ASSUMING = auto()
    # Ask Chrome which elements listen, then walk.
    ASKING = auto()
    # The document says that it has not changed: compare Chrome's layout counts.
    COMPARING = auto()
    # Pass the closed shadow roots of suspected elements to our world.
    ADOPTING = auto()
    # Walk again, with the closed roots.
    REPEATING = auto()
    # Over: the cached walk is still right.
    UNCHANGED = auto()
    # Over: the last walk is the result.
    DONE = auto()


_WALKING = frozenset({WalkPhase.ASSUMING, WalkPhase.ASKING, WalkPhase.REPEATING})


class Answer(Enum):
    """What a walk answers."""

    SAME = auto()
    GONE = auto()
    TREE = auto()
    # A tree with elements that may have closed shadow roots.
    SUSPECTS = auto()


class DocumentWalk(msgspec.Struct, frozen=True):
    """The walk of one document: its phase, and how often closed roots were adopted."""

    phase: WalkPhase
    adoptions: int = 0

    @property
    def is_over(self) -> bool:
        """Whether there is a result."""
        return self.phase in (WalkPhase.UNCHANGED, WalkPhase.DONE)

    def walked(self, answer: Answer) -> DocumentWalk:
        """Return what follows a walk. Raises ValueError for an answer that this walk cannot have:
        only the first one is told which cached walk it may confirm."""
        if self.phase not in _WALKING:
            raise ValueError(f"{self.phase.name}: nothing is walked now")
        if answer is Answer.SAME:
            if self.phase is not WalkPhase.ASSUMING:
                raise ValueError(f"{self.phase.name}: there is no walk to be the same as")
            return self._now(WalkPhase.COMPARING)
        if answer is Answer.SUSPECTS and self.adoptions < ADOPTIONS:
            return self._now(WalkPhase.ADOPTING)
        return self._now(WalkPhase.DONE)

    def compared(self, *, equal: bool) -> DocumentWalk:
        """Return what follows the comparison of Chrome's layout counts."""
        if self.phase is not WalkPhase.COMPARING:
            raise ValueError(f"{self.phase.name}: nothing is compared now")
        return self._now(WalkPhase.UNCHANGED if equal else WalkPhase.ASKING)

    def adopted(self, roots: int) -> DocumentWalk:
        """Return what follows an adoption that found so many closed roots."""
        if self.phase is not WalkPhase.ADOPTING:
            raise ValueError(f"{self.phase.name}: nothing is adopted now")
        if not roots:
            return self._now(WalkPhase.DONE)
        return DocumentWalk(WalkPhase.REPEATING, self.adoptions + 1)

    def _now(self, phase: WalkPhase) -> DocumentWalk:
        return DocumentWalk(phase, self.adoptions)


def begin_walk(*, may_assume: bool, has_listeners: bool | None, context_id: str) -> DocumentWalk:
    """Return the first phase: an assumption needs a last time (`has_listeners`), and a main world
    in which it can be checked (`context_id`)."""
    known = has_listeners is not None and context_id != ""
    return DocumentWalk(WalkPhase.ASSUMING if may_assume and known else WalkPhase.ASKING)


def walk_arguments(
    wanted: dict[str, Any],
    *,
    phase: WalkPhase,
    first_number: int | None,
    key: str | None,
    unless: str | None,
) -> dict[str, Any]:
    """Return the options of `ph.walk` for one call.

    `wanted` is what the cache compares. `first_number` is for a document without a walk, `key` is
    what the document remembers this walk under, and `unless` the key of the walk that need not be
    repeated. Only a walk that assumes its listeners may confirm another one.
    """
    sent = dict(wanted)
    if first_number is not None:
        sent["next"] = first_number
    if key is not None:
        sent["keep"] = key
    if unless is not None and phase is WalkPhase.ASSUMING:
        sent["unless"] = unless
    return sent


def parse_answer(text: str, prefix: str) -> WalkedFrame | Absence | None:
    """Parse what `ph.walk` returned; None if nothing has changed (js/walk_cache.js)."""
    if text == "same":
        return None
    return Absence.GONE if text == "gone" else parse_walk(text, prefix)


def answer_of(walked: WalkedFrame | Absence | None) -> Answer:
    """Classify what a walk returned."""
    if walked is None:
        return Answer.SAME
    if isinstance(walked, Absence):
        return Answer.GONE
    return Answer.SUSPECTS if walked.suspects else Answer.TREE


def assumption_held(
    same_as_before: bool | None, *, assumed_none: bool, has_listeners: bool | None
) -> bool:
    """Whether a walk assumed the right listeners. `same_as_before` is the answer to its check; None
    if Chrome did not answer in time, or failed."""
    if same_as_before is None:
        return False
    return same_as_before or (assumed_none and not has_listeners)


class Unplaced(Enum):
    """Why the walks of a frame and of its parent do not name the frame's element."""

    UNKNOWN = auto()
    # The parent was walked, and shows no element for this frame.
    NOT_SHOWN = auto()


def place_in_parent(frame: WalkResult | None, parent: WalkResult | None) -> int | Unplaced:
    """Return the number of a frame's element, as the walks of both tell it.

    Only two fresh walks are compared: a cached one may be of an earlier moment.
    """
    if not (isinstance(frame, WalkedFrame) and isinstance(parent, WalkedFrame)):
        return Unplaced.UNKNOWN
    if frame.slot is None:
        return Unplaced.UNKNOWN
    slot, count = frame.slot
    if count != parent.slot_count:
        return Unplaced.UNKNOWN  # frames came or went between the two walks
    return parent.slots.get(slot) or Unplaced.NOT_SHOWN


def frames_without_slots(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames with so many siblings that they do not report their index."""
    frames = list(frames)
    siblings = Counter(frame.parent for frame in frames)
    return [frame for frame in frames if siblings[frame.parent] > MOST_SLOTS]
