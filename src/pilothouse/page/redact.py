"""Takes secrets out of text before it is kept: pure.

Knows: what secrets look like. This guards against accidents; it is no proof that nothing secret is
left, so what is kept has private files and an end as well. Must not know: where text comes from.

Every pattern is linear: page text is long, and may be written to be slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

__all__ = ["redact", "redact_headers", "redact_url", "redact_value"]

# Shorter secrets would blot out half of the page.
SHORTEST_SECRET = 4

_SECRET_WORDS = frozenset(
    """accesskey apikey assertion auth authorization codeverifier credential credentials csrf cvc
    cvv jwt otp pass passcode passphrase passwd password pin privatekey pwd secret session sessionid
    sid sig signature token totp xsrf""".split()  # noqa: SIM905 - a list is easier to read as text
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-cookie",
        "set-cookie2",
        "x-amz-security-token",
        "x-api-key",
        "x-auth-token",
        "x-csrf-token",
        "x-xsrf-token",
    }
)

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("otp seed", re.compile(r"otpauth(?:-migration)?://[^\s\"'<>)\]]{1,2000}", re.IGNORECASE)),
    (
        "private key",
        re.compile(
            r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{1,20000}"
            r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
        ),
    ),
    ("token", re.compile(r"\beyJ[\w-]{8,4000}\.[\w-]{8,8000}(?:\.[\w-]{0,4000})?")),
    (
        "token",
        re.compile(
            r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}"
            r"|xox[abeoprs]-[\w-]{10,255}|xapp-[\w-]{10,255}|npm_[A-Za-z0-9]{30,64}"
            r"|pypi-[\w-]{30,255}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,255}"
            r"|sk-[\w-]{16,255}|AKIA[A-Z0-9]{12,20}|ASIA[A-Z0-9]{12,20}|AIza[\w-]{30,50}"
            r"|ya29\.[\w-]{20,400}|hf_[A-Za-z0-9]{20,64})"
        ),
    ),
)
_HEADER_LINE = re.compile(
    rf"(?im)^([ \t>*-]{{0,8}}[\"']?(?:{'|'.join(sorted(_HEADERS))})[\"']?[ \t]{{0,4}}[:=])"
    r"[ \t]{0,4}[^\r\n]{1,8000}"
)
_SCHEME = re.compile(r"\b(Bearer|Basic|Digest|Negotiate|ApiKey)[ \t]{1,4}[\w.~+/=-]{8,8000}")
_FIELD = re.compile(
    r"([\"']([\w.-]{2,60})[\"'][ \t]{0,4}:[ \t]{0,4})"
    r"(\"(?:[^\"\\\r\n]|\\.){1,8000}\"|'(?:[^'\\\r\n]|\\.){1,8000}')"
)
_INPUT = re.compile(r"<input\b[^>]{0,4000}>", re.IGNORECASE)
_PASSWORD_INPUT = re.compile(
    r"type\s{0,4}=\s{0,4}[\"']?password|autocomplete\s{0,4}=\s{0,4}[\"']?(?:cc-|one-time|current-p|new-p)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(\bvalue\s{0,4}=\s{0,4})(\"[^\"]{0,4000}\"|'[^']{0,4000}'|[^\s>\"']{1,4000})", re.IGNORECASE
)
# A line of a snapshot: - textbox "Password" [ref=e3]: value
_LABELLED = re.compile(
    r"(?im)^([ \t]{0,80}- (?:textbox|searchbox|input)[^\r\n]{0,600}\]:)[^\r\n]{1,4000}"
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>`]{1,8000}", re.IGNORECASE)
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*://)[^/?#@]{1,400}@", re.IGNORECASE)
_PAIR = re.compile(r"([?&#;])([^=&#;?]{1,100})=([^&#;]{1,8000})")
_LONG = re.compile(r"[A-Za-z0-9_~+/=.%-]{24,}")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without what looks like a secret, and without `secrets`."""
    # The longest first: one may be a part of another.
    for secret in sorted({s for s in secrets if len(s) >= SHORTEST_SECRET}, key=len, reverse=True):
        text = text.replace(secret, _mark("secret"))
    for what, pattern in _PATTERNS:
        text = pattern.sub(_mark(what), text)
    text = _INPUT.sub(_without_value, text)
    text = _LABELLED.sub(_labelled, text)
    text = _HEADER_LINE.sub(lambda m: f"{m[1]} {_mark('header')}", text)
    text = _SCHEME.sub(lambda m: f"{m[1]} {_mark('credentials')}", text)
    text = _FIELD.sub(_field, text)
    text = _URL.sub(lambda m: redact_url(m[0]), text)
    return _CARD.sub(lambda m: _mark("card number") if _is_card(m[0]) else m[0], text)


def redact_url(url: str) -> str:
    """An address without passwords, tokens and long keys in its query and fragment."""
    url = _USERINFO.sub(lambda m: f"{m[1]}{_mark('credentials')}@", url)
    return _PAIR.sub(_pair, url)


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers without the values of those that carry credentials."""
    return {
        name: _mark("header")
        if name.lower() in _HEADERS or _is_secret_name(name)
        else redact(value)
        for name, value in headers.items()
    }


def redact_value(value: Any, secrets: Iterable[str] = ()) -> Any:
    """A JSON value, redacted all through; what a secret's name stands over goes whole."""
    known = tuple(secrets)
    match value:
        case str():
            return redact(value, known)
        case Mapping():
            return {
                redact(str(key), known): _mark("field")
                if isinstance(part, str) and part and _is_secret_name(str(key))
                else redact_value(part, known)
                for key, part in value.items()
            }
        case list() | tuple():
            return [redact_value(part, known) for part in value]
    return value


def _mark(what: str) -> str:
    return f"[redacted {what}]"


def _without_value(match: re.Match[str]) -> str:
    tag = match[0]
    if not _PASSWORD_INPUT.search(tag):
        return tag
    return _VALUE.sub(lambda m: f'{m[1]}"{_mark("field")}"', tag)


def _labelled(match: re.Match[str]) -> str:
    return f"{match[1]} {_mark('field')}" if _is_secret_name(match[1]) else match[0]


def _field(match: re.Match[str]) -> str:
    quote = match[3][0]
    inside = match[3][1:-1]
    if inside.startswith("[redacted ") or not _is_secret_name(match[2]):
        return match[0]
    return f"{match[1]}{quote}{_mark('field')}{quote}"


def _pair(match: re.Match[str]) -> str:
    mark, name, value = match.groups()
    if value.startswith("[redacted "):
        return match[0]
    if _is_secret_name(name) or name.lower() in ("code", "key") or _is_key(value):
        return f"{mark}{name}={_mark('parameter')}"
    return match[0]


def _is_secret_name(name: str) -> bool:
    """Whether one word of a name, or two that belong together, stands for a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    pairs = [first + second for first, second in pairwise(words)]
    return not _SECRET_WORDS.isdisjoint((*words, *pairs))


def _is_key(value: str) -> bool:
    """Long, and no words: letters and digits mixed, as in a key."""
    run = _LONG.fullmatch(value)
    return (
        run is not None
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and not re.fullmatch(r"[A-Za-z0-9]{1,14}(?:[-_.+%/][A-Za-z0-9]{0,14})*", value)
    )


def _is_card(text: str) -> bool:
    """The check digit fits, and it is not one digit over and over."""
    digits = [int(c) for c in text if c.isdigit()]
    if len(set(digits)) < 2 or digits[0] == 0:
        return False
    doubled = [d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
