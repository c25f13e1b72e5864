"""Which options are meant by what an agent says."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.input.option_matches import describe_options, match_options, parse_choices


def option(index: int, value: str, label: str, disabled: bool = False) -> dict[str, Any]:
    return {"index": index, "value": value, "label": label, "disabled": disabled}


FRUIT = [
    option(0, "", "Choose one"),
    option(1, "a", "Apple"),
    option(2, "b", "Pear"),
    option(3, "Apple", "Not an apple"),
    option(4, "d", "Twice"),
    option(5, "e", "Twice"),
    option(6, "f", "Off", disabled=True),
    option(7, "2", "Two"),
]


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ("a", 1),
        ("Apple", 3),
        ("label=Apple", 1),
        ("value=Apple", 3),
        ("pear", 2),
        ("  Pear ", 2),
        (2, 2),
        ("2", 7),
        ("index=2", 2),
        ("Choose one", 0),
    ],
)
def test_a_value_comes_before_a_label_and_a_label_before_its_case(
    wanted: str | int, index: int
) -> None:
    (found,) = match_options([wanted], FRUIT, multiple=False, what="the list")
    assert found["index"] == index


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (["Plum"], "has no option 'Plum'"),
        ([99], "has no option 99"),
        (["Twice"], "matches 2 options"),
        (["Off"], "is disabled"),
        (["a", "b"], "takes one option"),
        ([], "values: empty"),
    ],
)
def test_what_is_not_one_usable_option_is_refused(wanted: list[str | int], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        match_options(wanted, FRUIT, multiple=False, what="the list")


def test_a_list_of_several_takes_several_or_none() -> None:
    found = match_options(["b", "a"], FRUIT, multiple=True, what="the list")
    assert [one["index"] for one in found] == [2, 1]
    assert match_options([], FRUIT, multiple=True, what="the list") == []


def test_options_are_listed_but_not_all() -> None:
    assert describe_options([]) == "no options"
    assert describe_options(FRUIT[1:2]) == "'Apple' (value 'a')"
    assert describe_options([option(0, "x", "x")] * 25).endswith("and 5 more")


@pytest.mark.parametrize("wrong", [True, 1.5, None, [None], {}])
def test_only_texts_and_places_name_options(wrong: object) -> None:
    with pytest.raises(ToolError, match="expected a string or an index"):
        parse_choices(wrong)
    assert parse_choices(["a", 1]) == ["a", 1]
    assert parse_choices("a") == ["a"]
