"""`python -m bench NAME`: start everybody, run the rounds interleaved, report."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from bench import act, chromium, cli, economy, extract, interrupts, mcp, relay, report, snapshot
from bench.chromium import BenchError
from bench.client_processes import ROSTER, Client, Entry, compile_floor
from bench.extract_pages import HALVES
from bench.ratios_and_goals import judge

ROUNDS = {
    "wire": 10, "flood": 3, "interrupts": 5, "snapshot": 5, "act": 10, "cli": 20, "mcp": 10,
    "relay": 7, "economy": 2, "extract": 1,
}  # fmt: skip
QUICK_ROUNDS = {
    "wire": 3, "flood": 1, "interrupts": 2, "snapshot": 1, "act": 2, "cli": 4, "mcp": 2,
    "relay": 3, "economy": 1, "extract": 1,
}  # fmt: skip
ANSWER_WITHIN_S = 240.0


def main() -> int:
    """The command line. Ctrl-C and SIGTERM end it cleanly: no browser stays."""
    signal.signal(signal.SIGTERM, _interrupt)
    # What is installed is compiled; where that is forbidden, its start would be the compiler's.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options = _parse()
    console = Console()
    try:
        return max([_run(bench, options, console) for bench in _benches(options)])
    except KeyboardInterrupt:
        console.print("interrupted; browsers and clients are gone")
        return 130
    except BenchError as error:
        console.print(f"cannot measure: {error}", markup=False)
        return 1


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("bench", nargs="?", choices=tuple(ROUNDS), help="default: all")
    defaults = ", ".join(f"{bench} {rounds}" for bench, rounds in ROUNDS.items())
    parser.add_argument("--rounds", type=_count, help=f"default: {defaults}")
    parser.add_argument("--calls", type=_count, help="wire: calls per round and kind (1000)")
    parser.add_argument("--events", type=_count, help="flood: console messages (50000)")
    parser.add_argument("--clients", help="wire, flood: comma-separated; default: all of them")
    parser.add_argument("--only", help="snapshot, act: comma-separated tools; default: all")
    parser.add_argument(
        "--half", choices=HALVES, default="test", help="extract: which half of the pages (test)"
    )
    parser.add_argument("--json", type=Path, help="where the results go (bench/results/)")
    parser.add_argument("--quick", action="store_true", help="few rounds, few calls: a rough look")
    options = parser.parse_args()
    if options.json and not options.bench:
        parser.error("--json names one file: say which benchmark")
    options.calls = options.calls or (300 if options.quick else 1000)
    options.events = options.events or (5_000 if options.quick else 50_000)
    return options


def _benches(options: argparse.Namespace) -> list[str]:
    return [options.bench] if options.bench else list(ROUNDS)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _chosen(names: str | None) -> list[Entry]:
    if names is None:
        return list(ROSTER)
    known = {entry.name: entry for entry in ROSTER}
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise BenchError(f"no such client: {', '.join(unknown)} (there are: {', '.join(known)})")
    return [known[name] for name in wanted]


def _run(bench: str, options: argparse.Namespace, console: Console) -> int:
    if bench == "extract":
        return extract.run(options.half, options.json, console)
    alone = {
        "interrupts": interrupts.run, "cli": cli.run, "mcp": mcp.run, "relay": relay.run,
        "economy": economy.run,
    }  # fmt: skip
    if bench in alone:
        return alone[bench](_round_count(bench, options), options.json, console)
    if bench in ("snapshot", "act"):
        measure = snapshot.run if bench == "snapshot" else act.run
        return measure(_round_count(bench, options), options.only, options.json, console)
    entries = _chosen(options.clients)
    browser = chromium.find()
    compile_floor()
    chromium.sweep()
    where = report.machine(chromium.version(browser))
    progress = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), console=console
    )
    with ExitStack() as stack:
        stack.enter_context(progress)
        clients = _start(entries, browser, stack, progress)
        rounds = _rounds(bench, options, clients, progress)
    titles = {c.entry.name: c.title for c in clients}
    failures = {c.entry.name: c.failed for c in clients if c.failed}
    verdicts = judge(bench, rounds)
    report.show(console, bench, rounds, titles, failures, verdicts)
    result: dict[str, Any] = {
        "bench": bench,
        "machine": where,
        "sizes": {"calls": options.calls} if bench == "wire" else {"events": options.events},
        "clients": titles,
        "failures": failures,
        "goals": [verdict.plain() for verdict in verdicts],
        "rounds": rounds,
    }
    console.print(f"written: {report.write(options.json, bench, result)}", highlight=False)
    return 1 if failures else 0


def _start(
    entries: Sequence[Entry], browser: str, stack: ExitStack, progress: Progress
) -> list[Client]:
    task = progress.add_task("starting", total=len(entries))
    clients = []
    for entry in entries:
        progress.update(task, description=f"starting {entry.name} and its browser")
        client = Client(entry, browser)
        stack.callback(client.close)
        client.start()
        clients.append(client)
        progress.advance(task)
    return clients


def _rounds(
    bench: str, options: argparse.Namespace, clients: Sequence[Client], progress: Progress
) -> dict[str, list[Mapping[str, float] | None]]:
    """Every client's first round, then every client's second, each time in another order."""
    count = _round_count(bench, options)
    task = progress.add_task("measuring", total=count * len(clients))
    rounds: dict[str, list[Mapping[str, float] | None]] = {c.entry.name: [] for c in clients}
    for number in range(count):
        turn = number % len(clients)
        for client in [*clients[turn:], *clients[:turn]]:
            name = client.entry.name
            progress.update(task, description=f"round {number + 1}: {name}")
            rounds[name].append(_one_round(bench, options, client))
            progress.advance(task)
        if not progress.console.is_terminal:
            progress.console.print(f"round {number + 1} of {count} is done")
    return rounds


def _round_count(bench: str, options: argparse.Namespace) -> int:
    return int(options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)[bench])


def _one_round(bench: str, options: argparse.Namespace, client: Client) -> dict[str, float] | None:
    if client.failed:
        return None
    try:
        if bench == "wire":
            return _wire(client, options.calls)
        return _flood(client, options.events)
    except BenchError as error:
        client.failed = str(error)
        return None


def _wire(client: Client, calls: int) -> dict[str, float]:
    one = client.ask(ANSWER_WITHIN_S, do="sequential", calls=calls)
    many = client.ask(ANSWER_WITHIN_S, do="pipelined", calls=calls)
    return {
        "p50_us": one["p50_us"],
        "p95_us": one["p95_us"],
        "cpu_us": one["cpu_s"] / calls * 1e6,
        "piped_us": many["seconds"] / calls * 1e6,
        "piped_per_s": calls / many["seconds"],
        "piped_cpu_us": many["cpu_s"] / calls * 1e6,
        "rss_mb": many["rss_mb"],
    }


def _flood(client: Client, events: int) -> dict[str, float]:
    found = client.ask(ANSWER_WITHIN_S, do="flood", events=events)
    return {
        "seconds": found["seconds"],
        "per_s": events / found["seconds"],
        "cpu_us": found["cpu_s"] / events * 1e6,
        "rss_mb": found["rss_mb"],
    }


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
