"""Writes docs/cli.md: every command of the command line, from the tables that it is made of.

python -m scripts.generate_cli_docs
"""

from __future__ import annotations

from pathlib import Path

from pilothouse.cli.command import Argument, CliCommand
from pilothouse.cli.declarations.commands import COMMON, GROUPS, JSON, all_commands, find_command
from pilothouse.cli.help import EXIT_CODES, example_line, format_option, format_positional
from pilothouse.cli.parser import placeholder, usage_line

TARGET = Path(__file__).parent.parent / "docs/cli.md"

HEAD = """\
# The command line

Made by `python -m scripts.generate_cli_docs` from the commands themselves; do not edit it by hand.

`pilothouse COMMAND [WORDS] [OPTIONS]` does one thing and ends. Browsers and tabs live on in the
daemon, a daemon that the first call starts (`pilothouse daemon status`), until they are closed.
`pilothouse COMMAND --help` says the same as this page.

A target is a ref from the snapshot (`e12`), CSS, `text=…`, a role with a name (`button=Save`),
`label=…`, XPath, or a place as `x,y`. An exact name or text wins over those that only contain it;
`text="…"` takes nothing but the exact one. `--nth 1`, or `>> nth=1` in the target, chooses among
several. All forms: [selectors](selectors.md).

## What all commands share

Commands about tabs take these; all commands take `--json` and `--help`.

{common}

With `--json` the answer is one line: `{{"ok": true, "result": …}}`, or
`{{"ok": false, "error": {{"message": …, "hint": …, "kind": …}}}}`; `notices` stands beside them
when the daemon has something to say. Without it, results go to stdout and errors to stderr. Colours
and spinners are for terminals only; `NO_COLOR` turns colours off.

| exit code | meaning |
|---|---|
{exits}
"""

TITLES = {
    "tabs": "Tabs",
    "see": "See",
    "act": "Act",
    "know": "Know",
    "daemon": "The daemon",
    "agents": "For agents",
    "try": "Try",
}


def cell(text: str) -> str:
    """Text that fits into a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def options(arguments: tuple[Argument, ...]) -> list[str]:
    """A table of options."""
    rows = [format_option(argument) for argument in arguments]
    return [
        "| option | meaning |",
        "|---|---|",
        *(f"| `{cell(name)}` | {cell(about)} |" for name, about in rows),
    ]


def section(command: CliCommand) -> list[str]:
    """One command."""
    lines = [f"### {command.name}", "", command.about, ""]
    lines += ["```sh", f"pilothouse {command.name} {usage_line(command)}".rstrip(), "```", ""]
    positionals = [argument for argument in command.arguments if argument.positional]
    if positionals:
        lines += [
            f"- `{placeholder(argument)}`: {format_positional(argument)}".rstrip(": ")
            for argument in positionals
        ] + [""]
    own = tuple(argument for argument in command.arguments if not argument.positional)
    if own:
        lines += [*options(own), ""]
    if command.examples:
        lines += ["```sh", *map(example_line, command.examples), "```", ""]
    return lines


def source() -> str:
    """The whole page."""
    common = "\n".join(options((*COMMON, JSON)))
    exits = "\n".join(f"| {code} | {cell(told)} |" for code, told in EXIT_CODES.items())
    lines = [HEAD.format(common=common, exits=exits)]
    grouped: set[str] = set()
    for title, names in GROUPS:
        lines += [f"## {TITLES[title]}", ""]
        for name in names:
            if (command := find_command(name)) is not None:
                grouped.add(name)
                lines += section(command)
    lines += ["## More", "", "Every other verb of a tab is a command as well.", ""]
    for command in all_commands():
        if command.name not in grouped:
            lines += section(command)
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    TARGET.write_text(source(), "utf-8")
    print(f"wrote {TARGET.name}: {len(all_commands())} commands")
