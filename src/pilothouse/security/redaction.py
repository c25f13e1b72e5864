"""The one redactor: takes secrets out of what is said, kept or logged. Pure.

    Redactor({"SHOP": "P@ss"}).redact({"url": "/?p=P%40ss"})     # {"url": "/?p=[secret SHOP]"}
    redact("Authorization: Bearer abc...")                       # what looks like a secret
    redact_endpoint("wss://user:pass@host/x?token=1")            # wss://host/x?…

`Redactor` knows the values of secrets and finds them in every spelling (spellings.py); it leaves
pictures and other binary data in base64 alone. `redact` and its kin know what secrets look like.
This guards against accidents; it is no proof that nothing secret is left, so what is kept has
private files and an end as well.

Knows: what must not be said. Must not know: where text comes from, or where it goes. Every pattern
is linear: page text is long, and may be written to be slow.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.security.secret_encodings import pattern_of

__all__ = [
    "CREDENTIAL_HEADERS",
    "SHORTEST_SECRET",
    "Redactor",
    "redact",
    "redact_endpoint",
    "redact_headers",
    "redact_url",
    "redact_value",
    "strip_userinfo",
]

# Shorter secrets would blot out half of the page.
SHORTEST_SECRET = 4

# Fields that hold base64: pictures, files, bodies.
_BINARY_FIELDS = frozenset({"data", "blob", "body", "text"})
# How a PNG, JPEG, GIF, WebP or PDF begins in base64.
_MAGIC = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_PICTURE_URL = (
    r"data:(?:image/(?:png|jpeg|gif|webp)|application/pdf);base64,"
    rf"(?:{'|'.join(map(re.escape, _MAGIC))})[A-Za-z0-9+/]*={{0,2}}"
)
_PICTURE = re.compile(_PICTURE_URL)

_SECRET_WORDS = frozenset(
    """accesskey apikey assertion auth authorization codeverifier credential credentials csrf cvc
    cvv jwt otp pass passcode passphrase passwd password pin privatekey pwd secret session sessionid
    sid sig signature token totp xsrf""".split()  # noqa: SIM905 - a list is easier to read as text
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
CREDENTIAL_HEADERS = frozenset(
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
    rf"(?im)^([ \t>*-]{{0,8}}[\"']?(?:{'|'.join(sorted(CREDENTIAL_HEADERS))})"
    r"[\"']?[ \t]{0,4}[:=])"
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
_CREDENTIALS = re.compile(r"://[^/@\s]+@")
_PAIR = re.compile(r"([?&#;])([^=&#;?]{1,100})=([^&#;]{1,8000})")
_LONG = re.compile(r"[A-Za-z0-9_~+/=.%-]{24,}")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])")


class Redactor:
    """Takes known values out of anything JSON can say, in every spelling. `values` by name;
    `mark` says what stands there instead."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        mark: Callable[[str], str] = lambda name: f"[secret {name}]",
    ) -> None:
        self._mark = mark
        # The longest first: one may be a part of another.
        self._values = sorted((values or {}).items(), key=lambda pair: -len(pair[1]))
        self._numbers = {value: name for name, value in self._values if value.isdigit()}
        self._each: dict[str, re.Pattern[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._values)

    @cached_property
    def _found(self) -> re.Pattern[str]:
        # When it is first needed: it takes some 10 ms a value. Pictures first: what matches as
        # one is left alone.
        return re.compile(f"{_PICTURE_URL}|{pattern_of(*(value for _, value in self._values))}")

    def redact(self, value: Any) -> Any:
        """A JSON value without the secrets; the same object if there are no secrets at all."""
        return self._redacted(value) if self._values else value

    def text(self, text: str) -> str:
        """A text without the secrets."""
        return self._found.sub(self._replaced, text) if self._values else text

    def _redacted(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return self._found.sub(self._replaced, value)
        if kind is dict:
            return {
                self.text(key) if type(key) is str else key: (
                    self._binary(value, key, part)
                    if key in _BINARY_FIELDS and type(part) is str
                    else self._redacted(part)
                )
                for key, part in value.items()
            }
        if kind is list or kind is tuple:
            return [self._redacted(part) for part in value]
        if kind is int and self._numbers and (name := self._numbers.get(str(value))):
            return self._mark(name)
        if isinstance(value, Mapping):
            return self._redacted(dict(value))
        return value

    def _replaced(self, match: re.Match[str]) -> str:
        if match[0].startswith("data:") and _PICTURE.fullmatch(match[0]):
            return match[0]
        for name, value in self._values:
            pattern = self._each.get(name)
            if pattern is None:
                pattern = self._each[name] = re.compile(pattern_of(value))
            if pattern.fullmatch(match.string, *match.span()):
                return self._mark(name)
        raise AssertionError("a spelling of no secret")

    def _binary(self, around: Mapping[str, Any], key: str, text: str) -> str:
        """A field that may be base64: pictures stay whole. Another body that is said to be base64
        goes whole if a secret is in its bytes."""
        if text.startswith(_MAGIC) and _BASE64.fullmatch(text):
            return text
        said = around.get("encoding") == "base64" or (
            around.get("base64") is True or around.get("base64Encoded") is True
        )
        if not said:
            return self.text(text)
        try:
            raw = base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            return self.text(text)
        inside = raw.decode("utf-8", "replace")
        return text if self.text(inside) == inside else self._mark(f"in {key}")

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Errors from within say no secret either."""
        try:
            yield
        except PilothouseError as error:
            error.message, error.hint = self.text(error.message), self.text(error.hint)
            error.args = (error.message,)
            raise
        except Exception as error:
            said = str(error)
            if self.text(said) == said:
                raise
            kind = TimeoutError if isinstance(error, TimeoutError) else RuntimeError
            raise kind(f"{type(error).__name__}: {self.text(said)}") from None


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without what looks like a secret, and without `secrets`."""
    text = _known(tuple(secrets)).text(text)
    for what, pattern in _PATTERNS:
        text = pattern.sub(_mark(what), text)
    text = _INPUT.sub(_without_value, text)
    text = _LABELLED.sub(_labelled, text)
    text = _HEADER_LINE.sub(lambda m: f"{m[1]} {_mark('header')}", text)
    text = _SCHEME.sub(lambda m: f"{m[1]} {_mark('credentials')}", text)
    text = _FIELD.sub(_field, text)
    text = _URL.sub(lambda m: redact_url(m[0]), text)
    return _CARD.sub(lambda m: _mark("card number") if _is_card(m[0]) else m[0], text)


@lru_cache(maxsize=8)
def _known(secrets: tuple[str, ...]) -> Redactor:
    long = {secret: secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
    return Redactor(long, mark=lambda name: _mark("secret"))


def redact_url(url: str) -> str:
    """An address without passwords, tokens and long keys in its query and fragment."""
    url = _USERINFO.sub(lambda m: f"{m[1]}{_mark('credentials')}@", url)
    return _PAIR.sub(_pair, url)


def strip_userinfo(text: str) -> str:
    """A text without the user and password of addresses in it."""
    return _CREDENTIALS.sub("://", text)


def redact_endpoint(url: str) -> str:
    """The address of a browser without what may be secret: user, password, query, fragment."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    hidden = re.sub(r"(?<=//)[^/]*@", "", bare)
    return hidden + ("?…" if bare != url else "")


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers without the values of those that carry credentials."""
    return {
        name: _mark("header")
        if name.lower() in CREDENTIAL_HEADERS or _is_secret_name(name)
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
