"""A small MCP server for tests, without any SDK: it does on demand what servers should not do.

    python misbehaving_mcp_server.py [--http PORT_FILE] [--dies] [--deaf FOLDER]

It tells its pid, echoes, crashes, sleeps, grows tools, shows its surroundings. With `--deaf` it
stays when its input ends, and so does a child of its own; both leave their numbers in the folder.
Knows: MCP's older handshake. Must not know: pytest.
"""

from __future__ import annotations

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

PICTURE = "iVBORw0KGgo="
_grown: list[str] = []
_stopped: list[Any] = []
_lock = threading.Lock()


def _tool(name: str, /, *, reads: bool = False, **properties: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"It does {name}.",
        "inputSchema": {
            "type": "object",
            "properties": {key: {"type": kind} for key, kind in properties.items()},
        },
        **({"annotations": {"readOnlyHint": True}} if reads else {}),
    }


def _tools() -> list[dict[str, Any]]:
    return [
        _tool("pid", reads=True),
        _tool("echo", reads=True, text="string"),
        _tool("crash"),
        _tool("sleep", seconds="number"),
        _tool("stopped", reads=True),
        _tool("grow", name="string"),
        _tool("fail", text="string"),
        _tool("show", reads=True),
        _tool("surroundings", reads=True),
        *(_tool(name) for name in _grown),
    ]


def _send(message: dict[str, Any]) -> None:
    with _lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _call(number: Any, params: dict[str, Any]) -> dict[str, Any] | None:
    given, token = params.get("arguments") or {}, (params.get("_meta") or {}).get("progressToken")
    match params["name"]:
        case "pid":
            return _text(str(os.getpid()), structuredContent={"pid": os.getpid()})
        case "echo":
            return _text(given["text"])
        case "crash":
            sys.stderr.write("it was told to crash\n")
            sys.stderr.flush()
            os._exit(3)
        case "sleep":
            told = {"progressToken": token, "progress": 1, "message": "it sleeps"}
            _send({"method": "notifications/progress", "params": told})
            time.sleep(given["seconds"])
            return _text("it slept")
        case "stopped":
            return _text(json.dumps(_stopped))
        case "grow":
            _grown.append(given["name"])
            _send({"method": "notifications/tools/list_changed"})
            return _text("it grew")
        case "fail":
            return _text(given["text"], isError=True)
        case "show":
            picture = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
            return {"content": [{"type": "text", "text": "a picture"}, picture, picture]}
        case "surroundings":
            return _text(json.dumps(dict(os.environ)))
        case name:
            return _text(f"no {name}", isError=True)


def _answer(asked: dict[str, Any]) -> dict[str, Any] | None:
    """The answer to a message, or nothing where none is due."""
    number, params = asked.get("id"), asked.get("params") or {}
    match asked.get("method"):
        case "initialize":
            result: Any = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "small", "version": "1"},
            }
        case "tools/list":
            result = {"tools": _tools()}
        case "tools/call":
            result = _call(number, params)
        case "notifications/cancelled":
            _stopped.append(params.get("requestId"))
            return None
        case method if number is not None:
            return {"id": number, "error": {"code": -32601, "message": f"no {method}"}}
        case _:
            return None
    return {"id": number, "result": result}


def _on_lines() -> None:
    def work(asked: dict[str, Any]) -> None:
        if (answer := _answer(asked)) is not None:
            _send(answer)

    for line in sys.stdin:
        asked = json.loads(line)
        threading.Thread(target=work, args=(asked,), daemon=True).start()


class _Http(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wanted = os.environ.get("SMALL_TOKEN", "")
        if wanted and self.headers.get("Authorization") != f"Bearer {wanted}":
            return self._reply(401, b"")
        answer = _answer(asked)
        if answer is None:
            return self._reply(202, b"")
        self._reply(200, json.dumps({"jsonrpc": "2.0", **answer}).encode())

    def do_GET(self) -> None:
        self._reply(405, b"")

    do_DELETE = do_GET

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _on_http(where: Path) -> None:
    port = int(where.read_text()) if where.exists() else 0
    http.server.ThreadingHTTPServer.allow_reuse_address = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), _Http)
    where.write_text(str(server.server_address[1]))
    sys.stdout.write("open\n")
    sys.stdout.flush()
    server.serve_forever()


def _deaf(folder: Path) -> None:
    """Stay, whatever comes, and let a child in a session of its own stay as well."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal; signal.pause()"],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    (folder / "pids").write_text(f"{os.getpid()} {child.pid}")
    _on_lines()
    while True:
        signal.pause()


def main(args: list[str]) -> None:
    """Serve as the arguments say."""
    if "--dies" in args:
        sys.exit(f"it cannot start without {os.environ.get('SMALL_TOKEN', 'anything')}")
    if "--http" in args:
        _on_http(Path(args[args.index("--http") + 1]))
    elif "--deaf" in args:
        _deaf(Path(args[args.index("--deaf") + 1]))
    else:
        _on_lines()


if __name__ == "__main__":
    main(sys.argv[1:])
