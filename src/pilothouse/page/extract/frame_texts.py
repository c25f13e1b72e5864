"""Joins the texts of several frames: each frame's text where its element is. Pure.

Knows: the marker that js/extract.js leaves for a frame. Must not know: where the texts come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

__all__ = ["clean", "cut", "stitch"]

# "frame <number of its element>" between NULs, which no text of a page can contain.
_MARK = re.compile("\0frame (\\d+)\0")
# The bullet or number of a list item; the item's further lines have spaces instead.
_BULLET = re.compile(r"[-\d.:]")
_BLANKS = re.compile(r"\n(?:[ \t>]*\n){2,}")


def stitch(
    top: str, texts: Mapping[str, str], locate: Callable[[str], tuple[str, int] | None]
) -> str:
    """Return the text of `top` with the text of every frame below it where its element is.

    `locate` returns a frame's parent and the number of its element there. A frame whose element is
    not shown is left out.
    """
    children: dict[str, dict[int, str]] = {}
    for frame_id in texts:
        position = locate(frame_id) if frame_id != top else None
        if position is not None:
            children.setdefault(position[0], {})[position[1]] = frame_id
    return clean(_fill(top, texts, children, frozenset()))


def _fill(
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
        # The frame may be inside a list or a quote: indent all of its lines likewise.
        before = line[: found.start()]
        text = _fill(child, texts, children, above | {frame_id})
        first, *more = text.split("\n")
        lines.append(f"{before}{first}".rstrip())
        lines += [f"{_BULLET.sub(' ', before)}{rest}".rstrip() for rest in more]
    return "\n".join(lines)


def clean(text: str) -> str:
    """Remove the markers of frames without text, and runs of empty lines."""
    return _BLANKS.sub("\n\n", _MARK.sub("", text)).strip()


def cut(text: str, limit: int) -> tuple[str, int]:
    """Cut to `limit` characters (0: no limit), at a line end if one is near; also return how many
    are missing."""
    if limit <= 0 or len(text) <= limit:
        return text, 0
    end = text.rfind("\n", int(limit * 0.8), limit)
    kept = text[: end if end > 0 else limit].rstrip()
    return kept, len(text) - len(kept)
