"""Untrusted-text markers: they enclose text of a page, an MCP server or a plugin in an answer.

    [begin untrusted page text 3f9c0a7be412]
    ...
    [end untrusted page text 3f9c0a7be412]

The nonce is new for each answer, so a page cannot forge the end marker. Knows: what markers look
like. Must not know: what is between them. A text that looks marked proves nothing, since anybody
can write markers: code that adds markers must first escape all others (`escape_markers`).
"""

from __future__ import annotations

import re
import secrets

__all__ = ["escape_markers", "new_nonce", "unwrap_untrusted", "wrap_untrusted"]

PAGE = "page text"
_MARKED = re.compile(
    r"\[begin untrusted ([a-z ]+) ([0-9a-f]{12})\]\n(.*)\n\[end untrusted \1 \2\]", re.DOTALL
)
_LIKE_OURS = re.compile(r"\[((?:begin|end) untrusted\b[^\[\]\n]*)\]", re.IGNORECASE)


def new_nonce() -> str:
    """Return a nonce that no page can predict."""
    return secrets.token_hex(6)


def wrap_untrusted(nonce: str, body: str, what: str = PAGE) -> str:
    """Wrap a text in markers."""
    return f"[begin untrusted {what} {nonce}]\n{body}\n[end untrusted {what} {nonce}]"


def unwrap_untrusted(text: str) -> str:
    """Remove the pair of markers around a text, so that others can be put around more than it.

    The markers may be forged, so their presence proves nothing.
    """
    found = _MARKED.fullmatch(text)
    return found[3] if found else text


def escape_markers(text: str) -> str:
    """Replace the square brackets of everything that looks like our markers by round ones."""
    return _LIKE_OURS.sub(r"(\1)", text)
