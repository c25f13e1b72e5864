"""`python -m bench snapshot`: what it costs to be told what is on a page.

Every tool looks at the same pages in a Chromium of its own, in turn. The harness navigates, so that
nobody has looked already: the first look after a navigation is what an agent pays on each new page,
the later ones what it pays when it looks again. Ours does not walk a page that has not changed, so
it is also said what it takes once the page has; and it warms itself while a page is idle, so it is
said what a first look takes right after the page has loaded. Beside the time stand the tokens
(characters over four), how many of the page's known buttons the text names, and the CPU time of the
tool and its browser together, first and later: on a busy machine it says more than the clock.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, cast

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError
from bench.cpu_time import burnt_ms
from bench.generated_pages import framed, inner, said, sized
from bench.pilothouse_tool import Ours
from bench.ratios_and_goals import Spread, ratio, spread
from bench.tool_browsers_and_pages import Pages, Seat, chosen, seated
from bench.tool_speedup_factors import Aim, Found, found, plain

__all__ = ["run"]

OURS = "pilothouse"
BUDGETED = "pilothouse 4k"
FRAMES = 10
MOST_TOKENS = 2600
FIGURES = ("first ms", "later ms")
BURNT = ("first CPU", "later CPU")
CHANGED = "changed ms"
AT_ONCE = "at once ms"

Round = dict[str, float]
Rounds = dict[str, list[Mapping[str, float] | None]]


@dataclass(frozen=True, slots=True)
class Stop:
    """A page to look at: how often a round, in how many of the rounds."""

    name: str
    looks: int
    share: float = 1.0


# Rounds get fewer as looks get longer: at 20,000 elements a peer may take a minute.
STOPS = (Stop("300", 4), Stop("frames", 3), Stop("3000", 3, 0.6), Stop("20000", 2, 0.2))

AIMS = (
    *(Aim("300", figure, 5) for figure in FIGURES),
    *(Aim("3000", figure, 9) for figure in FIGURES),
    *(Aim("20000", figure, 9) for figure in FIGURES),
    *(Aim("frames", figure, 2.5) for figure in FIGURES),
    *(Aim("frames", figure, 8, "@playwright/mcp") for figure in FIGURES),
)


def run(rounds: int, only: str | None, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the tables; 1 if ours failed."""
    names = chosen(only)
    failures: dict[str, str] = {}
    results: dict[str, Rounds] = {stop.name: {name: [] for name in names} for stop in STOPS}
    with (
        Pages({"/start": "<!doctype html><title>Start</title>Start"}) as pages,
        seated(names, pages.url("/start"), console, failures) as seats,
    ):
        urls = _add_pages(pages)
        for stop in STOPS:
            count = max(1, round(rounds * stop.share))
            missed = _rounds(stop, urls[stop.name], count, seats, results[stop.name], console)
            _look_at_once(urls[stop.name], seats, results[stop.name])
            failures |= {f"{stop.name}: {name}": why for name, why in missed.items()}
            _show(console, stop.name, results[stop.name], failures)
    verdicts = [
        found(aim, results[aim.page], OURS, _peers(names), _sees_all(aim.page)) for aim in AIMS
    ]
    _verdicts(console, results, verdicts, failures)
    result = {
        "bench": "snapshot",
        "machine": report.machine(chromium.version(chromium.find())),
        "rounds": results,
        "failures": failures,
        "goals": [plain(verdict) for verdict in verdicts],
    }
    console.print(f"written: {report.write(json_path, 'snapshot', result)}", highlight=False)
    return 1 if any(OURS in who for who in failures) else 0


def _add_pages(pages: Pages) -> dict[str, str]:
    sources = []
    for number in range(FRAMES):
        pages.add(f"/inner{number}", inner(number))
        # Two foreign sites: Chrome shares a process among frames of the same one, tools may not.
        sources.append(pages.url(f"/inner{number}", ("localhost", "a.localhost")[number % 2]))
    pages.add("/frames", framed(sources))
    for stop in STOPS:
        if stop.name.isdigit():
            pages.add(f"/{stop.name}", sized(int(stop.name)))
    return {stop.name: pages.url(f"/{stop.name}") for stop in STOPS}


def _rounds(
    stop: Stop, url: str, count: int, seats: Sequence[Seat], into: Rounds, console: Console
) -> dict[str, str]:
    """All rounds on one page; who failed on it is not asked again there."""
    failed: dict[str, str] = {}
    for number in range(count):
        turn = number % len(seats)
        for seat in [*seats[turn:], *seats[:turn]]:
            if seat.name in failed:
                into[seat.name].append(None)
                continue
            try:
                into[seat.name].append(_one_round(stop, url, seat))
            except BenchError as error:
                failed[seat.name] = str(error)
                into[seat.name].append(None)
        console.print(f"{stop.name}: round {number + 1} of {count} is done", highlight=False)
    return failed


def _one_round(stop: Stop, url: str, seat: Seat) -> Round:
    seat.eye.go(url)
    processes = seat.processes()
    took, burnt = [], []
    text = ""
    for _ in range(stop.looks):
        before = burnt_ms(processes)
        started = time.perf_counter()
        text = seat.tool.snapshot()
        took.append((time.perf_counter() - started) * 1000)
        burnt.append(burnt_ms(processes) - before)
    if isinstance(seat.tool, Ours):
        counts = said(text) | {"tokens to act": said(seat.tool.acting())["tokens"]}
        seat.tool.stir()
        counts[CHANGED] = _look_ms(seat.tool)
    else:
        counts = said(text)
    return {
        "first ms": took[0],
        "later ms": median(took[1:]),
        "first CPU": burnt[0],
        "later CPU": median(burnt[1:]),
        **counts,
    }


def _look_at_once(url: str, seats: Sequence[Seat], into: Rounds) -> None:
    """Our first look as soon as a page has loaded, added to the rounds that were made. After them:
    refs are never used again, so every page that is looked at makes those of later ones longer."""
    for seat in seats:
        if seat.name == OURS and isinstance(seat.tool, Ours):
            for figures in into[OURS]:
                if figures is not None:
                    seat.tool.open(url)
                    cast(Round, figures)[AT_ONCE] = _look_ms(seat.tool)


def _look_ms(tool: Ours) -> float:
    started = time.perf_counter()
    tool.snapshot()
    return (time.perf_counter() - started) * 1000


def _peers(names: Sequence[str]) -> list[str]:
    return [name for name in names if name not in (OURS, BUDGETED)]


def _sees_all(page: str) -> Any:
    """Only who sees every frame counts as the best peer there."""
    return (lambda figures: figures["frames"] >= FRAMES) if page == "frames" else None


def _show(console: Console, page: str, rounds: Rounds, failures: Mapping[str, str]) -> None:
    what = f"{FRAMES} foreign frames" if page == "frames" else f"{int(page):,} elements"
    table = Table("tool", title=f"{what}: medians (min..max)")
    counted = "frames" if page == "frames" else "named"
    heads = (*FIGURES, "x ours, first", "x ours, later", "CPU ms", "x ours", "tokens")
    for heading in (*heads, "frames seen" if counted == "frames" else "items named"):
        table.add_column(heading, justify="right")
    for name in rounds:
        if spread(rounds, name, "tokens") is None:
            why = failures.get(f"{page}: {name}") or failures.get(name, "not measured")
            table.add_row(name, f"[red]failed[/]: {why[:60]}")
            continue
        factors = (ratio(rounds, name, OURS, figure) for figure in FIGURES)
        counts = (spread(rounds, name, figure) for figure in ("tokens", counted))
        table.add_row(
            name,
            *(_spread(spread(rounds, name, figure)) for figure in FIGURES),
            *(f"{factor.median:.1f}" if factor else "-" for factor in factors),
            _pair([spread(rounds, name, figure) for figure in BURNT], 0),
            _pair([ratio(rounds, name, OURS, figure) for figure in BURNT], 1),
            *(f"{count.median:.0f}" if count else "-" for count in counts),
        )
    if console.width < report.WIDTH:
        console.width = report.WIDTH
    console.print(table)


def _spread(value: Spread | None) -> str:
    if value is None:
        return "-"
    return f"{value.median:.0f}\n[dim]{value.low:.0f}..{value.high:.0f}[/]"


def _pair(of: Sequence[Spread | None], digits: int) -> str:
    first, later = of
    if first is None or later is None:
        return "-"
    return f"{first.median:.{digits}f}, {later.median:.{digits}f}"


def _verdicts(
    console: Console,
    results: Mapping[str, Rounds],
    verdicts: Sequence[Found],
    failures: Mapping[str, str],
) -> None:
    for who, why in failures.items():
        console.print(f"failed        {who}: {why}", markup=False, highlight=False)
    for verdict in verdicts:
        console.print(verdict.line(), markup=False, highlight=False)
    for page, rounds in results.items():
        for figure, when in ((CHANGED, "after a change"), (AT_ONCE, "as soon as it has loaded")):
            if taken := spread(rounds, OURS, figure):
                line = f"{page}: our look {when} takes {taken.median:.0f} ms"
                line += f" ({taken.low:.0f}..{taken.high:.0f})"
                console.print(f"besides       {line}", markup=False, highlight=False)
    whole = spread(results["300"], OURS, "tokens")
    tokens = spread(results["300"], OURS, "tokens to act")
    if tokens is not None and whole is not None:
        word = "met          " if tokens.median <= MOST_TOKENS else "NOT MET      "
        line = (
            f"{word} 300, tokens for the elements to act on: at most {MOST_TOKENS}: "
            f"{tokens.median:.0f} ({whole.median:.0f} with headings, landmarks and nesting)"
        )
        console.print(line, markup=False, highlight=False)
