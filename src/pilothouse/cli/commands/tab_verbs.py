"""Handlers of commands on a tab: each sends a request to the daemon and formats the result.

Knows: which verbs a command calls, and the user's files. Must not know: the daemon's protocol.
Files are read and written here, with the user's rights; the daemon gets their content or a copy.
"""

from __future__ import annotations

import os
import sys

from pilothouse.cli.command_invocation import FAILED, CommandResult, Invocation, working_directory
from pilothouse.cli.output import (
    answer_commands,
    arrival_text,
    colorize,
    interrupts_text,
    opened_text,
    printable,
    value_text,
)
from pilothouse.cli.parser import CommandLineError, placeholder
from pilothouse.code.client import absolute_app_paths
from pilothouse.errors import PilothouseError, UsageError, plural
from pilothouse.private_files import write_atomically

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "act",
    "answer",
    "cdp",
    "close_tab",
    "console",
    "cookies",
    "dialog",
    "evaluate",
    "extract",
    "handover",
    "interrupts",
    "load_state",
    "network",
    "open_tab",
    "parse_size",
    "pdf",
    "run",
    "save_download",
    "save_state",
    "screenshot",
    "upload",
    "wait",
]


def _verb_options(call: Invocation, *without: str) -> dict[str, Any]:
    """Return the given options that are parameters of the verb."""
    return {
        argument.name: call.options[argument.name]
        for argument in call.command.arguments
        if argument.name in call.options and argument.name not in without
    }


def act(call: Invocation) -> CommandResult:
    """Call any verb and return its receipt or value."""
    return call.answer(call.verb(call.command.verb, _verb_options(call)))


def wait(call: Invocation) -> CommandResult:
    """`pilothouse wait`: for exactly one condition."""
    conditions = [
        argument for argument in call.command.arguments if argument.name not in ("state", "timeout")
    ]
    written = {c.name: placeholder(c) if c.positional else c.option for c in conditions}
    given = [written[argument.name] for argument in conditions if call.options.get(argument.name)]
    if len(given) != 1:
        said = f"{' and '.join(given)} are both given" if given else "what to wait for is missing"
        raise CommandLineError(f"wait: {said}", hint=f"give one of {', '.join(written.values())}")
    return act(call)


# Opening and closing.


def open_tab(call: Invocation) -> CommandResult:
    """`pilothouse open`."""
    names = ("wait_until", "dialogs", "profile", "headed", "stealth", "browser", "timeout")
    wanted = call.given_options(*names)
    name = call.options.get("name") or call.tab
    call.tab = name
    wanted |= {"name": name, "url": call.options.get("url", "")}
    if "viewport" in call.options:
        wanted["viewport"] = parse_size(call.options["viewport"])
    app = {"cdp_url": "cdp_url", "app": "path", "args": "args", "target": "target"}
    given = {app[key]: value for key, value in call.given_options(*app).items()}
    if "args" in given and "path" not in given:
        raise CommandLineError("--args: only allowed with --app", hint="--app PATH --args=--flag")
    if given.keys() == {"target"}:
        wanted["target"] = given["target"]
    elif given:
        wanted["app"] = absolute_app_paths(given)
    result = call.request("open", wanted, doing=f"opening {wanted['url'] or name}")
    details = result["details"]
    arrival = details.get("arrival")
    if isinstance(arrival, dict) and arrival.get("blocked_by"):
        return call.blocked({**arrival, "details": details})
    said = opened_text(details)
    if arrival:
        said += "\n" + arrival_text(arrival)
    return CommandResult(details, said)


def parse_size(text: str) -> dict[str, float]:
    """Parse a size such as `1280x800` or `1280x800@2`. Raises CommandLineError."""
    size, _, scale = text.partition("@")
    width, _, height = size.partition("x")
    try:
        made = {"width": float(width), "height": float(height)}
        return {**made, "scale": float(scale)} if scale else made
    except ValueError:
        raise CommandLineError(
            f"viewport: {text!r} is not a size", hint="write 1280x800, or 1280x800@2"
        ) from None


def close_tab(call: Invocation) -> CommandResult:
    """`pilothouse close`."""
    wanted = {"name": call.options.get("name") or call.tab, **call.given_options("all", "kill")}
    result = call.request("close", wanted, doing="closing")
    return CommandResult(result["details"], printable(result["text"]))


# Code.


def _read_text(file: str, what: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PilothouseError(f"could not read {file}: {why}", hint=f"give {what}") from None


def evaluate(call: Invocation) -> CommandResult:
    """`pilothouse eval`."""
    given = _verb_options(call)
    if given["code"] == "-":
        given["code"] = sys.stdin.read()
    result = call.verb("evaluate", given)
    return call.answer(result, None if _is_blocked(result) else value_text(result))


def run(call: Invocation) -> CommandResult:
    """`pilothouse run`."""
    file, code = call.options.get("file"), call.options.get("code")
    if (file is None) == (code is None):
        raise CommandLineError(
            "run: give a file, - for stdin, or -c CODE", hint="pilothouse run script.py"
        )
    language = call.options.get("language") or ("js" if (file or "").endswith(".js") else "python")
    text = (
        code
        if code is not None
        else _read_text(str(file), "a file with Python code, or - for stdin")
    )
    asked = {"name": call.tab, "code": text, "language": language, **call.given_options("timeout")}
    asked["cwd"] = working_directory()
    report = call.request("run", asked, doing="running")
    shown = [_format_output(item, number, call) for number, item in enumerate(report["content"], 1)]
    error = report.get("error")
    if error is None:
        return CommandResult(report, "\n".join(shown))
    from pilothouse.code.run_result import JAVASCRIPT_HINT, JAVASCRIPT_HINT_CLI

    hint = error.get("hint", "")
    told = {
        "message": error["message"],
        "hint": JAVASCRIPT_HINT_CLI if hint == JAVASCRIPT_HINT else hint,
        "kind": error.get("kind", "RunError"),
    }
    return CommandResult(report, "\n".join(shown), code=FAILED, error=told)


def _format_output(item: dict[str, Any], number: int, call: Invocation) -> str:
    if "text" in item:
        return printable(str(item["text"]).rstrip("\n"))
    data = _decode_base64(item.get("data", ""))
    kind = str(item.get("mimeType") or item.get("mime") or "image/png").rpartition("/")[2]
    folder = call.options.get("images")
    if folder is None:
        return colorize(
            f"[{kind} image, {plural(len(data), 'byte')}: --images FOLDER saves it]", "dim"
        )
    os.makedirs(folder, exist_ok=True)
    return _write_file(os.path.join(folder, f"{number}.{kind}"), data)


def cdp(call: Invocation) -> CommandResult:
    """`pilothouse cdp`."""
    asked = {"tab": call.tab, "command": call.options["method"], **call.given_options("frame_id")}
    asked["params"] = call.options.get("params") or {}
    result = call.request("page.cdp", asked, doing=call.options["method"])
    return call.answer(result, None if _is_blocked(result) else value_text(result))


def _is_blocked(result: Any) -> bool:
    return isinstance(result, dict) and bool(result.get("blocked_by"))


# Files.


def _decode_base64(text: str) -> bytes:
    import base64

    return base64.b64decode(text)


def _write_file(path: str, data: bytes) -> str:
    try:
        write_atomically(path, data, 0o666)
    except OSError as error:
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint="give another path with -o"
        ) from None
    return os.path.abspath(path)


def _unused_name(stem: str, ending: str, folder: str = ".") -> str:
    """Return a file name that does not exist yet."""
    number, name = 1, f"{stem}.{ending}"
    while os.path.exists(os.path.join(folder, name)):
        number += 1
        name = f"{stem}-{number}.{ending}"
    return os.path.join(folder, name)


def screenshot(call: Invocation) -> CommandResult:
    """`pilothouse screenshot`."""
    given = _verb_options(call, "output")
    path = call.options.get("output")
    if path:
        from pilothouse.security.filenames import image_format

        given["format"] = image_format(path, given.get("format", "png"), field="--output")
    result = call.verb("screenshot", given)
    if _is_blocked(result):
        return call.blocked(result)
    if path is None:
        from pilothouse.settings import load

        folder = os.path.expanduser(load().browser.screenshotDir) or "."
        os.makedirs(folder, exist_ok=True)
        path = _unused_name(call.tab.replace("/", "-"), result["mime"].rpartition("/")[2], folder)
    place = _write_file(path, _decode_base64(result.pop("data")))
    size = f"{result['width']} x {result['height']}"
    note = f"\n  {printable(result['note'])}" if result.get("note") else ""
    return CommandResult({**result, "path": place}, f"{place}  {colorize(size, 'dim')}{note}")


def pdf(call: Invocation) -> CommandResult:
    """`pilothouse pdf`."""
    result = call.verb("pdf", _verb_options(call, "output"))
    if _is_blocked(result):
        return call.blocked(result)
    data = _decode_base64(result.pop("data"))
    path = call.options.get("output") or _unused_name(call.tab.replace("/", "-"), "pdf")
    place = _write_file(path, data)
    shown = f"{place}  {colorize(f'{len(data)} bytes', 'dim')}"
    return CommandResult({**result, "path": place, "bytes": len(data)}, shown)


def extract(call: Invocation) -> CommandResult:
    """`pilothouse extract`."""
    result = call.verb("extract", _verb_options(call, "output"))
    if _is_blocked(result):
        return call.blocked(result)
    if path := call.options.get("output"):
        place = _write_file(path, str(result["text"] if result else "").encode())
        return CommandResult({**(result or {}), "path": place}, place)
    if result is None:
        return CommandResult(None, colorize("the page has no text", "dim"))
    note = f"\n{colorize(printable(result['note']), 'dim')}" if result.get("note") else ""
    return CommandResult(result, printable(result["text"]) + note)


def upload(call: Invocation) -> CommandResult:
    """`pilothouse upload`."""
    given = _verb_options(call)
    return call.answer(call.verb("upload", {**given, "paths": _copy_uploads(call, given["paths"])}))


def answer(call: Invocation) -> CommandResult:
    """`pilothouse answer`."""
    given = _verb_options(call, "files")
    detail = given.get("detail") or {}
    if files := [*call.options.get("files", ()), *detail.get("files", ())]:
        given["detail"] = {**detail, "files": _copy_uploads(call, files)}
    return call.answer(call.verb("answer", given))


def save_download(call: Invocation) -> CommandResult:
    """`pilothouse save-download`."""
    from pilothouse.code.client import call_with_files
    from pilothouse.paths import RuntimePaths

    asked = {"tab": call.tab, **_verb_options(call)}
    saved = call_with_files(
        lambda method, **given: call.request(method, given),
        RuntimePaths(),
        "tab.save_download",
        asked,
    )
    return CommandResult(saved, printable(str(saved["path"])))


def _copy_uploads(call: Invocation, paths: Any) -> list[str]:
    """Copy files to the daemon's upload folder: it reads uploads from there only."""
    from pilothouse.code.client import copy_uploads
    from pilothouse.paths import RuntimePaths

    call.connection()  # first, because a starting daemon empties the upload folder
    return copy_uploads(paths, RuntimePaths())


def save_state(call: Invocation) -> CommandResult:
    """`pilothouse save-state`."""
    import json

    state = call.verb("save_state")
    path = call.options["file"]
    # Cookies are like passwords: only the user may read the file.
    try:
        write_atomically(path, json.dumps(state, ensure_ascii=False).encode())
    except OSError as error:
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint="give another file"
        ) from None
    place = os.path.abspath(path)
    return CommandResult({"path": place}, place)


def load_state(call: Invocation) -> CommandResult:
    """`pilothouse load-state`."""
    import json

    text = _read_text(call.options["file"], "a file that save-state wrote")
    try:
        state = json.loads(text)
    except ValueError as error:
        hint = "give a file that save-state wrote"
        raise PilothouseError(f"{call.options['file']}: {error}", hint=hint) from None
    return call.answer(call.verb("load_state", {"state": state}))


# Dialogs, console, network and cookies.


def dialog(call: Invocation) -> CommandResult:
    """`pilothouse dialog`."""
    action = call.options.get("action")
    if action is None:
        found = call.verb("dialogs")

        def show() -> None:
            from pilothouse.cli.output import show_dialogs

            show_dialogs(found, call.tab_options)

        return CommandResult(found, show)
    asked: dict[str, Any] = {"accept": action == "accept", **call.given_options("text")}
    if "id" in call.options:
        asked["dialog_id"] = call.options["id"]
    result = call.verb("handle_dialog", asked)
    closed = result.get("closed") or {}
    about = closed.get("dialog", {})
    done = "Accepted" if closed.get("accepted") else "Dismissed"
    said = f"{done} {about.get('type', 'dialog')} {about.get('id', '')}"
    if about.get("message"):
        said += f": {printable(about['message'])}"
    if result.get("already_closed"):
        said += f" (it was already closed, by {closed.get('closed_by', 'another client')})"
    return CommandResult(result, said)


def interrupts(call: Invocation) -> CommandResult:
    """`pilothouse interrupts`: for all tabs, unless --tab is given."""
    named = [call.tab] if "tab" in call.options else []
    names = named or [tab["name"] for tab in call.request("tabs") if tab["alive"]]
    waiting = []
    for call.tab in names:
        found = call.verb("dialogs")
        dialogs = [{"kind": "dialog", **one} for one in found["pending_dialogs"]]
        for one in (*dialogs, *found["interrupts"]):
            commands = answer_commands(one, call.tab_options)
            waiting.append({**one, "tab": call.tab, "commands": commands})
    return CommandResult(waiting, interrupts_text(waiting) or "Nothing waits for an answer.")


def handover(call: Invocation) -> CommandResult:
    """`pilothouse handover`: the requests of all owners."""
    from pilothouse.cli.output import requests_text

    action = call.options.get("action", "list")
    given = {}
    if action != "list":
        if not call.options.get("id"):
            raise UsageError("id: missing", hint="run `pilothouse handover` to see the ids")
        given = {"action": action, **call.given_options("id", "text")}
    found = call.request("handover", given)
    left = requests_text(found["requests"]) or "No agent waits for you."
    told = f"{given['id']}: {action}\n{left}" if given else left
    return CommandResult(found, told)


def console(call: Invocation) -> CommandResult:
    """`pilothouse console`."""
    found = call.verb("console", _verb_options(call))

    def show() -> None:
        from pilothouse.cli.output import show_console

        show_console(found)

    return CommandResult(found, show)


def network(call: Invocation) -> CommandResult:
    """`pilothouse network`."""
    if path := call.options.get("har"):
        import json

        har = call.verb("har", call.given_options("url"))
        place = _write_file(path, json.dumps(har, ensure_ascii=False).encode())
        return CommandResult({"path": place}, place)
    if key := call.options.get("id"):
        one = call.verb("request", {"id": key, **call.given_options("body")})
        return CommandResult(one, value_text(one))
    found = call.verb("requests", call.given_options("url", "type", "failed", "since", "limit"))

    def show() -> None:
        from pilothouse.cli.output import show_requests

        show_requests(found)

    return CommandResult(found, show)


def cookies(call: Invocation) -> CommandResult:
    """`pilothouse cookies`."""
    action = call.options.get("action", "list")
    if action == "set":
        if "value" not in call.options:
            raise CommandLineError(
                "cookies set: name or value is missing", hint="cookies set theme dark"
            )
        made = call.verb("set_cookies", {"cookies": [call.given_options(*_COOKIE)]})
        return CommandResult(made, f"Set cookie {printable(call.options['name'])}")
    if action == "clear":
        gone = call.verb("clear_cookies", call.given_options("name", "domain", "path"))
        return CommandResult(gone, f"Cleared {plural(gone['deleted'], 'cookie')}")
    found = call.verb("cookies", {"urls": [call.options["url"]]} if "url" in call.options else {})

    def show() -> None:
        from pilothouse.cli.output import show_cookies

        show_cookies(found, whole=bool(call.options.get("values")))

    return CommandResult(found, show)


_COOKIE = ("name", "value", "url", "domain", "path")
