"""What commands are made of."""

from __future__ import annotations

from pilothouse.cli.command import Argument, CliCommand


def test_an_option_is_written_with_dashes() -> None:
    assert Argument("full_page").option == "--full-page"


def test_a_command_keeps_its_words_in_order() -> None:
    command = CliCommand("x", "About.", "module:function", [Argument("a"), Argument("b")])
    assert [argument.name for argument in command.arguments] == ["a", "b"]
    assert command.common_options
