"""`python -m bench cli`: one warm `click REF` from the command line, from start to exit code.

Ours beside agent-browser's native program, and the same program as `npx` starts it, on the same
page in a Chromium of its own each, in turn. What counts is how long the shell waits. The element is
looked up before and the page is checked afterwards, both outside the timing: a click that changed
nothing has failed. A bare Python stands beside them: what is ours beyond that is what we can mend.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError, Chromium
from bench.compared_tools import NODE, AgentBrowser
from bench.generated_pages import form
from bench.ratios_and_goals import Goal, Verdict, ratio, spread
from bench.tool_browsers_and_pages import FLAGS, Eye, Pages

__all__ = ["GOALS", "goal_line", "run", "verdicts"]

OURS, NATIVE, NPX, BARE = "pilothouse", "agent-browser", "agent-browser by npx", "python -c pass"
FIGURE = "ms"
ROWS = 20
PATIENCE_S = 60.0
PROOF_WITHIN_S = 2.0

GOALS = (
    Goal("cli", "warm click against the native program", OURS, FIGURE, 2.5, NATIVE),
    Goal("cli", "warm click against the same by npx", OURS, FIGURE, 1.0, NPX),
)

Rounds = dict[str, list[Mapping[str, float] | None]]


class Shown(Protocol):
    """A command line whose page can be clicked. Calls raise BenchError when it fails."""

    def aim(self, role: str, label: str) -> None:
        """Find the element of the next click."""

    def click(self) -> str:
        """Click it, as a process of its own; what it says."""


class Ours:
    """The `pilothouse` command of this environment, with a daemon of its own."""

    def __init__(self, where: Mapping[str, Any], home: Path) -> None:
        self._program = str(Path(sys.executable).parent / "pilothouse")
        self._environ = {
            **os.environ,
            "PILOTHOUSE_RUNTIME_DIR": str(home),
            "PILOTHOUSE_DATA_DIR": str(home / "data"),
            "PILOTHOUSE_CONFIG": str(home / "none.yaml"),
        }
        self._ref = ""
        self._run("connect", str(where["port"]))

    def open(self, url: str) -> None:
        """Show a page."""
        self._run("open", url)

    def aim(self, role: str, label: str) -> None:
        """Find the element of the next click."""
        text = self._run("snapshot", "--interactive")
        found = re.search(rf'{role} "{re.escape(label)}".*?\[ref=(\w+)\]', text)
        if found is None:
            raise BenchError(f"no {role} {label} in our snapshot: {text[:200]!r}")
        self._ref = found[1]

    def click(self) -> str:
        """Click it."""
        return self._run("click", self._ref)

    def close(self) -> None:
        """End the daemon."""
        self._run("daemon", "stop")

    def _run(self, *words: str) -> str:
        return _done([self._program, *words], self._environ)


class ByNpx(AgentBrowser):
    """agent-browser's own session, reached through `npx` as its users without an install do."""

    def __init__(self, where: dict[str, Any]) -> None:
        super().__init__(where)
        if shutil.which("npx") is None:
            raise BenchError("npx is not installed")
        words = self._base[1:]
        self._base = ["npx", "--no-install", "--prefix", str(NODE.parent), "agent-browser", *words]


@dataclass(slots=True)
class Place:
    """Who is measured, and the look at its page."""

    name: str
    tool: Shown
    eye: Eye


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if ours failed."""
    failures: dict[str, str] = {}
    times: Rounds = {name: [] for name in (OURS, NATIVE, NPX, BARE)}
    with Pages({"/form": form(ROWS)}) as pages, _places(pages.url("/form"), console) as places:
        for number in range(-1, rounds):
            turn = number % len(places)
            for place in [*places[turn:], *places[:turn]]:
                took = _measured(place, number, failures)
                if number >= 0:  # the one before the first warms everybody up
                    times[place.name].append(None if took is None else {FIGURE: took})
            if number >= 0:
                times[BARE].append({FIGURE: _bare()})
                console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    _show(console, times, failures)
    found = verdicts(times)
    for verdict in found:
        console.print(goal_line(verdict), markup=False, highlight=False)
    result = {
        "bench": "cli",
        "machine": report.machine(chromium.version(chromium.find())),
        "milliseconds": times,
        "failures": failures,
        "goals": [verdict.plain() for verdict in found],
    }
    console.print(f"written: {report.write(json_path, 'cli', result)}", highlight=False)
    return 1 if OURS in failures else 0


def verdicts(times: Rounds) -> list[Verdict]:
    """The goals with what was found."""
    return [Verdict(goal, ratio(times, goal.client, goal.against, goal.figure)) for goal in GOALS]


def goal_line(verdict: Verdict) -> str:
    """A goal for people."""
    said = f"{verdict.goal.text}: at most {verdict.goal.limit:g}x"
    if verdict.found is None:
        return f"not measured  {said}"
    word = "met          " if verdict.met else "NOT MET      "
    found = verdict.found
    return f"{word} {said}, found {found.median:.2f}x ({found.low:.2f}..{found.high:.2f})"


@contextmanager
def _places(url: str, console: Console) -> Iterator[list[Place]]:
    """Two browsers: ours, and the one that both ways to agent-browser lead to."""
    executable = chromium.find()
    chromium.sweep()
    browsers = [Chromium(executable, f"cli{n}", pipe=False, extra=FLAGS) for n in range(2)]
    home = Path(tempfile.mkdtemp(prefix="ph-", dir="/tmp"))
    ending: list[Ours | AgentBrowser] = []
    try:
        for browser in browsers:
            browser.wait_ready()
        console.print("starting our daemon and agent-browser's daemon", highlight=False)
        ours = Ours(browsers[0].where, home)
        ending.append(ours)
        native = AgentBrowser(browsers[1].where)
        ending.append(native)
        eyes = [Eye(browser.where) for browser in browsers]
        ours.open(url)
        native.open(url)
        for eye in eyes:
            eye.find(url)
        npx = ByNpx(browsers[1].where)
        yield [
            Place(OURS, ours, eyes[0]),
            Place(NATIVE, native, eyes[1]),
            Place(NPX, npx, eyes[1]),
        ]
    finally:
        for tool in ending:
            tool.close()
        for browser in browsers:
            browser.close()
        shutil.rmtree(home, ignore_errors=True)


def _measured(place: Place, number: int, failures: dict[str, str]) -> float | None:
    """How many milliseconds one click took; None for who cannot do it, now or before."""
    if place.name in failures:
        return None
    try:
        return _click(place, f"Press-{number % ROWS:02}")
    except BenchError as error:
        failures[place.name] = str(error)
        return None


def _click(place: Place, label: str) -> float:
    place.tool.aim("button", label)
    wanted = int(place.eye.value("presses")) + 1
    started = time.perf_counter()
    said = place.tool.click()
    took = (time.perf_counter() - started) * 1000
    deadline = time.monotonic() + PROOF_WITHIN_S
    while (pressed := place.eye.value("presses")) != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    if pressed != wanted:
        raise BenchError(f"{label}: {pressed} presses, not {wanted}; it said: {said[:150]!r}")
    return took


def _bare() -> float:
    """A Python that does nothing: what nothing written in it can be quicker than."""
    started = time.perf_counter()
    _done([sys.executable, "-c", "pass"], dict(os.environ))
    return (time.perf_counter() - started) * 1000


def _done(command: Sequence[str], environ: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PATIENCE_S, text=True, env=environ
        )
    except subprocess.TimeoutExpired:
        raise BenchError(f"{command[1]} was not answered within {PATIENCE_S:g} s") from None
    if done.returncode != 0:
        raise BenchError((done.stderr or done.stdout).strip()[:300])
    return done.stdout


def _show(console: Console, times: Rounds, failures: Mapping[str, str]) -> None:
    table = Table("command line", title="one warm click from start to exit: medians (min..max)")
    for heading in ("ms", "x agent-browser", "x ours"):
        table.add_column(heading, justify="right")
    for name in times:
        taken = spread(times, name, FIGURE)
        if taken is None:
            table.add_row(name, "[red]failed[/]", "-", "-")
            continue
        factors = (ratio(times, name, other, FIGURE) for other in (NATIVE, OURS))
        table.add_row(
            name,
            f"{taken.median:.0f}\n[dim]{taken.low:.0f}..{taken.high:.0f}[/]",
            *(f"{factor.median:.2f}" if factor else "-" for factor in factors),
        )
    console.print(table)
    for who, why in failures.items():
        console.print(f"failed        {who}: {why}", markup=False, highlight=False)
