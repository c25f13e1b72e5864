"""Starting, watching and ending processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path

import pytest

from pilothouse.browsers.launcher.child_process import spawn
from pilothouse.errors import BrowserError


async def test_exit_code_is_told_and_the_process_reaped() -> None:
    child = spawn(["/bin/sh", "-c", "exit 7"], {})
    async with asyncio.timeout(5):
        assert await child.exited == 7
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


async def test_output_goes_to_the_log_and_input_is_empty(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = spawn(["/bin/sh", "-c", "cat; echo out; echo err >&2"], {"PATH": "/bin"}, log=log)
    async with asyncio.timeout(5):
        await child.exited
    assert log.read_text() == "out\nerr\n"


async def test_one_socket_serves_as_both_descriptors() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = spawn(
            ["/bin/sh", "-c", "read line <&3; echo got $line >&4"],
            {},
            descriptors={3: theirs.fileno(), 4: theirs.fileno()},
        )
        ours.sendall(b"hello\n")
        async with asyncio.timeout(5):
            await child.exited
        assert ours.recv(100) == b"got hello\n"


async def test_children_end_with_their_leader(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    script = f"exec 5> {fifo}; sleep 60 & exit 0"
    child = spawn(["/bin/sh", "-c", script], {"PATH": "/bin:/usr/bin"})
    async with asyncio.timeout(5):
        assert await child.exited == 0
        closed = asyncio.Event()
        asyncio.get_running_loop().add_reader(reader, closed.set)
        await closed.wait()
    assert os.read(reader, 1) == b""
    asyncio.get_running_loop().remove_reader(reader)
    os.close(reader)


async def test_group_can_be_killed() -> None:
    child = spawn(["/bin/sleep", "60"], {})
    assert not await child.wait_ended(0)
    child.signal_group(signal.SIGKILL)
    assert await child.wait_ended(5)
    assert child.exited.result() == -signal.SIGKILL


async def test_program_the_system_refuses_is_an_error_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    with pytest.raises(BrowserError, match="cannot be started") as error:
        spawn([str(broken)], {})
    assert "\n" not in error.value.format_line()


async def test_forgotten_process_goes_on() -> None:
    child = spawn(["/bin/sleep", "60"], {})
    child.stop_watching()
    os.kill(child.pid, 0)
    os.kill(child.pid, signal.SIGKILL)
    await asyncio.to_thread(os.waitpid, child.pid, 0)
