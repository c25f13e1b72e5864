"""`python -m bench interrupts`: from a click that opens `alert()` to the tool call's return.

Everybody clicks the same button of the same page in a Chromium of its own, in turn. What counts is
how long the caller waits; what the call says is shown beside it. Peers dismiss or report the
dialog in their own ways; some only come back when their own patience ends.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError
from bench.tool_browsers_and_pages import Pages, chosen, seated

__all__ = ["run"]

PAGE = "<!doctype html><title>Alert</title><button onclick=\"alert('hello')\">Raise</button>"


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if a peer could not be measured."""
    names = chosen(None, but=("pilothouse 4k", "browser-use"))
    times: dict[str, list[float]] = {name: [] for name in names}
    said: dict[str, str] = {}
    failures: dict[str, str] = {}
    with (
        Pages({"/alert": PAGE}) as pages,
        seated(names, pages.url("/alert"), console, failures) as seats,
    ):
        for number in range(rounds):
            for seat in seats:
                if seat.name in failures:
                    continue
                try:
                    seat.tool.open(pages.url("/alert"))
                    seat.tool.aim("button", "Raise")
                    started = time.perf_counter()
                    said[seat.name] = seat.tool.click()
                    times[seat.name].append((time.perf_counter() - started) * 1000)
                    seat.tool.accept()
                except BenchError as error:
                    failures[seat.name] = str(error)
            console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    _show(console, times, said, failures)
    result = {
        "bench": "interrupts",
        "machine": report.machine(chromium.version(chromium.find())),
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
