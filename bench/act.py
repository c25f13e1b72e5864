"""`python -m bench act`: click, fill and select on a plain page of sixty elements.

Every tool does the same to the same page in a Chromium of its own, in turn. What counts is how long
the caller waits for the call to come back, ours with its receipt. The element is looked up before
and the page is checked afterwards, both outside the timing: a call that changed nothing has failed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError
from bench.generated_pages import form
from bench.ratios_and_goals import Spread, ratio, spread
from bench.tool_browsers_and_pages import Pages, Seat, chosen, seated
from bench.tool_speedup_factors import Aim, found, plain

__all__ = ["run"]

OURS = "pilothouse"
ROWS = 20
PROOF_WITHIN_S = 2.0
OPTIONS = ("Green", "Blue", "Red")
ACTIONS = ("click", "fill", "select")

AIMS = (
    Aim("60 elements", "click", 10, "@playwright/mcp"),
    Aim("60 elements", "click", 4, "chrome-devtools-mcp"),
    Aim("60 elements", "click", 2.5, "agent-browser"),
)

Rounds = dict[str, list[Mapping[str, float] | None]]


def run(rounds: int, only: str | None, json_path: Path | None, console: Console) -> int:
    """Measure everybody and print the table; 1 if ours failed."""
    names = chosen(only, but=("pilothouse 4k",))
    failures: dict[str, str] = {}
    # One list of rounds per action: a tool may fail at one of them.
    times: dict[str, Rounds] = {action: {name: [] for name in names} for action in ACTIONS}
    with (
        Pages({"/form": form(ROWS)}) as pages,
        seated(names, pages.url("/form"), console, failures) as seats,
    ):
        for number in range(-1, rounds):
            turn = number % len(seats)
            for seat in [*seats[turn:], *seats[:turn]]:
                for action in ACTIONS:
                    took = _measured(seat, action, number, failures)
                    if number >= 0:  # the one before the first warms everybody up
                        times[action][seat.name].append(None if took is None else {action: took})
            if number >= 0:
                console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    verdicts = [found(aim, times[aim.figure], OURS, names[1:]) for aim in AIMS]
    _show(console, times, failures)
    for verdict in verdicts:
        console.print(verdict.line(), markup=False, highlight=False)
    result = {
        "bench": "act",
        "machine": report.machine(chromium.version(chromium.find())),
        "milliseconds": times,
        "failures": failures,
        "goals": [plain(verdict) for verdict in verdicts],
    }
    console.print(f"written: {report.write(json_path, 'act', result)}", highlight=False)
    return 1 if any(who.startswith(f"{OURS},") for who in failures) else 0


def _measured(seat: Seat, action: str, number: int, failures: dict[str, str]) -> float | None:
    """How many milliseconds one call took; None for who cannot do it, now or before."""
    who = f"{seat.name}, {action}"
    if who in failures or seat.name in failures:
        return None
    try:
        return _act(seat, action, number)
    except BenchError as error:
        failures[who] = str(error)
        return None


def _act(seat: Seat, action: str, number: int) -> float:
    row = f"{number % ROWS:02}"
    call: Callable[[], str]
    if action == "click":
        role, label = "button", f"Press-{row}"
        wanted = int(seat.eye.value("presses")) + 1
        call, question = seat.tool.click, "presses"
        proof: object = wanted
    elif action == "fill":
        role, label, proof = "textbox", f"Text-{row}", f"words of round {number}"
        question = f"document.getElementsByName({label!r})[0].value"
        call = lambda: seat.tool.fill(str(proof))  # noqa: E731
    else:
        role, label = "combobox", f"Pick-{row}"
        proof = OPTIONS[(number // ROWS) % len(OPTIONS)]
        question = f"document.getElementsByName({label!r})[0].value"
        call = lambda: seat.tool.select(str(proof))  # noqa: E731
    seat.tool.aim(role, label)
    started = time.perf_counter()
    said = call()
    took = (time.perf_counter() - started) * 1000
    deadline = time.monotonic() + PROOF_WITHIN_S
    while (is_now := seat.eye.value(question)) != proof and time.monotonic() < deadline:
        time.sleep(0.05)
    if is_now != proof:
        raise BenchError(f"{label} is {is_now!r}, not {proof!r}; it said: {said[:150]!r}")
    return took


def _show(console: Console, times: Mapping[str, Rounds], failures: Mapping[str, str]) -> None:
    table = Table("tool", title="milliseconds until the call is back: medians (min..max)")
    for action in ACTIONS:
        table.add_column(action, justify="right")
        table.add_column("x ours", justify="right")
    for name in times["click"]:
        cells: list[str] = []
        for action in ACTIONS:
            cells += _cells(times[action], name, action)
        table.add_row(name, *cells)
    if console.width < report.WIDTH:
        console.width = report.WIDTH
    console.print(table)
    for who, why in failures.items():
        console.print(f"failed        {who}: {why}", markup=False, highlight=False)


def _cells(rounds: Rounds, name: str, action: str) -> Sequence[str]:
    taken: Spread | None = spread(rounds, name, action)
    if taken is None:
        return "[red]failed[/]", "-"
    factor = ratio(rounds, name, OURS, action)
    shown = f"{taken.median:.0f}\n[dim]{taken.low:.0f}..{taken.high:.0f}[/]"
    return shown, f"{factor.median:.1f}" if factor else "-"
