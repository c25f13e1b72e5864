"""The table of verbs is what its generator makes."""

from __future__ import annotations

from pilothouse.cli.declarations.tab_verbs import VERBS
from scripts import generate_commands


def test_the_table_is_fresh() -> None:
    written = generate_commands.TARGET.read_text("utf-8")
    assert written == generate_commands.source(), "run: python -m scripts.generate_commands"


def test_required_parameters_have_no_default() -> None:
    parameters = {name: default for name, _, default, _ in VERBS["fill"][1]}
    assert parameters["target"] is ...
    assert parameters["submit"] is False
