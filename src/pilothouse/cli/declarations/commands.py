"""Every command of the command line, declared: its words, what it is for, who does it.

Knows: names, words, examples, and which module does a command. Must not know: how words are
parsed (parser.py) or done. It is read on every call, so it imports nothing but data; every verb
of a tab is a command, whether or not it is named here.
"""

from __future__ import annotations

from pilothouse.cli.command import Command, Word
from pilothouse.cli.declarations.mcp import COMMANDS as _FOR_AGENTS
from pilothouse.cli.declarations.relay import RELAY_COMMANDS
from pilothouse.cli.declarations.tab_verbs import VERBS
from pilothouse.cli.declarations.tools import TOOL_COMMANDS

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["COMMON", "GROUPS", "JSON", "all_commands", "find"]


def _at(name: str, about: str = "", **more: Any) -> Word:
    return Word(name, about, positional=True, **more)


COMMON = (
    Word("tab", "which of your tabs (default: main)"),
    Word("owner", "as whom (default: $PILOTHOUSE_OWNER, or cli)"),
    Word("timeout", "seconds it may take, 1 to 300 (default: 30)", "float"),
)
JSON = Word("json", "print one JSON envelope: ok, and result or error", "flag")
OUTPUT = Word("output", "the file to write", short="-o")

# What parameters of many verbs mean, where their declaration does not say.
_MEANINGS = {
    "target": "a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y",
    "frame": "the frame it is in: the ref of its iframe, its name, or part of its address",
    "frame_id": "the id of a frame",
    "nth": "which one, if several match; 0 is the first",
    "modifiers": "keys held meanwhile: Alt, Control, Meta, Shift",
    "position": "x,y from the top left of the element",
    "hold_ms": "how long the button is down",
    "delay_ms": "pause between keys",
    "submit": "press Enter afterwards",
    "url": "an address",
    "depth": "how deep; 0 is all",
    "viewport": "only what can be seen now",
    "boxes": "with the place of each element",
    "hidden": "also what cannot be seen",
    "limit": "at most so many",
    "dx": "pixels to the right",
    "dy": "pixels down",
    "full_page": "the whole page",
    "format": "the format",
    "quality": "1 to 100, of jpeg and webp",
    "scale": "the size of a pixel",
    "selector": "CSS of an element",
    "ignore_cache": "fetch everything again",
    "wait_until": "load, domcontentloaded, networkidle0, networkidle2, commit or settled",
    "code": "the code; - reads it from stdin",
    "args": "its arguments, as a JSON list",
    "action_id": "what the blocked call named, such as a-1",
}
_CHOICES = {
    "wait_until": (
        "load", "domcontentloaded", "networkidle0", "networkidle2", "commit", "settled",
    ),
    "world": ("main", "isolated"),
    "state": ("visible", "hidden", "attached", "detached"),
    "level": ("debug", "info", "warning", "error"),
}  # fmt: skip
_FORMATS = {"screenshot": ("png", "jpeg", "webp"), "extract": ("markdown", "text")}

# Verbs that have another name here, and those that other commands are made of.
_ALIASES = {"eval": "evaluate", "wait": "wait_for"}
_COVERED = frozenset(
    {
        "clear_cookies", "cookies", "dialogs", "evaluate", "handle_dialog", "har", "request",
        "requests", "set_cookies", "wait_for", "wait_for_response", "wait_for_url",
    }
)  # fmt: skip
# Parameters that may stand in the line beside the required ones.
_PLACES = {
    "drag": ("destination",),
    "emulate": ("device",),
    "html": ("target",),
    "key_up": ("key",),
    "press": ("target",),
    "save_download": ("to",),
    "screenshot": ("target",),
    "scroll": ("target",),
    "snapshot": ("root",),
    "storage": ("key",),
    "unroute": ("id",),
    "wait_for": ("selector",),
}
_HIDDEN = {
    "load_state": ("state",),
    "save_state": ("path",),
    "screenshot": ("save",),
    "snapshot": ("client",),
}
_EXTRA: dict[str, tuple[Word, ...]] = {
    "answer": (_at("files", "the files for a file chooser", kind="texts", many=True),),
    "screenshot": (OUTPUT,),
    "pdf": (OUTPUT,),
    "extract": (OUTPUT,),
    "save_state": (_at("file", "the file to write", default="state.json"),),
    "load_state": (_at("file", "a file that save-state wrote", default=...),),
}
_DOES = {
    "answer": "commands.tabs:answer",
    "evaluate": "commands.tabs:evaluate",
    "screenshot": "commands.tabs:screenshot",
    "pdf": "commands.tabs:pdf",
    "extract": "commands.tabs:extract",
    "upload": "commands.tabs:upload",
    "save_download": "commands.tabs:save_download",
    "save_state": "commands.tabs:save_state",
    "load_state": "commands.tabs:load_state",
    "console": "commands.tabs:console",
    "wait_for": "commands.tabs:wait",
}
_EXAMPLES = {
    "click": ("click e12", 'click "button=Sign in" --tab shop', "click 120,300 --button right"),
    "fill": ('fill "label=Email" ann@example.com', "fill e7 true", "fill #q sloop --submit"),
    "type": ("type e3 hello", 'type e3 "two words" --delay-ms 40'),
    "press": ("press Enter", "press Control+A e3"),
    "select": ("select #country Austria", "select e9 red blue"),
    "snapshot": ("snapshot", "snapshot --interactive", "snapshot --find price", "snapshot --diff"),
    "wait": ('wait --text "Order placed"', "wait '#done'", "wait --url '*/thanks*'"),
    "eval": ("eval document.title", "eval - < script.js", "eval '(a, b) => a + b' --args '[1, 2]'"),
    "screenshot": ("screenshot", "screenshot e12 -o logo.png", "screenshot --full-page --annotate"),
    "scroll": ("scroll --dy 600", "scroll --to bottom"),
    "drag": ("drag e4 e9", "drag '.slider' --by 120,0"),
    "upload": ("upload '#photo' me.jpg", "upload e5 one.pdf two.pdf"),
    "extract": ("extract", "extract --no-article -o page.md"),
    "answer": ("answer i-1 grant", "answer i-1 upload report.pdf"),
    "result": ("result a-1",),
}  # fmt: skip

_COMMANDS = (
    Command(
        "open",
        "Open a page in a tab of yours, new or there already.",
        "commands.tabs:open_tab",
        (
            _at("url", "the address; without one an empty tab"),
            Word("name", "the tab's name (as --tab)"),
            Word("wait_until", _MEANINGS["wait_until"], choices=_CHOICES["wait_until"]),
            Word("viewport", "its size, as 1280x800 or 1280x800@2"),
            Word("dialogs", "what happens to dialogs", choices=("accept", "dismiss", "ask")),
            Word("profile", "a named profile that is kept"),
            Word("headed", "show the window", "flag"),
            Word("stealth", "how little it stands out", choices=("off", "minimal", "full")),
            Word("cdp_url", "join a running browser: URL, port or profile directory"),
            Word("app", "start or use an application, by its path"),
            Word("args", "an argument for it, as --args=--user-data-dir=notes", "texts"),
            Word("browser", "a browser of ours, or your Chrome", choices=("managed", "extension")),
            Word("target", "use an open page: a part of its address or title, or its id"),
        ),
        examples=(
            "open https://example.com",
            "open example.com --name shop --viewport 390x844",
            "open --app ./notes --args=--user-data-dir=profile --target Inbox",
        ),
    ),
    Command(
        "close",
        "Close a tab.",
        "commands.tabs:close_tab",
        (
            _at("name", "the tab (default: main)"),
            Word("all", "all of your tabs", "flag"),
            Word("kill", "also end an application that was started for them", "flag"),
        ),
        examples=("close", "close shop", "close --all"),
    ),
    Command(
        "run",
        "Run Python on a tab, in a process that can always be stopped.",
        "commands.tabs:run",
        (
            _at("file", "a file; - is stdin"),
            Word("code", "the code itself", short="-c"),
            Word("language", "python, or js in the page", choices=("python", "js")),
            Word("images", "a folder for the pictures it displays"),
        ),
        examples=(
            "run script.py",
            "run -c 'tab.click(\"e3\"); tab.title()'",
            "echo 'print(tab.url())' | pilothouse run -",
        ),
    ),
    Command("tabs", "Your tabs.", "commands.daemon:tabs"),
    Command(
        "dialog",
        "The dialogs that wait, or the answer to one.",
        "commands.tabs:dialog",
        (
            _at("action", "without one: list them", choices=("accept", "dismiss")),
            _at("id", "which one, if several wait"),
            Word("text", "what is typed into a prompt"),
        ),
        examples=("dialog", "dialog accept", "dialog accept d-2 --text Ann"),
    ),
    Command(
        "interrupts",
        "What waits for an answer in your tabs, with the commands that answer it.",
        "commands.tabs:interrupts",
        examples=("interrupts", "interrupts --tab shop"),
    ),
    Command(
        "journal",
        "What happened in your tabs lately, and what was done about it.",
        "commands.daemon:journal",
        (Word("last", "so many lines (default: 50)", "int", short="-n"),),
        examples=("journal", "journal --tab shop -n 20"),
    ),
    Command(
        "network",
        "The requests of the page; one of them with an id.",
        "commands.tabs:network",
        (
            _at("id", "one request"),
            Word("url", "only those with this in the address, or a glob"),
            Word("type", "only this type: Document, Script, XHR, Fetch, Image, …"),
            Word("failed", "only failed ones", "flag"),
            Word("since", "only those after this id"),
            Word("limit", "at most so many (default: 100)", "int"),
            Word("body", "with its body", "flag"),
            Word("har", "write all as a HAR file"),
        ),
        examples=("network", "network --failed", "network r12 --body", "network --har page.har"),
    ),
    Command(
        "cookies",
        "The cookies of your browser; set or clear them.",
        "commands.tabs:cookies",
        (
            _at("action", "without one: list them", choices=("list", "set", "clear")),
            _at("name", "of the cookie"),
            _at("value", "of the cookie"),
            Word("url", "the address it is for"),
            Word("domain", "the domain it is for"),
            Word("path", "the path it is for"),
            Word("values", "show values in full", "flag"),
        ),
        examples=("cookies", "cookies set theme dark --url https://example.com", "cookies clear"),
    ),
    Command(
        "cdp",
        "Send any command of the DevTools protocol to the tab.",
        "commands.tabs:cdp",
        (
            _at("method", "such as Page.captureSnapshot", default=...),
            _at("params", "its parameters", kind="json"),
            Word("frame_id", "the frame it is for"),
        ),
        examples=("cdp Browser.getVersion", "cdp Runtime.evaluate '{\"expression\": \"1+1\"}'"),
    ),
    Command(
        "connect",
        "Join a running browser now, and open your tabs in it. Your tabs elsewhere are closed.",
        "commands.daemon:connect",
        (
            _at(
                "endpoint",
                "URL, port or profile directory; without it the browser that runs here, by its "
                "profile or at ports 9222 to 9229",
            ),
        ),
        examples=("connect", "connect 9222", "connect ws://10.0.0.5:9222/devtools/browser/…"),
    ),
    Command("disconnect", "Leave the browser that was joined.", "commands.daemon:disconnect"),
    Command("status", "What runs, proved by asking it.", "commands.daemon:status"),
    Command(
        "daemon",
        "The daemon that keeps the browsers; any call starts it.",
        "commands.daemon:daemon",
        (
            _at("action", "to do", choices=("start", "stop", "status", "logs"), default=...),
            Word("lines", "of the log (default: 30)", "int", short="-n"),
            Word("follow", "go on with the log as it grows", "flag", short="-f"),
        ),
        examples=("daemon status", "daemon logs -n 100", "daemon stop"),
    ),
    Command(
        "doctor",
        "Check browser, sandbox, fonts, files and walls; say how to mend each.",
        "doctor.doctor:doctor",
        owned=False,
    ),
    Command(
        "config",
        "The settings.",
        "commands.config:config",
        (
            _at("action", "to do", choices=("list", "get", "set", "path", "edit"), default=...),
            _at("name", "such as browser.headless"),
            _at("value", "the new value"),
        ),
        examples=("config list", "config get browser.headless", "config set browser.stealth off"),
        owned=False,
    ),
    Command(
        "completion",
        "Print the completions for a shell.",
        "completion:completion",
        (_at("shell", "your shell", choices=("bash", "zsh", "fish"), default=...),),
        examples=('completion bash >> ~/.bashrc', "completion fish | source"),
        owned=False,
    ),
    Command(
        "demo",
        "Show a dialog in a frame of another site being seen and answered.",
        "commands.live:demo_command",
        owned=False,
    ),
    Command(
        "look",
        "Open or join a browser without the daemon, and describe what it holds.",
        "commands.live:look_command",
        (
            _at("url", "a page to open first"),
            Word("cdp_url", "join a running browser: URL, port, DevToolsActivePort or profile"),
            Word("app", "start or join a Chromium-based application"),
            Word("target", "only the page whose URL or title has this text"),
            Word("profile", "a named profile that is kept"),
            Word("headed", "show the browser's window", "flag"),
        ),
        examples=("look https://example.com", "look --cdp-url 9222"),
        owned=False,
    ),
)  # fmt: skip
_BY_NAME = {
    command.name: command for command in (*_COMMANDS, *_FOR_AGENTS, *TOOL_COMMANDS, *RELAY_COMMANDS)
}

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tabs", ("open", "close", "tabs", "back", "forward", "reload", "goto")),
    ("see", ("snapshot", "screenshot", "extract", "pdf", "eval", "cdp")),
    (
        "act",
        (
            "click", "fill", "type", "press", "select", "check", "hover", "scroll", "drag",
            "upload", "wait", "run",
        ),
    ),
    (
        "know",
        (
            "dialog", "interrupts", "result", "answer", "console", "network", "journal",
            "cookies",
        ),
    ),
    ("daemon", ("status", "daemon", "connect", "disconnect", "config", "doctor", "completion")),
    ("agents", ("tools", "tool", "mcp", "serve", "relay", "extension")),
    ("try", ("demo", "look")),
)  # fmt: skip


def find(name: str) -> Command | None:
    """The command of that name."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    verb = _ALIASES.get(name) or name.replace("-", "_")
    if verb not in VERBS or (verb in _COVERED and name not in _ALIASES) or "_" in name:
        return None
    return _of_verb(name, verb)


def all_commands() -> list[Command]:
    """Every command there is: the grouped ones first, then the other verbs."""
    names = [name for _, group in GROUPS for name in group]
    rest = [verb.replace("_", "-") for verb in VERBS if verb not in _COVERED]
    names += [name for name in rest if name not in names]
    return [command for name in names if (command := find(name)) is not None]


def _of_verb(name: str, verb: str) -> Command:
    about, parameters = VERBS[verb]
    hidden = _HIDDEN.get(verb, ())
    words = [
        _of_parameter(verb, *parameter)
        for parameter in parameters
        if parameter[0] not in hidden and parameter[0] != "timeout"
    ]
    words += _EXTRA.get(verb, ())
    does = _DOES.get(verb, "commands.tabs:act")
    return Command(name, about, does, words, verb=verb, examples=_EXAMPLES.get(name, ()))


def _of_parameter(verb: str, name: str, kind: str, default: Any, about: str) -> Word:
    positional = default is ... or name in _PLACES.get(verb, ())
    choices = _FORMATS.get(verb, ()) if name == "format" else _CHOICES.get(name, ())
    told = about or _MEANINGS.get(name, "")
    if default not in (None, ..., "", False, True, 0):
        told = f"{told} (default: {default})".strip()
    many = positional and kind == "texts"
    if kind == "flag" and default is True:
        kind = "choice"
    return Word(
        name,
        told,
        kind,
        default=default if default is ... else None,
        positional=positional,
        many=many,
        choices=choices,
    )
