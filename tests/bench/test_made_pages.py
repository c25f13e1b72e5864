"""The pages everybody is measured on, and the counting of what is said about them."""

from __future__ import annotations

import re

import pytest

from bench.made_pages import form, framed, inner, said, sized


@pytest.mark.parametrize("elements", [300, 3000])
def test_a_page_has_about_as_many_elements_as_asked_for(elements: int) -> None:
    counted = len(re.findall(r"<(?:a|button|input|h1|h3|p|span)\b", sized(elements)))
    assert elements * 0.97 <= counted <= elements * 1.03


def test_inner_pages_have_one_go_each_and_the_outer_one_has_none() -> None:
    assert inner(3).count(">Go<") == 1
    assert framed(["http://a.example/", "http://b.example/"]).count("<iframe") == 2


def test_a_form_has_three_elements_a_row() -> None:
    page = form(20)
    assert [page.count(f"<{tag} ") for tag in ("button", "input", "select")] == [20, 20, 20]


def test_items_are_counted_once_however_often_they_are_named() -> None:
    text = '- button "Buy item 1" [ref=e1]\n- text: Buy item 1\n- button "Buy item 12" [ref=e2]'
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
