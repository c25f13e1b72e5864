"""The zygote process: forks workers. It has all modules loaded, one thread, and no sockets of the
daemon but its own.

    python -I -c "from pilothouse.code.sandbox.zygote import main; main()" FD

Knows: how to fork, kill and reap. Must not know: what workers do. Only their parent can kill
workers safely: until it reaps a process, the kernel does not reuse its process id.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

from pilothouse.code.sandbox import confinement
from pilothouse.code.sandbox.confinement import Limits
from pilothouse.code.sandbox.worker import TRACE_FD, work

__all__ = ["main"]

# Modules that code imports most: loaded here once instead of in every worker.
PRELOADED = (
    "pilothouse.code.client.tab", "asyncio", "base64", "collections", "copy", "csv", "dataclasses",
    "decimal", "enum", "functools", "hashlib", "html", "io", "itertools", "operator", "random",
    "statistics", "string", "textwrap", "typing", "unicodedata", "urllib.parse", "uuid",
    "zoneinfo",
)  # fmt: skip

# For code that runs long, so that the daemon, browsers and short runs go first.
NICENESS = 10


class _Zygote:
    def __init__(self, control: socket.socket, *, is_offline: bool) -> None:
        self._control = control
        self._is_offline = is_offline
        self._children: dict[int, int] = {}
        self._wake, writer = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer)
        self._writer = writer
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Handle orders until the daemon closes its end of the socket."""
        while True:
            control = self._control.fileno()
            ready, _, _ = select.select([control, self._wake], [], [])
            if self._wake in ready:
                os.read(self._wake, 512)
                self._reap()
            if control in ready and not self._handle_order():
                return

    def close(self) -> None:
        """Kill every worker. On Linux the kernel would do so, too, when this process ends."""
        for pid in self._children:
            self._kill(pid)

    def _handle_order(self) -> bool:
        data, extra, _, _ = self._control.recvmsg(65536, socket.CMSG_SPACE(8))
        if not data:
            return False
        order = json.loads(data)
        if "fork" in order:
            fds = array.array("i")
            for _, _, payload in extra:
                fds.frombytes(payload[:8])
            self._fork(order, fds[0], fds[1])
        elif "kill" in order and order["kill"] in self._children:
            self._kill(order["kill"])
        elif "yield" in order and order["yield"] in self._children:
            with contextlib.suppress(OSError):  # it has just ended
                # Of the process group: PRIO_PROCESS would set only one thread.
                os.setpriority(os.PRIO_PGRP, order["yield"], NICENESS)
        elif "signal" in order and order["signal"] in self._children:
            # SIGUSR2 first: faulthandler writes the traceback even if the code never returns to the
            # interpreter loop, where SIGUSR1 raises RunTimeout.
            os.kill(order["signal"], signal.SIGUSR2)
            os.kill(order["signal"], signal.SIGUSR1)
        return True

    def _fork(self, order: dict[str, Any], channel: int, trace: int) -> None:
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            pid = -1
            self._send({"forked": order["fork"], "error": error.strerror})
        if pid == 0:
            self._run_worker(order, channel, trace, zygote)
        os.close(channel)
        os.close(trace)
        if pid > 0:
            self._children[pid] = order["fork"]
            self._send({"forked": order["fork"], "pid": pid})

    def _run_worker(self, order: dict[str, Any], channel: int, trace: int, zygote: int) -> None:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for fd in (self._control.fileno(), self._wake, self._writer):
                os.close(fd)
            scratch, limits = Path(order["scratch"]), Limits(**order["limits"])
            code = work(channel, trace, scratch, limits, parent=zygote, is_offline=self._is_offline)
        except BaseException:  # noqa: BLE001 - the top of a process: no caller could report it
            with contextlib.suppress(OSError):
                os.write(TRACE_FD, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def _kill(self, pid: int) -> None:
        """Kill the process group of a worker, and the process in case it has no group yet."""
        for end in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError):
                # No group leader yet, or ended already: `_reap` reports it.
                end(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            number = self._children.pop(pid, None)
            if number is not None:
                code = os.waitstatus_to_exitcode(status)
                self._send({"exited": number, "code": code})

    def _send(self, message: dict[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())


def main() -> int:
    """Serve until the daemon closes the socket; then kill every worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in PRELOADED:
        importlib.import_module(name)
    confinement.warm()
    is_offline = confinement.leave_network()
    zygote = _Zygote(socket.socket(fileno=int(sys.argv[1])), is_offline=is_offline)
    gc.collect()
    gc.freeze()
    try:
        zygote.serve()
    except ConnectionError:
        return 0  # the daemon died
    finally:
        zygote.close()
    return 0
