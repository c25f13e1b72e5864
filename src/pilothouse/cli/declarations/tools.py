"""The commands about tools, declared. As commands.py, it is read on every call and imports nothing
but data."""

from __future__ import annotations

from pilothouse.cli.command import Command, Word

__all__ = ["TOOL_COMMANDS"]

# The same as tools/toolsets.py, which costs too much to import here; a test holds them together.
PLATFORMS = ("cli", "mcp", "api-server", "acp", "side-panel")

_TOOLSETS = Word("toolsets", "for this call only: toolsets, tools, patterns, as web,browser_*")

TOOL_COMMANDS = (
    Command(
        "tools",
        "Which tools agents get, and why; on a terminal, a screen to switch them.",
        "commands.tools:tools",
        (
            Word(
                "action",
                "without one: the screen",
                positional=True,
                choices=("list", "enable", "disable", "explain"),
            ),
            Word("names", "tools, toolsets or patterns", positional=True, many=True, kind="texts"),
            Word("platform", "only for these clients", choices=PLATFORMS),
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
    Command(
        "tool",
        "Call any tool as an agent does: key=value is a text or number, key:=JSON anything.",
        "commands.tools:tool",
        (
            Word("name", "of the tool", positional=True, default=...),
            Word(
                "arguments",
                "as key=value or key:=JSON; - reads one JSON object from stdin",
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
