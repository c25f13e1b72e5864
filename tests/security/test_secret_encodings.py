"""A text is found in every spelling that an encoder gives it."""

from __future__ import annotations

import base64
import html
import json
import quopri
import re
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.security.secret_encodings import encodings_pattern

VALUE = 'p@ss "w&rd"/é<42>'
# An escape of JSON, and no backslash that is escaped itself before a letter u.
_ESCAPE = re.compile(r"((?<!\\)(?:\\\\)*\\u)([0-9a-f]{4})")


def _spelt(value: str) -> dict[str, str]:
    raw = value.encode()
    inner = json.dumps(value)[1:-1]
    return {
        "plain": value,
        "json": inner,
        "json, upper case": _ESCAPE.sub(lambda m: m[1] + m[2].upper(), inner),
        "json, not ascii": json.dumps(value, ensure_ascii=False)[1:-1],
        "json, slashes escaped": inner.replace("/", "\\/"),
        "json in json": json.dumps(inner)[1:-1],
        "html": html.escape(value),
        "html, twice": html.escape(html.escape(value)),
        "html, all decimal": "".join(f"&#{ord(c)};" for c in value),
        "html, all hexadecimal": "".join(f"&#x{ord(c):X};" for c in value),
        "address": quote(value),
        "component": quote(value, safe=""),
        "component, lower case": re.sub("%..", lambda m: m[0].lower(), quote(value, safe="")),
        "component, twice": quote(quote(value, safe=""), safe=""),
        "component, all of it": "".join(f"%{byte:02x}" for byte in raw),
        "form": quote_plus(value),
        "quoted-printable": quopri.encodestring(raw, quotetabs=True).decode().replace("=\n", ""),
        "javascript": "".join(f"\\u{{{ord(c):x}}}" for c in value),
        "base64": base64.b64encode(raw).decode(),
        "basic": base64.b64encode(b"user:" + raw).decode(),
        "in the middle": base64.b64encode(b"ab" + raw + b"tail").decode(),
        "url base64": base64.urlsafe_b64encode(b"abc" + raw).decode(),
        "base64 in an address": quote(base64.b64encode(raw).decode(), safe=""),
        "hex": raw.hex(),
        "upper hex": raw.hex().upper(),
        "repr": repr(value)[1:-1],
    }


@pytest.mark.parametrize("way", _spelt(VALUE))
def test_a_text_is_found_in_each_spelling(way: str) -> None:
    found = re.search(encodings_pattern(VALUE), f"x {_spelt(VALUE)[way]} y")
    assert found is not None
    if "base64" not in way and way not in ("basic", "in the middle"):
        assert found.span() == (2, 2 + len(_spelt(VALUE)[way]))


@settings(max_examples=25)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=4, max_size=30))
def test_whatever_the_text_it_is_found_in_all_its_spellings(value: str) -> None:
    pattern = re.compile(encodings_pattern(value))
    for way, spelt in _spelt(value).items():
        assert pattern.search(spelt), way


@settings(max_examples=25)
@given(st.from_regex(r"[A-Za-z0-9]{4,8}", fullmatch=True), st.binary(max_size=5))
def test_short_ones_are_found_in_base64_at_every_place(value: str, before: bytes) -> None:
    coded = base64.b64encode(before + value.encode() + b":x").decode()
    assert re.search(encodings_pattern(value), coded)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("two  words", "two words"),
        ("two words", "two\xa0words"),
        ("two words", "two&nbsp;words"),
        ("two words", "two\nwords"),
        ("tab\there", "tabhere"),
        (" padded ", "x padded."),
        ("a\\b@c", "a/b@c"),
        ("\r\\00", "&#13;&#92;&#48;&#48;"),
        ("\\0047", "\\u{5c}\\u{30}\\u{30}\\u{34}\\u{37}"),
        ("4711", "\\34 711"),
        ("-4711", "-\\34 711"),
        ("gr\u00fcn", "gr%FCn"),
        ("\u20ac uro", "%80+uro"),
        ("\u20ac uro", "%u20AC%20uro"),
        ("\u20ac uro", "%26%238364%3B+uro"),
        ("\U0001f600 hi", "\\ud83d\\ude00 hi"),
        ("\U0001f600 hi", "%uD83D%uDE00%20hi"),
        ("one + two", "one+%2B+two"),
    ],
)
def test_what_fields_addresses_and_old_charsets_make_of_it_is_found(value: str, text: str) -> None:
    assert re.search(encodings_pattern(value), text)


@pytest.mark.parametrize("text", ["p@ss", "P@SS w&rd", "hunter", "1704711", "a%40b", "cGFzcw"])
def test_other_texts_are_not(text: str) -> None:
    assert not re.search(encodings_pattern(VALUE, "47114"), text)


@pytest.mark.parametrize("value", ["+ + + + + +", "\\\\\\\\\\\\", "%%%%%%", "%25%25%25", "aaaa b"])
@pytest.mark.parametrize("piece", ["+", "\\", "%25", "% ", "&amp;", "&#0", " \n", "a", "=20"])
def test_text_written_to_be_slow_is_not(value: str, piece: str) -> None:
    """Bounded, not asserted to be fast: a pattern that explodes takes minutes."""
    text = (piece * 100_000)[:100_000] + "!"
    started = time.monotonic()
    re.sub(encodings_pattern(value), "", text)
    assert time.monotonic() - started < 20
