"""What a person chose of the tools, from config.yaml and back into it.

    toolsets: [browser, web]              # for every platform; without it, each has its default
    platform_toolsets:
      mcp: [lean, shopping]
    custom_toolsets:
      shopping: [browser, web_search, "mcp_shop_*"]
    tools:
      enable: [execute]                   # switches, against whatever is selected
      disable: [browser_cdp]
      platforms:
        mcp: {disable: [browser-data]}
      deny: ["*_upload"]                  # never, whatever else is said
    mcp_servers:
      files: {command: npx, args: [-y, "@scope/server"]}
      shop: {url: "https://shop.example/mcp", headers: {Authorization: Bearer …}}

Knows: these sections, their fields and lines. Must not know: what is selected in the end
(selection.py). Switches are written back as differences, and comments stay.
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
from pilothouse.tools.toolsets import PLATFORMS, Entry
from pilothouse.yaml_file import (
    as_text,
    editable,
    kept_tail,
    line_of,
    parse_file,
    write_file,
)

__all__ = ["Chosen", "Server", "Switch", "load", "save"]

_TOOLS = ("enable", "disable", "deny", "platforms")
_SERVER = ("command", "args", "env", "url", "headers", "include", "exclude", "enabled")


class Server(msgspec.Struct, frozen=True):
    """An MCP server whose tools are wanted: a `command` with `args` and `env`, or a `url` with
    `headers`. `include` and `exclude` are names and patterns of its tools; without `include` all
    are meant."""

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


class Chosen(msgspec.Struct, frozen=True):
    """Everything the file says about tools. `policies` is that section as it was read, with its
    lines (settings.line_of), or nothing."""

    path: Path
    choices: Choices = msgspec.field(default_factory=Choices)
    servers: Mapping[str, Server] = msgspec.field(default_factory=dict)
    policies: Any = None


class Switch(msgspec.Struct, frozen=True):
    """One switch to write: for a platform, or for all with ""; None takes it back."""

    name: str
    on: bool | None
    platform: str = ""


def load(path: Path | None = None) -> Chosen:
    """What the file says; without a file, nothing is chosen. Raises PilothouseError that names
    file, line and field."""
    path = path or config_path()
    document = parse_file(path) if path.exists() else None
    if document is None:
        return Chosen(path, Choices(path=str(path)))
    if not isinstance(document, dict):
        raise PilothouseError(f"{path}: sections are wanted", hint="begin with tools:")
    read = _Reading(path)
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
    return Chosen(path, choices, servers, document.get("policies"))


class _Reading:
    """One file on its way in: what is wrong is said with its line and field."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def wrong(self, holder: Any, key: Any, told: str, hint: str) -> PilothouseError:
        return PilothouseError(f"{self.place(holder, key)}: {told}", hint=hint)

    def place(self, holder: Any, key: Any) -> str:
        return f"{self.path}:{line_of(holder, key)}"

    def mapping(
        self,
        holder: Any,
        key: str,
        field: str,
        known: Sequence[str] = (),
        what: str = "field",
    ) -> dict[str, Any]:
        """A section with fields; an empty one if it is not there."""
        found = holder.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise self.wrong(holder, key, f"{field}: fields are wanted", "indent them")
        for name in found:
            if not isinstance(name, str):
                raise self.wrong(found, name, f"{field}: {name!r} is no name", "put it in quotes")
            if known and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
                raise self.wrong(found, name, f"{field}: there is no {what} {name!r}", hint)
        return found

    def names(
        self, holder: Any, key: str, field: str, *, needed: bool = False
    ) -> tuple[Entry, ...] | None:
        """A list of names, each with its line; None if the field is not there or is empty."""
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
            raise self.wrong(
                holder, key, f"{field}: a list of names is wanted", f"{key}: [browser]"
            )
        for part, line in zip(parts, lines, strict=True):
            if not isinstance(part, str) or not part.strip():
                said = "a list inside the list" if isinstance(part, list | dict) else repr(part)
                raise PilothouseError(
                    f"{self.path}:{line}: {field}: a name is wanted, not {said}",
                    hint="one name in each line, without a colon",
                )
        if needed and not parts:
            raise self.wrong(
                holder, key, f"{field}: it names nothing", "name something, or leave it out"
            )
        return tuple(
            Entry(part.strip(), field, f"{self.path}:{line}")
            for part, line in zip(parts, lines, strict=True)
        )

    def lists(
        self, document: Any, section: str, known: Sequence[str] = ()
    ) -> dict[str, tuple[Entry, ...]]:
        """A section whose fields are lists of names."""
        found = self.mapping(document, section, section, known, "platform")
        made: dict[str, tuple[Entry, ...]] = {}
        for name in found:
            entries = self.names(found, name, f"{section}.{name}", needed=True)
            if entries is None:
                raise self.wrong(
                    found, name, f"{section}.{name}: it names nothing", "name something"
                )
            made[name] = entries
        return made

    def switches(self, holder: Any, field: str) -> Switches:
        return Switches(
            self.names(holder, "enable", f"{field}.enable") or (),
            self.names(holder, "disable", f"{field}.disable") or (),
        )

    def servers(self, document: Any) -> dict[str, Server]:
        found = self.mapping(document, "mcp_servers", "mcp_servers")
        return {name: self._server(found, name) for name in found}

    def _server(self, servers: Any, name: str) -> Server:
        field = f"mcp_servers.{name}"
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            raise self.wrong(servers, name, f"{field}: this is no name", "letters, digits and -")
        given = self.mapping(servers, name, field, _SERVER)
        command, url = (self._text(given, key, field) for key in ("command", "url"))
        if bool(command) == bool(url):
            told = "both are there" if command else "one is missing"
            raise self.wrong(
                servers, name, f"{field}: a command or a url is wanted; {told}", "name one of them"
            )
        if url and not re.match(r"https?://", url):
            raise self.wrong(given, "url", f"{field}.url: {url!r} is no address", "https://…")
        enabled = given.get("enabled", True)
        if not isinstance(enabled, bool):
            raise self.wrong(given, "enabled", f"{field}.enabled: {enabled!r} will not do", "true")
        include = self.names(given, "include", f"{field}.include", needed=True)
        return Server(
            name,
            self.place(servers, name),
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
            raise self.wrong(holder, key, f"{field}.{key}: a text is wanted", "put it in quotes")
        return value or ""

    def _texts(self, holder: Any, key: str, field: str) -> Iterable[str]:
        value = holder.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(_plain(part) for part in value):
            raise self.wrong(holder, key, f"{field}.{key}: a list of texts is wanted", "[-y, name]")
        return (str(part) for part in value)

    def _pairs(self, holder: Any, key: str, field: str) -> dict[str, str]:
        found = self.mapping(holder, key, f"{field}.{key}")
        for name, value in found.items():
            if not _plain(value):
                raise self.wrong(
                    found, name, f"{field}.{key}.{name}: a text is wanted", "put it in quotes"
                )
        return {name: str(value) for name, value in found.items()}


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _line_in(names: Any, index: int, holder: Any, key: str) -> int:
    try:
        return int(names.lc.item(index)[0]) + 1
    except (AttributeError, KeyError, TypeError):
        return line_of(holder, key)


def save(switches: Iterable[Switch], path: Path | None = None) -> Path:
    """Write switches into the file, and check what came of it. Comments, order and everything
    else stay. Raises PilothouseError, and then has written nothing."""
    path = path or config_path()
    load(path)
    asked = list(switches)
    document = _switched(path, asked, tidy=True)
    whole = _switched(path, asked, tidy=False)
    # An empty list that a comment hangs on stays, for the sake of the comment.
    kept = _comments(as_text(document, path)) == _comments(as_text(whole, path))
    write_file(document if kept else whole, path)
    return path


def _switched(path: Path, switches: Sequence[Switch], *, tidy: bool) -> Any:
    """The file with these switches; `tidy` takes out the lists and sections they leave empty."""
    from ruamel.yaml.comments import CommentedMap

    document = editable(path)
    if document.get("tools") is None:
        document["tools"] = CommentedMap()
    tools = document["tools"]
    with kept_tail(tools):
        for switch in switches:
            _set(_level(tools, switch.platform), switch)
        for platform in {switch.platform for switch in switches} if tidy else ():
            _tidy(tools, platform)
    if tidy and not tools:
        del document["tools"]
    return document


def _tidy(tools: Any, platform: str) -> None:
    level = _level(tools, platform)
    for side in ("enable", "disable"):
        if side in level and not level[side]:
            del level[side]
    if platform and not level:
        del tools["platforms"][platform]
        if not tools["platforms"]:
            del tools["platforms"]


def _comments(text: str) -> list[str]:
    return re.findall(r"(?:^|\s)#.*", text)


def _level(tools: Any, platform: str) -> Any:
    from ruamel.yaml.comments import CommentedMap

    for key in ("platforms", platform) if platform else ():
        if tools.get(key) is None:
            tools[key] = CommentedMap()
        tools = tools[key]
    return tools


def _set(level: Any, switch: Switch) -> None:
    from ruamel.yaml.comments import CommentedSeq

    wanted = "" if switch.on is None else "enable" if switch.on else "disable"
    for side in ("enable", "disable"):
        names = level.get(side)
        if isinstance(names, str):
            names = level[side] = CommentedSeq(re.split(r"[\s,]+", names.strip()))
        while names and switch.name in names and side != wanted:
            _take_out(names, names.index(switch.name))
        if side == wanted:
            if names is None:
                names = level[side] = CommentedSeq()
            if switch.name not in names:
                names.append(switch.name)


def _take_out(names: Any, index: int) -> None:
    """Take a name out of a list. What is written below it is about the next one, and stays."""
    kept = names.ca.items.get(index)
    below = kept[0].value.partition("\n")[2] if kept and kept[0] else ""
    column = names.lc.col if names.lc.col is not None else 0
    del names[index]
    if "#" in below and index < len(names):
        told = "\n".join(line.strip().removeprefix("#").strip() for line in below.splitlines())
        names.yaml_set_comment_before_after_key(index, before=told.strip("\n"), indent=column)
