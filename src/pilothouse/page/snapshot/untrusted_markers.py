"""Untrusted-text markers: words of a page, a server or a plugin between two marks that nobody can
forge, because the word in them is made anew for each answer.

Knows: how the marks look. Must not know: what stands between them. That a text looks marked proves
nothing, since anybody can write marks: whoever sets marks around a text takes all others out.
"""

from __future__ import annotations

import re
import secrets

__all__ = ["between", "escape_markers", "new_word", "unwrap_untrusted"]

PAGE = "page text"
_MARKED = re.compile(
    r"\[begin untrusted ([a-z ]+) ([0-9a-f]{12})\]\n(.*)\n\[end untrusted \1 \2\]", re.DOTALL
)
_LIKE_OURS = re.compile(r"\[((?:begin|end) untrusted\b[^\[\]\n]*)\]", re.IGNORECASE)


def new_word() -> str:
    """A word that nobody can know beforehand."""
    return secrets.token_hex(6)


def between(word: str, body: str, what: str = PAGE) -> str:
    """The body, with the marks around it."""
    return f"[begin untrusted {what} {word}]\n{body}\n[end untrusted {what} {word}]"


def unwrap_untrusted(text: str) -> str:
    """A text without the pair of marks around it, for whoever sets others around more than it. The
    marks may be forged: nothing follows from them."""
    found = _MARKED.fullmatch(text)
    return found[3] if found else text


def escape_markers(text: str) -> str:
    """A text in which nothing looks like marks of ours: round brackets instead of square ones."""
    return _LIKE_OURS.sub(r"(\1)", text)
