"""The line protocol between the harness and a Python client, and the loops that are timed.

Knows: requests, clocks, percentiles. Must not know: any library under test. One line in, one
line out:

    (start)                               {"ready": "name version"}
    {"do": "sequential", "calls": 1000}   {"calls", "seconds", "cpu_s", "p50_us", "p95_us"}
    {"do": "pipelined", "calls": 1000}    {"calls", "seconds", "cpu_s"}
    {"do": "flood", "events": 50000}      {"events", "seconds", "cpu_s"}
    {"do": "quit"}                        (the process ends)

`cpu_s` is this process alone, from its own clock and so exact; what child processes burn is
added by the harness. The C and JavaScript clients speak the same lines.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["EXPRESSION", "IN_FLIGHT", "Peer", "flood_script", "serve"]

EXPRESSION = "1+1"
IN_FLIGHT = 100
WARM_UP_CALLS = 100


def flood_script(events: int) -> str:
    """One burst of console messages."""
    return f"for (let i = 0; i < {events}; i++) console.log('event ' + i)"


class Peer(ABC):
    """A client under test, as its own users would use it."""

    def __init__(self) -> None:
        self.heard = 0
        self.wanted = 0
        self.all_heard = asyncio.Event()

    @abstractmethod
    async def open(self, where: dict[str, Any]) -> str:
        """Attach to the page; return name and version."""

    @abstractmethod
    async def evaluate(self, expression: str) -> Any:
        """One round trip to the page: the value of the expression."""

    @abstractmethod
    async def listen(self) -> None:
        """Enable Runtime and call `hear` with the type of every console message."""

    async def batch(self, calls: int) -> None:
        """All at once, then all awaited. Overridden where the library has a better way."""
        await asyncio.gather(*(self.evaluate(EXPRESSION) for _ in range(calls)))

    def hear(self, kind: str) -> None:
        """One console message."""
        if kind == "log":
            self.heard += 1
            if self.heard == self.wanted:
                self.all_heard.set()


async def _sequential(peer: Peer, calls: int) -> dict[str, float]:
    took = []
    cpu, start = time.process_time(), time.perf_counter()
    for _ in range(calls):
        before = time.perf_counter_ns()
        await peer.evaluate(EXPRESSION)
        took.append(time.perf_counter_ns() - before)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    took.sort()
    return {
        "calls": calls,
        "seconds": seconds,
        "cpu_s": cpu,
        "p50_us": took[calls // 2] / 1000,
        "p95_us": took[calls * 95 // 100] / 1000,
    }


async def _pipelined(peer: Peer, calls: int) -> dict[str, float]:
    cpu, start = time.process_time(), time.perf_counter()
    for done in range(0, calls, IN_FLIGHT):
        await peer.batch(min(IN_FLIGHT, calls - done))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"calls": calls, "seconds": seconds, "cpu_s": cpu}


async def _flood(peer: Peer, events: int) -> dict[str, float]:
    peer.heard, peer.wanted = 0, events
    peer.all_heard.clear()
    cpu, start = time.process_time(), time.perf_counter()
    await peer.evaluate(flood_script(events))
    await peer.all_heard.wait()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"events": events, "seconds": seconds, "cpu_s": cpu}


async def _converse(peer: Peer) -> None:
    def say(line: dict[str, Any]) -> None:
        print(json.dumps(line), flush=True)

    name = await peer.open(json.loads(sys.argv[1]))
    answer = await peer.evaluate(EXPRESSION)
    if answer != 2:
        raise SystemExit(f"{EXPRESSION} gave {answer!r}")
    for _ in range(WARM_UP_CALLS):
        await peer.evaluate(EXPRESSION)
    say({"ready": name})
    listening = False
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        request = json.loads(line)
        if request["do"] == "sequential":
            say(await _sequential(peer, request["calls"]))
        elif request["do"] == "pipelined":
            say(await _pipelined(peer, request["calls"]))
        elif request["do"] == "flood":
            if not listening:  # enabling Runtime anew would replay old messages
                await peer.listen()
                listening = True
            say(await _flood(peer, request["events"]))
        else:
            return


def serve(peer: type[Peer], run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run) -> None:
    """Answer the harness until it says quit. Ends at once: some libraries close slowly."""

    async def main() -> None:
        await _converse(peer())
        sys.stdout.flush()

    run(main())
