"""What agents use to look at pages and act on them, behind one face: MCP servers, a command line,
browser-use, and ours.

Knows: how each of them is called. Must not know: what is measured. An element is found by its
label in the tool's own snapshot, outside the timing, as an agent would have found it before.
"""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from bench import chromium
from bench.chromium import BenchError
from bench.mcp_stdio_client import McpPeer
from bench.pilothouse_tool import Ours

__all__ = ["TOOLS", "Tool"]

NODE = Path(__file__).parent / "node_modules"
PATIENCE_S = 60.0
# browser-use has an environment of its own (requirements-browser-use.txt).
_OWN = Path(__file__).parent.parent / ".dev" / "bench-browser-use" / "bin" / "python"

Where = dict[str, Any]


class Tool(Protocol):
    """A tool with a browser of its own. Every call raises BenchError when the tool fails."""

    def open(self, url: str) -> None:
        """Show a page."""

    def snapshot(self) -> str:
        """What the tool tells an agent about the page."""

    def aim(self, role: str, label: str) -> None:
        """Find the element of the next action."""

    def click(self) -> str:
        """Click it; what the tool says."""

    def fill(self, text: str) -> str:
        """Put text into it."""

    def select(self, option: str) -> str:
        """Choose an option of it."""

    def accept(self) -> None:
        """Get rid of a dialog, if one is still there."""

    def pids(self) -> list[int]:
        """Its processes beside the browser; of each with its children."""

    def close(self) -> None:
        """End."""


class McpTool:
    """An MCP server: what its tools are called, and how they want their arguments."""

    def __init__(self, command: list[str], tools: dict[str, str], always: dict[str, Any]) -> None:
        self._peer = McpPeer(command)
        self._tools = tools
        self._always = always
        self._target: dict[str, Any] = {}
        self._by_uid = False

    def open(self, url: str) -> None:
        self._call("open", {"url": url}, strict=True)

    def snapshot(self) -> str:
        return self._call("snapshot", {}, strict=True)

    def aim(self, role: str, label: str) -> None:
        text = self.snapshot()
        named = f'{role} "{re.escape(label)}"'
        found = re.search(rf"{named}.*?\[ref=(\w+)\]|uid=(\w+) {named}", text)
        if found is None:
            raise BenchError(f"no {named} in its snapshot: {text[:200]!r}")
        ref, uid = found.groups()
        # One of them wants the element's name beside its reference, too.
        self._by_uid = bool(uid)
        self._target = {"uid": uid} if uid else {"target": ref, "element": label}

    def click(self) -> str:
        return self._call("click", self._target)

    def fill(self, text: str) -> str:
        words = {"value": text} if self._by_uid else {"text": text}
        return self._call("fill", self._target | words)

    def select(self, option: str) -> str:
        chosen: dict[str, Any] = {"value": option} if self._by_uid else {"values": [option]}
        return self._call("select", self._target | chosen)

    def accept(self) -> None:
        self._call("accept", {"action": "accept"} if self._by_uid else {"accept": True})

    def pids(self) -> list[int]:
        return [self._peer.pid]

    def close(self) -> None:
        self._peer.close()

    def _call(self, tool: str, arguments: Mapping[str, Any], *, strict: bool = False) -> str:
        # Whether an action failed is seen on the page.
        asked = {**self._always, **arguments}
        return self._peer.call(self._tools[tool], PATIENCE_S, strict=strict, **asked)


class AgentBrowser:
    """A command line with a daemon behind it; the native program, not its Node front."""

    def __init__(self, where: Where) -> None:
        program = NODE / "agent-browser/bin/agent-browser-linux-x64"
        program.chmod(0o755)
        self._session = f"bench{where['port']}"
        self._base = [str(program), "--session", self._session, "--cdp", str(where["port"])]
        self._ref = ""

    def open(self, url: str) -> None:
        self._run("open", url)

    def snapshot(self) -> str:
        return self._run("snapshot", "-i")

    def aim(self, role: str, label: str) -> None:
        text = self.snapshot()
        found = re.search(rf'{role} "{re.escape(label)}".*?\bref=(\w+)', text)
        if found is None:
            raise BenchError(f"no {role} {label} in its snapshot: {text[:200]!r}")
        self._ref = f"@{found[1]}"

    def click(self) -> str:
        return self._run("click", self._ref)

    def fill(self, text: str) -> str:
        return self._run("fill", self._ref, text)

    def select(self, option: str) -> str:
        return self._run("select", self._ref, option)

    def accept(self) -> None:
        """It accepts alerts by itself."""

    def pids(self) -> list[int]:
        note = Path.home() / f".agent-browser/{self._session}.pid"
        return [int(note.read_text())] if note.exists() else []

    def close(self) -> None:
        self._run("close")

    def _run(self, *words: str) -> str:
        try:
            done = subprocess.run(
                [*self._base, *words], capture_output=True, timeout=PATIENCE_S, text=True
            )
        except subprocess.TimeoutExpired:
            raise BenchError(f"{words[0]} was not answered within {PATIENCE_S:g} s") from None
        if done.returncode != 0:
            raise BenchError((done.stderr or done.stdout).strip()[:300])
        return done.stdout


class BrowserUse:
    """browser-use in a process of its own; see bench/clients/browser_use_tool.py."""

    def __init__(self, where: Where) -> None:
        self._process = subprocess.Popen(
            [
                str(_OWN if _OWN.exists() else sys.executable),
                "-m",
                "bench.clients.browser_use_tool",
                json.dumps(where),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._index = 0
        self._answer()

    def open(self, url: str) -> None:
        self._ask(do="open", url=url)

    def snapshot(self) -> str:
        return self._ask(do="snapshot")

    def aim(self, role: str, label: str) -> None:
        text = self.snapshot()
        # Buttons stand above their text, fields are known by their attributes.
        quoted = re.escape(label)
        found = re.search(
            rf"\[(\d+)\]<button[^\n]*\n\s*{quoted}\n|\[(\d+)\]<(?:input|select)[^\n]*{quoted}\b",
            text,
        )
        if found is None:
            raise BenchError(f"no {role} {label} in its snapshot: {text[:200]!r}")
        self._index = int(found[1] or found[2])

    def click(self) -> str:
        return self._ask(do="click", index=self._index)

    def fill(self, text: str) -> str:
        return self._ask(do="fill", index=self._index, text=text)

    def select(self, option: str) -> str:
        return self._ask(do="select", index=self._index, text=option)

    def accept(self) -> None:
        """It accepts dialogs by itself."""

    def pids(self) -> list[int]:
        return [self._process.pid]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _ask(self, **request: Any) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise BenchError(str(answer["error"])[:300])
        return str(answer["text"])

    def _answer(self) -> dict[str, Any]:
        """One line; a late answer to an earlier question would be taken for this one's, so
        whoever was too slow once is not asked again."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + PATIENCE_S
        ready = select.select([self._process.stdout], [], [], deadline - time.monotonic())[0]
        if not ready:
            raise BenchError(f"not answered within {PATIENCE_S:g} s")
        line = self._process.stdout.readline()
        if not line:
            raise BenchError("its process ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _playwright_mcp(where: Where) -> Tool:
    # It writes logs beside the caller unless told where.
    logs = ["--output-dir", str(chromium.PROFILES.parent / "playwright-mcp")]
    program = str(NODE / "@playwright/mcp/cli.js")
    tools = {
        "open": "browser_navigate",
        "snapshot": "browser_snapshot",
        "click": "browser_click",
        "fill": "browser_type",
        "select": "browser_select_option",
        "accept": "browser_handle_dialog",
    }
    return McpTool(["node", program, "--cdp-endpoint", where["http"], *logs], tools, {})


def _devtools_mcp(where: Where) -> Tool:
    program = NODE / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"
    tools = {
        "open": "navigate_page",
        "snapshot": "take_snapshot",
        "click": "click",
        "fill": "fill",
        "select": "fill",
        "accept": "handle_dialog",
    }
    return McpTool(["node", str(program), "--browserUrl", where["http"]], tools, {"pageId": 1})


# Each in a browser of its own; `pilothouse 4k` is ours with the budget agents get by default.
TOOLS: dict[str, Callable[[Where], Tool]] = {
    "pilothouse": Ours,
    "pilothouse 4k": lambda where: Ours(where, whole=False),
    "@playwright/mcp": _playwright_mcp,
    "chrome-devtools-mcp": _devtools_mcp,
    "agent-browser": AgentBrowser,
    "browser-use": BrowserUse,
}
