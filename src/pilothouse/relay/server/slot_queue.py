"""Waiting for the one slot of a relay that serves a single client at a time.

Knows: when to ask again (slots.py), clocks. Must not know: how one asks.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import monotonic

from pilothouse.relay.server.slots import next_poll_delay

__all__ = ["wait_for_slot"]

Sleep = Callable[[float], Awaitable[object]]


async def wait_for_slot(
    is_free: Callable[[], Awaitable[bool]],
    *,
    sleep: Sleep = asyncio.sleep,
    clock: Callable[[], float] = monotonic,
) -> bool:
    """Ask until it is free; False if it was not within the time one stands by."""
    began = clock()
    while not await is_free():
        pause = next_poll_delay(random.random(), clock() - began)
        if pause is None:
            return False
        await sleep(pause)
    return True
