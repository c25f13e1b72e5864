"""Tools of other MCP servers: what they are called here, which are wanted, what they answer.

Knows: listings and results of MCP as plain JSON. Must not know: the SDK, or how a server is reached
(daemon/mcp_clients/servers.py). It decides and never acts. What a server says is not trusted: it is
cut, and its answers count as somebody else's words.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from pilothouse.errors import ToolError
from pilothouse.tools.tool import Fields, Flags, Run, Tool

__all__ = ["answered", "borrowed", "called", "chosen", "home"]

# What models' interfaces take as the name of a tool.
LONGEST_NAME = 64
LONGEST_ABOUT = 4_000
LONGEST_SCHEMA = 64_000
LONGEST_TEXT = 200_000
MOST_TOOLS = 256

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def home(server: str) -> str:
    """The toolset in which a server's tools live."""
    return f"mcp-{server}"


def called(server: str, tool: str) -> str:
    """What a server's tool is called here."""
    name = _NOT_IN_NAMES.sub("_", f"mcp_{server}_{tool}")
    if len(name) <= LONGEST_NAME:
        return name
    # Two long names must not become one.
    mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}_{mark}"


def chosen(
    server: str, tool: str, include: tuple[str, ...] | None, exclude: tuple[str, ...]
) -> bool:
    """Whether a server's tool is wanted: names and patterns mean its own name, or the one it has
    here. `include` goes before `exclude`; one that names nothing lets nothing in."""
    names = (tool, called(server, tool))

    def among(patterns: tuple[str, ...]) -> bool:
        return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)

    return not among(exclude) if include is None else among(include)


def borrowed(server: str, listing: Iterable[Mapping[str, Any]], run: Any) -> dict[str, Tool]:
    """A server's listing as tools of ours, by the server's own names. `run(name)` is what calls
    one. What cannot be used is left out."""
    made: dict[str, Tool] = {}
    taken: set[str] = set()
    for said in listing:
        if len(made) >= MOST_TOOLS:
            break
        name, schema = said.get("name"), said.get("inputSchema")
        if not isinstance(name, str) or not name or not isinstance(schema, dict):
            continue
        ours = called(server, name)
        if ours in taken or len(json.dumps(schema)) > LONGEST_SCHEMA:
            continue
        taken.add(ours)
        made[name] = _tool(server, ours, said, schema, run(name))
    return made


def _tool(
    server: str, ours: str, said: Mapping[str, Any], schema: dict[str, Any], run: Run
) -> Tool:
    hints = said.get("annotations") or {}
    about = said.get("description") or said.get("title") or hints.get("title") or said["name"]
    # What a server brings may be anything: only its own word says that it changes nothing.
    changes = hints.get("readOnlyHint") is not True
    flags = Flags(reads=True, changes=changes, free=True, tab=False)
    return Tool(ours, _clean(str(about), LONGEST_ABOUT), schema, run, home(server), flags, server)


def answered(server: str, result: Mapping[str, Any]) -> Fields:
    """A result as the fields of an answer. Raises ToolError where the result is an error."""
    texts: list[str] = []
    fields: Fields = {}
    for block in result.get("content") or ():
        if block.get("type") == "image" and "image" not in fields:
            fields["image"] = {"data": block["data"], "mimeType": block["mimeType"]}
        else:
            texts.append(_told(block))
    text = _clean("\n".join(part for part in texts if part), LONGEST_TEXT)
    if result.get("isError"):
        raise ToolError(text or "the tool failed", hint=f"said by the MCP server {server}")
    structured = result.get("structuredContent")
    # Most servers say the same twice, once for clients of old.
    if isinstance(structured, dict) and list(structured.values()) == [text]:
        structured = None
    elif structured is not None and _json(text) == structured:
        text = ""
    if structured is not None:
        fields["structured"] = structured
    if text or not fields:
        fields["text"] = text
    return fields


def _told(block: Mapping[str, Any]) -> str:
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "resource_link":
            return f"{block.get('name', '')}: {block.get('uri', '')}"
        case "resource":
            inside = block.get("resource") or {}
            return str(inside.get("text") or f"[{inside.get('uri', '')}: not a text]")
        case kind:
            return f"[{kind} ({block.get('mimeType', 'of no known kind')}): not shown]"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _clean(text: str, longest: int) -> str:
    text = _CONTROLS.sub("", text)
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[cut: {len(text) - longest} characters more]"
