"""How near an extracted text is to the expected one: words and runs of four words. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

__all__ = ["Score", "averaged", "compared", "contains", "grams", "sentences_score", "words"]

# Scripts without spaces count by the character, all others by the word.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(f"[{_SPACELESS}]|[^\\W_{_SPACELESS}]+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Score:
    """Precision and recall; F1 is their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.lower())


def grams(said: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    """Every run of `size` words; a shorter text is one run."""
    if not said:
        return Counter()
    return Counter(tuple(said[at : at + size]) for at in range(max(1, len(said) - size + 1)))


def compared(text: str, expected: str, size: int) -> Score:
    """One page's score by runs of `size` words."""
    got, wanted = grams(words(text), size), grams(words(expected), size)
    both = sum((got & wanted).values())
    total, asked = sum(got.values()), sum(wanted.values())
    return Score(both / total if total else 0.0, both / asked if asked else 0.0)


def sentences_score(found: Sequence[tuple[int, int, int, int]]) -> Score:
    """From (wanted found, wanted, unwanted found, unwanted) of each page, over all sentences."""
    hits, asked = sum(f[0] for f in found), sum(f[1] for f in found)
    wrong = sum(f[2] for f in found)
    return Score(hits / (hits + wrong) if hits else 0.0, hits / asked if asked else 0.0)


def contains(text: str, sentence: str) -> bool:
    """Whether the text holds the sentence, whatever the spaces."""
    return _SPACE.sub(" ", sentence).strip() in _SPACE.sub(" ", text)


def averaged(scores: Sequence[Score]) -> Score:
    """The mean of each figure over the pages."""
    if not scores:
        return Score(0.0, 0.0)
    return Score(mean(s.precision for s in scores), mean(s.recall for s in scores))
