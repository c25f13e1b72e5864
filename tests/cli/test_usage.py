"""Help."""

from __future__ import annotations

from pilothouse.cli.commands import all_commands, find
from pilothouse.cli.usage import command_help, general_help


def test_the_general_help_names_every_command() -> None:
    text = general_help()
    for command in all_commands():
        assert command.name in text


def test_help_fits_a_terminal() -> None:
    for command in all_commands():
        for line in command_help(command).splitlines():
            assert len(line) <= 100, line


def test_choices_and_optional_places_are_shown() -> None:
    dialog = find("dialog")
    assert dialog is not None
    text = command_help(dialog)
    assert text.startswith("usage: pilothouse dialog [accept|dismiss] [ID] [OPTIONS]\n")
    assert "--text TEXT" in text
