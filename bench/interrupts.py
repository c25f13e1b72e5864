"""`python -m bench interrupts`: from a click that opens `alert()` to the tool call's return.

Everybody clicks the same button of the same page in a Chromium of its own, in turn. What counts is
how long the caller waits; what the call says is shown beside it. Peers dismiss or report the
dialog in their own ways; some only come back when their own patience ends.
"""

from __future__ import annotations

import asyncio
import http.server
import re
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError, Chromium
from bench.mcp_peer import McpPeer
from pilothouse.cdp import Connection, dial_websocket
from pilothouse.cdp.protocol import Page
from pilothouse.supervisor import Options, Supervisor

__all__ = ["run"]

NODE = Path(__file__).parent / "node_modules"
PAGE = b"<!doctype html><title>Alert</title><button id=b onclick=\"alert('hello')\">Raise</button>"
PATIENCE_S = 60.0


class Peer(Protocol):
    """Something that can click the button."""

    def prepare(self, url: str) -> None:
        """Show the page, ready for the click."""

    def click(self) -> str:
        """Click; what came back."""

    def settle(self) -> None:
        """Get rid of the dialog, if it is still there."""

    def close(self) -> None:
        """End."""


class _Ours:
    """The supervisor, in this process; the event loop runs in a thread of its own."""

    def __init__(self, where: dict[str, Any]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._do(self._start(where["ws"]))

    def prepare(self, url: str) -> None:
        self._do(self._prepare(url))

    def click(self) -> str:
        return self._do(self._click())

    def settle(self) -> None:
        self._do(self._supervisor.answer(accept=True))

    def close(self) -> None:
        self._do(self._supervisor.close())
        self._do(self._connection.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_S)

    async def _start(self, url: str) -> None:
        self._connection = await Connection.open(dial_websocket(url))
        self._supervisor = Supervisor(self._connection, Options())
        await self._supervisor.start()
        self._tab = await self._supervisor.open_tab("bench")

    async def _prepare(self, url: str) -> None:
        loaded = self._supervisor.session(self._tab).expect(Page.loadEventFired)
        await self._supervisor.cdp("Page.navigate", {"url": url}, tab=self._tab)
        await loaded

    async def _click(self) -> str:
        click = {"expression": "document.getElementById('b').click()"}
        outcome = await self._supervisor.cdp("Runtime.evaluate", click, tab=self._tab)
        return f"blocked by {outcome.blocked_by[0].id}" if outcome.blocked_by else "not blocked"


class _Mcp:
    """A peer over MCP: what its tools are called, and what each of its calls must carry."""

    def __init__(self, command: list[str], tools: dict[str, str], always: dict[str, Any]) -> None:
        self._peer = McpPeer(command)
        self._tools = tools
        self._always = always
        self._button: dict[str, str] = {}

    def prepare(self, url: str) -> None:
        self._call("navigate", url=url)
        text = self._call("snapshot")
        found = re.search(r'button "Raise".*?\[ref=(\w+)\]|uid=(\w+) button "Raise"', text)
        if found is None:
            raise BenchError(f"no button in its snapshot: {text[:200]!r}")
        # One of them wants the element's name beside its reference, too.
        ref, uid = found.groups()
        self._button = {"uid": uid} if uid else {"target": ref, "element": "Raise"}

    def click(self) -> str:
        return self._call("click", **self._button)

    def settle(self) -> None:
        answer = {"action": "accept"} if "uid" in self._button else {"accept": True}
        self._call("dialog", **answer)

    def close(self) -> None:
        self._peer.close()

    def _call(self, tool: str, **arguments: Any) -> str:
        return self._peer.call(self._tools[tool], PATIENCE_S, **self._always, **arguments)


class _AgentBrowser:
    """A command line with a daemon behind it; the native program, not its Node front."""

    def __init__(self, where: dict[str, Any]) -> None:
        program = NODE / "agent-browser/bin/agent-browser-linux-x64"
        program.chmod(0o755)
        self._base = [str(program), "--session", "bench", "--cdp", str(where["port"])]

    def prepare(self, url: str) -> None:
        self._run("open", url)

    def click(self) -> str:
        return self._run("click", "#b")

    def settle(self) -> None:
        """It accepts alerts by itself."""

    def close(self) -> None:
        self._run("close")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._base, *words], capture_output=True, timeout=PATIENCE_S, text=True, check=False
        )
        return (done.stdout + done.stderr).strip()


def _playwright_mcp(where: dict[str, Any]) -> Peer:
    # It writes logs beside the caller unless told where.
    logs = ["--output-dir", str(chromium.PROFILES.parent / "playwright-mcp")]
    program = str(NODE / "@playwright/mcp/cli.js")
    command = ["node", program, "--cdp-endpoint", where["http"], *logs]
    tools = {
        "navigate": "browser_navigate",
        "snapshot": "browser_snapshot",
        "click": "browser_click",
        "dialog": "browser_handle_dialog",
    }
    return _Mcp(command, tools, {})


def _devtools_mcp(where: dict[str, Any]) -> Peer:
    program = NODE / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"
    command = ["node", str(program), "--browserUrl", where["http"]]
    tools = {
        "navigate": "navigate_page",
        "snapshot": "take_snapshot",
        "click": "click",
        "dialog": "handle_dialog",
    }
    return _Mcp(command, tools, {"pageId": 1})


PEERS: dict[str, Callable[[dict[str, Any]], Peer]] = {
    "pilothouse": _Ours,
    "@playwright/mcp": _playwright_mcp,
    "chrome-devtools-mcp": _devtools_mcp,
    "agent-browser": _AgentBrowser,
}


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if a peer could not be measured."""
    browser = chromium.find()
    chromium.sweep()
    times: dict[str, list[float]] = {name: [] for name in PEERS}
    said: dict[str, str] = {}
    failures: dict[str, str] = {}
    with ExitStack() as stack:
        url = stack.enter_context(_page())
        peers: dict[str, Peer] = {}
        for number, (name, make) in enumerate(PEERS.items()):
            console.print(f"starting {name} and its browser", highlight=False)
            own = Chromium(browser, f"interrupts{number}", pipe=False)
            stack.callback(own.close)
            own.wait_ready()
            peers[name] = make(own.where)
            stack.callback(peers[name].close)
        for number in range(rounds):
            for name, peer in peers.items():
                if name in failures:
                    continue
                try:
                    peer.prepare(url)
                    started = time.perf_counter()
                    said[name] = peer.click()
                    times[name].append((time.perf_counter() - started) * 1000)
                    peer.settle()
                except (BenchError, subprocess.TimeoutExpired) as error:
                    failures[name] = str(error)
            console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    _show(console, times, said, failures)
    result = {
        "bench": "interrupts",
        "machine": report.machine(chromium.version(browser)),
        "milliseconds": times,
        "said": said,
        "failures": failures,
    }
    console.print(f"written: {report.write(json_path, 'interrupts', result)}", highlight=False)
    return 1 if failures else 0


def _show(
    console: Console, times: dict[str, list[float]], said: dict[str, str], failures: dict[str, str]
) -> None:
    table = Table(title="from the click that opens alert() to the call's return")
    for heading in ("peer", "median ms", "min..max", "x pilothouse", "what the call said"):
        table.add_column(heading)
    ours = statistics.median(times["pilothouse"])
    for name, took in times.items():
        if not took:
            table.add_row(name, "-", "-", "-", failures.get(name, "")[:60])
            continue
        median = statistics.median(took)
        words = " ".join(failures.get(name, said[name]).split())[:60]
        spread = f"{min(took):.0f}..{max(took):.0f}"
        table.add_row(name, f"{median:.0f}", spread, f"{median / ours:.0f}", words)
    console.print(table, markup=False)


@contextmanager
def _page() -> Iterator[str]:
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(PAGE)))
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
