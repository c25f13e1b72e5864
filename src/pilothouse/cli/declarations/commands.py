"""Declare the commands: arguments, help text, examples, and the name of the handler.

Knows: names, arguments, examples and handlers. Must not know: how arguments are parsed
(cli/parser.py) or what handlers do. It is read on every call, so it imports only data. Every verb
of a tab is a command, even if it is not named here.
"""

from __future__ import annotations

from pilothouse.cli.command import Argument, CliCommand
from pilothouse.cli.declarations.mcp_and_serve import COMMANDS as MCP_COMMANDS
from pilothouse.cli.declarations.relay_and_extension import EXTENSION_COMMAND, RELAY_COMMAND
from pilothouse.cli.declarations.tab_verbs import VERBS
from pilothouse.cli.declarations.tools import TOOL_COMMANDS

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["COMMON", "GROUPS", "JSON", "all_commands", "find_command"]


def _positional(name: str, about: str = "", **more: Any) -> Argument:
    return Argument(name, about, positional=True, **more)


COMMON = (
    Argument("tab", "name of the tab (default: main)"),
    Argument("owner", "owner of the tab (default: $PILOTHOUSE_OWNER, or cli)"),
    Argument("timeout", "seconds, 1 to 300 (default: 30)", "float"),
)
JSON = Argument("json", "print one JSON object with ok, and result or error", "flag")
OUTPUT = Argument("output", "file to write", short="-o")

# Descriptions of parameters that many verbs have, used when the verb's docstring has none.
_DESCRIPTIONS = {
    "target": "a ref (e12), CSS, text=…, button=Save, label=…, XPath, or x,y",
    "frame": "frame of the element: ref of the iframe, name of the frame, or part of its URL",
    "frame_id": "id of a frame, from frames",
    "nth": "which match to use; 0 is the first",
    "modifiers": "keys to hold down: Alt, Control, Meta, Shift",
    "position": "x,y from the top left of the element",
    "hold_ms": "milliseconds to hold the mouse button down",
    "delay_ms": "milliseconds between keys",
    "submit": "press Enter afterwards",
    "url": "a URL",
    "depth": "levels of the tree; 0: all",
    "viewport": "only elements in the viewport",
    "boxes": "include the bounding box of each element",
    "hidden": "include hidden elements",
    "limit": "maximum number",
    "dx": "pixels to the right",
    "dy": "pixels down",
    "full_page": "the whole page, not only the viewport",
    "format": "file format",
    "quality": "1 to 100, for jpeg and webp",
    "scale": "scale factor",
    "selector": "CSS selector of an element",
    "ignore_cache": "bypass the HTTP cache",
    "wait_until": "load, domcontentloaded, networkidle0, networkidle2, commit or settled",
    "code": "JavaScript; - reads it from stdin",
    "args": "arguments of the function, as a JSON list",
    "action_id": "action id that the blocked command printed, such as a-1",
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

# Verbs with another name as a command, and verbs that other commands cover.
_ALIASES = {"eval": "evaluate", "wait": "wait_for"}
_HIDDEN_VERBS = frozenset(
    {
        "clear_cookies", "cookies", "dialogs", "evaluate", "handle_dialog", "har", "request",
        "requests", "set_cookies", "wait_for", "wait_for_response", "wait_for_url",
    }
)  # fmt: skip
# Optional parameters that may be given as positional arguments.
_EXTRA_POSITIONALS = {
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
_HIDDEN_PARAMETERS = {
    "load_state": ("state",),
    "save_state": ("path",),
    "screenshot": ("save",),
    "snapshot": ("client",),
}
_EXTRA_ARGUMENTS: dict[str, tuple[Argument, ...]] = {
    "answer": (_positional("files", "files for a file chooser", kind="texts", many=True),),
    "screenshot": (OUTPUT,),
    "pdf": (OUTPUT,),
    "extract": (OUTPUT,),
    "save_state": (_positional("file", "file to write", default="state.json"),),
    "load_state": (_positional("file", "a file that save-state wrote", default=...),),
}
_HANDLERS = {
    "answer": "commands.tab_verbs:answer",
    "evaluate": "commands.tab_verbs:evaluate",
    "screenshot": "commands.tab_verbs:screenshot",
    "pdf": "commands.tab_verbs:pdf",
    "extract": "commands.tab_verbs:extract",
    "upload": "commands.tab_verbs:upload",
    "save_download": "commands.tab_verbs:save_download",
    "save_state": "commands.tab_verbs:save_state",
    "load_state": "commands.tab_verbs:load_state",
    "console": "commands.tab_verbs:console",
    "wait_for": "commands.tab_verbs:wait",
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
    CliCommand(
        "open",
        "Open a URL in a tab: a new one, or the existing one of that name.",
        "commands.tab_verbs:open_tab",
        (
            _positional("url", "URL to open; without it, an empty tab"),
            Argument("name", "name of the tab (same as --tab)"),
            Argument("wait_until", _DESCRIPTIONS["wait_until"], choices=_CHOICES["wait_until"]),
            Argument("viewport", "viewport size, such as 1280x800 or 1280x800@2"),
            Argument("dialogs", "default answer to dialogs", choices=("accept", "dismiss", "ask")),
            Argument("profile", "named profile to use; it is kept"),
            Argument("headed", "show the browser window", "flag"),
            Argument("stealth", "how much to hide automation", choices=("off", "minimal", "full")),
            Argument("cdp_url", "connect to a running browser: URL, port or profile directory"),
            Argument("app", "path of a Chromium-based application to start or use"),
            Argument("args", "argument for --app, such as --args=--user-data-dir=notes", "texts"),
            Argument(
                "browser", "a managed browser, or your Chrome", choices=("managed", "extension")
            ),
            Argument("target", "use an open page: part of its URL or title, or its id"),
        ),
        examples=(
            "open https://example.com",
            "open example.com --name shop --viewport 390x844",
            "open --app ./notes --args=--user-data-dir=profile --target Inbox",
        ),
    ),
    CliCommand(
        "close",
        "Close a tab.",
        "commands.tab_verbs:close_tab",
        (
            _positional("name", "name of the tab (default: main)"),
            Argument("all", "close all your tabs", "flag"),
            Argument("kill", "also end an application that was started with --app", "flag"),
        ),
        examples=("close", "close shop", "close --all"),
    ),
    CliCommand(
        "run",
        "Run Python on a tab, in a sandboxed process.",
        "commands.tab_verbs:run",
        (
            _positional("file", "file to run; - reads stdin"),
            Argument("code", "code to run", short="-c"),
            Argument("language", "python, or js to run in the page", choices=("python", "js")),
            Argument("images", "folder for the images that the code displays"),
        ),
        examples=(
            "run script.py",
            "run -c 'tab.click(\"e3\"); tab.title()'",
            "echo 'print(tab.url())' | pilothouse run -",
        ),
    ),
    CliCommand("tabs", "List your tabs.", "commands.daemon_and_connection:tabs"),
    CliCommand(
        "dialog",
        "List open dialogs, or answer one.",
        "commands.tab_verbs:dialog",
        (
            _positional("action", "default: list", choices=("accept", "dismiss")),
            _positional("id", "id of the dialog, if several are open"),
            Argument("text", "text for a prompt"),
        ),
        examples=("dialog", "dialog accept", "dialog accept d-2 --text Ann"),
    ),
    CliCommand(
        "interrupts",
        "List everything that waits for an answer in your tabs, with the commands that answer it.",
        "commands.tab_verbs:interrupts",
        examples=("interrupts", "interrupts --tab shop"),
    ),
    CliCommand(
        "handover",
        "List what agents ask you to do in their tabs, or answer one of them.",
        "commands.tab_verbs:handover",
        (
            _positional(
                "action",
                "done: you did it. answer: give TEXT to the agent. refuse: you will not do it. "
                "Default: list",
                choices=("list", "done", "answer", "refuse"),
            ),
            _positional("id", "id of the request, such as h-1"),
            _positional("text", "your answer, or the reason of a refusal"),
        ),
        examples=(
            "handover",
            "handover done h-1",
            "handover answer h-1 482911",
            'handover refuse h-1 "not this shop"',
        ),
    ),
    CliCommand(
        "journal",
        "Print recent events and actions of your tabs, or export what your browsers recorded.",
        "commands.daemon_and_connection:journal",
        (
            _positional(
                "action",
                "export: write the record of each of your browsers to a file. replay: print such "
                "a file",
                choices=("export", "replay"),
            ),
            _positional("file", "an exported file, for replay"),
            Argument("last", "number of entries (default: 50)", "int", short="-n"),
        ),
        examples=("journal", "journal --tab shop -n 20", "journal export"),
    ),
    CliCommand(
        "network",
        "List the page's network requests, or print one.",
        "commands.tab_verbs:network",
        (
            _positional("id", "id of a request to print"),
            Argument("url", "only URLs that contain this text or match this glob"),
            Argument("type", "only this type: Document, Script, XHR, Fetch, Image, …"),
            Argument("failed", "only failed requests", "flag"),
            Argument("since", "only requests after this id"),
            Argument("limit", "maximum number (default: 100)", "int"),
            Argument("body", "include the response body", "flag"),
            Argument("har", "write all requests to this HAR file"),
        ),
        examples=("network", "network --failed", "network r12 --body", "network --har page.har"),
    ),
    CliCommand(
        "cookies",
        "List, set or clear the cookies of your browser.",
        "commands.tab_verbs:cookies",
        (
            _positional("action", "default: list", choices=("list", "set", "clear")),
            _positional("name", "name of the cookie"),
            _positional("value", "value of the cookie"),
            Argument("url", "URL of the cookie"),
            Argument("domain", "domain of the cookie"),
            Argument("path", "path of the cookie"),
            Argument("values", "show values in full", "flag"),
        ),
        examples=("cookies", "cookies set theme dark --url https://example.com", "cookies clear"),
    ),
    CliCommand(
        "cdp",
        "Send a Chrome DevTools Protocol command to the tab.",
        "commands.tab_verbs:cdp",
        (
            _positional("method", "such as Page.captureSnapshot", default=...),
            _positional("params", "its parameters, as a JSON object", kind="json"),
            Argument("frame_id", "send it to this frame"),
        ),
        examples=("cdp Browser.getVersion", "cdp Runtime.evaluate '{\"expression\": \"1+1\"}'"),
    ),
    CliCommand(
        "connect",
        "Connect to a running browser and open new tabs in it. Closes your tabs in other browsers.",
        "commands.daemon_and_connection:connect",
        (
            _positional(
                "endpoint",
                "URL, port or profile directory; by default, the browser that runs here is found "
                "by its profile or at ports 9222 to 9229",
            ),
        ),
        examples=("connect", "connect 9222", "connect ws://10.0.0.5:9222/devtools/browser/…"),
    ),
    CliCommand(
        "disconnect",
        "Disconnect from the running browser.",
        "commands.daemon_and_connection:disconnect",
    ),
    CliCommand(
        "status",
        "Show the daemon and its browsers. Sends a request to each browser.",
        "commands.daemon_and_connection:status",
    ),
    CliCommand(
        "daemon",
        "Start, stop or show the background daemon. Any command starts it when needed.",
        "commands.daemon_and_connection:daemon",
        (
            _positional(
                "action", "what to do", choices=("start", "stop", "status", "logs"), default=...
            ),
            Argument("lines", "lines of the log (default: 30)", "int", short="-n"),
            Argument("follow", "print new log lines as they appear", "flag", short="-f"),
        ),
        examples=("daemon status", "daemon logs -n 100", "daemon stop"),
    ),
    CliCommand(
        "doctor",
        "Check the browser, sandbox, fonts and files, and print how to fix problems.",
        "commands.doctor:doctor",
        common_options=False,
    ),
    CliCommand(
        "config",
        "Read and change the settings.",
        "commands.config:config",
        (
            _positional(
                "action",
                "what to do",
                choices=("list", "get", "set", "path", "edit"),
                default=...,
            ),
            _positional("name", "setting, such as browser.headless"),
            _positional("value", "new value"),
        ),
        examples=("config list", "config get browser.headless", "config set browser.stealth off"),
        common_options=False,
    ),
    CliCommand(
        "completion",
        "Print the completion script for a shell.",
        "completion:completion",
        (_positional("shell", "your shell", choices=("bash", "zsh", "fish"), default=...),),
        examples=('completion bash >> ~/.bashrc', "completion fish | source"),
        common_options=False,
    ),
    CliCommand(
        "demo",
        "Demonstrate how a dialog in a cross-site frame is detected and answered.",
        "commands.demo_and_look_runner:demo_command",
        common_options=False,
    ),
    CliCommand(
        "look",
        "Start or connect to a browser without the daemon, and print its tabs and frames.",
        "commands.demo_and_look_runner:look_command",
        (
            _positional("url", "URL to open first"),
            Argument(
                "cdp_url", "connect to a running browser: URL, port, DevToolsActivePort or profile"
            ),
            Argument("app", "start or connect to a Chromium-based application"),
            Argument("target", "only the page whose URL or title contains this text"),
            Argument("profile", "named profile to use; it is kept"),
            Argument("headed", "show the browser window", "flag"),
        ),
        examples=("look https://example.com", "look --cdp-url 9222"),
        common_options=False,
    ),
)  # fmt: skip
_BY_NAME = {
    command.name: command
    for command in (*_COMMANDS, *MCP_COMMANDS, *TOOL_COMMANDS, RELAY_COMMAND, EXTENSION_COMMAND)
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
            "dialog", "interrupts", "handover", "result", "answer", "console", "network", "journal",
            "cookies",
        ),
    ),
    ("daemon", ("status", "daemon", "connect", "disconnect", "config", "doctor", "completion")),
    ("agents", ("tools", "tool", "mcp", "serve", "dashboard", "relay", "extension")),
    ("try", ("demo", "look")),
)  # fmt: skip


def find_command(name: str) -> CliCommand | None:
    """Return the command of that name, or None."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    verb = _ALIASES.get(name) or name.replace("-", "_")
    if verb not in VERBS or (verb in _HIDDEN_VERBS and name not in _ALIASES) or "_" in name:
        return None
    return _command_for_verb(name, verb)


def all_commands() -> list[CliCommand]:
    """Return all commands: the grouped ones first, then the other tab verbs."""
    names = [name for _, group in GROUPS for name in group]
    rest = [verb.replace("_", "-") for verb in VERBS if verb not in _HIDDEN_VERBS]
    names += [name for name in rest if name not in names]
    return [command for name in names if (command := find_command(name)) is not None]


def _command_for_verb(name: str, verb: str) -> CliCommand:
    about, parameters = VERBS[verb]
    hidden = _HIDDEN_PARAMETERS.get(verb, ())
    arguments = [
        _argument_for_parameter(verb, *parameter)
        for parameter in parameters
        if parameter[0] not in hidden and parameter[0] != "timeout"
    ]
    arguments += _EXTRA_ARGUMENTS.get(verb, ())
    handler = _HANDLERS.get(verb, "commands.tab_verbs:act")
    return CliCommand(name, about, handler, arguments, verb=verb, examples=_EXAMPLES.get(name, ()))


def _argument_for_parameter(verb: str, name: str, kind: str, default: Any, about: str) -> Argument:
    positional = default is ... or name in _EXTRA_POSITIONALS.get(verb, ())
    choices = _FORMATS.get(verb, ()) if name == "format" else _CHOICES.get(name, ())
    description = about or _DESCRIPTIONS.get(name, "")
    if default not in (None, ..., "", False, True, 0):
        description = f"{description} (default: {default})".strip()
    many = positional and kind == "texts"
    if kind == "flag" and default is True:
        kind = "choice"
    return Argument(
        name,
        description,
        kind,
        default=default if default is ... else None,
        positional=positional,
        many=many,
        choices=choices,
    )
