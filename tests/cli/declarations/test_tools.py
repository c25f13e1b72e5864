"""The commands about tools."""

from __future__ import annotations

from pilothouse.cli.declarations.commands import find_command
from pilothouse.cli.declarations.tools import TOOL_COMMANDS
from pilothouse.cli.help import command_help


def test_each_command_is_found_and_helps_with_examples() -> None:
    for command in TOOL_COMMANDS:
        assert find_command(command.name) is command
        text = command_help(command)
        assert "examples:" in text
        assert all(f"pilothouse {example}" in text for example in command.examples)
        assert all(argument.about for argument in command.arguments)


def test_the_actions_are_shown() -> None:
    tools = find_command("tools")
    assert tools is not None
    assert "[list|enable|disable|explain] [NAME...]" in command_help(tools)
