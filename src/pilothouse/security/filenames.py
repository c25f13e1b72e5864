"""File names that a site suggests, made harmless: pure.

Knows: what file systems and people trip over. Must not know: which files there are.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePath

__all__ = ["clean_filename", "numbered", "relative_parts"]

LONGEST_BYTES = 200
LONGEST_ENDING = 16

_UNSAFE = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)
# Control, format (bidirectional overrides, zero width), surrogate, private and unassigned ones.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_filename(suggested: str, fallback: str = "download") -> str:
    """A name for one file in one folder: no path, no hidden file, nothing invisible, not long."""
    last = re.split(r"[/\\]", suggested)[-1]
    visible = "".join(c for c in last if unicodedata.category(c) not in _INVISIBLE)
    name = unicodedata.normalize("NFC", _UNSAFE.sub("_", visible))
    name = re.sub(r"\s+", " ", name).strip(" .")
    if _RESERVED.match(name):
        name = f"_{name}"
    return _shortened(name) or fallback


def _shortened(name: str) -> str:
    if len(name.encode()) <= LONGEST_BYTES:
        return name
    stem, ending = _split(name)
    cut = stem.encode()[: LONGEST_BYTES - len(ending.encode())].decode("utf-8", "ignore")
    return cut.rstrip(" .") + ending


def _split(name: str) -> tuple[str, str]:
    """Stem and ending; `.tar.gz` counts as one ending."""
    suffixes = PurePath(name).suffixes
    ending = suffixes[-1] if suffixes else ""
    if len(suffixes) > 1 and suffixes[-2] == ".tar":
        ending = ".tar" + ending
    if len(ending.encode()) > LONGEST_ENDING or ending == name:
        ending = ""
    return name.removesuffix(ending) if ending else name, ending


def numbered(name: str) -> Iterator[str]:
    """The name, then `name (2)`, `name (3)` and so on, before the ending."""
    yield name
    stem, ending = _split(name)
    for number in itertools.count(2):
        yield f"{stem} ({number}){ending}"


def relative_parts(path: str) -> tuple[str, ...] | str:
    """The folders and the name of a relative path; a text says why it is none."""
    if not path or "\0" in path:
        return "it is empty" if not path else "it holds a zero character"
    if path.startswith("~"):
        return "it begins with ~, which is not expanded"
    pure = PurePath(path)
    if pure.is_absolute():
        return "it is absolute"
    if ".." in pure.parts:
        return "it goes up with .."
    return pure.parts or "it names no file"
