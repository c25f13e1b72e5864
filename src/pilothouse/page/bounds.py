"""Untrusted-text markers: words of a page, a server or a plugin between two marks that nobody can
forge, because the word in them is made anew for each answer.

Knows: how the marks look, and which words it has made. Must not know: what stands between them.
That a text looks marked proves nothing, since anybody can write marks: only `is_marked` does.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict

__all__ = ["between", "is_marked", "new_word", "without_marks"]

_OPENING = re.compile(r"\[[^\[\]\n]* ([0-9a-f]{12}): untrusted text until the same word\]\n")
_LIKE_OURS = re.compile(r"\[([^\[\]\n]* ?[0-9a-f]{12}(?:: untrusted text until the same word)?)\]")
# Words whose texts are on their way. More are never under way at once; one that is forgotten is
# marked a second time.
MOST_WORDS = 4096
_made: OrderedDict[str, None] = OrderedDict()


def new_word() -> str:
    """A word that nobody can know beforehand."""
    return secrets.token_hex(6)


def between(word: str, what: str, body: str) -> str:
    """The body, with the marks around it."""
    _made[word] = None
    if len(_made) > MOST_WORDS:
        _made.popitem(last=False)
    return f"[{what} {word}: untrusted text until the same word]\n{body}\n[end {word}]"


def is_marked(text: str) -> bool:
    """Whether `between` made these marks, for this one answer: the word counts once, so that
    whoever reads it cannot use it again."""
    found = _OPENING.match(text)
    if found is None or not text.endswith(f"\n[end {found[1]}]") or text.count(found[1]) != 2:
        return False
    return _made.pop(found[1], False) is None


def without_marks(text: str) -> str:
    """A text in which nothing looks like marks of ours: round brackets instead of square ones."""
    return _LIKE_OURS.sub(r"(\1)", text)
