"""`pilothouse mcp`: a pipe between an MCP client on stdio and the daemon, which implements MCP; and
`pilothouse serve`, which keeps the daemon's HTTP server running.

Knows: lines of JSON-RPC, which requests are unanswered, and the reply to `initialize`, which it
sends itself while the daemon is still starting. It then begins the connection to the daemon with
what it has answered, and the daemon goes on from there. Must not know: more of MCP. It uses neither
the SDK nor asyncio, so that it starts fast. Only the daemon's lines and that reply go to stdout. If
the daemon ends, pending requests get an error; the next line starts another daemon, which goes on
from the handshake. If reading the client fails unexpectedly, pending requests get an internal error
and the process ends with exit code 1.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import threading

from pilothouse.cli.command_invocation import (
    DONE,
    FAILED,
    CommandResult,
    Invocation,
    format_error,
    working_directory,
)
from pilothouse.daemon.mcp import RESUME, initialize_problem, initialize_result
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm start should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pilothouse.code.client import BrowserSignal, DaemonClient

__all__ = ["McpPipe", "mcp", "serve"]

CHUNK = 1 << 16
# Matches the beginning of a reply. The daemon writes the id first; the rest may be long.
_REPLY = re.compile(rb'\{"jsonrpc": ?"2\.0", ?"id": ?(\d+|"(?:[^"\\]|\\.)*"), ?"(?:result|error)"')
_DAEMON_ENDED = "the daemon ended during this call; the next call starts another one"
_DAEMON_RESTARTED = "the daemon had ended and was restarted: earlier tabs are gone"
# JSON-RPC error codes.
_SERVER_ERROR = -32000
_INTERNAL_ERROR = -32603
# Give up after this many daemons in a row that ended without a reply.
MAX_FAILURES = 3
MAX_PENDING = 1024
# After stdin ends, wait this long for pending replies: the client may still read stdout.
LAST_REPLIES_S = 3.0


def mcp(call: Invocation) -> CommandResult | int:
    """`pilothouse mcp`."""
    if client := call.options.get("print_config"):
        return _print_config(client, call)
    if "http" in call.options:
        raise PilothouseError(
            "--http: only allowed with --print-config", hint="to serve HTTP, use `pilothouse serve`"
        )
    # Point stdout at stderr, so that a stray print cannot corrupt the protocol.
    out = os.dup(1)
    os.dup2(2, 1)
    owner = call.options.get("owner") or os.environ.get("PILOTHOUSE_OWNER") or ""
    pipe = McpPipe(owner, _session_options(call), out)
    try:
        return pipe.run()
    finally:
        pipe.close()


def _session_options(call: Invocation) -> dict[str, Any]:
    """Return the options of the session, as the daemon's method `mcp` takes them."""
    asked: dict[str, Any] = call.given_options("toolsets", "platform", "images")
    # Allowed folders: --files, else the directory in which the client started this command.
    named = [
        os.path.abspath(os.path.expanduser(folder)) for folder in call.options.get("files", ())
    ]
    asked |= {"files": named, "cwd": working_directory()}
    browser: dict[str, Any] = call.given_options(
        "headed", "profile", "browser", "cdp_url", "viewport"
    )
    if "cdp_url" in browser:
        from pilothouse.code.client import absolute_endpoint

        browser["cdp_url"] = absolute_endpoint(browser["cdp_url"])
    if "viewport" in browser:
        from pilothouse.cli.commands.tab_verbs import parse_size

        browser["viewport"] = parse_size(browser["viewport"])
    return {**asked, "browser": browser} if browser else asked


def _print_config(client: str, call: Invocation) -> CommandResult:
    from pilothouse.cli.commands.mcp_config import OPTIONS, http_config, stdio_config

    if "http" in call.options:
        where, text = http_config(client)
    else:
        where, text = stdio_config(client, call.given_options(*OPTIONS))
    print(f"# {where}", file=sys.stderr)
    return CommandResult({"where": where, "text": text}, text.rstrip("\n"))


class McpPipe:
    """Passes lines in both directions: a thread reads stdin, run() reads the daemon's socket."""

    def __init__(self, owner: str, asked: Mapping[str, Any], out: int, stdin: int = 0) -> None:
        self._owner = owner
        self._session_options = asked
        self._out = out
        self._stdin = stdin
        self._lock = threading.Lock()  # guards all attributes below
        self._changed = threading.Condition(self._lock)
        self._sock: socket.socket | None = None
        # Requests that came before the first daemon was ready; None once it is.
        self._early_lines: list[bytes] | None = []
        self._bell: BrowserSignal | None = None
        self._pending: dict[int | str, None] = {}  # ids, in the order in which they came
        # The handshake: the parameters of `initialize`, and whether the client has confirmed it.
        self._greeting: dict[str, Any] | None = None
        self._initialized = False
        self._answered_early = False
        self._failures = 0
        self._closing = False
        self._failed = ""
        self._crash = ""  # the unexpected exception that ended the thread reading stdin

    def run(self) -> int:
        """Run until stdin ends. Raises PilothouseError if no daemon can be started."""
        try:
            self._run()
        finally:
            if self._crash:
                with self._lock:
                    self._refuse_pending()
        if self._failed:
            print(format_error(self._failed), file=sys.stderr)
            return FAILED
        return DONE

    def _run(self) -> None:
        from pilothouse.code.client import BrowserSignal

        with BrowserSignal() as self._bell:
            threading.Thread(target=self._read_client, daemon=True).start()
            line = self._connect(())
            with self._changed:
                coming, self._early_lines, self._bell = self._early_lines or [], None, None
                self._sock = line.hand_over()
                if self._answered_early:
                    self._sock.sendall(self._resume_line())
                for early in coming:
                    self._sock.sendall(early)
                self._changed.notify_all()
        while (sock := self._wait_for_socket()) is not None:
            self._read_daemon(sock)
            with self._lock:
                self._drop_connection(sock)

    def close(self) -> None:
        """Close the connection to the daemon."""
        with self._lock:
            self._closing = True
            if self._sock is not None:
                self._sock.close()

    # The daemon.

    def _connect(self, notices: tuple[str, ...]) -> DaemonClient:
        from pilothouse.code.client import DaemonClient

        line: DaemonClient = DaemonClient(self._owner, bell=self._bell)
        told = [*line.hello.get("notices", ()), *notices]
        for notice in told:
            print(f"pilothouse: note: {notice}", file=sys.stderr)
        try:
            line.call("mcp", returns=bool(self._owner), notices=told, **self._session_options)
        except PilothouseError:
            line.close()
            raise
        return line

    def _wait_for_socket(self) -> socket.socket | None:
        """Wait for a connection to the daemon; return None at the end."""
        with self._changed:
            while self._sock is None and not self._closing and not self._failed:
                self._changed.wait()
            return None if self._closing or self._failed else self._sock

    def _read_daemon(self, sock: socket.socket) -> None:
        rest = b""
        while True:
            try:
                chunk = sock.recv(CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                return
            whole, cut, rest = (rest + chunk).rpartition(b"\n") if b"\n" in chunk else (
                b"", b"", rest + chunk
            )  # fmt: skip
            if cut:
                self._forward(whole + cut)

    def _forward(self, lines: bytes) -> None:
        with self._lock:
            self._failures = 0
            for line in lines.splitlines():
                if found := _REPLY.match(line):
                    self._pending.pop(json.loads(found[1]), None)
        self._write(lines)
        if not self._pending:
            with self._changed:
                self._changed.notify_all()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._out, data) :]

    def _drop_connection(self, sock: socket.socket) -> None:
        """Close the connection, and answer all pending requests with an error unless we are
        closing."""
        sock.close()
        self._sock = None
        self._failures += 1
        if self._closing:
            self._pending = {}
        self._refuse_pending()

    def _refuse_pending(self) -> None:
        """Answer all pending requests with an error. Called with the lock held, and only by the
        thread of run(): two threads that write to stdout could mix their lines."""
        lost, self._pending = self._pending, {}
        error = {"code": _SERVER_ERROR, "message": _DAEMON_ENDED}
        if self._crash:
            error = {"code": _INTERNAL_ERROR, "message": f"internal error: {self._crash}"}
        for number in lost:
            said = json.dumps({"jsonrpc": "2.0", "id": number, "error": error})
            with contextlib.suppress(OSError):
                self._write(said.encode() + b"\n")

    # The client.

    def _read_client(self) -> None:
        line = b""
        try:
            for line in self._client_lines():
                self._send_to_daemon(line)
        except OSError:
            pass  # the client closed its end of the pipe
        except PilothouseError as error:
            self._failed = error.format_line()
        except Exception as error:  # noqa: BLE001
            # Without this, the thread would end and no request would ever be answered.
            self._report_crash(error, line)
            return
        with self._changed:
            self._changed.wait_for(lambda: self._early_lines is None)
            if not self._failed:
                self._changed.wait_for(lambda: not self._pending, LAST_REPLIES_S)
            self._closing = True
            if self._sock is not None:
                with contextlib.suppress(OSError):
                    # The daemon sends its remaining replies and closes the connection.
                    self._sock.shutdown(socket.SHUT_WR)
            self._changed.notify_all()

    def _client_lines(self) -> Iterator[bytes]:
        """Yield the lines of stdin, each with its newline."""
        rest = b""
        while chunk := os.read(self._stdin, CHUNK):
            if b"\n" not in chunk:
                rest += chunk
                continue
            whole, cut, rest = (rest + chunk).rpartition(b"\n")
            yield from (whole + cut).splitlines(keepends=True)
        if rest:
            yield rest + b"\n"

    def _report_crash(self, error: Exception, line: bytes) -> None:
        """End run(), which answers the pending requests and the one of this line."""
        import traceback

        traceback.print_exception(error)
        with self._changed:
            with contextlib.suppress(Exception):  # this may be what failed
                self._track(line)
            self._crash = f"{type(error).__name__}: {error}"
            self._failed = f"reading the MCP client failed: {self._crash}"
            self._answered_early = False
            if self._early_lines:
                self._early_lines.clear()  # they get an error, so the daemon must not run them
            if self._sock is not None:
                with contextlib.suppress(OSError):
                    # Both directions, so that run() stops waiting for replies.
                    self._sock.shutdown(socket.SHUT_RDWR)
            self._changed.notify_all()

    def _send_to_daemon(self, line: bytes) -> None:
        if not line.strip():
            return
        with self._lock:
            if self._early_lines is not None:
                self._take_early(line, self._track(line))
                return
            if self._sock is None:
                self._reconnect()
            sock = self._sock
            self._track(line)
        assert sock is not None
        with contextlib.suppress(OSError):  # the thread that reads the socket notices the loss
            sock.sendall(line)

    def _reconnect(self) -> None:
        if self._failures >= MAX_FAILURES:
            raise PilothouseError(
                "the daemon ended several times in a row", hint="run: pilothouse daemon logs"
            )
        self._sock = self._connect((_DAEMON_RESTARTED,)).hand_over()
        self._changed.notify_all()
        # An OSError must not reach _read_client(), which takes it for the client's end.
        with contextlib.suppress(OSError):
            self._sock.sendall(self._resume_line())

    def _resume_line(self) -> bytes:
        """Return the daemon's first line: the handshake that has been answered, if there is one."""
        if self._greeting is None:
            return b""
        params = {"initialize": self._greeting, "initialized": self._initialized}
        return json.dumps({"jsonrpc": "2.0", "method": RESUME, "params": params}).encode() + b"\n"

    def _take_early(self, line: bytes, message: dict[str, Any]) -> None:
        """Before the daemon is ready: answer the handshake, keep other lines, and have a browser
        started early for the first browser tool call."""
        method, params = message.get("method"), message.get("params")
        # Only if it is first: what came before may have begun a session of another form.
        if method == "initialize" and params is self._greeting and not self._early_lines:
            assert isinstance(params, dict)
            self._answered_early = True
            self._pending.pop(message["id"], None)
            result = initialize_result(params["protocolVersion"])
            # ASCII, because an id may hold a lone surrogate, which UTF-8 cannot encode.
            said = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
            self._write(said.encode() + b"\n")
        elif not (method == "notifications/initialized" and self._answered_early):
            assert self._early_lines is not None
            self._early_lines.append(line)
        rings = (
            method == "tools/call"
            and isinstance(params, dict)
            and str(params.get("name")).startswith("browser")
        )
        # Not if the session has browser options: the early start uses the default browser.
        if rings and self._bell is not None and "browser" not in self._session_options:
            self._bell.ring()

    def _track(self, line: bytes) -> dict[str, Any]:
        """Remember pending requests and the client's handshake; return the parsed message."""
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        if not isinstance(message, dict) or "method" not in message:
            return {}
        method, number, params = message["method"], message.get("id"), message.get("params")
        if isinstance(number, int | str) and not isinstance(number, bool):
            self._pending[number] = None
            if len(self._pending) > MAX_PENDING:  # bounds memory
                del self._pending[next(iter(self._pending))]
            if method == "initialize" and not initialize_problem(params):
                self._greeting, self._initialized = params, False
        elif method == "notifications/initialized":
            self._initialized = True
        elif method == "notifications/cancelled":
            given = params.get("requestId") if isinstance(params, dict) else None
            if isinstance(given, int | str):
                self._pending.pop(given, None)  # it gets no reply
        return message


def serve(call: Invocation) -> CommandResult | int:
    """`pilothouse serve`: the daemon's HTTP server runs as long as this command."""
    given = call.given_options("port", "host", "toolsets", "platform", "images")
    served = call.request("serve", given, doing="starting the HTTP server")
    if call.json:
        print(json.dumps({"ok": True, "result": served}), flush=True)
    else:
        print(f"MCP server: {served['url']}")
        print(f"The token is in {served['token_file']}. Stop with Ctrl-C.", flush=True)
    call.connection().wait_until_gone()
    raise PilothouseError("the daemon has ended", hint="run `pilothouse serve` again")
