"""The worker process: runs one program of an agent, with one socket to the daemon.

Knows: how to run code, stop it and report its result. Must not know: browsers; the code reaches
them only by calls over the socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import fcntl
import functools
import inspect
import io
import linecache
import os
import shutil
import signal
import socket
import sys
import threading
import traceback
import types
from collections.abc import Callable, Coroutine, Generator
from pathlib import Path
from typing import Any

from pilothouse.code.client import ReplyRouter
from pilothouse.code.run_result import (
    JAVASCRIPT_HINT,
    CallFailed,
    describe_error,
    image_item,
    innermost_run_line,
    is_javascript,
    serialize_state,
    to_json,
)
from pilothouse.code.sandbox.code_compiler import ENTRY, FILE, MAYBE, Program, prepare
from pilothouse.code.sandbox.confinement import Limits, enter_sandbox, mount_scratch
from pilothouse.code.sandbox.deadline import RunDeadline, RunTimeout
from pilothouse.code.sandbox.run_globals import make_scope, show
from pilothouse.code.sandbox.wire import Channel

__all__ = ["TRACE_FD", "DaemonProxy", "work"]

# A run may send this many characters of text, and of base64 image data.
MAX_TEXT_CHARS = 1_000_000
MAX_IMAGE_CHARS = 24_000_000
PICTURE_SIZE = 205_000
# Limits for what code writes to the daemon's log with `console`.
LOG_LINES = 500
LOG_LENGTH = 2000

# Descriptors of the socket to the daemon, and of the pipe that faulthandler writes tracebacks to.
_CHANNEL_FD, TRACE_FD = 3, 4


class DaemonProxy:
    """Sends calls and output to the daemon. Several threads may use it."""

    def __init__(self, channel: Channel, deadline: RunDeadline) -> None:
        self._channel = channel
        self._deadline = deadline
        self._lock = threading.Lock()
        self._replies = ReplyRouter(channel.receive, self._handle_message)
        self._count = 0
        self._texts = MAX_TEXT_CHARS
        self._images = MAX_IMAGE_CHARS
        self._lines = LOG_LINES

    def call(self, method: str, /, **params: Any) -> Any:
        """Call a method of the daemon and wait for its reply. Raises CallFailed or RunTimeout."""
        with self._deadline:
            with self._lock:
                self._count += 1
                number = self._count
                try:
                    self._channel.send({"call": number, "method": method, "params": params})
                except (TypeError, ValueError, RecursionError) as error:
                    hint = "pass only strings, numbers, lists and mappings"
                    raise CallFailed(f"{method}: {error}", hint, "TypeError") from None
            reply = self._replies.wait(number)
            if "error" not in reply:
                return reply.get("value")
            fields = reply["error"]
            if fields.get("kind") == "RunTimeout":
                raise self._deadline.expire_from_daemon()
            raise CallFailed(fields["message"], fields.get("hint", ""), fields.get("kind", ""))

    def _handle_message(self, message: dict[str, Any]) -> None:
        if "reply" in message:
            self._replies.put(message["reply"], message)

    def send_output(self, message: dict[str, Any]) -> None:
        """Send output, up to the limits for text and images."""
        with self._deadline, self._lock:
            shown = message.get("display", {})
            if shown.get("type") == "image":
                # A picture that the daemon took is sent by its id, so estimate its size.
                size = len(shown["data"]) if "data" in shown else PICTURE_SIZE
                if size <= self._images:
                    self._images -= size
                    self._channel.send(message)
                    return
                message = {"out": f"(a picture of {size // 1_000_000} MB is left out)\n"}
            if self._texts <= 0:
                return
            self._texts -= 20 + len(message.get("out") or shown.get("text", ""))
            if self._texts <= 0:
                message = {"out": "\n(output cut: it is longer than 1 MB)\n"}
            self._channel.send(message)

    def log(self, level: str, text: str) -> None:
        """Write a line to the daemon's log, up to LOG_LINES lines per run."""
        with self._deadline, self._lock:
            if self._lines > 0:
                self._lines -= 1
                self._channel.send({"log": {"level": level, "text": text[:LOG_LENGTH]}})

    def send(self, message: dict[str, Any]) -> None:
        """Send a status message: the worker is ready, has started the code, or is done."""
        with self._deadline, self._lock:
            self._channel.send(message)


class _OutputStream(io.TextIOBase):
    """Sends what `print` writes to the daemon, in order with all other output."""

    def __init__(self, daemon: DaemonProxy) -> None:
        self._daemon = daemon

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text:
            self._daemon.send_output({"out": str(text)})
        return len(text)


def work(
    channel_fd: int, trace_fd: int, scratch: Path, limits: Limits, *, parent: int, is_offline: bool
) -> int:
    """Run one program from the daemon. Returns the exit code of the process."""
    mounted = mount_scratch(scratch, limits)
    channel = _set_up_process(channel_fd, trace_fd, scratch, mounted=mounted)
    active, missing = enter_sandbox(scratch, limits, is_offline=is_offline)
    if os.getppid() != parent:
        return 0  # the zygote died before PR_SET_PDEATHSIG was set
    deadline = RunDeadline()
    daemon = DaemonProxy(channel, deadline)
    # A timeout signal may come before the code starts: defer it until then.
    deadline.hold()
    signal.signal(signal.SIGUSR1, deadline.handle_signal)
    faulthandler.enable(TRACE_FD)
    faulthandler.register(signal.SIGUSR2, TRACE_FD, all_threads=False)
    daemon.send({"ready": True, "walls": active, "missing": missing})
    try:
        order = channel.receive()["run"]
    except EOFError:
        return 0
    daemon.send({"began": True})
    deadline.message = f"the run took longer than {order['seconds']:g} s"
    sys.stdout = sys.stderr = _OutputStream(daemon)
    done = _run(order, daemon, deadline)
    with contextlib.suppress(OSError):  # the code closed the socket, or the daemon died
        daemon.send({"done": done})
        channel.wait_for_the_end()
    return 0


def _set_up_process(channel_fd: int, trace_fd: int, scratch: Path, *, mounted: bool) -> Channel:
    """Close all other descriptors, clear the environment and connect to the daemon.

    A mounted scratch directory is visible only in this process, so send its descriptor to the
    daemon."""
    # A process group, so that the zygote can kill it as a whole. Not a session: Linux autogroups
    # divide CPU time by session, so each worker would get as much as the daemon's whole session.
    os.setpgid(0, 0)
    # Duplicate to higher numbers first: one descriptor may have the number that the other needs.
    channel, trace = (fcntl.fcntl(fd, fcntl.F_DUPFD, TRACE_FD + 1) for fd in (channel_fd, trace_fd))
    os.dup2(channel, _CHANNEL_FD)
    os.dup2(trace, TRACE_FD)
    quiet = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(quiet, standard)
    os.closerange(TRACE_FD + 1, 4096)
    os.chdir(scratch)
    zone = os.environ.get("TZ")
    os.environ.clear()
    os.environ.update({"HOME": str(scratch), "TMPDIR": str(scratch), "LANG": "C.UTF-8"})
    if zone:
        os.environ["TZ"] = zone
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The sandbox forbids setting modes and times, so shutil.copy must not fail because of them.
    shutil.copymode, shutil.copystat = (
        _ignore_permission_errors(shutil.copymode),
        _ignore_permission_errors(shutil.copystat),
    )
    line = socket.socket(fileno=_CHANNEL_FD)
    if mounted:
        folder = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
        socket.send_fds(line, [b"1"], [folder])
        os.close(folder)
    else:
        line.sendall(b"0")
    return Channel(line)


def _ignore_permission_errors(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> None:
        with contextlib.suppress(PermissionError):
            function(*args, **named)

    return call


class _Maybe:
    """Makes `await value` work for values that are not awaitable."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, Any]:
        if hasattr(self._value, "__await__"):
            return (yield from self._value.__await__())
        return self._value


def _run(order: dict[str, Any], daemon: DaemonProxy, deadline: RunDeadline) -> dict[str, Any]:
    source: str = order["code"]
    lines = source.splitlines(keepends=True)
    linecache.cache[FILE] = (len(source), None, lines, FILE)
    state: dict[str, Any] = order.get("state") or {}
    # A new `__main__` module: scripts, dataclasses and pickle look their names up there.
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    scope = vars(module)
    scope |= make_scope(daemon, order.get("tab", "main"), state, lambda: deadline.has_expired)
    scope[MAYBE] = _Maybe
    try:
        done = _execute(source, lines, scope, daemon, deadline)
        _store_state(done, scope.get("state"), state, daemon)
        deadline.stop()
    except RunTimeout as error:
        # The timeout came while the result was being described, and it comes only once. Report the
        # line where the code ended. Drop the code's own exception: its `__str__` may never return.
        ended, error.__context__ = error.__context__, None
        line = deadline.line or (
            innermost_run_line(ended.__traceback__) if ended is not None else 0
        )
        done = {"error": describe_error(error, lines, line), "state": serialize_state(state)[0]}
    return done


def _execute(
    source: str, lines: list[str], scope: dict[str, Any], daemon: DaemonProxy, deadline: RunDeadline
) -> dict[str, Any]:
    try:
        deadline.release()
        value = _evaluate(prepare(source), scope, deadline)
        image = image_item(value)
        if image is not None:
            show(daemon, value)
            value = {name: part for name, part in value.items() if name != "data"}
        return {"value": to_json(value), "has_value": value is not None and image is None}
    except SystemExit as error:
        if not error.code:
            return {"value": None, "has_value": False}
        return {"error": describe_error(error, lines)}
    except SyntaxError as error:
        return {"error": _describe_syntax_error(error, lines, source)}
    except MemoryError as error:
        # Free what filled the memory first: describing the error needs some.
        line = innermost_run_line(error.__traceback__)
        traceback.clear_frames(error.__traceback__)
        scope.clear()
        message = "the code used more memory than its limit"
        text = lines[line - 1].strip() if line else ""
        return {"error": {"kind": "MemoryError", "message": message, "line": line, "text": text}}
    except BaseException as error:  # noqa: BLE001 - whatever the agent's code raises is its result
        return {"error": describe_error(error, lines, deadline.line)}


def _evaluate(program: Program, scope: dict[str, Any], deadline: RunDeadline) -> Any:
    exec(program.code, scope)
    entry: Callable[[], Any] = scope[ENTRY]
    value = entry()
    if inspect.iscoroutine(value):
        # An async program, or a coroutine that its last expression did not await.
        deadline.coroutine = value
        return asyncio.run(_await_fully(value))
    return value


async def _await_fully(coroutine: Coroutine[Any, Any, Any]) -> Any:
    value = await coroutine
    return await _await_fully(value) if inspect.iscoroutine(value) else value


def _describe_syntax_error(error: SyntaxError, lines: list[str], source: str) -> dict[str, Any]:
    line = error.lineno or 0
    text = lines[line - 1].strip() if 0 < line <= len(lines) else (error.text or "").strip()
    fields = {"kind": type(error).__name__, "message": error.msg, "line": line, "text": text}
    if not is_javascript(source):
        return fields
    message = f"expected Python, but this looks like JavaScript ({error.msg})"
    return {**fields, "message": message, "hint": JAVASCRIPT_HINT}


def _store_state(
    done: dict[str, Any], found: Any, before: dict[str, Any], daemon: DaemonProxy
) -> None:
    """Add the state for the next run to `done`. The code may have rebound `state`."""
    done["state"], lost = serialize_state(found if isinstance(found, dict) else before)
    if lost:
        daemon.send_output({"out": f"({', '.join(lost)} cannot be kept: only what JSON has)\n"})
