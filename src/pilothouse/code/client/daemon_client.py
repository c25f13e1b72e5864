"""A client's line to the daemon: blocking, thin, and able to start the daemon it calls.

Knows: the socket, JSON-RPC lines, how a daemon is started. Must not know: what methods do. It
imports no asyncio: a warm call from the command line should cost little more than Python itself.
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
from pilothouse.code.client.reply_router import Replies
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import RuntimePaths, settings_environment

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

__all__ = ["Bell", "Line", "Refused"]

STARTS_WITHIN_S = 20.0
POLL_S = 0.02
# A daemon that comes up is waited for by who has nothing else to do: a look costs next to nothing.
COMES_POLL_S = 0.004
# As `-m pilothouse.daemon`, without what that imports.
_DAEMON = "import sys; from pilothouse.daemon.__main__ import main; sys.exit(main())"

_started: list[subprocess.Popen[bytes]] = []


class Refused(ToolError):
    """The daemon refused a call; `kind` says which error it was there."""

    def __init__(self, message: str, *, hint: str, kind: str) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        if hint:
            # Tracebacks print notes; without one, the hint of an uncaught error is lost.
            self.add_note(f"hint: {hint}")


class Bell:
    """Rung by who will want a browser: a daemon that is just starting has one start beside it."""

    def __init__(self, *, rung: bool = False) -> None:
        self.inside, self._outside = os.pipe()
        if rung:
            self.ring()

    def ring(self) -> None:
        """Once is enough. A daemon that is there already does not hear it, and need not."""
        with contextlib.suppress(OSError):
            os.write(self._outside, b"!")

    def __enter__(self) -> Bell:
        return self

    def __exit__(self, *exc: object) -> None:
        """Nobody rings any more."""
        os.close(self.inside)
        os.close(self._outside)


class Line:
    """One connection to the daemon. Calls from several threads share it."""

    def __init__(
        self,
        owner: str = "",
        *,
        paths: RuntimePaths | None = None,
        start: bool = True,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        bell: Bell | None = None,
    ) -> None:
        self._paths = paths or RuntimePaths()
        self._bell = bell
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._replies = Replies(self._read, self._take)
        self._count = 0
        # What replies said besides their results; each notice once.
        self.notices: list[str] = []
        self._dial(start)
        try:
            self.hello: dict[str, Any] = self._greet(owner)
        except Refused:
            self.close()
            raise
        except PilothouseError:
            # It went while we came in, as a daemon does that closes; hello may be said again.
            self.close()
            self._dial(start)
            self.hello = self._greet(owner)

    def _greet(self, owner: str) -> dict[str, Any]:
        """Say who we are, and what our environment asks for: a daemon that runs already was started
        with another one, and says what it does not heed."""
        told: dict[str, Any] = self.call(
            "hello", owner=owner, version=__version__, environ=settings_environment()
        )
        return told

    def _dial(self, start: bool) -> None:
        self._sock = _connect(self._paths, self._bell, start=start)
        self._file = self._sock.makefile("rb")

    @property
    def owner(self) -> str:
        """As whom the daemon knows us."""
        return str(self.hello["owner"])

    def call(self, method: str, /, **params: Any) -> Any:
        """Call a method of the daemon. Raises Refused, or PilothouseError if the daemon is gone."""
        with self._lock:
            self._count += 1
            number = self._count
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            line = _encoded(request)
            try:
                self._sock.sendall(line)
            except OSError:
                raise _gone() from None
        reply = self._replies.wait(number)
        if "error" in reply:
            error = reply["error"]
            data = error.get("data") or {}
            raise Refused(error["message"], hint=data.get("hint", ""), kind=data.get("kind", ""))
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
            raise _gone()
        message: dict[str, Any] = json.loads(line)
        return message

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("method") == "progress":
            if self._on_progress is not None:
                self._on_progress(message["params"])
        elif isinstance(message.get("id"), int):
            self._replies.put(message["id"], message)

    def wait_until_gone(self) -> None:
        """Keep the line open until the daemon hangs up. No calls may be under way."""
        with contextlib.suppress(PilothouseError):
            while True:
                self._read()

    def hand_over(self) -> socket.socket:
        """The connection itself, for one that speaks another protocol from now on. No calls may
        be under way; whoever takes it closes it."""
        self._file.close()
        return self._sock

    def close(self) -> None:
        """Hang up. What is open stays open."""
        with contextlib.suppress(OSError):
            # Wakes whoever reads; only then can the file be closed.
            self._sock.shutdown(socket.SHUT_RDWR)
        self._file.close()
        self._sock.close()


def _encoded(request: dict[str, Any]) -> bytes:
    """A request as a line of JSON. Raises Refused for values that JSON does not have."""
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
    """A date, a time or a path as text: what fields and options take."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _gone() -> PilothouseError:
    return PilothouseError(
        "the daemon is gone in the middle of a call", hint="call again: a new one starts by itself"
    )


def _connect(paths: RuntimePaths, bell: Bell | None, *, start: bool) -> socket.socket:
    sock = _try(paths)
    if sock is not None:
        return sock
    if not start:
        raise PilothouseError("no daemon is running", hint="pilothouse daemon start")
    paths.prepare()
    import fcntl

    # Only one of all who find nobody at home starts a daemon; the others wait for it.
    with open(paths.root / "start.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        give_up = time.monotonic() + STARTS_WITHIN_S
        return _wait_for_the_last(paths, give_up) or _start(paths, give_up, bell)


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
            f"{paths.socket}: {error.strerror or error}", hint="check who owns the directory"
        ) from None
    return sock


def _wait_for_the_last(paths: RuntimePaths, give_up: float) -> socket.socket | None:
    """A daemon that closes has no socket any more but still its lock: its successor waits for it.
    None when there is no daemon."""
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


def _start(paths: RuntimePaths, give_up: float, bell: Bell | None) -> socket.socket:
    import subprocess  # a warm call needs none

    for earlier in _started:
        earlier.poll()  # one that has ended is only reaped by who started it
    environ = {**os.environ, **settings_environment(), "PILOTHOUSE_RUNTIME_DIR": str(paths.root)}
    with paths.log.open("ab") as log:
        process = subprocess.Popen(
            # -P: what lies in the directory it starts in is not for importing.
            [sys.executable, "-P", "-c", _DAEMON],
            stdin=bell.inside if bell else subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
            env=environ,
        )
    # It outlives us; until then it is our child.
    _started.append(process)
    while time.monotonic() < give_up:
        sock = _try(paths)
        if sock is not None:
            return sock
        if process.poll() is not None:
            break
        time.sleep(COMES_POLL_S)
    tail = paths.log.read_text("utf-8", "replace").splitlines()[-1:] or ["no word"]
    raise PilothouseError(f"the daemon did not start: {tail[0][:300]}", hint=f"see {paths.log}")
