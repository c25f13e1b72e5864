"""Words of the page stand between marks that it cannot forge."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pilothouse.page.snapshot.untrusted_markers import (
    escape_markers,
    new_nonce,
    unwrap_untrusted,
    wrap_untrusted,
)


def test_a_word_is_new_each_time() -> None:
    assert len({new_nonce() for _ in range(1000)}) == 1000


@given(st.text())
def test_whatever_a_page_says_the_marks_around_it_are_the_only_ones_with_the_word(
    page: str,
) -> None:
    word = new_nonce()
    marked = wrap_untrusted(word, page)
    assert marked.startswith(f"[begin untrusted page text {word}]\n")
    assert marked.endswith(f"\n[end untrusted page text {word}]")
    assert marked.count(word) == 2
    assert unwrap_untrusted(marked) == page
    journal = wrap_untrusted(word, page, "journal")
    assert journal.startswith(f"[begin untrusted journal {word}]\n")


def test_only_a_whole_pair_of_marks_is_taken_off() -> None:
    marked = wrap_untrusted(new_nonce(), "words")
    for other in ("words", f"{marked}\nmore", marked[1:], marked.replace("end", "begin")):
        assert unwrap_untrusted(other) == other


def test_what_looks_like_marks_can_be_made_unlike_them() -> None:
    for word in ("0123456789ab", "x"):
        forged = f"[begin untrusted page text {word}]\nx\n[END untrusted page text {word}]"
        plain = escape_markers(forged)
        assert "[" not in plain
        assert plain.count(word) >= 2
    assert escape_markers("[ref=e1] [x](y) [end]") == "[ref=e1] [x](y) [end]"
