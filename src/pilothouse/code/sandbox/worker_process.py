"""Workers as the daemon has them: forked by the zygote, and gone for certain when they are done
with.

Knows: processes, their lines, their scratch directories. Must not know: what runs in them.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections import deque
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pilothouse
from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.sandbox import Limits
from pilothouse.code.sandbox.wire import read_frame
from pilothouse.errors import PilothouseError
from pilothouse.tasks import Tasks

__all__ = ["ProcessExit", "Worker", "Zygote", "worker_error"]

READY_WITHIN_S = 20.0
GONE_WITHIN_S = 5.0
UNREAD_BYTES = 1 << 18

# All that a process which code can look into may know of the daemon's environment.
_ENVIRONMENT = ("TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Isolated from the user's Python settings, with this very package.
_START = (
    "import sys; sys.path.append({!r}); from pilothouse.code.sandbox.zygote import main; main()"
)


class ProcessExit(NamedTuple):
    """How a process ended: its exit code, negative for a signal; `lost` if the zygote died."""

    code: int
    rss_kb: int = 0
    lost: bool = False


class Worker:
    """One process that runs code once."""

    def __init__(
        self,
        life: _ZygoteProcess,
        pid: int,
        lines: _WorkerSockets,
        place: Path,
        walls: dict[str, list[str]],
    ) -> None:
        self.pid = pid
        self.reader = lines.reader
        self.writer = lines.writer
        self.gone = lines.gone
        self.walls = walls
        self.scratch = place
        # The scratch directory as a descriptor, where it is in memory and nobody else sees it.
        self.folder = lines.folder
        self._trace = lines.trace
        self._life = life

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as is known."""
        return not self.gone.done() and not self.reader.at_eof()

    def ring(self) -> None:
        """Tell the code that its time is up."""
        self._life.order({"signal": self.pid})

    def make_way(self) -> None:
        """Let everything else go before it."""
        self._life.order({"yield": self.pid})

    def kill(self) -> None:
        """End it now."""
        if not self.gone.done():
            self._life.order({"kill": self.pid})

    def trace(self) -> str:
        """Where the code was when it was stopped or crashed, as Python tells it."""
        return _read(self._trace)

    async def end(self) -> None:
        """Leave nothing of it: no process, no line, no file."""
        self.writer.transport.abort()
        self.kill()
        await asyncio.wait({self.gone}, timeout=GONE_WITHIN_S)
        os.close(self._trace)
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None
        await asyncio.to_thread(scratch.remove, self.scratch)


class _WorkerSockets:
    """The daemon's ends of what a worker is given."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.sock, self.theirs = socket.socketpair()
        self.sock.setblocking(False)
        self.trace, self.their_trace = os.pipe()
        os.set_blocking(self.trace, False)
        self.forked: asyncio.Future[int] = loop.create_future()
        self.gone: asyncio.Future[ProcessExit] = loop.create_future()
        self.folder: int | None = None
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def open(self) -> None:
        """Take the scratch directory, if the worker gives one, and read its messages from then."""
        loop = asyncio.get_running_loop()
        readable: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self.sock, _settle, readable, None)
        try:
            await readable
        finally:
            loop.remove_reader(self.sock)
        _, folders, _, _ = socket.recv_fds(self.sock, 1, 1, socket.MSG_CMSG_CLOEXEC)
        self.folder = folders[0] if folders else None
        self.reader, self.writer = await asyncio.open_connection(sock=self.sock, limit=UNREAD_BYTES)

    def given(self) -> None:
        """The worker has its ends; ours to close."""
        self.theirs.close()
        os.close(self.their_trace)

    def close(self) -> None:
        """The worker did not come; if it comes yet it finds nobody, and goes."""
        os.close(self.trace)
        if self.folder is not None:
            os.close(self.folder)
        if hasattr(self, "writer"):
            self.writer.transport.abort()
        else:
            self.sock.close()


class _ZygoteProcess:
    """One zygote process, from its start to its death."""

    def __init__(self, control: socket.socket, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.dead = False
        self._control = control
        self._waiting: dict[int, _WorkerSockets] = {}
        self._count = 0
        self._unsent: deque[tuple[bytes, _WorkerSockets | None]] = deque()
        self._pids: dict[int, int] = {}

    def ask(self, place: Path, limits: Limits) -> _WorkerSockets:
        """Have a worker forked. Raises OSError if there is no room for its lines."""
        lines = _WorkerSockets()
        self._count += 1
        self._waiting[self._count] = lines
        self.order({"fork": self._count, "scratch": str(place), "limits": asdict(limits)}, lines)
        return lines

    def order(self, what: dict[str, Any], lines: _WorkerSockets | None = None) -> None:
        """Send an order, in its turn."""
        self._unsent.append((json.dumps(what).encode(), lines))
        self._flush()

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        while self._unsent and not self.dead:
            data, lines = self._unsent[0]
            try:
                if lines is None:
                    self._control.send(data)
                else:
                    fds = array.array("i", [lines.theirs.fileno(), lines.their_trace])
                    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]
                    self._control.sendmsg([data], rights)
            except BlockingIOError:
                loop.add_writer(self._control, self._flush)
                return
            except OSError:
                self.die()
                return
            self._unsent.popleft()
            if lines is not None:
                lines.given()
        if not self.dead:
            loop.remove_writer(self._control)

    async def listen(self) -> None:
        """Hear what became of the workers, until the zygote dies."""
        loop = asyncio.get_running_loop()
        try:
            while not self.dead:
                try:
                    data = await loop.sock_recv(self._control, 65536)
                except OSError:
                    data = b""
                if not data:
                    self.die()
                    return
                self._take(json.loads(data))
        finally:
            self._control.close()

    def _take(self, message: dict[str, Any]) -> None:
        if "forked" in message:
            number = message["forked"]
            forked = self._waiting[number].forked
            if "pid" in message:
                self._pids[number] = message["pid"]
                _settle(forked, message["pid"])
            else:
                self._waiting.pop(number)
                if not forked.done():
                    forked.set_exception(worker_error(message["error"]))
        else:
            number = message["exited"]
            self._pids.pop(number, None)
            lines = self._waiting.pop(number)
            _settle(lines.gone, ProcessExit(message["code"], message["rss_kb"]))

    def die(self) -> None:
        """The zygote is dead or to die, and every worker with it."""
        if self.dead:
            return
        self.dead = True
        for _, lines in self._unsent:
            if lines is not None:
                lines.given()
        for lines in self._waiting.values():
            if not lines.forked.done():
                lines.forked.set_exception(worker_error("the process that starts them died"))
                # Whoever waited may have given up: then nobody asks.
                lines.forked.exception()
            _settle(lines.gone, ProcessExit(-signal.SIGKILL, lost=True))
        if sys.platform != "linux":
            # Elsewhere the kernel does not end them with their parent.
            for pid in self._pids.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        asyncio.get_running_loop().remove_writer(self._control)
        # Not closed under the one who listens: this wakes him, and he closes it.
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)


def _read(trace: int) -> str:
    with contextlib.suppress(BlockingIOError):
        return os.read(trace, 65536).decode("utf-8", "replace")
    return ""


def _settle(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def worker_error(why: str) -> PilothouseError:
    """What to raise when a worker cannot be had."""
    return PilothouseError(f"no worker could be started: {why}", hint="run it again")


class Zygote:
    """The process workers come from; it is started again when it dies."""

    def __init__(self) -> None:
        self._life: _ZygoteProcess | None = None
        self._starting = asyncio.Lock()
        self._tasks = Tasks()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process, while it lives."""
        life = self._life
        return life.process.pid if life is not None and not life.dead else None

    async def start(self) -> None:
        """Start it if it does not run."""
        await self._live()

    async def _live(self) -> _ZygoteProcess:
        async with self._starting:
            if self._closed:
                raise worker_error("the daemon closes")
            if self._life is not None and not self._life.dead:
                return self._life
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setblocking(False)
            try:
                process = await self._launch(theirs)
            except BaseException:  # also when whoever wanted it has given up
                ours.close()
                raise
            life = self._life = _ZygoteProcess(ours, process)
            self._tasks.start(life.listen(), "hear the zygote")
            self._tasks.start(process.wait(), "reap the zygote")
            return life

    async def _launch(self, theirs: socket.socket) -> asyncio.subprocess.Process:
        root = str(Path(pilothouse.__file__).parent.parent)
        with theirs:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-c",
                _START.format(root),
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                env={k: os.environ[k] for k in _ENVIRONMENT if k in os.environ},
            )

    async def close(self) -> None:
        """End it; its workers die with it."""
        self._closed = True
        async with self._starting:
            life = self._life
        if life is None:
            return
        life.die()
        await self._tasks.close()
        try:
            # It ends by itself, and its workers before it, once its line is closed.
            await asyncio.wait_for(life.process.wait(), GONE_WITHIN_S)
        except TimeoutError:
            life.process.kill()
            await life.process.wait()

    async def fork(self, place: Path, limits: Limits) -> Worker:
        """A worker that is ready to run something. Raises PilothouseError."""
        while True:
            before = self._life
            life = await self._live()
            try:
                return await _fork(life, place, limits)
            except PilothouseError:
                # One that died before it was asked has not failed: its successor is asked. A
                # fresh one that dies would do so again.
                if not life.dead or life is not before:
                    raise


async def _fork(life: _ZygoteProcess, place: Path, limits: Limits) -> Worker:
    lines = life.ask(place, limits)
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            pid = await lines.forked
            await lines.open()
            ready = await read_frame(lines.reader)
    except TimeoutError:
        lines.close()
        raise worker_error(f"none was ready within {READY_WITHIN_S:g} s") from None
    except BaseException:
        lines.close()
        raise
    if ready is None or "ready" not in ready:
        said = _read(lines.trace).strip()
        lines.close()
        raise worker_error(said.splitlines()[-1] if said else "it died at once")
    walls = {"stand": ready["walls"], "missing": ready["missing"]}
    return Worker(life, pid, lines, place, walls)
