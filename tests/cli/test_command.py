"""What commands are made of."""

from __future__ import annotations

from pilothouse.cli.command import Command, Word


def test_an_option_is_written_with_dashes() -> None:
    assert Word("full_page").option == "--full-page"


def test_a_command_keeps_its_words_in_order() -> None:
    command = Command("x", "About.", "module:function", [Word("a"), Word("b")])
    assert [word.name for word in command.words] == ["a", "b"]
    assert command.owned
