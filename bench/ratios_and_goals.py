"""From rounds to medians, ratios and goals.

Pure: knows numbers and the names of the clients, nothing else. A round of one client is a flat
mapping of figures; a ratio is taken within each round, because the machine drifts between
rounds, and the median of those ratios is what counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

__all__ = ["GOALS", "Goal", "Rounds", "Spread", "Verdict", "judge", "ratio", "spread"]

# client name -> one mapping of figures per round; None where the client had failed
Rounds = Mapping[str, Sequence[Mapping[str, float] | None]]


@dataclass(frozen=True, slots=True)
class Spread:
    """A median and how far the rounds lay apart."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Goal:
    """`figure` of `client`, divided by that of `against` if there is one, is at most `limit`."""

    bench: str
    text: str
    client: str
    figure: str
    limit: float
    against: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a goal; `found` is None when a client it needs has failed."""

    goal: Goal
    found: Spread | None

    @property
    def met(self) -> bool:
        """Whether the median keeps the goal."""
        return self.found is not None and self.found.median <= self.goal.limit

    def plain(self) -> dict[str, object]:
        """As JSON wants it."""
        found = asdict(self.found) if self.found else None
        return {**asdict(self.goal), "found": found, "met": self.met}


def _ours(bench: str, text: str, figure: str, limit: float, against: str = "") -> list[Goal]:
    """The same goal for both of our wires."""
    return [
        Goal(bench, f"{text}, {wire}", f"ours-{wire}", figure, limit, against.format(wire=wire))
        for wire in ("pipe", "ws")
    ]


GOALS: tuple[Goal, ...] = (
    *_ours("wire", "round trip against blocking C", "p50_us", 1.35, "floor-{wire}"),
    *_ours("wire", "round trip against cdp-use", "p50_us", 0.9, "cdp-use"),
    *_ours("wire", "round trip against Playwright", "p50_us", 0.55, "playwright"),
    *_ours("wire", "CPU per call against Playwright", "cpu_us", 1 / 6, "playwright"),
    *_ours("wire", "CPU per call against cdp-use", "cpu_us", 1 / 2, "cdp-use"),
    *_ours("flood", "CPU per event in us", "cpu_us", 25),
    *_ours("flood", "memory in MB", "rss_mb", 60),
    *_ours("flood", "CPU against puppeteer", "cpu_us", 1 / 5, "puppeteer"),
    *_ours("flood", "CPU against Playwright", "cpu_us", 1 / 12, "playwright"),
)


def spread(rounds: Rounds, client: str, figure: str) -> Spread | None:
    """The figure of one client over its rounds; None when it has none."""
    return _of([r[figure] for r in rounds.get(client, ()) if r is not None])


def ratio(rounds: Rounds, client: str, against: str, figure: str) -> Spread | None:
    """One client over another, round by round; None when they share no round."""
    pairs = zip(rounds.get(client, ()), rounds.get(against, ()), strict=False)
    return _of([a[figure] / b[figure] for a, b in pairs if a is not None and b is not None])


def judge(bench: str, rounds: Rounds) -> list[Verdict]:
    """Every goal of one benchmark with what was found."""
    return [
        Verdict(
            goal,
            ratio(rounds, goal.client, goal.against, goal.figure)
            if goal.against
            else spread(rounds, goal.client, goal.figure),
        )
        for goal in GOALS
        if goal.bench == bench
    ]


def _of(values: Sequence[float]) -> Spread | None:
    return Spread(median(values), min(values), max(values)) if values else None
