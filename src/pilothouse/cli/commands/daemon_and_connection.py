"""Handlers of commands about the daemon: start, stop, status, log, tabs, journal, connect.

Knows: the daemon's methods and files. Must not know: how the daemon works inside.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from pilothouse.cli.command_invocation import DONE, FAILED, CommandResult, Invocation, Spinner
from pilothouse.cli.output import colorize, printable
from pilothouse.code.client import absolute_endpoint
from pilothouse.errors import PilothouseError, UsageError

__all__ = ["connect", "daemon", "disconnect", "format_log_line", "journal", "status", "tabs"]

STOP_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.1
_STYLES = {"error": "red", "critical": "red", "warning": "yellow"}


def tabs(call: Invocation) -> CommandResult:
    """`pilothouse tabs`."""
    found = call.request("tabs")

    def show() -> None:
        from pilothouse.cli.output import show_tabs

        show_tabs(found)

    return CommandResult(found, show)


def journal(call: Invocation) -> CommandResult:
    """`pilothouse journal`: for all tabs, unless --tab is given; `journal export|replay`."""
    match call.options.get("action"):
        case "export":
            files = call.request("journal.export")["files"]
            return CommandResult({"files": files}, "\n".join(files))
        case "replay":
            found = _replayed(call.options.get("file", ""))
        case _:
            found = call.request("journal", call.given_options("tab", "last"))

    def show() -> None:
        from pilothouse.cli.output import show_journal

        show_journal(found)

    return CommandResult(found, show)


def _replayed(file: str) -> dict[str, Any]:
    """Replay an exported journal. Returns what happened as `pilothouse journal` does."""
    from pilothouse.supervisor.journal import describe_journal, read_journal

    if not file:
        raise UsageError("file: missing", hint="give a file that `journal export` wrote")
    try:
        journal = read_journal(Path(file))
    except (OSError, ValueError) as error:
        raise PilothouseError(
            f"file: {error}", hint="give a file that `journal export` wrote"
        ) from None
    entries = [
        {"at": journal.clock + line.at, "tab": line.tab, "id": line.tab}
        | {"event": line.what, "words": line.words}
        for line in describe_journal(journal)
    ]
    return {"entries": entries, "left_out": 0}


def connect(call: Invocation) -> CommandResult:
    """`pilothouse connect`: to the given browser, or to the one that runs here."""
    endpoint = absolute_endpoint(call.options.get("endpoint", ""))
    asked = {"endpoint": endpoint, **call.given_options("timeout")}
    found = call.request("connect", asked, doing="connecting to the browser")

    def show() -> None:
        from pilothouse.cli.output import show_pages

        show_pages(found)

    return CommandResult(found, show)


def disconnect(call: Invocation) -> CommandResult:
    """`pilothouse disconnect`."""
    left = call.request("disconnect")
    if not left["endpoint"]:
        return CommandResult(left, "Not connected to a running browser.")
    said = f"Disconnected from the browser at {left['endpoint']}"
    if left["closed"]:
        said += f"; closed {', '.join(left['closed'])}"
    if left["released"]:
        said += f"; released {', '.join(left['released'])} (left open)"
    return CommandResult(left, printable(said))


def status(call: Invocation) -> CommandResult:
    """`pilothouse status`: asks a running daemon; does not start one."""
    try:
        call.connection(start=False)
    except PilothouseError:
        told = {
            "message": "no daemon is running",
            "hint": "start it with: pilothouse daemon start",
            "kind": "NoDaemon",
        }
        return CommandResult({"running": False}, code=FAILED, error=told)
    found = {"running": True, **call.request("status")}
    lost = [browser for browser in found["browsers"] if "error" in browser]
    error = None
    if lost:
        error = {"message": "a browser does not answer", "hint": "close its tabs", "kind": "Silent"}

    def show() -> None:
        from pilothouse.cli.output import show_status

        show_status(found)

    return CommandResult(found, show, code=FAILED if lost else DONE, error=error)


def daemon(call: Invocation) -> CommandResult:
    """`pilothouse daemon`."""
    action = call.options["action"]
    if action == "start":
        hello = call.connection().hello
        return CommandResult(
            {"pid": hello["pid"], "version": hello["version"]},
            f"The daemon is running, pid {hello['pid']}.",
        )
    if action == "stop":
        return _stop(call)
    return status(call) if action == "status" else _logs(call)


def _stop(call: Invocation) -> CommandResult:
    try:
        line = call.connection(start=False)
    except PilothouseError:
        return CommandResult({"stopped": False}, "No daemon is running.")
    pid = line.hello["pid"]
    line.call("stop")
    with Spinner("stopping the daemon", call.json):
        give_up = time.monotonic() + STOP_TIMEOUT_S
        while _is_running(pid):
            if time.monotonic() > give_up:
                raise PilothouseError(
                    f"the daemon (pid {pid}) is still stopping", hint=f"end it with: kill {pid}"
                )
            time.sleep(POLL_INTERVAL_S)
    return CommandResult({"stopped": True, "pid": pid}, f"The daemon has stopped (pid {pid}).")


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        # A zombie has ended, although its parent has not waited for it yet.
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def _logs(call: Invocation) -> CommandResult:
    from pilothouse.paths import RuntimePaths

    path = RuntimePaths().log
    lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
    shown = lines[-call.options.get("lines", 30) :]
    if call.options.get("follow") and not call.json:
        for line in shown:
            print(format_log_line(line))
        _follow_log(path)
    if not lines:
        return CommandResult([], f"No log yet at {path}.")
    return CommandResult(
        [_parse_log_line(line) for line in shown], "\n".join(map(format_log_line, shown))
    )


def _follow_log(path: Any) -> None:
    """Print new log lines until Ctrl-C."""
    at = path.stat().st_size if path.exists() else 0
    while True:
        time.sleep(POLL_INTERVAL_S)
        size = path.stat().st_size if path.exists() else 0
        if size < at:
            at = 0  # the log was rotated
        if size > at:
            with path.open("rb") as file:
                file.seek(at)
                added = file.read(size - at)
            whole, cut, _ = added.rpartition(b"\n")
            at += len(whole) + len(cut)
            for line in whole.decode("utf-8", "replace").splitlines():
                print(format_log_line(line), flush=True)


def _parse_log_line(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": line}


def format_log_line(line: str) -> str:
    """Format a JSON line of the daemon's log for people."""
    found = _parse_log_line(line)
    if "at" not in found:
        return printable(str(found["text"]))
    known = {"at", "level", "from", "text", "trace"}
    more = " ".join(f"{key}={value}" for key, value in found.items() if key not in known)
    level = str(found.get("level", ""))
    head = f"{colorize(printable(str(found['at'])), 'dim')} {level:<8}"
    if level in _STYLES:
        level_text = colorize(f"{level:<8}", _STYLES[level])
        head = f"{colorize(printable(str(found['at'])), 'dim')} {level_text}"
    said = printable(f"{found.get('from', '')}: {found.get('text', '')}")
    trace = "\n" + printable(str(found["trace"])) if found.get("trace") else ""
    return f"{head} {said}" + (f" {colorize(printable(more), 'dim')}" if more else "") + trace
