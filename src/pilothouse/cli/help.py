"""Help, made from the declared commands. Read only when somebody asks for it."""

from __future__ import annotations

import textwrap

from pilothouse.cli.command import Command, Word
from pilothouse.cli.declarations import GROUPS, all_commands, find
from pilothouse.cli.parser import line_of, metavar, words_of

__all__ = ["EXITS", "command_help", "example_line", "general_help", "option_words", "place_about"]

WIDTH = 96

EXITS = {
    "0": "done",
    "1": "refused or failed",
    "2": "wrong usage",
    "3": "blocked by a dialog or another interrupt (the answer says which, and how to go on)",
    "130 and 143": "ended by a signal",
}
EXIT_CODES = (
    textwrap.fill("exit codes: " + "; ".join(f"{code} {told}" for code, told in EXITS.items()), 92)
    + "\n"
)
HEAD = """\
usage: pilothouse COMMAND [WORDS] [--tab NAME] [--owner NAME] [--timeout S] [--json]

The room from which AI agents steer real browsers.
"""
FOOT = """\
examples:
  pilothouse open https://example.com            a page in the tab "main"
  pilothouse snapshot                            what is on it, with refs to act on
  pilothouse click e3                            act, and read what changed
  pilothouse dialog accept                       answer what is in the way
  pilothouse look https://example.com            one look, without the daemon
  pilothouse tabs --json                         for programs

`pilothouse COMMAND --help` tells more. Tabs stay until they are closed: each call goes to a
daemon that keeps the browsers (`pilothouse daemon status`) and starts by itself.
"""


def _row(name: str, about: str) -> str:
    room = 28
    lines = textwrap.wrap(about, WIDTH - room) or [""]
    head = f"  {name:<{room - 3}} " if len(name) <= room - 3 else f"  {name}\n{' ' * room}"
    return (head + f"\n{' ' * room}".join(lines)).rstrip()


def option_words(word: Word) -> tuple[str, str]:
    """An option as it is written, and what it means."""
    name = f"{word.short}, {word.option}" if word.short else word.option
    if word.kind == "choice":
        name = f"--[no-]{word.option[2:]}"
    elif word.kind != "flag":
        name += f" {metavar(word)}"
    about = word.about
    if word.choices and metavar(word) != "|".join(word.choices):
        shown = ", ".join(word.choices)
        about = shown if not about or about.startswith(word.choices[0]) else f"{about}: {shown}"
    if word.kind == "texts":
        about = f"{about}; may be given again".removeprefix("; ")
    return name, about


def example_line(example: str) -> str:
    """An example as it is typed."""
    return example if "|" in example and "pilothouse" in example else f"pilothouse {example}"


def command_help(command: Command) -> str:
    """What `pilothouse COMMAND --help` says."""
    usage = f"usage: pilothouse {command.name} {line_of(command)}".rstrip() + " [OPTIONS]"
    # Long ones go on below the command's name.
    below = " " * len("usage: pilothouse ")
    lines = [*textwrap.wrap(usage, WIDTH, subsequent_indent=below, break_on_hyphens=False), ""]
    lines += [*textwrap.wrap(command.about, WIDTH), ""]
    places = [word for word in command.words if word.positional]
    lines += [_row(metavar(word), place_about(word)) for word in places]
    lines += [""] if places else []
    lines.append("options:")
    lines += [_row(*option_words(word)) for word in words_of(command) if not word.positional]
    lines += [_row("-h, --help", "this"), ""]
    if command.examples:
        lines.append("examples:")
        lines += [f"  {example_line(example)}" for example in command.examples]
        lines.append("")
    return "\n".join([*lines, EXIT_CODES])


def place_about(word: Word) -> str:
    """What a word in the line means."""
    shown = ", ".join(word.choices)
    return f"{shown} ({word.about})" if shown and word.about else shown or word.about


def general_help() -> str:
    """What `pilothouse --help` says."""
    lines = [HEAD]
    grouped: set[str] = set()
    for title, names in GROUPS:
        lines.append(f"{title}:")
        for name in names:
            command = find(name)
            if command is not None:
                grouped.add(name)
                lines.append(f"  {name:<12} {command.about}")
        lines.append("")
    rest = ", ".join(c.name for c in all_commands() if c.name not in grouped)
    more = textwrap.fill(rest, WIDTH - 8, break_on_hyphens=False)
    lines += ["more:", textwrap.indent(more, "  "), ""]
    return "\n".join([*lines, FOOT, EXIT_CODES])
