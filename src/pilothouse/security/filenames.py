"""Makes file names that a site suggests harmless. Pure.

Knows: what file systems and people trip over. Must not know: which files exist.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePath

from pilothouse.errors import UsageError

__all__ = ["clean_filename", "image_format", "numbered_names", "split_relative_path"]

_IMAGE_FORMATS = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp"}

MAX_BYTES = 200
MAX_EXTENSION_BYTES = 16

_UNSAFE = re.compile(r'[<>:"|?*]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)
# Control, format (bidirectional overrides, zero width), surrogate, private and unassigned
# characters.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_filename(suggested: str, fallback: str = "download") -> str:
    """Return a safe file name: no path, not hidden, no invisible characters, not too long."""
    last = re.split(r"[/\\]", suggested)[-1]
    visible = "".join(c for c in last if unicodedata.category(c) not in _INVISIBLE)
    name = unicodedata.normalize("NFC", _UNSAFE.sub("_", visible))
    name = re.sub(r"\s+", " ", name).strip(" .")
    if _RESERVED.match(name):
        name = f"_{name}"
    return _shorten(name) or fallback


def image_format(path: str, format: str = "png", *, field: str = "save") -> str:
    """Return the image format of a file by its suffix; `format` if it has none.

    Raises UsageError for a suffix of no image, or of another format than the caller chose. Png is
    the default, so it does not count as chosen.
    """
    suffix = PurePath(path).suffix.lower().lstrip(".")
    if not suffix:
        return format
    found = _IMAGE_FORMATS.get(suffix)
    if found is None:
        raise UsageError(
            f"{field}: .{suffix} is not an image format; expected .png, .jpg, .jpeg or .webp",
            hint="give a file name with one of these suffixes",
            untrusted=(),
        )
    if format not in ("png", found):
        raise UsageError(
            f"{field}: the suffix .{suffix} does not match format {format}",
            hint="leave out format: the suffix chooses it",
            untrusted=(),
        )
    return found


def _shorten(name: str) -> str:
    if len(name.encode()) <= MAX_BYTES:
        return name
    stem, extension = _split(name)
    cut = stem.encode()[: MAX_BYTES - len(extension.encode())].decode("utf-8", "ignore")
    return cut.rstrip(" .") + extension


def _split(name: str) -> tuple[str, str]:
    """Split into stem and extension; `.tar.gz` counts as one extension."""
    suffixes = PurePath(name).suffixes
    extension = suffixes[-1] if suffixes else ""
    if len(suffixes) > 1 and suffixes[-2] == ".tar":
        extension = ".tar" + extension
    if len(extension.encode()) > MAX_EXTENSION_BYTES or extension == name:
        extension = ""
    return name.removesuffix(extension) if extension else name, extension


def numbered_names(name: str) -> Iterator[str]:
    """Yield the name, then `name (2)`, `name (3)` and so on, numbered before the extension."""
    yield name
    stem, extension = _split(name)
    for number in itertools.count(2):
        yield f"{stem} ({number}){extension}"


def split_relative_path(path: str) -> tuple[str, ...] | str:
    """Split a relative path into its parts. Returns a string with the reason if it is not one."""
    if not path or "\0" in path:
        return "it is empty" if not path else "it contains a NUL character"
    if path.startswith("~"):
        return "it starts with ~, which is not expanded"
    pure = PurePath(path)
    if pure.is_absolute():
        return "it is absolute"
    if ".." in pure.parts:
        return "it goes up with .."
    return pure.parts or "it does not name a file"
