"""Format the help texts from the declared commands. Imported only for --help and errors."""

from __future__ import annotations

import textwrap

from pilothouse.cli.command import Argument, CliCommand
from pilothouse.cli.declarations import GROUPS, all_commands, find_command
from pilothouse.cli.parser import all_arguments, placeholder, usage_line

__all__ = [
    "EXIT_CODES",
    "command_help",
    "example_line",
    "format_option",
    "format_positional",
    "general_help",
]

WIDTH = 96

EXIT_CODES = {
    "0": "done",
    "1": "failed",
    "2": "wrong usage",
    "3": "blocked by a dialog or another interrupt (the output says which, and how to continue)",
    "130 and 143": "ended by a signal",
}
EXIT_CODES_TEXT = (
    textwrap.fill(
        "exit codes: " + "; ".join(f"{code} {told}" for code, told in EXIT_CODES.items()), 92
    )
    + "\n"
)
HEAD = """\
usage: pilothouse COMMAND [ARGUMENTS] [--tab NAME] [--owner NAME] [--timeout S] [--json]

Control real browsers, for AI agents and people.
"""
FOOT = """\
examples:
  pilothouse open https://example.com            open a page in the tab "main"
  pilothouse snapshot                            print the page as text, with refs to act on
  pilothouse click e3                            click an element, print what changed
  pilothouse dialog accept                       answer a JavaScript dialog
  pilothouse look https://example.com            describe a page once, without the daemon
  pilothouse tabs --json                         print JSON for programs

`pilothouse COMMAND --help` explains a command. Tabs stay open until you close them: a background
daemon owns the browsers (`pilothouse daemon status`). The first command starts it.
"""


def _row(name: str, about: str) -> str:
    indent = 28
    lines = textwrap.wrap(about, WIDTH - indent) or [""]
    head = f"  {name:<{indent - 3}} " if len(name) <= indent - 3 else f"  {name}\n{' ' * indent}"
    return (head + f"\n{' ' * indent}".join(lines)).rstrip()


def format_option(argument: Argument) -> tuple[str, str]:
    """Return an option as it is written, and its description."""
    name = f"{argument.short}, {argument.option}" if argument.short else argument.option
    if argument.kind == "choice":
        name = f"--[no-]{argument.option[2:]}"
    elif argument.kind != "flag":
        name += f" {placeholder(argument)}"
    about = argument.about
    if argument.choices and placeholder(argument) != "|".join(argument.choices):
        shown = ", ".join(argument.choices)
        about = shown if not about or about.startswith(argument.choices[0]) else f"{about}: {shown}"
    if argument.kind == "texts":
        about = f"{about}; can be repeated".removeprefix("; ")
    return name, about


def example_line(example: str) -> str:
    """Return an example as it is typed."""
    return example if "|" in example and "pilothouse" in example else f"pilothouse {example}"


def command_help(command: CliCommand) -> str:
    """Return the text of `pilothouse COMMAND --help`."""
    usage = f"usage: pilothouse {command.name} {usage_line(command)}".rstrip() + " [OPTIONS]"
    # A long usage continues below the command's name.
    below = " " * len("usage: pilothouse ")
    lines = [*textwrap.wrap(usage, WIDTH, subsequent_indent=below, break_on_hyphens=False), ""]
    lines += [*textwrap.wrap(command.about, WIDTH), ""]
    positionals = [argument for argument in command.arguments if argument.positional]
    lines += [_row(placeholder(argument), format_positional(argument)) for argument in positionals]
    lines += [""] if positionals else []
    lines.append("options:")
    lines += [
        _row(*format_option(argument))
        for argument in all_arguments(command)
        if not argument.positional
    ]
    lines += [_row("-h, --help", "print this help"), ""]
    if command.examples:
        lines.append("examples:")
        lines += [f"  {example_line(example)}" for example in command.examples]
        lines.append("")
    return "\n".join([*lines, EXIT_CODES_TEXT])


def format_positional(argument: Argument) -> str:
    """Return the description of a positional argument."""
    shown = ", ".join(argument.choices)
    return f"{shown} ({argument.about})" if shown and argument.about else shown or argument.about


def general_help() -> str:
    """Return the text of `pilothouse --help`."""
    lines = [HEAD]
    grouped: set[str] = set()
    for title, names in GROUPS:
        lines.append(f"{title}:")
        for name in names:
            command = find_command(name)
            if command is not None:
                grouped.add(name)
                lines.append(f"  {name:<12} {command.about}")
        lines.append("")
    rest = ", ".join(c.name for c in all_commands() if c.name not in grouped)
    more = textwrap.fill(rest, WIDTH - 8, break_on_hyphens=False)
    lines += ["more:", textwrap.indent(more, "  "), ""]
    return "\n".join([*lines, FOOT, EXIT_CODES_TEXT])
