"""`McpPipe` between two pipes and a socket pair, without a daemon: a failure of its own thread is
told to the client and ends it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest

from pilothouse.cli.command_invocation import FAILED
from pilothouse.cli.commands.mcp_and_serve import McpPipe

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

    def _connect(self, notices: tuple[str, ...]) -> Any:
        if not self.connects:
            with self._changed:
                assert self._changed.wait_for(lambda: self._failed, WITHIN_S)
        return OneSocket(self.sock)

    def _send_to_daemon(self, line: bytes) -> None:
        if b"explode" in line:
            raise ZeroDivisionError("by nothing")
        super()._send_to_daemon(line)


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

    def send(self, method: str, number: int | str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        os.write(self.stdin, json.dumps(message).encode() + b"\n")

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
