"""What the terminal shows and what the JSON file keeps."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.ratios_and_goals import Rounds, Spread, Verdict, ratio, spread

__all__ = ["machine", "show", "write"]

WIDTH = 110
RESULTS = Path(__file__).parent / "results"

# (heading, figure)
FIGURES = {
    "wire": (
        ("p50 us", "p50_us"),
        ("p95 us", "p95_us"),
        ("CPU us/call", "cpu_us"),
        ("pipelined calls/s", "piped_per_s"),
        ("CPU us/call", "piped_cpu_us"),
        ("RSS MB", "rss_mb"),
    ),
    "flood": (
        ("seconds", "seconds"),
        ("events/s", "per_s"),
        ("CPU us/event", "cpu_us"),
        ("RSS MB", "rss_mb"),
    ),
}

# (heading, figure, against); "floor" stands for the floor on the client's own wire
RATIOS = {
    "wire": (
        ("p50 x floor", "p50_us", "floor"),
        ("p50 x cdp-use", "p50_us", "cdp-use"),
        ("p50 x playwright", "p50_us", "playwright"),
        ("CPU x cdp-use", "cpu_us", "cdp-use"),
        ("CPU x playwright", "cpu_us", "playwright"),
        ("pipelined x floor", "piped_us", "floor"),
    ),
    "flood": (
        ("CPU x floor", "cpu_us", "floor"),
        ("CPU x puppeteer", "cpu_us", "puppeteer"),
        ("CPU x playwright", "cpu_us", "playwright"),
        ("seconds x floor", "seconds", "floor"),
    ),
}


def show(
    console: Console,
    bench: str,
    rounds: Rounds,
    titles: Mapping[str, str],
    failures: Mapping[str, str],
    verdicts: Sequence[Verdict],
) -> None:
    """Two tables, medians and ratios, then one line per goal."""
    figures = Table("client", title=f"{bench}: medians of the rounds")
    for heading, _ in FIGURES[bench]:
        figures.add_column(heading, justify="right")
    ratios = Table("client", title=f"{bench}: medians (min..max) of the ratios within each round")
    for heading, _, _ in RATIOS[bench]:
        ratios.add_column(heading, justify="right")
    for name in rounds:
        if spread(rounds, name, "cpu_us") is None:
            figures.add_row(name, "[red]failed[/]")
            continue
        mark = " [red]failed later[/]" if name in failures else ""
        cells = (_number(spread(rounds, name, figure)) for _, figure in FIGURES[bench])
        figures.add_row(name + mark, *cells)
        floor = "floor-pipe" if name.endswith("-pipe") else "floor-ws"
        against = ((f, floor if other == "floor" else other) for _, f, other in RATIOS[bench])
        ratios.add_row(name, *(_ratio_cell(ratio(rounds, name, o, f)) for f, o in against))
    if console.width < WIDTH:  # a narrow or piped output wraps, it does not cut figures
        console.width = WIDTH
    console.print(figures)
    console.print(ratios)
    console.print(", ".join(filter(None, titles.values())), style="dim", highlight=False)
    for name, why in failures.items():
        console.print(f"[red]failed[/] {name}: ", end="")
        console.print(why, markup=False, highlight=False)
    for verdict in verdicts:
        console.print(_goal_line(verdict), highlight=False)


def write(path: Path | None, bench: str, result: Mapping[str, Any]) -> Path:
    """Keep the whole run as JSON; without a path, in bench/results/."""
    if path is None:
        path = RESULTS / f"{bench}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    return path


def machine(browser: str) -> dict[str, Any]:
    """Where and when it was measured."""
    return {
        "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()],
        "python": platform.python_version(),
        "browser": browser,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # not Linux
        return platform.processor()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _number(found: Spread | None) -> str:
    return "-" if found is None else _digits(found.median)


def _ratio_cell(found: Spread | None) -> str:
    if found is None:
        return "-"
    return f"{found.median:.2f}\n[dim]{found.low:.2f}..{found.high:.2f}[/]"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _goal_line(verdict: Verdict) -> str:
    goal, found = verdict.goal, verdict.found
    limit = f"<= {goal.limit:.3g}{'x' if goal.against else ''}"
    if found is None:
        return f"[yellow]not measured[/]  {goal.text}: {limit}"
    word = "[green]met         [/]" if verdict.met else "[red]NOT MET     [/]"
    return (
        f"{word}  {goal.text}: {limit}, found {found.median:.3g} "
        f"({found.low:.3g}..{found.high:.3g})"
    )
