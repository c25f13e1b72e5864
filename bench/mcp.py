"""`python -m bench mcp`: what an agent feels of an MCP server on stdio, ours beside others.

From a process that does not exist to its list of tools, and to its first page, each with a browser
that it starts itself; the first snapshot of it; then, once Chrome has settled, clicks and snapshots
on a small page, and how many bytes its list is.
Ours is started twice: beside a daemon, and from nothing. The others have no daemon, so both are
the same to them. Everybody takes turns. A call that is answered with an error has failed.
agent-browser speaks no MCP here: its own command line opens the first page.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError
from bench.compared_tools import NODE
from bench.generated_pages import form
from bench.mcp_stdio_client import McpPeer
from bench.ratios_and_goals import Goal, Verdict, ratio, spread
from bench.tool_browsers_and_pages import Pages

__all__ = [
    "DEVTOOLS",
    "GOALS",
    "OURS",
    "PLAYWRIGHT",
    "Ours",
    "goal_line",
    "run",
    "servers",
    "verdicts",
]

OURS, PLAYWRIGHT, DEVTOOLS, AGENT = (
    "pilothouse",
    "@playwright/mcp",
    "chrome-devtools-mcp",
    "agent-browser",
)
ROWS = 20
CALLS = 15
PATIENCE_S = 60.0
# Chrome keeps both processors busy in its first seconds. Whose clicks take long is measured after
# them anyway, so everybody is: calls are counted when the browser has been there for a while.
SETTLED_S = 4.0

# Of ours, divided by that of the other if there is one: at most so much.
GOALS = (
    Goal("mcp", "list of tools with a running daemon, ms", OURS, "list_warm_ms", 200),
    Goal("mcp", "list of tools from nothing", OURS, "list_ms", 1.0, DEVTOOLS),
    Goal("mcp", "first page from nothing", OURS, "page_ms", 1.0, AGENT),
    Goal("mcp", "first page from nothing", OURS, "page_ms", 1 / 1.6, PLAYWRIGHT),
    Goal("mcp", "click", OURS, "click_ms", 1 / 8, PLAYWRIGHT),
    Goal("mcp", "click", OURS, "click_ms", 1 / 4, DEVTOOLS),
    Goal("mcp", "snapshot", OURS, "snapshot_ms", 1 / 5, PLAYWRIGHT),
    Goal("mcp", "snapshot", OURS, "snapshot_ms", 1 / 5, DEVTOOLS),
    Goal("mcp", "bytes of the list", OURS, "bytes", 12_288),
)
COLUMNS = (
    ("list, daemon runs ms", "list_warm_ms"),
    ("list ms", "list_ms"),
    ("first page ms", "page_ms"),
    ("first look ms", "look_ms"),
    ("click ms", "click_ms"),
    ("snapshot ms", "snapshot_ms"),
    ("list bytes", "bytes"),
)

Figures = dict[str, float]
Rounds = dict[str, list[Mapping[str, float] | None]]


class Server:
    """One MCP server: how it is started, and what its tools are called."""

    def __init__(
        self,
        command: list[str],
        tools: tuple[str, str, str],
        aim: str,
        always: Mapping[str, Any] | None = None,
    ) -> None:
        self._command = command
        # What every call wants besides.
        self.always = dict(always or {})
        self.navigate, self.snapshot, self.click = tools
        self._aim = re.compile(aim)

    def start(
        self, environ: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> McpPeer:
        """A process of it that has greeted, in that folder."""
        return McpPeer(self._command, environ, folder)

    def target(self, text: str) -> dict[str, Any]:
        """The button of the page, as its click wants it."""
        found = self._aim.search(text)
        if found is None:
            raise BenchError(f"no button in its snapshot: {text[:200]!r}")
        if self.click == "click":
            return {"uid": found[1]}
        if self.click == "browser_click" and "cli.js" in " ".join(self._command):
            return {"target": found[1], "element": "Press-00"}
        return {"ref": found[1]}


class Ours(Server):
    """Our own command, in a runtime directory of its own that is emptied each time."""

    def __init__(self, executable: str) -> None:
        program = str(Path(sys.executable).parent / "pilothouse")
        tools = ("browser_navigate", "browser_snapshot", "browser_click")
        super().__init__([program, "mcp"], tools, r'button "Press-00".*?\[ref=(\w+)\]')
        self._program = program
        self.home = Path(tempfile.mkdtemp(prefix="ph-", dir="/tmp"))
        self.environ = {
            **os.environ,
            "PILOTHOUSE_RUNTIME_DIR": str(self.home),
            "PILOTHOUSE_DATA_DIR": str(self.home / "data"),
            "PILOTHOUSE_CONFIG": str(self.home / "none.yaml"),
            "PILOTHOUSE_BROWSER": executable,
        }

    def start(
        self, environ: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> McpPeer:
        """A process of it that has greeted; a daemon is started if there is none."""
        return super().start(self.environ, folder)

    def daemon(self, action: str) -> None:
        """Start or stop the daemon."""
        subprocess.run(
            [self._program, "daemon", action],
            env=self.environ,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def close(self) -> None:
        """Leave nothing."""
        self.daemon("stop")
        shutil.rmtree(self.home, ignore_errors=True)


def servers(executable: str) -> dict[str, Server]:
    """The others."""
    playwright = ["node", str(NODE / "@playwright/mcp/cli.js"), "--headless", "--isolated"]
    playwright += ["--no-sandbox", "--executable-path", executable]
    playwright += ["--output-dir", str(chromium.PROFILES.parent / "playwright-mcp")]
    devtools = ["node", str(NODE / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js")]
    devtools += ["--headless", "--isolated", "--executablePath", executable]
    devtools += ["--chromeArg=--no-sandbox"]
    return {
        PLAYWRIGHT: Server(
            playwright,
            ("browser_navigate", "browser_snapshot", "browser_click"),
            r'button "Press-00".*?\[ref=(\w+)\]',
        ),
        DEVTOOLS: Server(
            devtools,
            ("navigate_page", "take_snapshot", "click"),
            r'uid=(\w+) button "Press-00"',
            {"pageId": 1},
        ),
    }


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if ours failed."""
    executable = chromium.find()
    times: Rounds = {name: [] for name in (OURS, PLAYWRIGHT, DEVTOOLS, AGENT)}
    failures: dict[str, str] = {}
    with ExitStack() as stack:
        pages = stack.enter_context(Pages({"/form": form(ROWS)}))
        url = pages.url("/form")
        ours = Ours(executable)
        stack.callback(ours.close)
        turns: dict[str, Callable[[], Figures]] = {OURS: lambda: _ours(ours, url)}
        for name, server in servers(executable).items():
            turns[name] = lambda server=server: _theirs(server, url)  # type: ignore[misc]
        turns[AGENT] = lambda: _agent(executable, url)
        names = list(turns)
        for number in range(-1, rounds):
            turn = number % len(names)
            for name in [*names[turn:], *names[:turn]]:
                found = _tried(name, turns[name], failures)
                if number >= 0:  # the one before the first warms everybody's files up
                    times[name].append(found)
            if number >= 0:
                console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    _show(console, times, failures)
    found_goals = verdicts(times)
    for verdict in found_goals:
        console.print(goal_line(verdict), markup=False, highlight=False)
    result = {
        "bench": "mcp",
        "machine": report.machine(chromium.version(executable)),
        "rounds": times,
        "failures": failures,
        "goals": [verdict.plain() for verdict in found_goals],
    }
    console.print(f"written: {report.write(json_path, 'mcp', result)}", highlight=False)
    return 1 if OURS in failures else 0


def verdicts(times: Rounds) -> list[Verdict]:
    """The goals with what was found."""
    found = []
    for goal in GOALS:
        having = _having(times, goal.figure)
        if goal.against:
            found.append(Verdict(goal, ratio(having, goal.client, goal.against, goal.figure)))
        else:
            found.append(Verdict(goal, spread(having, goal.client, goal.figure)))
    return found


def goal_line(verdict: Verdict) -> str:
    """A goal for people."""
    goal, found = verdict.goal, verdict.found
    unit = f"x {goal.against}" if goal.against else ""
    said = f"{goal.text}: at most {goal.limit:.4g}{unit}"
    if found is None:
        return f"not measured  {said}"
    word = "met          " if verdict.met else "NOT MET      "
    return f"{word} {said}, found {found.median:.4g} ({found.low:.4g}..{found.high:.4g})"


def _tried(
    name: str, measure: Callable[[], Figures], failures: dict[str, str]
) -> Mapping[str, float] | None:
    if name in failures:
        return None
    try:
        return measure()
    except (BenchError, OSError, subprocess.SubprocessError) as error:
        failures[name] = str(error)[:300]
        return None


def _ms(since: float) -> float:
    return (time.perf_counter() - since) * 1000


def _ours(server: Ours, url: str) -> Figures:
    """From nothing to the list, and to the first page; with a daemon that runs; then calls."""
    server.daemon("stop")
    figures = _listed(server)
    server.daemon("stop")
    peer, figures["page_ms"] = _first_page(server, url)
    try:
        warm = _listed(server)
        figures["list_warm_ms"] = warm["list_ms"]
        figures |= _calls(server, peer)
    finally:
        peer.close()
    return figures


def _theirs(server: Server, url: str) -> Figures:
    figures = _listed(server)
    figures["list_warm_ms"] = figures["list_ms"]
    peer, figures["page_ms"] = _first_page(server, url)
    try:
        figures |= _calls(server, peer)
    finally:
        peer.close()
    return figures


def _listed(server: Server) -> Figures:
    started = time.perf_counter()
    peer = server.start()
    try:
        tools = peer.tools()
        took = _ms(started)
    finally:
        peer.close()
    return {"list_ms": took, "bytes": float(len(json.dumps(tools, separators=(",", ":"))))}


def _first_page(server: Server, url: str) -> tuple[McpPeer, float]:
    started = time.perf_counter()
    peer = server.start()
    try:
        peer.call(server.navigate, PATIENCE_S, strict=True, url=url, **server.always)
    except BenchError:
        peer.close()
        raise
    return peer, _ms(started)


def _calls(server: Server, peer: McpPeer) -> Figures:
    """Medians of clicks and snapshots, in turn."""
    clicks, looks = [], []
    started = time.perf_counter()
    text = peer.call(server.snapshot, PATIENCE_S, strict=True, **server.always)
    first = _ms(started)
    time.sleep(SETTLED_S)
    for _ in range(CALLS):
        started = time.perf_counter()
        asked = {**server.always, **server.target(text)}
        peer.call(server.click, PATIENCE_S, strict=True, **asked)
        clicks.append(_ms(started))
        started = time.perf_counter()
        text = peer.call(server.snapshot, PATIENCE_S, strict=True, **server.always)
        looks.append(_ms(started))
    return {
        "look_ms": first,
        "click_ms": statistics.median(clicks),
        "snapshot_ms": statistics.median(looks),
    }


def _agent(executable: str, url: str) -> Figures:
    """agent-browser's own command line from nothing to a page, its daemon included."""
    program = NODE / "agent-browser/bin/agent-browser-linux-x64"
    program.chmod(0o755)
    base = [str(program), "--session", f"mcp{os.getpid()}", "--executable-path", executable]
    base += ["--args", "--no-sandbox"]
    started = time.perf_counter()
    try:
        opened = subprocess.run(
            [*base, "open", url], capture_output=True, timeout=PATIENCE_S, text=True
        )
        took = _ms(started)
        if opened.returncode:
            raise BenchError((opened.stderr or opened.stdout).strip()[:300])
    finally:
        subprocess.run([*base, "close"], capture_output=True, timeout=PATIENCE_S, check=False)
    return {"page_ms": took}


def _show(console: Console, times: Rounds, failures: Mapping[str, str]) -> None:
    table = Table("MCP server", title="medians (min..max); below: ours divided by theirs")
    for heading, _ in COLUMNS:
        table.add_column(heading, justify="right")
    for name in times:
        cells = []
        for _, figure in COLUMNS:
            taken = _spread(times, name, figure)
            factor = None if name == OURS else _ratio(times, name, figure)
            cells.append(
                "-"
                if taken is None
                else f"{taken.median:.0f}\n[dim]{taken.low:.0f}..{taken.high:.0f}[/]"
                + (f"\nours {factor:.2f}x" if factor is not None else "")
            )
        table.add_row("[red]failed[/] " + name if name in failures else name, *cells)
    console.print(table)
    for who, why in failures.items():
        console.print(f"failed        {who}: {why}", markup=False, highlight=False)


def _having(times: Rounds, figure: str) -> Rounds:
    """The rounds with only those who have a figure: not everybody does everything."""
    return {
        name: [found if found and figure in found else None for found in rounds]
        for name, rounds in times.items()
    }


def _spread(times: Rounds, name: str, figure: str) -> Any:
    return spread(_having(times, figure), name, figure)


def _ratio(times: Rounds, name: str, figure: str) -> float | None:
    found = ratio(_having(times, figure), OURS, name, figure)
    return found.median if found else None
