"""Chrome says its counts under a word, and what it says of others is none of ours."""

from __future__ import annotations

import json
from typing import Any, cast

import msgspec

from pilothouse.cdp import Event, Session
from pilothouse.cdp.message import SessionId
from pilothouse.page.world.layout_counters import MOST, LayoutCounters


class Heard:
    """A session that only hears."""

    id = "s"

    def on(self, event: Any, listener: Any) -> None:
        self.listener = listener

    def says(self, title: str, **metrics: float) -> None:
        said = {"title": title, "metrics": [{"name": n, "value": v} for n, v in metrics.items()]}
        self.listener(
            Event("Performance.metrics", SessionId("s"), msgspec.Raw(json.dumps(said).encode()))
        )


def begun() -> tuple[Heard, LayoutCounters]:
    session, counts = Heard(), LayoutCounters()
    (enable,) = counts.begin(cast(Session, session))
    assert enable.method == "Performance.enable"
    assert counts.begin(cast(Session, session)) == []
    return session, counts


def test_counts_are_told_once_under_their_word() -> None:
    session, counts = begun()
    session.says("one", LayoutCount=3, RecalcStyleCount=5, Nodes=8)
    session.says("two", LayoutCount=4, RecalcStyleCount=5)
    assert counts.take("two") == (4, 5)
    assert counts.take("one") == (3, 5)
    assert counts.take("one") is None


def test_what_is_not_said_is_not_known() -> None:
    session, counts = begun()
    session.says("half", LayoutCount=3)
    assert counts.take("half") is None
    assert counts.take("never") is None


def test_words_that_nobody_asks_for_are_forgotten() -> None:
    session, counts = begun()
    for number in range(3 * MOST):
        session.says(f"page's own {number}", LayoutCount=1, RecalcStyleCount=1)
    assert sum(counts.take(f"page's own {n}") is not None for n in range(3 * MOST)) <= MOST
