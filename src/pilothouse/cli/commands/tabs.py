"""Commands that do something with a tab: each asks the daemon, and says what came of it.

Knows: which verbs make a command, and which files are the person's own. Must not know: the wire.
Files are read and written here, by the person's own process: the daemon gets their content.
"""

from __future__ import annotations

import os
import sys

from pilothouse.cli.daemon_call import FAILED, Answer, Call, working_directory
from pilothouse.cli.output import (
    answer_commands,
    arrival_text,
    interrupts_text,
    paint,
    printable,
    value_text,
)
from pilothouse.cli.parser import Usage, metavar
from pilothouse.code.client import whole_app
from pilothouse.errors import PilothouseError
from pilothouse.paths import write_atomically

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
    "interrupts",
    "load_state",
    "network",
    "open_tab",
    "pdf",
    "run",
    "save_download",
    "save_state",
    "screenshot",
    "size_of",
    "upload",
    "wait",
]


def _verb_options(call: Call, *without: str) -> dict[str, Any]:
    """The options that the verb itself takes."""
    return {
        word.name: call.options[word.name]
        for word in call.command.words
        if word.name in call.options and word.name not in without
    }


def act(call: Call) -> Answer:
    """Any verb: its receipt, or its value."""
    return call.answer(call.verb(call.command.verb, _verb_options(call)))


def wait(call: Call) -> Answer:
    """`pilothouse wait`: for one thing."""
    ways = [word for word in call.command.words if word.name not in ("state", "timeout")]
    written = {w.name: metavar(w) if w.positional else w.option for w in ways}
    given = [written[word.name] for word in ways if call.options.get(word.name)]
    if len(given) != 1:
        said = f"{' and '.join(given)} are both given" if given else "what to wait for is missing"
        raise Usage(f"wait: {said}", hint=f"give one of {', '.join(written.values())}")
    return act(call)


# Opening and closing.


def open_tab(call: Call) -> Answer:
    """`pilothouse open`."""
    names = ("wait_until", "dialogs", "profile", "headed", "stealth", "browser", "timeout")
    wanted = call.given(*names)
    name = call.options.get("name") or call.tab
    call.tab = name
    wanted |= {"name": name, "url": call.options.get("url", "")}
    if "viewport" in call.options:
        wanted["viewport"] = size_of(call.options["viewport"])
    app = {"cdp_url": "cdp_url", "app": "path", "args": "args", "target": "target"}
    given = {app[key]: value for key, value in call.given(*app).items()}
    if "args" in given and "path" not in given:
        raise Usage("--args: it is for an application", hint="--app PATH --args=--flag")
    if given.keys() == {"target"}:
        wanted["target"] = given["target"]
    elif given:
        wanted["app"] = whole_app(given)
    result = call.ask("open", wanted, doing=f"opening {wanted['url'] or name}")
    details = result["details"]
    arrival = details.get("arrival")
    if isinstance(arrival, dict) and arrival.get("blocked_by"):
        return call.blocked({**arrival, "details": details})
    how = "Reused tab" if details["reused"] else "Opened tab"
    if details["adopted"] and details["browser"].startswith("the user's Chrome"):
        how = "Using your tab as"
    said = f"{how} {paint(name, 'bold')} on {details['browser']}"
    if arrival:
        said += "\n" + arrival_text(arrival)
    return Answer(details, said)


def size_of(text: str) -> dict[str, float]:
    """The size in `1280x800` or `1280x800@2`. Raises Usage."""
    size, _, scale = text.partition("@")
    width, _, height = size.partition("x")
    try:
        made = {"width": float(width), "height": float(height)}
        return {**made, "scale": float(scale)} if scale else made
    except ValueError:
        raise Usage(f"viewport: {text!r} is no size", hint="1280x800, or 1280x800@2") from None


def close_tab(call: Call) -> Answer:
    """`pilothouse close`."""
    wanted = {"name": call.options.get("name") or call.tab, **call.given("all", "kill")}
    result = call.ask("close", wanted, doing="closing")
    return Answer(result["details"], printable(result["text"]))


# Code.


def _read(file: str, what: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise PilothouseError(f"{file}: {why}", hint=f"name {what}") from None


def evaluate(call: Call) -> Answer:
    """`pilothouse eval`."""
    given = _verb_options(call)
    if given["code"] == "-":
        given["code"] = sys.stdin.read()
    result = call.verb("evaluate", given)
    return call.answer(result, None if _is_blocked(result) else value_text(result))


def run(call: Call) -> Answer:
    """`pilothouse run`."""
    file, code = call.options.get("file"), call.options.get("code")
    if (file is None) == (code is None):
        raise Usage("give a file, - or -c CODE", hint="pilothouse run script.py")
    language = call.options.get("language") or ("js" if (file or "").endswith(".js") else "python")
    text = code if code is not None else _read(str(file), "a file with Python code, or -")
    asked = {"name": call.tab, "code": text, "language": language, **call.given("timeout")}
    asked["cwd"] = working_directory()
    report = call.ask("run", asked, doing="running")
    shown = [_piece(item, number, call) for number, item in enumerate(report["content"], 1)]
    error = report.get("error")
    if error is None:
        return Answer(report, "\n".join(shown))
    told = {
        "message": error["message"],
        "hint": error.get("hint", ""),
        "kind": error.get("kind", "RunError"),
    }
    return Answer(report, "\n".join(shown), code=FAILED, error=told)


def _piece(item: dict[str, Any], number: int, call: Call) -> str:
    if "text" in item:
        return printable(str(item["text"]).rstrip("\n"))
    data = _decoded(item.get("data", ""))
    kind = str(item.get("mimeType") or item.get("mime") or "image/png").rpartition("/")[2]
    folder = call.options.get("images")
    if folder is None:
        return paint(f"[{kind} picture, {len(data)} bytes: --images FOLDER keeps it]", "dim")
    os.makedirs(folder, exist_ok=True)
    return _write(os.path.join(folder, f"{number}.{kind}"), data)


def cdp(call: Call) -> Answer:
    """`pilothouse cdp`."""
    asked = {"tab": call.tab, "command": call.options["method"], **call.given("frame_id")}
    asked["params"] = call.options.get("params") or {}
    result = call.ask("page.cdp", asked, doing=call.options["method"])
    return call.answer(result, None if _is_blocked(result) else value_text(result))


def _is_blocked(result: Any) -> bool:
    return isinstance(result, dict) and bool(result.get("blocked_by"))


# Files.


def _decoded(text: str) -> bytes:
    import base64

    return base64.b64decode(text)


def _write(path: str, data: bytes) -> str:
    try:
        write_atomically(path, data, 0o666)
    except OSError as error:
        raise PilothouseError(f"{path}: {error.strerror}", hint="name another with -o") from None
    return os.path.abspath(path)


def _own_name(stem: str, ending: str, folder: str = ".") -> str:
    """A name that no file has yet."""
    number, name = 1, f"{stem}.{ending}"
    while os.path.exists(os.path.join(folder, name)):
        number += 1
        name = f"{stem}-{number}.{ending}"
    return os.path.join(folder, name)


def screenshot(call: Call) -> Answer:
    """`pilothouse screenshot`."""
    given = _verb_options(call, "output")
    path = call.options.get("output")
    ending = os.path.splitext(path or "")[1].lstrip(".").replace("jpg", "jpeg")
    if ending in ("png", "jpeg", "webp"):
        given.setdefault("format", ending)
    result = call.verb("screenshot", given)
    if _is_blocked(result):
        return call.blocked(result)
    if path is None:
        from pilothouse.settings import load

        folder = os.path.expanduser(load().browser.screenshotDir) or "."
        os.makedirs(folder, exist_ok=True)
        path = _own_name(call.tab.replace("/", "-"), result["mime"].rpartition("/")[2], folder)
    place = _write(path, _decoded(result.pop("data")))
    size = f"{result['width']} x {result['height']}"
    note = f"\n  {printable(result['note'])}" if result.get("note") else ""
    return Answer({**result, "path": place}, f"{place}  {paint(size, 'dim')}{note}")


def pdf(call: Call) -> Answer:
    """`pilothouse pdf`."""
    result = call.verb("pdf", _verb_options(call, "output"))
    if _is_blocked(result):
        return call.blocked(result)
    data = _decoded(result.pop("data"))
    path = call.options.get("output") or _own_name(call.tab.replace("/", "-"), "pdf")
    place = _write(path, data)
    shown = f"{place}  {paint(f'{len(data)} bytes', 'dim')}"
    return Answer({**result, "path": place, "bytes": len(data)}, shown)


def extract(call: Call) -> Answer:
    """`pilothouse extract`."""
    result = call.verb("extract", _verb_options(call, "output"))
    if _is_blocked(result):
        return call.blocked(result)
    if path := call.options.get("output"):
        place = _write(path, str(result["text"] if result else "").encode())
        return Answer({**(result or {}), "path": place}, place)
    if result is None:
        return Answer(None, paint("the page has no text", "dim"))
    note = f"\n{paint(printable(result['note']), 'dim')}" if result.get("note") else ""
    return Answer(result, printable(result["text"]) + note)


def upload(call: Call) -> Answer:
    """`pilothouse upload`."""
    given = _verb_options(call)
    return call.answer(call.verb("upload", {**given, "paths": _copies(call, given["paths"])}))


def answer(call: Call) -> Answer:
    """`pilothouse answer`."""
    given = _verb_options(call, "files")
    detail = given.get("detail") or {}
    if files := [*call.options.get("files", ()), *detail.get("files", ())]:
        given["detail"] = {**detail, "files": _copies(call, files)}
    return call.answer(call.verb("answer", given))


def save_download(call: Call) -> Answer:
    """`pilothouse save-download`."""
    from pilothouse.code.client import with_files
    from pilothouse.paths import RuntimePaths

    asked = {"tab": call.tab, **_verb_options(call)}
    saved = with_files(
        lambda method, **given: call.ask(method, given), RuntimePaths(), "tab.save_download", asked
    )
    return Answer(saved, printable(str(saved["path"])))


def _copies(call: Call, paths: Any) -> list[str]:
    """The daemon only reads what a person put into its hands: it gets copies of the files."""
    from pilothouse.code.client import copy_uploads
    from pilothouse.paths import RuntimePaths

    call.line()  # a daemon that starts empties the folder of the copies
    return copy_uploads(paths, RuntimePaths())


def save_state(call: Call) -> Answer:
    """`pilothouse save-state`."""
    import json

    state = call.verb("save_state")
    path = call.options["file"]
    # Cookies are as good as passwords: nobody else may read the file.
    try:
        write_atomically(path, json.dumps(state, ensure_ascii=False).encode())
    except OSError as error:
        raise PilothouseError(f"{path}: {error.strerror}", hint="name another file") from None
    place = os.path.abspath(path)
    return Answer({"path": place}, place)


def load_state(call: Call) -> Answer:
    """`pilothouse load-state`."""
    import json

    text = _read(call.options["file"], "a file that save-state wrote")
    try:
        state = json.loads(text)
    except ValueError as error:
        hint = "name a file that save-state wrote"
        raise PilothouseError(f"{call.options['file']}: {error}", hint=hint) from None
    return call.answer(call.verb("load_state", {"state": state}))


# Knowing.


def dialog(call: Call) -> Answer:
    """`pilothouse dialog`."""
    action = call.options.get("action")
    if action is None:
        found = call.verb("dialogs")

        def show() -> None:
            from pilothouse.cli.output import show_dialogs

            show_dialogs(found, call.again)

        return Answer(found, show)
    asked: dict[str, Any] = {"accept": action == "accept", **call.given("text")}
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
        said += f" (it was over already, closed by {closed.get('closed_by', 'somebody')})"
    return Answer(result, said)


def interrupts(call: Call) -> Answer:
    """`pilothouse interrupts`: of all tabs, unless one is named."""
    named = [call.tab] if "tab" in call.options else []
    names = named or [tab["name"] for tab in call.ask("tabs") if tab["alive"]]
    waiting = []
    for call.tab in names:
        found = call.verb("dialogs")
        dialogs = [{"kind": "dialog", **one} for one in found["pending_dialogs"]]
        for one in (*dialogs, *found["interrupts"]):
            commands = answer_commands(one, call.again)
            waiting.append({**one, "tab": call.tab, "commands": commands})
    return Answer(waiting, interrupts_text(waiting) or "Nothing waits for an answer.")


def console(call: Call) -> Answer:
    """`pilothouse console`."""
    found = call.verb("console", _verb_options(call))

    def show() -> None:
        from pilothouse.cli.output import show_console

        show_console(found)

    return Answer(found, show)


def network(call: Call) -> Answer:
    """`pilothouse network`."""
    if path := call.options.get("har"):
        import json

        har = call.verb("har", call.given("url"))
        place = _write(path, json.dumps(har, ensure_ascii=False).encode())
        return Answer({"path": place}, place)
    if key := call.options.get("id"):
        one = call.verb("request", {"id": key, **call.given("body")})
        return Answer(one, value_text(one))
    found = call.verb("requests", call.given("url", "type", "failed", "since", "limit"))

    def show() -> None:
        from pilothouse.cli.output import show_requests

        show_requests(found)

    return Answer(found, show)


def cookies(call: Call) -> Answer:
    """`pilothouse cookies`."""
    action = call.options.get("action", "list")
    if action == "set":
        if "value" not in call.options:
            raise Usage("cookies set: name and value are wanted", hint="cookies set theme dark")
        made = call.verb("set_cookies", {"cookies": [call.given(*_COOKIE)]})
        return Answer(made, f"Set cookie {printable(call.options['name'])}")
    if action == "clear":
        gone = call.verb("clear_cookies", call.given("name", "domain", "path"))
        return Answer(gone, f"Cleared {gone['deleted']} cookies")
    found = call.verb("cookies", {"urls": [call.options["url"]]} if "url" in call.options else {})

    def show() -> None:
        from pilothouse.cli.output import show_cookies

        show_cookies(found, whole=bool(call.options.get("values")))

    return Answer(found, show)


_COOKIE = ("name", "value", "url", "domain", "path")
