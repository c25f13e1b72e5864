"""Commands about the daemon and what it keeps: its life, its log, its tabs, the browser it joins.

Knows: the daemon's methods and files. Must not know: how a daemon works inside.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

from pilothouse.cli.daemon_call import DONE, FAILED, Answer, Call, Waiting
from pilothouse.cli.output import paint, printable
from pilothouse.code.client import whole_endpoint
from pilothouse.errors import PilothouseError

__all__ = ["connect", "daemon", "disconnect", "journal", "log_line", "status", "tabs"]

STOPS_WITHIN_S = 20.0
LOOK_EVERY_S = 0.1
_STYLES = {"error": "red", "critical": "red", "warning": "yellow"}


def tabs(call: Call) -> Answer:
    """`pilothouse tabs`."""
    found = call.ask("tabs")

    def show() -> None:
        from pilothouse.cli.output import show_tabs

        show_tabs(found)

    return Answer(found, show)


def journal(call: Call) -> Answer:
    """`pilothouse journal`: of all tabs, unless one is named."""
    found = call.ask("journal", call.given("tab", "last"))

    def show() -> None:
        from pilothouse.cli.output import show_journal

        show_journal(found)

    return Answer(found, show)


def connect(call: Call) -> Answer:
    """`pilothouse connect`: to the browser that is named, or to the one that runs here."""
    endpoint = whole_endpoint(call.options.get("endpoint", ""))
    asked = {"endpoint": endpoint, **call.given("timeout")}
    found = call.ask("connect", asked, doing="reaching the browser")

    def show() -> None:
        from pilothouse.cli.output import show_pages

        show_pages(found)

    return Answer(found, show)


def disconnect(call: Call) -> Answer:
    """`pilothouse disconnect`."""
    left = call.ask("disconnect")
    if not left["endpoint"]:
        return Answer(left, "No browser was joined.")
    closed = f"; closed {', '.join(left['closed'])}" if left["closed"] else ""
    return Answer(left, printable(f"Left the browser at {left['endpoint']}{closed}"))


def status(call: Call) -> Answer:
    """`pilothouse status`: it asks a daemon that runs, and starts none."""
    try:
        call.line(start=False)
    except PilothouseError:
        told = {
            "message": "no daemon is running",
            "hint": "any call starts one",
            "kind": "NoDaemon",
        }
        return Answer({"running": False}, code=FAILED, error=told)
    found = {"running": True, **call.ask("status")}
    lost = [browser for browser in found["browsers"] if "error" in browser]
    error = None
    if lost:
        error = {"message": "a browser does not answer", "hint": "close its tabs", "kind": "Silent"}

    def show() -> None:
        from pilothouse.cli.output import show_status

        show_status(found)

    return Answer(found, show, code=FAILED if lost else DONE, error=error)


def daemon(call: Call) -> Answer:
    """`pilothouse daemon`."""
    action = call.options["action"]
    if action == "start":
        hello = call.line().hello
        return Answer(
            {"pid": hello["pid"], "version": hello["version"]},
            f"The daemon runs, pid {hello['pid']}.",
        )
    if action == "stop":
        return _stop(call)
    return status(call) if action == "status" else _logs(call)


def _stop(call: Call) -> Answer:
    try:
        line = call.line(start=False)
    except PilothouseError:
        return Answer({"stopped": False}, "No daemon is running.")
    pid = line.hello["pid"]
    line.call("stop")
    with Waiting("closing the daemon", call.json):
        give_up = time.monotonic() + STOPS_WITHIN_S
        while _lives(pid):
            if time.monotonic() > give_up:
                raise PilothouseError(
                    f"the daemon (pid {pid}) is still closing", hint=f"kill {pid} ends it at once"
                )
            time.sleep(LOOK_EVERY_S)
    return Answer({"stopped": True, "pid": pid}, f"The daemon is closed (pid {pid}).")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        # A daemon whose starter has not waited for it is over all the same.
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def _logs(call: Call) -> Answer:
    from pilothouse.paths import RuntimePaths

    path = RuntimePaths().log
    lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
    shown = lines[-call.options.get("lines", 30) :]
    if call.options.get("follow") and not call.json:
        for line in shown:
            print(log_line(line))
        _follow(path)
    if not lines:
        return Answer([], f"There is no log yet at {path}.")
    return Answer([_parsed(line) for line in shown], "\n".join(map(log_line, shown)))


def _follow(path: Any) -> None:
    """Print what is added, until the person has seen enough (Ctrl-C)."""
    at = path.stat().st_size if path.exists() else 0
    while True:
        time.sleep(LOOK_EVERY_S)
        size = path.stat().st_size if path.exists() else 0
        if size < at:
            at = 0  # it was rotated
        if size > at:
            with path.open("rb") as file:
                file.seek(at)
                added = file.read(size - at)
            whole, cut, _ = added.rpartition(b"\n")
            at += len(whole) + len(cut)
            for line in whole.decode("utf-8", "replace").splitlines():
                print(log_line(line), flush=True)


def _parsed(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"text": line}


def log_line(line: str) -> str:
    """A line of the daemon's log as a person reads it."""
    found = _parsed(line)
    if "at" not in found:
        return printable(str(found["text"]))
    known = {"at", "level", "from", "text", "trace"}
    more = " ".join(f"{key}={value}" for key, value in found.items() if key not in known)
    level = str(found.get("level", ""))
    head = f"{paint(printable(str(found['at'])), 'dim')} {level:<8}"
    if level in _STYLES:
        head = f"{paint(printable(str(found['at'])), 'dim')} {paint(f'{level:<8}', _STYLES[level])}"
    said = printable(f"{found.get('from', '')}: {found.get('text', '')}")
    trace = "\n" + printable(str(found["trace"])) if found.get("trace") else ""
    return f"{head} {said}" + (f" {paint(printable(more), 'dim')}" if more else "") + trace
