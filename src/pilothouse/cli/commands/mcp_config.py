"""The configuration for MCP clients that makes them start `pilothouse mcp` or connect to
`pilothouse serve`.

Knows: the settings file and format of each client. Must not know: MCP. No token is printed: a
client that can read an environment variable gets PILOTHOUSE_TOKEN.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths

__all__ = ["CLIENTS", "OPTIONS", "ClientConfigFormat", "http_config", "stdio_config"]

# Options of `pilothouse mcp` that are copied into the printed command.
OPTIONS = (
    "toolsets", "platform", "owner", "headed", "profile", "cdp_url", "browser", "viewport",
    "images", "files",
)  # fmt: skip
URL = "http://127.0.0.1:7411/mcp"
_VARIABLE = "PILOTHOUSE_TOKEN"


class ClientConfigFormat(msgspec.Struct, frozen=True):
    """How one MCP client is configured: the file (`where`) and the key of its servers. `http` is
    the field for a server's URL ("" if unsupported), `more` are fields beside it, and `token` is
    how it refers to an environment variable."""

    where: str
    key: str = "mcpServers"
    http: str = "url"
    more: Mapping[str, Any] = {}
    token: str = "TOKEN"


CLIENTS: Mapping[str, ClientConfigFormat] = {
    "claude": ClientConfigFormat(
        ".mcp.json of a project, or: claude mcp add pilothouse -- …",
        more={"type": "http"},
        token=f"${{{_VARIABLE}}}",
    ),
    "claude-desktop": ClientConfigFormat(
        "claude_desktop_config.json (Settings > Developer > Edit Config)", http=""
    ),
    "cline": ClientConfigFormat(
        "cline_mcp_settings.json (MCP Servers > Configure MCP Servers)",
        more={"type": "streamableHttp"},
    ),
    "codex": ClientConfigFormat("~/.codex/config.toml", token=_VARIABLE),
    "cursor": ClientConfigFormat(
        "~/.cursor/mcp.json, or .cursor/mcp.json of a project", token=f"${{env:{_VARIABLE}}}"
    ),
    "gemini": ClientConfigFormat("~/.gemini/settings.json", http="httpUrl", token=f"${_VARIABLE}"),
    "opencode": ClientConfigFormat(
        "~/.config/opencode/opencode.json, or opencode.json of a project",
        "mcp",
        more={"type": "remote"},
        token=f"{{env:{_VARIABLE}}}",
    ),
    "vscode": ClientConfigFormat(
        ".vscode/mcp.json of a project",
        "servers",
        more={"type": "http"},
        token="${input:pilothouse-token}",
    ),
    "windsurf": ClientConfigFormat(
        "~/.codeium/windsurf/mcp_config.json", http="serverUrl", token=f"${{env:{_VARIABLE}}}"
    ),
    "zed": ClientConfigFormat("~/.config/zed/settings.json", "context_servers"),
}


def stdio_config(client: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """Return the file to edit, and the text that makes the client start `pilothouse mcp` with these
    options."""
    known = CLIENTS[client]
    command, args = _command()
    args.append("mcp")
    for name in OPTIONS:
        option, value = f"--{name.replace('_', '-')}", options.get(name)
        if value is True:
            args.append(option)
        for one in value if isinstance(value, list) else [value]:
            if one and one is not True:
                # The client starts the command in another directory: make paths absolute.
                args += [
                    option,
                    os.path.abspath(os.path.expanduser(one)) if name == "files" else str(one),
                ]
    if client == "codex":
        return known.where, _toml(command=command, args=args)
    server: dict[str, Any] = {"command": command, "args": args}
    if client == "vscode":
        server = {"type": "stdio", **server}
    elif client == "opencode":
        server = {"type": "local", "command": [command, *args], "enabled": True}
    return known.where, _json({known.key: {"pilothouse": server}})


def http_config(client: str) -> tuple[str, str]:
    """Return the file to edit, and the text that makes the client connect to `pilothouse serve`.
    Raises PilothouseError for a client that supports no HTTP servers."""
    known = CLIENTS[client]
    if not known.http:
        raise PilothouseError(f"{client} does not support HTTP servers", hint="remove --http")
    file = RuntimePaths().root / "http.token"
    how = "in place of TOKEN" if known.token == "TOKEN" else f"in the variable {_VARIABLE}"
    if client == "vscode":
        how = "when VS Code asks for it"
    where = f"{known.where}; start `pilothouse serve`, and give the token in {file} {how}"
    if client == "codex":
        return where, _toml(url=URL, bearer_token_env_var=_VARIABLE)
    headers = {"Authorization": f"Bearer {known.token}"}
    whole: dict[str, Any] = {
        known.key: {"pilothouse": {**known.more, known.http: URL, "headers": headers}}
    }
    if client == "vscode":
        asked = {"type": "promptString", "id": "pilothouse-token", "password": True}
        whole["inputs"] = [{**asked, "description": "Token of pilothouse serve"}]
    return where, _json(whole)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _toml(**fields: Any) -> str:
    # JSON strings and lists of strings are valid TOML.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "\n".join(["[mcp_servers.pilothouse]", *lines]) + "\n"


def _command() -> tuple[str, list[str]]:
    """Return our command by its absolute path: clients may not have the shell's PATH."""
    found = shutil.which("pilothouse")
    return (found, []) if found else (sys.executable, ["-m", "pilothouse"])
