"""`python -m bench relay`: what stands between a client and the browser, and what it costs.

A raw CDP client (round trips, an answer of 5 MB) and Playwright's screenshot of 7 MB, each on a
browser it is connected to, on a managed browser through the relay, on a Chrome through relay
and extension, and on a Chrome through npm `playwriter`'s relay. Each place has a browser of its
own. All take turns, a part of a figure each, so that what else the machine does falls on all of
them; what counts are the ratios within a round. Whoever does not start or answer within its time
is named with the reason, and the others go on.

playwriter's package holds its relay but not its extension, which only its store gives away. What
stands in for it (clients/playwriter_extension) speaks its wire to chrome.debugger and does nothing
else: less than any extension for people does, so this side of the comparison is not disfavoured.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError, Chromium
from bench.ratios_and_goals import Goal, Verdict, ratio, spread
from bench.relay_playwriter import PLAYWRITER, playwriter

__all__ = ["GOALS", "goal_line", "run", "verdicts"]

DIRECT, DAEMON, EXTENSION = "direct", "relay to the daemon", "relay to an extension"
FIGURES = ("trip_us", "big_ms", "shot_ms")
BIG_BYTES = 5_000_000
# Of each figure, in every round: parts that the places take turns at.
CALLS = 100
PARTS = {"trip_us": 3, "big_ms": 3, "shot_ms": 2}
# The same for a rough look, and to warm up.
FEW_PARTS = dict.fromkeys(PARTS, 1)
FEW_ROUNDS = 3
# On a busy machine no round begins after that, starting included.
MEASURED_WITHIN_S, ROUGHLY_WITHIN_S = 200.0, 40.0
READY_WITHIN_S = 20.0
ANSWER_WITHIN_S = 15.0
COMMAND_WITHIN_S = 30.0
HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).parent / "pilothouse"

GOALS = (
    Goal("relay", "round trip through the relay", DAEMON, "trip_us", 1.4, DIRECT),
    Goal("relay", "an answer of 5 MB through the relay", DAEMON, "big_ms", 1.15, DIRECT),
    Goal("relay", "Playwright's screenshot of 7 MB", DAEMON, "shot_ms", 0.5, DIRECT),
    Goal("relay", "round trip through an extension", EXTENSION, "trip_us", 1.0, PLAYWRITER),
    Goal("relay", "an answer of 5 MB through an extension", EXTENSION, "big_ms", 1.0, PLAYWRITER),
    Goal("relay", "that screenshot through an extension", EXTENSION, "shot_ms", 1.0, PLAYWRITER),
)

PROGRAMS = {"raw": "relay_raw", "playwright": "relay_playwright.mjs"}
# Of each figure: who is asked what, and what of the answer it is.
ASKED: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "trip_us": ("raw", {"do": "trips", "calls": CALLS}, "p50_us"),
    "big_ms": ("raw", {"do": "big", "bytes": BIG_BYTES}, "ms"),
    "shot_ms": ("playwright", {"do": "shot"}, "ms"),
}

Rounds = dict[str, list[Mapping[str, float] | None]]


class Speaker:
    """A client's process that answers one line for each line."""

    def __init__(self, program: str, ws: str) -> None:
        where = json.dumps({"ws": ws})
        if program.endswith(".mjs"):
            node = shutil.which("node")
            if node is None:
                raise BenchError("node is not installed")
            command = [node, str(HERE / "clients" / program), where]
        else:
            command = [sys.executable, "-m", f"bench.clients.{program}", where]
        # A file and not a pipe: who talks much must not wait for somebody to read.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, bufsize=0
        )

    def wait_ready(self) -> None:
        """Return when it is connected and has a page. Raises BenchError."""
        self._read(READY_WITHIN_S)

    def ask(self, **request: Any) -> dict[str, float]:
        """One request, one answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
        except BrokenPipeError:
            raise BenchError(f"the client ended: {self._last_words()}") from None
        return self._read(ANSWER_WITHIN_S)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()

    def _read(self, within_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        deadline, line = time.monotonic() + within_s, b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise BenchError(f"no answer within {within_s:g} s: {self._last_words()}")
            part = os.read(self._process.stdout.fileno(), 65536)
            if not part:
                raise BenchError(f"the client ended: {self._last_words()}")
            line += part
        return dict(json.loads(line))

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        errors = [line for line in lines if "Error" in line]
        return (errors or lines or ["it said nothing"])[0].strip()[:300]


@dataclass(slots=True)
class Place:
    """Where clients connect to, and the clients that are there. Who fails is named, and left."""

    name: str
    urls: Mapping[str, str]
    clients: dict[str, Speaker] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def start(self, stack: ExitStack) -> None:
        """Let both connect."""
        for who, url in self.urls.items():
            self.clients[who] = Speaker(PROGRAMS[who], url)
            stack.callback(self.clients[who].close)

    def wait_ready(self) -> None:
        """Return when both are there; who is not says why, and is left out."""
        for who, speaker in list(self.clients.items()):
            try:
                speaker.wait_ready()
            except BenchError as error:
                self.failures[who] = str(error)
                del self.clients[who]

    def part(self, figure: str) -> float | None:
        """One part of a figure; None from who is not there, or not any more."""
        who, request, told = ASKED[figure]
        speaker = self.clients.get(who)
        if speaker is None:
            return None
        try:
            return speaker.ask(**request)[told]
        except BenchError as error:
            self.failures[who] = str(error)
            del self.clients[who]
            return None


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if ours failed."""
    few = rounds <= FEW_ROUNDS
    deadline = time.monotonic() + (ROUGHLY_WITHIN_S if few else MEASURED_WITHIN_S)
    with ExitStack() as stack:
        places = stack.enter_context(_places(console))
        times: Rounds = {place.name: [] for place in places}
        for number in range(-1, rounds):
            if number > 0 and time.monotonic() > deadline:
                console.print(f"the time is up after {number} rounds", highlight=False)
                break
            rough = number < 0 or few
            found = _round(places, number, FEW_PARTS if rough else PARTS)
            if number >= 0:  # the one before the first warms everybody up
                for name, figures in found.items():
                    times[name].append(figures or None)
                console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    failures = {f"{p.name}: {who}": why for p in places for who, why in p.failures.items()}
    _show(console, times, failures)
    found_goals = verdicts(times)
    for verdict in found_goals:
        console.print(goal_line(verdict), markup=False, highlight=False)
    result = {
        "bench": "relay",
        "machine": report.machine(chromium.version(chromium.find())),
        "sizes": {"calls": CALLS, "bytes": BIG_BYTES, "parts": PARTS, "few_parts": FEW_PARTS},
        "rounds": times,
        "failures": failures,
        "goals": [verdict.plain() for verdict in found_goals],
    }
    console.print(f"written: {report.write(json_path, 'relay', result)}", highlight=False)
    return 1 if any(name.startswith((DAEMON, EXTENSION)) for name in failures) else 0


def _round(
    places: Sequence[Place], number: int, parts_of: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Every figure of every place: parts in turn, and each time another one begins."""
    found: dict[str, dict[str, float]] = {place.name: {} for place in places}
    for figure, parts in parts_of.items():
        taken: dict[str, list[float]] = {place.name: [] for place in places}
        for part in range(parts):
            turn = (number + part) % len(places)
            for place in [*places[turn:], *places[:turn]]:
                value = place.part(figure)
                if value is not None:
                    taken[place.name].append(value)
        for name, values in taken.items():
            if values:
                found[name][figure] = median(values)
    return found


def verdicts(times: Rounds) -> list[Verdict]:
    """The goals with what was found."""
    found = []
    for goal in GOALS:
        known = {
            name: [one if one is not None and goal.figure in one else None for one in rounds]
            for name, rounds in times.items()
        }
        there = goal.client in known and goal.against in known
        value = ratio(known, goal.client, goal.against, goal.figure) if there else None
        found.append(Verdict(goal, value))
    return found


def goal_line(verdict: Verdict) -> str:
    """A goal for people."""
    goal, found = verdict.goal, verdict.found
    said = f"{goal.text}: at most {goal.limit:g}x {goal.against}"
    if found is None:
        return f"not measured  {said}"
    word = "met          " if verdict.met else "NOT MET      "
    return f"{word} {said}, found {found.median:.2f}x ({found.low:.2f}..{found.high:.2f})"


@contextmanager
def _places(console: Console) -> Iterator[list[Place]]:
    """All four; what does not start has no clients, and says why."""
    executable = chromium.find()
    chromium.sweep()
    with ExitStack() as stack:
        home = Path(tempfile.mkdtemp(prefix="ph-", dir="/tmp"))
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        daemon = Daemon(home)
        stack.callback(daemon.close)
        ways: dict[str, Callable[[], Mapping[str, str]]] = {
            DIRECT: lambda: _direct(executable, stack),
            DAEMON: lambda: daemon.urls("daemon"),
            EXTENSION: lambda: _lent(daemon, executable, home, stack),
            PLAYWRITER: lambda: stack.enter_context(playwriter(executable, home, PROGRAMS)),
        }
        places = []
        for name, way in ways.items():
            console.print(f"starting {name}", highlight=False)
            place = Place(name, {})
            try:
                place.urls = way()
            except BenchError as error:
                place.failures["start"] = str(error)
            else:
                place.start(stack)
            places.append(place)
        for place in places:
            place.wait_ready()
        yield places


def _direct(executable: str, stack: ExitStack) -> Mapping[str, str]:
    browser = Chromium(executable, "relay-direct", pipe=False)
    stack.callback(browser.close)
    browser.wait_ready()
    return dict.fromkeys(PROGRAMS, browser.where["ws"])


def _lent(daemon: Daemon, executable: str, home: Path, stack: ExitStack) -> Mapping[str, str]:
    daemon.install()
    load = f"--load-extension={home / 'extension'}"
    lender = Chromium(executable, "relay-extension", pipe=False, extensions=True, extra=(load,))
    stack.callback(lender.close)
    return daemon.urls("extension")


class Daemon:
    """Our daemon with its relay, all files below one folder."""

    def __init__(self, home: Path) -> None:
        self._environ = {
            **os.environ,
            "PILOTHOUSE_RUNTIME_DIR": str(home),
            "PILOTHOUSE_DATA_DIR": str(home / "data"),
            "PILOTHOUSE_CONFIG": str(home / "none.yaml"),
            "PILOTHOUSE_RELAY": "1",
            "PILOTHOUSE_RELAY_PORT": "0",
        }
        self._home = home
        self._begun = False

    def urls(self, browser: str) -> dict[str, str]:
        """What each client connects to."""
        self._begin()
        return dict.fromkeys(PROGRAMS, self._run("relay", "url", "--browser", browser).strip())

    def install(self) -> None:
        """The extension in a folder, paired with this relay."""
        self._begin()
        port = json.loads(self._run("relay", "status", "--json"))["result"]["port"]
        folder = str(self._home / "extension")
        self._run("extension", "install", "--to", folder, "--port", str(port))

    def close(self) -> None:
        """End it."""
        if self._begun:
            self._run("daemon", "stop")

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._run("daemon", "start")

    def _run(self, *words: str) -> str:
        command = [str(PROGRAM), *words]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=COMMAND_WITHIN_S, text=True, env=self._environ
            )
        except subprocess.TimeoutExpired:
            said = f"pilothouse {' '.join(words)}: no answer within {COMMAND_WITHIN_S:g} s"
            raise BenchError(said) from None
        if done.returncode != 0:
            raise BenchError(f"pilothouse {' '.join(words)}: {(done.stderr or done.stdout)[:300]}")
        return done.stdout


def _show(console: Console, times: Rounds, failures: Mapping[str, str]) -> None:
    table = Table("way", title="the relay: medians (min..max), and how often direct's")
    for heading in ("round trip µs", "5 MB ms", "screenshot of 7 MB ms"):
        table.add_column(heading, justify="right")
    for name in times:
        cells = []
        for figure in FIGURES:
            known = {
                who: [one if one is not None and figure in one else None for one in all_of]
                for who, all_of in times.items()
            }
            taken = spread(known, name, figure) if any(known[name]) else None
            if taken is None:
                cells.append("-")
                continue
            factor = ratio(known, name, DIRECT, figure)
            times_direct = f" ({factor.median:.2f}x)" if factor else ""
            cells.append(
                f"{taken.median:.0f}{times_direct}\n[dim]{taken.low:.0f}..{taken.high:.0f}[/]"
            )
        table.add_row(name, *cells)
    console.print(table)
    for who, why in failures.items():
        console.print(f"failed        {who}: {why}", markup=False, highlight=False)
