"""`pilothouse tools` and `pilothouse tool`: which tools agents get, and a call of one.

Knows: the daemon's catalogue and the person's file. Must not know: tables (tools_shown.py), the
screen (tools_screen.py), or the order of choices (tools/selection.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from pilothouse.cli.daemon_call import FAILED, Answer, Call
from pilothouse.cli.declarations import PLATFORMS
from pilothouse.cli.output import paint, printable, value_text
from pilothouse.cli.parser import Usage
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pilothouse.cli.commands.tools_catalogue import Catalogue
    from pilothouse.tools.selection import Verdict

__all__ = ["tool", "tools"]

# Fields that are the answer itself; the others are said about it.
_TEXTS = ("snapshot", "text", "content", "markdown", "output", "analysis")
LONGEST = 400


def tools(call: Call) -> Answer:
    """`pilothouse tools`: the screen, or one of list, enable, disable, explain."""
    action, names = call.options.get("action"), call.options.get("names", [])
    flags = _flags(call)
    if action in (None, "list"):
        if names:
            raise Usage(f"tools list: {names[0]!r} is one word too many", hint="tools explain NAME")
        if action is None and not call.json and sys.stdout.isatty() and sys.stdin.isatty():
            return _screen(call)
        return _list(_catalogue(call), call.options.get("platform", ""), flags)
    if not names:
        raise Usage(f"tools {action}: which one?", hint="pilothouse tools list")
    if action == "explain":
        return _explain(_catalogue(call), names, call.options.get("platform", ""), flags)
    if flags:
        raise Usage(f"tools {action}: --toolsets is for one call only", hint="--platform P")
    return _switch(call, names, action == "enable")


def _flags(call: Call) -> tuple[str, ...]:
    given = call.options.get("toolsets", "")
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _catalogue(call: Call) -> Catalogue:
    from pilothouse.cli.commands.tools_catalogue import Catalogue

    return Catalogue(call.ask("catalogue"))


def _screen(call: Call) -> Answer:
    catalogue = _catalogue(call)
    from pilothouse.cli.tools_screen import ToolsScreen

    platform = call.options.get("platform", "mcp")
    # Asked for again, the daemon sees the new choices, and tells its clients at once.
    shown = ToolsScreen(catalogue, platform, saved=lambda: call.ask("catalogue"))
    shown.run()
    count = len(shown.written)
    if not count:
        return Answer({"changed": 0}, "Nothing is changed.")
    said = f"{count} {'switch' if count == 1 else 'switches'} written to {catalogue.path}"
    return Answer({"changed": count}, said)


def _list(catalogue: Catalogue, platform: str, flags: Sequence[str]) -> Answer:
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
        | {name: {"error": error.line()} for name, error in errors.items()},
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

    return Answer(result, show)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    told = {"on": verdict.on, "listed": verdict.on and verdict.listed, "reason": verdict.reason}
    return told | ({"hint": verdict.hint} if verdict.hint else {})


def _explain(
    catalogue: Catalogue, names: Sequence[str], platform: str, flags: Sequence[str]
) -> Answer:
    from pilothouse.tools.toolsets import Entry

    known = catalogue.names()
    explained = []
    for name in names:
        bare = name.rpartition(":")[2]
        toolset = known.toolsets.get(bare) if not name.startswith("tool:") else None
        if toolset is not None:
            meant = known.picked(Entry(f"toolset:{bare}"), own=True)
            about = {"name": bare, "kind": f"{toolset.kind} toolset", "about": toolset.about}
        else:
            meant = known.picked(Entry(name), own=True)
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

    return Answer(result, show)


def _switch(call: Call, names: Sequence[str], on: bool) -> Answer:
    """Enable or disable; nothing is written if nothing would follow."""
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
    stubborn = [
        {"platform": each, "tool": name, "reason": verdict.reason, "hint": verdict.hint}
        for (each, name), verdict in change.stubborn.items()
    ]
    if not moved and stubborn:
        first = stubborn[0]
        raise PilothouseError(
            f"{first['tool']} does not go {word} for {first['platform']}: {first['reason']}",
            hint=first["hint"] or f"pilothouse tools explain {first['tool']}",
        )
    catalogue.save(change.choices)
    call.ask("catalogue")  # the daemon looks, and tells its clients
    lines = [f"{each}: {word} now: {', '.join(tools)}" for each, tools in moved.items()]
    lines = lines or [f"They are {word} already." if len(names) > 1 else f"It is {word} already."]
    lines += [f"{s['platform']}: {s['tool']} stays as it was: {s['reason']}" for s in stubborn]
    written = str(catalogue.path)
    return Answer(
        {"changed": moved, "unchanged": stubborn, "config": written},
        printable("\n".join(lines)) + (f"\n{paint(written, 'dim')}" if moved else ""),
    )


def _state(verdict: Verdict) -> tuple[bool, bool]:
    return verdict.on, verdict.on and verdict.listed


def tool(call: Call) -> Answer:
    """`pilothouse tool NAME key=value …`."""
    arguments = _arguments(call.options.get("arguments", []))
    if "tab" in call.options:
        arguments.setdefault("tab", call.tab)
    name = call.options["name"]
    asked = {"name": name, "arguments": arguments, "platform": "cli", "toolsets": _flags(call)}
    answer: dict[str, Any] = call.ask("tool", asked, doing=name)
    call.notices += answer.get("notices", ())
    if answer.get("blocked_by"):
        return call.blocked(answer)
    if not answer.get("success"):
        error = {
            "message": str(answer.get("error", "it failed")),
            "hint": str(answer.get("hint", "")),
            "kind": "ToolError",
        }
        return Answer(answer, _readable(answer), code=FAILED, error=error)
    return Answer(answer, _readable(answer) or paint("done", "dim"))


def _arguments(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        if word == "-":
            found |= _object(sys.stdin.read(), "stdin")
            continue
        key, equals, value = word.partition("=")
        if not equals or not key.strip(":"):
            raise Usage(f"{word!r} is no argument", hint="key=value, or key:=JSON")
        found[key.removesuffix(":")] = _json(value, key) if key.endswith(":") else value
    return found


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise Usage(f"{where}= {text!r} is no JSON", hint="key:='[\"a\", 1]'") from None


def _object(text: str, where: str) -> dict[str, Any]:
    made = _json(text, where)
    if not isinstance(made, dict):
        raise Usage(f"{where}: a JSON object is wanted", hint='{"url": "https://example.com"}')
    return made


def _readable(answer: Mapping[str, Any]) -> str:
    """An answer for a person: what was asked for as it is, the rest as lines."""
    said = {"success", "error", "hint", "notices"}
    lines = []
    for key, value in answer.items():
        if key in said or key in _TEXTS or value in (None, "", [], {}):
            continue
        if key == "image" and isinstance(value, dict):
            size = len(str(value.get("data", ""))) * 3 // 4
            lines.append(f"{key}: {value.get('mimeType', 'image')}, {size // 1024 + 1} KB")
            continue
        text = value_text(value)
        if isinstance(value, str) and len(text) > LONGEST and " " not in text:
            text = f"{text[:60]}… ({len(text)} characters)"
        lines.append(f"{paint(printable(key), 'cyan')}: {text}")
    lines += [value_text(answer[key]) for key in _TEXTS if answer.get(key)]
    return "\n".join(lines)
