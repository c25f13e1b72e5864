"""Declare `tools` and `tool`. Read on every call, so it imports only data."""

from __future__ import annotations

from pilothouse.cli.command import Argument, CliCommand

__all__ = ["TOOL_COMMANDS"]

# The same as in tools/toolsets.py, which is too slow to import here; a test compares them.
PLATFORMS = ("cli", "mcp", "api-server", "acp", "side-panel")

_TOOLSETS = Argument(
    "toolsets", "for this call only: toolsets, tools or patterns, such as web,browser_*"
)

TOOL_COMMANDS = (
    CliCommand(
        "tools",
        "Show which tools agents get, and why; on a terminal, switch them on a screen.",
        "commands.tools:tools",
        (
            Argument(
                "action",
                "default: the screen",
                positional=True,
                choices=("list", "enable", "disable", "explain"),
            ),
            Argument(
                "names", "tools, toolsets or patterns", positional=True, many=True, kind="texts"
            ),
            Argument("platform", "only for this kind of client", choices=PLATFORMS),
            _TOOLSETS,
        ),
        examples=(
            "tools",
            "tools list --platform mcp",
            "tools list --toolsets lean",
            "tools enable browser-data --platform mcp",
            "tools disable browser_cdp 'browser_route'",
            "tools explain browser_dialog",
        ),
    ),
    CliCommand(
        "tool",
        "Call a tool as an agent does.",
        "commands.tools:tool",
        (
            Argument("name", "name of the tool", positional=True, default=...),
            Argument(
                "arguments",
                "key=value for texts and numbers, key:=JSON for other values; - reads one JSON "
                "object from stdin",
                positional=True,
                many=True,
                kind="texts",
            ),
            _TOOLSETS,
        ),
        examples=(
            "tool browser_navigate url=https://example.com",
            "tool browser_click ref=e12 --json",
            'tool browser_select ref=e9 \'values:=["red", "blue"]\'',
            "tool browser_console --toolsets debugging",
        ),
    ),
)
