"""How many times faster: ours against each peer and against the best of them. Pure.

A round of one tool is a flat mapping of figures, as in ratios_and_goals.py. A factor is the median
of what one figure of a peer is over the same figure of ours, round by round; 5 means five times
faster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from bench.ratios_and_goals import Rounds, Spread, ratio, spread

__all__ = ["Aim", "Found", "best_peer", "found", "plain"]

# What a peer must have done to count, told from its figures of one round.
Counts = Callable[[Mapping[str, float]], bool]


@dataclass(frozen=True, slots=True)
class Aim:
    """`figure` of ours is at least `times` better than that of `against`; empty: the best peer."""

    page: str
    figure: str
    times: float
    against: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What became of an aim: who it was held against, and by which factor ours is better."""

    aim: Aim
    against: str
    factor: Spread | None

    @property
    def met(self) -> bool:
        """Whether the median of the factors is enough."""
        return self.factor is not None and self.factor.median >= self.aim.times

    def line(self) -> str:
        """For people."""
        aim = self.aim
        who = self.against or aim.against or "the best peer"
        best = "" if aim.against else " (the best peer)"
        said = f"{aim.page}, {aim.figure}: {aim.times:g}x faster than {who}{best}"
        if self.factor is None:
            return f"not measured  {said}"
        word = "met          " if self.met else "NOT MET      "
        low, high = self.factor.low, self.factor.high
        return f"{word} {said}: {self.factor.median:.1f}x ({low:.1f}..{high:.1f})"


def best_peer(
    rounds: Rounds, figure: str, peers: Sequence[str], counts: Counts | None = None
) -> str:
    """The peer with the lowest median of a figure; of those only that do what `counts` asks."""
    medians = {}
    for peer in peers:
        taken = [r for r in rounds.get(peer, ()) if r is not None]
        if counts is not None and not all(counts(r) for r in taken):
            continue
        middle = spread(rounds, peer, figure)
        if middle is not None:
            medians[peer] = middle.median
    return min(medians, key=lambda peer: medians[peer]) if medians else ""


def found(
    aim: Aim, rounds: Rounds, ours: str, peers: Sequence[str], counts: Counts | None = None
) -> Found:
    """Hold an aim against what was measured."""
    against = aim.against or best_peer(rounds, aim.figure, peers, counts)
    return Found(aim, against, ratio(rounds, against, ours, aim.figure) if against else None)


def plain(verdict: Found) -> dict[str, object]:
    """As JSON wants it."""
    return {**asdict(verdict), "met": verdict.met}
