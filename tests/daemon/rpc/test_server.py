"""The door: raw sockets against a server that only echoes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.asyncio_tasks import run
from pilothouse.daemon.rpc import messages
from pilothouse.daemon.rpc.messages import RpcRequest
from pilothouse.daemon.rpc.server import CALLS_AT_ONCE, UNREAD_BYTES, RpcClient, RpcServer
from pilothouse.errors import ToolError

pytestmark = pytest.mark.timeout(60)


class Echo:
    """A daemon of one room: it answers with what it was given, or waits to be told."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.gone: list[int] = []
        self.left = asyncio.Event()

    async def answer(self, client: RpcClient, request: RpcRequest) -> Any:
        """What a method does here."""
        if request.method == "refuse":
            raise ToolError("not that", hint="this")
        if request.method == "break":
            raise ZeroDivisionError("oh")
        if request.method == "dropped":
            other: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(other.cancel)
            await other
        if request.method == "late":
            raise TimeoutError
        if request.method == "unspeakable":
            return object()
        if request.method == "progress":
            client.progress(request.id, "half", of=2)
        if request.method == "wait":
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
        if request.method == "flood":
            return "x" * request.params["bytes"]
        return request.params

    async def left_by(self, client: RpcClient) -> None:
        """Somebody hung up."""
        self.gone.append(client.number)
        self.left.set()


class Caller:
    """A client that says exactly what it is told to say."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def say(self, line: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(line)
        await self.writer.drain()

    async def ask(self, method: str, number: Any = 1, **params: Any) -> None:
        """Send a call."""
        call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        await self.say(json.dumps(call).encode() + b"\n")

    async def hear(self) -> dict[str, Any]:
        """The next line; empty once the connection has ended."""
        async with asyncio.timeout(20):
            line = await self.reader.readline()
        heard: dict[str, Any] = json.loads(line) if line else {}
        return heard

    async def call(self, method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
        """Send a call and hear the next line."""
        await self.ask(method, number, **params)
        return await self.hear()


class Door:
    """A listening server and whoever came."""

    def __init__(self, path: Path, server: RpcServer, echo: Echo) -> None:
        self.path = path
        self.server = server
        self.echo = echo
        self._callers: list[Caller] = []

    async def enter(self, limit: int = 1 << 26) -> Caller:
        """A new connection."""
        caller = Caller(*await asyncio.open_unix_connection(str(self.path), limit=limit))
        self._callers.append(caller)
        return caller

    async def leave(self) -> None:
        """Everyone hangs up."""
        for caller in self._callers:
            caller.writer.close()
            with contextlib.suppress(ConnectionError):
                await caller.writer.wait_closed()


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """A door for one test; its path is short, as paths of sockets must be."""
    root = Path(tempfile.mkdtemp(prefix="ph-"))
    echo = Echo()
    server = RpcServer(echo.answer, echo.left_by)
    await server.start(root / "s")
    door = Door(root / "s", server, echo)
    yield door
    await door.leave()
    await server.close()
    shutil.rmtree(root)


async def test_socket_is_for_its_user_alone(door: Door) -> None:
    assert stat.S_IMODE(door.path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_another_user_is_turned_away_by_the_credentials_of_its_socket(door: Door) -> None:
    door.path.chmod(0o666)
    door.path.parent.chmod(0o755)
    script = (
        "import os,socket,sys; os.setgid(65534); os.setuid(65534);"
        "s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        's.send(b\'{"jsonrpc":"2.0","id":1,"method":"x"}\\n\'); print(s.recv(100))'
    )
    process = await asyncio.create_subprocess_exec(
        "python3", "-c", script, str(door.path), stdout=-1, stderr=-1
    )
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    assert b"2.0" not in out, out
    assert out == b"b''\n" or b"ConnectionReset" in err or b"BrokenPipe" in err
    assert door.server.clients == set()


async def test_two_clients_are_answered_each_with_its_own(door: Door) -> None:
    one, two = await door.enter(), await door.enter()
    await one.ask("wait", 1, who="one")
    assert (await two.call("echo", 1, who="two"))["result"] == {"who": "two"}
    for number in range(50):
        assert (await one.call("echo", number + 10, n=number))["result"] == {"n": number}
        assert (await two.call("echo", number + 10, n=-number))["result"] == {"n": -number}
    door.echo.gate.set()
    assert await one.hear() == {"jsonrpc": "2.0", "id": 1, "result": {"who": "one"}}


@pytest.mark.parametrize("number", [0, 1, "", "a", -5])
async def test_call_under_any_id_is_answered_and_forgotten(door: Door, number: int | str) -> None:
    caller = await door.enter()
    assert (await caller.call("echo", number))["id"] == number
    assert (await caller.call("echo", number))["id"] == number
    (client,) = door.server.clients
    assert client.running == {}


async def test_errors_are_told_by_kind_and_none_ends_the_server(door: Door) -> None:
    caller = await door.enter()
    refused = (await caller.call("refuse"))["error"]
    assert refused["message"] == "not that"
    assert refused["data"] == {"kind": "ToolError", "hint": "this"}
    assert (await caller.call("late"))["error"]["message"] == "late took too long"
    broken = (await caller.call("break"))["error"]
    assert broken["code"] == messages.INTERNAL
    assert broken["message"] == "break failed: internal error"
    assert (await caller.call("unspeakable"))["error"]["code"] == messages.INTERNAL
    dropped = (await caller.call("dropped"))["error"]
    assert dropped["message"] == "dropped was cancelled before it finished"
    assert dropped["data"]["kind"] == "ConnectionLost"
    assert (await caller.call("echo", ok=1))["result"] == {"ok": 1}


async def test_garbage_is_answered_and_the_line_goes_on(door: Door) -> None:
    caller = await door.enter()
    for line in (b"what?\n", b"\xff\xff\n", b"[" * 50_000 + b"\n", b'{"jsonrpc":"2.0"}\n'):
        await caller.say(line)
        assert "error" in await caller.hear()
    await caller.say(b"\n  \n")
    await caller.say(b'{"jsonrpc":"2.0","method":"echo"}\n')
    assert (await caller.call("echo", ok=1))["result"] == {"ok": 1}


async def test_line_longer_than_any_message_is_told_and_ends_only_its_client(door: Door) -> None:
    talker, other = await door.enter(), await door.enter()
    with contextlib.suppress(ConnectionError):
        chunk = b"x" * (1 << 20)
        for _ in range(messages.LONGEST_LINE // len(chunk) + 2):
            await talker.say(chunk)
    with contextlib.suppress(ConnectionError):
        heard = await talker.hear()
        assert not heard or "longer than" in heard["error"]["message"]
    assert (await other.call("echo", ok=1))["result"] == {"ok": 1}
    async with asyncio.timeout(10):
        await door.echo.left.wait()
    assert len(door.server.clients) == 1


async def test_client_that_does_not_read_is_dropped_and_others_go_on(door: Door) -> None:
    stuck, other = await door.enter(limit=1 << 10), await door.enter()
    size = 8 << 20
    for number in range(UNREAD_BYTES // size + 2):
        with contextlib.suppress(ConnectionError):
            await stuck.ask("flood", number, bytes=size)
        assert (await other.call("echo", number, n=number))["result"] == {"n": number}
    async with asyncio.timeout(20):
        await door.echo.left.wait()
    assert len(door.server.clients) == 1
    assert (await other.call("echo", ok=1))["result"] == {"ok": 1}


async def test_call_that_is_cancelled_ends_and_says_so(door: Door) -> None:
    caller = await door.enter()
    await caller.ask("wait", 7)
    assert (await caller.call("echo", 1))["id"] == 1
    await caller.ask("cancel", 8, id=7)
    heard = {message["id"]: message for message in [await caller.hear(), await caller.hear()]}
    assert heard[8]["result"] == {"cancelled": True}
    assert heard[7]["error"]["message"] == "cancelled"
    assert door.echo.cancelled.is_set()
    for nothing in (7, "x", [1], {"a": 1}, None, 1.5):
        assert (await caller.call("cancel", 9, id=nothing))["result"] == {"cancelled": False}


async def test_call_that_is_cancelled_before_it_began_says_so_too(door: Door) -> None:
    caller = await door.enter()
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {"id": 1}})
        for number, method in ((1, "wait"), (2, "cancel"))
    ]
    await caller.say("".join(line + "\n" for line in lines).encode())
    heard = {message["id"]: message for message in [await caller.hear(), await caller.hear()]}
    assert heard[1]["error"]["message"] == "cancelled"


async def test_client_that_hangs_up_takes_its_calls_with_it(door: Door) -> None:
    caller, other = await door.enter(), await door.enter()
    await caller.ask("wait")
    assert (await other.call("echo", ok=1))["result"] == {"ok": 1}
    caller.writer.close()
    async with asyncio.timeout(10):
        await door.echo.cancelled.wait()
        await door.echo.left.wait()
    assert len(door.server.clients) == 1


async def test_id_in_use_is_refused_and_the_first_call_goes_on(door: Door) -> None:
    caller = await door.enter()
    await caller.ask("wait", 1, first=True)
    assert "already used" in (await caller.call("echo", 1))["error"]["message"]
    door.echo.gate.set()
    assert (await caller.hear())["result"] == {"first": True}


async def test_calls_without_end_are_refused_before_they_fill_the_daemon(door: Door) -> None:
    caller = await door.enter()
    for number in range(CALLS_AT_ONCE):
        await caller.ask("wait", number)
    assert "already running" in (await caller.call("echo", "more"))["error"]["message"]
    door.echo.gate.set()
    answered = {(await caller.hear())["id"] for _ in range(CALLS_AT_ONCE)}
    assert answered == set(range(CALLS_AT_ONCE))
    assert (await caller.call("echo", ok=1))["result"] == {"ok": 1}


async def test_progress_comes_before_the_answer(door: Door) -> None:
    caller = await door.enter()
    said = await caller.call("progress", 3)
    assert said["method"] == "progress"
    assert said["params"] == {"id": 3, "text": "half", "of": 2}
    assert (await caller.hear())["id"] == 3


async def test_closing_the_server_ends_what_runs_and_hangs_up(door: Door) -> None:
    caller = await door.enter()
    await caller.ask("wait", 1)
    assert (await caller.call("echo", 2))["id"] == 2
    async with asyncio.timeout(10):
        await door.server.close()
        told = (await caller.hear())["error"]["message"]
        assert told == "the daemon stopped during the call"
        assert await caller.hear() == {}


async def test_shut_door_lets_nobody_in_and_calls_go_on(door: Door) -> None:
    caller = await door.enter()
    await caller.ask("wait", 1)
    assert (await caller.call("echo", 2))["id"] == 2
    door.server.stop_listening()
    assert not door.path.exists()
    with pytest.raises(OSError, match="No such file"):
        await door.enter()
    door.echo.gate.set()
    assert (await caller.hear())["id"] == 1
    assert (await caller.call("echo", 3))["id"] == 3


@pytest.mark.parametrize("turns", range(3))
def test_client_still_on_the_doorstep_when_it_shuts_is_turned_away(
    turns: int, tmp_path: Path
) -> None:
    async def come_late() -> bytes:
        echo = Echo()
        server = RpcServer(echo.answer, echo.left_by)
        await server.start(tmp_path / "s")
        with socket.socket(socket.AF_UNIX) as late:
            late.setblocking(False)
            late.connect(str(tmp_path / "s"))
            for _ in range(turns):  # the server has not seen it, has accepted it, would serve it
                await asyncio.sleep(0)
            server.stop_listening()
            try:
                async with asyncio.timeout(10):
                    return await asyncio.get_running_loop().sock_recv(late, 100)
            except ConnectionResetError:
                return b""
            finally:
                await server.close()

    assert run(come_late()) == b""  # on the loop that the daemon runs on
