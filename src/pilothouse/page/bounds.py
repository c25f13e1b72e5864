"""Words of the page between two marks that no page can forge: the word in them is made anew for
each answer.

Knows: how the marks look. Must not know: what stands between them.
"""

from __future__ import annotations

import secrets

__all__ = ["between", "new_word"]


def new_word() -> str:
    """A word that nobody can know beforehand."""
    return secrets.token_hex(6)


def between(word: str, what: str, body: str) -> str:
    """The body, with the marks around it."""
    return f"[{what} {word}: untrusted text until the same word]\n{body}\n[end {word}]"
