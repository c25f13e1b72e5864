"""The commands about the relay and the extension."""

from __future__ import annotations

from pilothouse.cli.declarations.commands import find_command
from pilothouse.cli.declarations.relay_and_extension import EXTENSION_COMMAND, RELAY_COMMAND
from pilothouse.cli.help import command_help
from pilothouse.settings import ATTACH_MODES, RELAY_BROWSERS


def test_each_command_is_found_and_helps_with_examples() -> None:
    for command in (RELAY_COMMAND, EXTENSION_COMMAND):
        assert find_command(command.name) is command
        text = command_help(command)
        assert "examples:" in text
        assert all(f"pilothouse {example}" in text for example in command.examples)
        assert all(argument.about for argument in command.arguments)


def test_its_choices_are_those_of_the_settings() -> None:
    relay = find_command("relay")
    assert relay is not None
    words = {argument.name: argument.choices for argument in relay.arguments}
    actions = ("start", "stop", "status", "url", "clients", "token", "autostart")
    assert words["action"] == actions
    assert (words["browser"], words["attach"]) == (RELAY_BROWSERS, ATTACH_MODES)
