"""ToolSwitches: the daemon's tools with the user's choices, and what changing a switch does.

Knows: how a switch becomes the smallest difference to the default. Must not know: how it is shown.
The tools come from the daemon, so those of MCP servers and plugins are included. The selection is
the same function as in the daemon (tools/selection.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.tools.selection import (
    Choices,
    Selection,
    Switches,
    ToolVerdict,
    check,
    resolve,
    toolsets_for,
)
from pilothouse.tools.tool import Tool, ToolFlags
from pilothouse.tools.tool_config_file import SwitchChange, load, save
from pilothouse.tools.toolsets import PLATFORMS, NameEntry, NameResolver, Toolset

__all__ = ["SwitchResult", "ToolSwitches"]

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class SwitchResult:
    """The result of setting a switch: the new choices, and the tools that stay `unchanged`, each
    with the verdict that says why. Keys are (platform, tool)."""

    choices: Choices
    unchanged: Mapping[tuple[str, str], ToolVerdict]


class ToolSwitches:
    """All tools of the daemon, and the choices in its config file. Raises PilothouseError if the
    file is invalid."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.path = Path(told["config"])
        self.shut: dict[str, str] = dict(told["shut"])
        self.tools = {one["name"]: _tool(one) for one in told["tools"]}
        self._plugins = {one["name"]: _toolset(one) for one in told.get("toolsets", ())}
        self.choices = load(self.path).choices
        self._costs = {name: _tokens(tool) for name, tool in self.tools.items()}
        check(self.tools, self.toolsets(), self.choices)

    def toolsets(self, choices: Choices | None = None) -> dict[str, Toolset]:
        """Return all toolsets."""
        return toolsets_for(self.tools, choices or self.choices, self._plugins)

    def names(self) -> NameResolver:
        """Return the resolver of tool and toolset names."""
        return NameResolver(self.tools, self.toolsets())

    def selection(
        self,
        platform: str,
        flags: Sequence[str] = (),
        choices: Choices | None = None,
        *,
        gates: bool = True,
    ) -> Selection:
        """Return the verdict on every tool, with the file's choices or others. `gates` false
        ignores what is unavailable now."""
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
        """Estimate the tokens that listing these tools costs in every request of an agent."""
        return sum(self._costs[name] for name in names)

    def change(
        self, choices: Choices, platform: str, names: Sequence[str], on: bool | None
    ) -> SwitchResult:
        """Switch tools, toolsets or patterns on or off for a platform (for all with ""), or back
        to the default with None. The default is left alone where it says the same. Raises
        PilothouseError for unknown names, and where no tool would be left."""
        known = self.names()
        platforms = (platform,) if platform else PLATFORMS
        meant: set[str] = set()
        for name in names:
            tools = known.match_switch(NameEntry(name))
            meant |= tools.keys()
            choices = self._drop_switch(choices, platform, name, tools)
            # A switch for all platforms replaces the switches of single platforms.
            for each in choices.platform_switches if on is not None and not platform else ():
                choices = self._drop_switch(choices, each, name, tools)
            if on is not None and not self._has_state(choices, platforms, tools, on):
                choices = choices.with_switch(platform, name, on)
        unchanged = {}
        for each in platforms:
            selection = self.selection(each, choices=choices, gates=False)
            for tool in meant if on is not None else ():
                verdict = selection.verdicts[tool]
                if (verdict.on and verdict.listed) != on:
                    unchanged[each, tool] = verdict
        return SwitchResult(choices, unchanged)

    def _drop_switch(
        self, choices: Choices, platform: str, name: str, tools: Iterable[str]
    ) -> Choices:
        """Return the choices without this switch, and without the switches of single tools that it
        covers."""
        choices = choices.with_switch(platform, name, None)
        known = self.names()
        if name in known.toolsets:
            for tool in tools:
                for spelt in {tool, known.exact_name(tool), f"tool:{tool}"} - set(known.toolsets):
                    choices = choices.with_switch(platform, spelt, None)
        return choices

    def _has_state(
        self, choices: Choices, platforms: Iterable[str], tools: Iterable[str], on: bool
    ) -> bool:
        for platform in platforms:
            try:
                verdicts = self.selection(platform, choices=choices, gates=False).verdicts
            except PilothouseError:
                return False  # no tool would be left; the next selection reports it
            if any((verdicts[tool].on and verdicts[tool].listed) != on for tool in tools):
                return False
        return True

    def differences(self, choices: Choices) -> list[SwitchChange]:
        """Return the switches that change the file's choices into these."""
        platforms = {"", *self.choices.platform_switches, *choices.platform_switches}
        found = []
        for platform in sorted(platforms):
            before, after = _state(self.choices, platform), _state(choices, platform)
            found += [
                SwitchChange(name, after.get(name), platform)
                for name in {**before, **after}
                if before.get(name) is not after.get(name)
            ]
        return found

    def save(self, choices: Choices) -> list[SwitchChange]:
        """Write the differences into the file and read it again."""
        switches = self.differences(choices)
        if switches:
            save(switches, self.path)
            self.choices = load(self.path).choices
        return switches


def _state(choices: Choices, platform: str) -> dict[str, bool]:
    """Return each switch of one level: True for on, False for off."""
    level = choices.platform_switches.get(platform, Switches()) if platform else choices.switches
    return {entry.name: True for entry in level.enable} | {
        entry.name: False for entry in level.disable
    }


async def _run_in_daemon(context: object, given: Mapping[str, Any]) -> dict[str, Any]:
    raise PilothouseError("tools run in the daemon", hint="pilothouse tool NAME")


def _tool(told: Mapping[str, Any]) -> Tool:
    flags = ToolFlags(**{one: one in told["flags"] for one in ToolFlags.__struct_fields__})
    return Tool(
        told["name"],
        told["about"],
        told["schema"],
        _run_in_daemon,
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
