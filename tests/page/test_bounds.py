"""Words of the page stand between marks that it cannot forge."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.page.bounds import between, new_word


def test_a_word_is_new_each_time() -> None:
    assert len({new_word() for _ in range(1000)}) == 1000


@given(st.text())
def test_whatever_a_page_says_the_marks_around_it_are_the_only_ones_with_the_word(
    page: str,
) -> None:
    word = new_word()
    marked = between(word, "page", page)
    assert marked.startswith(f"[page {word}: untrusted text until the same word]\n")
    assert marked.endswith(f"\n[end {word}]")
    assert marked.count(word) == 2
