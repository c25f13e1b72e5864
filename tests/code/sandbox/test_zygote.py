"""The zygote process, driven over its control socket as the daemon does."""

from __future__ import annotations

import array
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.wire import Channel
from tests.code.worker_runs import alive

START = "from pilothouse.code.sandbox.zygote import main; main()"


class Daemon:
    """The daemon's end of the control socket of a zygote."""

    def __init__(self, scratch: Path) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.control.settimeout(60)
        self.scratch = scratch
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )

    def tell(self, **order: Any) -> None:
        self.control.send(json.dumps(order).encode())

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.control.recv(65536))
        return message

    def fork(self, number: int) -> tuple[Channel, int]:
        ours, theirs = socket.socketpair()
        reader, writer = os.pipe()
        order = {"fork": number, "scratch": str(self.scratch), "limits": asdict(Limits())}
        fds = array.array("i", [theirs.fileno(), writer])
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]
        self.control.sendmsg([json.dumps(order).encode()], rights)
        theirs.close()
        os.close(writer)
        os.close(reader)
        ours.settimeout(60)
        forked = self.hear()
        assert forked["forked"] == number
        # The scratch directory comes first, if it is in memory.
        _, folders, _, _ = socket.recv_fds(ours, 1, 1)
        for folder in folders:
            os.close(folder)
        channel = Channel(ours)
        assert channel.receive()["ready"] is True
        return channel, forked["pid"]

    def close(self) -> None:
        self.control.close()
        self.process.wait(60)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path)
    yield made
    made.close()


def test_a_worker_runs_one_order_and_its_end_is_told(daemon: Daemon) -> None:
    channel, _ = daemon.fork(1)
    channel.send({"run": {"code": "1 + 1", "seconds": 5}})
    assert channel.receive() == {"began": True}
    assert channel.receive()["done"]["value"] == 2
    channel._sock.close()
    ended = daemon.hear()
    assert (ended["exited"], ended["code"]) == (1, 0)


def test_a_worker_is_killed_on_order(daemon: Daemon) -> None:
    channel, pid = daemon.fork(1)
    channel.send({"run": {"code": "while True: pass", "seconds": 5}})
    daemon.tell(kill=pid)
    assert daemon.hear()["code"] == -9
    assert not alive(pid)
    channel._sock.close()


def test_orders_about_foreign_processes_are_not_obeyed(daemon: Daemon) -> None:
    with subprocess.Popen(["sleep", "60"]) as other:
        daemon.tell(kill=other.pid)
        daemon.tell(signal=other.pid)
        channel, _ = daemon.fork(1)
        channel._sock.close()
        assert other.poll() is None
        other.kill()


def test_a_signal_ends_the_code_politely(daemon: Daemon) -> None:
    channel, pid = daemon.fork(1)
    channel.send({"run": {"code": "print('here')\nwhile True: pass", "seconds": 5}})
    assert channel.receive() == {"began": True}
    assert channel.receive() == {"out": "here"}
    assert channel.receive() == {"out": "\n"}
    daemon.tell(signal=pid)
    error = channel.receive()["done"]["error"]
    assert error["kind"] == "RunTimeout"
    assert error["line"] in (1, 2)
    channel._sock.close()


def test_a_signal_that_comes_before_the_code_is_kept_for_it(daemon: Daemon) -> None:
    channel, pid = daemon.fork(1)
    daemon.tell(signal=pid)
    # The zygote obeys in order: with this answer the signal has been sent.
    other, _ = daemon.fork(2)
    channel.send({"run": {"code": "while True: pass", "seconds": 5}})
    assert channel.receive() == {"began": True}
    assert channel.receive()["done"]["error"]["kind"] == "RunTimeout"
    channel._sock.close()
    other._sock.close()


def test_workers_and_zygote_end_with_the_daemon(daemon: Daemon) -> None:
    busy, first = daemon.fork(1)
    busy.send({"run": {"code": "while True: pass", "seconds": 5}})
    idle, second = daemon.fork(2)
    daemon.close()
    assert daemon.process.returncode == 0
    for pid in (first, second):
        while alive(pid):
            os.sched_yield()
    busy._sock.close()
    idle._sock.close()


def test_workers_end_when_the_zygote_is_killed(daemon: Daemon) -> None:
    busy, first = daemon.fork(1)
    busy.send({"run": {"code": "while True: pass", "seconds": 5}})
    idle, second = daemon.fork(2)
    daemon.process.kill()
    daemon.process.wait(60)
    for pid in (first, second):
        while alive(pid):
            os.sched_yield()
    busy._sock.close()
    idle._sock.close()
