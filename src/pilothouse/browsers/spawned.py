"""Opens an application built on Chromium: as it runs, or started by us.

Knows: how to tell that an application runs, and whether it can be talked to.
It never kills a process it did not start: it refuses and says what to close.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import psutil
from msgspec.structs import replace

from pilothouse.browsers.connected import connect
from pilothouse.browsers.endpoint import Endpoint
from pilothouse.browsers.kinds import Spawned
from pilothouse.browsers.launcher import (
    MARK,
    Child,
    check_args,
    check_executable,
    diagnose,
    end_run,
    exit_words,
    lock_owner,
    spawn,
)
from pilothouse.browsers.open_result import Grounds, Opened, Version
from pilothouse.cdp import Connection
from pilothouse.errors import BrowserError, describe_error

__all__ = ["Running", "open_spawned", "switch"]

READY_WITHIN_S = 30.0
_REUSE_WITHIN_S = 2.0
_TERMINATES_WITHIN_S = 1.0
_DIES_WITHIN_S = 0.5


class Running(msgspec.Struct, frozen=True):
    """A main process of the application, with the switches that matter here."""

    pid: int
    user_data_dir: str | None
    port: str | None


async def open_spawned(kind: Spawned, grounds: Grounds) -> Opened:
    """Use the running application, or start it. Raises BrowserError."""
    path = check_executable(kind.path, "application")
    notes = check_args(kind.args, app=True)
    data_dir = switch(kind.args, "user-data-dir")
    if data_dir is not None and not os.path.isabs(data_dir):
        raise BrowserError(
            f"--user-data-dir: {data_dir!r} is not an absolute path",
            hint="give the full path of the folder",
        )
    alike = await asyncio.to_thread(_alike, path, data_dir)
    for found in alike:
        reused = await _reuse(kind, found, grounds)
        if reused is not None:
            return reused
    if alike:
        raise BrowserError(
            f"{path} already runs (pid {alike[0].pid}) without remote debugging, and would swallow"
            " a second start",
            hint=f"close the application with pid {alike[0].pid}, or give it its own"
            " --user-data-dir in args",
        )
    start = _Start(kind, grounds, path, data_dir)
    try:
        connection, version = await start.run()
    except BaseException:
        await start.end()
        raise
    assert start.child is not None
    return Opened(
        kind,
        connection,
        version,
        start.close,
        pid=start.child.pid,
        owned=True,
        notes=notes,
        target=kind.target,
        exited=start.child.exited,
    )


async def _reuse(kind: Spawned, found: Running, grounds: Grounds) -> Opened | None:
    child = _child_of(found, grounds)
    for endpoint in _ways_in(found):
        try:
            connection, version = await connect(endpoint, _REUSE_WITHIN_S)
        except BrowserError:
            continue  # not this way; when none is left the caller refuses and says so

        async def close(kill: bool, connection: Connection = connection) -> None:
            await connection.close()
            if kill and child is not None:
                await _end_child(child, grounds)

        note = f"reused the running application (pid {found.pid})"
        return Opened(
            kind,
            connection,
            version,
            close,
            pid=found.pid,
            owned=child is not None,
            notes=(note,),
            target=kind.target,
            exited=child.exited if child else None,
            goes_on="" if child else f"it ran before (pid {found.pid}), and is ended by hand",
        )
    return None


def _child_of(found: Running, grounds: Grounds) -> Child | None:
    """The process we started of which it is, or which it is itself; None if it is not ours."""
    try:
        group = os.getpgid(found.pid)
    except OSError:
        return None  # it has ended
    ours = (child for child in grounds.children if not child.exited.done())
    return next((child for child in ours if child.pid == group), None)


async def _end_child(child: Child, grounds: Grounds) -> None:
    """End an application that we had started, and left running since."""
    child.signal_group(signal.SIGTERM)
    if not await child.ended(_TERMINATES_WITHIN_S):
        child.signal_group(signal.SIGKILL)
        await child.ended(_DIES_WITHIN_S)
    grounds.children.discard(child)


class _Start:
    """One application we started, until it is released or ended."""

    def __init__(self, kind: Spawned, grounds: Grounds, path: Path, data_dir: str | None) -> None:
        self._kind = kind
        self._grounds = grounds
        self._path = path
        self._data_dir = data_dir
        self._run = grounds.runs.reserve()
        self._record = grounds.runs.record(self._run, kind.describe(), Path(data_dir or ""))
        if data_dir is None:
            self._record = replace(self._record, profile="")
        self._connection: Connection | None = None
        self.child: Child | None = None

    async def run(self) -> tuple[Connection, Version]:
        port, endpoint = await asyncio.to_thread(self._endpoint)
        self._grounds.guard.watch(self._record.run())
        self._grounds.runs.create(self._run, self._record)
        argv = [str(self._path), f"--remote-debugging-port={port}", *self._kind.args]
        environ = {**self._grounds.environ, MARK: str(self._run.path)}
        self.child = spawn(argv, environ, log=self._run.log)
        self._grounds.children.add(self.child)
        self._record = replace(
            self._record, browser=self.child.pid, browser_started=self.child.started
        )
        self._grounds.guard.watch(self._record.run())
        self._grounds.runs.update(self._run, self._record)
        self._connection, version = await self._connected(endpoint)
        if port and not await asyncio.to_thread(_listens, self.child.pid, port):
            raise BrowserError(
                f"port {port} was taken by another program while {self._path} started",
                hint="try again, or give it its own --user-data-dir in args",
            )
        return self._connection, version

    async def close(self, kill: bool) -> None:
        """Disconnect; the application goes on, unless it is to be killed or is gone already."""
        assert self._connection is not None
        assert self.child is not None
        await self._connection.close()
        if kill:
            self.child.signal_group(signal.SIGTERM)
            await self.child.ended(_TERMINATES_WITHIN_S)
        if kill or self.child.exited.done():
            await self.end()
            return
        # Its log goes with the directory: nobody reads it any more.
        self._grounds.guard.leave(self._record.path)
        await asyncio.to_thread(shutil.rmtree, self._record.path, ignore_errors=True)

    async def end(self) -> None:
        """Kill what we started and remove its directory."""
        if self._connection is not None:
            await self._connection.close()
        if self.child is not None:
            self.child.signal_group(signal.SIGKILL)
            await self.child.ended(_DIES_WITHIN_S)
            self._grounds.children.discard(self.child)
        if await asyncio.to_thread(end_run, self._record.run(), looks=1):
            self._grounds.guard.leave(self._record.path)

    def _endpoint(self) -> tuple[int, Endpoint]:
        """Port 0 where the application tells the port it got, else a port that is free now."""
        if self._data_dir is not None:
            port_file = Path(self._data_dir) / "DevToolsActivePort"
            try:
                # A new one: the application would make it too, after we have begun to look there.
                port_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise BrowserError(
                    f"--user-data-dir: {self._data_dir}: {describe_error(error)}",
                    hint="name a folder that can be made",
                ) from None
            # Nothing runs on this directory, so the file can only be a leftover.
            port_file.unlink(missing_ok=True)
            return 0, Endpoint(file=port_file)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        return port, Endpoint(f"http://127.0.0.1:{port}")

    async def _connected(self, endpoint: Endpoint) -> tuple[Connection, Version]:
        """Race the application's readiness against its end."""
        assert self.child is not None
        exited = self.child.exited
        connecting = asyncio.ensure_future(connect(endpoint, READY_WITHIN_S))
        racing: list[asyncio.Future[Any]] = [connecting, exited]
        try:
            await asyncio.wait(racing, return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                return connecting.result()
        finally:
            if not connecting.done():
                connecting.cancel()
                await asyncio.wait([connecting])
        log = ""
        with contextlib.suppress(OSError):
            log = self._run.log.read_text(errors="replace")
        reason, hint = diagnose(log)
        how = exit_words(exited.result())
        raise BrowserError(
            f"{self._path} {how} before it could be reached" + (f": {reason}" if reason else ""),
            hint=hint or "if another instance of it runs, close that one first",
        )


def switch(args: Sequence[str], name: str) -> str | None:
    """The value of a switch on a command line; the last one counts, as in Chrome."""
    values = [arg.partition("=")[2] for arg in args if arg.startswith(f"--{name}=")]
    return values[-1] if values else None


def _alike(path: Path, data_dir: str | None) -> list[Running]:
    """The running instances a second start would meet: same program, same data."""
    wanted = os.path.realpath(path)
    found = []
    for process in psutil.process_iter():
        try:
            if os.path.realpath(process.exe() or "/") != wanted:
                continue
            running = _look_at(process)
        except (psutil.Error, OSError):
            continue  # it ended, or it is another user's and none of our business
        if running is not None and _same_place(running.user_data_dir, data_dir):
            found.append(running)
    # A script that starts the real program cannot be matched; the lock on its data can.
    owner = lock_owner(Path(data_dir)) if data_dir else None
    if owner is not None and all(running.pid != owner for running in found):
        with contextlib.suppress(psutil.Error):
            found += filter(None, [_look_at(psutil.Process(owner))])
    return found


def _look_at(process: psutil.Process) -> Running | None:
    """A main process; None for a helper, which carries a --type, and for a dead one."""
    command = process.cmdline()
    if len(command) == 1:  # a rewritten title, all arguments in one
        command = command[0].replace(" --", "\0--").split("\0")
    is_helper = any(arg.startswith("--type=") for arg in command)
    if is_helper or process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
        return None
    data_dir, port = switch(command, "user-data-dir"), switch(command, "remote-debugging-port")
    return Running(process.pid, data_dir, port)


def _ways_in(found: Running) -> list[Endpoint]:
    """Where it can be reached; only ports that it, and not some other process, listens on."""
    ways = []
    if found.port and found.port.isdigit() and _listens(found.pid, int(found.port)):
        ways.append(Endpoint(f"http://127.0.0.1:{found.port}"))
    if found.user_data_dir:
        port_file = Path(found.user_data_dir) / "DevToolsActivePort"
        with contextlib.suppress(OSError, ValueError, IndexError):
            port = int(port_file.read_text().splitlines()[0])
            if _listens(found.pid, port):
                ways.append(Endpoint(file=port_file))
    return ways


def _listens(pid: int, port: int) -> bool:
    """Whether the process or one of its children listens on a port; in doubt, yes."""
    try:
        process = psutil.Process(pid)
        for one in [process, *process.children(recursive=True)]:
            for socket_ in one.net_connections("tcp"):
                if socket_.status == psutil.CONN_LISTEN and socket_.laddr.port == port:
                    return True
    except psutil.AccessDenied:
        return True
    except psutil.NoSuchProcess:
        return False
    return False


def _same_place(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return os.path.realpath(one) == os.path.realpath(other)
