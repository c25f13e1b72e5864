"""Print tools, and why each is on or off. Knows: rich. Must not know: where they come from.

Imported only when a table is printed, like tables.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from pilothouse.cli.output.tables import make_console
from pilothouse.cli.output.text import printable
from pilothouse.errors import plural

__all__ = ["mark", "show_explained", "show_tools"]


def mark(on: bool, listed: bool = True) -> Text:
    """Return the symbol of a switch: on, on but not listed, or off."""
    if on:
        return Text("●" if listed else "◌", "green")
    return Text("○", "dim")


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="ellipsis")
    return table


def _text(value: object, style: str = "") -> Text:
    return Text(printable(str(value)).replace("\n", " "), style=style)


def show_tools(found: Mapping[str, Any]) -> None:
    """Print all tools by home toolset: for one platform with reasons, else one column per
    platform."""
    console = make_console()
    platforms = found["platforms"]
    single = len(platforms) == 1
    heads = ("", "tool", "tokens", "reason") if single else ("tool", "tokens", *platforms)
    table = _table(*heads)
    home = None
    for tool in sorted(found["tools"], key=lambda one: _place(one, found)):
        if tool["toolset"] != home:
            home = tool["toolset"]
            title = _text(home, "bold")
            table.add_row(*(("", title) if single else (title,)))
        name = _text(f"{'' if single else '  '}{tool['name']}")
        if tool["dangerous"]:
            name.append(" !", "red")
        verdicts = tool["on"]
        cost = _text(tool["tokens"], "dim")
        if single:
            (verdict,) = verdicts.values()
            style = "" if verdict["on"] else "dim"
            table.add_row(
                mark(verdict["on"], verdict["listed"]), name, cost, _text(verdict["reason"], style)
            )
        else:
            marks = [
                mark(verdicts[p]["on"], verdicts[p]["listed"])
                if p in verdicts
                else Text("✗", "red")
                for p in platforms
            ]
            table.add_row(name, cost, *marks)
    console.print(table)
    console.print()
    for platform, told in platforms.items():
        if "error" in told:
            console.print(_text(f"{platform}: {told['error']}", "red"))
        else:
            count = f"{told['tools']} of {plural(len(found['tools']), 'tool')}"
            console.print(_text(f"{platform}: {count}, about {told['tokens']:,} tokens"))
    legend = "● on  ○ off  ◌ on, not listed  ! dangerous"
    console.print(_text(f"{legend}   {found['config']}", "dim"))


def _place(tool: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[int, int]:
    homes = [toolset["name"] for toolset in found["toolsets"]]
    names = [one["name"] for one in found["tools"]]
    return homes.index(tool["toolset"]), names.index(tool["name"])


def show_explained(found: Mapping[str, Any]) -> None:
    """Print what names mean, and why each tool is on or off."""
    console = make_console()
    for one in found["explained"]:
        if one["kind"] == "tool":
            continue
        head = Text.assemble((printable(one["name"]), "bold"), (f"  {one['kind']}", "dim"))
        if one.get("about"):
            head.append(f"  {one['about']}")
        console.print(head)
        console.print(_text(f"  {', '.join(one['tools']) or 'no tools yet'}", "dim"))
    for name, tool in found["tools"].items():
        head = Text.assemble(
            (printable(name), "bold"),
            (f"  in {tool['toolset']}, about {tool['tokens']} tokens", "dim"),
        )
        if tool["dangerous"]:
            head.append("  dangerous", "red")
        console.print(head)
        console.print(_text(f"  {tool['about']}"))
        hints = []
        for platform, verdict in tool["on"].items():
            line = Text.assemble(
                "  ",
                mark(verdict["on"], verdict["listed"]),
                f" {platform:<11}",
                _text(verdict["reason"]),
            )
            console.print(line)
            if verdict.get("hint") and verdict["hint"] not in hints:
                hints.append(verdict["hint"])
        for hint in hints[:1]:
            console.print(_text(f"    {hint}", "cyan"))
