"""What to write into the settings of an agent's program so that it starts `pilothouse mcp`.

Knows: where each client keeps its servers, and in which form. Must not know: MCP.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["CLIENTS", "snippet"]

# Where it goes, and under which name its servers are kept.
CLIENTS = {
    "claude": (".mcp.json of a project, or: claude mcp add pilothouse -- …", "mcpServers"),
    "codex": ("~/.codex/config.toml", ""),
    "cursor": ("~/.cursor/mcp.json, or .cursor/mcp.json of a project", "mcpServers"),
    "vscode": (".vscode/mcp.json of a project", "servers"),
    "gemini": ("~/.gemini/settings.json", "mcpServers"),
}


def snippet(client: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """Where it goes, and the text."""
    where, key = CLIENTS[client]
    command, args = _command()
    args.append("mcp")
    for name in ("toolsets", "owner"):
        if value := options.get(name):
            args += [f"--{name}", value]
    if client == "codex":
        # JSON's texts and lists of texts are TOML's, too.
        lines = ("[mcp_servers.pilothouse]", f"command = {_text(command)}", f"args = {_text(args)}")
        return where, "\n".join(lines) + "\n"
    server: dict[str, Any] = {"command": command, "args": args}
    if client == "vscode":
        server = {"type": "stdio", **server}
    return where, json.dumps({key: {"pilothouse": server}}, indent=2, ensure_ascii=False) + "\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _command() -> tuple[str, list[str]]:
    """Our own command by its whole path: clients do not start with a shell's PATH."""
    found = shutil.which("pilothouse")
    return (found, []) if found else (sys.executable, ["-m", "pilothouse"])
