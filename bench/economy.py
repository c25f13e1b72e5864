"""`python -m bench economy`: one job in a shop, and what it costs a model with each MCP server.

The job is the same for all, step by step: what is done and what must be learnt from it. Whoever
works knows only what answers have said: an element is acted on by a ref that was read, and a fact
that an action's own answer does not tell costs another look. Calls and tokens of arguments and
answers are counted; a token is four characters. What cannot be learnt is counted as hidden.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import chromium, report
from bench.chromium import BenchError
from bench.generated_pages import CHARS_PER_TOKEN
from bench.mcp import DEVTOOLS, OURS, PLAYWRIGHT, Ours, goal_line, servers
from bench.ratios_and_goals import Goal, Verdict, ratio
from bench.shop_job import job
from bench.shop_job_agents import DevtoolsWorker, OurWorker, PlaywrightWorker, Worker
from bench.shop_site import Shop

__all__ = ["GOALS", "Rounds", "run", "verdicts", "work"]

GOALS = (
    Goal("economy", "tokens of the job", OURS, "tokens", 0.45, PLAYWRIGHT),
    Goal("economy", "calls of the job", OURS, "calls", 0.5, PLAYWRIGHT),
)
COLUMNS = (
    ("calls", "calls"),
    ("tokens", "tokens"),
    ("facts that stayed hidden", "hidden"),
    ("refused", "refused"),
    ("tokens of the list", "list_tokens"),
    ("s", "seconds"),
)

Rounds = dict[str, list[dict[str, float] | None]]


def run(rounds: int, json_path: Path | None, console: Console) -> int:
    """Have everybody do the job and print the table; 1 if ours failed."""
    executable = chromium.find()
    found: Rounds = {name: [] for name in (OURS, PLAYWRIGHT, DEVTOOLS)}
    failures: dict[str, str] = {}
    logs: dict[str, Any] = {}
    with Shop() as shop, TemporaryDirectory(prefix="ph-economy-") as folder:
        for number in range(rounds):
            for name, start in _workers(executable, Path(folder)).items():
                try:
                    with start() as worker:
                        logs[name] = {"calls": worker.log, "hidden": worker.hidden}
                        found[name].append(work(worker, shop, Path(folder)))
                except BenchError as error:
                    failures[name] = str(error)[:300]
                    found[name].append(None)
            console.print(f"round {number + 1} of {rounds} is done", highlight=False)
    _show(console, found, failures)
    goals = verdicts(found)
    for verdict in goals:
        console.print(goal_line(verdict), markup=False, highlight=False)
    result = {
        "bench": "economy",
        "machine": report.machine(chromium.version(executable)),
        "rounds": found,
        "failures": failures,
        "goals": [verdict.plain() for verdict in goals],
        "answers": logs,
    }
    console.print(f"written: {report.write(json_path, 'economy', result)}", highlight=False)
    return 1 if OURS in failures else 0


def verdicts(found: Rounds) -> list[Verdict]:
    """The goals with what was found."""
    return [Verdict(goal, ratio(found, goal.client, goal.against, goal.figure)) for goal in GOALS]


def work(worker: Worker, shop: Shop, folder: Path) -> dict[str, float]:
    """Do the job once. Raises BenchError if it cannot be done."""
    listed = json.dumps(worker.peer.tools(), separators=(",", ":"))
    started = time.perf_counter()
    job(worker, shop, folder)
    return {
        "calls": float(worker.calls),
        "tokens": worker.chars / CHARS_PER_TOKEN,
        "hidden": float(len(worker.hidden)),
        "refused": float(worker.refused),
        "list_tokens": len(listed) / CHARS_PER_TOKEN,
        "seconds": time.perf_counter() - started,
    }


def _workers(executable: str, folder: Path) -> dict[str, Callable[[], Any]]:
    others = servers(executable)

    @contextmanager
    def ours() -> Iterator[Worker]:
        server = Ours(executable)
        peer = server.start(folder=folder)
        try:
            yield OurWorker(peer)
        finally:
            peer.close()
            server.close()

    @contextmanager
    def other(name: str, kind: type[Worker]) -> Iterator[Worker]:
        peer = others[name].start(folder=folder)
        try:
            yield kind(peer)
        finally:
            peer.close()

    return {
        OURS: ours,
        PLAYWRIGHT: lambda: other(PLAYWRIGHT, PlaywrightWorker),
        DEVTOOLS: lambda: other(DEVTOOLS, DevtoolsWorker),
    }


def _show(console: Console, found: Rounds, failures: dict[str, str]) -> None:
    table = Table(title="one job in a shop, as a model does it")
    table.add_column("server")
    for title, _ in COLUMNS:
        table.add_column(title, justify="right")
    for name, rounds in found.items():
        last = next((one for one in reversed(rounds) if one), None)
        if last is None:
            table.add_row(name, "failed")
            continue
        table.add_row(name, *(f"{last[figure]:,.0f}" for _, figure in COLUMNS))
    console.print(table)
    for name, why in failures.items():
        console.print(f"{name} failed: {why}", markup=False, highlight=False)
