"""Help."""

from __future__ import annotations

from pilothouse.cli.declarations.commands import all_commands, find_command
from pilothouse.cli.help import command_help, example_line, format_option, general_help
from scripts import generate_cli_docs


def test_the_general_help_names_every_command() -> None:
    text = general_help()
    for command in all_commands():
        assert command.name in text


def test_help_fits_a_terminal() -> None:
    for command in all_commands():
        for line in command_help(command).splitlines():
            assert len(line) <= 100, line


def test_choices_and_optional_places_are_shown() -> None:
    dialog = find_command("dialog")
    assert dialog is not None
    text = command_help(dialog)
    assert text.startswith("usage: pilothouse dialog [accept|dismiss] [ID] [OPTIONS]\n")
    assert "--text TEXT" in text


def test_the_page_of_all_commands_is_fresh() -> None:
    written = generate_cli_docs.TARGET.read_text("utf-8")
    assert written == generate_cli_docs.source(), "run: python -m scripts.generate_cli_docs"


def test_the_page_names_every_command_exit_code_and_example() -> None:
    page = generate_cli_docs.source()
    for command in all_commands():
        assert page.count(f"\n### {command.name}\n") == 1
        assert all(example_line(example) in page for example in command.examples)
    assert all(f"| {code} |" in page for code in ("0", "1", "2", "3", "130 and 143"))


def test_examples_are_typed_as_they_stand() -> None:
    assert example_line("click e12") == "pilothouse click e12"
    assert example_line("completion fish | source") == "pilothouse completion fish | source"
    assert example_line("echo 1 | pilothouse run -") == "echo 1 | pilothouse run -"


def test_every_word_of_every_command_is_described() -> None:
    bare = [
        f"{command.name} {argument.name}"
        for command in all_commands()
        for argument in command.arguments
        if not argument.about
    ]
    assert bare == [], "say in the declaration, or in commands.py, what these mean"


def test_every_option_that_takes_a_value_says_which() -> None:
    opened = find_command("open")
    assert opened is not None
    text = command_help(opened)
    assert "--dialogs accept|dismiss|ask" in text
    assert "--wait-until WAIT-UNTIL" in text
    assert "networkidle0" in text
    for command in all_commands():
        for argument in command.arguments:
            if argument.kind not in ("flag", "choice") and not argument.positional:
                assert " " in format_option(argument)[0].removeprefix(f"{argument.short}, "), (
                    argument.name
                )
