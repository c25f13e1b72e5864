"""`python -m bench relay`: what stands between a client and the browser, and what it costs.

A raw CDP client (round trips, an answer of 5 MB) and Playwright's screenshot of 7 MB, each on a
browser it is connected to, on a browser of the house through the relay, on a Chrome through relay
and extension, and on a Chrome through npm `playwriter`'s relay. Each place has a browser of its
own and all take turns; what counts are the ratios within a round.

playwriter's package holds its relay but not its extension, which only its store gives away. What
stands in for the extension (clients/relay_playwriter.py) speaks its wire to a Chromium's debugging
port: a shorter way than any extension has, so this side of the comparison is favoured.
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
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError, Chromium
from bench.figures import Goal, Verdict, ratio, spread
from bench.relay_playwriter import PLAYWRITER, playwriter

__all__ = ["GOALS", "goal_line", "run", "verdicts"]

DIRECT, HOUSE, EXTENSION = "direct", "relay to the house", "relay to an extension"
FIGURES = ("trip_us", "big_ms", "shot_ms")
CALLS = 300
BIG_BYTES = 5_000_000
BIG_TIMES = 3
READY_WITHIN_S = 90.0
ANSWER_WITHIN_S = 120.0
HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).parent / "pilothouse"

GOALS = (
    Goal("relay", "round trip through the relay", HOUSE, "trip_us", 1.4, DIRECT),
    Goal("relay", "an answer of 5 MB through the relay", HOUSE, "big_ms", 1.15, DIRECT),
    Goal("relay", "Playwright's screenshot of 7 MB", HOUSE, "shot_ms", 0.5, DIRECT),
    Goal("relay", "round trip through an extension", EXTENSION, "trip_us", 1.0, PLAYWRITER),
)

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
    """Where clients connect to, and the clients that are there."""

    name: str
    ws: str
    raw: Speaker | None = None
    playwright: Speaker | None = None
    failures: dict[str, str] = field(default_factory=dict)

    def start(self, stack: ExitStack) -> None:
        """Connect both; who cannot says why."""
        self.raw = self._speaker("relay_raw", "raw", stack)
        self.playwright = self._speaker("relay_playwright.mjs", "playwright", stack)

    def _speaker(self, program: str, who: str, stack: ExitStack) -> Speaker | None:
        try:
            speaker = Speaker(program, self.ws)
        except BenchError as error:
            self.failures[who] = str(error)
            return None
        stack.callback(speaker.close)
        return speaker

    def measured(self) -> dict[str, float]:
        """One round: what could be measured."""
        found: dict[str, float] = {}
        if self.raw is not None:
            found["trip_us"] = self.raw.ask(do="trips", calls=CALLS)["p50_us"]
            answers = [self.raw.ask(do="big", bytes=BIG_BYTES) for _ in range(BIG_TIMES)]
            found["big_ms"] = median(answer["ms"] for answer in answers)
        if self.playwright is not None:
            found["shot_ms"] = self.playwright.ask(do="shot")["ms"]
        return found


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if ours failed."""
    with ExitStack() as stack:
        places = stack.enter_context(_places(console))
        times: Rounds = {place.name: [] for place in places}
        for number in range(-1, rounds):
            turn = number % len(places)
            for place in [*places[turn:], *places[:turn]]:
                found = _round(place)
                if number >= 0:  # the one before the first warms everybody up
                    times[place.name].append(found)
            if number >= 0:
                console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    failures = {f"{p.name}: {who}": why for p in places for who, why in p.failures.items()}
    _show(console, times, failures)
    found_goals = verdicts(times)
    for verdict in found_goals:
        console.print(goal_line(verdict), markup=False, highlight=False)
    result = {
        "bench": "relay",
        "machine": report.machine(chromium.version(chromium.find())),
        "sizes": {"calls": CALLS, "bytes": BIG_BYTES},
        "rounds": times,
        "failures": failures,
        "goals": [verdict.plain() for verdict in found_goals],
    }
    console.print(f"written: {report.write(json_path, 'relay', result)}", highlight=False)
    return 1 if any(name.startswith((HOUSE, EXTENSION)) for name in failures) else 0


def _round(place: Place) -> dict[str, float] | None:
    try:
        return place.measured() or None
    except BenchError as error:
        place.failures["a round"] = str(error)
        return None


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
    executable = chromium.find()
    chromium.sweep()
    with ExitStack() as stack:
        direct = Chromium(executable, "relay-direct", pipe=False)
        stack.callback(direct.close)
        direct.wait_ready()
        home = Path(tempfile.mkdtemp(prefix="ph-", dir="/tmp"))
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        console.print("starting our house, a Chrome with the extension and playwriter")
        house = House(home)
        stack.callback(house.close)
        places = [Place(DIRECT, direct.where["ws"]), Place(HOUSE, house.url("house"))]
        house.install()
        lender = Chromium(
            executable, "relay-extension", pipe=False, extensions=True,
            extra=(f"--load-extension={home / 'extension'}",),
        )  # fmt: skip
        stack.callback(lender.close)
        places.append(Place(EXTENSION, house.url("extension")))
        peer = Place(PLAYWRITER, "")
        try:
            peer.ws = stack.enter_context(playwriter(executable, home))
        except BenchError as error:
            peer.failures["start"] = str(error)
        else:
            places.append(peer)
        for place in places:
            place.start(stack)
        yield [*places, *([peer] if peer not in places else [])]


class House:
    """Our house with its relay, all files below one folder."""

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
        self._run("house", "start")

    def url(self, browser: str) -> str:
        """What a client connects to."""
        return self._run("relay", "url", "--browser", browser).strip()

    def install(self) -> None:
        """The extension in a folder, paired with this relay."""
        port = json.loads(self._run("relay", "status", "--json"))["result"]["port"]
        folder = str(self._home / "extension")
        self._run("extension", "install", "--to", folder, "--port", str(port))

    def close(self) -> None:
        """End it."""
        self._run("house", "stop")

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [str(PROGRAM), *words], capture_output=True, timeout=60, text=True, env=self._environ
        )
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
