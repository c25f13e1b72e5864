"""The pages everybody is measured on, and the counting of what is said about them."""

from __future__ import annotations

import re

import pytest

from bench.generated_pages import form, framed, inner, said, sized

ACTED_ON = re.compile(r"<(?:a|button|input|select)\b|<div[^>]* role=\"button\"")


@pytest.mark.parametrize("elements", [300, 3000])
def test_a_page_has_as_many_elements_to_act_on_as_asked_for(elements: int) -> None:
    assert len(ACTED_ON.findall(sized(elements))) == elements


def test_a_frame_has_thirty_elements_to_act_on() -> None:
    assert len(ACTED_ON.findall(inner(0))) == 30


def test_inner_pages_have_one_go_each_and_the_outer_one_has_none() -> None:
    assert inner(3).count(">Go<") == 1
    assert framed(["http://a.example/", "http://b.example/"]).count("<iframe") == 2


def test_a_form_has_three_elements_a_row() -> None:
    page = form(20)
    assert [page.count(f"<{tag} ") for tag in ("button", "input", "select")] == [20, 20, 20]


def test_items_are_counted_once_however_often_they_are_named() -> None:
    text = '- button "Buy 1" [ref=e1]\n- text: Buy 1\n- button "Buy 12" [ref=e2]'
    assert said(text)["named"] == 2
    assert said("x" * 400)["tokens"] == 100


@pytest.mark.parametrize(
    "line",
    [
        '    - button "Go" [ref=f1e31]\n',
        'uid=1_30 button "Go"\n',
        '- button "Go" [ref=e9]\n',
        "[92]<button />\n\tGo\n",
    ],
)
def test_the_button_of_a_frame_is_known_in_every_dialect(line: str) -> None:
    assert said(line)["frames"] == 1
    assert said('link "Go on"\n[3]<a />\n\tGo\n')["frames"] == 0
