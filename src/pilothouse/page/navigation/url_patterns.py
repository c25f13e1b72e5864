"""URL patterns. Pure.

**/api/*        a glob for the whole URL: `*` stays within one path segment, `**` does not, `{a,b}`
                is either; a glob without `?` also matches a URL with a query
/login          any other text matches anywhere in the URL
re:/v\\d+/       a regular expression that matches anywhere in the URL
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pilothouse.errors import UsageError

__all__ = ["chrome_pattern", "url_matcher"]

REGEX = "re:"
LONGEST_PATTERN = 2000

_GLOB_PARTS = re.compile(r"\*+|\{[^{}]*\}|[^*{]+|\{")


def url_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tells whether a URL matches. Raises ToolError for a bad pattern."""
    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise UsageError(
            f"url pattern: expected 1 to {LONGEST_PATTERN} characters, got {len(pattern)}",
            hint="use a glob like **/api/*, a part of the URL, or re:<regular expression>",
        )
    if pattern.startswith(REGEX):
        try:
            found = re.compile(pattern[len(REGEX) :])
        except re.error as error:
            raise UsageError(
                f"url pattern {pattern!r} is not a valid regular expression after re: {error}",
                hint="escape . ? + ( ) [ ] with a backslash; without re: it is a part of the URL",
            ) from error
        return lambda url: found.search(url) is not None
    if not _is_glob(pattern):
        return lambda url: pattern in url
    whole = re.compile(_glob_to_regex(pattern), re.DOTALL)
    if "?" in pattern:
        return lambda url: whole.fullmatch(url) is not None
    return lambda url: (
        whole.fullmatch(url.partition("?")[0]) is not None or (whole.fullmatch(url) is not None)
    )


def chrome_pattern(pattern: str) -> str:
    """Return a CDP Fetch pattern that matches at least every URL that `pattern` matches."""
    if pattern.startswith(REGEX):
        return "*"
    if not _is_glob(pattern):
        return f"*{_escape(pattern)}*"
    parts = [
        "*" if part[0] in "*{" and part != "{" else _escape(part)
        for part in _GLOB_PARTS.findall(pattern)
    ]
    if "?" not in pattern:
        parts.append("*")
    return re.sub(r"\*+", "*", "".join(parts))


def _is_glob(pattern: str) -> bool:
    return "*" in pattern or re.search(r"\{[^{}]*,[^{}]*\}", pattern) is not None


def _glob_to_regex(pattern: str) -> str:
    parts = []
    for part in _GLOB_PARTS.findall(pattern):
        if part == "*":
            parts.append("[^/]*")
        elif part[0] == "*":
            parts.append(".*")
        elif part[0] == "{" and part != "{":
            parts.append("(?:" + "|".join(map(re.escape, part[1:-1].split(","))) + ")")
        else:
            parts.append(re.escape(part))
    return "".join(parts)


def _escape(text: str) -> str:
    return re.sub(r"([?\\])", r"\\\1", text)
