"""Which commands there are."""

from __future__ import annotations

from importlib import import_module

import pytest

from pilothouse.cli.declarations.commands import GROUPS, all_commands, find_command
from pilothouse.cli.declarations.tab_verbs import VERBS

ISSUE = (
    "open", "close", "run", "snapshot", "click", "fill", "type", "press", "select", "hover",
    "scroll", "drag", "upload", "wait", "eval", "screenshot", "pdf", "extract", "tabs",
    "dialog", "console", "network", "cookies", "back", "forward", "reload", "cdp", "connect",
    "disconnect", "status", "doctor", "daemon", "config", "completion",
)  # fmt: skip


@pytest.mark.parametrize("name", ISSUE)
def test_each_promised_command_is_there(name: str) -> None:
    assert find_command(name) is not None


def test_every_command_is_done_by_a_function_that_exists() -> None:
    for command in all_commands():
        module, _, name = command.handler.partition(":")
        assert callable(getattr(import_module(f"pilothouse.cli.{module}"), name)), command.name


def test_every_verb_can_be_reached() -> None:
    reached = {command.verb for command in all_commands()}
    parts = {"clear_cookies", "cookies", "dialogs", "handle_dialog", "har", "request", "requests"}
    parts |= {"set_cookies", "wait_for_response", "wait_for_url"}
    assert set(VERBS) - reached == parts


def test_no_command_is_listed_twice_and_every_listed_one_exists() -> None:
    names = [command.name for command in all_commands()]
    assert len(names) == len(set(names))
    assert {name for _, group in GROUPS for name in group} <= set(names)


def test_a_verb_is_written_with_dashes_and_only_so() -> None:
    found = find_command("is-visible")
    assert found is not None
    assert found.verb == "is_visible"
    assert find_command("is_visible") is None
    assert find_command("wait-for") is None


def test_every_word_says_what_it_is_for() -> None:
    silent = {
        f"{command.name} {argument.name}"
        for command in all_commands()
        if command.name in ISSUE
        for argument in command.arguments
        if not (argument.about or argument.choices)
    }
    # Taken from the verbs' own declarations, which say it in their first line.
    assert silent <= {
        "type text", "wait request", "wait idle", "wait download", "wait popup", "console since",
    }  # fmt: skip
