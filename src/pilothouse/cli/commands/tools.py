"""`pilothouse tools`: show and switch the tools that agents get. `pilothouse tool`: call one.

Knows: the daemon's catalogue and the user's config file. Must not know: tables (cli/output/), the
screen (cli/tools_screen.py), or how tools are selected (tools/selection.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.cli.command_invocation import FAILED, CommandResult, Invocation
from pilothouse.cli.declarations import PLATFORMS
from pilothouse.cli.output import colorize, printable, value_text
from pilothouse.cli.parser import CommandLineError
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.cli.tool_switches import ToolSwitches
    from pilothouse.tools.selection import ToolVerdict

__all__ = ["tool", "tools"]

# Fields with the main text of an answer, printed last and in full.
_TEXT_FIELDS = ("snapshot", "text", "content", "markdown", "output", "analysis")
LONGEST_VALUE = 400


def tools(call: Invocation) -> CommandResult:
    """`pilothouse tools`: the screen, or one of list, enable, disable, explain."""
    action, names = call.options.get("action"), call.options.get("names", [])
    flags = _toolsets_option(call)
    if action in (None, "list"):
        if names:
            raise CommandLineError(
                f"tools list: unexpected argument {names[0]!r}", hint="tools explain NAME"
            )
        if action is None and not call.json and sys.stdout.isatty() and sys.stdin.isatty():
            return _screen(call)
        return _list(_catalogue(call), call.options.get("platform", ""), flags)
    if not names:
        raise CommandLineError(f"tools {action}: NAMES is missing", hint="pilothouse tools list")
    if action == "explain":
        return _explain(_catalogue(call), names, call.options.get("platform", ""), flags)
    if flags:
        raise CommandLineError(
            f"tools {action}: --toolsets is not allowed", hint="use --platform P"
        )
    return _switch(call, names, action == "enable")


def _toolsets_option(call: Invocation) -> tuple[str, ...]:
    given = call.options.get("toolsets", "")
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _catalogue(call: Invocation) -> ToolSwitches:
    from pilothouse.cli.tool_switches import ToolSwitches

    return ToolSwitches(call.request("catalogue"))


def _screen(call: Invocation) -> CommandResult:
    catalogue = _catalogue(call)
    from pilothouse.cli.tools_screen import ToolsScreen

    platform = call.options.get("platform", "mcp")
    # The request makes the daemon read the new choices and notify its clients at once.
    shown = ToolsScreen(catalogue, platform, saved=lambda: call.request("catalogue"))
    shown.run()
    count = len(shown.written)
    if not count:
        return CommandResult({"changed": 0}, "Nothing changed.")
    said = f"{count} {'switch' if count == 1 else 'switches'} written to {catalogue.path}"
    return CommandResult({"changed": count}, said)


def _list(catalogue: ToolSwitches, platform: str, flags: Sequence[str]) -> CommandResult:
    platforms = (platform,) if platform else ("cli",) if flags else PLATFORMS
    selections, errors = {}, {}
    for name in platforms:
        try:
            selections[name] = catalogue.selection(name, flags)
        except PilothouseError as error:
            if len(platforms) == 1:
                raise
            errors[name] = error
    result = {
        "config": str(catalogue.path),
        "platforms": {
            name: {"tools": len(found.listed), "tokens": catalogue.tokens(found.listed)}
            for name, found in selections.items()
        }
        | {name: {"error": error.format_line()} for name, error in errors.items()},
        "tools": [
            {
                "name": name,
                "about": tool.about,
                "toolset": tool.toolset,
                "source": tool.source,
                "dangerous": tool.flags.dangerous,
                "tokens": catalogue.tokens([name]),
                "on": {each: _verdict(found.verdicts[name]) for each, found in selections.items()},
            }
            for name, tool in catalogue.tools.items()
        ],
        "toolsets": [
            {
                "name": toolset.name,
                "kind": toolset.kind,
                "about": toolset.about,
                "tools": list(toolset.tools),
                "includes": list(toolset.includes),
            }
            for toolset in catalogue.toolsets().values()
        ],
    }

    def show() -> None:
        from pilothouse.cli.output import show_tools

        show_tools(result)

    return CommandResult(result, show)


def _verdict(verdict: ToolVerdict) -> dict[str, Any]:
    told = {"on": verdict.on, "listed": verdict.on and verdict.listed, "reason": verdict.reason}
    return told | ({"hint": verdict.hint} if verdict.hint else {})


def _explain(
    catalogue: ToolSwitches, names: Sequence[str], platform: str, flags: Sequence[str]
) -> CommandResult:
    from pilothouse.tools.toolsets import NameEntry

    known = catalogue.names()
    explained = []
    for name in names:
        bare = name.rpartition(":")[2]
        toolset = known.toolsets.get(bare) if not name.startswith("tool:") else None
        if toolset is not None:
            meant = known.select_tools(NameEntry(f"toolset:{bare}"), own=True)
            about = {"name": bare, "kind": f"{toolset.kind} toolset", "about": toolset.about}
        else:
            meant = known.select_tools(NameEntry(name), own=True)
            about = {"name": name, "kind": "tool" if bare in known.tools else "pattern"}
        explained.append({**about, "tools": list(meant)})
    platforms = (platform,) if platform else ("cli",) if flags else PLATFORMS
    verdicts = {each: catalogue.selection(each, flags).verdicts for each in platforms}
    wanted = dict.fromkeys(tool for one in explained for tool in one["tools"])
    found = {
        name: {
            "about": catalogue.tools[name].about,
            "toolset": catalogue.tools[name].toolset,
            "dangerous": catalogue.tools[name].flags.dangerous,
            "tokens": catalogue.tokens([name]),
            "on": {each: _verdict(verdicts[each][name]) for each in platforms},
        }
        for name in wanted
    }
    result = {"explained": explained, "tools": found}

    def show() -> None:
        from pilothouse.cli.output import show_explained

        show_explained(result)

    return CommandResult(result, show)


def _switch(call: Invocation, names: Sequence[str], on: bool) -> CommandResult:
    """Enable or disable tools; write nothing if that would change nothing."""
    catalogue = _catalogue(call)
    platform = call.options.get("platform", "")
    before = {each: catalogue.selection(each, gates=False).verdicts for each in PLATFORMS}
    change = catalogue.change(catalogue.choices, platform, names, on)
    after = {
        each: catalogue.selection(each, choices=change.choices, gates=False).verdicts
        for each in PLATFORMS
    }
    moved = {
        each: [n for n, v in after[each].items() if _state(v) != _state(before[each][n])]
        for each in PLATFORMS
    }
    moved = {each: tools for each, tools in moved.items() if tools}
    word = "on" if on else "off"
    unchanged = [
        {"platform": each, "tool": name, "reason": verdict.reason, "hint": verdict.hint}
        for (each, name), verdict in change.unchanged.items()
    ]
    if not moved and unchanged:
        first = unchanged[0]
        raise PilothouseError(
            f"{first['tool']} cannot be switched {word} for {first['platform']}: {first['reason']}",
            hint=first["hint"] or f"pilothouse tools explain {first['tool']}",
        )
    catalogue.save(change.choices)
    call.request("catalogue")  # the daemon reads the file and notifies its clients
    lines = [f"{each}: {word} now: {', '.join(tools)}" for each, tools in moved.items()]
    lines = lines or [f"Already {word}."]
    lines += [f"{s['platform']}: {s['tool']} is unchanged: {s['reason']}" for s in unchanged]
    written = str(catalogue.path)
    return CommandResult(
        {"changed": moved, "unchanged": unchanged, "config": written},
        printable("\n".join(lines)) + (f"\n{colorize(written, 'dim')}" if moved else ""),
    )


def _state(verdict: ToolVerdict) -> tuple[bool, bool]:
    return verdict.on, verdict.on and verdict.listed


def tool(call: Invocation) -> CommandResult:
    """`pilothouse tool NAME key=value …`."""
    arguments = _arguments(call.options.get("arguments", []))
    if "tab" in call.options:
        arguments.setdefault("tab", call.tab)
    name = call.options["name"]
    asked = {
        "name": name,
        "arguments": arguments,
        "platform": "cli",
        "toolsets": _toolsets_option(call),
    }
    answer: dict[str, Any] = call.request("tool", asked, doing=name)
    call.notices += answer.get("notices", ())
    if answer.get("blocked_by"):
        return call.blocked(answer)
    if not answer.get("success"):
        error = {
            "message": str(answer.get("error", "it failed")),
            "hint": str(answer.get("hint", "")),
            "kind": "ToolError",
        }
        return CommandResult(answer, _format_answer(answer), code=FAILED, error=error)
    return CommandResult(answer, _format_answer(answer) or colorize("done", "dim"))


def _arguments(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        if word == "-":
            found |= _parse_object(sys.stdin.read(), "stdin")
            continue
        key, equals, value = word.partition("=")
        if not equals or not key.strip(":"):
            raise CommandLineError(
                f"{word!r} is not an argument", hint="write key=value, or key:=JSON"
            )
        found[key.removesuffix(":")] = _parse_json(value, key) if key.endswith(":") else value
    return found


def _parse_json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise CommandLineError(f"{where}= {text!r} is not JSON", hint="key:='[\"a\", 1]'") from None


def _parse_object(text: str, where: str) -> dict[str, Any]:
    made = _parse_json(text, where)
    if not isinstance(made, dict):
        raise CommandLineError(
            f"{where}: expected a JSON object", hint='{"url": "https://example.com"}'
        )
    return made


def _format_answer(answer: Mapping[str, Any]) -> str:
    """Format an answer for people: other fields as lines, then the main texts."""
    said = {"success", "error", "hint", "notices"}
    lines = []
    for key, value in answer.items():
        if key in said or key in _TEXT_FIELDS or value in (None, "", [], {}):
            continue
        if key == "image" and isinstance(value, dict):
            size = len(str(value.get("data", ""))) * 3 // 4
            lines.append(f"{key}: {value.get('mimeType', 'image')}, {size // 1024 + 1} KB")
            continue
        text = value_text(value)
        if isinstance(value, str) and len(text) > LONGEST_VALUE and " " not in text:
            text = f"{text[:60]}… ({len(text)} characters)"
        lines.append(f"{colorize(printable(key), 'cyan')}: {text}")
    lines += [value_text(answer[key]) for key in _TEXT_FIELDS if answer.get(key)]
    return "\n".join(lines)
