"""Nonsense by HTTP and on stdio: the daemon lives, answers, and does not grow."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.daemon.daemon_process import Home, at_home
from tests.daemon.malformed_messages import nonsense
from tests.daemon.raw_http_requests import Site, raw
from tests.soak_extent import repeats

GROWTH = 20_000_000
AT_ONCE = 8
BATCH = 50
WITHIN_S = 60.0

# The long run takes what it takes.
pytestmark = [pytest.mark.browser, pytest.mark.soak, pytest.mark.timeout(6000)]


@pytest.fixture(scope="module")
def open_home(chromium_path: Path) -> Iterator[Home]:
    with at_home(chromium_path) as made:
        made.start()
        yield made


def size(home: Home) -> int:
    assert home.process is not None
    return int(psutil.Process(home.process.pid).memory_info().rss)


async def test_nonsense_by_http(open_home: Home) -> None:
    line = open_home.line("web")
    served = await asyncio.to_thread(line.call, "serve", port=0)
    token = await asyncio.to_thread(Path(served["token_file"]).read_text)
    site = Site(served["port"], token)
    _, headers, _ = await site.greet()
    key = headers["mcp-session-id"]
    known = f"Host: 127.0.0.1:{site.port}\r\nAuthorization: Bearer {token}\r\nMcp-Session-Id: {key}"
    dice = random.Random(4)

    def made() -> bytes:
        kind, body = dice.random(), nonsense(dice)
        if kind < 0.2:
            return body
        if kind < 0.3:
            return b"POST /mcp HTTP/1.1\r\n" + body + b"\r\n\r\n"
        told = known if kind < 0.9 else f"Host: 127.0.0.1:{site.port}"
        head = (
            f"POST /mcp HTTP/1.1\r\n{told}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n"
        )
        return head.encode() + body

    async def send(count: int) -> None:
        for _ in range(count // AT_ONCE):
            await asyncio.gather(*(raw(site.port, made()) for _ in range(AT_ONCE)))

    await send(repeats(160, 10_000))
    before = size(open_home)
    await send(repeats(320, 50_000))
    assert (await site.greet())[0] in (200, 503)  # there may be as many sessions as there can be
    body = {"jsonrpc": "2.0", "id": "alive", "method": "tools/list"}
    status, _, answer = await site.request(body=body, Mcp_Session_Id=key)
    assert status == 200
    assert b"browser_snapshot" in answer
    assert size(open_home) - before < GROWTH


async def test_nonsense_on_stdio(open_home: Home) -> None:
    dice = random.Random(5)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "pilothouse", "mcp"),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=open_home.environ(),
        limit=1 << 26,
    )
    asked, into, out_of = 0, process.stdin, process.stdout
    assert into is not None
    assert out_of is not None

    async def send(count: int) -> None:
        nonlocal asked
        for _ in range(count // BATCH):
            for _ in range(BATCH):
                into.write(nonsense(dice) + b"\n")
            asked += 1
            ping = {"jsonrpc": "2.0", "id": f"alive {asked}", "method": "ping"}
            into.write(json.dumps(ping).encode() + b"\n")
            async with asyncio.timeout(WITHIN_S):
                while True:
                    said = json.loads(await out_of.readline())
                    if said.get("id") == f"alive {asked}":
                        assert "result" in said or said["error"]["code"] in (-32602, -32600)
                        break

    try:
        await send(repeats(200, 10_000))
        before, pipe = size(open_home), psutil.Process(process.pid).memory_info().rss
        await send(repeats(300, 50_000))
        assert size(open_home) - before < GROWTH
        assert psutil.Process(process.pid).memory_info().rss - pipe < GROWTH
        into.close()
        async with asyncio.timeout(WITHIN_S):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
