"""What tools and their answers look like in MCP: listings and content. Pure, and without
the SDK: an agent that has just come is answered before that is imported.

Knows: the shapes of MCP. Must not know: sessions, wires, tools. Whatever may hold words of a page
stands between marks that the page cannot forge, and is called untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pilothouse.page.bounds import between, is_marked, new_word, without_marks
from pilothouse.tools.tool import Tool

__all__ = ["listed", "result"]

# Fields that are long texts: each is a block of its own, so that nothing in it is escaped.
LONG = ("snapshot", "text", "markdown", "output")
# What the gate itself says of a call that something blocks; no word of it is the page's.
OURS = ("success", "hint", "action_id")


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


def result(tool: Tool | None, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a call: fields for programs, blocks of text for models, pictures for eyes."""
    untrusted = tool is not None and (tool.flags.reads or tool.flags.tab or bool(tool.source))
    apart = ("image", "images", "links")
    fields = {key: value for key, value in answer.items() if key not in apart}
    if untrusted:
        # Marked here already: many clients show their model the fields and not the blocks.
        long = {key: _marked(key, fields[key]) for key in _long(fields)}
        fields = {**fields, **long, "untrusted": True}
    # A tool that somebody brought has no words of ours, whatever its fields are called.
    ours = OURS if tool is None or not tool.source else ()
    content = [{"type": "text", "text": text} for text in _texts(fields, ours)]
    pictures = [one for one in (answer.get("image"), *answer.get("images", ())) if one]
    content += [
        {"type": "image", "data": one["data"], "mimeType": one["mimeType"]} for one in pictures
    ]
    content += [{"type": "resource_link", **link} for link in answer.get("links", ())]
    told: dict[str, Any] = {"content": content, "isError": not answer.get("success", False)}
    if not pictures:
        # Clients that show fields show nothing else: a picture would never be seen.
        told["structuredContent"] = fields
    return told


def _long(fields: Mapping[str, Any]) -> list[str]:
    return [key for key in LONG if isinstance(fields.get(key), str) and fields[key]]


def _texts(fields: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """Our own words first, then what may hold words of a page, then the long texts."""
    untrusted, long = "untrusted" in fields, _long(fields)
    ours = known if untrusted and fields.get("blocked_by") else ()
    said = {key: fields[key] for key in ours if key in fields}
    rest = {key: fields[key] for key in fields if key not in (*long, *said, "untrusted")}
    texts = [_compact(said)] if said else []
    if rest != {"success": True} or not long:
        texts.append(_marked("answer", _compact(rest)) if untrusted else _compact(rest))
    return texts + [fields[key] for key in long]


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)


def _marked(what: str, text: str) -> str:
    """Wrap in untrusted-text markers, unless we have wrapped it already. What only looks like our
    markers is no longer alike inside them."""
    return text if is_marked(text) else between(new_word(), what, without_marks(text))
