"""Claude Code, the agent's program from npm, asked once and shut off from the world.

    ran = ask("Burn the letters", model.url, servers, folder)
    ran.code, ran.said, ran.events

Knows: how the program is installed, started and silenced. Must not know: Pilothouse, or what is
asserted. Everything that it writes goes below `folder`. Its model is whoever answers at `model`;
whatever it may want of the rest of the world is sent there too, as to a proxy.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.npm_package_cache import installed

__all__ = ["Ran", "ask", "left_by"]

ROOT = Path(__file__).parents[2]
WANTED = ROOT / "tests" / "fixtures_agents" / "package.json"
CACHE = ROOT / ".dev" / "agents"
ENDS_WITHIN_S = 150.0
# Long enough for a busy machine: it shall wait for the server's tools before it asks the model.
CONNECTS_WITHIN_MS = "100000"


@dataclass(frozen=True, slots=True)
class Ran:
    """One question, answered."""

    code: int
    events: tuple[Mapping[str, Any], ...]
    errors: str

    def event(self, kind: str) -> Mapping[str, Any]:
        """The only event of a kind."""
        (found,) = (event for event in self.events if event["type"] == kind)
        return found

    @property
    def said(self) -> str:
        """Its last words."""
        return str(self.event("result")["result"])


def ask(words: str, model: str, servers: Mapping[str, Any], folder: Path) -> Ran:
    """Ask it something; `servers` is the content of its `.mcp.json`. It has no tools of its own,
    and may use all of those servers'."""
    settings = folder / "mcp.json"
    settings.write_text(json.dumps(servers))
    (work := folder / "work").mkdir()
    command = [
        *(str(_program()), "--print", words, "--model", "scripted", "--bare", "--tools", ""),
        *("--strict-mcp-config", "--mcp-config", str(settings)),
        *("--allowedTools", ",".join(f"mcp__{name}" for name in servers["mcpServers"])),
        *("--no-session-persistence", "--output-format", "stream-json", "--verbose"),
    ]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=work,
        env=_environment(model, folder),
    )
    try:
        out, errors = process.communicate(timeout=ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        for one in left_by(folder):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        out, errors = process.communicate()
        raise AssertionError(f"it did not end: {out[-2000:]}{errors[-2000:]}") from None
    events = tuple(json.loads(line) for line in out.splitlines())
    return Ran(process.returncode, events, errors)


def left_by(folder: Path) -> list[psutil.Process]:
    """The processes that have been started for it and still run."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("TMPDIR") == str(folder):
                found.append(process)
    return found


def _program() -> Path:
    packages = installed(WANTED, CACHE) / "node_modules" / "@anthropic-ai"
    # The one for this machine, from its own package: no script need put it anywhere else.
    (found,) = packages.glob("claude-code-*/claude")
    return found


def _environment(model: str, folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "CLAUDE_CONFIG_DIR": str(folder / "settings"),
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "MCP_CONNECTION_NONBLOCKING": "0",
        "MCP_CONNECT_TIMEOUT_MS": CONNECTS_WITHIN_MS,
        "MCP_TIMEOUT": CONNECTS_WITHIN_MS,
        "HTTP_PROXY": model,
        "HTTPS_PROXY": model,
        "NO_PROXY": "127.0.0.1",
    }
