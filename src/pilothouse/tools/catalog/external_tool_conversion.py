"""Turn the tools of other MCP servers into tools of ours: names, filters, results. Pure.

Knows: MCP tool lists and results as plain JSON. Must not know: the SDK, or how a server is reached
(daemon/external_mcp_servers/servers.py). Text from a server is untrusted: it is cut to a maximum
length, and its results are marked like page content.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from pilothouse.errors import ToolError, plural
from pilothouse.tools.tool import Fields, RunFunction, Tool, ToolFlags

__all__ = ["is_included", "local_tool_name", "parse_result", "server_toolset", "tools_from_listing"]

# The longest tool name that model APIs accept.
LONGEST_NAME = 64
LONGEST_ABOUT = 4_000
LONGEST_SCHEMA = 64_000
LONGEST_TEXT = 200_000
MAX_TOOLS = 256

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def server_toolset(server: str) -> str:
    """Return the home toolset of a server's tools."""
    return f"mcp-{server}"


def local_tool_name(server: str, tool: str) -> str:
    """Return the local name of a server's tool: `mcp_<server>_<tool>`."""
    name = _NOT_IN_NAMES.sub("_", f"mcp_{server}_{tool}")
    if len(name) <= LONGEST_NAME:
        return name
    # Cut names could collide, so a hash makes them unique.
    mark = hashlib.sha256(f"{server}\0{tool}".encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}_{mark}"


def is_included(
    server: str, tool: str, include: tuple[str, ...] | None, exclude: tuple[str, ...]
) -> bool:
    """Return whether a server's tool is included. Names and patterns match its own name or its
    local name. With `include`, `exclude` is ignored; an empty `include` includes nothing."""
    names = (tool, local_tool_name(server, tool))

    def among(patterns: tuple[str, ...]) -> bool:
        return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)

    return not among(exclude) if include is None else among(include)


def tools_from_listing(
    server: str, listing: Iterable[Mapping[str, Any]], run: Any
) -> dict[str, Tool]:
    """Build tools from a server's tool list, keyed by the server's own names. `run(name)` returns
    the function that calls one. Invalid entries are left out."""
    made: dict[str, Tool] = {}
    taken: set[str] = set()
    for entry in listing:
        if len(made) >= MAX_TOOLS:
            break
        name, schema = entry.get("name"), entry.get("inputSchema")
        if not isinstance(name, str) or not name or not isinstance(schema, dict):
            continue
        local_name = local_tool_name(server, name)
        if local_name in taken or len(json.dumps(schema)) > LONGEST_SCHEMA:
            continue
        taken.add(local_name)
        made[name] = _tool(server, local_name, entry, schema, run(name))
    return made


def _tool(
    server: str, local_name: str, entry: Mapping[str, Any], schema: dict[str, Any], run: RunFunction
) -> Tool:
    hints = entry.get("annotations") or {}
    about = entry.get("description") or entry.get("title") or hints.get("title") or entry["name"]
    # An unknown tool may change anything, unless the server declares readOnlyHint.
    changes = hints.get("readOnlyHint") is not True
    flags = ToolFlags(reads=True, changes=changes, free=True, tab=False)
    return Tool(
        local_name,
        _sanitize(str(about), LONGEST_ABOUT),
        schema,
        run,
        server_toolset(server),
        flags,
        server,
    )


def parse_result(server: str, result: Mapping[str, Any]) -> Fields:
    """Return a tools/call result as fields of an answer. Raises ToolError if it is an error."""
    texts: list[str] = []
    fields: Fields = {}
    for block in result.get("content") or ():
        if block.get("type") == "image" and "image" not in fields:
            fields["image"] = {"data": block["data"], "mimeType": block["mimeType"]}
        else:
            texts.append(_block_text(block))
    text = _sanitize("\n".join(part for part in texts if part), LONGEST_TEXT)
    if result.get("isError"):
        raise ToolError(
            text or "the tool failed",
            hint=f"check the arguments: the MCP server {server} reported this error",
        )
    structured = result.get("structuredContent")
    # Most servers send the same content twice, as text and as structuredContent. Keep one.
    if isinstance(structured, dict) and list(structured.values()) == [text]:
        structured = None
    elif structured is not None and _parse_json(text) == structured:
        text = ""
    if structured is not None:
        fields["structured"] = structured
    if text or not fields:
        fields["text"] = text
    return fields


def _block_text(block: Mapping[str, Any]) -> str:
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


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _sanitize(text: str, longest: int) -> str:
    text = _CONTROLS.sub("", text)
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[cut: {plural(len(text) - longest, 'character')} more]"
