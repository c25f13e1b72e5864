"""`pilothouse mcp` as a client starts it: a pipe that carries the protocol and nothing else, ends
at once, and leaves nobody waiting; and `pilothouse serve`."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from pilothouse.daemon.mcp.initialize import initialize_result
from pilothouse.errors import PilothouseError
from tests.daemon.daemon_process import Home, at_home
from tests.daemon.npm_mcp_clients import installed
from tests.page_server import Pages

pytestmark = pytest.mark.browser

WITHIN_S = 60.0
INSPECTOR = "@modelcontextprotocol/inspector/clients/cli/build/index.js"
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    """An open daemon for the whole file; some tests end it, and the next call starts another."""
    with at_home(chromium_path) as made:
        made.start()
        yield made


class Piped:
    """The process and the lines on its two pipes."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.out = b""

    def send(self, method: str, number: Any = None, params: Any = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if number is not None:
            message["id"] = number
        if params is not None:
            message["params"] = params
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def hear(self) -> Any:
        assert self.process.stdout is not None
        async with asyncio.timeout(WITHIN_S):
            line = await self.process.stdout.readline()
        self.out += line
        return json.loads(line) if line else None

    async def ask(self, method: str, number: Any, params: Any = None) -> Any:
        self.send(method, number, params)
        while (message := await self.hear()).get("id") != number:
            pass
        return message

    async def greet(self) -> None:
        assert "result" in await self.ask("initialize", "greeting", GREETING)
        self.send("notifications/initialized")

    async def ended(self) -> int:
        async with asyncio.timeout(WITHIN_S):
            return await self.process.wait()


@asynccontextmanager
async def piped(home: Home, *words: str) -> AsyncIterator[Piped]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "pilothouse",
        *(words or ("mcp",)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=home.environ(),
        limit=1 << 26,
    )
    try:
        yield Piped(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def parameters(home: Home, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "pilothouse", "mcp", *words], env=home.environ()
    )


async def test_a_client_is_greeted_before_there_is_a_daemon_and_only_once(
    chromium_path: Path, site: Pages
) -> None:
    with at_home(chromium_path) as home:
        home.paths.prepare()
        with home.paths.lock.open("w") as taken:
            # The daemon before has not gone yet: until it has, there can be no other.
            fcntl.flock(taken, fcntl.LOCK_EX)
            async with piped(home) as pipe:
                await pipe.greet()
                call = {"name": "browser_navigate", "arguments": {"url": site.url("/")}}
                pipe.send("tools/call", 7, call)
                fcntl.flock(taken, fcntl.LOCK_UN)
                answer = await pipe.ask("tools/list", 8)
                assert "browser_navigate" in json.dumps(answer["result"])
                if b'"id":7' not in pipe.out:
                    assert (await pipe.hear())["id"] == 7
                assert pipe.out.count(b'"greeting"') == 1
                assert json.loads(pipe.out.splitlines()[0])["result"] == initialize_result(
                    "2025-11-25"
                )
        line = home.line("end")
        home.watch(line.hello["pid"])  # its folder is removed only after the daemon has ended
        with contextlib.suppress(PilothouseError):
            line.call("stop")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_sdks_own_client_drives_a_page(home: Home, site: Pages, mode: str) -> None:
    site.add("/boats.html", "<title>Boats</title><button>Go</button>")
    transport = stdio_client(parameters(home))
    async with asyncio.timeout(WITHIN_S), Client(transport, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert "browser_navigate" in [tool.name for tool in tools]
        went = await client.call_tool("browser_navigate", {"url": site.url("/boats.html")})
        assert not went.is_error
        seen = await client.call_tool("browser_snapshot", {})
        text = seen.content[-1]
        assert isinstance(text, types.TextContent)
        assert 'button "Go"' in text.text


async def test_the_end_of_stdin_ends_it_at_once_and_only_the_protocol_was_said(home: Home) -> None:
    async with piped(home) as pipe:
        await pipe.greet()
        assert (await pipe.ask("tools/list", 1))["result"]["tools"]
        assert pipe.process.stdin is not None
        pipe.process.stdin.close()
        assert await pipe.hear() is None
        assert await pipe.ended() == 0
        assert pipe.process.stderr is not None
        assert await pipe.process.stderr.read() == b""
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in pipe.out.splitlines())


async def test_what_was_asked_just_before_the_end_is_answered(home: Home) -> None:
    async with piped(home) as pipe:
        pipe.send("initialize", 1, GREETING)
        pipe.send("notifications/initialized")
        pipe.send("tools/list", 2)
        pipe.send("ping", 3)
        assert pipe.process.stdin is not None
        pipe.process.stdin.close()
        answered = {(await pipe.hear())["id"] for _ in range(3)}
        assert answered == {1, 2, 3}
        assert await pipe.ended() == 0


@pytest.mark.parametrize(
    ("number", "codes"), [(signal.SIGTERM, (-15, 143)), (signal.SIGINT, (-2, 130))]
)
async def test_a_signal_ends_it(home: Home, number: int, codes: tuple[int, ...]) -> None:
    async with piped(home) as pipe:
        await pipe.greet()
        pipe.process.send_signal(number)
        assert await pipe.ended() in codes


async def test_a_toolset_that_is_none_is_said_on_stderr(home: Home) -> None:
    async with piped(home, "mcp", "--toolsets", "brouwser") as pipe:
        assert await pipe.ended() == 1
        out, err = await pipe.process.communicate()
        assert out == b""
        assert b"brouwser" in err


async def test_a_call_under_way_when_the_daemon_dies_is_answered_and_the_next_one_works(
    home: Home, site: Pages
) -> None:
    site.add("/asks.html", "<script>setTimeout(() => document.title = 'late', 1e6)</script>")
    async with piped(home) as pipe:
        await pipe.greet()
        url = site.url("/asks.html")
        await pipe.ask("tools/call", 1, {"name": "browser_navigate", "arguments": {"url": url}})
        waits = {"name": "browser_wait", "arguments": {"text": "never there", "timeout": 100}}
        pipe.send("tools/call", 2, waits)
        await pipe.ask("ping", 3)  # by now the daemon has it
        home.kill()
        while (answer := await pipe.hear())["id"] != 2:
            pass
        assert answer["error"]["code"] == -32000
        assert "the daemon ended" in answer["error"]["message"]
        home.start()
        again = await pipe.ask("tools/call", 4, {"name": "browser_tabs", "arguments": {}})
        assert "was restarted" in json.dumps(again["result"]["structuredContent"]["notices"])
        assert "result" in await pipe.ask("resources/list", 5)
        assert pipe.out.count(b'"id":"greeting"') + pipe.out.count(b'"id": "greeting"') == 1


async def inspected(home: Home, *words: str) -> Any:
    """What the inspector's command line prints. Its target hears nothing of our environment."""
    ours = [name for name in home.environ() if name.startswith("PILOTHOUSE_")]
    told = [word for name in ours for word in ("-e", f"{name}={home.environ()[name]}")]
    code, out, err = await installed().run(INSPECTOR, *words, *told)
    assert code == 0, out + err
    return json.loads(out)


async def test_the_inspector_lists_and_calls_on_stdio(home: Home) -> None:
    command = (sys.executable, "-m", "pilothouse", "mcp")
    listed = await inspected(home, *command, "--method", "tools/list")
    assert "browser_snapshot" in [tool["name"] for tool in listed["tools"]]
    call = ("--method", "tools/call", "--tool-name", "browser_tabs", "--tool-arg", "action=list")
    assert "content" in await inspected(home, *command, *call)


async def test_the_inspector_lists_by_http(home: Home) -> None:
    async with piped(home, "serve", "--port", "0", "--json") as pipe:
        served = (await pipe.hear())["result"]
        token = await asyncio.to_thread(Path(served["token_file"]).read_text)
        words = ("--transport", "http", "--header", f"Authorization: Bearer {token}")
        listed = await inspected(home, served["url"], "--method", "tools/list", *words)
        assert "browser_snapshot" in [tool["name"] for tool in listed["tools"]]


async def test_serve_says_where_and_not_the_token_and_ends_with_a_signal(home: Home) -> None:
    async with piped(home, "serve", "--port", "0", "--json") as pipe:
        served = (await pipe.hear())["result"]
        token = await asyncio.to_thread(Path(served["token_file"]).read_text)
        assert token not in pipe.out.decode()
        port = served["port"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        async with asyncio.timeout(WITHIN_S):
            assert (await reader.read()).startswith(b"HTTP/1.1 401")
        writer.close()
        pipe.process.send_signal(signal.SIGINT)
        assert await pipe.ended() in (-2, 130)


async def test_serve_refuses_to_listen_to_others(home: Home) -> None:
    async with piped(home, "serve", "--host", "0.0.0.0") as pipe:
        assert await pipe.ended() == 2
        _, err = await pipe.process.communicate()
        assert b"not a loopback address" in err
