"""The commands for agents' programs, declared. No imports that cost: it is read on every call."""

from __future__ import annotations

from pilothouse.cli.command import Command, Word

__all__ = ["COMMANDS"]

_TOOLSETS = Word("toolsets", "which tools, such as lean, browser, full, or a,b")

COMMANDS = (
    Command(
        "mcp",
        "Speak MCP on stdin and stdout, for an agent's program.",
        "mcp:mcp",
        (
            _TOOLSETS,
            Word("owner", "a name to come back to; without one its tabs end with it"),
            Word(
                "print_config",
                "print what to write into a client's settings",
                choices=("claude", "codex", "cursor", "vscode", "gemini"),
            ),
        ),
        examples=("mcp", "mcp --toolsets lean", "mcp --print-config claude"),
        owned=False,
    ),
    Command(
        "serve",
        "Offer MCP by HTTP on this machine, until it is ended.",
        "mcp:serve",
        (
            Word("port", "where (default: 7411; 0: a free one)", "int"),
            Word("host", "127.0.0.1 or ::1, and no other"),
            _TOOLSETS,
        ),
        examples=("serve", "serve --port 0"),
        owned=False,
    ),
)
