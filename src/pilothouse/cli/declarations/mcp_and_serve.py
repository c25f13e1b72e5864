"""Declare `mcp`, `serve` and `dashboard`. Read on every call, so it imports only data."""

from __future__ import annotations

from pilothouse.cli.command import Argument, CliCommand
from pilothouse.cli.declarations.tools import PLATFORMS

__all__ = ["CLIENTS", "COMMANDS"]

# The same clients as in cli/commands/mcp_config.py; a test compares them.
CLIENTS = (
    "claude", "claude-desktop", "cline", "codex", "cursor", "gemini", "opencode", "vscode",
    "windsurf", "zed",
)  # fmt: skip

_TOOLSETS = Argument(
    "toolsets", "toolsets or tools, separated by commas, such as lean or browser,web"
)
_IMAGES = Argument(
    "images",
    "whether to send images to the client (default: auto, as the client declares)",
    choices=("auto", "allow", "omit"),
)

COMMANDS = (
    CliCommand(
        "mcp",
        "Run an MCP server on stdin and stdout, for agents such as Claude Code.",
        "commands.mcp_and_serve:mcp",
        (
            _TOOLSETS,
            Argument("platform", "use this platform's tools (default: mcp)", choices=PLATFORMS),
            Argument(
                "owner",
                "owner of the tabs, to keep them for later; without it, the tabs close at the end",
            ),
            Argument(
                "files",
                "folder the agent may upload from and save to (default: the working directory)",
                "texts",
            ),
            Argument("headed", "show the browser window", "flag"),
            Argument("profile", "named profile to use; it is kept"),
            Argument("cdp_url", "connect to a running browser: URL, port or profile directory"),
            Argument(
                "browser", "a managed browser, or your Chrome", choices=("managed", "extension")
            ),
            Argument("viewport", "viewport size of new tabs, such as 1280x800 or 1280x800@2"),
            _IMAGES,
            Argument(
                "print_config", "print what to write into a client's settings", choices=CLIENTS
            ),
            Argument("http", "with --print-config: connect to `pilothouse serve` instead", "flag"),
        ),
        examples=(
            "mcp",
            "mcp --toolsets lean",
            "mcp --headed --profile work",
            "mcp --print-config claude --toolsets full",
            "mcp --print-config cursor --http",
        ),
        common_options=False,
    ),
    CliCommand(
        "serve",
        "Run an MCP server over HTTP on this machine, until you stop it.",
        "commands.mcp_and_serve:serve",
        (
            Argument("port", "port (default: setting web.port, 7411; 0: a free port)", "int"),
            Argument("host", "127.0.0.1 or ::1; other addresses are refused"),
            _TOOLSETS,
            Argument(
                "platform", "use this platform's tools (default: api-server)", choices=PLATFORMS
            ),
            _IMAGES,
        ),
        examples=("serve", "serve --port 0", "serve --platform mcp"),
        common_options=False,
    ),
    CliCommand(
        "dashboard",
        "Open a page in your browser that shows what agents do, and lets you answer for them.",
        "commands.dashboard:dashboard",
        (
            Argument("port", "port (default: 7411; 0: a free port)", "int"),
            Argument("no_open", "print the link only", "flag"),
            Argument("revoke", "end all links and sessions, and close the port", "flag"),
        ),
        examples=("dashboard", "dashboard --no-open", "dashboard --revoke"),
        common_options=False,
    ),
)
