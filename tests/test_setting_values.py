"""Values of settings, from YAML, the environment and the command line."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import PilothouseError
from pilothouse.setting_values import (
    DialogRule,
    convert_value,
    describe_invalid,
    parse_dialog_rules,
    to_yaml,
    unknown_setting_error,
)


@pytest.mark.parametrize(
    ("value", "wanted", "made"),
    [
        ("Yes", bool, True),
        ("off", bool, False),
        (False, bool, False),
        ("maybe", bool, None),
        ("3", int, 3),
        (3.5, int, None),
        (True, int, None),
        ("nan", float, None),
        ("2.5", float, 2.5),
        (None, str, ""),
        (8080, str, "8080"),
        (True, str, None),
        ("a b", tuple, ("a", "b")),
        ([1, "b"], tuple, ("1", "b")),
        ({}, tuple, None),
    ],
)
def test_a_value_becomes_what_its_setting_wants_or_nothing(
    value: Any, wanted: Any, made: Any
) -> None:
    assert convert_value(value, wanted) == made
    assert type(convert_value(value, wanted)) is type(made)


def test_rules_for_dialogs_are_read_from_json_and_written_as_people_write_them() -> None:
    rules = parse_dialog_rules('[{"type": "alert", "policy": "auto_accept"}]', "config")
    assert rules == (DialogRule("auto_accept", "alert"),)
    assert to_yaml(rules) == [{"type": "alert", "policy": "auto_accept"}]
    assert to_yaml(3.0) == 3
    with pytest.raises(PilothouseError, match="expected a list of rules"):
        parse_dialog_rules("{", "config")


def test_a_setting_that_does_not_exist_names_the_one_that_was_meant() -> None:
    error = unknown_setting_error("config", "relay.prot", ["relay.port", "relay.files"])
    assert error.hint == "did you mean relay.port?"
    assert describe_invalid(None) == "the value is missing"
