"""A wait is armed at once, ends once, and takes itself away when it ends."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.cdp.armed_wait import ArmedWait
from pilothouse.errors import CommandTimeout, ConnectionLost


class Even(ArmedWait[int]):
    """A wait for an even number that counts how often it was taken away."""

    stopped = 0

    def say(self, value: int) -> None:
        self._offer(value)

    def _stop(self) -> None:
        super()._stop()
        self.stopped += 1


def even(value: int) -> bool:
    if value < 0:
        raise ValueError("negative")
    return value % 2 == 0


async def test_the_first_value_that_is_accepted_is_the_result() -> None:
    wait = Even(even, 5.0)
    for value in (1, 2, 4):
        wait.say(value)
    assert wait.done()
    assert await wait == 2


async def test_an_error_of_the_predicate_is_the_callers() -> None:
    wait = Even(even, 5.0)
    wait.say(-1)
    wait.say(2)
    with pytest.raises(ValueError, match="negative"):
        await wait


async def test_a_wait_fails_at_its_deadline() -> None:
    with pytest.raises(CommandTimeout, match=r"did not come within 0\.01 s"):
        await Even(None, 0.01)


async def test_a_wait_that_failed_takes_no_value_and_is_taken_away() -> None:
    wait = Even(None, 5.0)
    wait.fail(ConnectionLost("gone"))
    wait.say(2)
    assert wait.stopped == 1
    with pytest.raises(ConnectionLost, match="gone"):
        await wait


async def test_a_cancelled_await_takes_the_wait_away() -> None:
    wait = Even(None, 5.0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await wait
    assert wait.stopped
    assert wait.done()
