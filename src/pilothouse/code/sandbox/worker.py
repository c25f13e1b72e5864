"""The process that runs agent-written code: it has the code, one socket to the daemon, and nothing
else.

Knows: how code is run, stopped and reported. Must not know: browsers; everything the code does to
one is a call over the socket.
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
import resource
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
    JAVASCRIPT,
    CallFailed,
    described,
    image_of,
    is_javascript,
    kept,
    plain,
    where,
)
from pilothouse.code.sandbox.deadline import RunDeadline, RunTimeout
from pilothouse.code.sandbox.namespace import make_scope, show
from pilothouse.code.sandbox.program import ENTRY, FILE, MAYBE, Program, prepare
from pilothouse.code.sandbox.sandbox import Limits, enter_sandbox, mount_scratch
from pilothouse.code.sandbox.wire import Channel

__all__ = ["TRACE_FD", "DaemonProxy", "work"]

# What of a run's output is kept: texts, and pictures.
TEXT_KEPT = 1_000_000
IMAGES_KEPT = 24_000_000
PICTURE_SIZE = 205_000
# What code writes with `console` goes to the daemon's log.
LOG_LINES = 500
LOG_LENGTH = 2000

# Where the two lines to the daemon end up: its calls, and where the code is when it is stopped.
_CHANNEL_FD, TRACE_FD = 3, 4


class DaemonProxy:
    """The other side, as code in here sees it. Calls may be made from several threads."""

    def __init__(self, channel: Channel, clock: RunDeadline) -> None:
        self._channel = channel
        self._clock = clock
        self._lock = threading.Lock()
        self._replies = ReplyRouter(channel.receive, self._take)
        self._count = 0
        self._texts = TEXT_KEPT
        self._images = IMAGES_KEPT
        self._lines = LOG_LINES

    def call(self, method: str, /, **params: Any) -> Any:
        """Ask the daemon for something and wait. Raises CallFailed, or RunTimeout."""
        with self._clock:
            with self._lock:
                self._count += 1
                number = self._count
                try:
                    self._channel.send({"call": number, "method": method, "params": params})
                except (TypeError, ValueError, RecursionError) as error:
                    hint = "texts, numbers, lists and mappings can go"
                    raise CallFailed(f"{method}: {error}", hint, "TypeError") from None
            reply = self._replies.wait(number)
            if "error" not in reply:
                return reply.get("value")
            told = reply["error"]
            if told.get("kind") == "RunTimeout":
                raise self._clock.heard()
            raise CallFailed(told["message"], told.get("hint", ""), told.get("kind", ""))

    def _take(self, message: dict[str, Any]) -> None:
        if "reply" in message:
            self._replies.put(message["reply"], message)

    def say(self, message: dict[str, Any]) -> None:
        """Send output, as long as there is room for it."""
        with self._clock, self._lock:
            shown = message.get("display", {})
            if shown.get("type") == "image":
                # One that the daemon has taken is only named.
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
        """Write a line to the daemon's log, as long as there is room for it."""
        with self._clock, self._lock:
            if self._lines > 0:
                self._lines -= 1
                self._channel.send({"log": {"level": level, "text": text[:LOG_LENGTH]}})

    def tell(self, message: dict[str, Any]) -> None:
        """Send what is no output: that the worker is ready, has begun, is done."""
        with self._clock, self._lock:
            self._channel.send(message)


class _Printed(io.TextIOBase):
    """`print` goes to the daemon, in order with everything else that is shown."""

    def __init__(self, daemon: DaemonProxy) -> None:
        self._daemon = daemon

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if text:
            self._daemon.say({"out": str(text)})
        return len(text)


def work(
    channel_fd: int, trace_fd: int, scratch: Path, limits: Limits, *, parent: int, is_offline: bool
) -> int:
    """Run what the daemon sends, once; the exit code of the process."""
    mounted = mount_scratch(scratch, limits)
    channel = _settle_in(channel_fd, trace_fd, scratch, mounted=mounted)
    stand, missing = enter_sandbox(scratch, limits, is_offline=is_offline)
    if os.getppid() != parent:
        return 0  # it died before we were bound to die with it
    clock = RunDeadline()
    daemon = DaemonProxy(channel, clock)
    # A signal that comes before the code does is kept for it.
    clock.hold()
    signal.signal(signal.SIGUSR1, clock.ring)
    faulthandler.enable(TRACE_FD)
    faulthandler.register(signal.SIGUSR2, TRACE_FD, all_threads=False)
    daemon.tell({"ready": True, "walls": stand, "missing": missing})
    try:
        order = channel.receive()["run"]
    except EOFError:
        return 0
    daemon.tell({"began": True})
    clock.message = f"the run took longer than {order['seconds']:g} s"
    sys.stdout = sys.stderr = _Printed(daemon)
    done = _run(order, daemon, clock)
    done["rss_kb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with contextlib.suppress(OSError):  # the code closed the line, or the daemon is gone
        daemon.tell({"done": done})
        channel.wait_for_the_end()
    return 0


def _settle_in(channel_fd: int, trace_fd: int, scratch: Path, *, mounted: bool) -> Channel:
    """Only our two lines stay open; what the daemon's environment held is gone. The daemon is given
    the scratch directory if it could not see it otherwise."""
    # A group of its own, to be ended as a whole. Not a session: Linux shares out processor time by
    # session, and each worker would get as much of it as the daemon and all else in it together.
    os.setpgid(0, 0)
    # Out of the way first: either may have the number the other is to get.
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
    # Copies keep no modes and times: nobody in here may set them.
    shutil.copymode, shutil.copystat = _tried(shutil.copymode), _tried(shutil.copystat)
    line = socket.socket(fileno=_CHANNEL_FD)
    if mounted:
        folder = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY)
        socket.send_fds(line, [b"1"], [folder])
        os.close(folder)
    else:
        line.sendall(b"0")
    return Channel(line)


def _tried(function: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(function)
    def tried(*args: Any, **named: Any) -> None:
        with contextlib.suppress(PermissionError):
            function(*args, **named)

    return tried


class _Maybe:
    """`await` for plain values: they are there already."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Generator[Any, None, Any]:
        if hasattr(self._value, "__await__"):
            return (yield from self._value.__await__())
        return self._value


def _run(order: dict[str, Any], daemon: DaemonProxy, clock: RunDeadline) -> dict[str, Any]:
    source: str = order["code"]
    lines = source.splitlines(keepends=True)
    linecache.cache[FILE] = (len(source), None, lines, FILE)
    state: dict[str, Any] = order.get("state") or {}
    # A module of its own, and the main one: so scripts, dataclasses and pickle expect it.
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    scope = vars(module)
    scope |= make_scope(daemon, order.get("tab", "main"), state, lambda: clock.rang)
    scope[MAYBE] = _Maybe
    try:
        done = _outcome(source, lines, scope, daemon, clock)
        _keep(done, scope.get("state"), state, daemon)
        clock.stop()
    except RunTimeout as error:
        # The code was through and its end being told; it cannot ring twice. Where it ended is all
        # there is to tell of a place, and what it ended with must not be asked for its text again.
        ended, error.__context__ = error.__context__, None
        line = clock.line or (where(ended.__traceback__) if ended is not None else 0)
        done = {"error": described(error, lines, line), "state": kept(state)[0]}
    return done


def _outcome(
    source: str, lines: list[str], scope: dict[str, Any], daemon: DaemonProxy, clock: RunDeadline
) -> dict[str, Any]:
    try:
        clock.release()
        value = _value(prepare(source), scope, clock)
        image = image_of(value)
        if image is not None:
            show(daemon, value)
            value = {name: part for name, part in value.items() if name != "data"}
        return {"value": plain(value), "has_value": value is not None and image is None}
    except SystemExit as error:
        if not error.code:
            return {"value": None, "has_value": False}
        return {"error": described(error, lines)}
    except SyntaxError as error:
        return {"error": _mistake(error, lines, source)}
    except MemoryError as error:
        # Nothing can be told while what filled the memory is still there.
        line = where(error.__traceback__)
        traceback.clear_frames(error.__traceback__)
        scope.clear()
        message = "the code took more memory than it may"
        text = lines[line - 1].strip() if line else ""
        return {"error": {"kind": "MemoryError", "message": message, "line": line, "text": text}}
    except BaseException as error:  # noqa: BLE001 - whatever the agent's code raises is its result
        return {"error": described(error, lines, clock.line)}


def _value(program: Program, scope: dict[str, Any], clock: RunDeadline) -> Any:
    exec(program.code, scope)
    entry: Callable[[], Any] = scope[ENTRY]
    value = entry()
    if inspect.iscoroutine(value):
        # The program itself, or what it forgot to await at its end.
        clock.coroutine = value
        return asyncio.run(_to_the_end(value))
    return value


async def _to_the_end(coroutine: Coroutine[Any, Any, Any]) -> Any:
    value = await coroutine
    return await _to_the_end(value) if inspect.iscoroutine(value) else value


def _mistake(error: SyntaxError, lines: list[str], source: str) -> dict[str, Any]:
    line = error.lineno or 0
    text = lines[line - 1].strip() if 0 < line <= len(lines) else (error.text or "").strip()
    told = {"kind": type(error).__name__, "message": error.msg, "line": line, "text": text}
    if not is_javascript(source):
        return told
    message = f"Python is expected, and this looks like JavaScript ({error.msg})"
    return {**told, "message": message, "hint": JAVASCRIPT}


def _keep(done: dict[str, Any], found: Any, before: dict[str, Any], daemon: DaemonProxy) -> None:
    """The code may have put another mapping in the place of `state`."""
    done["state"], lost = kept(found if isinstance(found, dict) else before)
    if lost:
        daemon.say({"out": f"({', '.join(lost)} cannot be kept: only what JSON has)\n"})
