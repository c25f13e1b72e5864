"""Toolsets: named bundles of tools, those that come with Pilothouse and those that people define.

    core        the tools at home in it: `browser`, `web`, …; every tool has exactly one home
    composite   for an occasion: `debugging`, `safe`
    preset      how long the listing is: `lean`, `browser`, `full`
    platform    what a kind of client gets if nobody chose: `cli`, `mcp`, …
    dynamic     what another MCP server brings: `mcp-<server>`
    plugin      what a plugin brings
    custom      what config.yaml defines under `custom_toolsets:`

Knows: which toolsets there are and what a name stands for. Must not know: what is chosen
(selection.py), files (choices.py), or what tools do. It decides and never acts.
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
    "Entry",
    "Names",
    "Pick",
    "Toolset",
    "dynamic",
    "gathered",
    "is_pattern",
]

# Kinds whose toolsets a pattern may mean, and single switches may name: each stands for tools of
# its own, where the other kinds only put together what is somebody else's.
OWNING = ("core", "dynamic", "plugin", "custom")
EVERYTHING = ("all", "*")


class Toolset(msgspec.Struct, frozen=True):
    """A named bundle. `tools` are names of tools; `includes` are names of anything: toolsets,
    tools, patterns, `@kind` for all toolsets of a kind. What is in `unlisted` may be used, as
    through browser_batch, and is not in the listing. `expects` is a pattern of tools that may
    still come."""

    name: str
    kind: str
    about: str
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    expects: str = ""
    # Where it is defined, for errors; ours are nowhere.
    place: str = ""
    # The places of what is included, one by one.
    places: tuple[str, ...] = ()

    def where(self, included: str = "") -> str:
        """The place for errors: that of something included, or its own; empty for ours."""
        found = dict(zip(self.includes, self.places, strict=False)).get(included, self.place)
        return f"{found}: custom_toolsets.{self.name}" if found and self.kind == "custom" else found


class Entry(msgspec.Struct, frozen=True):
    """A name that somebody wrote: in which field, and in which file and line."""

    name: str
    field: str = ""
    place: str = ""

    def where(self) -> str:
        """The place for errors: `config.yaml:7: tools.enable`."""
        return ": ".join(part for part in (self.place, self.field) if part)

    def prefix(self) -> str:
        """The place before what is wrong there; nothing for a name that was just typed."""
        where = self.where()
        return f"{where}: " if where else ""

    def told(self) -> str:
        """The place for reasons: `tools.enable (config.yaml:7)`."""
        short = self.place.rpartition("/")[2]
        return f"{self.field} ({short})" if short and self.field else self.field or short


class Pick(msgspec.Struct, frozen=True):
    """How a name led to a tool: over which toolsets, and whether the tool itself was `named` by
    somebody who may name dangerous ones."""

    trail: tuple[str, ...] = ()
    named: bool = False
    listed: bool = True


_EVERYWHERE = ("@dynamic", "@plugin")

_BUILT_IN = (
    Toolset("browser", "core", "steer a browser: go, look, act, answer dialogs"),
    Toolset("browser-data", "core", "what a browser keeps and sends: cookies, storage, network"),
    Toolset("web", "core", "search the web and read pages as text"),
    Toolset("search", "core", "search the web, nothing else", ("web_search",)),
    Toolset("vision", "core", "ask about a picture of the page", ("browser_vision",)),
    Toolset("code", "core", "run code; off until it is named"),
    Toolset("connect", "core", "join a browser that runs already; off until it is named"),
    Toolset(
        "debugging",
        "composite",
        "find out why a page misbehaves: console, network, storage, raw protocol",
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
        "tools that read and change nothing",
        (
            "browser_snapshot", "browser_find", "browser_extract", "browser_get_images",
            "browser_vision", "web_search", "web_extract",
        ),
    ),
    Toolset(
        "lean",
        "preset",
        "three tools; the other browser tools are used through browser_batch",
        ("browser_navigate", "browser_snapshot", "browser_batch"),
        unlisted=("browser",),
    ),
    Toolset("full", "preset", "every tool that is not dangerous", includes=("*",)),
    Toolset("cli", "platform", "the command line: everything", includes=("*",)),
    Toolset(
        "mcp",
        "platform",
        "agents over MCP: a short listing",
        includes=("browser", "web", *_EVERYWHERE),
    ),
    Toolset("api-server", "platform", "programs over HTTP: everything", includes=("*",)),
    Toolset(
        "acp",
        "platform",
        "editors: steer, look into the page, read the web",
        includes=("browser", "browser-data", "web", "vision", *_EVERYWHERE),
    ),
    Toolset(
        "side-panel",
        "platform",
        "beside a person's own pages: without what the browser keeps about that person",
        includes=("browser", "web", "vision", *_EVERYWHERE),
    ),
)  # fmt: skip
BUILT_IN: Mapping[str, Toolset] = {toolset.name: toolset for toolset in _BUILT_IN}
PLATFORMS = tuple(toolset.name for toolset in _BUILT_IN if toolset.kind == "platform")


def dynamic(server: str, place: str = "") -> Toolset:
    """The toolset of an MCP server; it is there before the server is."""
    return Toolset(
        f"mcp-{server}",
        "dynamic",
        f"the tools of the MCP server {server}",
        # As tools/catalog/remote.py names them.
        expects=re.sub(r"[^A-Za-z0-9_-]", "_", f"mcp_{server}_") + "*",
        place=place,
    )


def gathered(
    tools: Mapping[str, Tool],
    custom: Mapping[str, tuple[Entry, ...]] | None = None,
    servers: Mapping[str, str] | None = None,
    plugins: Mapping[str, Toolset] | None = None,
) -> dict[str, Toolset]:
    """All toolsets: ours, those of `plugins`, the homes of all tools, those of `servers` (name and
    place), and the `custom` ones. Raises PilothouseError for a custom one that takes another's
    name."""
    made = {**(plugins or {}), **BUILT_IN}
    for server, place in (servers or {}).items():
        made[f"mcp-{server}"] = dynamic(server, place)
    homes: dict[str, list[Tool]] = {}
    for tool in tools.values():
        homes.setdefault(tool.toolset, []).append(tool)
    for home, living in homes.items():
        if home not in made:
            kind = "dynamic" if home.startswith("mcp-") else "plugin"
            brought = next((tool.source for tool in living if tool.source), home)
            made[home] = Toolset(home, kind, f"brought by {brought}")
        known = made[home]
        own = tuple(tool.name for tool in living)
        more = tuple(name for name in known.tools if name not in own)
        made[home] = replace(known, tools=own + more)
    for name, entries in (custom or {}).items():
        place = entries[0].place if entries else ""
        if name in made or name in EVERYTHING or is_pattern(name):
            raise PilothouseError(
                f"{place or 'custom_toolsets'}: custom_toolsets.{name}: the name is taken",
                hint=f"it is a {made[name].kind} toolset: choose another name"
                if name in made
                else "choose a name without *, ? and [",
            )
        made[name] = Toolset(
            name,
            "custom",
            "of your own",
            includes=tuple(entry.name for entry in entries),
            place=place,
            places=tuple(entry.place for entry in entries),
        )
    return made


def is_pattern(name: str) -> bool:
    """Whether a name is a pattern, as `browser_*`."""
    return any(mark in name for mark in "*?[")


class Names:
    """What names stand for, among these tools and toolsets."""

    def __init__(self, tools: Mapping[str, Tool], toolsets: Mapping[str, Toolset]) -> None:
        self.tools = tools
        self.toolsets = toolsets

    def exactly(self, tool: str) -> str:
        """The tool's name as nothing else can be meant by it."""
        return f"tool:{tool}" if tool in self.toolsets or tool in EVERYTHING else tool

    def at_home(self, toolset: Toolset) -> tuple[str, ...]:
        """The tools that live in a toolset."""
        return tuple(n for n in toolset.tools if self._lives(n, toolset.name))

    def _lives(self, tool: str, home: str) -> bool:
        return tool in self.tools and self.tools[tool].toolset == home

    def picked(self, entry: Entry, *, own: bool) -> dict[str, Pick]:
        """The tools a name in a selection stands for; `own` if a person wrote it. Raises
        PilothouseError for unknown names and for toolsets that include themselves."""
        found: dict[str, Pick] = {}
        for name, pick in self._reached(entry.name, entry, (), own, True):
            before = found.get(name)
            if before is None or (pick.listed, pick.named) > (before.listed, before.named):
                found[name] = pick
        return found

    def _reached(
        self, name: str, entry: Entry, trail: tuple[str, ...], own: bool, listed: bool
    ) -> Iterator[tuple[str, Pick]]:
        """Every way from a name to a tool. A name that is both means the toolset."""
        kind, _, bare = name.partition(":")
        if kind == "tool" and bare in self.tools:
            yield bare, Pick((*trail, bare), own, listed)
        elif name in EVERYTHING:
            yield from ((tool, Pick((*trail, name), False, listed)) for tool in self.tools)
        elif (called := bare if kind == "toolset" else name) in self.toolsets:
            yield from self._inside(called, entry, trail, own, listed)
        elif name in self.tools:
            yield name, Pick((*trail, name), own, listed)
        elif name.startswith("@") and trail:
            for toolset in self._of_kind(name[1:]):
                yield from self._inside(toolset, entry, trail, False, listed)
        elif is_pattern(name):
            yield from self._matching(name, entry, trail, listed)
        elif not self.expected(name):
            raise self.unknown(name, entry, trail)

    def _inside(
        self, name: str, entry: Entry, trail: tuple[str, ...], own: bool, listed: bool
    ) -> Iterator[tuple[str, Pick]]:
        toolset = self.toolsets[name]
        if name in trail:
            circle = " -> ".join((*trail[trail.index(name) :], name))
            where = toolset.where() or entry.where() or "toolsets"
            raise PilothouseError(
                f"{where}: {name} includes itself: {circle}",
                hint="take it out of one of them",
            )
        trail = (*trail, name)
        # To name a home where only dangerous tools live is to name them.
        home = self.at_home(toolset)
        named = own and bool(home) and all(self.tools[tool].flags.dangerous for tool in home)
        for tool in toolset.tools:
            if tool in self.tools:
                yield tool, Pick(trail, named and tool in home, listed)
            elif not self.expected(tool) and toolset.kind not in ("core", "composite", "preset"):
                raise self.unknown(tool, entry, trail)
        own = own and toolset.kind == "custom"
        for included in toolset.includes:
            yield from self._reached(included, entry, trail, own, listed)
        for included in toolset.unlisted:
            yield from self._reached(included, entry, trail, False, False)

    def _matching(
        self, pattern: str, entry: Entry, trail: tuple[str, ...], listed: bool
    ) -> Iterator[tuple[str, Pick]]:
        toolsets = [
            name
            for name, toolset in self.toolsets.items()
            if toolset.kind in OWNING and name not in trail and fnmatchcase(name, pattern)
        ]
        tools = [name for name in self.tools if fnmatchcase(name, pattern)]
        if not toolsets and not tools and not self.expected(pattern):
            raise self.unknown(pattern, entry, trail)
        yield from ((tool, Pick((*trail, pattern), False, listed)) for tool in tools)
        for toolset in toolsets:
            yield from self._inside(toolset, entry, (*trail, pattern), False, listed)

    def _of_kind(self, kind: str) -> list[str]:
        return [name for name, toolset in self.toolsets.items() if toolset.kind == kind]

    def switched(self, entry: Entry) -> dict[str, int]:
        """The tools a single switch (enable, disable, deny) means, each with how exactly it is
        named: 3 by its name, 2 by its home, 1 by a pattern. Raises PilothouseError."""
        kind, _, bare = entry.name.partition(":")
        called = bare if kind == "toolset" else entry.name
        if kind == "tool" and bare in self.tools:
            return {bare: 3}
        if called in self.toolsets:
            return dict.fromkeys(self._switched_inside(self.toolsets[called], entry), 2)
        if entry.name in self.tools:
            return {entry.name: 3}
        if entry.name in EVERYTHING:
            return dict.fromkeys(self.tools, 1)
        matching = {name: 1 for name in self.tools if fnmatchcase(name, entry.name)}
        if not matching and not self.expected(entry.name):
            raise self.unknown(entry.name, entry)
        return matching

    def _switched_inside(self, toolset: Toolset, entry: Entry) -> Iterable[str]:
        if toolset.kind not in OWNING:
            raise PilothouseError(
                f"{entry.prefix()}{toolset.name} is a {toolset.kind} toolset and has no tools "
                "of its own",
                hint="name tools, or the toolsets they live in",
            )
        # Only those at home here: what it merely lists is another toolset's to switch.
        return self.at_home(toolset) or self.picked(
            Entry(f"toolset:{toolset.name}", entry.field, entry.place), own=False
        )

    def expected(self, name: str) -> bool:
        """Whether a tool of that name may still come, with a server that is not there yet."""
        return any(
            fnmatchcase(name, toolset.expects)
            for toolset in self.toolsets.values()
            if toolset.expects
        )

    def unknown(self, name: str, entry: Entry, trail: tuple[str, ...] = ()) -> PilothouseError:
        """The error for a name that is neither, with the nearest that is."""
        inside = self.toolsets.get(trail[-1]) if trail else None
        where = (inside.where(name) if inside else "") or entry.where()
        what = "nothing fits" if is_pattern(name) else "there is no tool or toolset"
        near = self.nearest(name)
        hint = f"did you mean {near}?" if near else "see: pilothouse tools list"
        place = f"{where}: " if where else ""
        return PilothouseError(f"{place}{what} {name!r}", hint=hint)

    def nearest(self, name: str) -> str:
        """The known name that is most like it; empty if none is."""
        known = [*self.toolsets, *self.tools, *EVERYTHING]
        bare = name.rpartition(":")[2].lower()
        # Names from elsewhere have a prefix of their own: somebody-cli.
        tries = (bare, bare.replace("_", "-"), bare.replace("-", "_"), bare.partition("-")[2])
        for text in filter(None, tries):
            if near := difflib.get_close_matches(text, known, 1):
                return near[0]
        return ""
