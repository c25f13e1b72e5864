"""The selector language: every form, the steps, and the dialects of others."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.page.input.selectors import ROLES, Point, Query, parse_query, parse_selector
from pilothouse.page.snapshot.refs import Ref


def steps(said: str, nth: int | None = None) -> list[tuple[Any, ...]]:
    """The steps of a selector, the first first: relation, kind, value, name and number."""
    query: Query | None = parse_query(said, "target", nth)
    found = []
    while query is not None:
        relation = query.relation if query.within is not None else ""
        found.append((relation, query.kind, query.value, query.name, query.nth))
        query = query.within
    return found[::-1]


@pytest.mark.parametrize(
    ("said", "kind", "value", "name", "exact"),
    [
        ("#save", "css", "#save", "", False),
        ("li:first-child a[href$='.pdf']", "css", "li:first-child a[href$='.pdf']", "", False),
        ("a[title='>> nth=1']", "css", "a[title='>> nth=1']", "", False),
        ("css=.row", "css", ".row", "", False),
        ("button", "css", "button", "", False),
        ("text=Sign in", "text", "Sign in", "", False),
        ('text="Sign in"', "text", "Sign in", "", True),
        ("text='it'", "text", "it", "", True),
        ("text=a=b", "text", "a=b", "", False),
        ("text=Home >> Products", "text", "Home >> Products", "", False),
        ('text="Home >> nth=1"', "text", "Home >> nth=1", "", True),
        ("text=Don't", "text", "Don't", "", False),
        ("button=Save", "role", "button", "Save", False),
        ('button="Save"', "role", "button", "Save", True),
        ("link=Home", "role", "link", "Home", False),
        ("role=button", "role", "button", "", False),
        ('role=button[name="Save"]', "role", "button", "Save", True),
        ("role=button[name=Save]", "role", "button", "Save", False),
        ('role=button[name="Save" i]', "role", "button", "Save", False),
        ('role=row[name="a >> b"]', "role", "row", "a >> b", True),
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
        ("aria/Save", "role", "", "Save", False),
        ('aria/[name="Save"]', "role", "", "Save", False),
        ('aria/Save[role="button"]', "role", "button", "Save", False),
        ("aria/Save all[role=button]", "role", "button", "Save all", False),
        ('aria/[name="Save"][role="button"]', "role", "button", "Save", False),
        ('aria/[role="main"]', "role", "main", "", False),
        ("::-p-text(Save)", "text", "Save", "", False),
        ('::-p-text("Save (all)")', "text", "Save (all)", "", False),
        ("::-p-text(Save (all))", "text", "Save (all)", "", False),
        ("::-p-aria(Save)", "role", "", "Save", False),
        ('::-p-aria([name="Save"][role="button"])', "role", "button", "Save", False),
        ("::-p-xpath(//h2)", "xpath", "//h2", "", False),
        (">>> #save", "css", "#save", "", False),
        ('button:has-text("Save")', "css", "button", "Save", False),
        ("a:contains(Save)", "css", "a", "Save", False),
    ],
)
def test_selectors_are_taken_apart(
    said: str, kind: str, value: str, name: str, exact: bool
) -> None:
    query = parse_query(said, "target", 1)
    assert query == Query(kind, value, name, exact, said, 1)
    assert query.as_json() == {
        "kind": kind,
        "value": value,
        "name": name,
        "exact": exact,
        "nth": 1,
    }


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (".row >> text=Delete", [("", "css", ".row"), ("in", "text", "Delete")]),
        ("#a >> .b >> //p", [("", "css", "#a"), ("in", "css", ".b"), ("in", "xpath", "//p")]),
        ('role=row[name="A"] >> button', [("", "role", "row"), ("in", "css", "button")]),
        ("text=Row >> css=button", [("", "text", "Row"), ("in", "css", "button")]),
        ("my-list >>> li", [("", "css", "my-list"), ("in", "css", "li")]),
        ("my-list >>>> li", [("", "css", "my-list"), ("in", "css", "li")]),
        ("div ::-p-text(Save)", [("", "css", "div"), ("in", "text", "Save")]),
        ("div > ::-p-text(Save)", [("", "css", "div"), ("child", "text", "Save")]),
        ("button::-p-text(Save)", [("", "css", "button"), ("self", "text", "Save")]),
        ("x-a >>> ::-p-aria(Save)", [("", "css", "x-a"), ("in", "role", "")]),
        ("::-p-text(Bob) > a", [("", "text", "Bob"), ("child", "css", "a")]),
        ("tr:has-text('Bob') button", [("", "css", "tr"), ("in", "css", "button")]),
        (
            "ul ::-p-text(A) b ::-p-text(B)",
            [("", "css", "ul"), ("in", "text", "A"), ("in", "css", "b"), ("in", "text", "B")],
        ),
    ],
)
def test_steps_narrow_each_other_down(said: str, expected: list[tuple[str, str, str]]) -> None:
    assert [step[:3] for step in steps(said)] == expected


def test_the_page_is_told_of_every_step() -> None:
    asked = parse_query(".row >> nth=2 >> button=Delete", "target").as_json()
    assert asked["relation"] == "in"
    assert (asked["within"]["value"], asked["within"]["nth"]) == (".row", 2)
    assert "nth" not in asked


@pytest.mark.parametrize(
    "said",
    [
        "button=Add >> nth=2",
        "button=Add nth=2",
        'button="Add" >> nth=2',
        "text=Don't >> nth=2",
        "li >>nth=2",
        "//li >> nth=2",
        "text/Add >> nth=2",
        "button:has-text('Add') >> nth=2",
    ],
)
def test_one_of_several_is_said_in_the_selector(said: str) -> None:
    (step,) = steps(said)
    assert step[-1] == 2


def test_a_number_counts_where_it_stands() -> None:
    assert [step[-1] for step in steps("tr >> nth=-1 >> td >> nth=0")] == [-1, 0]
    assert steps("li >> nth=3", 0)[0][-1] == 3
    with pytest.raises(ToolError, match=r"^target: nth is given twice, 3 and 1 in") as refused:
        parse_query("li >> nth=3", "target", 1)
    assert refused.value.hint == "use one nth"


@pytest.mark.parametrize("role", sorted(ROLES))
def test_every_role_can_stand_before_a_name(role: str) -> None:
    said = f"{role}=Name"
    assert parse_query(said, "target") == Query("role", role, "Name", selector=said)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        (":text('Save')", "text="),
        (":text-is('Save')", "text="),
        ("button:visible", "leave it out"),
        ("li:nth-match(2)", "nth="),
        ("li:eq(2)", "nth="),
        ("li:first", "nth="),
        ("li:last", "nth="),
        ("a:right-of(b)", "ref"),
        ("page.getByRole('button')", "button=Save"),
        ("locator('x')", "button=Save"),
        ("internal:role=button", "CSS"),
        ("react=Button", "CSS"),
        ("id=save", "CSS"),
        ("data-testid=save", "testid="),
    ],
)
def test_a_foreign_dialect_is_refused_with_what_works_here(said: str, hint: str) -> None:
    with pytest.raises(ToolError, match="is not supported") as refused:
        parse_query(said, "target")
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("nth=0", "alone names no element"),
        (">> nth=0", "alone names no element"),
        ("text=Save >>", "nothing after >>"),
        (">> button", "nothing before >>"),
        ("li:has-text('a'):not(.b)", "after a pseudo-element"),
        ("a + ::-p-text(b)", "before a pseudo-element"),
        ("::-p-text(a) + b", "after a pseudo-element"),
        ("h1, ::-p-text(b)", "before a pseudo-element"),
        (":is(::-p-text(b))", "before a pseudo-element"),
        ("::-p-text(b", "is not closed"),
        ("::-p-react(b)", "is not supported"),
        ("::-p-text()", "is not supported"),
        ("aria/[role='']", "neither name nor role"),
        ("text=", "nothing after text="),
        ("role=[name=x]", "is not a role"),
    ],
)
def test_what_cannot_be_is_refused_in_the_words_of_the_caller(said: str, why: str) -> None:
    with pytest.raises(ToolError, match=r"^from: ") as refused:
        parse_query(said, "from")
    assert why in refused.value.message
    assert said in refused.value.message
    assert refused.value.hint.startswith("use ")


@pytest.mark.parametrize(
    "said", ["li:first-child", "li:last-of-type", "input:read-only", ":visited", "a::before"]
)
def test_css_that_only_looks_foreign_is_left_alone(said: str) -> None:
    query = parse_query(said, "target")
    assert query == Query("css", said, selector=said)
    assert query.is_plain_css


@pytest.mark.parametrize("said", ["li >> nth=0", "ul >> li", "li:has-text('a')", "text=a"])
def test_css_with_more_to_it_is_not_plain(said: str) -> None:
    assert not parse_query(said, "target").is_plain_css


@settings(deadline=None)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(">()[]\"'=:-,")), min_size=1))
def test_any_text_is_a_selector_or_a_tool_error(said: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(parse_query(said, "target"), Query)


@settings(deadline=None)
@given(st.sampled_from(sorted(ROLES)), st.text(min_size=1).filter(lambda t: t.strip() == t))
def test_a_quoted_name_is_taken_whole(role: str, name: str) -> None:
    query = parse_query(f'{role}="{name}"', "target")
    assert (query.kind, query.value, query.name, query.exact) == ("role", role, name, True)


# Refs, points and queries.


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
    assert parse_selector(said) == target


def test_anything_else_is_a_selector() -> None:
    assert parse_selector(" button=Save ", nth=1) == Query(
        "role", "button", "Save", False, "button=Save", 1
    )
    target = parse_selector("#save")
    assert isinstance(target, Query)
    assert "nth" not in target.as_json()


@pytest.mark.parametrize(
    "said",
    [None, "", "  ", 7, ["a", "b"], [1], [1, 2, 3], {"x": "a", "y": 2}, {"x": 1}, [None, 1],
     {"x": float("nan"), "y": 1}, [float("inf"), 2], "text=", "role=", "role=[name=x]", "button="],
)  # fmt: skip
def test_what_names_nothing_is_refused_by_its_field(said: Any) -> None:
    with pytest.raises(ToolError, match=r"^from: ") as refused:
        parse_selector(said, field="from")
    assert refused.value.hint


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_target_or_a_tool_error(said: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(parse_selector(said), Ref | Query | Point)
