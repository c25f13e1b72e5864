"""What tools and their answers look like in MCP: listings and content. Pure, and without
the SDK: an agent that has just come is answered before that is imported.

Knows: the shapes of MCP. Must not know: sessions, wires, tools. Whatever may hold words of a page
stands between marks that the page cannot forge, and is called untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pilothouse.page.bounds import between, new_word, unwrapped, without_marks
from pilothouse.tools.tool import Tool

__all__ = ["listed", "result"]

# Fields that are long texts: they stand by themselves, so that nothing in them is escaped.
LONG = ("snapshot", "text", "markdown", "output")
# Texts of ours, whatever the page says; of numbers, and of yes and no, that goes without saying.
OURS = frozenset(
    [
        "action",
        "action_id",
        "answered",
        "closed",
        "current",
        "interrupted",
        "kind",
        "new_tabs",
        "pressed",
        "result_type",
        "scrolled",
        "stale",
        "tab",
        "timed_out",
        "tool",
    ]
)
APART = ("image", "images", "links")


def listed(tool: Tool) -> dict[str, Any]:
    """A tool as clients see it in a list. What is usual is not said: every agent reads all."""
    reads_only = not tool.flags.changes and not tool.flags.dangerous
    hint = "readOnlyHint" if reads_only else "destructiveHint"
    return {
        "name": tool.name,
        "description": tool.about,
        "inputSchema": tool.schema,
        "annotations": {hint: True},
    }


def result(
    tool: Tool | None,
    answer: Mapping[str, Any],
    ours: frozenset[str] = frozenset(),
    *,
    structured: str = "fields",
) -> dict[str, Any]:
    """The result of a call: a text for models, pictures for eyes, fields for programs. `ours` are
    fields besides the usual ones in which no page had a word. `structured` is how much is sent as
    fields: nothing (`off`), no answer with a long text (`fields`), or everything (`all`)."""
    untrusted = tool is not None and (tool.flags.reads or tool.flags.tab or bool(tool.source))
    fields = {key: value for key, value in answer.items() if key not in APART}
    if tool is None or not tool.source:
        ours |= OURS
    said, theirs = _apart(fields, ours) if untrusted else (fields, {})
    content: list[dict[str, Any]] = [{"type": "text", "text": _text(said, theirs)}]
    pictures = [one for one in (answer.get("image"), *answer.get("images", ())) if one]
    content += [
        {"type": "image", "data": one["data"], "mimeType": one["mimeType"]} for one in pictures
    ]
    content += [{"type": "resource_link", **link} for link in answer.get("links", ())]
    told: dict[str, Any] = {"content": content, "isError": not answer.get("success", False)}
    # Clients that show their model the fields show nothing else: of an answer with a picture or a
    # long text it would see nothing.
    apart = bool(pictures) or (structured == "fields" and bool(_long(fields)))
    if structured != "off" and not apart:
        if theirs:
            long = {key: _marked(unwrapped(fields[key])) for key in _long(fields)}
            fields = {**fields, **long, "untrusted": True}
        told["structuredContent"] = fields
    return told


def _is_wordless(value: Any) -> bool:
    """Whether no page can have had a word in a value."""
    return isinstance(value, bool | int | float) or not value


def _long(fields: Mapping[str, Any]) -> list[str]:
    return [key for key in LONG if isinstance(fields.get(key), str) and fields[key]]


def _apart(
    fields: Mapping[str, Any], ours: frozenset[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our own words, and what a page may have had a word in; both, of an interrupted call."""
    said: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for key, value in fields.items():
        if key == "interrupted" and isinstance(value, Mapping) and "interrupted" in ours:
            inner = {name.removeprefix("interrupted.") for name in ours}
            said[key], theirs[key] = _apart(value, OURS | inner)
            if not theirs[key]:
                del theirs[key]
        elif key in ours or _is_wordless(value):
            said[key] = value
        else:
            theirs[key] = value
    return said, theirs


def _text(said: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Our own words first, then what may hold words of a page, between marks, once. Long texts
    come last."""
    own, rest = _long(said), _long(theirs)
    lines = [_compact({key: said[key] for key in said if key not in own})]
    lines += [said[key] for key in own]
    whole = [unwrapped(theirs[key]) for key in rest]
    short = {key: theirs[key] for key in theirs if key not in rest}
    if whole and whole[0].split("\n", 1)[0].endswith(
        f"{short.get('title', '')} <{short.get('url')}>"
    ):
        # The head of a snapshot says it already.
        short = {key: short[key] for key in short if key not in ("url", "title")}
    body = [_compact(short)] if short else []
    if body or whole:
        lines.append(_marked("\n".join([*body, *whole])))
    return "\n".join(lines)


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)


def _marked(text: str) -> str:
    """Wrap in untrusted-text markers whose word is nowhere in the text. What only looks like our
    markers is no longer alike inside them."""
    text = without_marks(text)
    word = new_word()
    while word in text:
        word = new_word()
    return between(word, text)
