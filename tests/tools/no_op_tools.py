"""Tools that do nothing, for tests of how they are chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.tools.selection import Choices, Selection, Switches, resolve, toolsets_for
from pilothouse.tools.tool import Tool, ToolFlags
from pilothouse.tools.toolsets import NameEntry

__all__ = ["TOOLS", "a_tool", "chosen", "entries", "selected"]


async def _nothing(context: object, given: Mapping[str, Any]) -> dict[str, Any]:
    return {"did": dict(given)}


def a_tool(name: str, home: str = "browser", source: str = "", **flags: bool) -> Tool:
    """A tool of that name."""
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    return Tool(name, f"does {name}", schema, _nothing, home, ToolFlags(**flags), source)


TOOLS = {
    tool.name: tool
    for tool in (
        a_tool("browser_navigate", changes=True),
        a_tool("browser_snapshot", reads=True),
        a_tool("browser_batch", changes=True),
        a_tool("browser_click", changes=True),
        a_tool("browser_vision", reads=True),
        a_tool("browser_cdp", cdp=True),
        a_tool("browser_cookies", "browser-data", reads=True),
        a_tool("web_search", "web", reads=True, tab=False),
        a_tool("web_extract", "web", reads=True, tab=False),
        a_tool("browser", "code", dangerous=True),
        a_tool("execute", "code", dangerous=True),
    )
}


def entries(field: str, *names: str) -> tuple[NameEntry, ...]:
    """Names as they are written in a file."""
    return tuple(
        NameEntry(name, field, f"/home/ann/config.yaml:{number}")
        for number, name in enumerate(names, 1)
    )


def chosen(
    toolsets: Sequence[str] | None = None,
    *,
    platforms: Mapping[str, Sequence[str]] | None = None,
    custom: Mapping[str, Sequence[str]] | None = None,
    enable: Sequence[str] = (),
    disable: Sequence[str] = (),
    deny: Sequence[str] = (),
    on: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    servers: Sequence[str] = (),
) -> Choices:
    """What a person wrote; `on` are the switches of single platforms."""
    return Choices(
        None if toolsets is None else entries("toolsets", *toolsets),
        {p: entries(f"platform_toolsets.{p}", *names) for p, names in (platforms or {}).items()},
        {n: entries(f"custom_toolsets.{n}", *names) for n, names in (custom or {}).items()},
        Switches(entries("tools.enable", *enable), entries("tools.disable", *disable)),
        {
            platform: Switches(
                entries(f"tools.platforms.{platform}.enable", *level.get("enable", ())),
                entries(f"tools.platforms.{platform}.disable", *level.get("disable", ())),
            )
            for platform, level in (on or {}).items()
        },
        entries("tools.deny", *deny),
        dict.fromkeys(servers, "/home/ann/config.yaml:9"),
        "/home/ann/config.yaml",
    )


def selected(
    choices: Choices | None = None,
    platform: str = "cli",
    flags: Sequence[str] = (),
    shut: Mapping[str, str] | None = None,
    tools: Mapping[str, Tool] = TOOLS,
) -> Selection:
    """What comes of choices."""
    choices = choices or Choices()
    return resolve(
        tools, toolsets_for(tools, choices), choices, platform=platform, flags=flags, shut=shut
    )
