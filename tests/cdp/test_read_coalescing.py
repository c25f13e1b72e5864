"""A flood is read in larger pieces, and nobody who waits for an answer notices."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.cdp.read_coalescing import (
    LARGE_BYTES,
    LONGEST_S,
    NOBODY_WAITS,
    READS_IN_A_ROW,
    REMEMBERED,
    SHARE,
    SOON_S,
    Lull,
    Reading,
)


class Wire:
    """A transport that notes whether it is read."""

    def __init__(self) -> None:
        self.read = True
        self.closing = False
        self.pauses = 0
        self.resumed = asyncio.Event()

    def pause_reading(self) -> None:
        assert self.read
        self.read = False
        self.pauses += 1

    def resume_reading(self) -> None:
        assert not self.read
        self.read = True
        self.resumed.set()

    def is_closing(self) -> bool:
        return self.closing


class Asked:
    """A connection that was asked something at a time, or never."""

    def __init__(self, at: float = NOBODY_WAITS) -> None:
        self.at = at

    def asked_at(self) -> float:
        return self.at


def flooded(reading: Reading) -> None:
    for _ in range(READS_IN_A_ROW + 1):
        reading.done(500)


def test_reads_that_come_soon_after_each_other_are_a_flood() -> None:
    lull = Lull()
    seen = [lull.after_read(10 + n * SOON_S / 2, 500) for n in range(READS_IN_A_ROW + 2)]
    assert seen == [False] * READS_IN_A_ROW + [True, True]
    assert not lull.after_read(11, 500)


def test_a_flood_goes_on_over_a_short_gap_and_not_over_a_long_one() -> None:
    lull = Lull()
    for n in range(2 * REMEMBERED):
        lull.after_read(10 + n / 1e5, 500)
    last = 10 + (2 * REMEMBERED - 1) / 1e5
    short = (REMEMBERED - READS_IN_A_ROW - 1) * SOON_S
    assert lull.after_read(last + short, 500)
    assert not lull.after_read(last + short + 3 * SOON_S, 500)


def test_the_parts_of_a_long_message_are_never_left_to_gather() -> None:
    lull = Lull()
    sizes = [LARGE_BYTES, 4 * LARGE_BYTES] * READS_IN_A_ROW
    assert not any(lull.after_read(10 + n / 1e5, size) for n, size in enumerate(sizes))


async def test_a_long_message_in_parts_is_read_at_once() -> None:
    wire = Wire()
    reading = Reading(wire, Asked())
    for _ in range(4 * READS_IN_A_ROW):
        reading.done(LARGE_BYTES)
    assert (wire.read, wire.pauses) == (True, 0)


@given(st.lists(st.floats(SOON_S, 1), max_size=100))
def test_what_trickles_is_never_left_to_gather(gaps: list[float]) -> None:
    lull, now = Lull(), 100.0
    for gap in gaps:
        now += gap * 1.001
        assert not lull.after_read(now, 500)


def test_questions_and_answers_in_turn_are_no_flood_not_even_after_one() -> None:
    lull = Lull()
    for n in range(2 * REMEMBERED):
        lull.after_read(10 + n / 1e5, 500)
    seen = []
    for n in range(2 * REMEMBERED):
        lull.asked()
        seen.append(lull.after_read(10.001 + n / 1e5, 500))
    assert not any(seen[REMEMBERED:])


def test_a_question_now_and_then_leaves_a_flood_one() -> None:
    lull = Lull()
    for n in range(2 * REMEMBERED):
        lull.after_read(10 + n / 1e5, 500)
    lull.asked()
    assert lull.after_read(10 + 2 * REMEMBERED / 1e5, 500)


@given(st.floats(0, 1e6), st.floats(0, 1e3))
def test_nobody_waits_more_than_a_sixteenth_longer(now: float, waited: float) -> None:
    pause = Lull().stand_back(now, now - waited)
    assert 0 <= pause <= LONGEST_S
    assert pause <= (now - (now - waited)) / SHARE


def test_a_flood_that_goes_on_stays_one_across_the_pause() -> None:
    lull = Lull()
    for n in range(READS_IN_A_ROW + 1):
        lull.after_read(1 + n / 1e5, 500)
    pause = lull.stand_back(1.001, NOBODY_WAITS)
    assert pause == LONGEST_S
    assert lull.after_read(1.001 + pause + SOON_S / 2, 500)


async def test_a_flood_stops_the_reading_for_a_moment() -> None:
    wire = Wire()
    flooded(Reading(wire, Asked()))
    assert (wire.read, wire.pauses) == (False, 1)
    async with asyncio.timeout(5):
        await wire.resumed.wait()
    assert wire.read


async def test_what_is_asked_meanwhile_makes_it_go_on_at_once() -> None:
    wire = Wire()
    reading = Reading(wire, Asked())
    flooded(reading)
    reading.asked()
    assert wire.read
    reading.asked()


async def test_a_question_just_asked_is_not_made_to_wait() -> None:
    wire = Wire()
    asked = Asked()
    reading = Reading(wire, asked)
    asked.at = float("inf")
    flooded(reading)
    assert (wire.read, wire.pauses) == (True, 0)


async def test_a_wire_that_closes_is_left_alone() -> None:
    wire = Wire()
    reading = Reading(wire, Asked())
    flooded(reading)
    wire.closing = True
    reading.go_on()
    assert not wire.read
    shut = Wire()
    shut.closing = True
    flooded(Reading(shut, Asked()))
    assert shut.pauses == 0
