"""Opens an application built on Chromium: the running one, or a new one.

Knows: how to tell that an application is running, and whether it accepts CDP. It never kills a
process that it did not start: it raises an error that says what to close.
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

from pilothouse.browsers.endpoint import Endpoint
from pilothouse.browsers.kinds import AppKind
from pilothouse.browsers.launcher import (
    RUN_VARIABLE,
    ChildProcess,
    check_args,
    check_executable,
    describe_exit,
    diagnose,
    end_run,
    lock_owner,
    spawn,
)
from pilothouse.browsers.opener_interface import BrowserVersion, OpenedBrowser, OpenerContext
from pilothouse.browsers.running_browser_opener import connect
from pilothouse.cdp import Connection
from pilothouse.errors import BrowserError, describe_error

__all__ = ["RunningApp", "open_chromium_app", "switch_value"]

READY_WITHIN_S = 30.0
_REUSE_WITHIN_S = 2.0
_TERMINATES_WITHIN_S = 1.0
_DIES_WITHIN_S = 0.5


class RunningApp(msgspec.Struct, frozen=True):
    """The main process of an application, with the switches that matter here."""

    pid: int
    user_data_dir: str | None
    port: str | None


async def open_chromium_app(kind: AppKind, context: OpenerContext) -> OpenedBrowser:
    """Use the running application, or start it. Raises BrowserError."""
    path = check_executable(kind.path, "application")
    notes = check_args(kind.args, app=True)
    data_dir = switch_value(kind.args, "user-data-dir")
    if data_dir is not None and not os.path.isabs(data_dir):
        raise BrowserError(
            f"--user-data-dir: {data_dir!r} is not an absolute path",
            hint="give the full path of the folder",
        )
    instances = await asyncio.to_thread(_find_instances, path, data_dir)
    for found in instances:
        reused = await _reuse(kind, found, context)
        if reused is not None:
            return reused
    if instances:
        raise BrowserError(
            f"{path} is already running (pid {instances[0].pid}) without remote debugging, and a"
            " second start would only reach that instance",
            hint=f"close the application with pid {instances[0].pid}, or give it its own"
            " --user-data-dir in args",
        )
    start = _StartedApp(kind, context, path, data_dir)
    try:
        connection, version = await start.run()
    except BaseException:
        await start.end()
        raise
    assert start.child is not None
    return OpenedBrowser(
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


async def _reuse(kind: AppKind, found: RunningApp, context: OpenerContext) -> OpenedBrowser | None:
    child = _child_of(found, context)
    for endpoint in _list_endpoints(found):
        try:
            connection, version = await connect(endpoint, _REUSE_WITHIN_S)
        except BrowserError:
            continue  # try the next endpoint; if none is left, the caller raises an error

        async def close(kill: bool, connection: Connection = connection) -> None:
            await connection.close()
            if kill and child is not None:
                await _end_child(child, context)

        note = f"reused the running application (pid {found.pid})"
        return OpenedBrowser(
            kind,
            connection,
            version,
            close,
            pid=found.pid,
            owned=child is not None,
            notes=(note,),
            target=kind.target,
            exited=child.exited if child else None,
            why_not_killed=""
            if child
            else f"it was already running (pid {found.pid}); close it by hand",
        )
    return None


def _child_of(found: RunningApp, context: OpenerContext) -> ChildProcess | None:
    """Return the process that we started whose group it belongs to; None if it is not ours."""
    try:
        group = os.getpgid(found.pid)
    except OSError:
        return None  # it has ended
    ours = (child for child in context.children if not child.exited.done())
    return next((child for child in ours if child.pid == group), None)


async def _end_child(child: ChildProcess, context: OpenerContext) -> None:
    """End an application that we started earlier and left running."""
    child.signal_group(signal.SIGTERM)
    if not await child.wait_ended(_TERMINATES_WITHIN_S):
        child.signal_group(signal.SIGKILL)
        await child.wait_ended(_DIES_WITHIN_S)
    context.children.discard(child)


class _StartedApp:
    """One application that we started, until it is released or ended."""

    def __init__(
        self, kind: AppKind, context: OpenerContext, path: Path, data_dir: str | None
    ) -> None:
        self._kind = kind
        self._context = context
        self._path = path
        self._data_dir = data_dir
        self._run = context.runs.reserve()
        self._record = context.runs.record(self._run, kind.describe(), Path(data_dir or ""))
        if data_dir is None:
            self._record = replace(self._record, profile="")
        self._connection: Connection | None = None
        self.child: ChildProcess | None = None

    async def run(self) -> tuple[Connection, BrowserVersion]:
        port, endpoint = await asyncio.to_thread(self._endpoint)
        self._context.guardian.guard(self._record.run())
        self._context.runs.create(self._run, self._record)
        argv = [str(self._path), f"--remote-debugging-port={port}", *self._kind.args]
        environ = {**self._context.environ, RUN_VARIABLE: str(self._run.path)}
        self.child = spawn(argv, environ, log=self._run.log)
        self._context.children.add(self.child)
        self._record = replace(
            self._record, browser=self.child.pid, browser_started=self.child.started
        )
        self._context.guardian.guard(self._record.run())
        self._context.runs.update(self._run, self._record)
        self._connection, version = await self._connect_or_explain(endpoint)
        if port and not await asyncio.to_thread(_listens, self.child.pid, port):
            raise BrowserError(
                f"port {port} was taken by another program while {self._path} started",
                hint="try again; with --user-data-dir=FOLDER in args it picks a free port itself",
            )
        return self._connection, version

    async def close(self, kill: bool) -> None:
        """Disconnect. The application keeps running, unless `kill` is set or it has exited."""
        assert self._connection is not None
        assert self.child is not None
        await self._connection.close()
        if kill:
            self.child.signal_group(signal.SIGTERM)
            await self.child.wait_ended(_TERMINATES_WITHIN_S)
        if kill or self.child.exited.done():
            await self.end()
            return
        # The log is removed with the directory: nothing reads it any more.
        self._context.guardian.unguard(self._record.path)
        await asyncio.to_thread(shutil.rmtree, self._record.path, ignore_errors=True)

    async def end(self) -> None:
        """Kill the application and remove its run directory."""
        if self._connection is not None:
            await self._connection.close()
        if self.child is not None:
            self.child.signal_group(signal.SIGKILL)
            await self.child.wait_ended(_DIES_WITHIN_S)
            self._context.children.discard(self.child)
        if await asyncio.to_thread(end_run, self._record.run(), scans=1):
            self._context.guardian.unguard(self._record.path)

    def _endpoint(self) -> tuple[int, Endpoint]:
        """Choose port 0 if a DevToolsActivePort file will tell the real one, else a free port."""
        if self._data_dir is not None:
            port_file = Path(self._data_dir) / "DevToolsActivePort"
            try:
                # The application would create it, too, but after we have started to look there.
                port_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise BrowserError(
                    f"--user-data-dir: {self._data_dir}: {describe_error(error)}",
                    hint="name a folder that can be created",
                ) from None
            # No instance uses this directory, so the file is a leftover.
            port_file.unlink(missing_ok=True)
            return 0, Endpoint(file=port_file)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        return port, Endpoint(f"http://127.0.0.1:{port}")

    async def _connect_or_explain(self, endpoint: Endpoint) -> tuple[Connection, BrowserVersion]:
        """Connect, unless the application exits first."""
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
        how = describe_exit(exited.result())
        raise BrowserError(
            f"{self._path} {how} before it could be reached" + (f": {reason}" if reason else ""),
            hint=hint or "if another instance is running, close it first",
            untrusted=("message",),
        )


def switch_value(args: Sequence[str], name: str) -> str | None:
    """Return the value of a switch on a command line; the last one wins, as in Chrome."""
    values = [arg.partition("=")[2] for arg in args if arg.startswith(f"--{name}=")]
    return values[-1] if values else None


def _find_instances(path: Path, data_dir: str | None) -> list[RunningApp]:
    """Find running instances with the same program and data, which a second start would meet."""
    wanted = os.path.realpath(path)
    found = []
    for process in psutil.process_iter():
        try:
            if os.path.realpath(process.exe() or "/") != wanted:
                continue
            running = _describe_process(process)
        except (psutil.Error, OSError):
            continue  # it ended, or it belongs to another user
        if running is not None and _is_same_path(running.user_data_dir, data_dir):
            found.append(running)
    # If the path is a script that starts the real program, only the lock on its data matches.
    owner = lock_owner(Path(data_dir)) if data_dir else None
    if owner is not None and all(running.pid != owner for running in found):
        with contextlib.suppress(psutil.Error):
            found += filter(None, [_describe_process(psutil.Process(owner))])
    return found


def _describe_process(process: psutil.Process) -> RunningApp | None:
    """Describe a main process; None for a helper, which has a --type, and for a zombie."""
    command = process.cmdline()
    if len(command) == 1:  # a rewritten title, all arguments in one
        command = command[0].replace(" --", "\0--").split("\0")
    is_helper = any(arg.startswith("--type=") for arg in command)
    if is_helper or process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
        return None
    data_dir, port = (
        switch_value(command, "user-data-dir"),
        switch_value(command, "remote-debugging-port"),
    )
    return RunningApp(process.pid, data_dir, port)


def _list_endpoints(found: RunningApp) -> list[Endpoint]:
    """List its endpoints; only ports that it listens on itself, not some other process."""
    endpoints = []
    if found.port and found.port.isdigit() and _listens(found.pid, int(found.port)):
        endpoints.append(Endpoint(f"http://127.0.0.1:{found.port}"))
    if found.user_data_dir:
        port_file = Path(found.user_data_dir) / "DevToolsActivePort"
        with contextlib.suppress(OSError, ValueError, IndexError):
            port = int(port_file.read_text().splitlines()[0])
            if _listens(found.pid, port):
                endpoints.append(Endpoint(file=port_file))
    return endpoints


def _listens(pid: int, port: int) -> bool:
    """Tell whether the process or a child of it listens on a port; assume so if unknown."""
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


def _is_same_path(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return os.path.realpath(one) == os.path.realpath(other)
