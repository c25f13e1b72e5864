"""Whatever a tool answers, JSON can carry it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.tools.json_safe import json_safe

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.decimals()
)
_ANYTHING = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=20,
)


@given(_ANYTHING)
def test_every_value_becomes_json_that_utf8_can_write(value: Any) -> None:
    text = json.dumps(json_safe(value), ensure_ascii=False, allow_nan=False)
    assert json.loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize("value", [None, True, 7, 1.5, "é 漢 😀", [1, "a"], {"a": {"b": []}}])
def test_plain_values_stay_as_they_are(value: Any) -> None:
    assert json_safe(value) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        (b"hi", "aGk="),
        ((1, 2), [1, 2]),
        ({1: Decimal("2.5")}, {"1": "2.5"}),
        ("half \ud83d pair", "half ? pair"),
    ],
)
def test_other_values_are_shown_as_text(value: Any, shown: Any) -> None:
    assert json_safe(value) == shown
