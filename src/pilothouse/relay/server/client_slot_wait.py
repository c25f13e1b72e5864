"""Wait for the one slot of a relay in single-active mode.

A module of its own because client_slots.py is pure: this one sleeps. Knows: when to ask again
(client_slots.py), clocks. Must not know: how to ask.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import monotonic

from pilothouse.relay.server.client_slots import next_poll_delay

__all__ = ["wait_for_slot"]

Sleep = Callable[[float], Awaitable[object]]


async def wait_for_slot(
    is_free: Callable[[], Awaitable[bool]],
    *,
    sleep: Sleep = asyncio.sleep,
    clock: Callable[[], float] = monotonic,
) -> bool:
    """Poll until the slot is free. Returns False if it was not within STANDBY_S."""
    began = clock()
    while not await is_free():
        delay = next_poll_delay(random.random(), clock() - began)
        if delay is None:
            return False
        await sleep(delay)
    return True
