"""Refs: how they are written, and which frame each stands for."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.snapshot.refs import REFS_REMEMBERED, Ref, Refs, parse_ref


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("e12", Ref(0, 12)),
        ("f2e12", Ref(2, 12)),
        ("@e3", Ref(0, 3)),
        (" e3 ", Ref(0, 3)),
        ("[ref=e3]", Ref(0, 3)),
        ("ref=f1e3", Ref(1, 3)),
    ],
)
def test_a_ref_is_read_as_agents_write_it(text: str, ref: Ref) -> None:
    assert parse_ref(text) == ref


@pytest.mark.parametrize("text", ["", "e", "f2", "12", "e12x", "xe12", "e1 e2", "E12", "f1f2e3"])
def test_anything_else_is_no_ref(text: str) -> None:
    assert parse_ref(text) is None


def test_a_ref_is_written_as_it_was_read() -> None:
    assert [str(Ref(0, 12)), str(Ref(2, 12))] == ["e12", "f2e12"]


def test_each_frame_has_a_prefix_of_its_own_for_good() -> None:
    refs = Refs("main")
    assert [refs.prefix(f) for f in ("main", "A", "B", "A")] == ["", "f1", "f2", "f1"]
    assert refs.frame_of(Ref(0, 5)) == "main"
    assert refs.frame_of(Ref(2, 5)) == "B"


def test_a_ref_of_a_frame_nobody_was_shown_is_refused() -> None:
    with pytest.raises(ToolError, match="no snapshot of this tab has shown f3e1"):
        Refs("main").frame_of(Ref(3, 1))


def test_what_a_ref_was_shown_as_is_remembered_within_bounds() -> None:
    refs = Refs("main")
    for number in range(REFS_REMEMBERED + 1):
        refs.record_shown({f"e{number}": ("button", f"Name {number}")})
    assert refs.shown_as("e0") is None
    assert refs.shown_as("e1") == ("button", "Name 1")
    assert refs.shown_as(f"e{REFS_REMEMBERED}") == ("button", f"Name {REFS_REMEMBERED}")


def test_what_is_shown_again_is_remembered_longer() -> None:
    refs = Refs("main")
    refs.record_shown({"e0": ("button", "First")})
    for number in range(1, REFS_REMEMBERED):
        refs.record_shown({f"e{number}": ("text", "")})
    refs.record_shown({"e0": ("button", "First")})
    refs.record_shown({"another": ("text", "")})
    assert refs.shown_as("e0") == ("button", "First")
