"""Which tools somebody gets, each with the reason: one pure function, always in this order.

    1. select    --toolsets, else platform_toolsets, else toolsets, else the platform's own
    2. switch    tools.disable and tools.enable, then those of the platform
    3. deny      tools.deny: always wins
    4. gate      what cannot be used now, and why

Knows: the order, and what a person chose. Must not know: files (choices.py) or what tools do. It
decides and never acts: the same choices give the same answer, for the listing and at every call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError
from pilothouse.tools.tool import Flags, Tool
from pilothouse.tools.toolsets import Entry, Names, Pick, Toolset, gathered

__all__ = ["Choices", "Selection", "Switches", "Verdict", "check", "resolve", "toolsets_for"]

DEFAULT = "by default"
_DANGEROUS = "dangerous: only on where it is named itself"
_FLAGS = Flags.__struct_fields__


class Switches(msgspec.Struct, frozen=True):
    """Single tools, homes or patterns that are switched on or off against a default."""

    enable: tuple[Entry, ...] = ()
    disable: tuple[Entry, ...] = ()


class Choices(msgspec.Struct, frozen=True):
    """What a person chose. Nothing here is a frozen list of what there was on the day: switches
    are kept as differences, so that tools that come later come by themselves."""

    toolsets: tuple[Entry, ...] | None = None
    platform_toolsets: Mapping[str, tuple[Entry, ...]] = msgspec.field(default_factory=dict)
    custom: Mapping[str, tuple[Entry, ...]] = msgspec.field(default_factory=dict)
    switches: Switches = Switches()
    platform_switches: Mapping[str, Switches] = msgspec.field(default_factory=dict)
    deny: tuple[Entry, ...] = ()
    # The MCP servers whose tools are wanted, with the places that say so.
    servers: Mapping[str, str] = msgspec.field(default_factory=dict)
    # Where all of this was read.
    path: str = ""

    def switched(self, platform: str, name: str, on: bool | None) -> Choices:
        """The same with one switch set for a platform (for all with ""), or taken back."""
        now = self.platform_switches.get(platform, Switches()) if platform else self.switches
        where = f"tools.platforms.{platform}" if platform else "tools"
        enable = [entry for entry in now.enable if entry.name != name]
        disable = [entry for entry in now.disable if entry.name != name]
        if on is True:
            enable.append(Entry(name, f"{where}.enable", self.path))
        elif on is False:
            disable.append(Entry(name, f"{where}.disable", self.path))
        made = Switches(tuple(enable), tuple(disable))
        if not platform:
            return replace(self, switches=made)
        return replace(self, platform_switches={**self.platform_switches, platform: made})


class Verdict(msgspec.Struct, frozen=True):
    """Whether a tool may be used, why, and what to do about it. A tool that is on and not
    `listed` is used through another one."""

    on: bool
    reason: str
    hint: str = ""
    listed: bool = True


class Selection(msgspec.Struct, frozen=True):
    """The verdict on every known tool, for one platform."""

    platform: str
    verdicts: Mapping[str, Verdict]

    @property
    def listed(self) -> tuple[str, ...]:
        """The tools an agent is shown."""
        return tuple(name for name, v in self.verdicts.items() if v.on and v.listed)

    @property
    def usable(self) -> frozenset[str]:
        """The tools that may be called."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict.on)


def toolsets_for(
    tools: Mapping[str, Tool], choices: Choices, plugins: Mapping[str, Toolset] | None = None
) -> dict[str, Toolset]:
    """All toolsets there are, with these tools and choices, and what plugins define."""
    return gathered(tools, choices.custom, choices.servers, plugins)


def resolve(
    tools: Mapping[str, Tool],
    toolsets: Mapping[str, Toolset],
    choices: Choices,
    *,
    platform: str,
    flags: Sequence[str] = (),
    shut: Mapping[str, str] | None = None,
) -> Selection:
    """The verdict on every tool. `flags` are the toolsets asked for in this session only; `shut`
    says why a tool, a home or all tools with a flag (as `cdp`) cannot be used now. Raises
    PilothouseError for unknown names, circles, and if nothing is left."""
    names = Names(tools, toolsets)
    _known_platform(toolsets, platform, "")
    entries, own, source = _selected(choices, platform, flags)
    picks = _picks(names, entries, own)
    levels = [choices.switches, choices.platform_switches.get(platform, Switches())]
    switches = [_switches(names, level) for level in levels]
    denied = _exactest(names, choices.deny)
    verdicts = {}
    for name, tool in tools.items():
        pick = picks.get(name)
        hint = _way_in(names, name, platform, flags)
        verdict = _of_selection(tool, pick, entries, source, hint)
        # What was asked for in so many words, for once, is not made more by what was saved; it
        # may be made less.
        if pick is not None or not flags:
            for enabled, disabled in switches:
                verdict = _of_switches(verdict, tool, enabled, disabled, names, hint)
            if flags and pick is not None:
                verdict = replace(verdict, listed=pick.listed)
        if name in denied:
            entry = denied[name][1]
            verdict = Verdict(
                False, f"denied by {entry.told()}: {entry.name}", f"take it out of {entry.where()}"
            )
        verdicts[name] = _of_gates(verdict, tool, shut or {})
    made = Selection(platform, verdicts)
    if not made.listed:
        raise _nothing_left(made, names, entries, source)
    return made


def check(tools: Mapping[str, Tool], toolsets: Mapping[str, Toolset], choices: Choices) -> None:
    """See that every name in the choices means something, on every platform. Raises
    PilothouseError."""
    names = Names(tools, toolsets)
    for name in choices.custom:
        _picks(names, [Entry(f"toolset:{name}", f"custom_toolsets.{name}")], True)
    selections = [choices.toolsets or (), *choices.platform_toolsets.values()]
    for entries in selections:
        _picks(names, entries, True)
    for level in (choices.switches, *choices.platform_switches.values()):
        _switches(names, level)
    _exactest(names, choices.deny)
    for platform, entries in choices.platform_toolsets.items():
        _known_platform(toolsets, platform, entries[0].where() if entries else "platform_toolsets")
    for platform, level in choices.platform_switches.items():
        first = next(iter((*level.enable, *level.disable)), Entry("", "tools.platforms"))
        _known_platform(toolsets, platform, first.where())


def _known_platform(toolsets: Mapping[str, Toolset], platform: str, where: str) -> None:
    known = [toolset.name for toolset in toolsets.values() if toolset.kind == "platform"]
    if platform not in known:
        near = Names({}, {name: toolsets[name] for name in known}).nearest(platform)
        hint = f"did you mean {near}?" if near in known else f"known: {', '.join(known)}"
        told = f"there is no platform {platform!r}"
        raise PilothouseError(f"{where}: {told}" if where else told, hint=hint)


def _selected(
    choices: Choices, platform: str, flags: Sequence[str]
) -> tuple[Sequence[Entry], bool, str]:
    """What is selected, whether a person did it, and where."""
    if flags:
        return [Entry(name, "--toolsets") for name in flags], True, "--toolsets"
    entries = choices.platform_toolsets.get(platform)
    field = f"platform_toolsets.{platform}"
    if entries is None:
        entries, field = choices.toolsets, "toolsets"
    if entries is None:
        return [Entry(platform, "the platform's own")], False, DEFAULT
    if not entries:
        raise PilothouseError(
            f"{choices.path or 'config'}: {field}: no toolset is named",
            hint="name one, or leave the field out for the default",
        )
    return entries, True, entries[0].told()


def _picks(names: Names, entries: Iterable[Entry], own: bool) -> dict[str, Pick]:
    found: dict[str, Pick] = {}
    for entry in entries:
        for name, pick in names.picked(entry, own=own).items():
            before = found.get(name)
            if before is None or (pick.listed, pick.named) > (before.listed, before.named):
                found[name] = pick
    return found


Named = dict[str, tuple[int, Entry]]


def _exactest(names: Names, entries: Iterable[Entry]) -> Named:
    """Every tool that is meant, with the entry that names it most exactly."""
    found: Named = {}
    for entry in entries:
        for name, rank in names.switched(entry).items():
            if rank > found.get(name, (0, entry))[0]:
                found[name] = (rank, entry)
    return found


def _switches(names: Names, level: Switches) -> tuple[Named, Named]:
    enabled, disabled = _exactest(names, level.enable), _exactest(names, level.disable)
    for name in enabled.keys() & disabled.keys():
        if enabled[name][0] == disabled[name][0] == 3:
            both = f"{enabled[name][1].told()} and {disabled[name][1].told()}"
            raise PilothouseError(
                f"{disabled[name][1].where()}: {name} is both switched on and off: {both}",
                hint="take it out of one of them",
            )
    return enabled, disabled


def _way_in(names: Names, name: str, platform: str, flags: Sequence[str]) -> str:
    """What switches a tool on, where nothing forbids it."""
    exact = names.exactly(name)
    if flags:
        return f"--toolsets {','.join([*flags, exact])}"
    return f"pilothouse tools enable {exact} --platform {platform}"


def _of_selection(
    tool: Tool, pick: Pick | None, entries: Sequence[Entry], source: str, hint: str
) -> Verdict:
    if pick is None:
        chosen = ", ".join(entry.name for entry in entries)
        told = "not in" if source == DEFAULT else f"not in what {source} chose:"
        return Verdict(False, f"{told} {chosen}" + (" by default" * (source == DEFAULT)), hint)
    if tool.flags.dangerous and not pick.named:
        return Verdict(False, _DANGEROUS, hint)
    way = f"{source}: {' > '.join(pick.trail)}"
    if pick.listed:
        return Verdict(True, way)
    return Verdict(True, f"{way}; not listed, used through browser_batch", listed=False)


def _of_switches(
    before: Verdict, tool: Tool, enabled: Named, disabled: Named, names: Names, hint: str
) -> Verdict:
    """A verdict after one level of switches: what names the tool more exactly wins, and off wins
    over on."""
    on, off = enabled.get(tool.name), disabled.get(tool.name)
    if off is not None and (on is None or off[0] >= on[0]):
        return Verdict(False, f"switched off by {off[1].told()}: {off[1].name}", hint)
    if on is None or (before.on and before.listed):
        return before
    rank, entry = on
    if tool.flags.dangerous and rank < 3 and not (rank == 2 and _all_dangerous(tool, names)):
        return before if before.on else Verdict(False, _DANGEROUS, hint)
    return Verdict(True, f"switched on by {entry.told()}: {entry.name}")


def _all_dangerous(tool: Tool, names: Names) -> bool:
    """Whether only dangerous tools live where this one does: then to name the home is enough."""
    home = names.at_home(names.toolsets[tool.toolset])
    return all(names.tools[name].flags.dangerous for name in home)


def _of_gates(before: Verdict, tool: Tool, shut: Mapping[str, str]) -> Verdict:
    if not before.on:
        return before
    flags = [name for name in _FLAGS if getattr(tool.flags, name)]
    for name in (tool.name, tool.toolset, *flags):
        if name in shut:
            return Verdict(False, shut[name], "it comes back by itself when that changes")
    return before


def _nothing_left(
    made: Selection, names: Names, entries: Sequence[Entry], source: str
) -> PilothouseError:
    """Why a selection is empty, in one sentence."""
    chosen = ", ".join(entry.name for entry in entries)
    picked = _picks(names, entries, True)
    if not made.verdicts:
        why = "there are no tools at all"
    elif not picked:
        why = "no tool has come there yet"
    else:
        reasons = Counter(made.verdicts[name].reason for name in picked)
        why = "; ".join(f"{count} {reason}" for reason, count in reasons.most_common(4))
    hint = next((made.verdicts[name].hint for name in picked), "")
    return PilothouseError(
        f"no tool is left for {made.platform} of {chosen} ({source}): {why}",
        hint=hint or "pilothouse tools list --toolsets all",
    )
