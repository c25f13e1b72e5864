"""URLs as agents write them: which may be opened, and what a pattern matches. Pure.

Knows: schemes and hosts. Must not know: tabs, sessions, requests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from pilothouse.errors import NotPermitted, UsageError
from pilothouse.page.navigation.url_patterns import url_matcher

__all__ = ["Pattern", "describe_pattern", "normalize_url", "pattern_matcher"]

Pattern = str | re.Pattern[str]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_LOOPBACK = re.compile(r"(localhost|[^/?#@]*\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?([/?#]|$)")
_HOST_AND_PORT = re.compile(r"[^/?#@:]+:\d+([/?#]|$)")

# Schemes of the browser itself or of other extensions.
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
    """Return the full URL to navigate to. Raises ToolError if it is invalid or not allowed.

    `allowed` tells which schemes are allowed besides the usual ones.
    """
    url = url.strip()
    if not url:
        raise UsageError("url: empty", hint='give a URL such as "https://example.com/"')
    scheme = _scheme(url)
    # Local servers rarely have certificates, so loopback hosts get http.
    if not scheme:
        url = url.removeprefix("//")
        scheme = "http" if _LOOPBACK.match(url) else "https"
        url = f"{scheme}://{url}"
    if scheme == "javascript":
        raise UsageError(
            "url: javascript: URLs are not supported", hint="run the code with evaluate"
        )
    internal = scheme in _BROWSER_SCHEMES and not allowed(scheme)
    if internal or (scheme == "about" and not url.lower().startswith(_BLANK_URLS)):
        raise UsageError(
            f"url: {scheme}: pages belong to the browser and cannot be opened",
            hint="use an http or https URL, or about:blank",
        )
    if scheme == "file" and not files and not allowed(scheme):
        raise NotPermitted(
            "url: file: URLs are not allowed here",
            hint="serve the file over http, or ask the user to allow them (policies: "
            "schemes: {file: allow} in config.yaml)",
        )
    if scheme in ("http", "https"):
        _check_host(url)
    return url


def _scheme(url: str) -> str:
    """Return the scheme, if any: `example.com:8080/x` and `localhost:3000` have none."""
    match = _SCHEME.match(url)
    return "" if match is None or _HOST_AND_PORT.match(url) else match[1].lower()


def _check_host(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and (parts.port is None or parts.port >= 0)
    except ValueError as error:
        raise UsageError(
            f"url: {url[:200]!r} is not a valid URL: {error}", hint="check its spelling"
        ) from None
    if not usable or any(c.isspace() for c in parts.netloc):
        raise UsageError(
            f"url: {url[:200]!r} has no host",
            hint='give a URL such as "https://example.com/path"',
        )


def pattern_matcher(pattern: Pattern) -> Callable[[str], bool]:
    """Return a function that tells whether a URL matches a text pattern or a compiled
    expression.

    Raises ToolError for a bad text pattern (see url_patterns.py).
    """
    if isinstance(pattern, re.Pattern):
        compiled = pattern
        return lambda url: compiled.search(url) is not None
    return url_matcher(pattern)


def describe_pattern(pattern: object) -> str:
    """Return a pattern for use in a message."""
    if isinstance(pattern, re.Pattern):
        return f"/{pattern.pattern}/"
    return repr(pattern) if isinstance(pattern, str) else "the predicate"
