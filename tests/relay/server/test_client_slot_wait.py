"""Waiting for the slot."""

from __future__ import annotations

from pilothouse.relay.server.client_slot_wait import wait_for_slot


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


async def test_a_free_slot_is_taken_at_once() -> None:
    clock = Clock()

    async def is_free() -> bool:
        return True

    assert await wait_for_slot(is_free, sleep=clock.sleep, clock=clock)
    assert clock.slept == []


async def test_it_asks_until_the_slot_is_free() -> None:
    clock, answers = Clock(), iter([False, False, False, True])

    async def is_free() -> bool:
        return next(answers)

    assert await wait_for_slot(is_free, sleep=clock.sleep, clock=clock)
    assert len(clock.slept) == 3
    assert all(0.2 <= pause <= 0.4 for pause in clock.slept)
    assert len(set(clock.slept)) > 1


async def test_it_gives_up_after_half_a_minute() -> None:
    clock = Clock()

    async def is_free() -> bool:
        return False

    assert not await wait_for_slot(is_free, sleep=clock.sleep, clock=clock)
    assert 29.9 <= clock.now - 100 <= 30.1
