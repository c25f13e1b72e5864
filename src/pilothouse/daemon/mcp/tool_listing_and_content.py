"""Tools and their answers in MCP's shapes: tool listings and content blocks. Pure.

Does not import the SDK, so that a new client gets replies before that import is done. Knows: MCP's
shapes. Must not know: sessions, transports, tools. Text that a page may have written goes between
untrusted-text markers that the page cannot forge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pilothouse.page.snapshot import escape_markers, new_nonce, unwrap_untrusted, wrap_untrusted
from pilothouse.tools.tool import Tool

__all__ = ["call_result", "is_image", "tool_listing"]

# Long texts are written after the JSON line, so that nothing in them is escaped.
LONG_TEXT_FIELDS = ("snapshot", "text", "markdown", "output")
# This tool can also call tools that are not listed.
BATCH_TOOL = "browser_batch"
# Fields that hold our own text, never a page's. Numbers and booleans are always trusted.
TRUSTED_FIELDS = frozenset(
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
        "prompts",
        "released",
        "result_type",
        "scrolled",
        "snapshot_of",
        "stale",
        "tab",
        "timed_out",
        "tool",
    ]
)


def tool_listing(tool: Tool, unlisted: Iterable[Tool] = ()) -> dict[str, Any]:
    """Return a tool's listing. It costs tokens in every request, so what MCP assumes by default
    is left out: a tool without annotations is destructive. `browser_batch` also names the tools
    that only it can call: `unlisted`."""
    about = tool.about
    if tool.name == BATCH_TOOL and (signatures := [_signature(one) for one in unlisted]):
        about = f"{about} Besides the listed tools, steps can call:\n" + "\n".join(signatures)
    made: dict[str, Any] = {"name": tool.name}
    if not tool.name.startswith("mcp_"):
        made["title"] = tool.title
    made |= {"description": about, "inputSchema": _without_closed(tool.schema)}
    if not tool.flags.changes and not tool.flags.dangerous:
        made["annotations"] = {"readOnlyHint": True}
    elif tool.flags.reversible and not tool.flags.dangerous:
        made["annotations"] = {"destructiveHint": False}
    return made


def _without_closed(schema: Any) -> Any:
    """Remove `additionalProperties: false` from a schema: unknown ones are rejected anyway."""
    if isinstance(schema, Mapping):
        closed = "additionalProperties" if schema.get("additionalProperties") is False else None
        return {key: _without_closed(value) for key, value in schema.items() if key != closed}
    return [_without_closed(one) for one in schema] if isinstance(schema, list) else schema


def _signature(tool: Tool) -> str:
    """Describe a tool in one line: name, parameters (`?`: optional) with values, description."""
    needed = tool.schema.get("required", ())
    taken = [
        f"{name}{'' if name in needed else '?'}{_value_hint(kind)}"
        for name, kind in tool.schema.get("properties", {}).items()
        if name != "tab"
    ]
    return f"- {tool.name}({', '.join(taken)}): {tool.about}"


def _value_hint(kind: Mapping[str, Any]) -> str:
    """Return a parameter's choices, or the fields of its list items; else an empty string."""
    if "enum" in kind:
        return f"={'|'.join(str(one) for one in kind['enum'])}"
    items = kind.get("items")
    fields = items.get("properties", {}) if isinstance(items, Mapping) else {}
    return f"=[{{{', '.join(fields)}}}]" if fields else ""


def call_result(
    tool: Tool | None,
    answer: Mapping[str, Any],
    ours: frozenset[str] = frozenset(),
    *,
    structured: str = "fields",
) -> dict[str, Any]:
    """Return the result of a call: text for the model, images, and fields for programs. `ours` are
    fields besides the usual ones in which no page had a word. `structured` is how much is sent as
    fields: nothing (`off`), no answer with a long text (`fields`), or everything (`all`)."""
    untrusted = tool is not None and (tool.flags.reads or tool.flags.tab or bool(tool.source))
    pictures, links, fields = _split_media(answer)
    if tool is None or not tool.source:
        ours |= TRUSTED_FIELDS
    ordered = None
    if tool is not None and not tool.source and (ordered := fields.pop("ordered", None)):
        fields.pop("result", None)
    said, theirs = _split_trusted(fields, ours) if untrusted else (fields, {})
    content: list[dict[str, Any]] = [{"type": "text", "text": _format_text(said, theirs)}]
    images = [
        {"type": "image", "data": one["data"], "mimeType": one["mimeType"]} for one in pictures
    ]
    content += _ordered_content(ordered, images, untrusted) if ordered else images
    content += [{"type": "resource_link", **link} for link in links]
    told: dict[str, Any] = {"content": content, "isError": not answer.get("success", False)}
    # Some clients show their model only structuredContent. It would then see neither the image nor
    # the long text of the answer, so such answers have no structuredContent.
    apart = bool(pictures) or (structured == "fields" and bool(_long_fields(fields)))
    if structured != "off" and not apart:
        if theirs:
            long = {
                key: _wrap_untrusted(unwrap_untrusted(fields[key])) for key in _long_fields(fields)
            }
            fields = {**fields, **long, "untrusted": True}
        told["structuredContent"] = fields
    return told


def is_image(value: Any) -> bool:
    """Return whether a value is an image: base64 data with its MIME type."""
    return isinstance(value, Mapping) and all(
        isinstance(value.get(key), str) for key in ("data", "mimeType")
    )


def _is_link(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(key), str) for key in ("uri", "name")
    )


def _split_media(
    answer: Mapping[str, Any],
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]], dict[str, Any]]:
    """Split an answer into images, links and other fields.

    A field named `images` that holds something else, such as a page's images, stays a field."""
    found: dict[str, list[Mapping[str, Any]]] = {"pictures": [], "links": []}
    fields: dict[str, Any] = {}
    for key, value in answer.items():
        several = value if isinstance(value, list | tuple) else [value]
        if key in ("image", "images") and all(is_image(one) for one in several):
            found["pictures"] += several
        elif key == "links" and all(_is_link(one) for one in several):
            found["links"] += several
        else:
            fields[key] = value
    return found["pictures"], found["links"], fields


def _ordered_content(
    shown: list[dict[str, Any]], images: list[dict[str, Any]], untrusted: bool
) -> list[dict[str, Any]]:
    """Return the output of a run in its order. Each text gets its own untrusted markers."""
    content = []
    for item in shown:
        if "image" in item:
            content.append(images[item["image"]])
        else:
            text = _wrap_untrusted(str(item["text"])) if untrusted else str(item["text"])
            content.append({"type": "text", "text": text})
    return content


def _is_pageless(value: Any) -> bool:
    """Return whether a value cannot hold text of a page."""
    return isinstance(value, bool | int | float) or not value


def _long_fields(fields: Mapping[str, Any]) -> list[str]:
    return [key for key in LONG_TEXT_FIELDS if isinstance(fields.get(key), str) and fields[key]]


def _split_trusted(
    fields: Mapping[str, Any], ours: frozenset[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split fields into our own and those a page may have influenced.

    The result of an interrupted call is split in the same way, field by field."""
    said: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for key, value in fields.items():
        if key == "interrupted" and isinstance(value, Mapping) and "interrupted" in ours:
            inner = {name.removeprefix("interrupted.") for name in ours}
            said[key], theirs[key] = _split_trusted(value, TRUSTED_FIELDS | inner)
            if not theirs[key]:
                del theirs[key]
        elif key in ours or _is_pageless(value):
            said[key] = value
        else:
            theirs[key] = value
    return said, theirs


def _format_text(said: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Format the text block: our fields first, then page content in one pair of markers.

    Long texts come last in each part."""
    own, rest = _long_fields(said), _long_fields(theirs)
    lines = [_compact({key: said[key] for key in said if key not in own})]
    lines += [said[key] for key in own]
    whole = [unwrap_untrusted(theirs[key]) for key in rest]
    short = {key: theirs[key] for key in theirs if key not in rest}
    if whole and whole[0].split("\n", 1)[0].endswith(
        f"{short.get('title', '')} <{short.get('url')}>"
    ):
        # The first line of a snapshot already has the title and URL.
        short = {key: short[key] for key in short if key not in ("url", "title")}
    body = [_compact(short)] if short else []
    if body or whole:
        lines.append(_wrap_untrusted("\n".join([*body, *whole])))
    return "\n".join(lines)


def _compact(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=str)


def _wrap_untrusted(text: str) -> str:
    """Wrap in untrusted-text markers whose random word does not occur in the text.

    Look-alikes of our markers inside the text are altered."""
    text = escape_markers(text)
    word = new_nonce()
    while word in text:
        word = new_nonce()
    return wrap_untrusted(word, text)
