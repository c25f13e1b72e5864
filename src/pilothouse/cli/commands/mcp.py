"""`pilothouse mcp`: a thin pipe between an agent's program and the daemon, where MCP is spoken; and
`pilothouse serve`, which keeps the daemon's web server open.

Knows: lines, which of them are not answered yet, and the greeting, which it answers by itself while
a daemon is still starting. Must not know: MCP beyond that. No SDK and no asyncio: an agent waits for
this. Only lines of the daemon go to stdout, and that greeting. If the daemon goes, what was asked is
answered with an error; the next line starts another daemon and greets it as before.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import threading

from pilothouse.cli.daemon_call import DONE, FAILED, Answer, Call, error_text, working_directory
from pilothouse.daemon.mcp import greeting, greets
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm start should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pilothouse.code.client import Bell, Line

__all__ = ["Pipe", "mcp", "serve"]

CHUNK = 1 << 16
# How the daemon writes an answer: its id comes first, and the rest may be long.
_ANSWER = re.compile(rb'\{"jsonrpc": ?"2\.0", ?"id": ?(\d+|"(?:[^"\\]|\\.)*"), ?"(?:result|error)"')
_GONE = "the daemon ended in the middle of this call; the next call starts another"
_ANEW = "the daemon had ended and was started anew: tabs from before are gone"
# A daemon that dies so often at once is not worth another try.
DEATHS_IN_A_ROW = 3
PENDING = 1024
# A client that has hung up may still read: what it asked just before is answered, if that is quick.
LAST_ANSWERS_S = 3.0


def mcp(call: Call) -> Answer | int:
    """`pilothouse mcp`."""
    if client := call.options.get("print_config"):
        return _printed(client, call)
    if "http" in call.options:
        raise PilothouseError("--http goes with --print-config", hint="or use `pilothouse serve`")
    # What anybody prints by mistake must not reach the client.
    out = os.dup(1)
    os.dup2(2, 1)
    owner = call.options.get("owner") or os.environ.get("PILOTHOUSE_OWNER") or ""
    pipe = Pipe(owner, _asked(call), out)
    try:
        return pipe.run()
    finally:
        pipe.close()


def _asked(call: Call) -> dict[str, Any]:
    """What the session is to be, as the daemon's `mcp` takes it."""
    asked: dict[str, Any] = call.given("toolsets", "platform", "images")
    # Where files may be: what is named, or where the client has started this.
    named = [
        os.path.abspath(os.path.expanduser(folder)) for folder in call.options.get("files", ())
    ]
    asked |= {"files": named, "cwd": working_directory()}
    browser: dict[str, Any] = call.given("headed", "profile", "browser", "cdp_url", "viewport")
    if "cdp_url" in browser:
        from pilothouse.code.client import whole_endpoint

        browser["cdp_url"] = whole_endpoint(browser["cdp_url"])
    if "viewport" in browser:
        from pilothouse.cli.commands.tabs import size_of

        browser["viewport"] = size_of(browser["viewport"])
    return {**asked, "browser": browser} if browser else asked


def _printed(client: str, call: Call) -> Answer:
    from pilothouse.cli.commands.mcp_config import OPTIONS, http_snippet, snippet

    if "http" in call.options:
        where, text = http_snippet(client)
    else:
        where, text = snippet(client, call.given(*OPTIONS))
    print(f"# {where}", file=sys.stderr)
    return Answer({"where": where, "text": text}, text.rstrip("\n"))


class Pipe:
    """Both directions: a thread reads stdin, the caller's thread reads the daemon."""

    def __init__(self, owner: str, asked: Mapping[str, Any], out: int, inward: int = 0) -> None:
        self._owner = owner
        self._asked = asked
        self._out = out
        self._inward = inward
        self._lock = threading.Lock()  # of all below
        self._changed = threading.Condition(self._lock)
        self._sock: socket.socket | None = None
        self._coming: list[bytes] | None = []  # what was asked before the first daemon was there
        self._bell: Bell | None = None
        self._pending: dict[bytes, Any] = {}
        self._greeting: list[bytes] = []
        self._answered: set[bytes] = set()  # once before, to a daemon that is gone
        self._deaths = 0
        self._over = False
        self._failed = ""

    def run(self) -> int:
        """Until stdin ends. Raises PilothouseError if no daemon can be had."""
        from pilothouse.code.client import Bell

        with Bell() as self._bell:
            threading.Thread(target=self._read_client, daemon=True).start()
            line = self._dial(())
            with self._changed:
                coming, self._coming, self._bell = self._coming or [], None, None
                self._sock = line.hand_over()
                for early in coming:
                    self._sock.sendall(early)
                self._changed.notify_all()
        while (sock := self._connected()) is not None:
            self._read_daemon(sock)
            with self._lock:
                self._lose(sock)
        if self._failed:
            print(error_text(self._failed), file=sys.stderr)
            return FAILED
        return DONE

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            self._over = True
            if self._sock is not None:
                self._sock.close()

    # The daemon.

    def _dial(self, notices: tuple[str, ...]) -> Line:
        from pilothouse.code.client import Line

        line: Line = Line(self._owner, bell=self._bell)
        told = [*line.hello.get("notices", ()), *notices]
        for notice in told:
            print(f"pilothouse: note: {notice}", file=sys.stderr)
        try:
            line.call("mcp", returns=bool(self._owner), notices=told, **self._asked)
        except PilothouseError:
            line.close()
            raise
        return line

    def _connected(self) -> socket.socket | None:
        """The connection, once there is one; None when all is over."""
        with self._changed:
            while self._sock is None and not self._over and not self._failed:
                self._changed.wait()
            return None if self._over or self._failed else self._sock

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
                self._pass(whole + cut)

    def _pass(self, lines: bytes) -> None:
        kept = b""
        with self._lock:
            self._deaths = 0
            for line in lines.splitlines(keepends=True):
                key = found[1] if (found := _ANSWER.match(line)) else b""
                self._pending.pop(key, None)
                if key and key in self._answered:
                    self._answered.discard(key)
                else:
                    kept += line
        self._write(kept)
        if not self._pending:
            with self._changed:
                self._changed.notify_all()

    def _write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._out, data) :]

    def _lose(self, sock: socket.socket) -> None:
        """The daemon has gone, or we hang up: nobody is left waiting for an answer."""
        sock.close()
        self._sock = None
        self._deaths += 1
        lost, self._pending = {} if self._over else self._pending, {}
        for number in lost.values():
            error = {"code": -32000, "message": _GONE}
            said = json.dumps({"jsonrpc": "2.0", "id": number, "error": error})
            with contextlib.suppress(OSError):
                self._write(said.encode() + b"\n")

    # The client.

    def _read_client(self) -> None:
        rest = b""
        try:
            while chunk := os.read(self._inward, CHUNK):
                if b"\n" not in chunk:
                    rest += chunk
                    continue
                whole, cut, rest = (rest + chunk).rpartition(b"\n")
                for line in (whole + cut).splitlines(keepends=True):
                    self._ask(line)
            if rest:
                self._ask(rest + b"\n")
        except OSError:
            pass  # its end of the pipe is gone: as good as ended
        except PilothouseError as error:
            self._failed = error.line()
        with self._changed:
            self._changed.wait_for(lambda: self._coming is None)
            if not self._failed:
                self._changed.wait_for(lambda: not self._pending, LAST_ANSWERS_S)
            self._over = True
            if self._sock is not None:
                with contextlib.suppress(OSError):
                    # The daemon answers what it has, and hangs up.
                    self._sock.shutdown(socket.SHUT_WR)
            self._changed.notify_all()

    def _ask(self, line: bytes) -> None:
        if not line.strip():
            return
        with self._lock:
            if self._coming is not None:
                self._coming.append(line)
                self._early(self._note(line))
                return
            if self._sock is None:
                self._again()
            sock = self._sock
            self._note(line)
        assert sock is not None
        with contextlib.suppress(OSError):  # whoever reads from it sees that it is gone
            sock.sendall(line)

    def _again(self) -> None:
        if self._deaths >= DEATHS_IN_A_ROW:
            raise PilothouseError("the daemon dies again and again", hint="pilothouse daemon logs")
        self._sock = self._dial((_ANEW,)).hand_over()
        self._changed.notify_all()
        for line in self._greeting:
            if key := _key(line):
                self._answered.add(key)
            self._sock.sendall(line)

    def _early(self, message: dict[str, Any]) -> None:
        """What can be done before there is a daemon: greet, and have a browser started."""
        method, params = message.get("method"), message.get("params")
        if not isinstance(params, dict):
            return
        if method == "initialize" and len(self._greeting) == 1 and greets(params):
            key = _key(self._greeting[0])
            if self._pending.pop(key, None) is not None:
                self._answered.add(key)
                reply = {"id": message["id"], "result": greeting(params["protocolVersion"])}
                said = json.dumps({"jsonrpc": "2.0", **reply}, ensure_ascii=False)
                self._write(said.encode() + b"\n")
        rings = method == "tools/call" and str(params.get("name")).startswith("browser")
        # It would start the usual browser, and this session may want another.
        if rings and self._bell is not None and "browser" not in self._asked:
            self._bell.ring()

    def _note(self, line: bytes) -> dict[str, Any]:
        """Remember what is asked, and how the client greeted; the message, if it is one."""
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        if not isinstance(message, dict) or "method" not in message:
            return {}
        method, number = message["method"], message.get("id")
        if method in ("initialize", "notifications/initialized") and len(self._greeting) < 2:
            self._greeting.append(line)
        if isinstance(number, int | str) and not isinstance(number, bool):
            self._pending[json.dumps(number).encode()] = number
            if len(self._pending) > PENDING:  # whoever asks so much is not waiting for all of it
                del self._pending[next(iter(self._pending))]
        elif method == "notifications/cancelled":
            params = message.get("params")
            given = params.get("requestId") if isinstance(params, dict) else None
            self._pending.pop(json.dumps(given).encode(), None)  # it will not be answered
        return message


def _key(line: bytes) -> bytes:
    number = json.loads(line).get("id")
    return b"" if number is None else json.dumps(number).encode()


def serve(call: Call) -> Answer | int:
    """`pilothouse serve`: the daemon listens for as long as this runs."""
    given = call.given("port", "host", "toolsets", "platform", "images")
    served = call.ask("serve", given, doing="opening the web server")
    if call.json:
        print(json.dumps({"ok": True, "result": served}), flush=True)
    else:
        print(f"MCP is served at {served['url']}")
        print(f"The token is in {served['token_file']}; Ctrl-C ends it.", flush=True)
    call.line().wait_until_gone()
    raise PilothouseError("the daemon has gone", hint="serve again")
