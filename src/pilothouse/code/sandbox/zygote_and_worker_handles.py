"""The daemon's side of the zygote and its workers: starts, signals and reliably ends them.

Knows: processes, their sockets, their scratch directories. Must not know: what runs in them.
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
from pilothouse.asyncio_tasks import Tasks
from pilothouse.code.sandbox import scratch
from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.wire import read_frame
from pilothouse.errors import PilothouseError

__all__ = ["ProcessExit", "Worker", "Zygote", "worker_error"]

READY_WITHIN_S = 20.0
EXIT_WAIT_S = 5.0
UNREAD_BYTES = 1 << 18

# The only variables that the zygote inherits: agent-written code can read its environment.
_ENVIRONMENT = ("TZ", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Runs with -I (no user site, no PYTHON* variables), so add the folder of this package.
_START = (
    "import sys; sys.path.append({!r}); from pilothouse.code.sandbox.zygote import main; main()"
)


class ProcessExit(NamedTuple):
    """How a worker ended: its exit code, negative for a signal; `lost` if the zygote died."""

    code: int
    lost: bool = False


class Worker:
    """One worker process. It runs one program, then ends."""

    def __init__(
        self,
        zygote: _ZygoteProcess,
        pid: int,
        sockets: _WorkerSockets,
        scratch_dir: Path,
        sandbox_layers: dict[str, list[str]],
    ) -> None:
        self.pid = pid
        self.reader = sockets.reader
        self.writer = sockets.writer
        self.gone = sockets.gone
        self.sandbox_layers = sandbox_layers
        self.scratch = scratch_dir
        # The scratch directory as a descriptor if it is a tmpfs mount, which only the worker sees.
        self.folder = sockets.folder
        self._trace = sockets.trace
        self._zygote = zygote

    @property
    def is_alive(self) -> bool:
        """Return whether the worker still runs, as far as the daemon knows."""
        return not self.gone.done() and not self.reader.at_eof()

    def signal_timeout(self) -> None:
        """Raise RunTimeout in the code."""
        self._zygote.send_order({"signal": self.pid})

    def lower_priority(self) -> None:
        """Lower the scheduling priority of the worker."""
        self._zygote.send_order({"yield": self.pid})

    def kill(self) -> None:
        """Kill the worker."""
        if not self.gone.done():
            self._zygote.send_order({"kill": self.pid})

    def trace(self) -> str:
        """Return the traceback that faulthandler wrote when the code was stopped or crashed."""
        return _read_available(self._trace)

    async def end(self) -> None:
        """Kill the worker; close its sockets and remove its files."""
        self.writer.transport.abort()
        self.kill()
        await asyncio.wait({self.gone}, timeout=EXIT_WAIT_S)
        os.close(self._trace)
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None
        await asyncio.to_thread(scratch.remove, self.scratch)


class _WorkerSockets:
    """The socket and the trace pipe between the daemon and one worker."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.sock, self.worker_end = socket.socketpair()
        self.sock.setblocking(False)
        self.trace, self.worker_trace = os.pipe()
        os.set_blocking(self.trace, False)
        self.forked: asyncio.Future[int] = loop.create_future()
        self.gone: asyncio.Future[ProcessExit] = loop.create_future()
        self.folder: int | None = None
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def open(self) -> None:
        """Receive the descriptor of the scratch directory, if the worker sends one, and connect the
        streams."""
        loop = asyncio.get_running_loop()
        readable: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self.sock, _resolve, readable, None)
        try:
            await readable
        finally:
            loop.remove_reader(self.sock)
        _, folders, _, _ = socket.recv_fds(self.sock, 1, 1, socket.MSG_CMSG_CLOEXEC)
        self.folder = folders[0] if folders else None
        self.reader, self.writer = await asyncio.open_connection(sock=self.sock, limit=UNREAD_BYTES)

    def close_worker_ends(self) -> None:
        """Close the worker's ends in this process, once the zygote has them."""
        self.worker_end.close()
        os.close(self.worker_trace)

    def close(self) -> None:
        """Give up on a worker that did not get ready. If it still starts, it reads EOF and ends."""
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
        self._workers: dict[int, _WorkerSockets] = {}
        self._count = 0
        self._unsent: deque[tuple[bytes, _WorkerSockets | None]] = deque()
        self._pids: dict[int, int] = {}

    def request_fork(self, scratch_dir: Path, limits: Limits) -> _WorkerSockets:
        """Ask the zygote to fork a worker. Raises OSError if no descriptors are left."""
        sockets = _WorkerSockets()
        self._count += 1
        self._workers[self._count] = sockets
        self.send_order(
            {"fork": self._count, "scratch": str(scratch_dir), "limits": asdict(limits)}, sockets
        )
        return sockets

    def send_order(self, what: dict[str, Any], sockets: _WorkerSockets | None = None) -> None:
        """Queue an order for the zygote and send what the socket takes."""
        self._unsent.append((json.dumps(what).encode(), sockets))
        self._flush()

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        while self._unsent and not self.dead:
            data, sockets = self._unsent[0]
            try:
                if sockets is None:
                    self._control.send(data)
                else:
                    fds = array.array("i", [sockets.worker_end.fileno(), sockets.worker_trace])
                    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]
                    self._control.sendmsg([data], rights)
            except BlockingIOError:
                loop.add_writer(self._control, self._flush)
                return
            except OSError:
                self.mark_dead()
                return
            self._unsent.popleft()
            if sockets is not None:
                sockets.close_worker_ends()
        if not self.dead:
            loop.remove_writer(self._control)

    async def listen(self) -> None:
        """Read the zygote's messages until it dies."""
        loop = asyncio.get_running_loop()
        try:
            while not self.dead:
                try:
                    data = await loop.sock_recv(self._control, 65536)
                except OSError:
                    data = b""
                if not data:
                    self.mark_dead()
                    return
                self._handle_message(json.loads(data))
        finally:
            self._control.close()

    def _handle_message(self, message: dict[str, Any]) -> None:
        if "forked" in message:
            number = message["forked"]
            forked = self._workers[number].forked
            if "pid" in message:
                self._pids[number] = message["pid"]
                _resolve(forked, message["pid"])
            else:
                self._workers.pop(number)
                if not forked.done():
                    forked.set_exception(worker_error(message["error"]))
        else:
            number = message["exited"]
            self._pids.pop(number, None)
            sockets = self._workers.pop(number)
            _resolve(sockets.gone, ProcessExit(message["code"]))

    def mark_dead(self) -> None:
        """Close the connection to the zygote, and report all its workers as lost."""
        if self.dead:
            return
        self.dead = True
        for _, sockets in self._unsent:
            if sockets is not None:
                sockets.close_worker_ends()
        for sockets in self._workers.values():
            if not sockets.forked.done():
                sockets.forked.set_exception(worker_error("the zygote process died"))
                # Marks the exception as retrieved: `_fork` may have timed out already.
                sockets.forked.exception()
            _resolve(sockets.gone, ProcessExit(-signal.SIGKILL, lost=True))
        if sys.platform != "linux":
            # On Linux the kernel kills workers with their parent (PR_SET_PDEATHSIG).
            for pid in self._pids.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        asyncio.get_running_loop().remove_writer(self._control)
        # Not closed here: `listen` may be reading. The shutdown wakes it, and it closes the socket.
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)


def _read_available(trace: int) -> str:
    with contextlib.suppress(BlockingIOError):
        return os.read(trace, 65536).decode("utf-8", "replace")
    return ""


def _resolve(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)


def worker_error(why: str) -> PilothouseError:
    """Return the error for a worker that could not be started."""
    return PilothouseError(f"no worker could be started: {why}", hint="run it again")


class Zygote:
    """Forks workers from a warm process; restarts that process when it dies."""

    def __init__(self) -> None:
        self._zygote: _ZygoteProcess | None = None
        self._starting = asyncio.Lock()
        self._tasks = Tasks()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """Return the process id, or None if the zygote does not run."""
        zygote = self._zygote
        return zygote.process.pid if zygote is not None and not zygote.dead else None

    async def start(self) -> None:
        """Start the process if it does not run."""
        await self._ensure_process()

    async def _ensure_process(self) -> _ZygoteProcess:
        async with self._starting:
            if self._closed:
                raise worker_error("the daemon closes")
            if self._zygote is not None and not self._zygote.dead:
                return self._zygote
            ours, zygote_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setblocking(False)
            try:
                process = await self._launch(zygote_end)
            except BaseException:  # also if the caller was cancelled
                ours.close()
                raise
            zygote = self._zygote = _ZygoteProcess(ours, process)
            self._tasks.start(zygote.listen(), "read the zygote's messages")
            self._tasks.start(process.wait(), "reap the zygote")
            return zygote

    async def _launch(self, zygote_end: socket.socket) -> asyncio.subprocess.Process:
        root = str(Path(pilothouse.__file__).parent.parent)
        with zygote_end:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-c",
                _START.format(root),
                str(zygote_end.fileno()),
                pass_fds=[zygote_end.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                env={k: os.environ[k] for k in _ENVIRONMENT if k in os.environ},
            )

    async def close(self) -> None:
        """End the zygote and its workers."""
        self._closed = True
        async with self._starting:
            zygote = self._zygote
        if zygote is None:
            return
        zygote.mark_dead()
        await self._tasks.close()
        try:
            # The zygote kills its workers and exits once its socket is closed.
            await asyncio.wait_for(zygote.process.wait(), EXIT_WAIT_S)
        except TimeoutError:
            zygote.process.kill()
            await zygote.process.wait()

    async def fork(self, scratch_dir: Path, limits: Limits) -> Worker:
        """Fork a worker and wait until it is ready. Raises PilothouseError."""
        while True:
            before = self._zygote
            zygote = await self._ensure_process()
            try:
                return await _fork(zygote, scratch_dir, limits)
            except PilothouseError:
                # Retry if the zygote had been running and died: start a new one. If a zygote dies
                # right after its start, another one would die as well.
                if not zygote.dead or zygote is not before:
                    raise


async def _fork(zygote: _ZygoteProcess, scratch_dir: Path, limits: Limits) -> Worker:
    sockets = zygote.request_fork(scratch_dir, limits)
    try:
        async with asyncio.timeout(READY_WITHIN_S):
            pid = await sockets.forked
            await sockets.open()
            ready = await read_frame(sockets.reader)
    except TimeoutError:
        sockets.close()
        raise worker_error(f"it was not ready within {READY_WITHIN_S:g} s") from None
    except BaseException:
        sockets.close()
        raise
    if ready is None or "ready" not in ready:
        said = _read_available(sockets.trace).strip()
        sockets.close()
        raise worker_error(said.splitlines()[-1] if said else "it died during its start")
    sandbox_layers = {"stand": ready["walls"], "missing": ready["missing"]}
    return Worker(zygote, pid, sockets, scratch_dir, sandbox_layers)
