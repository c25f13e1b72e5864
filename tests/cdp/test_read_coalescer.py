"""A flood is read in larger pieces, and nobody who waits for an answer notices."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.cdp.read_coalescer import (
    FLOOD_READS,
    GAP_S,
    LARGE_BYTES,
    LONGEST_PAUSE_S,
    MAX_COUNT,
    NO_PENDING_COMMAND,
    PAUSE_SHARE,
    FloodDetector,
    ReadCoalescer,
)
from tests.speedup_switches import without_speedups


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

    def __init__(self, at: float = NO_PENDING_COMMAND) -> None:
        self.at = at

    def last_sent_at(self) -> float:
        return self.at


def flooded(reading: ReadCoalescer) -> None:
    for _ in range(FLOOD_READS + 1):
        reading.after_read(500)


def test_reads_that_come_soon_after_each_other_are_a_flood() -> None:
    detector = FloodDetector()
    seen = [detector.on_read(10 + n * GAP_S / 2, 500) for n in range(FLOOD_READS + 2)]
    assert seen == [False] * FLOOD_READS + [True, True]
    assert not detector.on_read(11, 500)


def test_a_flood_goes_on_over_a_short_gap_and_not_over_a_long_one() -> None:
    detector = FloodDetector()
    for n in range(2 * MAX_COUNT):
        detector.on_read(10 + n / 1e5, 500)
    last = 10 + (2 * MAX_COUNT - 1) / 1e5
    short = (MAX_COUNT - FLOOD_READS - 1) * GAP_S
    assert detector.on_read(last + short, 500)
    assert not detector.on_read(last + short + 3 * GAP_S, 500)


def test_the_parts_of_a_long_message_are_never_left_to_gather() -> None:
    detector = FloodDetector()
    sizes = [LARGE_BYTES, 4 * LARGE_BYTES] * FLOOD_READS
    assert not any(detector.on_read(10 + n / 1e5, size) for n, size in enumerate(sizes))


async def test_a_long_message_in_parts_is_read_at_once() -> None:
    wire = Wire()
    reading = ReadCoalescer(wire, Asked())
    for _ in range(4 * FLOOD_READS):
        reading.after_read(LARGE_BYTES)
    assert (wire.read, wire.pauses) == (True, 0)


async def test_a_flood_is_read_as_it_comes_if_the_setting_is_off() -> None:
    wire = Wire()
    with without_speedups("coalesce_reads"):
        reading = ReadCoalescer(wire, Asked())
    flooded(reading)
    reading.on_command_sent()
    assert (wire.read, wire.pauses) == (True, 0)


@given(st.lists(st.floats(GAP_S, 1), max_size=100))
def test_what_trickles_is_never_left_to_gather(gaps: list[float]) -> None:
    detector, now = FloodDetector(), 100.0
    for gap in gaps:
        now += gap * 1.001
        assert not detector.on_read(now, 500)


def test_questions_and_answers_in_turn_are_no_flood_not_even_after_one() -> None:
    detector = FloodDetector()
    for n in range(2 * MAX_COUNT):
        detector.on_read(10 + n / 1e5, 500)
    seen = []
    for n in range(2 * MAX_COUNT):
        detector.on_command_sent()
        seen.append(detector.on_read(10.001 + n / 1e5, 500))
    assert not any(seen[MAX_COUNT:])


def test_a_question_now_and_then_leaves_a_flood_one() -> None:
    detector = FloodDetector()
    for n in range(2 * MAX_COUNT):
        detector.on_read(10 + n / 1e5, 500)
    detector.on_command_sent()
    assert detector.on_read(10 + 2 * MAX_COUNT / 1e5, 500)


@given(st.floats(0, 1e6), st.floats(0, 1e3))
def test_nobody_waits_more_than_a_sixteenth_longer(now: float, waited: float) -> None:
    pause = FloodDetector().pause_for(now, now - waited)
    assert 0 <= pause <= LONGEST_PAUSE_S
    assert pause <= (now - (now - waited)) / PAUSE_SHARE


def test_a_flood_that_goes_on_stays_one_across_the_pause() -> None:
    detector = FloodDetector()
    for n in range(FLOOD_READS + 1):
        detector.on_read(1 + n / 1e5, 500)
    pause = detector.pause_for(1.001, NO_PENDING_COMMAND)
    assert pause == LONGEST_PAUSE_S
    assert detector.on_read(1.001 + pause + GAP_S / 2, 500)


@pytest.mark.needs_speedup("coalesce_reads")
async def test_a_flood_stops_the_reading_for_a_moment() -> None:
    wire = Wire()
    flooded(ReadCoalescer(wire, Asked()))
    assert (wire.read, wire.pauses) == (False, 1)
    async with asyncio.timeout(5):
        await wire.resumed.wait()
    assert wire.read


async def test_what_is_asked_meanwhile_makes_it_go_on_at_once() -> None:
    wire = Wire()
    reading = ReadCoalescer(wire, Asked())
    flooded(reading)
    reading.on_command_sent()
    assert wire.read
    reading.on_command_sent()


async def test_a_question_just_asked_is_not_made_to_wait() -> None:
    wire = Wire()
    asked = Asked()
    reading = ReadCoalescer(wire, asked)
    asked.at = float("inf")
    flooded(reading)
    assert (wire.read, wire.pauses) == (True, 0)


@pytest.mark.needs_speedup("coalesce_reads")
async def test_a_wire_that_closes_is_left_alone() -> None:
    wire = Wire()
    reading = ReadCoalescer(wire, Asked())
    flooded(reading)
    wire.closing = True
    reading.resume()
    assert not wire.read
    shut = Wire()
    shut.closing = True
    flooded(ReadCoalescer(shut, Asked()))
    assert shut.pauses == 0
