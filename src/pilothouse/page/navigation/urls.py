"""Addresses as agents write them: what may be gone to, and what a pattern matches. Pure.

Knows: schemes and hosts. Must not know: tabs, sessions, requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from pilothouse.errors import ToolError
from pilothouse.page.navigation.url_patterns import url_matcher

__all__ = ["Pattern", "describe_pattern", "normalize_url", "pattern_matcher"]

Pattern = str | re.Pattern[str]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_LOOPBACK = re.compile(r"(localhost|[^/?#@]*\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#]|$)")
_HOST_AND_PORT = re.compile(r"[^/?#@:]+:\d+([/?#]|$)")

# What belongs to the browser itself, or to other extensions.
_BROWSER_SCHEMES = frozenset(
    {
        "chrome",
        "chrome-error",
        "chrome-extension",
        "chrome-search",
        "chrome-untrusted",
        "devtools",
        "edge",
        "brave",
        "isolated-app",
        "view-source",
    }
)
_BLANK_URLS = ("about:blank", "about:srcdoc")


def normalize_url(
    url: str, *, files: bool = False, allowed: Callable[[str], bool] = lambda scheme: False
) -> str:
    """The address to go to. Raises ToolError for one that is no page or not allowed; `allowed`
    says which schemes are, beside the usual ones."""
    url = url.strip()
    if not url:
        raise ToolError("url is empty", hint='give an address such as "https://example.com/"')
    scheme = _scheme(url)
    if not scheme:
        url = url.removeprefix("//")
        scheme = "http" if _LOOPBACK.match(url) else "https"
        url = f"{scheme}://{url}"
    if scheme == "javascript":
        raise ToolError(
            "url: javascript: addresses are not gone to", hint="run the code with evaluate"
        )
    internal = scheme in _BROWSER_SCHEMES and not allowed(scheme)
    if internal or (scheme == "about" and not url.lower().startswith(_BLANK_URLS)):
        raise ToolError(
            f"url: {scheme}: pages belong to the browser itself and are not opened",
            hint="use an http or https address, or about:blank",
        )
    if scheme == "file" and not files and not allowed(scheme):
        raise ToolError(
            "url: file: addresses are not allowed here",
            hint="serve the file over http, or let the owner of the browser allow files",
        )
    if scheme in ("http", "https"):
        _check_host(url)
    return url


def _scheme(url: str) -> str:
    """The scheme, if there is one: `example.com:8080/x` and `localhost:3000` have none."""
    match = _SCHEME.match(url)
    return "" if match is None or _HOST_AND_PORT.match(url) else match[1].lower()


def _check_host(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port >= 0)
    except ValueError as error:
        raise ToolError(f"url: {url[:200]!r} is no address: {error}", hint="check it") from None
    if not usable or any(c.isspace() for c in parts.netloc):
        raise ToolError(
            f"url: {url[:200]!r} names no host",
            hint='give an address such as "https://example.com/path"',
        )


def pattern_matcher(pattern: Pattern) -> Callable[[str], bool]:
    """Whether an address fits: a compiled expression anywhere in it, text as url_patterns.py
    has it. Raises ToolError for a pattern that means nothing."""
    if isinstance(pattern, re.Pattern):
        compiled = pattern
        return lambda url: compiled.search(url) is not None
    return url_matcher(pattern)


def describe_pattern(pattern: object) -> str:
    """A pattern for a message."""
    if isinstance(pattern, re.Pattern):
        return f"/{pattern.pattern}/"
    return repr(pattern) if isinstance(pattern, str) else "the predicate"
