"""Parse the command line into a command and its options.

Knows: how declared arguments are written on a command line, and in errors. Must not know: what
commands do. Options may be anywhere, also before the command; `--` ends them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pilothouse.cli.command import Argument, CliCommand
from pilothouse.cli.declarations import COMMON, JSON, all_commands, find_command
from pilothouse.errors import UsageError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CommandLineError", "all_arguments", "parse", "placeholder", "usage_line"]

# Choices longer than this are listed in the description of an option, not as its placeholder.
SHORT_CHOICES = 28


class CommandLineError(UsageError):
    """The command line is wrong. Exit code 2."""

    kind = UsageError.__name__


def parse(argv: Sequence[str]) -> tuple[CliCommand, dict[str, Any]]:
    """Return the command and the options that were given. `help` is among them for `--help`.

    Raises CommandLineError.
    """
    index = _find_command_index(argv)
    if index is None:
        raise CommandLineError("missing command", hint="pilothouse --help")
    command = find_command(argv[index])
    if command is None:
        near = _did_you_mean(argv[index], [known.name for known in all_commands()])
        raise CommandLineError(f"unknown command {argv[index]!r}", hint=near or "pilothouse --help")
    return command, _parse_options(command, [*argv[:index], *argv[index + 1 :]])


def _did_you_mean(argument: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(argument, known, 1)
    return f"did you mean {near[0]}?" if near else ""


def _find_command_index(argv: Sequence[str]) -> int | None:
    """Return the index of the command: the first word that is not an option or its value."""
    valued = {argument.option for argument in COMMON}
    index = 0
    while index < len(argv):
        if not _is_option(argv[index]):
            return index
        index += 2 if argv[index] in valued else 1
    return None


def _is_option(argument: str) -> bool:
    return argument[:1] == "-" and len(argument) > 1 and not argument[1].isdigit()


def all_arguments(command: CliCommand) -> tuple[Argument, ...]:
    """Return all arguments of a command, including the common options."""
    return (*command.arguments, *(COMMON if command.common_options else ()), JSON)


def _parse_options(command: CliCommand, given: Sequence[str]) -> dict[str, Any]:
    named: dict[str, Argument] = {}
    for argument in all_arguments(command):
        if not argument.positional:
            named[argument.option] = argument
            if argument.short:
                named[argument.short] = argument
    found: dict[str, Any] = {}
    positionals: list[str] = []
    waiting = iter(given)
    for one in waiting:
        if one == "--":
            positionals += waiting
        elif not _is_option(one):
            positionals.append(one)
        elif one in ("--help", "-h"):
            return {"help": True}
        else:
            _take_option(command, named, one, waiting, found)
    _take_positionals(command, positionals, found)
    return found


def _take_option(
    command: CliCommand,
    named: dict[str, Argument],
    one: str,
    waiting: Iterator[str],
    found: dict[str, Any],
) -> None:
    name, equals, value = one.partition("=")
    argument = named.get(name)
    if argument is None and name.startswith("--no-"):
        argument = named.get("--" + name[5:])
        if argument is not None and argument.kind == "choice" and not equals:
            found[argument.name] = False
            return
        argument = None
    if argument is None:
        hint = _did_you_mean(name, list(named)) or f"pilothouse {command.name} --help"
        raise CommandLineError(f"{command.name}: unknown option {name}", hint=hint)
    if argument.kind in ("flag", "choice"):
        if equals:
            raise CommandLineError(f"{name}: this option takes no value", hint=f"remove ={value}")
        found[argument.name] = True
        return
    if not equals:
        following = next(waiting, None)
        if following is None:
            raise CommandLineError(
                f"{name}: missing value", hint=f"write {name} {placeholder(argument)}"
            )
        value = following
    made = _parse_value(argument, value, name)
    found[argument.name] = (
        [*found.get(argument.name, ()), made] if argument.kind == "texts" else made
    )


def _take_positionals(command: CliCommand, positionals: list[str], found: dict[str, Any]) -> None:
    left = list(positionals)
    for argument in command.arguments:
        if not argument.positional:
            continue
        if not left:
            if argument.default is ...:
                usage = f"pilothouse {command.name} {usage_line(command)}"
                raise CommandLineError(
                    f"{command.name}: {placeholder(argument)} is missing", hint=usage
                )
            if argument.default is not None:
                found[argument.name] = argument.default
            continue
        count = len(left) if argument.many else 1
        values = [_parse_value(argument, one, placeholder(argument)) for one in left[:count]]
        found[argument.name] = values if argument.many else values[0]
        left = left[count:]
    if left:
        raise CommandLineError(
            f"{command.name}: {left[0]!r} is one word too many",
            hint=f"pilothouse {command.name} {usage_line(command)}".rstrip(),
        )


def _parse_value(argument: Argument, text: str, name: str) -> Any:
    if argument.choices and text not in argument.choices:
        raise CommandLineError(
            f"{name}: unknown value {text!r}", hint=f"use one of {', '.join(argument.choices)}"
        )
    try:
        match argument.kind:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "numbers":
                return [float(part) for part in text.split(",")]
            case "json":
                return json.loads(text)
    except ValueError:
        wanted = {"int": "a whole number", "float": "a number", "numbers": "numbers such as 10,20"}
        raise CommandLineError(
            f"{name}: invalid value {text!r}", hint=f"give {wanted.get(argument.kind, 'JSON')}"
        ) from None
    return text


def placeholder(argument: Argument) -> str:
    """Return the placeholder of a value in help and errors: `N`, `TARGET`, or the choices."""
    if argument.positional:
        return argument.name.removesuffix("s").upper() if argument.many else argument.name.upper()
    if argument.choices and len(shown := "|".join(argument.choices)) <= SHORT_CHOICES:
        return shown
    named = {"int": "N", "float": "N", "numbers": "X,Y", "json": "JSON"}
    return named.get(argument.kind, argument.name.upper().replace("_", "-"))


def usage_line(command: CliCommand) -> str:
    """Return the positional arguments of a command, as its usage shows them."""
    parts = []
    for argument in command.arguments:
        if argument.positional:
            shown = "|".join(argument.choices) if argument.choices else placeholder(argument)
            shown += "..." if argument.many else ""
            parts.append(shown if argument.default is ... else f"[{shown}]")
    return " ".join(parts)
