"""What to write into the settings of an agent's program so that it starts `pilothouse mcp`, or
reaches `pilothouse serve`.

Knows: where each client keeps its servers, and in which form. Must not know: MCP. No token is
printed: where a client can read a variable, that is PILOTHOUSE_TOKEN.
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

__all__ = ["CLIENTS", "OPTIONS", "Client", "http_snippet", "snippet"]

# Options of `pilothouse mcp` that go into the command.
OPTIONS = (
    "toolsets", "platform", "owner", "headed", "profile", "cdp_url", "browser", "viewport",
    "images", "files",
)  # fmt: skip
URL = "http://127.0.0.1:7411/mcp"
_VARIABLE = "PILOTHOUSE_TOKEN"


class Client(msgspec.Struct, frozen=True):
    """One agent's program: the file its servers are in, and under which key. `http` is the field
    with a server's address (empty: it takes none), `more` are fields beside it, and `token` is how
    it reads a variable."""

    where: str
    key: str = "mcpServers"
    http: str = "url"
    more: Mapping[str, Any] = {}
    token: str = "TOKEN"


CLIENTS: Mapping[str, Client] = {
    "claude": Client(
        ".mcp.json of a project, or: claude mcp add pilothouse -- …",
        more={"type": "http"},
        token=f"${{{_VARIABLE}}}",
    ),
    "claude-desktop": Client(
        "claude_desktop_config.json (Settings > Developer > Edit Config)", http=""
    ),
    "cline": Client(
        "cline_mcp_settings.json (MCP Servers > Configure MCP Servers)",
        more={"type": "streamableHttp"},
    ),
    "codex": Client("~/.codex/config.toml", token=_VARIABLE),
    "cursor": Client(
        "~/.cursor/mcp.json, or .cursor/mcp.json of a project", token=f"${{env:{_VARIABLE}}}"
    ),
    "gemini": Client("~/.gemini/settings.json", http="httpUrl", token=f"${_VARIABLE}"),
    "opencode": Client(
        "~/.config/opencode/opencode.json, or opencode.json of a project",
        "mcp",
        more={"type": "remote"},
        token=f"{{env:{_VARIABLE}}}",
    ),
    "vscode": Client(
        ".vscode/mcp.json of a project",
        "servers",
        more={"type": "http"},
        token="${input:pilothouse-token}",
    ),
    "windsurf": Client(
        "~/.codeium/windsurf/mcp_config.json", http="serverUrl", token=f"${{env:{_VARIABLE}}}"
    ),
    "zed": Client("~/.config/zed/settings.json", "context_servers"),
}


def snippet(client: str, options: Mapping[str, Any]) -> tuple[str, str]:
    """Where it goes, and the text that has the client start `pilothouse mcp` with these options."""
    known = CLIENTS[client]
    command, args = _command()
    args.append("mcp")
    for name in OPTIONS:
        option, value = f"--{name.replace('_', '-')}", options.get(name)
        if value is True:
            args.append(option)
        for one in value if isinstance(value, list) else [value]:
            if one and one is not True:
                # The client starts it elsewhere.
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


def http_snippet(client: str) -> tuple[str, str]:
    """Where it goes, and the text that has the client reach `pilothouse serve`. Raises
    PilothouseError for a client whose settings take no address."""
    known = CLIENTS[client]
    if not known.http:
        raise PilothouseError(
            f"{client} starts its servers itself and takes no address", hint="leave out --http"
        )
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
    # JSON's texts and lists of texts are TOML's, too.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "\n".join(["[mcp_servers.pilothouse]", *lines]) + "\n"


def _command() -> tuple[str, list[str]]:
    """Our own command by its whole path: clients do not start with a shell's PATH."""
    found = shutil.which("pilothouse")
    return (found, []) if found else (sys.executable, ["-m", "pilothouse"])
