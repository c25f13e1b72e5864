"""The daemon's tools and a person's choices, together: what comes of them, and of changing them.

Knows: how a switch that a person moves becomes the smallest difference to a default. Must not
know: how it is shown. Every tool comes from the daemon, so that those of servers and plugins are
among them; what is resolved here is what the daemon resolves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.tools.choices import Switch, load, save
from pilothouse.tools.selection import (
    Choices,
    Selection,
    Switches,
    Verdict,
    check,
    resolve,
    toolsets_for,
)
from pilothouse.tools.tool import Flags, Tool
from pilothouse.tools.toolsets import PLATFORMS, Entry, Names, Toolset

__all__ = ["Catalogue", "Change"]

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Change:
    """What moving a switch came to: the choices after it, and the tools that did not follow,
    each with the verdict that says why."""

    choices: Choices
    stubborn: Mapping[tuple[str, str], Verdict]


class Catalogue:
    """All tools, as the daemon tells of them, and the choices in its file. Raises PilothouseError
    if the file is wrong."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.path = Path(told["config"])
        self.shut: dict[str, str] = dict(told["shut"])
        self.tools = {one["name"]: _tool(one) for one in told["tools"]}
        self._plugins = {one["name"]: _toolset(one) for one in told.get("toolsets", ())}
        self.choices = load(self.path).choices
        self._costs = {name: _tokens(tool) for name, tool in self.tools.items()}
        check(self.tools, self.toolsets(), self.choices)

    def toolsets(self, choices: Choices | None = None) -> dict[str, Toolset]:
        """All toolsets there are."""
        return toolsets_for(self.tools, choices or self.choices, self._plugins)

    def names(self) -> Names:
        """What names stand for."""
        return Names(self.tools, self.toolsets())

    def selection(
        self,
        platform: str,
        flags: Sequence[str] = (),
        choices: Choices | None = None,
        *,
        gates: bool = True,
    ) -> Selection:
        """The verdict on every tool, with the file's choices or others."""
        chosen = choices or self.choices
        return resolve(
            self.tools,
            self.toolsets(chosen),
            chosen,
            platform=platform,
            flags=flags,
            shut=self.shut if gates else {},
        )

    def tokens(self, names: Iterable[str]) -> int:
        """About what a listing of these tools costs an agent, each time it thinks."""
        return sum(self._costs[name] for name in names)

    def change(
        self, choices: Choices, platform: str, names: Sequence[str], on: bool | None
    ) -> Change:
        """Switch tools, toolsets or patterns on or off for a platform (for all with ""), or back
        to the default with None. The default is left alone where it says the same. Raises
        PilothouseError for unknown names, and where no tool would be left."""
        known = self.names()
        platforms = (platform,) if platform else PLATFORMS
        meant: set[str] = set()
        for name in names:
            tools = known.switched(Entry(name))
            meant |= tools.keys()
            choices = self._without(choices, platform, name, tools)
            # For all means for all: what single platforms say about the same goes.
            for each in choices.platform_switches if on is not None and not platform else ():
                choices = self._without(choices, each, name, tools)
            if on is not None and not self._is(choices, platforms, tools, on):
                choices = choices.switched(platform, name, on)
        stubborn = {}
        for each in platforms:
            selection = self.selection(each, choices=choices, gates=False)
            for tool in meant if on is not None else ():
                verdict = selection.verdicts[tool]
                if (verdict.on and verdict.listed) != on:
                    stubborn[each, tool] = verdict
        return Change(choices, stubborn)

    def _without(self, choices: Choices, platform: str, name: str, tools: Iterable[str]) -> Choices:
        """The choices without this switch, and without those of single tools that it covers."""
        choices = choices.switched(platform, name, None)
        known = self.names()
        if name in known.toolsets:
            for tool in tools:
                for spelt in {tool, known.exactly(tool), f"tool:{tool}"} - set(known.toolsets):
                    choices = choices.switched(platform, spelt, None)
        return choices

    def _is(
        self, choices: Choices, platforms: Iterable[str], tools: Iterable[str], on: bool
    ) -> bool:
        for platform in platforms:
            try:
                verdicts = self.selection(platform, choices=choices, gates=False).verdicts
            except PilothouseError:
                return False  # nothing is left without it: it is said when it is resolved again
            if any((verdicts[tool].on and verdicts[tool].listed) != on for tool in tools):
                return False
        return True

    def differences(self, choices: Choices) -> list[Switch]:
        """The switches that lead from the file's choices to these."""
        platforms = {"", *self.choices.platform_switches, *choices.platform_switches}
        found = []
        for platform in sorted(platforms):
            before, after = _state(self.choices, platform), _state(choices, platform)
            found += [
                Switch(name, after.get(name), platform)
                for name in {**before, **after}
                if before.get(name) is not after.get(name)
            ]
        return found

    def save(self, choices: Choices) -> list[Switch]:
        """Write what is different into the file, and take it from there."""
        switches = self.differences(choices)
        if switches:
            save(switches, self.path)
            self.choices = load(self.path).choices
        return switches


def _state(choices: Choices, platform: str) -> dict[str, bool]:
    """Each switch of one level: on or off."""
    level = choices.platform_switches.get(platform, Switches()) if platform else choices.switches
    return {entry.name: True for entry in level.enable} | {
        entry.name: False for entry in level.disable
    }


async def _not_here(context: object, given: Mapping[str, Any]) -> dict[str, Any]:
    raise PilothouseError("tools run in the daemon", hint="pilothouse tool NAME")


def _tool(told: Mapping[str, Any]) -> Tool:
    flags = Flags(**{one: one in told["flags"] for one in Flags.__struct_fields__})
    return Tool(
        told["name"],
        told["about"],
        told["schema"],
        _not_here,
        told["toolset"],
        flags,
        told["source"],
    )


def _toolset(told: Mapping[str, Any]) -> Toolset:
    return Toolset(
        told["name"],
        told["kind"],
        told["about"],
        tools=tuple(told.get("tools", ())),
        includes=tuple(told.get("includes", ())),
        unlisted=tuple(told.get("unlisted", ())),
        place=told.get("place", ""),
    )


def _tokens(tool: Tool) -> int:
    entry = {"name": tool.name, "description": tool.about, "inputSchema": tool.schema}
    text = json.dumps(entry, separators=(",", ":"), ensure_ascii=False)
    return -(-len(text) // CHARACTERS_PER_TOKEN)
