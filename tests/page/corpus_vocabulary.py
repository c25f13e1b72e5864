"""Words and chances for the corpus.

Knows: one seeded source of chance. Must not know: HTML beyond escaping.
"""

from __future__ import annotations

import html
import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Pick", "listed"]

T = TypeVar("T")


def listed(words: str) -> list[str]:
    """Words as a list."""
    return words.split()


_WORDS = listed(
    "anchor bridge compass deck engine ferry galley harbour island jetty keel lantern mast north "
    "oar port quay rudder sail tide upper valve wheel yard zone pilot chart signal rope buoy wave"
)
_ODD = (
    "café",
    "naïve",
    "שלום",
    "مرحبا",
    "日本",
    "Ω",
    "🚢",
    "⚓ 🧭",
    "—",
    "100 %",
    "a&b",
    '"so"',
    "x<y",
)


class Pick:
    """Chance with a memory for ids: the same seed says the same things."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._ids = 0

    def one(self, *options: T) -> T:
        """One of these."""
        return self._random.choice(options)

    def some(self, options: Sequence[T], count: int) -> list[T]:
        """Several different ones of these."""
        return self._random.sample(options, min(count, len(options)))

    def number(self, low: int, high: int) -> int:
        """A number, both ends included."""
        return self._random.randint(low, high)

    def chance(self, share: float) -> bool:
        """True about this often."""
        return self._random.random() < share

    def maybe(self, text: str, share: float = 0.5) -> str:
        """The text, or nothing."""
        return text if self.chance(share) else ""

    def word(self) -> str:
        """A word, now and then an unusual one, safe in text and in quoted attributes."""
        return html.escape(self.one(*_ODD) if self.chance(0.08) else self.one(*_WORDS))

    def phrase(self, most: int = 4) -> str:
        """One to `most` words."""
        return " ".join(self.word() for _ in range(self.number(1, most)))

    def gap(self) -> str:
        """White space as people write it."""
        return self.one("", " ", "\n  ", "\t", "  ", "&nbsp;", "\n\n")

    def fresh(self, stem: str = "n") -> str:
        """An id no other element of the page has."""
        self._ids += 1
        return f"{stem}{self._ids}"
