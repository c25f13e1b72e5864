"""Texts of frames, put together."""

from __future__ import annotations

from pilothouse.page.extract.frame_texts import clean, cut, stitch

OWNERS = {"b": ("a", 3), "c": ("b", 1), "d": ("a", 9)}


def test_a_frames_text_stands_where_its_element_stands() -> None:
    texts = {"a": "one\n\n\0frame 3\0\n\ntwo", "b": "inner\n\n\0frame 1\0", "c": "deep"}
    assert stitch("a", texts, OWNERS.get) == "one\n\ninner\n\ndeep\n\ntwo"


def test_a_frame_in_a_quote_is_quoted() -> None:
    assert stitch("a", {"a": "> \0frame 3\0", "b": "x\ny"}, OWNERS.get) == "> x\n> y"


def test_a_frame_in_a_list_belongs_to_its_item() -> None:
    assert stitch("a", {"a": "12. \0frame 3\0", "b": "x\n\ny"}, OWNERS.get) == "12. x\n\n    y"


def test_frames_that_are_not_shown_are_left_out() -> None:
    texts = {"a": "one\n\n\0frame 5\0\n\ntwo", "d": "hidden", "b": "lost"}
    assert stitch("a", texts, OWNERS.get) == "one\n\ntwo"


def test_frames_that_own_each_other_come_to_an_end() -> None:
    texts = {"a": "\0frame 1\0 ", "b": "b \n\0frame 2\0"}
    assert stitch("a", texts, {"b": ("a", 1), "a": ("b", 2)}.get) == "b"


def test_rows_of_empty_lines_become_one() -> None:
    assert clean("a\n\n\n\n> \n>\nb\0frame 7\0") == "a\n\nb"


def test_a_text_is_cut_at_a_line_and_says_how_much_is_missing() -> None:
    text = "a" * 90 + "\n" + "b" * 50
    assert cut(text, 100) == ("a" * 90, 51)
    assert cut(text, 0) == (text, 0)
    assert cut("a" * 50, 20) == ("a" * 20, 30)
