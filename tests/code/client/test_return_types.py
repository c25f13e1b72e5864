"""The types of results have exactly the fields that the daemon returns."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest

from pilothouse.code.client.return_types import NavigationDict, ReceiptDict
from pilothouse.tabs.verb import VERBS, plain


def _struct(verb: str) -> Any:
    """Return the struct of a verb's outcome."""
    (inner,) = get_type_hints(VERBS[verb].function)["return"].__args__
    return inner


@pytest.mark.parametrize(
    ("verb", "typed", "least"),
    [
        ("click", ReceiptDict, {"action": "clicked", "target": "button"}),
        ("goto", NavigationDict, {"url": "about:blank", "kind": "document"}),
    ],
)
def test_a_result_has_the_fields_of_its_type(verb: str, typed: Any, least: dict[str, str]) -> None:
    answer = plain(_struct(verb)(**least))
    assert set(answer) == set(typed.__annotations__)
