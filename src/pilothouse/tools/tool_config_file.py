"""Read the user's tool choices from config.yaml and write switches back.

    toolsets: [browser, web]              # for every platform; without it, each has its default
    platform_toolsets:
      mcp: [lean, shopping]
    custom_toolsets:
      shopping: [browser, web_search, "mcp_shop_*"]
    tools:
      enable: [execute]                   # switches, relative to the selection
      disable: [browser_cdp]
      platforms:
        mcp: {disable: [browser-data]}
      deny: ["*_upload"]                  # never on, always wins
    mcp_servers:
      files: {command: npx, args: [-y, "@scope/server"]}
      shop: {url: "https://shop.example/mcp", headers: {Authorization: Bearer …}}

Knows: these sections, their fields and lines. Must not know: which tools are selected as a result
(selection.py). Switches are written as differences to the default; comments in the file stay.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pilothouse.errors import PilothouseError
from pilothouse.settings import config_path
from pilothouse.tools.selection import Choices, Switches
from pilothouse.tools.toolsets import PLATFORMS, NameEntry
from pilothouse.yaml_file import (
    keep_trailing_comments,
    line_of,
    load_editable,
    parse_file,
    to_yaml,
    write_file,
)

__all__ = ["McpServerConfig", "SwitchChange", "ToolConfig", "load", "save"]

_TOOLS = ("enable", "disable", "deny", "platforms")
_SERVER = ("command", "args", "env", "url", "headers", "include", "exclude", "enabled")


class McpServerConfig(msgspec.Struct, frozen=True):
    """An MCP server from `mcp_servers:`: a `command` with `args` and `env`, or a `url` with
    `headers`. `include` and `exclude` are names and patterns of its tools; without `include`, all
    its tools are included. `place` is its file and line."""

    name: str
    place: str = ""
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    enabled: bool = True


class ToolConfig(msgspec.Struct, frozen=True):
    """Everything config.yaml says about tools. `policies` is that section as parsed, with its
    line numbers (settings.line_of), or None."""

    path: Path
    choices: Choices = msgspec.field(default_factory=Choices)
    servers: Mapping[str, McpServerConfig] = msgspec.field(default_factory=dict)
    policies: Any = None


class SwitchChange(msgspec.Struct, frozen=True):
    """One switch to write, for a platform or, with "", for all. `on` None removes the switch."""

    name: str
    on: bool | None
    platform: str = ""


def load(path: Path | None = None) -> ToolConfig:
    """Read the file; without a file, return empty choices. Raises PilothouseError that names
    file, line and field."""
    path = path or config_path()
    document = parse_file(path) if path.exists() else None
    if document is None:
        return ToolConfig(path, Choices(path=str(path)))
    if not isinstance(document, dict):
        raise PilothouseError(
            f"{path}: expected sections with fields", hint="begin with a section such as tools:"
        )
    read = _ToolConfigReader(path)
    servers = read.servers(document)
    selection = read.names(document, "toolsets", "toolsets", needed=True)
    tools = read.mapping(document, "tools", "tools", _TOOLS)
    platforms = read.mapping(tools, "platforms", "tools.platforms", PLATFORMS, "platform")
    choices = Choices(
        toolsets=selection,
        platform_toolsets=read.lists(document, "platform_toolsets", PLATFORMS),
        custom=read.lists(document, "custom_toolsets"),
        switches=read.switches(tools, "tools"),
        platform_switches={
            platform: read.switches(
                read.mapping(
                    platforms, platform, f"tools.platforms.{platform}", ("enable", "disable")
                ),
                f"tools.platforms.{platform}",
            )
            for platform in platforms
        },
        deny=read.names(tools, "deny", "tools.deny") or (),
        servers={server.name: server.place for server in servers.values() if server.enabled},
        path=str(path),
    )
    return ToolConfig(path, choices, servers, document.get("policies"))


class _ToolConfigReader:
    """Reads and checks the sections of one file. Errors name the line and the field."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def error(self, holder: Any, key: Any, problem: str, hint: str) -> PilothouseError:
        return PilothouseError(f"{self.location(holder, key)}: {problem}", hint=hint)

    def location(self, holder: Any, key: Any) -> str:
        return f"{self.path}:{line_of(holder, key)}"

    def mapping(
        self,
        holder: Any,
        key: str,
        field: str,
        known: Sequence[str] = (),
        what: str = "field",
    ) -> dict[str, Any]:
        """Return a section as a dict; {} if it is missing."""
        found = holder.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.error(
                holder, key, f"{field}: expected fields, name: value", "indent them below it"
            )
        for name in found:
            if not isinstance(name, str):
                raise self.error(
                    found, name, f"{field}: {name!r} is not a name", "put it in quotes"
                )
            if known and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                raise self.error(found, name, f"{field}: unknown {what} {name!r}", hint)
        return found

    def names(
        self, holder: Any, key: str, field: str, *, needed: bool = False
    ) -> tuple[NameEntry, ...] | None:
        """Return a list of names, each with its line; None if the field is missing or null."""
        found = holder.get(key)
        if found is None:
            return None
        if isinstance(found, str):
            parts = [part for part in re.split(r"[\s,]+", found) if part]
            lines = [line_of(holder, key)] * len(parts)
        elif isinstance(found, list):
            parts = list(found)
            lines = [_line_in(found, index, holder, key) for index in range(len(parts))]
        else:
            raise self.error(
                holder, key, f"{field}: expected a list of names", f"write {key}: [browser]"
            )
        for part, line in zip(parts, lines, strict=True):
            if not isinstance(part, str) or not part.strip():
                said = "a list inside the list" if isinstance(part, list | dict) else repr(part)
                raise PilothouseError(
                    f"{self.path}:{line}: {field}: expected a name, not {said}",
                    hint="write one name per line, without a colon",
                )
        if needed and not parts:
            raise self.error(
                holder, key, f"{field}: the list is empty", "add a name, or remove the field"
            )
        return tuple(
            NameEntry(part.strip(), field, f"{self.path}:{line}")
            for part, line in zip(parts, lines, strict=True)
        )

    def lists(
        self, document: Any, section: str, known: Sequence[str] = ()
    ) -> dict[str, tuple[NameEntry, ...]]:
        """Return a section whose fields are lists of names."""
        found = self.mapping(document, section, section, known, "platform")
        made: dict[str, tuple[NameEntry, ...]] = {}
        for name in found:
            entries = self.names(found, name, f"{section}.{name}", needed=True)
            if entries is None:
                raise self.error(found, name, f"{section}.{name}: the list is empty", "add a name")
            made[name] = entries
        return made

    def switches(self, holder: Any, field: str) -> Switches:
        return Switches(
            self.names(holder, "enable", f"{field}.enable") or (),
            self.names(holder, "disable", f"{field}.disable") or (),
        )

    def servers(self, document: Any) -> dict[str, McpServerConfig]:
        found = self.mapping(document, "mcp_servers", "mcp_servers")
        return {name: self._server(found, name) for name in found}

    def _server(self, servers: Any, name: str) -> McpServerConfig:
        field = f"mcp_servers.{name}"
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            raise self.error(
                servers, name, f"{field}: invalid name", "use letters, digits, _ . and -"
            )
        given = self.mapping(servers, name, field, _SERVER)
        command, url = (self._text(given, key, field) for key in ("command", "url"))
        if bool(command) == bool(url):
            problem = "both are given" if command else "neither is given"
            raise self.error(
                servers, name, f"{field}: expected command or url; {problem}", "give one of them"
            )
        if url and not re.match(r"https?://", url):
            raise self.error(given, "url", f"{field}.url: {url!r} is not a URL", "write https://…")
        enabled = given.get("enabled", True)
        if not isinstance(enabled, bool):
            raise self.error(
                given, "enabled", f"{field}.enabled: {enabled!r} is not a boolean", "true"
            )
        include = self.names(given, "include", f"{field}.include", needed=True)
        return McpServerConfig(
            name,
            self.location(servers, name),
            command,
            tuple(self._texts(given, "args", field)),
            self._pairs(given, "env", field),
            url,
            self._pairs(given, "headers", field),
            None if include is None else tuple(entry.name for entry in include),
            tuple(e.name for e in self.names(given, "exclude", f"{field}.exclude") or ()),
            enabled,
        )

    def _text(self, holder: Any, key: str, field: str) -> str:
        value = holder.get(key)
        if value is not None and not isinstance(value, str):
            raise self.error(holder, key, f"{field}.{key}: expected text", "put it in quotes")
        return value or ""

    def _texts(self, holder: Any, key: str, field: str) -> Iterable[str]:
        value = holder.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(_is_scalar(part) for part in value):
            raise self.error(holder, key, f"{field}.{key}: expected a list of texts", "[-y, name]")
        return (str(part) for part in value)

    def _pairs(self, holder: Any, key: str, field: str) -> dict[str, str]:
        found = self.mapping(holder, key, f"{field}.{key}")
        for name, value in found.items():
            if not _is_scalar(value):
                raise self.error(
                    found, name, f"{field}.{key}.{name}: expected text", "put it in quotes"
                )
        return {name: str(value) for name, value in found.items()}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _line_in(names: Any, index: int, holder: Any, key: str) -> int:
    try:
        return int(names.lc.item(index)[0]) + 1
    except (AttributeError, KeyError, TypeError):
        return line_of(holder, key)


def save(switches: Iterable[SwitchChange], path: Path | None = None) -> Path:
    """Write switches into the file. Comments, order and all other fields stay. Raises
    PilothouseError and writes nothing if the file is invalid."""
    path = path or config_path()
    load(path)
    asked = list(switches)
    document = _edited_document(path, asked, tidy=True)
    whole = _edited_document(path, asked, tidy=False)
    # ruamel.yaml stores a comment with the list next to it. Removing an empty list would delete
    # that comment, so in this case the empty list stays.
    kept = _find_comments(to_yaml(document, path)) == _find_comments(to_yaml(whole, path))
    write_file(document if kept else whole, path)
    return path


def _edited_document(path: Path, switches: Sequence[SwitchChange], *, tidy: bool) -> Any:
    """Return the document with these switches. `tidy` removes lists and sections that are empty
    afterwards."""
    from ruamel.yaml.comments import CommentedMap

    document = load_editable(path)
    if document.get("tools") is None:
        document["tools"] = CommentedMap()
    tools = document["tools"]
    with keep_trailing_comments(tools):
        for switch in switches:
            _apply_switch(_switch_level(tools, switch.platform), switch)
        for platform in {switch.platform for switch in switches} if tidy else ():
            _drop_empty(tools, platform)
    if tidy and not tools:
        del document["tools"]
    return document


def _drop_empty(tools: Any, platform: str) -> None:
    level = _switch_level(tools, platform)
    for side in ("enable", "disable"):
        if side in level and not level[side]:
            del level[side]
    if platform and not level:
        del tools["platforms"][platform]
        if not tools["platforms"]:
            del tools["platforms"]


def _find_comments(text: str) -> list[str]:
    return re.findall(r"(?:^|\s)#.*", text)


def _switch_level(tools: Any, platform: str) -> Any:
    from ruamel.yaml.comments import CommentedMap

    for key in ("platforms", platform) if platform else ():
        if tools.get(key) is None:
            tools[key] = CommentedMap()
        tools = tools[key]
    return tools


def _apply_switch(level: Any, switch: SwitchChange) -> None:
    from ruamel.yaml.comments import CommentedSeq

    wanted = "" if switch.on is None else "enable" if switch.on else "disable"
    for side in ("enable", "disable"):
        names = level.get(side)
        if isinstance(names, str):
            names = level[side] = CommentedSeq(re.split(r"[\s,]+", names.strip()))
        while names and switch.name in names and side != wanted:
            _remove_name(names, names.index(switch.name))
        if side == wanted:
            if names is None:
                names = level[side] = CommentedSeq()
            if switch.name not in names:
                names.append(switch.name)


def _remove_name(names: Any, index: int) -> None:
    """Remove a name from a list. A comment below the name belongs to the next name and stays."""
    kept = names.ca.items.get(index)
    below = kept[0].value.partition("\n")[2] if kept and kept[0] else ""
    column = names.lc.col if names.lc.col is not None else 0
    del names[index]
    if "#" in below and index < len(names):
        problem = "\n".join(line.strip().removeprefix("#").strip() for line in below.splitlines())
        names.yaml_set_comment_before_after_key(index, before=problem.strip("\n"), indent=column)
