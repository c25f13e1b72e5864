"""File names that sites suggest."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import UsageError
from pilothouse.security.filenames import (
    MAX_BYTES,
    clean_filename,
    image_format,
    numbered_names,
    split_relative_path,
)


@pytest.mark.parametrize(
    ("suggested", "clean"),
    [
        ("report.csv", "report.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\system.ini", "system.ini"),
        ("/etc/shadow", "shadow"),
        ('a<b>c:d"e|f?g*.txt', "a_b_c_d_e_f_g_.txt"),
        (".bashrc", "bashrc"),
        ("..", "download"),
        ("", "download"),
        ("CON", "_CON"),
        ("lpt1.txt", "_lpt1.txt"),
        ("a\nb\0c.txt", "abc.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("trailing. . ", "trailing"),
        ("Überblick 2.pdf", "Überblick 2.pdf"),
    ],
)
def test_a_suggested_name_becomes_harmless(suggested: str, clean: str) -> None:
    assert clean_filename(suggested) == clean


def test_a_long_name_keeps_its_ending() -> None:
    clean = clean_filename("ü" * 500 + ".tar.gz")
    assert clean.endswith("ü.tar.gz")
    assert len(clean.encode()) <= MAX_BYTES


@given(st.text(max_size=400))
def test_no_name_leads_out_of_its_folder(suggested: str) -> None:
    clean = clean_filename(suggested)
    assert clean not in ("", ".", "..")
    assert not set(clean) & set('/\\\0<>:"|?*\n\r\u202e')
    assert not clean.startswith((".", " "))
    assert len(clean.encode()) <= MAX_BYTES + 1
    assert clean_filename(clean) == clean


def test_further_files_of_a_name_are_numbered_before_the_ending() -> None:
    assert list(itertools.islice(numbered_names("a.tar.gz"), 3)) == [
        "a.tar.gz",
        "a (2).tar.gz",
        "a (3).tar.gz",
    ]
    assert list(itertools.islice(numbered_names("README"), 2)) == ["README", "README (2)"]


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../../b", "~/a", "a\0b", "."])
def test_a_path_that_is_not_below_is_told_why(path: str) -> None:
    assert isinstance(split_relative_path(path), str)


def test_a_path_below_has_parts() -> None:
    assert split_relative_path("a/./b.txt") == ("a", "b.txt")


@pytest.mark.parametrize(
    ("path", "format"),
    [("a.png", "png"), ("a.JPG", "jpeg"), ("a.jpeg", "jpeg"), ("b/a.webp", "webp"), ("a", "png")],
)
def test_the_format_of_an_image_is_that_of_the_files_name(path: str, format: str) -> None:
    assert image_format(path) == format


def test_a_file_without_suffix_has_the_chosen_format() -> None:
    assert image_format("a", "webp") == "webp"
    assert image_format("a.jpg", "jpeg") == "jpeg"


@pytest.mark.parametrize(
    ("path", "format", "said"),
    [
        ("a.gif", "png", "save: .gif is not an image format; expected .png, .jpg, .jpeg or .webp"),
        ("a.png", "jpeg", "save: the suffix .png does not match format jpeg"),
    ],
)
def test_a_suffix_that_does_not_fit_is_refused(path: str, format: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        image_format(path, format)
    assert refused.value.message == said
