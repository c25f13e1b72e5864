"""Decide which tools a client gets, each with a reason. One pure function, always in this order:

    1. select    --toolsets, else platform_toolsets, else toolsets, else the platform's default
    2. switch    tools.disable and tools.enable, then those of the platform
    3. deny      tools.deny always wins
    4. gate      hide tools that cannot work now, with the reason

Knows: this order and the user's choices. Must not know: files (tool_config_file.py) or what tools
do. The tool list and every tool call use the same function, so they always agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.tools.tool import Tool, ToolFlags
from pilothouse.tools.toolsets import (
    NameEntry,
    NameResolver,
    SelectedTool,
    Toolset,
    collect_toolsets,
)

__all__ = ["Choices", "Selection", "Switches", "ToolVerdict", "check", "resolve", "toolsets_for"]

DEFAULT = "by default"
_DANGEROUS = "dangerous: off until it is named explicitly"
_FLAGS = ToolFlags.__struct_fields__


class Switches(msgspec.Struct, frozen=True):
    """Tools, home toolsets or patterns that the user switched on or off, against the default."""

    enable: tuple[NameEntry, ...] = ()
    disable: tuple[NameEntry, ...] = ()


class Choices(msgspec.Struct, frozen=True):
    """The user's choices from config.yaml. Switches are stored as differences to the default, not
    as a full list, so tools added by a later version are on without a change to the file."""

    toolsets: tuple[NameEntry, ...] | None = None
    platform_toolsets: Mapping[str, tuple[NameEntry, ...]] = msgspec.field(default_factory=dict)
    custom: Mapping[str, tuple[NameEntry, ...]] = msgspec.field(default_factory=dict)
    switches: Switches = Switches()
    platform_switches: Mapping[str, Switches] = msgspec.field(default_factory=dict)
    deny: tuple[NameEntry, ...] = ()
    # Enabled MCP servers: name to file and line.
    servers: Mapping[str, str] = msgspec.field(default_factory=dict)
    # The file these choices were read from.
    path: str = ""

    def with_switch(self, platform: str, name: str, on: bool | None) -> Choices:
        """Return a copy with one switch set (on True or False) or removed (None), for a platform
        or, with "", for all platforms."""
        now = self.platform_switches.get(platform, Switches()) if platform else self.switches
        where = f"tools.platforms.{platform}" if platform else "tools"
        enable = [entry for entry in now.enable if entry.name != name]
        disable = [entry for entry in now.disable if entry.name != name]
        if on is True:
            enable.append(NameEntry(name, f"{where}.enable", self.path))
        elif on is False:
            disable.append(NameEntry(name, f"{where}.disable", self.path))
        made = Switches(tuple(enable), tuple(disable))
        if not platform:
            return replace(self, switches=made)
        return replace(self, platform_switches={**self.platform_switches, platform: made})


class ToolVerdict(msgspec.Struct, frozen=True):
    """Whether a tool is on, the reason, and a hint how to change it. A tool that is on but not
    `listed` can be called through browser_batch only."""

    on: bool
    reason: str
    hint: str = ""
    listed: bool = True


class Selection(msgspec.Struct, frozen=True):
    """The verdicts on all tools, for one platform."""

    platform: str
    verdicts: Mapping[str, ToolVerdict]

    @property
    def listed(self) -> tuple[str, ...]:
        """Return the tools in the agent's tool list."""
        return tuple(name for name, v in self.verdicts.items() if v.on and v.listed)

    @property
    def usable(self) -> frozenset[str]:
        """Return the tools that may be called, listed or not."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict.on)


def toolsets_for(
    tools: Mapping[str, Tool], choices: Choices, plugins: Mapping[str, Toolset] | None = None
) -> dict[str, Toolset]:
    """Return all toolsets: built-in, custom, and those of MCP servers and plugins."""
    return collect_toolsets(tools, choices.custom, choices.servers, plugins)


def resolve(
    tools: Mapping[str, Tool],
    toolsets: Mapping[str, Toolset],
    choices: Choices,
    *,
    platform: str,
    flags: Sequence[str] = (),
    shut: Mapping[str, str] | None = None,
) -> Selection:
    """Return the verdict on every tool. `flags` are the toolsets of this session only
    (`--toolsets`). `shut` maps a tool, a home toolset or a flag (such as `cdp`) to the reason why
    these tools cannot work now. Raises PilothouseError for unknown names, for toolsets that
    include themselves, and if no tool is left."""
    names = NameResolver(tools, toolsets)
    _require_platform(toolsets, platform, "")
    entries, own, source = _selected_entries(choices, platform, flags)
    picks = _select_all(names, entries, own)
    levels = [choices.switches, choices.platform_switches.get(platform, Switches())]
    switches = [_match_switches(names, level) for level in levels]
    denied = _most_specific(names, choices.deny)
    verdicts = {}
    for name, tool in tools.items():
        pick = picks.get(name)
        hint = _enable_hint(names, name, platform, flags)
        verdict = _selection_verdict(tool, pick, entries, source, hint)
        # --toolsets replaces the saved selection: saved `enable` switches add nothing to it, but
        # `disable` and `deny` still remove tools.
        if pick is not None or not flags:
            for enabled, disabled in switches:
                verdict = _apply_switches(verdict, tool, enabled, disabled, names, hint)
            if flags and pick is not None:
                verdict = replace(verdict, listed=pick.listed)
        if name in denied:
            entry = denied[name][1]
            verdict = ToolVerdict(
                False,
                f"denied by {entry.source_label()}: {entry.name}",
                f"remove it from {entry.location()}",
            )
        verdicts[name] = _apply_gates(verdict, tool, shut or {})
    made = Selection(platform, verdicts)
    if not made.listed:
        raise _empty_selection_error(made, names, entries, source)
    return made


def check(tools: Mapping[str, Tool], toolsets: Mapping[str, Toolset], choices: Choices) -> None:
    """Check that every name in the choices is known, for every platform. Raises
    PilothouseError."""
    names = NameResolver(tools, toolsets)
    for name in choices.custom:
        _select_all(names, [NameEntry(f"toolset:{name}", f"custom_toolsets.{name}")], True)
    selections = [choices.toolsets or (), *choices.platform_toolsets.values()]
    for entries in selections:
        _select_all(names, entries, True)
    for level in (choices.switches, *choices.platform_switches.values()):
        _match_switches(names, level)
    _most_specific(names, choices.deny)
    for platform, entries in choices.platform_toolsets.items():
        _require_platform(
            toolsets, platform, entries[0].location() if entries else "platform_toolsets"
        )
    for platform, level in choices.platform_switches.items():
        first = next(iter((*level.enable, *level.disable)), NameEntry("", "tools.platforms"))
        _require_platform(toolsets, platform, first.location())


def _require_platform(toolsets: Mapping[str, Toolset], platform: str, where: str) -> None:
    known = [toolset.name for toolset in toolsets.values() if toolset.kind == "platform"]
    if platform not in known:
        near = NameResolver({}, {name: toolsets[name] for name in known}).closest_name(platform)
        hint = f"did you mean {near}?" if near in known else f"known: {', '.join(known)}"
        problem = f"unknown platform {platform!r}"
        raise PilothouseError(f"{where}: {problem}" if where else problem, hint=hint)


def _selected_entries(
    choices: Choices, platform: str, flags: Sequence[str]
) -> tuple[Sequence[NameEntry], bool, str]:
    """Return the selected entries, whether the user wrote them, and where they come from."""
    if flags:
        return [NameEntry(name, "--toolsets") for name in flags], True, "--toolsets"
    entries = choices.platform_toolsets.get(platform)
    field = f"platform_toolsets.{platform}"
    if entries is None:
        entries, field = choices.toolsets, "toolsets"
    if entries is None:
        return [NameEntry(platform, "the platform's default")], False, DEFAULT
    if not entries:
        raise PilothouseError(
            f"{choices.path or 'config'}: {field}: empty; expected at least one toolset",
            hint="name a toolset, or remove the field to get the default",
        )
    return entries, True, entries[0].source_label()


def _select_all(
    names: NameResolver, entries: Iterable[NameEntry], own: bool
) -> dict[str, SelectedTool]:
    found: dict[str, SelectedTool] = {}
    for entry in entries:
        for name, pick in names.select_tools(entry, own=own).items():
            before = found.get(name)
            if before is None or (pick.listed, pick.named) > (before.listed, before.named):
                found[name] = pick
    return found


SwitchMatches = dict[str, tuple[int, NameEntry]]


def _most_specific(names: NameResolver, entries: Iterable[NameEntry]) -> SwitchMatches:
    """Return every tool the entries mean, with the entry that names it most exactly."""
    found: SwitchMatches = {}
    for entry in entries:
        for name, rank in names.match_switch(entry).items():
            if rank > found.get(name, (0, entry))[0]:
                found[name] = (rank, entry)
    return found


def _match_switches(names: NameResolver, level: Switches) -> tuple[SwitchMatches, SwitchMatches]:
    enabled, disabled = _most_specific(names, level.enable), _most_specific(names, level.disable)
    for name in enabled.keys() & disabled.keys():
        if enabled[name][0] == disabled[name][0] == 3:
            both = f"{enabled[name][1].source_label()} and {disabled[name][1].source_label()}"
            raise PilothouseError(
                f"{disabled[name][1].location()}: {name} is switched on and off: {both}",
                hint="remove it from one of them",
            )
    return enabled, disabled


def _enable_hint(names: NameResolver, name: str, platform: str, flags: Sequence[str]) -> str:
    """Return the option or command that switches a tool on."""
    exact = names.exact_name(name)
    if flags:
        return f"--toolsets {','.join([*flags, exact])}"
    return f"pilothouse tools enable {exact} --platform {platform}"


def _selection_verdict(
    tool: Tool, pick: SelectedTool | None, entries: Sequence[NameEntry], source: str, hint: str
) -> ToolVerdict:
    if pick is None:
        chosen = ", ".join(entry.name for entry in entries)
        problem = "not in" if source == DEFAULT else f"not in what {source} chose:"
        return ToolVerdict(
            False, f"{problem} {chosen}" + (" by default" * (source == DEFAULT)), hint
        )
    if tool.flags.dangerous and not pick.named:
        return ToolVerdict(False, _DANGEROUS, hint)
    way = f"{source}: {' > '.join(pick.trail)}"
    if pick.listed:
        return ToolVerdict(True, way)
    return ToolVerdict(True, f"{way}; not listed, used through browser_batch", listed=False)


def _apply_switches(
    before: ToolVerdict,
    tool: Tool,
    enabled: SwitchMatches,
    disabled: SwitchMatches,
    names: NameResolver,
    hint: str,
) -> ToolVerdict:
    """Return the verdict after one level of switches. The entry that names the tool more exactly
    wins; between equals, off wins."""
    on, off = enabled.get(tool.name), disabled.get(tool.name)
    if off is not None and (on is None or off[0] >= on[0]):
        return ToolVerdict(False, f"switched off by {off[1].source_label()}: {off[1].name}", hint)
    if on is None or (before.on and before.listed):
        return before
    rank, entry = on
    if tool.flags.dangerous and rank < 3 and not (rank == 2 and _all_dangerous(tool, names)):
        return before if before.on else ToolVerdict(False, _DANGEROUS, hint)
    return ToolVerdict(True, f"switched on by {entry.source_label()}: {entry.name}")


def _all_dangerous(tool: Tool, names: NameResolver) -> bool:
    """Return whether all tools of this home are dangerous. Then naming the home is explicit
    enough to turn them on."""
    home = names.home_tools(names.toolsets[tool.toolset])
    return all(names.tools[name].flags.dangerous for name in home)


def _apply_gates(before: ToolVerdict, tool: Tool, shut: Mapping[str, str]) -> ToolVerdict:
    if not before.on:
        return before
    flags = [name for name in _FLAGS if getattr(tool.flags, name)]
    for name in (tool.name, tool.toolset, *flags):
        if name in shut:
            return ToolVerdict(False, shut[name], "wait: it comes back when the reason is gone")
    return before


def _empty_selection_error(
    made: Selection, names: NameResolver, entries: Sequence[NameEntry], source: str
) -> PilothouseError:
    """Return the error that explains why no tool is left."""
    chosen = ", ".join(entry.name for entry in entries)
    picked = _select_all(names, entries, True)
    if not made.verdicts:
        why = "there are no tools"
    elif not picked:
        why = "these toolsets have no tools yet"
    else:
        reasons = Counter(made.verdicts[name].reason for name in picked)
        why = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common(4))
    hint = next((made.verdicts[name].hint for name in picked), "")
    return PilothouseError(
        f"no tool is left for clients of kind {made.platform}, of {chosen} ({source}): {why}",
        hint=hint or "see what there is: pilothouse tools list --toolsets all",
    )
