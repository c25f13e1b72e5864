"""The settings in `config.yaml`: their names, types, defaults, choices and descriptions.

The file is `config.yaml` in the user's configuration directory, or the one that `PILOTHOUSE_CONFIG`
names. Environment variables override it. `load` checks the whole file and reports the first mistake
with file, line and field. `set_value` changes one field and keeps comments and order.

    browser:
      headless: true
      dialog_rules:
        - {type: beforeunload, policy: auto_accept}
    relay:
      port: 19222

Each field is declared once, in the structs below, with its type, description and default. Choices,
limits and environment variables follow in the tables after them. docs/configuration.md lists them
all.

Knows: which settings there are. Must not know: what they do.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.setting_values import (
    DIALOG_POLICIES,
    DialogRule,
    convert_value,
    describe_invalid,
    parse_dialog_rules,
    to_yaml,
    unknown_setting_error,
)
from pilothouse.speedup_switches import Speedups
from pilothouse.yaml_file import (
    keep_trailing_comments,
    line_of,
    load_editable,
    parse_file,
    write_file,
)

__all__ = [
    "OTHER_SECTIONS",
    "VARIABLES",
    "BrowserSettings",
    "DaemonSettings",
    "DialogRule",
    "IgnoredVariable",
    "McpSettings",
    "RelaySettings",
    "SearchSettings",
    "Settings",
    "VisionSettings",
    "WebSettings",
    "config_path",
    "descriptions",
    "find_ignored_variables",
    "line_of",
    "load",
    "parse_file",
    "set_value",
]

# Sections of the same file that other modules read.
OTHER_SECTIONS = {
    "toolsets": "Which tools agents get.",
    "platform_toolsets": "Which tools agents of one platform get.",
    "custom_toolsets": "Your own toolsets.",
    "tools": "Single tools to enable, disable or deny.",
    "mcp_servers": "Other MCP servers whose tools Pilothouse offers.",
    "plugins": "Plugins and their settings.",
    "policies": "Which addresses pages may reach.",
    "profiles": "Which owners may use which kept profile.",
    "secrets": "Values that agents type by name and never see.",
}

CAPTURE_MODES = ("off", "actions", "navigation")
STEALTH_LEVELS = ("off", "minimal", "full")
JOURNAL_MODES = ("off", "events", "messages")
SEARCH_BACKENDS = ("", "searxng", "brave", "page")
BROWSER_KINDS = ("headless", "extension")
CLIENT_MODES = ("multi-client", "single-active")
ATTACH_MODES = ("owned", "lazy", "eager")
RELAY_BROWSERS = ("extension", "managed")
STRUCTURED_MODES = ("off", "fields", "all")
IMAGE_MODES = ("auto", "allow", "omit")
PERMISSIONS = (
    "camera",
    "clipboard-read",
    "geolocation",
    "idle-detection",
    "local-fonts",
    "microphone",
    "midi",
    "notifications",
    "storage-access",
    "window-management",
)


class BrowserSettings(msgspec.Struct, frozen=True):
    """Which browser to use, and how."""

    kind: Annotated[
        str,
        "`headless`: a browser that Pilothouse launches. `extension`: your own Chrome, "
        "through the extension.",
    ] = "headless"
    headless: Annotated[bool, "`false` shows the windows of launched browsers."] = True
    cdp_url: Annotated[
        str,
        "Open tabs in this running browser instead of launching one: a URL, a port, a "
        "DevToolsActivePort file or a user data directory.",
    ] = ""
    executable: Annotated[
        str,
        "Full path of the browser to launch; empty: `PUPPETEER_EXECUTABLE_PATH`, else an "
        "installed browser.",
    ] = ""
    profile: Annotated[
        str,
        "A kept profile for all launched browsers; empty: each browser starts without any data.",
    ] = ""
    args: Annotated[
        tuple[str, ...],
        "More command line switches for launched browsers; dangerous ones are refused.",
    ] = ()
    dialog_policy: Annotated[
        str,
        "Default answer to JavaScript dialogs: `must_respond` keeps them open for the agent "
        "to answer, `auto_dismiss` and `auto_accept` answer at once.",
    ] = "must_respond"
    dialog_timeout_s: Annotated[
        float,
        "Seconds after which a dialog without an answer is dismissed.",
    ] = 300.0
    dialog_rules: Annotated[
        tuple[DialogRule, ...],
        "Exceptions to `dialog_policy` by dialog type, by origin, or both.",
    ] = ()
    screenshotDir: Annotated[str, "A folder in which screenshots may be saved."] = ""
    downloads: Annotated[bool, "`false`: pages download nothing, and receipts say so."] = True
    downloadDir: Annotated[str, "The folder for downloads; empty: a folder of the session."] = ""
    uploadDirs: Annotated[
        tuple[str, ...],
        "Folders that agents may upload files from, besides those of their session.",
    ] = ()
    permissions: Annotated[
        tuple[str, ...],
        "Permissions granted to every page without a prompt; all others are denied.",
    ] = ()
    stealth: Annotated[
        str,
        "How much of its automation a launched browser hides from pages.",
    ] = "minimal"
    capture: Annotated[
        str,
        "What Pilothouse keeps on disk of tabs in launched browsers: page, picture and console "
        "after each of the `actions`, or after each `navigation`.",
    ] = "off"
    capture_mb: Annotated[
        int,
        "Size of all captures together, in MB; the oldest ones are deleted.",
    ] = 200
    viewport_width: Annotated[int, "Width of pages in launched browsers, in CSS pixels."] = 1365
    viewport_height: Annotated[int, "Height of pages in launched browsers, in CSS pixels."] = 768
    viewport_scale: Annotated[float, "Device pixels per CSS pixel."] = 1.25


class DaemonSettings(msgspec.Struct, frozen=True):
    """How long the daemon and its tabs live, and how much memory and disk they use."""

    idle_s: Annotated[
        float,
        "Seconds without tabs, clients or calls after which the daemon stops.",
    ] = 3600.0
    tab_idle_s: Annotated[
        float,
        "Seconds without a call after which a tab is closed; 0: never.",
    ] = 0.0
    run_memory_mb: Annotated[int, "Memory limit of one run of code, in MB."] = 1024
    log_mb: Annotated[float, "Size at which the log is rotated, in MB."] = 10.0
    journal: Annotated[
        str,
        "What is recorded of each browser in memory, for `pilothouse journal export`: `off`, the "
        "supervisor's `events`, or these and CDP `messages`, which takes more time.",
    ] = "events"


class VisionSettings(msgspec.Struct, frozen=True):
    """The model that describes images for agents that cannot see them."""

    url: Annotated[str, "Address of an OpenAI-compatible endpoint."] = ""
    model: Annotated[str, "Name of the model."] = ""
    key_env: Annotated[
        str,
        "Name of the environment variable that holds the key. The key itself is never in the file.",
    ] = ""


class SearchSettings(msgspec.Struct, frozen=True):
    """The search engine behind `web_search`."""

    backend: Annotated[str, "Kind of search engine; empty: none, and `web_search` is hidden."] = ""
    url: Annotated[
        str,
        "Address of the search engine; for `page`, a search page with `{query}` in it.",
    ] = ""
    key_env: Annotated[str, "Name of the environment variable that holds the key."] = ""


class McpSettings(msgspec.Struct, frozen=True):
    """The form of results for MCP clients."""

    structured: Annotated[
        str,
        "How much of a result is also sent as `structuredContent`: nothing, its fields unless "
        "it has a long text, or always everything.",
    ] = "fields"
    images: Annotated[
        str,
        "Whether MCP clients get images: as the client declares (`auto`), always, or never.",
    ] = "auto"


class RelaySettings(msgspec.Struct, frozen=True):
    """The relay, which serves CDP to other programs on 127.0.0.1."""

    enabled: Annotated[bool, "Start the relay with the daemon."] = False
    port: Annotated[int, "Port of the relay on 127.0.0.1; 0 picks a free one."] = 19222
    client_mode: Annotated[
        str,
        "Whether several clients may use the relay at once.",
    ] = "multi-client"
    attach: Annotated[
        str,
        "Which tabs a client sees that does not choose: its own, all but attached late, or all.",
    ] = "owned"
    browser: Annotated[
        str,
        "Which browser a client gets that does not choose: your Chrome, or one that "
        "Pilothouse launches.",
    ] = "extension"
    grace_s: Annotated[
        float,
        "Seconds that your Chrome may be disconnected before its clients are told.",
    ] = 20.0
    detach_after_s: Annotated[
        float,
        "Seconds after which an unused tab of your Chrome is detached.",
    ] = 3.0
    files: Annotated[tuple[str, ...], "Folders that clients may upload from and download to."] = ()


class WebSettings(msgspec.Struct, frozen=True):
    """The web server on 127.0.0.1: the dashboard, and MCP over HTTP."""

    port: Annotated[int, "Port of the web server; 0 picks a free one."] = 7411
    dashboard: Annotated[
        bool,
        "Open the web server with the daemon. Otherwise `pilothouse dashboard` or "
        "`pilothouse serve` opens it.",
    ] = False


class Settings(msgspec.Struct, frozen=True):
    """All settings."""

    browser: BrowserSettings = msgspec.field(default_factory=BrowserSettings)
    daemon: DaemonSettings = msgspec.field(default_factory=DaemonSettings)
    vision: VisionSettings = msgspec.field(default_factory=VisionSettings)
    search: SearchSettings = msgspec.field(default_factory=SearchSettings)
    mcp: McpSettings = msgspec.field(default_factory=McpSettings)
    relay: RelaySettings = msgspec.field(default_factory=RelaySettings)
    web: WebSettings = msgspec.field(default_factory=WebSettings)
    speedups: Speedups = msgspec.field(default_factory=Speedups)


_ENVIRONMENT = {
    "PILOTHOUSE_HEADLESS": ("browser", "headless"),
    "PILOTHOUSE_CDP_URL": ("browser", "cdp_url"),
    "PILOTHOUSE_BROWSER": ("browser", "executable"),
    "PILOTHOUSE_BROWSER_KIND": ("browser", "kind"),
    "PILOTHOUSE_PROFILE": ("browser", "profile"),
    "PILOTHOUSE_DIALOG_POLICY": ("browser", "dialog_policy"),
    "PILOTHOUSE_SCREENSHOT_DIR": ("browser", "screenshotDir"),
    "PILOTHOUSE_STEALTH": ("browser", "stealth"),
    "PILOTHOUSE_CAPTURE": ("browser", "capture"),
    "PILOTHOUSE_IDLE_S": ("daemon", "idle_s"),
    "PILOTHOUSE_RELAY": ("relay", "enabled"),
    "RELAY_PORT": ("relay", "port"),
    "PILOTHOUSE_RELAY_PORT": ("relay", "port"),
    "PILOTHOUSE_CLIENT_MODE": ("relay", "client_mode"),
    "PILOTHOUSE_WEB_PORT": ("web", "port"),
    "PILOTHOUSE_LAZY_TABS": ("speedups", "lazy_tabs"),
    "PILOTHOUSE_PAGE_CACHE": ("speedups", "page_cache"),
    "PILOTHOUSE_WARM_UP": ("speedups", "warm_up"),
    "PILOTHOUSE_COALESCE_READS": ("speedups", "coalesce_reads"),
}
_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("browser", "dialog_policy"): DIALOG_POLICIES,
    ("browser", "stealth"): STEALTH_LEVELS,
    ("browser", "kind"): BROWSER_KINDS,
    ("browser", "capture"): CAPTURE_MODES,
    ("browser", "permissions"): PERMISSIONS,
    ("daemon", "journal"): JOURNAL_MODES,
    ("search", "backend"): SEARCH_BACKENDS,
    ("mcp", "structured"): STRUCTURED_MODES,
    ("mcp", "images"): IMAGE_MODES,
    ("relay", "client_mode"): CLIENT_MODES,
    ("relay", "attach"): ATTACH_MODES,
    ("relay", "browser"): RELAY_BROWSERS,
}
# Lower limits; for all other numbers it is 0.
_MINIMUM: dict[tuple[str, str], float] = {
    ("browser", "dialog_timeout_s"): 1,
    ("browser", "capture_mb"): 1,
    ("browser", "viewport_width"): 1,
    ("browser", "viewport_height"): 1,
    ("browser", "viewport_scale"): 0.1,
    ("daemon", "run_memory_mb"): 128,
}
_MAXIMUM: dict[tuple[str, str], float] = {("relay", "port"): 65535, ("web", "port"): 65535}

# Every environment variable that Pilothouse reads, with its meaning.
VARIABLES: dict[str, str] = {
    **{
        variable: f"Overrides `{section}.{name}`."
        for variable, (section, name) in _ENVIRONMENT.items()
    },
    "PILOTHOUSE_CONFIG": "Path of the settings file.",
    "PILOTHOUSE_RUNTIME_DIR": "Directory of the daemon's socket, log and temporary files. Another "
    "directory means another daemon.",
    "PILOTHOUSE_DATA_DIR": "Directory of the installed extension, its pairings, the relay's tokens "
    "and captures.",
    "PILOTHOUSE_OWNER": "The owner you call as, unless `--owner` or a parameter names one.",
    "PILOTHOUSE_PROXY": "Proxy server for launched browsers.",
    "PILOTHOUSE_PROXY_BYPASS_LOOPBACK": "If true, loopback traffic goes to the proxy too.",
    "PILOTHOUSE_PROXY_IGNORE_CERT_ERRORS": "If true, launched browsers accept the certificates of "
    "the proxy.",
    "PUPPETEER_PROXY": "As `PILOTHOUSE_PROXY`, if that is not set.",
    "PUPPETEER_PROXY_BYPASS_LOOPBACK": "As `PILOTHOUSE_PROXY_BYPASS_LOOPBACK`, if that is not set.",
    "PUPPETEER_PROXY_IGNORE_CERT_ERRORS": "As `PILOTHOUSE_PROXY_IGNORE_CERT_ERRORS`, "
    "if that is not set.",
    "PUPPETEER_EXECUTABLE_PATH": "Path of the browser to launch, if no setting names one.",
    "XDG_CONFIG_HOME": "Base directory of `pilothouse/config.yaml`, of the relay's autostart entry "
    "and of browsers' profiles when running browsers are looked for; default `~/.config`.",
    "XDG_DATA_HOME": "Base directory of kept profiles, of the installed extension and of the "
    "relay's tokens; default `~/.local/share`.",
    "XDG_CACHE_HOME": "Base directory of session files and of the known browser versions; default "
    "`~/.cache`.",
    "XDG_RUNTIME_DIR": "Base directory of the daemon's socket and log, if it exists.",
    "TMPDIR": "Directory for the temporary profiles of launched browsers.",
    "HOME": "The home directory, for the defaults above.",
    "PATH": "Where browsers and the commands of MCP servers are looked for.",
    "NO_COLOR": "If set, the command line prints no colours.",
    "TERM": "If `dumb`, the command line prints no colours.",
    "VISUAL": "The editor for `pilothouse config edit`.",
    "EDITOR": "The editor for `pilothouse config edit`, if `VISUAL` is not set; default `vi`.",
    "TZ": "Time zone for runs of code.",
}


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """Return the path of the settings file, whether it exists or not."""
    environ = os.environ if environ is None else environ
    if named := environ.get("PILOTHOUSE_CONFIG"):
        return Path(named).expanduser()
    base = environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "pilothouse" / "config.yaml"


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from file and environment.

    Raises PilothouseError that names file, line and field.
    """
    environ = os.environ if environ is None else environ
    path = path or config_path(environ)
    given: dict[str, dict[str, Any]] = {section: {} for section in _sections()}
    if path.exists():
        _read_file(path, given)
    for variable, (section, name) in _ENVIRONMENT.items():
        if environ.get(variable):
            given[section][name] = _validate(environ[variable], section, name, variable)
    return Settings(**{section: kind(**given[section]) for section, kind in _sections().items()})


class IgnoredVariable(msgspec.Struct, frozen=True):
    """A variable in a client's environment that differs from the settings the daemon uses.

    error: why the value is invalid; empty if it is valid
    """

    variable: str
    setting: str
    value: str
    in_use: Any = None
    error: str = ""


def find_ignored_variables(environ: Mapping[str, str], settings: Settings) -> list[IgnoredVariable]:
    """Find the variables of a client's environment that a running daemon ignores.

    The daemon read its own environment once, when it started. Pure.
    """
    found = []
    # If two variables name the same setting, the later in the table wins, as in `load`.
    named = {field: variable for variable, field in _ENVIRONMENT.items() if environ.get(variable)}
    for (section, name), variable in named.items():
        setting, given = f"{section}.{name}", environ[variable]
        in_use = getattr(getattr(settings, section), name)
        try:
            if _validate(given, section, name, variable) != in_use:
                found.append(IgnoredVariable(variable, setting, given, in_use))
        except PilothouseError as error:
            found.append(IgnoredVariable(variable, setting, given, in_use, error.format_line()))
    return found


def descriptions() -> dict[str, str]:
    """Return the description of every setting, by its full name (`browser.headless`)."""
    return {
        f"{section}.{name}": hint.__metadata__[0]
        for section, kind in _sections().items()
        for name, hint in get_type_hints(kind, include_extras=True).items()
    }


def _sections() -> dict[str, type[Any]]:
    return {
        "browser": BrowserSettings,
        "daemon": DaemonSettings,
        "vision": VisionSettings,
        "search": SearchSettings,
        "mcp": McpSettings,
        "relay": RelaySettings,
        "speedups": Speedups,
    }


def _read_file(path: Path, given: dict[str, dict[str, Any]]) -> None:
    document = parse_file(path)
    if document is None:
        return
    if not isinstance(document, dict):
        raise PilothouseError(f"{path}: expected a mapping of sections", hint="start with browser:")
    sections = _sections()
    for section, content in document.items():
        where = f"{path}:{line_of(document, section)}"
        if section in OTHER_SECTIONS:
            continue
        if section not in sections:
            raise unknown_setting_error(where, str(section), [*sections, *OTHER_SECTIONS])
        if content is None:
            continue  # a section whose fields are all commented out
        if not isinstance(content, dict):
            raise PilothouseError(
                f"{where}: {section}: expected a mapping of fields",
                hint="indent the fields below it",
            )
        known = sections[section].__struct_fields__
        for name, value in content.items():
            at = f"{path}:{line_of(content, name)}"
            if name not in known:
                raise unknown_setting_error(
                    at, f"{section}.{name}", [f"{section}.{k}" for k in known]
                )
            given[section][name] = _validate(value, section, name, at)


def _validate(value: Any, section: str, name: str, where: str) -> Any:
    """Convert a value to the type of its field and check choices and limits."""
    if (section, name) == ("browser", "dialog_rules"):
        return parse_dialog_rules(value, where)
    wanted = get_type_hints(_sections()[section])[name]
    made = convert_value(value, wanted)
    if made is None:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}
        raise PilothouseError(
            f"{where}: {section}.{name}: {describe_invalid(value)}",
            hint=f"use {kind.get(wanted, 'a list of strings')}",
        )
    least = _MINIMUM.get((section, name), 0)
    if wanted in (int, float) and made < least:
        raise PilothouseError(
            f"{where}: {section}.{name}: {made:g} is too small", hint=f"use at least {least:g}"
        )
    most = _MAXIMUM.get((section, name), math.inf)
    if wanted in (int, float) and made > most:
        raise PilothouseError(
            f"{where}: {section}.{name}: {made:g} is too large", hint=f"use at most {most:g}"
        )
    choices = _CHOICES.get((section, name))
    if choices is None:
        return made
    for one in made if isinstance(made, tuple) else (made,):
        if one not in choices:
            raise PilothouseError(
                f"{where}: {section}.{name}: unknown value {one!r}",
                hint=f"use one of {', '.join(choices)}",
            )
    return made


def set_value(name: str, value: str, path: Path | None = None) -> Path:
    """Write one setting into the file, keeping comments and order. Raises PilothouseError."""
    path = path or config_path()
    section, _, key = name.partition(".")
    sections = _sections()
    known = [f"{s}.{f}" for s, kind in sections.items() for f in kind.__struct_fields__]
    if name not in known:
        raise unknown_setting_error("config", name, known)
    made = _validate(value, section, key, "config")
    document = load_editable(path)
    if document.get(section) is None:
        document[section] = {}
    if not isinstance(document[section], dict):
        raise PilothouseError(
            f"{path}: {section}: expected a mapping of fields", hint="indent the fields below it"
        )
    with keep_trailing_comments(document[section]):
        document[section][key] = to_yaml(made)
    write_file(document, path)
    return path
