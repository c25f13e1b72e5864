"""Targets as agents write them: every form, and the dialects of others with their hints."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.page.refs import Ref
from pilothouse.page.targets import ROLES, Point, Query, parse_target


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("e12", Ref(0, 12)),
        ("f2e12", Ref(2, 12)),
        ("120,340", Point(120, 340)),
        ("(12.5, -3)", Point(12.5, -3)),
        ([10, 20], Point(10, 20)),
        ((10.5, 20), Point(10.5, 20)),
        ({"x": 1, "y": 2}, Point(1, 2)),
    ],
)
def test_refs_and_points_are_known(said: Any, target: Ref | Point) -> None:
    assert parse_target(said) == target


@pytest.mark.parametrize(
    ("said", "kind", "value", "name", "exact"),
    [
        ("#save", "css", "#save", "", False),
        (
            "ul > li:first-child a[href$='.pdf']",
            "css",
            "ul > li:first-child a[href$='.pdf']",
            "",
            False,
        ),
        ("css=.row", "css", ".row", "", False),
        ("button", "css", "button", "", False),
        ("text=Sign in", "text", "Sign in", "", False),
        ('text="Sign in"', "text", "Sign in", "", True),
        ("text='it'", "text", "it", "", True),
        ("text=a=b", "text", "a=b", "", False),
        ("button=Save", "role", "button", "Save", False),
        ('button="Save"', "role", "button", "Save", True),
        ("link=Home", "role", "link", "Home", False),
        ("role=button", "role", "button", "", False),
        ('role=button[name="Save"]', "role", "button", "Save", True),
        ("role=button[name=Save]", "role", "button", "Save", False),
        ('role=button[name="Save" i]', "role", "button", "Save", False),
        ('role=link "Home"', "role", "link", "Home", True),
        ("label=Email", "label", "Email", "", False),
        ("placeholder=Search", "placeholder", "Search", "", False),
        ("testid=submit", "testid", "submit", "", True),
        ("alt=Logo", "alt", "Logo", "", False),
        ("title=Help", "title", "Help", "", False),
        ("xpath=//a", "xpath", "//a", "", False),
        ("//form//input", "xpath", "//form//input", "", False),
        ("(//a)[2]", "xpath", "(//a)[2]", "", False),
        ("text/Sign in", "text", "Sign in", "", False),
        ("xpath///a", "xpath", "//a", "", False),
        ("pierce/#save", "css", "#save", "", False),
        ("aria/Save", "label", "Save", "", False),
        ('aria/[name="Save"]', "label", "Save", "", False),
    ],
)
def test_selectors_are_taken_apart(
    said: str, kind: str, value: str, name: str, exact: bool
) -> None:
    target = parse_target(said, nth=1)
    assert target == Query(kind, value, name, exact, said, 1)
    assert target.as_json() == {
        "kind": kind,
        "value": value,
        "name": name,
        "exact": exact,
        "nth": 1,
    }


def test_without_nth_the_page_is_not_told_of_one() -> None:
    target = parse_target("#save")
    assert isinstance(target, Query)
    assert "nth" not in target.as_json()


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_role_can_stand_before_a_name(role: str) -> None:
    assert parse_target(f"{role}=Name") == Query("role", role, "Name", said=f"{role}=Name")


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("button:has-text('Save')", "text="),
        ("a:contains(Save)", "text="),
        (":text('Save')", "text="),
        (":text-is('Save')", "text="),
        ("button:visible", "leave it out"),
        ("li:nth-match(2)", "nth="),
        ("li:eq(2)", "nth="),
        ("li:first", "nth="),
        ("li:last", "nth="),
        ("a:right-of(b)", "ref"),
        ("#frame >> button", "frame="),
        ("text=Save >> nth=1", "frame="),
        ("page.getByRole('button')", "button=Save"),
        ("locator('x')", "button=Save"),
        ("::-p-text(Save)", "text="),
        ("internal:role=button", "CSS"),
        ("react=Button", "CSS"),
        ("id=save", "CSS"),
        ("data-testid=save", "testid="),
    ],
)
def test_a_foreign_dialect_is_refused_with_what_works_here(said: str, hint: str) -> None:
    with pytest.raises(ToolError, match="dialect") as refused:
        parse_target(said)
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    "said", ["li:first-child", "li:last-of-type", "input:read-only", ":visited", "a::before"]
)
def test_css_that_only_looks_foreign_is_left_alone(said: str) -> None:
    assert parse_target(said) == Query("css", said, said=said)


@pytest.mark.parametrize(
    "said",
    [None, "", "  ", 7, ["a", "b"], [1], [1, 2, 3], {"x": "a", "y": 2}, {"x": 1}, [None, 1],
     {"x": float("nan"), "y": 1}, [float("inf"), 2], "text=", "role=", "role=[name=x]", "button="],
)  # fmt: skip
def test_what_names_nothing_is_refused_by_its_field(said: Any) -> None:
    with pytest.raises(ToolError, match=r"^from: ") as refused:
        parse_target(said, field="from")
    assert refused.value.hint


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_target_or_a_tool_error(said: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(parse_target(said), Ref | Query | Point)


@settings(deadline=None)
@given(st.sampled_from(sorted(ROLES)), st.text(min_size=1).filter(lambda t: t.strip() == t))
def test_a_quoted_name_is_taken_whole(role: str, name: str) -> None:
    target = parse_target(f'{role}="{name}"')
    assert isinstance(target, Query)
    assert (target.kind, target.value, target.name, target.exact) == ("role", role, name, True)
