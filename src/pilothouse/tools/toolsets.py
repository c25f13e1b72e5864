"""Define the built-in toolsets and resolve names to tools. A toolset is a named group of tools.

    core        a home of tools: `browser`, `web`, …; every tool has exactly one home
    composite   tools for one purpose: `debugging`, `safe`
    preset      a length of the tool list: `lean`, `full`
    platform    the default of one kind of client: `cli`, `mcp`, …
    dynamic     the tools of another MCP server: `mcp-<server>`
    plugin      the tools of a plugin
    custom      defined in config.yaml under `custom_toolsets:`

Knows: which toolsets exist and which tools a name means. Must not know: what the user selected
(selection.py), files (tool_config_file.py), or what tools do. Pure: it decides and never acts.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.tools.tool import Tool

__all__ = [
    "BUILT_IN",
    "PLATFORMS",
    "NameEntry",
    "NameResolver",
    "SelectedTool",
    "Toolset",
    "collect_toolsets",
    "is_pattern",
    "mcp_server_toolset",
]

# Only toolsets of these kinds can be matched by a pattern or switched on and off. The other kinds
# have no tools of their own: they combine tools that live in these.
KINDS_WITH_TOOLS = ("core", "dynamic", "plugin", "custom")
ALL_NAMES = ("all", "*")


class Toolset(msgspec.Struct, frozen=True):
    """A named group of tools. `tools` are tool names. `includes` are names of toolsets or tools,
    patterns, or `@kind` for all toolsets of a kind. Tools in `unlisted` can be called through
    browser_batch but are not in the tool list. `expects` is a pattern for tools that may appear
    later, when an MCP server connects."""

    name: str
    kind: str
    about: str
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    expects: str = ""
    # File and line of the definition, for errors. Empty for built-in toolsets.
    place: str = ""
    # File and line of each entry of `includes`.
    places: tuple[str, ...] = ()

    def location(self, included: str = "") -> str:
        """Return file, line and field for errors: of an included name, or of the toolset itself.
        Empty for built-in toolsets."""
        found = dict(zip(self.includes, self.places, strict=False)).get(included, self.place)
        return f"{found}: custom_toolsets.{self.name}" if found and self.kind == "custom" else found


class NameEntry(msgspec.Struct, frozen=True):
    """A name that the user wrote, with the field, and the file and line (`place`)."""

    name: str
    field: str = ""
    place: str = ""

    def location(self) -> str:
        """Return the location for errors: `config.yaml:7: tools.enable`."""
        return ": ".join(part for part in (self.place, self.field) if part)

    def prefix(self) -> str:
        """Return the location as the beginning of an error text; "" for a name from the command
        line."""
        where = self.location()
        return f"{where}: " if where else ""

    def source_label(self) -> str:
        """Return the location for reasons: `tools.enable (config.yaml:7)`."""
        short = self.place.rpartition("/")[2]
        return f"{self.field} ({short})" if short and self.field else self.field or short


class SelectedTool(msgspec.Struct, frozen=True):
    """How a selected name led to a tool: through which toolsets (`trail`), and whether the user
    `named` the tool explicitly, as dangerous tools require."""

    trail: tuple[str, ...] = ()
    named: bool = False
    listed: bool = True


_FROM_OUTSIDE = ("@dynamic", "@plugin")

_BUILT_IN = (
    Toolset(
        "browser", "core", "control a browser: navigate, read pages, click and type, answer dialogs"
    ),
    Toolset(
        "browser-data", "core", "cookies, storage, network requests, PDF, page text, emulation"
    ),
    Toolset("web", "core", "search the web and read pages as text"),
    Toolset("search", "core", "search the web only", ("web_search",)),
    Toolset("vision", "core", "ask a question about a screenshot", ("browser_vision",)),
    Toolset("people", "core", "ask a person to do something in the tab, such as to sign in"),
    Toolset("code", "core", "run Python and JavaScript; off until you name it"),
    Toolset("connect", "core", "connect to a running browser; off until you name it"),
    Toolset(
        "debugging",
        "composite",
        "debug a page: console, network, storage, raw CDP",
        (
            "browser_navigate", "browser_reload", "browser_tabs", "browser_snapshot",
            "browser_find", "browser_screenshot", "browser_click", "browser_type",
            "browser_wait", "browser_dialog", "browser_interrupt", "browser_console",
            "browser_evaluate", "browser_cdp",
        ),
        includes=("browser-data", "web"),
    ),
    Toolset(
        "safe",
        "composite",
        "tools that read and change nothing in the page",
        (
            "browser_snapshot", "browser_find", "browser_extract", "browser_get_images",
            "browser_vision", "web_search", "web_extract",
        ),
    ),
    Toolset(
        "lean",
        "preset",
        "three listed tools; browser_batch calls the other browser tools",
        ("browser_navigate", "browser_snapshot", "browser_batch"),
        unlisted=("browser",),
    ),
    Toolset("full", "preset", "every tool that is not dangerous", includes=("*",)),
    Toolset(
        "cli", "platform", "the command line: all tools that are not dangerous", includes=("*",)
    ),
    Toolset(
        "mcp",
        "platform",
        "agents over MCP: a short tool list",
        includes=("browser", "web", *_FROM_OUTSIDE),
    ),
    Toolset(
        "api-server", "platform", "programs over HTTP: all tools that are not dangerous",
        includes=("*",),
    ),
    Toolset(
        "acp",
        "platform",
        "editors: control the browser, read its data, read the web",
        includes=("browser", "browser-data", "people", "web", "vision", *_FROM_OUTSIDE),
    ),
    Toolset(
        "side-panel",
        "platform",
        "beside the user's own pages: no access to cookies, storage and network data",
        includes=("browser", "people", "web", "vision", *_FROM_OUTSIDE),
    ),
)  # fmt: skip
BUILT_IN: Mapping[str, Toolset] = {toolset.name: toolset for toolset in _BUILT_IN}
PLATFORMS = tuple(toolset.name for toolset in _BUILT_IN if toolset.kind == "platform")


def mcp_server_toolset(server: str, place: str = "") -> Toolset:
    """Return the toolset of an MCP server. It exists before the server has connected."""
    return Toolset(
        f"mcp-{server}",
        "dynamic",
        f"the tools of the MCP server {server}",
        # The same naming as local_tool_name() in tools/catalog/external_tool_conversion.py.
        expects=re.sub(r"[^A-Za-z0-9_-]", "_", f"mcp_{server}_") + "*",
        place=place,
    )


def collect_toolsets(
    tools: Mapping[str, Tool],
    custom: Mapping[str, tuple[NameEntry, ...]] | None = None,
    servers: Mapping[str, str] | None = None,
    plugins: Mapping[str, Toolset] | None = None,
) -> dict[str, Toolset]:
    """Return all toolsets: built-in ones, those of `plugins`, the homes of all tools, those of
    MCP `servers` (name to place), and the `custom` ones. Raises PilothouseError for a custom
    toolset whose name is taken."""
    made = {**(plugins or {}), **BUILT_IN}
    for server, place in (servers or {}).items():
        made[f"mcp-{server}"] = mcp_server_toolset(server, place)
    homes: dict[str, list[Tool]] = {}
    for tool in tools.values():
        homes.setdefault(tool.toolset, []).append(tool)
    for home, living in homes.items():
        if home not in made:
            kind = "dynamic" if home.startswith("mcp-") else "plugin"
            brought = next((tool.source for tool in living if tool.source), home)
            made[home] = Toolset(home, kind, f"tools of {brought}")
        known = made[home]
        own = tuple(tool.name for tool in living)
        more = tuple(name for name in known.tools if name not in own)
        made[home] = replace(known, tools=own + more)
    for name, entries in (custom or {}).items():
        place = entries[0].place if entries else ""
        if name in made or name in ALL_NAMES or is_pattern(name):
            raise PilothouseError(
                f"{place or 'custom_toolsets'}: custom_toolsets.{name}: this name is already used",
                hint=f"choose another name: a {made[name].kind} toolset has it"
                if name in made
                else "choose a name without *, ? and [",
            )
        made[name] = Toolset(
            name,
            "custom",
            "defined in config.yaml",
            includes=tuple(entry.name for entry in entries),
            place=place,
            places=tuple(entry.place for entry in entries),
        )
    return made


def is_pattern(name: str) -> bool:
    """Return whether a name is a pattern, such as `browser_*`."""
    return any(mark in name for mark in "*?[")


class NameResolver:
    """Resolves names and patterns to tools, among these tools and toolsets."""

    def __init__(self, tools: Mapping[str, Tool], toolsets: Mapping[str, Toolset]) -> None:
        self.tools = tools
        self.toolsets = toolsets

    def exact_name(self, tool: str) -> str:
        """Return an unambiguous name of the tool: `tool:browser` if a toolset has that name too."""
        return f"tool:{tool}" if tool in self.toolsets or tool in ALL_NAMES else tool

    def home_tools(self, toolset: Toolset) -> tuple[str, ...]:
        """Return the tools whose home this toolset is."""
        return tuple(n for n in toolset.tools if self._is_home(n, toolset.name))

    def _is_home(self, tool: str, home: str) -> bool:
        return tool in self.tools and self.tools[tool].toolset == home

    def select_tools(self, entry: NameEntry, *, own: bool) -> dict[str, SelectedTool]:
        """Return the tools that a selected name means. `own`: the user wrote the name, so it can
        turn on dangerous tools. Raises PilothouseError for an unknown name and for a toolset that
        includes itself."""
        found: dict[str, SelectedTool] = {}
        for name, pick in self._walk(entry.name, entry, (), own, True):
            before = found.get(name)
            if before is None or (pick.listed, pick.named) > (before.listed, before.named):
                found[name] = pick
        return found

    def _walk(
        self, name: str, entry: NameEntry, trail: tuple[str, ...], own: bool, listed: bool
    ) -> Iterator[tuple[str, SelectedTool]]:
        """Yield every path from a name to a tool. A name that is a tool and a toolset means the
        toolset."""
        kind, _, bare = name.partition(":")
        if kind == "tool" and bare in self.tools:
            yield bare, SelectedTool((*trail, bare), own, listed)
        elif name in ALL_NAMES:
            yield from ((tool, SelectedTool((*trail, name), False, listed)) for tool in self.tools)
        elif (called := bare if kind == "toolset" else name) in self.toolsets:
            yield from self._walk_toolset(called, entry, trail, own, listed)
        elif name in self.tools:
            yield name, SelectedTool((*trail, name), own, listed)
        elif name.startswith("@") and trail:
            for toolset in self._names_of_kind(name[1:]):
                yield from self._walk_toolset(toolset, entry, trail, False, listed)
        elif is_pattern(name):
            yield from self._walk_pattern(name, entry, trail, listed)
        elif not self.may_appear_later(name):
            raise self.unknown_name_error(name, entry, trail)

    def _walk_toolset(
        self, name: str, entry: NameEntry, trail: tuple[str, ...], own: bool, listed: bool
    ) -> Iterator[tuple[str, SelectedTool]]:
        toolset = self.toolsets[name]
        if name in trail:
            circle = " -> ".join((*trail[trail.index(name) :], name))
            where = toolset.location() or entry.location() or "toolsets"
            raise PilothouseError(
                f"{where}: {name} includes itself: {circle}",
                hint="take it out of one of them",
            )
        trail = (*trail, name)
        # To name a home where only dangerous tools live is to name them.
        home = self.home_tools(toolset)
        named = own and bool(home) and all(self.tools[tool].flags.dangerous for tool in home)
        for tool in toolset.tools:
            if tool in self.tools:
                yield tool, SelectedTool(trail, named and tool in home, listed)
            elif not self.may_appear_later(tool) and toolset.kind not in (
                "core",
                "composite",
                "preset",
            ):
                raise self.unknown_name_error(tool, entry, trail)
        own = own and toolset.kind == "custom"
        for included in toolset.includes:
            yield from self._walk(included, entry, trail, own, listed)
        for included in toolset.unlisted:
            yield from self._walk(included, entry, trail, False, False)

    def _walk_pattern(
        self, pattern: str, entry: NameEntry, trail: tuple[str, ...], listed: bool
    ) -> Iterator[tuple[str, SelectedTool]]:
        toolsets = [
            name
            for name, toolset in self.toolsets.items()
            if toolset.kind in KINDS_WITH_TOOLS and name not in trail and fnmatchcase(name, pattern)
        ]
        tools = [name for name in self.tools if fnmatchcase(name, pattern)]
        if not toolsets and not tools and not self.may_appear_later(pattern):
            raise self.unknown_name_error(pattern, entry, trail)
        yield from ((tool, SelectedTool((*trail, pattern), False, listed)) for tool in tools)
        for toolset in toolsets:
            yield from self._walk_toolset(toolset, entry, (*trail, pattern), False, listed)

    def _names_of_kind(self, kind: str) -> list[str]:
        return [name for name, toolset in self.toolsets.items() if toolset.kind == kind]

    def match_switch(self, entry: NameEntry) -> dict[str, int]:
        """Return the tools that an entry of enable, disable or deny means, each with how exactly
        it is named: 3 by its name, 2 by its home toolset, 1 by a pattern. Raises
        PilothouseError."""
        kind, _, bare = entry.name.partition(":")
        called = bare if kind == "toolset" else entry.name
        if kind == "tool" and bare in self.tools:
            return {bare: 3}
        if called in self.toolsets:
            return dict.fromkeys(self._match_inside(self.toolsets[called], entry), 2)
        if entry.name in self.tools:
            return {entry.name: 3}
        if entry.name in ALL_NAMES:
            return dict.fromkeys(self.tools, 1)
        matching = {name: 1 for name in self.tools if fnmatchcase(name, entry.name)}
        if not matching and not self.may_appear_later(entry.name):
            raise self.unknown_name_error(entry.name, entry)
        return matching

    def _match_inside(self, toolset: Toolset, entry: NameEntry) -> Iterable[str]:
        if toolset.kind not in KINDS_WITH_TOOLS:
            raise PilothouseError(
                f"{entry.prefix()}{toolset.name} is a {toolset.kind} toolset: it lists tools of "
                "other toolsets, and cannot be switched itself",
                hint=f"name the tools or their toolsets: `pilothouse tools explain {toolset.name}`",
            )
        # Only its home tools: a tool that it merely lists is switched through the tool's home.
        return self.home_tools(toolset) or self.select_tools(
            NameEntry(f"toolset:{toolset.name}", entry.field, entry.place), own=False
        )

    def may_appear_later(self, name: str) -> bool:
        """Return whether a tool of that name may appear later, when its MCP server connects."""
        return any(
            fnmatchcase(name, toolset.expects)
            for toolset in self.toolsets.values()
            if toolset.expects
        )

    def unknown_name_error(
        self, name: str, entry: NameEntry, trail: tuple[str, ...] = ()
    ) -> PilothouseError:
        """Return the error for a name that is neither a tool nor a toolset, with the closest known
        name."""
        inside = self.toolsets.get(trail[-1]) if trail else None
        where = (inside.location(name) if inside else "") or entry.location()
        what = "no tool matches" if is_pattern(name) else "unknown tool or toolset"
        near = self.closest_name(name)
        hint = f"did you mean {near}?" if near else "run `pilothouse tools list`"
        place = f"{where}: " if where else ""
        return PilothouseError(f"{place}{what} {name!r}", hint=hint)

    def closest_name(self, name: str) -> str:
        """Return the most similar known name, or ""."""
        known = [*self.toolsets, *self.tools, *ALL_NAMES]
        bare = name.rpartition(":")[2].lower()
        # Names from other projects may have a prefix: hermes-cli.
        tries = (bare, bare.replace("_", "-"), bare.replace("-", "_"), bare.partition("-")[2])
        for text in filter(None, tries):
            if near := difflib.get_close_matches(text, known, 1):
                return near[0]
        return ""
