"""`McpPipe` between two pipes and a socket pair, without a daemon: what it answers before there is
one, and what the daemon then hears of it. A failure of its own thread is told to the client and
ends it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import Queue
from threading import Event
from typing import Any

import pytest

from pilothouse.cli.command_invocation import FAILED
from pilothouse.cli.commands.mcp_and_serve import McpPipe
from pilothouse.daemon.mcp.initialize import RESUME

WITHIN_S = 10.0
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


class OneSocket:
    """Stands for a connection to the daemon: it gives its socket away."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock

    def hand_over(self) -> socket.socket:
        return self.sock


class FragilePipe(McpPipe):
    """Connects to a given socket, and fails at requests for `explode`."""

    def __init__(self, stdin: int, out: int, sock: socket.socket) -> None:
        super().__init__("", {}, out, stdin)
        self.sock = sock
        self.connects = True
        self.starts = Event()  # the daemon
        self.starts.set()
        self.taken: Queue[bytes] = Queue()  # lines of the client that were dealt with

    def _connect(self, notices: tuple[str, ...]) -> Any:
        assert self.starts.wait(WITHIN_S)
        if not self.connects:
            with self._changed:
                assert self._changed.wait_for(lambda: self._failed, WITHIN_S)
        return OneSocket(self.sock)

    def _send_to_daemon(self, line: bytes) -> None:
        if b"explode" in line:
            raise ZeroDivisionError("by nothing")
        super()._send_to_daemon(line)
        self.taken.put(line)


class Ends:
    """The pipe with what its client and its daemon hold."""

    def __init__(self, stack: ExitStack) -> None:
        inner, self.stdin = os.pipe()
        self.stdout, outer = os.pipe()
        ours, self.daemon = socket.socketpair()
        self.daemon.settimeout(WITHIN_S)
        self.pipe = FragilePipe(inner, outer, ours)
        for descriptor in (inner, self.stdin, self.stdout, outer):
            stack.callback(os.close, descriptor)
        stack.callback(ours.close)
        stack.callback(self.daemon.close)

    def send(self, method: str, number: int | str | None = None, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if number is not None:
            message["id"] = number
        os.write(self.stdin, json.dumps(message).encode() + b"\n")

    def heard_by_daemon(self, count: int) -> list[tuple[str, Any]]:
        """The method and parameters of the next messages that the daemon gets."""
        with self.daemon.makefile("rb") as lines:
            messages = [json.loads(lines.readline()) for _ in range(count)]
        return [(one["method"], one["params"]) for one in messages]

    def answers(self) -> dict[Any, Any]:
        """The error of every request that was answered, by its id; None for a result."""
        lines = os.read(self.stdout, 1 << 16).splitlines()
        said = [json.loads(line) for line in lines]
        assert len({one["id"] for one in said}) == len(said)
        return {one["id"]: one.get("error") for one in said}


@pytest.fixture
def ends() -> Iterator[Ends]:
    with ExitStack() as stack:
        yield Ends(stack)


@pytest.mark.parametrize(
    ("sent", "answered", "heard"),
    [
        (
            [("initialize", 1, INITIALIZE), ("notifications/initialized", None, {})],
            {1: None},
            [(RESUME, {"initialize": INITIALIZE, "initialized": True})],
        ),
        (
            [("initialize", 1, INITIALIZE), ("tools/list", 2, {})],
            {1: None},
            [(RESUME, {"initialize": INITIALIZE, "initialized": False}), ("tools/list", {})],
        ),
        # A session that begins otherwise is the daemon's alone.
        (
            [("server/discover", 1, {}), ("initialize", 2, INITIALIZE)],
            {},
            [("server/discover", {}), ("initialize", INITIALIZE)],
        ),
        ([("initialize", 1, {"wrong": 1})], {}, [("initialize", {"wrong": 1})]),
    ],
    ids=["handshake", "greeting", "other form", "wrong greeting"],
)
def test_the_daemon_goes_on_from_what_was_answered_before_it_started(
    ends: Ends, sent: list[Any], answered: dict[int, None], heard: list[Any]
) -> None:
    ends.pipe.starts.clear()
    with ThreadPoolExecutor(1) as thread:
        code = thread.submit(ends.pipe.run)
        for method, number, params in sent:
            ends.send(method, number, params)
            ends.pipe.taken.get(timeout=WITHIN_S)
        if answered:
            assert ends.answers() == answered
        ends.pipe.starts.set()
        assert ends.heard_by_daemon(len(heard)) == heard
        ends.send("explode", "end")
        assert code.result(WITHIN_S) == FAILED
    assert set(ends.answers()) == {one[1] for one in sent if one[1]} - set(answered) | {"end"}


INTERNAL = {"code": -32603, "message": "internal error: ZeroDivisionError: by nothing"}


def test_a_failure_of_the_reading_thread_answers_every_request_and_ends_the_pipe(
    ends: Ends, capsys: pytest.CaptureFixture[str]
) -> None:
    ends.send("tools/list", 1)
    with ThreadPoolExecutor(1) as thread:
        code = thread.submit(ends.pipe.run)
        assert b"tools/list" in ends.daemon.recv(1 << 16)
        ends.send("explode", 2)
        assert code.result(WITHIN_S) == FAILED
    assert ends.answers() == {1: INTERNAL, 2: INTERNAL}
    err = capsys.readouterr().err
    assert "pilothouse: reading the MCP client failed: ZeroDivisionError: by nothing" in err
    assert "Traceback" in err


def test_a_failure_before_the_daemon_is_there_keeps_requests_from_it(ends: Ends) -> None:
    """What is answered with an error must not be done all the same."""
    ends.pipe.connects = False
    ends.send("initialize", "\ud800", INITIALIZE)
    ends.send("tools/call", 1, {"name": "web_search"})
    ends.send("explode", 2)
    assert ends.pipe.run() == FAILED
    ends.pipe.close()
    assert ends.answers() == {"\ud800": None, 1: INTERNAL, 2: INTERNAL}
    assert ends.daemon.recv(1 << 16) == b""
