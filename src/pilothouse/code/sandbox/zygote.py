"""The process that workers are forked from: warm, single-threaded, without any socket of the
daemon.

    python -I -c "from pilothouse.code.sandbox.zygote import main; main()" FD

Knows: how to fork, kill and reap. Must not know: what workers do. Being the parent it can end
them without ever hitting a process that took over a number.
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

from pilothouse.code.sandbox import sandbox
from pilothouse.code.sandbox.sandbox import Limits
from pilothouse.code.sandbox.worker import TRACE_FD, work

__all__ = ["main"]

# What code imports most: loaded here once instead of in every worker.
PRELOADED = (
    "pilothouse.code.client.tab", "asyncio", "base64", "collections", "copy", "csv", "dataclasses",
    "decimal", "enum", "functools", "hashlib", "html", "io", "itertools", "operator", "random",
    "statistics", "string", "textwrap", "typing", "unicodedata", "urllib.parse", "uuid",
    "zoneinfo",
)  # fmt: skip

# Of code that takes long: the daemon, the browsers and short runs go before it.
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
        """Until the daemon closes its end."""
        while True:
            control = self._control.fileno()
            ready, _, _ = select.select([control, self._wake], [], [])
            if self._wake in ready:
                os.read(self._wake, 512)
                self._reap()
            if control in ready and not self._obey():
                return

    def close(self) -> None:
        """End every worker; where the kernel does it by itself, it is done twice."""
        for pid in self._children:
            self._end(pid)

    def _obey(self) -> bool:
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
            self._end(order["kill"])
        elif "yield" in order and order["yield"] in self._children:
            with contextlib.suppress(OSError):  # it has just ended
                # The group, for a process alone would leave out its threads.
                os.setpriority(os.PRIO_PGRP, order["yield"], NICENESS)
        elif "signal" in order and order["signal"] in self._children:
            # First where the code is, which even code that never comes back to Python tells.
            os.kill(order["signal"], signal.SIGUSR2)
            os.kill(order["signal"], signal.SIGUSR1)
        return True

    def _fork(self, order: dict[str, Any], channel: int, trace: int) -> None:
        zygote = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            pid = -1
            self._tell({"forked": order["fork"], "error": error.strerror})
        if pid == 0:
            self._be_a_worker(order, channel, trace, zygote)
        os.close(channel)
        os.close(trace)
        if pid > 0:
            self._children[pid] = order["fork"]
            self._tell({"forked": order["fork"], "pid": pid})

    def _be_a_worker(self, order: dict[str, Any], channel: int, trace: int, zygote: int) -> None:
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for fd in (self._control.fileno(), self._wake, self._writer):
                os.close(fd)
            scratch, limits = Path(order["scratch"]), Limits(**order["limits"])
            code = work(channel, trace, scratch, limits, parent=zygote, is_offline=self._is_offline)
        except BaseException:  # noqa: BLE001 - the top of a process: nobody above could tell it
            with contextlib.suppress(OSError):
                os.write(TRACE_FD, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def _end(self, pid: int) -> None:
        """The whole process group if it has one by now, and the process for sure."""
        for end in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError):
                # Not a leader yet, or gone already: waitpid tells.
                end(pid, signal.SIGKILL)

    def _reap(self) -> None:
        while self._children:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            number = self._children.pop(pid, None)
            if number is not None:
                code = os.waitstatus_to_exitcode(status)
                self._tell({"exited": number, "code": code, "rss_kb": used.ru_maxrss})

    def _tell(self, message: dict[str, Any]) -> None:
        self._control.send(json.dumps(message).encode())


def main() -> int:
    """Serve until the daemon is gone; then end every worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in PRELOADED:
        importlib.import_module(name)
    sandbox.warm()
    is_offline = sandbox.leave_network()
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
