"""MemoryReclaimer is given back after large calls, whichever way they come, and when the daemon is
idle.

Under `./dev soak memory` it is hundreds of calls; in the tests it is as many as tell a leak apart.
"""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from pilothouse.code.client.daemon_connection import Refused
from pilothouse.daemon.memory_reclaimer import IDLE_S, LARGE_BYTES, MemoryReclaimer, trimmer
from tests.daemon.daemon_process import Home
from tests.daemon.raw_http_requests import Site
from tests.soak_extent import repeats

CALLS = repeats(8, 300)
GROWS_MB = 50.0
CALMS_WITHIN_S = 20.0
ARGUMENT = "1 //" + "x" * 3_500_000


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


async def test_garbage_is_collected_soon_after_a_large_message_and_not_after_a_small_one() -> None:
    collected: list[bool] = []
    memory = MemoryReclaimer(lambda: collected.append(True))
    gone = asyncio.Event()
    cycle = _Cycle()
    weakref.finalize(cycle, gone.set)
    del cycle
    gc.disable()
    try:
        memory.count_bytes(1000)
        assert collected == []
        memory.count_bytes(LARGE_BYTES)
        async with asyncio.timeout(IDLE_S / 2):
            await gone.wait()
    finally:
        gc.enable()
        memory.close()
    assert collected == [True]


async def test_many_small_messages_count_as_a_large_one() -> None:
    collected: list[bool] = []
    trimmed = asyncio.Event()

    def trim() -> None:
        collected.append(True)
        trimmed.set()

    memory = MemoryReclaimer(trim)
    for _ in range(100):
        memory.count_bytes(LARGE_BYTES // 100)
    async with asyncio.timeout(IDLE_S / 2):
        await trimmed.wait()
    memory.close()
    assert collected == [True]


async def test_daemon_that_becomes_idle_collects_once() -> None:
    collected: list[bool] = []
    trimmed = asyncio.Event()

    def trim() -> None:
        collected.append(True)
        trimmed.set()

    memory = MemoryReclaimer(trim)
    memory.count_bytes(1)
    async with asyncio.timeout(CALMS_WITHIN_S):
        await trimmed.wait()
    assert collected == [True]
    memory.close()


async def test_nothing_is_collected_after_the_end() -> None:
    collected: list[bool] = []
    memory = MemoryReclaimer(lambda: collected.append(True))
    memory.count_bytes(LARGE_BYTES)
    memory.close()
    memory.close()
    assert collected == []


def test_trimming_is_harmless_on_every_system() -> None:
    trimmer()()


def _levels_off(home: Home, call: Callable[[int], object]) -> None:
    """Make large calls. What the first ones left is all that ever is."""
    assert home.process is not None
    process = psutil.Process(home.process.pid)
    for number in range(3):
        call(number)
    before = _settled(process)
    for number in range(3, 3 + CALLS):
        call(number)
    give_up = time.monotonic() + CALMS_WITHIN_S
    while (grown := process.memory_info().rss / 1e6 - before) > GROWS_MB:
        assert time.monotonic() < give_up, f"{CALLS} calls keep {grown:.0f} MB"


def _settled(process: psutil.Process) -> float:
    """Its memory once it is idle: it was collected then, or is as small as it gets."""
    least, give_up = float("inf"), time.monotonic() + IDLE_S + 1.0
    while time.monotonic() < give_up:
        least = min(least, process.memory_info().rss / 1e6)
    return least


# With arguments that are refused far inside: the error keeps them alive.
_REFUSED = {"name": "browser_console", "arguments": {"expression": ARGUMENT + "x" * 1_000_000}}
# The largest that HTTP lets in.
_CALL = {"name": "browser_console", "arguments": {"expression": ARGUMENT}}


@pytest.mark.browser
@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_large_calls_by_rpc_keep_no_memory(lived_in: Home) -> None:
    line = lived_in.line("who keeps the browser open")

    def call(number: int) -> None:
        with suppress(Refused):
            line.call("tab.evaluate", code=ARGUMENT + "x" * 1_000_000)

    _levels_off(lived_in, call)


@pytest.mark.browser
@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_large_calls_by_mcp_on_stdio_keep_no_memory(lived_in: Home) -> None:
    with ExitStack() as stack:
        command = [sys.executable, "-m", "pilothouse", "mcp"]
        process = stack.enter_context(
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=lived_in.environ(),
            )
        )
        stack.callback(process.terminate)
        assert process.stdin is not None
        assert process.stdout is not None
        out, into = process.stdout, process.stdin

        def ask(method: str, number: int, **params: Any) -> dict[str, Any]:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            into.write(json.dumps(message).encode() + b"\n")
            into.flush()
            while True:
                reply: dict[str, Any] = json.loads(out.readline())
                if reply.get("id") == number:
                    return reply

        info = {"name": "large", "version": "1"}
        ask("initialize", 0, protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        into.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        shown = ask("tools/call", 1, name="browser_navigate", arguments={"url": "data:,x"})
        assert "result" in shown
        _levels_off(lived_in, lambda number: ask("tools/call", number + 2, **_REFUSED))


@pytest.mark.browser
@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_large_calls_by_http_keep_no_memory(lived_in: Home) -> None:
    line = lived_in.line("server")
    served = line.call("serve", port=0, toolsets=["browser"])
    site = Site(served["port"], await asyncio.to_thread(Path(served["token_file"]).read_text))
    _, headers, _ = await site.greet()
    key = headers["mcp-session-id"]

    async def ask(**body: Any) -> int:
        message = {"jsonrpc": "2.0", "id": 1, **body}
        return (await site.request("POST", "/mcp", message, Mcp_Session_Id=key))[0]

    shown = {"name": "browser_navigate", "arguments": {"url": "data:,x"}}
    assert await ask(method="tools/call", params=shown) == 200
    await asyncio.to_thread(
        _levels_off, lived_in, lambda number: asyncio.run(ask(method="tools/call", params=_CALL))
    )
