"""What tools and their answers look like in MCP: listings and content. Pure, and without
the SDK: an agent that has just come is answered before that is imported.

Knows: the shapes of MCP. Must not know: sessions, wires, tools. Whatever may hold words of a page
stands between marks that the page cannot forge, and is called untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pilothouse.page.snapshot import between, escape_markers, new_word, unwrap_untrusted
from pilothouse.tools.tool import Tool

__all__ = ["is_picture", "listed", "result"]

# Fields that are long texts: they stand by themselves, so that nothing in them is escaped.
LONG = ("snapshot", "text", "markdown", "output")
# The tool that calls others, also those that are in no list.
BATCH = "browser_batch"
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
        "prompts",
        "result_type",
        "scrolled",
        "snapshot_of",
        "stale",
        "tab",
        "timed_out",
        "tool",
    ]
)


def listed(tool: Tool, unlisted: Iterable[Tool] = ()) -> dict[str, Any]:
    """A tool as clients see it in a list. Every agent reads all of it, so what MCP assumes anyway
    is left out: a tool without annotations is destructive. `browser_batch` also names the tools
    that only it can call: `unlisted`."""
    about = tool.about
    if tool.name == BATCH and (signatures := [_signature(one) for one in unlisted]):
        about = f"{about} Besides the listed tools, steps can call:\n" + "\n".join(signatures)
    made: dict[str, Any] = {"name": tool.name}
    if not tool.name.startswith("mcp_"):
        made["title"] = tool.title
    made |= {"description": about, "inputSchema": _open(tool.schema)}
    if not tool.flags.changes and not tool.flags.dangerous:
        made["annotations"] = {"readOnlyHint": True}
    elif tool.flags.reversible and not tool.flags.dangerous:
        made["annotations"] = {"destructiveHint": False}
    return made


def _open(schema: Any) -> Any:
    """The schema without `additionalProperties: false`: a call with others is refused anyway."""
    if isinstance(schema, Mapping):
        closed = "additionalProperties" if schema.get("additionalProperties") is False else None
        return {key: _open(value) for key, value in schema.items() if key != closed}
    return [_open(one) for one in schema] if isinstance(schema, list) else schema


def _signature(tool: Tool) -> str:
    """A tool in one line: its name, its parameters (`?`: not required) with the values or fields
    they take, what it does."""
    needed = tool.schema.get("required", ())
    taken = [
        f"{name}{'' if name in needed else '?'}{_values(kind)}"
        for name, kind in tool.schema.get("properties", {}).items()
        if name != "tab"
    ]
    return f"- {tool.name}({', '.join(taken)}): {tool.about}"


def _values(kind: Mapping[str, Any]) -> str:
    """What a parameter takes, where its name does not say it: choices, or the fields of items."""
    if "enum" in kind:
        return f"={'|'.join(str(one) for one in kind['enum'])}"
    items = kind.get("items")
    fields = items.get("properties", {}) if isinstance(items, Mapping) else {}
    return f"=[{{{', '.join(fields)}}}]" if fields else ""


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
    pictures, links, fields = _media_apart(answer)
    if tool is None or not tool.source:
        ours |= OURS
    ordered = None
    if tool is not None and not tool.source and (ordered := fields.pop("ordered", None)):
        fields.pop("result", None)
    said, theirs = _apart(fields, ours) if untrusted else (fields, {})
    content: list[dict[str, Any]] = [{"type": "text", "text": _text(said, theirs)}]
    images = [
        {"type": "image", "data": one["data"], "mimeType": one["mimeType"]} for one in pictures
    ]
    content += _in_order(ordered, images, untrusted) if ordered else images
    content += [{"type": "resource_link", **link} for link in links]
    told: dict[str, Any] = {"content": content, "isError": not answer.get("success", False)}
    # Clients that show their model the fields show nothing else: of an answer with a picture or a
    # long text it would see nothing.
    apart = bool(pictures) or (structured == "fields" and bool(_long(fields)))
    if structured != "off" and not apart:
        if theirs:
            long = {key: _marked(unwrap_untrusted(fields[key])) for key in _long(fields)}
            fields = {**fields, **long, "untrusted": True}
        told["structuredContent"] = fields
    return told


def is_picture(value: Any) -> bool:
    """Whether a value is a picture that a client can be shown: base64 data and its type."""
    return isinstance(value, Mapping) and all(
        isinstance(value.get(key), str) for key in ("data", "mimeType")
    )


def _is_link(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(key), str) for key in ("uri", "name")
    )


def _media_apart(
    answer: Mapping[str, Any],
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]], dict[str, Any]]:
    """The pictures and the links of an answer, and its other fields. A field that has the name of a
    picture but holds something else, such as the list of a page's images, stays a field."""
    found: dict[str, list[Mapping[str, Any]]] = {"pictures": [], "links": []}
    fields: dict[str, Any] = {}
    for key, value in answer.items():
        several = value if isinstance(value, list | tuple) else [value]
        if key in ("image", "images") and all(is_picture(one) for one in several):
            found["pictures"] += several
        elif key == "links" and all(_is_link(one) for one in several):
            found["links"] += several
        else:
            fields[key] = value
    return found["pictures"], found["links"], fields


def _in_order(
    shown: list[dict[str, Any]], images: list[dict[str, Any]], untrusted: bool
) -> list[dict[str, Any]]:
    """What a run has shown, in its order. Each text stands between marks of its own."""
    content = []
    for item in shown:
        if "image" in item:
            content.append(images[item["image"]])
        else:
            text = _marked(str(item["text"])) if untrusted else str(item["text"])
            content.append({"type": "text", "text": text})
    return content


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
    whole = [unwrap_untrusted(theirs[key]) for key in rest]
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
    text = escape_markers(text)
    word = new_word()
    while word in text:
        word = new_word()
    return between(word, text)
