"""The table of verbs is what its generator makes."""

from __future__ import annotations

from pilothouse.cli.declarations.tab_verbs import VERBS
from scripts import generate_cli_tab_verbs


def test_the_table_is_fresh() -> None:
    written = generate_cli_tab_verbs.TARGET.read_text("utf-8")
    assert written == generate_cli_tab_verbs.source(), (
        "run: python -m scripts.generate_cli_tab_verbs"
    )


def test_required_parameters_have_no_default() -> None:
    parameters = {name: default for name, _, default, _ in VERBS["fill"][1]}
    assert parameters["target"] is ...
    assert parameters["submit"] is False
