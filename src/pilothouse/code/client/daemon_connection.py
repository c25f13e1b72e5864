"""The client's connection to the daemon: blocking, small, and able to start the daemon.

Knows: the socket, JSON-RPC lines, how a daemon is started. Must not know: what methods do. It does
not import asyncio: a command line call should cost little more than Python itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable

from pilothouse import __version__
from pilothouse.code.client.reply_router import ReplyRouter
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import RuntimePaths, settings_environment

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

__all__ = ["BrowserSignal", "DaemonClient", "Refused"]

STARTS_WITHIN_S = 20.0
POLL_S = 0.02
# While a daemon starts, its client has nothing else to do, and a check is cheap.
START_POLL_S = 0.004
# As `-m pilothouse.daemon`, without what that imports.
_DAEMON = "import sys; from pilothouse.daemon.__main__ import main; sys.exit(main())"

_started: list[subprocess.Popen[bytes]] = []


class Refused(ToolError):
    """The daemon refused a call; `kind` is the class of its error."""

    def __init__(self, message: str, *, hint: str, kind: str) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        if hint:
            # Tracebacks print notes; without one, the hint of an uncaught error is lost.
            self.add_note(f"hint: {hint}")


class BrowserSignal:
    """Tells a daemon that is starting to launch a browser at the same time."""

    def __init__(self, *, rung: bool = False) -> None:
        self.inside, self._outside = os.pipe()
        if rung:
            self.ring()

    def ring(self) -> None:
        """Ask for a browser. A daemon that is already running ignores it."""
        with contextlib.suppress(OSError):
            os.write(self._outside, b"!")

    def __enter__(self) -> BrowserSignal:
        return self

    def __exit__(self, *exc: object) -> None:
        """Close the pipe."""
        os.close(self.inside)
        os.close(self._outside)


class DaemonClient:
    """One connection to the daemon. Calls from several threads share it."""

    def __init__(
        self,
        owner: str = "",
        *,
        paths: RuntimePaths | None = None,
        start: bool = True,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        bell: BrowserSignal | None = None,
        surface: str = "",
    ) -> None:
        self._paths = paths or RuntimePaths()
        self._bell = bell
        # Whose words the hints of errors are in: `cli` or `python`.
        self._surface = surface
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._replies = ReplyRouter(self._read, self._take)
        self._count = 0
        # Notices from replies, each once.
        self.notices: list[str] = []
        self._dial(start)
        try:
            self.hello: dict[str, Any] = self._send_hello(owner)
        except Refused:
            self.close()
            raise
        except PilothouseError:
            # The daemon closed while we connected. `hello` may be repeated.
            self.close()
            self._dial(start)
            try:
                self.hello = self._send_hello(owner)
            except PilothouseError:
                self.close()
                raise

    def _send_hello(self, owner: str) -> dict[str, Any]:
        """Send our owner and the variables that change settings.

        A daemon that is already running has another environment; it replies which ones it ignores.
        """
        told: dict[str, Any] = self.call(
            "hello", owner=owner, version=__version__, environ=settings_environment()
        )
        return told

    def _dial(self, start: bool) -> None:
        self._sock = _connect(self._paths, self._bell, start=start)
        self._file = self._sock.makefile("rb")

    @property
    def owner(self) -> str:
        """The owner that the daemon knows us as."""
        return str(self.hello["owner"])

    def call(self, method: str, /, **params: Any) -> Any:
        """Call a method of the daemon. Raises Refused, or PilothouseError if the daemon is gone."""
        with self._lock:
            self._count += 1
            number = self._count
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            line = _encode(request)
            try:
                self._sock.sendall(line)
            except OSError:
                raise _stopped_error() from None
        reply = self._replies.wait(number)
        if "error" in reply:
            error = reply["error"]
            data = error.get("data") or {}
            hint = data.get("hints", {}).get(self._surface) or data.get("hint", "")
            raise Refused(error["message"], hint=hint, kind=data.get("kind", ""))
        for notice in reply.get("notices", ()):
            if notice not in self.notices:
                self.notices.append(notice)
        return reply.get("result")

    def _read(self) -> dict[str, Any]:
        try:
            line = self._file.readline()
        except (OSError, ValueError):
            line = b""  # gone, or closed by us
        if not line:
            raise _stopped_error()
        message: dict[str, Any] = json.loads(line)
        return message

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "progress":
            if self._on_progress is not None:
                self._on_progress(message["params"])
        elif isinstance(message.get("id"), int):
            self._replies.put(message["id"], message)

    def wait_until_gone(self) -> None:
        """Wait until the daemon closes the connection. No calls may be in progress."""
        with contextlib.suppress(PilothouseError):
            while True:
                self._read()

    def hand_over(self) -> socket.socket:
        """Return the socket for another protocol; the caller closes it.

        No calls may be in progress.
        """
        self._file.close()
        return self._sock

    def close(self) -> None:
        """Close the connection. Tabs stay open."""
        with contextlib.suppress(OSError):
            # Wakes the reading thread; only then can the file be closed.
            self._sock.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self._sock.close()


def _encode(request: dict[str, Any]) -> bytes:
    """Encode a request as a JSON line. Raises Refused for values that are not JSON."""
    try:
        return json.dumps(request, default=_as_text).encode() + b"\n"
    except (TypeError, ValueError, RecursionError):
        for name, value in request["params"].items():
            try:
                json.dumps(value, default=_as_text)
            except (TypeError, ValueError, RecursionError) as error:
                method = request["method"].removeprefix("tab.")
                raise Refused(
                    f"{method}: {name}: cannot be sent: {error}",
                    hint="give text, numbers, true or false, lists or mappings with text keys",
                    kind="UsageError",
                ) from None
        raise


def _as_text(value: Any) -> str:
    """Convert a date, a time or a path to text."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _stopped_error() -> PilothouseError:
    return PilothouseError(
        "the daemon stopped during the call", hint="call again: a new daemon starts automatically"
    )


def _connect(paths: RuntimePaths, bell: BrowserSignal | None, *, start: bool) -> socket.socket:
    sock = _try(paths)
    if sock is not None:
        return sock
    if not start:
        raise PilothouseError("no daemon is running", hint="run `pilothouse daemon start`")
    paths.prepare()
    import fcntl

    # If several clients find no daemon, one starts it and the others wait.
    with open(paths.root / "start.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        give_up = time.monotonic() + STARTS_WITHIN_S
        return _wait_for_closing_daemon(paths, give_up) or _start(paths, give_up, bell)


def _try(paths: RuntimePaths) -> socket.socket | None:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(paths.socket_path)
    except (FileNotFoundError, ConnectionRefusedError):
        sock.close()
        return None
    except OSError as error:
        sock.close()
        raise PilothouseError(
            f"could not connect to the daemon at {paths.socket}: {error.strerror or error}",
            hint="check who owns the directory, and whether PILOTHOUSE_RUNTIME_DIR is right",
        ) from None
    return sock


def _wait_for_closing_daemon(paths: RuntimePaths, give_up: float) -> socket.socket | None:
    """Wait for a daemon that is closing: it has removed its socket but still holds its lock.

    Returns None when there is no daemon.
    """
    import fcntl

    while True:
        sock = _try(paths)
        if sock is not None:
            return sock
        with paths.lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return None
            except BlockingIOError:
                if time.monotonic() >= give_up:
                    raise PilothouseError(
                        "a daemon is running but does not answer", hint=f"see {paths.log}"
                    ) from None
        time.sleep(POLL_S)


def _start(paths: RuntimePaths, give_up: float, bell: BrowserSignal | None) -> socket.socket:
    import subprocess  # late: not needed if a daemon is running

    for earlier in _started:
        earlier.poll()  # reap daemons that have ended
    before = paths.log.stat().st_size if paths.log.exists() else 0
    environ = {**os.environ, **settings_environment(), "PILOTHOUSE_RUNTIME_DIR": str(paths.root)}
    with paths.log.open("ab") as log:
        process = subprocess.Popen(
            # -P: do not import modules from the working directory.
            [sys.executable, "-P", "-c", _DAEMON],
            stdin=bell.inside if bell else subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env=environ,
        )
    # It outlives us, but as long as we live it is our child and must be reaped.
    _started.append(process)
    while time.monotonic() < give_up:
        sock = _try(paths)
        if sock is not None:
            return sock
        if process.poll() is not None:
            break
        time.sleep(START_POLL_S)
    if process.poll() is None:
        raise PilothouseError(
            f"the daemon did not answer within {STARTS_WITHIN_S:g} s of its start",
            hint=f"call again: the machine is busy; or see {paths.log}",
        )
    # What earlier daemons wrote says nothing about this one.
    own = paths.log.read_bytes()[before:].decode("utf-8", "replace")
    tail = own.splitlines()[-1:] or ["no output"]
    raise PilothouseError(f"the daemon did not start: {tail[0][:300]}", hint=f"see {paths.log}")
