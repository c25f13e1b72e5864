"""Removes secrets from everything that is returned, stored or logged. Pure.

    Redactor({"SHOP": "P@ss"}).redact({"url": "/?p=P%40ss"})     # {"url": "/?p=[secret SHOP]"}
    redact("Authorization: Bearer abc...")                       # what looks like a secret
    redact_endpoint("wss://user:pass@host/x?token=1")            # wss://host/x?…

`Redactor` knows the values of secrets and finds them in every encoding (secret_encodings.py). It
leaves images and other binary data in base64 alone. `redact` and the functions around it recognize
what looks like a secret. This protects against accidents. It does not prove that no secret is left,
so stored text is also kept in private files and deleted in time.

Knows: what must not be shown. Must not know: where text comes from or goes. Every pattern runs in
linear time, because page text is long and may be hostile.
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
from pilothouse.security.secret_encodings import encodings_pattern

__all__ = [
    "CREDENTIAL_HEADERS",
    "MIN_SECRET_LENGTH",
    "Redactor",
    "redact",
    "redact_endpoint",
    "redact_url",
    "redact_value",
    "strip_userinfo",
]

# Shorter secrets would match everywhere in a page.
MIN_SECRET_LENGTH = 4

# Fields that may hold base64: images, files, bodies.
_BINARY_FIELDS = frozenset({"data", "blob", "body", "text"})
# First characters of PNG, JPEG, GIF, WebP and PDF files in base64.
_MAGIC = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_IMAGE_URL = (
    r"data:(?:image/(?:png|jpeg|gif|webp)|application/pdf);base64,"
    rf"(?:{'|'.join(map(re.escape, _MAGIC))})[A-Za-z0-9+/]*={{0,2}}"
)
_IMAGE = re.compile(_IMAGE_URL)

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
_SNAPSHOT_LINE = re.compile(
    r"(?im)^([ \t]{0,80}- (?:textbox|searchbox|input)[^\r\n]{0,600}\]:)[^\r\n]{1,4000}"
)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s\"'<>`]{1,8000}", re.IGNORECASE)
_USERINFO = re.compile(r"^([a-z][a-z0-9+.-]*://)[^/?#@]{1,400}@", re.IGNORECASE)
_CREDENTIALS = re.compile(r"://[^/@\s]+@")
_PAIR = re.compile(r"([?&#;])([^=&#;?]{1,100})=([^&#;]{1,8000})")
_LONG = re.compile(r"[A-Za-z0-9_~+/=.%-]{24,}")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])")


class Redactor:
    """Removes known secrets, in every encoding, from any JSON value.

    values: the secrets by name
    mark: makes the replacement from a name
    """

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        mark: Callable[[str], str] = lambda name: f"[secret {name}]",
    ) -> None:
        self._mark = mark
        # Longest first: one secret may be part of another.
        self._values = sorted((values or {}).items(), key=lambda pair: -len(pair[1]))
        self._numbers = {value: name for name, value in self._values if value.isdigit()}
        self._pattern_of_name: dict[str, re.Pattern[str]] = {}

    def __bool__(self) -> bool:
        return bool(self._values)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Compiled on first use: it takes about 10 ms per value. Images come first in the pattern,
        # so that a match inside one is left alone.
        return re.compile(
            f"{_IMAGE_URL}|{encodings_pattern(*(value for _, value in self._values))}"
        )

    def redact(self, value: Any) -> Any:
        """Return a JSON value without the secrets; the same object if there are no secrets."""
        return self._redact_value(value) if self._values else value

    def redact_text(self, text: str) -> str:
        """Return a text without the secrets."""
        return self._pattern.sub(self._replace_match, text) if self._values else text

    def _redact_value(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return self._pattern.sub(self._replace_match, value)
        if kind is dict:
            return {
                self.redact_text(key) if type(key) is str else key: (
                    self._redact_binary(value, key, part)
                    if key in _BINARY_FIELDS and type(part) is str
                    else self._redact_value(part)
                )
                for key, part in value.items()
            }
        if kind is list or kind is tuple:
            return [self._redact_value(part) for part in value]
        if kind is int and self._numbers and (name := self._numbers.get(str(value))):
            return self._mark(name)
        if isinstance(value, Mapping):
            return self._redact_value(dict(value))
        return value

    def _replace_match(self, match: re.Match[str]) -> str:
        if match[0].startswith("data:") and _IMAGE.fullmatch(match[0]):
            return match[0]
        for name, value in self._values:
            pattern = self._pattern_of_name.get(name)
            if pattern is None:
                pattern = self._pattern_of_name[name] = re.compile(encodings_pattern(value))
            if pattern.fullmatch(match.string, *match.span()):
                return self._mark(name)
        raise AssertionError("the match is no encoding of any secret")

    def _redact_binary(self, around: Mapping[str, Any], key: str, text: str) -> str:
        """Redact a field that may be base64.

        Images stay. Another body that is declared as base64 is replaced as a whole if its bytes
        contain a secret.
        """
        if text.startswith(_MAGIC) and _BASE64.fullmatch(text):
            return text
        said = around.get("encoding") == "base64" or (
            around.get("base64") is True or around.get("base64Encoded") is True
        )
        if not said:
            return self.redact_text(text)
        try:
            raw = base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            return self.redact_text(text)
        inside = raw.decode("utf-8", "replace")
        return text if self.redact_text(inside) == inside else self._mark(f"in {key}")

    @contextlib.contextmanager
    def redact_errors(self) -> Iterator[None]:
        """Remove the secrets from the texts of errors that are raised inside."""
        try:
            yield
        except PilothouseError as error:
            error.message, error.hint = (
                self.redact_text(error.message),
                self.redact_text(error.hint),
            )
            error.hints = {one: self.redact_text(hint) for one, hint in error.hints.items()}
            error.args = (error.message,)
            raise
        except Exception as error:
            said = str(error)
            if self.redact_text(said) == said:
                raise
            kind = TimeoutError if isinstance(error, TimeoutError) else RuntimeError
            raise kind(f"{type(error).__name__}: {self.redact_text(said)}") from None


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without what looks like a secret, and without `secrets`."""
    text = _redactor_for(tuple(secrets)).redact_text(text)
    for what, pattern in _PATTERNS:
        text = pattern.sub(_mark(what), text)
    text = _INPUT.sub(_redact_input, text)
    text = _SNAPSHOT_LINE.sub(_redact_snapshot_line, text)
    text = _HEADER_LINE.sub(lambda m: f"{m[1]} {_mark('header')}", text)
    text = _SCHEME.sub(lambda m: f"{m[1]} {_mark('credentials')}", text)
    text = _FIELD.sub(_redact_field, text)
    text = _URL.sub(lambda m: redact_url(m[0]), text)
    return _CARD.sub(lambda m: _mark("card number") if _is_card(m[0]) else m[0], text)


@lru_cache(maxsize=8)
def _redactor_for(secrets: tuple[str, ...]) -> Redactor:
    long = {secret: secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH}
    return Redactor(long, mark=lambda name: _mark("secret"))


def redact_url(url: str) -> str:
    """Return a URL without passwords, and without tokens and long keys in query and fragment."""
    url = _USERINFO.sub(lambda m: f"{m[1]}{_mark('credentials')}@", url)
    return _PAIR.sub(_redact_pair, url)


def strip_userinfo(text: str) -> str:
    """Return a text without user names and passwords in its URLs."""
    return _CREDENTIALS.sub("://", text)


def redact_endpoint(url: str) -> str:
    """Return the endpoint of a browser without user, password, query and fragment."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    hidden = re.sub(r"(?<=//)[^/]*@", "", bare)
    return hidden + ("?…" if bare != url else "")


def redact_value(value: Any, secrets: Iterable[str] = ()) -> Any:
    """Redact a whole JSON value. Fields with the name of a secret are replaced entirely."""
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


def _redact_input(match: re.Match[str]) -> str:
    tag = match[0]
    if not _PASSWORD_INPUT.search(tag):
        return tag
    return _VALUE.sub(lambda m: f'{m[1]}"{_mark("field")}"', tag)


def _redact_snapshot_line(match: re.Match[str]) -> str:
    return f"{match[1]} {_mark('field')}" if _is_secret_name(match[1]) else match[0]


def _redact_field(match: re.Match[str]) -> str:
    quote = match[3][0]
    inside = match[3][1:-1]
    if inside.startswith("[redacted ") or not _is_secret_name(match[2]):
        return match[0]
    return f"{match[1]}{quote}{_mark('field')}{quote}"


def _redact_pair(match: re.Match[str]) -> str:
    mark, name, value = match.groups()
    if value.startswith("[redacted "):
        return match[0]
    if _is_secret_name(name) or name.lower() in ("code", "key") or _is_key(value):
        return f"{mark}{name}={_mark('parameter')}"
    return match[0]


def _is_secret_name(name: str) -> bool:
    """Tell whether a word of the name, or two adjacent words, mean a secret."""
    words = [word.lower() for word in _WORD.findall(name)]
    pairs = [first + second for first, second in pairwise(words)]
    return not _SECRET_WORDS.isdisjoint((*words, *pairs))


def _is_key(value: str) -> bool:
    """Tell whether it looks like a key: long, letters and digits mixed, no words."""
    run = _LONG.fullmatch(value)
    return (
        run is not None
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and not re.fullmatch(r"[A-Za-z0-9]{1,14}(?:[-_.+%/][A-Za-z0-9]{0,14})*", value)
    )


def _is_card(text: str) -> bool:
    """Tell whether it is a card number: a valid check digit, and not one repeated digit."""
    digits = [int(c) for c in text if c.isdigit()]
    if len(set(digits)) < 2 or digits[0] == 0:
        return False
    doubled = [d if i % 2 == 0 else d * 2 - 9 * (d > 4) for i, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
