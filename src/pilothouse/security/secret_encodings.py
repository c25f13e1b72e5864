"""Builds one pattern for all encodings in which a browser, form or program may return a text.

    encodings_pattern("P@ss w0rd")     # matches P%40ss+w0rd, P&#64;ss w0rd, "UEBzcyB3MHJk", ...

Each character that encoders change may appear in any of its encodings, so mixtures are found, too:
percent-encoding in any encode set, any hex case and up to four times over, form encoding, legacy
charsets and `escape()`, HTML entities, JSON, JavaScript and CSS escapes, quoted-printable. Base64
is found at all three alignments, and the bytes in hexadecimal. Browsers leave letters and digits
alone: escaped ones are searched only if the first character is escaped.

Knows: encoders. Must not know: what is done with a match. Every alternative starts with a literal,
because `re` then skips text by a table of first characters. Every repetition is bounded, because
page text may be hostile.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from urllib.parse import quote

__all__ = ["encodings_pattern"]

# What encodeURIComponent leaves alone, besides letters and digits.
_COMPONENT = "-_.!~*'()"
# Shorter pieces of base64 match almost anything, so the bits around them must fit as well.
_MIN_BASE64_PIECE = 6
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

_PERCENT = r"%(?:25){0,3}"
_ENTITY = r"&(?:amp;){0,3}"
_NAMED_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v"}
_SPACES = frozenset(" \t\n\r\f\v\xa0")
# The URL parser removes these anywhere.
_DROPPED = frozenset("\t\n\r")

_ALPHANUMERIC = re.compile("[A-Za-z0-9]")
_REPEATED = re.compile(r".[{?*+]")

# One encoding: its first character, a literal, and the regular expression after it.
_Encoding = tuple[str, str]
# One or more characters of the text: their plain encodings, and their escaped ones.
_Token = tuple[tuple[_Encoding, ...], tuple[_Encoding, ...]]


def encodings_pattern(*values: str) -> str:
    """Return a regular expression, without groups, that matches every encoding of these texts."""
    return _one_of([encoding for value in values for encoding in _encodings(value)], wrap=False)


def _encodings(value: str) -> Iterator[_Encoding]:
    core = value.strip() if len(value.strip()) >= 4 else value
    yield from _alternatives(_tokens(core, form=False))
    if _SPACES.intersection(core):
        # In form encoding + means a space, and a + of the text is always escaped.
        yield from _alternatives(_tokens(core, form=True))
    raw = core.encode("utf-8", "surrogatepass")
    yield from ((hexed[0], hexed[1:]) for hexed in (raw.hex(), raw.hex().upper()))
    for one in _byte_strings(core):
        yield from _base64(one)


def _alternatives(tokens: list[_Token]) -> Iterator[_Encoding]:
    first, *others = tokens
    # If the first character is plain, so are letters and digits; if it is escaped, all may be.
    # CSS.escape also escapes a digit after a leading dash.
    dashed = 1 if first[0] == (("-", ""),) else 0
    full = [_one_of((*plain, *escaped)) for plain, escaped in others]
    plain_letters = full[:dashed] + [
        _one_of(_without_escaped_letters(token)) for token in others[dashed:]
    ]
    for start, rest in first[0]:
        yield start, rest + "".join(plain_letters)
    starts: dict[str, list[str]] = {}
    for start, rest in first[1]:
        starts.setdefault(start, []).append(rest)
    for start, rests in starts.items():
        yield start, f"(?:{'|'.join(rests)}){''.join(full)}"


def _without_escaped_letters(token: _Token) -> tuple[_Encoding, ...]:
    plain, escaped = token
    start, rest = plain[0] if len(plain) == 1 else ("", "")
    return plain if start and not rest and _ALPHANUMERIC.match(start) else (*plain, *escaped)


def _one_of(encodings: Iterable[_Encoding], *, wrap: bool = True) -> str:
    """Join alternatives as a tree: those with the same first character share a branch.

    So the matcher decides about all of them at one character.
    """
    starts: dict[str, list[str]] = {}
    for start, rest in dict.fromkeys(encodings):
        starts.setdefault(start, []).append(rest)
    made = []
    for start, rests in starts.items():
        if len(rests) == 1:
            made.append(re.escape(start) + rests[0])
            continue
        plain = [rest for rest in rests if _ALPHANUMERIC.match(rest) and not _REPEATED.match(rest)]
        inner = [one for one in rests if one and one not in plain]
        if plain:
            inner.append(_one_of([(rest[0], rest[1:]) for rest in plain], wrap=False))
        # The empty rest is a prefix of the others, so it comes last.
        inner += [""] if "" in rests else []
        made.append(f"{re.escape(start)}(?:{'|'.join(inner)})")
    return f"(?:{'|'.join(made)})" if wrap and len(made) > 1 else "|".join(made)


# Characters.


def _tokens(text: str, *, form: bool) -> list[_Token]:
    tokens: list[_Token] = []
    for match in re.finditer(r"[ \t\n\r\f\v\xa0]+|\\+|.", text, re.DOTALL):
        found = match[0]
        if found[0] in _SPACES:
            if not tokens or match.end() == len(text):
                continue  # many fields trim it
            tokens.append(_space(found, form=form))
        elif found[0] == "\\":
            tokens.append(_backslashes(len(found)))
        elif form and found == "+":
            tokens.append(((), tuple(_escapes("+"))))
        else:
            tokens.append((((found, ""),), tuple(_escapes(found))))
    return tokens or [(((text[0], re.escape(text[1:])),), ())]


def _space(run: str, *, form: bool) -> _Token:
    """Match white space: collapsed, no-break, encoded, or removed by the URL parser."""
    ways = ["[ \\t\\n\\r\\f\\v\\xa0]"] if not form else ["\\+"]
    for char in sorted(_SPACES):
        ways += [re.escape(start) + rest for start, rest in _escapes(char)]
    if form:
        ways.append(f"{_PERCENT}2[bB]")
    least = 0 if _DROPPED.issuperset(run) else 1
    # This token never starts a text, so it needs no literal first character.
    return ((("", f"(?:{'|'.join(dict.fromkeys(ways))}){{{least},{4 * len(run) + 4}}}"),), ())


def _backslashes(count: int) -> _Token:
    """Match backslashes: doubled by each escaping, or slashes in the path of a URL."""
    ways = ["[\\\\/]", f"{_PERCENT}(?:5[cC]|2[fF])", "=5[cC]", f"{_ENTITY}(?:#0{{0,5}}92|bsol);"]
    ways.append(f"{_ENTITY}#[xX]0{{0,5}}5[cC];")
    more = f"(?:{'|'.join(ways)}|u005[cC]|u\\{{0{{0,4}}5[cC]\\}}|x5[cC]|0{{0,4}}5[cC] ?)"
    repeated = f"{more}{{{count - 1},{8 * count}}}"
    found = tuple((start, rest + repeated) for start, rest in _BACKSLASH_STARTS)
    # Both plain and escaped: what follows may be encoded either way.
    return found, found


_BACKSLASH_STARTS: tuple[_Encoding, ...] = (
    ("\\", ""),
    ("/", ""),
    ("%", "(?:25){0,3}(?:5[cC]|2[fF])"),
    ("=", "5[cC]"),
    ("&", "(?:amp;){0,3}(?:#0{0,5}92|#[xX]0{0,5}5[cC]|bsol);"),
)


@cache
def _escapes(char: str) -> tuple[_Encoding, ...]:
    """Return all escaped encodings of a character."""
    code, raw = ord(char), char.encode("utf-8", "surrogatepass")
    units = _utf16(char)
    found = [_hex_bytes(raw, "%", "(?:25){0,3}"), _hex_bytes(raw, "=", "")]
    found += [("%", "".join(f"(?:25){{0,3}}u{_any_case(f'{u:04x}')}%" for u in units)[:-1])]
    found += [
        ("&", f"(?:amp;){{0,3}}(?:#0{{0,5}}{code};?|#[xX]0{{0,5}}{_any_case(f'{code:x}')};?)")
    ]
    if names := _entity_names().get(char):
        found.append(("&", f"(?:amp;){{0,3}}(?:{'|'.join(map(re.escape, names))})"))
    found += _backslashed(char, units)
    if not char.isascii():
        for charset in ("latin-1", "cp1252"):
            found += [_hex_bytes(one, "%", "(?:25){0,3}") for one in _in_charset(char, charset)]
        # A form in a charset that lacks the character sends it as an entity.
        found.append(("%", f"(?:25){{0,3}}26%(?:25){{0,3}}23{code}%(?:25){{0,3}}3[bB]"))
    if 0xD800 <= code < 0xE000:
        found += [_hex_bytes(b"\xef\xbf\xbd", "%", "(?:25){0,3}"), ("\ufffd", "")]
    return tuple(dict.fromkeys(found))


def _backslashed(char: str, units: list[int]) -> Iterator[_Encoding]:
    code = ord(char)
    again = "\\\\{0,6}"
    more = "\\\\{1,7}u"
    yield "\\", again + "u" + more.join(_any_case(f"{unit:04x}") for unit in units)
    yield "\\", f"{again}u\\{{0{{0,4}}{_any_case(f'{code:x}')}\\}}"
    yield "\\", f"{again}0{{0,4}}{_any_case(f'{code:x}')}[ \\t\\n]?"
    if code > 0xFFFF:
        yield "\\", f"{again}U{_any_case(f'{code:08x}')}"
    if code < 0x100:
        yield "\\", f"{again}x{_any_case(f'{code:02x}')}"
    if name := _NAMED_CONTROLS.get(char):
        yield "\\", again + name
    if not char.isalnum() and char.isascii():
        yield "\\", again + re.escape(char)


def _hex_bytes(raw: bytes, start: str, between: str) -> _Encoding:
    """Encode bytes as two hex digits each, after a sign: %C3%BC, =C3=BC."""
    return start, f"{start}".join(between + _any_case(f"{byte:02x}") for byte in raw)


def _any_case(text: str) -> str:
    """Match hex digits in either case."""
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in text)


def _utf16(char: str) -> list[int]:
    raw = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]


def _in_charset(text: str, charset: str) -> list[bytes]:
    try:
        return [text.encode(charset)]
    except UnicodeEncodeError:
        return []


@cache
def _entity_names() -> dict[str, tuple[str, ...]]:
    """Map characters to their HTML entity names."""
    from html.entities import html5  # late: most users have no secrets

    found: dict[str, list[str]] = {}
    for name, char in html5.items():
        if len(char) == 1 and (name.endswith(";") or char in '&<>"'):
            found.setdefault(char, []).append(name)
    return {char: tuple(sorted(names, key=len, reverse=True)) for char, names in found.items()}


# Bytes.


def _byte_strings(value: str) -> Iterable[bytes]:
    """List what may be put into base64: the text in UTF-8, Latin-1 (btoa), JSON, URL-encoded."""
    raw = value.encode("utf-8", "surrogatepass")
    inner = json.dumps(value, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    coded = quote(raw.decode("utf-8", "replace"), safe=_COMPONENT).encode()
    return dict.fromkeys([raw, inner, coded, *_in_charset(value, "latin-1")])


def _base64(raw: bytes) -> Iterator[_Encoding]:
    """Encode bytes at each of the three alignments that they may have in a longer text."""
    for before in range(3):
        bits = "".join(f"{byte:08b}" for byte in raw)
        skipped = (0, 4, 2)[before]
        head, bits = bits[:skipped], bits[skipped:]
        whole = len(bits) // 6
        piece = "".join(_ALPHABET[int(bits[at * 6 : at * 6 + 6], 2)] for at in range(whole))
        tail = bits[whole * 6 :]
        if not piece:
            continue
        encoded = "".join(_base64_sign(sign) for sign in piece[1:])
        for first in _base64_first(piece[0]):
            if len(piece) >= _MIN_BASE64_PIECE:
                yield first, encoded
            else:
                # Short piece: the characters around it must fit as well.
                behind = f"(?<=[{_fitting(head, front=True)}]{re.escape(first)})" if head else ""
                ahead = f"[{_fitting(tail, front=False)}]" if tail else ""
                yield first, f"{behind}{encoded}{ahead}"


def _base64_sign(sign: str) -> str:
    if sign == "+":
        return "(?:\\+|-|%(?:25){0,3}2[bB])"
    if sign == "/":
        return "(?:\\\\{0,7}/|_|%(?:25){0,3}2[fF])"
    return sign


def _base64_first(sign: str) -> list[str]:
    return {"+": ["+", "-"], "/": ["/", "_"]}.get(sign, [sign])


def _fitting(bits: str, *, front: bool) -> str:
    """Return the base64 characters that end (front) or start with these bits."""
    found = [
        sign
        for number, sign in enumerate(_ALPHABET)
        if (f"{number:06b}".endswith(bits) if front else f"{number:06b}".startswith(bits))
    ]
    found += [{"+": "-", "/": "_"}[sign] for sign in found if sign in "+/"]
    return "".join(re.escape(sign) for sign in found)
