"""The commands for agents' programs, declared. No imports that cost: it is read on every call."""

from __future__ import annotations

from pilothouse.cli.command import Command, Word
from pilothouse.cli.declarations.tools import PLATFORMS

__all__ = ["CLIENTS", "COMMANDS"]

# The same as cli/commands/mcp_config.py; a test holds them together.
CLIENTS = (
    "claude", "claude-desktop", "cline", "codex", "cursor", "gemini", "opencode", "vscode",
    "windsurf", "zed",
)  # fmt: skip

_TOOLSETS = Word("toolsets", "which tools, such as lean, browser, full, or a,b")
_IMAGES = Word(
    "images",
    "whether the client is sent pictures (default: auto, as the client says)",
    choices=("auto", "allow", "omit"),
)

COMMANDS = (
    Command(
        "mcp",
        "Speak MCP on stdin and stdout, for an agent's program.",
        "commands.mcp:mcp",
        (
            _TOOLSETS,
            Word("platform", "get this platform's tools (default: mcp)", choices=PLATFORMS),
            Word("owner", "a name to come back to; without one its tabs end with it"),
            Word(
                "files",
                "a folder the agent may upload from and save to (default: the working directory)",
                "texts",
            ),
            Word("headed", "show the browser's window", "flag"),
            Word("profile", "open tabs in a named profile that is kept"),
            Word("cdp_url", "join a running browser: URL, port or profile directory"),
            Word("browser", "a browser of ours, or your Chrome", choices=("managed", "extension")),
            Word("viewport", "size of new tabs, as 1280x800 or 1280x800@2"),
            _IMAGES,
            Word("print_config", "print what to write into a client's settings", choices=CLIENTS),
            Word("http", "with --print-config: for `pilothouse serve` instead", "flag"),
        ),
        examples=(
            "mcp",
            "mcp --toolsets lean",
            "mcp --headed --profile work",
            "mcp --print-config claude --toolsets full",
            "mcp --print-config cursor --http",
        ),
        owned=False,
    ),
    Command(
        "serve",
        "Offer MCP by HTTP on this machine, until it is ended.",
        "commands.mcp:serve",
        (
            Word("port", "where (default: 7411; 0: a free one)", "int"),
            Word("host", "127.0.0.1 or ::1, and no other"),
            _TOOLSETS,
            Word("platform", "give this platform's tools (default: api-server)", choices=PLATFORMS),
            _IMAGES,
        ),
        examples=("serve", "serve --port 0", "serve --platform mcp"),
        owned=False,
    ),
)
