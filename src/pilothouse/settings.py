"""Settings: one file for people, checked as a whole, with the line of what is wrong in it.

    browser:
      dialog_policy: must_respond     # auto_dismiss, auto_accept
      dialog_timeout_s: 300
      dialog_rules:                   # exceptions by type, by origin, or both
        - {type: beforeunload, policy: auto_accept}
      headless: true
      cdp_url: ""                     # join this browser instead of launching one
      screenshotDir: ~/shots
      downloads: true                 # false: pages download nothing
      downloadDir: ""                 # where downloads go; docs/files.md says where else
      uploadDirs: [~/invoices]        # agents may upload from here
      permissions: [geolocation]      # granted to every page; all others are denied
      stealth: minimal                # off, full; for browsers that we launch
      kind: headless                  # extension: the user's own Chrome
    mcp:
      structured: fields              # off, all: how much of an answer is also sent as fields
      images: auto                    # allow, omit: whether clients are sent pictures
    relay:
      enabled: false                  # CDP for other programs, on 127.0.0.1
      port: 19222

The file is `config.yaml` in the user's configuration directory, or `PILOTHOUSE_CONFIG`; variables
of the environment go before it. Knows: which settings there are. Must not know: what they do.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.yaml_file import editable, kept_tail, line_of, parse_file, write_file

__all__ = [
    "BrowserSettings",
    "DaemonSettings",
    "DialogRule",
    "McpSettings",
    "RelaySettings",
    "SearchSettings",
    "Settings",
    "Unheeded",
    "VisionSettings",
    "config_path",
    "line_of",
    "load",
    "parse_file",
    "set_value",
    "unheeded",
]

# Sections of the same file that others read: what an agent may use, and where it may go.
ELSEWHERE = (
    "toolsets",
    "platform_toolsets",
    "custom_toolsets",
    "tools",
    "mcp_servers",
    "plugins",
    "policies",
    "profiles",
    "secrets",
)

POLICIES = ("must_respond", "auto_dismiss", "auto_accept")
DIALOGS = ("alert", "confirm", "prompt", "beforeunload")
STEALTH = ("off", "minimal", "full")
SEARCHES = ("", "searxng", "brave", "page")
KINDS = ("headless", "extension")
CLIENT_MODES = ("multi-client", "single-active")
ATTACH = ("owned", "lazy", "eager")
RELAYED = ("extension", "managed")
STRUCTURED = ("off", "fields", "all")
IMAGES = ("auto", "allow", "omit")
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


class DialogRule(msgspec.Struct, frozen=True):
    """What happens to dialogs of one type, of one origin, or both, instead of `dialog_policy`."""

    policy: str
    type: str = ""
    origin: str = ""


class BrowserSettings(msgspec.Struct, frozen=True):
    """Which browser is used, and how."""

    kind: str = "headless"
    headless: bool = True
    cdp_url: str = ""
    executable: str = ""
    profile: str = ""
    args: tuple[str, ...] = ()
    dialog_policy: str = "must_respond"
    dialog_timeout_s: float = 300.0
    dialog_rules: tuple[DialogRule, ...] = ()
    screenshotDir: str = ""
    downloads: bool = True
    downloadDir: str = ""
    # Folders that agents may upload files from, beside those of their session.
    uploadDirs: tuple[str, ...] = ()
    # What pages may do without asking: geolocation, notifications, camera and the like.
    permissions: tuple[str, ...] = ()
    stealth: str = "minimal"
    viewport_width: int = 1365
    viewport_height: int = 768
    viewport_scale: float = 1.25


class DaemonSettings(msgspec.Struct, frozen=True):
    """How the daemon is kept."""

    idle_s: float = 3600.0
    tab_idle_s: float = 0.0
    run_memory_mb: int = 1024
    log_mb: float = 10.0


class VisionSettings(msgspec.Struct, frozen=True):
    """The model that looks at pictures for agents that cannot; `key_env` names the variable with
    its key."""

    url: str = ""
    model: str = ""
    key_env: str = ""


class SearchSettings(msgspec.Struct, frozen=True):
    """The search engine, by its kind; `key_env` names the variable with its key."""

    backend: str = ""
    url: str = ""
    key_env: str = ""


class McpSettings(msgspec.Struct, frozen=True):
    """How MCP clients are answered. `structured`: `fields` sends the fields of an answer as
    `structuredContent` unless it has a long text, `all` sends them always, `off` never."""

    structured: str = "fields"
    # Whether clients are sent pictures: as they say themselves (`auto`), always, or never.
    images: str = "auto"


class RelaySettings(msgspec.Struct, frozen=True):
    """How other programs speak CDP to a browser: the port, and what a client gets that asks for
    nothing in particular."""

    enabled: bool = False
    port: int = 19222
    client_mode: str = "multi-client"
    attach: str = "owned"
    browser: str = "extension"
    grace_s: float = 20.0
    detach_after_s: float = 3.0
    # Folders that clients may upload from and download to.
    files: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True):
    """Everything that can be set."""

    browser: BrowserSettings = msgspec.field(default_factory=BrowserSettings)
    daemon: DaemonSettings = msgspec.field(default_factory=DaemonSettings)
    vision: VisionSettings = msgspec.field(default_factory=VisionSettings)
    search: SearchSettings = msgspec.field(default_factory=SearchSettings)
    mcp: McpSettings = msgspec.field(default_factory=McpSettings)
    relay: RelaySettings = msgspec.field(default_factory=RelaySettings)


_ENVIRONMENT = {
    "PILOTHOUSE_HEADLESS": ("browser", "headless"),
    "PILOTHOUSE_CDP_URL": ("browser", "cdp_url"),
    "PILOTHOUSE_BROWSER": ("browser", "executable"),
    "PILOTHOUSE_BROWSER_KIND": ("browser", "kind"),
    "PILOTHOUSE_PROFILE": ("browser", "profile"),
    "PILOTHOUSE_DIALOG_POLICY": ("browser", "dialog_policy"),
    "PILOTHOUSE_SCREENSHOT_DIR": ("browser", "screenshotDir"),
    "PILOTHOUSE_STEALTH": ("browser", "stealth"),
    "PILOTHOUSE_IDLE_S": ("daemon", "idle_s"),
    "PILOTHOUSE_RELAY": ("relay", "enabled"),
    "RELAY_PORT": ("relay", "port"),
    "PILOTHOUSE_RELAY_PORT": ("relay", "port"),
    "PILOTHOUSE_CLIENT_MODE": ("relay", "client_mode"),
}
_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("browser", "dialog_policy"): POLICIES,
    ("browser", "stealth"): STEALTH,
    ("browser", "kind"): KINDS,
    ("browser", "permissions"): PERMISSIONS,
    ("search", "backend"): SEARCHES,
    ("mcp", "structured"): STRUCTURED,
    ("mcp", "images"): IMAGES,
    ("relay", "client_mode"): CLIENT_MODES,
    ("relay", "attach"): ATTACH,
    ("relay", "browser"): RELAYED,
}
# What numbers must at least be; all others must not be negative.
_LEAST: dict[tuple[str, str], float] = {
    ("browser", "dialog_timeout_s"): 1,
    ("browser", "viewport_width"): 1,
    ("browser", "viewport_height"): 1,
    ("browser", "viewport_scale"): 0.1,
    ("daemon", "run_memory_mb"): 128,
}
_MOST: dict[tuple[str, str], float] = {("relay", "port"): 65535}
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where the file is, or would be."""
    environ = os.environ if environ is None else environ
    if named := environ.get("PILOTHOUSE_CONFIG"):
        return Path(named).expanduser()
    base = environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "pilothouse" / "config.yaml"


def load(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of file and environment. Raises PilothouseError that names file, line and
    field."""
    environ = os.environ if environ is None else environ
    path = path or config_path(environ)
    given: dict[str, dict[str, Any]] = {section: {} for section in _sections()}
    if path.exists():
        _read(path, given)
    for variable, (section, name) in _ENVIRONMENT.items():
        if environ.get(variable):
            given[section][name] = _checked(environ[variable], section, name, variable)
    return Settings(**{section: kind(**given[section]) for section, kind in _sections().items()})


class Unheeded(msgspec.Struct, frozen=True):
    """A variable of a client that says something else than the settings in use; `error` if it says
    nothing that could be used."""

    variable: str
    setting: str
    value: str
    in_use: Any = None
    error: str = ""


def unheeded(environ: Mapping[str, str], settings: Settings) -> list[Unheeded]:
    """The variables of a client's environment that a daemon with these settings does not heed: it
    read its own environment when it started. Pure."""
    found = []
    # Of two variables for one setting the later counts, as in `load`.
    named = {field: variable for variable, field in _ENVIRONMENT.items() if environ.get(variable)}
    for (section, name), variable in named.items():
        setting, given = f"{section}.{name}", environ[variable]
        in_use = getattr(getattr(settings, section), name)
        try:
            if _checked(given, section, name, variable) != in_use:
                found.append(Unheeded(variable, setting, given, in_use))
        except PilothouseError as error:
            found.append(Unheeded(variable, setting, given, in_use, error.format_line()))
    return found


def _sections() -> dict[str, type[Any]]:
    return {
        "browser": BrowserSettings,
        "daemon": DaemonSettings,
        "vision": VisionSettings,
        "search": SearchSettings,
        "mcp": McpSettings,
        "relay": RelaySettings,
    }


def _read(path: Path, given: dict[str, dict[str, Any]]) -> None:
    document = parse_file(path)
    if document is None:
        return
    if not isinstance(document, dict):
        raise PilothouseError(f"{path}: sections are wanted", hint="begin with browser:")
    sections = _sections()
    for section, content in document.items():
        where = f"{path}:{line_of(document, section)}"
        if section in ELSEWHERE:
            continue
        if section not in sections:
            raise _unknown(where, str(section), [*sections, *ELSEWHERE])
        if content is None:
            continue  # a section whose fields are all commented out
        if not isinstance(content, dict):
            raise PilothouseError(f"{where}: {section}: fields are wanted", hint="indent them")
        known = sections[section].__struct_fields__
        for name, value in content.items():
            place = f"{path}:{line_of(content, name)}"
            if name not in known:
                raise _unknown(place, f"{section}.{name}", [f"{section}.{k}" for k in known])
            given[section][name] = _checked(value, section, name, place)


def _unknown(where: str, name: str, known: list[str]) -> PilothouseError:
    import difflib  # what is right need not wait for it

    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return PilothouseError(f"{where}: there is no setting {name}", hint=hint)


def _checked(value: Any, section: str, name: str, where: str) -> Any:
    """The value as its field wants it."""
    if (section, name) == ("browser", "dialog_rules"):
        return _dialog_rules(value, where)
    wanted = get_type_hints(_sections()[section])[name]
    made = _converted(value, wanted)
    if made is None:
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise PilothouseError(
            f"{where}: {section}.{name}: {_quoted(value)} will not do",
            hint=f"{kind.get(wanted, 'a list of texts')} is wanted",
        )
    least = _LEAST.get((section, name), 0)
    if wanted in (int, float) and made < least:
        raise PilothouseError(
            f"{where}: {section}.{name}: {made:g} is too little", hint=f"at least {least:g}"
        )
    most = _MOST.get((section, name), math.inf)
    if wanted in (int, float) and made > most:
        raise PilothouseError(
            f"{where}: {section}.{name}: {made:g} is too much", hint=f"at most {most:g}"
        )
    choices = _CHOICES.get((section, name))
    if choices is None:
        return made
    for one in made if isinstance(made, tuple) else (made,):
        if one not in choices:
            raise PilothouseError(
                f"{where}: {section}.{name}: {one!r} is not known",
                hint=f"one of {', '.join(choices)}",
            )
    return made


def _dialog_rules(value: Any, where: str) -> tuple[DialogRule, ...]:
    """The rules for dialogs; a text is read as JSON, as the command line gives it."""
    field = f"{where}: browser.dialog_rules"
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value or "[]")
        except msgspec.DecodeError:
            value = None
    if not isinstance(value, list):
        raise PilothouseError(
            f"{field}: a list of rules is wanted",
            hint="- {type: beforeunload, policy: auto_accept}",
        )
    return tuple(_dialog_rule(rule, f"{field}[{index}]") for index, rule in enumerate(value))


def _dialog_rule(rule: Any, field: str) -> DialogRule:
    if not isinstance(rule, dict) or not rule:
        raise PilothouseError(
            f"{field}: {_quoted(rule)} will not do", hint="type, origin and policy are its fields"
        )
    for name, value in rule.items():
        if name not in DialogRule.__struct_fields__:
            raise _unknown(field, str(name), list(DialogRule.__struct_fields__))
        choices = {"type": DIALOGS, "policy": POLICIES}.get(name)
        if choices and value not in choices:
            raise PilothouseError(
                f"{field}.{name}: {value!r} is not known", hint=f"one of {', '.join(choices)}"
            )
    origin = str(rule.get("origin", "")).lower().rstrip("/")
    if "origin" in rule and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/?#@\s]+", origin):
        raise PilothouseError(
            f"{field}.origin: {rule['origin']!r} is no origin",
            hint="scheme, host and port, as https://shop.example",
        )
    if "policy" not in rule or not (origin or "type" in rule):
        missing = "type or origin" if "policy" in rule else "policy"
        raise PilothouseError(
            f"{field}: {missing} is missing", hint="{type: beforeunload, policy: auto_accept}"
        )
    return DialogRule(rule["policy"], rule.get("type", ""), origin)


def _quoted(value: Any) -> str:
    return "nothing" if value is None else f"'{value}'"


def _converted(value: Any, wanted: Any) -> Any:
    text = str(value).strip().lower()
    if wanted is bool:
        if isinstance(value, bool):
            return value
        return True if text in _TRUE else False if text in _FALSE else None
    if wanted in (int, float):
        if isinstance(value, bool):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(number) or (wanted is int and number != int(number)):
            return None
        return wanted(number)
    if wanted is str:
        if value is None:
            return ""
        plain = isinstance(value, str | int | float) and not isinstance(value, bool)
        return str(value) if plain else None
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(str(part) for part in value) if isinstance(value, list) else None


def set_value(name: str, value: str, path: Path | None = None) -> Path:
    """Write one setting into the file; comments and order stay. Raises PilothouseError."""
    path = path or config_path()
    section, _, key = name.partition(".")
    sections = _sections()
    known = [f"{s}.{f}" for s, kind in sections.items() for f in kind.__struct_fields__]
    if name not in known:
        raise _unknown("config", name, known)
    made = _checked(value, section, key, "config")
    document = editable(path)
    if document.get(section) is None:
        document[section] = {}
    if not isinstance(document[section], dict):
        raise PilothouseError(f"{path}: {section}: fields are wanted", hint="indent them")
    with kept_tail(document[section]):
        document[section][key] = _written(made)
    write_file(document, path)
    return path


def _written(made: Any) -> Any:
    """The value as a person would write it."""
    if isinstance(made, float) and made.is_integer():
        return int(made)
    if isinstance(made, tuple):
        return [_written_rule(one) if isinstance(one, DialogRule) else one for one in made]
    return made


def _written_rule(rule: DialogRule) -> dict[str, str]:
    fields = ("type", "origin", "policy")
    return {name: value for name in fields if (value := getattr(rule, name))}
