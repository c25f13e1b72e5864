"""The texts of several frames as one: each frame's text in the place of its element. Pure.

Knows: the mark that scripts/extract.js leaves where a frame stands. Must not know: where texts come
from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

__all__ = ["clean", "cut", "stitch"]

_MARK = re.compile("\0frame (\\d+)\0")
# What stands once before an item of a list; below it there is space.
_MARKER = re.compile(r"[-\d.:]")
_BLANKS = re.compile(r"\n(?:[ \t>]*\n){2,}")


def stitch(
    top: str, texts: Mapping[str, str], owner: Callable[[str], tuple[str, int] | None]
) -> str:
    """The text of `top` with the text of every frame below it where its element stands.

    `owner` says in which frame and under which number a frame's element stands. A frame whose
    element is not shown is left out.
    """
    children: dict[str, dict[int, str]] = {}
    for frame_id in texts:
        place = owner(frame_id) if frame_id != top else None
        if place is not None:
            children.setdefault(place[0], {})[place[1]] = frame_id
    return clean(_filled(top, texts, children, frozenset()))


def _filled(
    frame_id: str,
    texts: Mapping[str, str],
    children: Mapping[str, Mapping[int, str]],
    above: frozenset[str],
) -> str:
    inner = children.get(frame_id, {})
    lines: list[str] = []
    for line in texts[frame_id].split("\n"):
        found = _MARK.search(line)
        if found is None:
            lines.append(line)
            continue
        child = inner.get(int(found[1]))
        if child is None or child in above:
            continue
        # The frame may stand in a list or a quote: so do all of its lines.
        before = line[: found.start()]
        text = _filled(child, texts, children, above | {frame_id})
        first, *more = text.split("\n")
        lines.append(f"{before}{first}".rstrip())
        lines += [f"{_MARKER.sub(' ', before)}{said}".rstrip() for said in more]
    return "\n".join(lines)


def clean(text: str) -> str:
    """Without marks of frames that are not told, and without rows of empty lines."""
    return _BLANKS.sub("\n\n", _MARK.sub("", text)).strip()


def cut(text: str, limit: int) -> tuple[str, int]:
    """At most `limit` characters (0: all), and how many are missing."""
    if limit <= 0 or len(text) <= limit:
        return text, 0
    end = text.rfind("\n", int(limit * 0.8), limit)
    kept = text[: end if end > 0 else limit].rstrip()
    return kept, len(text) - len(kept)
