"""From the words of a command line to the options of one command.

Knows: how declared words look on a command line, and in errors. Must not know: what
commands do. Options may stand anywhere, before the command too; `--` ends them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pilothouse.cli.command import Command, Word
from pilothouse.cli.declarations import COMMON, JSON, all_commands, find
from pilothouse.errors import UsageError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Usage", "line_of", "metavar", "parse", "words_of"]

# Choices that are longer than this are listed beside an option, not in its place.
SHORT_CHOICES = 28


class Usage(UsageError):
    """The command line makes no sense."""

    kind = UsageError.__name__


def parse(argv: Sequence[str]) -> tuple[Command, dict[str, Any]]:
    """The command and its options: those that were given, and no others. Raises Usage.

    `help` is among them if the command's help is wanted.
    """
    place = _command_at(argv)
    if place is None:
        raise Usage("no command is given", hint="pilothouse --help")
    command = find(argv[place])
    if command is None:
        near = _near(argv[place], [known.name for known in all_commands()])
        raise Usage(f"there is no command {argv[place]!r}", hint=near or "pilothouse --help")
    return command, _options(command, [*argv[:place], *argv[place + 1 :]])


def _near(word: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, 1)
    return f"did you mean {near[0]}?" if near else ""


def _command_at(argv: Sequence[str]) -> int | None:
    """Where the command stands: the first word that is no option, nor the value of one."""
    valued = {word.option for word in COMMON}
    index = 0
    while index < len(argv):
        if not _is_option(argv[index]):
            return index
        index += 2 if argv[index] in valued else 1
    return None


def _is_option(word: str) -> bool:
    return word[:1] == "-" and len(word) > 1 and not word[1].isdigit()


def words_of(command: Command) -> tuple[Word, ...]:
    """All words of a command, with those that many have."""
    return (*command.words, *(COMMON if command.owned else ()), JSON)


def _options(command: Command, given: Sequence[str]) -> dict[str, Any]:
    named: dict[str, Word] = {}
    for word in words_of(command):
        if not word.positional:
            named[word.option] = word
            if word.short:
                named[word.short] = word
    found: dict[str, Any] = {}
    places: list[str] = []
    waiting = iter(given)
    for one in waiting:
        if one == "--":
            places += waiting
        elif not _is_option(one):
            places.append(one)
        elif one in ("--help", "-h"):
            return {"help": True}
        else:
            _take_option(command, named, one, waiting, found)
    _take_places(command, places, found)
    return found


def _take_option(
    command: Command,
    named: dict[str, Word],
    one: str,
    waiting: Iterator[str],
    found: dict[str, Any],
) -> None:
    name, equals, value = one.partition("=")
    word = named.get(name)
    if word is None and name.startswith("--no-"):
        word = named.get("--" + name[5:])
        if word is not None and word.kind == "choice" and not equals:
            found[word.name] = False
            return
        word = None
    if word is None:
        hint = _near(name, list(named)) or f"pilothouse {command.name} --help"
        raise Usage(f"{command.name}: there is no option {name}", hint=hint)
    if word.kind in ("flag", "choice"):
        if equals:
            raise Usage(f"{name}: it takes no value", hint=f"leave out ={value}")
        found[word.name] = True
        return
    if not equals:
        following = next(waiting, None)
        if following is None:
            raise Usage(f"{name}: a value is missing", hint=f"{name} {metavar(word)}")
        value = following
    made = _value(word, value, name)
    found[word.name] = [*found.get(word.name, ()), made] if word.kind == "texts" else made


def _take_places(command: Command, places: list[str], found: dict[str, Any]) -> None:
    left = list(places)
    for word in command.words:
        if not word.positional:
            continue
        if not left:
            if word.default is ...:
                usage = f"pilothouse {command.name} {line_of(command)}"
                raise Usage(f"{command.name}: {metavar(word)} is missing", hint=usage)
            if word.default is not None:
                found[word.name] = word.default
            continue
        count = len(left) if word.many else 1
        values = [_value(word, one, metavar(word)) for one in left[:count]]
        found[word.name] = values if word.many else values[0]
        left = left[count:]
    if left:
        raise Usage(
            f"{command.name}: {left[0]!r} is one word too many",
            hint=f"pilothouse {command.name} {line_of(command)}".rstrip(),
        )


def _value(word: Word, text: str, name: str) -> Any:
    if word.choices and text not in word.choices:
        raise Usage(f"{name}: {text!r} is not known", hint=f"one of {', '.join(word.choices)}")
    try:
        match word.kind:
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "numbers":
                return [float(part) for part in text.split(",")]
            case "json":
                return json.loads(text)
    except ValueError:
        wanted = {"int": "a whole number", "float": "a number", "numbers": "numbers as X,Y"}
        raise Usage(
            f"{name}: {text!r} will not do", hint=f"{wanted.get(word.kind, 'JSON')} is wanted"
        ) from None
    return text


def metavar(word: Word) -> str:
    """What stands for a word's value in help and errors: `N`, `TARGET`, or its few choices."""
    if word.positional:
        return word.name.removesuffix("s").upper() if word.many else word.name.upper()
    if word.choices and len(shown := "|".join(word.choices)) <= SHORT_CHOICES:
        return shown
    named = {"int": "N", "float": "N", "numbers": "X,Y", "json": "JSON"}
    return named.get(word.kind, word.name.upper().replace("_", "-"))


def line_of(command: Command) -> str:
    """The places of a command, as its usage shows them."""
    parts = []
    for word in command.words:
        if word.positional:
            shown = "|".join(word.choices) if word.choices else metavar(word)
            shown += "..." if word.many else ""
            parts.append(shown if word.default is ... else f"[{shown}]")
    return " ".join(parts)
