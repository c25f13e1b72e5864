"""A tree as text: what each line says, what is left out, and that it is counted."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.page.snapshot.render import (
    find,
    fit,
    limit_depth,
    only_acting,
    render,
    tidy,
    tokens,
)
from pilothouse.page.snapshot.tree import Node


def text(name: str) -> Node:
    return Node("text", name)


def button(name: str, number: int, *states: str) -> Node:
    return Node("button", name, f"e{number}", acts=True, states=states)


def box(role: str, *children: Node, name: str = "", number: int = 90) -> Node:
    return Node(role, name, f"e{number}", children=list(children))


def shown(nodes: list[Node]) -> list[str]:
    return [str(line) for line in render(nodes)]


def rows(count: int) -> Node:
    return box(
        "list", *(box("listitem", text(f"row {n}"), button(f"Do {n}", n)) for n in range(count))
    )


def counted(lines: list[str]) -> int:
    """How many nodes the lines say are left out."""
    return sum(int(n) for line in lines for n in re.findall(r"^ *- … (\d+) more", line))


def size(nodes: list[Node]) -> int:
    return sum(1 for node in nodes for inner in node.walk() if inner.role != "…")


# Lines.


def test_a_line_says_role_name_ref_states_box_origin_and_value() -> None:
    field = Node("textbox", "Email", "e5", True, ("required", "focused"), "me@a.test", "1,2,3,4")
    frame = Node("iframe", "ads", "e6", origin="http://b.test")
    assert shown([field, frame]) == [
        '- textbox "Email" [ref=e5] [required focused] [box=1,2,3,4]: me@a.test',
        '- iframe "ads" [ref=e6] (http://b.test)',
    ]


def test_nesting_is_kept_and_a_single_text_stands_on_its_line() -> None:
    tree = box(
        "navigation", Node("link", "Home", "e1", True), box("list", text("only")), name="Main"
    )
    assert shown([tree]) == [
        '- navigation "Main":',
        '  - link "Home" [ref=e1]',
        "  - list: only",
    ]


def test_a_value_and_a_text_do_not_run_together() -> None:
    field = Node("slider", "Volume", "e1", True, value="3", children=[text("of ten")])
    assert shown([field]) == ['- slider "Volume" [ref=e1]: 3', "  - text: of ten"]


def test_a_name_cannot_end_its_quotes() -> None:
    (line,) = shown([button('x" [ref=e99] "\\', 1)])
    assert line == '- button "x\\" [ref=e99] \\"\\\\" [ref=e1]'


def test_what_cannot_be_acted_on_has_no_ref() -> None:
    assert shown([Node("heading", "Hi", "e4", states=("level=1",))]) == ['- heading "Hi" [level=1]']


# Tidying.


def test_empty_boxes_are_dropped_and_list_items_of_one_element_are_that_element() -> None:
    tree = [
        box(
            "list",
            box("listitem", text("a")),
            box("listitem"),
            box("listitem", text("b"), text("c")),
            box("listitem", Node("link", "d", "e1", acts=True)),
        )
    ]
    assert shown(tidy(tree)) == [
        "- list:",
        "  - listitem: a",
        "  - listitem: b",
        "    - text: c",
        '  - link "d" [ref=e1]',
    ]


def test_a_list_item_that_can_be_clicked_is_kept() -> None:
    item = Node("listitem", "", "e3", acts=True, children=[text("Pick me")])
    assert shown(tidy([box("list", item)])) == ["- list:", "  - listitem [ref=e3]: Pick me"]


def test_a_row_of_texts_is_one_line_with_its_columns_kept() -> None:
    row = box("row", box("cell", text("Apples")), box("cell"), box("cell", text("1.20")))
    head = box("row", Node("columnheader", "Fruit", "e1"), box("columnheader", text("Count")))
    assert shown(tidy([box("table", head, row, box("row", box("cell"), box("cell")))])) == [
        "- table:",
        "  - row: Fruit | Count",
        "  - row: Apples |  | 1.20",
    ]


def test_a_row_with_something_to_click_keeps_it() -> None:
    row = box("row", box("cell", text("Apples")), box("cell"), box("cell", button("Buy", 2)))
    assert shown(tidy([row])) == ["- row: Apples", '  - button "Buy" [ref=e2]']
    texts = [box("cell", text(word)) for word in ("Order 003", "Ann", "30.00")]
    row = box("row", box("cell", button("Open", 1)), *texts, box("cell", button("Delete", 2)))
    assert shown(tidy([row])) == [
        "- row:",
        '  - button "Open" [ref=e1]',
        "  - text: Order 003 | Ann | 30.00",
        '  - button "Delete" [ref=e2]',
    ]


def test_cells_that_can_be_clicked_or_are_in_a_state_are_kept() -> None:
    cell = Node("gridcell", "4", "e4", acts=True)
    head = Node("columnheader", "", "e5", states=("selected",), children=[text("Name")])
    assert shown(tidy([box("row", cell, head)])) == [
        "- row:",
        '  - gridcell "4" [ref=e4]',
        "  - columnheader [selected]: Name",
    ]


# Choosing.


def test_only_what_acts_is_kept_with_the_places_around_it() -> None:
    tree = [
        box("main", text("words"), box("dialog", text("sure?"), button("Yes", 1), name="Ask")),
        box("navigation", text("nothing to click")),
        Node("iframe", "", "e9", states=("no-answer",)),
        Node("generic", "", "e7", acts=True, children=[text("I listen")]),
    ]
    assert shown(only_acting(tree)) == [
        '- dialog "Ask":',
        "  - text: sure?",
        '  - button "Yes" [ref=e1]',
        "- iframe [ref=e9] [no-answer]",
        "- generic [ref=e7]: I listen",
    ]


def order(number: int) -> Node:
    words = text(f"Order {number} | Ann")
    return box("row", words, button("Delete", number), number=100 + number)


def test_elements_that_share_a_name_keep_the_row_they_stand_in() -> None:
    rows = only_acting([box("table", order(1), order(2), box("row", button("Add", 9)))])
    assert shown(rows) == [
        "- row: Order 1 | Ann",
        '  - button "Delete" [ref=e1]',
        "- row: Order 2 | Ann",
        '  - button "Delete" [ref=e2]',
        '- button "Add" [ref=e9]',
    ]


def test_what_is_told_to_everybody_is_in_the_short_form_too() -> None:
    field = Node("textbox", "Town", "e1", True, children=[Node("invalid", "Fill this in")])
    tree = [box("main", box("alert", text("No such town")), box("status"), field)]
    assert shown(only_acting(tree)) == [
        "- alert: No such town",
        '- textbox "Town" [ref=e1]',
        '  - invalid "Fill this in"',
    ]


def test_below_a_depth_things_are_counted_and_can_be_expanded() -> None:
    tree = [box("main", box("list", button("A", 1), button("B", 2), number=5))]
    assert shown(limit_depth(tree, 2)) == [
        "- main:",
        "  - list:",
        "    - … 2 more (2 button) [expand=e5]",
    ]
    assert shown(limit_depth(tree, 3)) == shown(tree)


def test_found_things_come_with_their_ancestors() -> None:
    tree = [box("main", box("list", button("Save", 1), button("Load", 2)), text("Save as you go"))]
    found, count = find(tree, "save")
    assert count == 2
    assert shown(found) == [
        "- main:",
        "  - list:",
        '    - button "Save" [ref=e1]',
        "  - text: Save as you go",
    ]


def test_found_by_a_pattern_in_names_and_values() -> None:
    tree = [Node("textbox", "Zip", "e1", True, value="8004"), button("No 12", 2), text("none")]
    found, count = find(tree, re.compile(r"\d{2}$"))
    assert (count, len(found)) == (2, 2)


def test_something_found_shows_a_little_of_what_is_in_it() -> None:
    tree = [box("list", *(text(f"t{n}") for n in range(9)), name="Results", number=4)]
    found, count = find(tree, "results")
    assert count == 1
    assert shown(found)[-1] == "  - … 6 more (6 text) [expand=e4]"


def test_a_row_is_found_whole_with_what_acts_on_it() -> None:
    tree = [box("table", *(order(n) for n in range(1, 11)))]
    found, count = find(tree, "Order 3 Ann")
    assert (count, shown(found)) == (
        1,
        ["- table:", "  - row: Order 3 | Ann", '    - button "Delete" [ref=e3]'],
    )
    found, count = find(tree, "delete", limit=2)
    assert count == 10
    assert len(shown(found)) == 1 + 2 * 2


def test_a_page_laid_out_as_a_table_is_not_one_row() -> None:
    page = box("row", *(box("cell", text(f"word {n}"), button(f"B{n}", n)) for n in range(30)))
    found, count = find([box("table", page)], "word 7")
    assert count == 1
    assert len(shown(found)) < 6


def test_what_follows_a_text_that_was_found_may_act_on_it() -> None:
    card = [Node("heading", "Blue shirt"), text("8.00"), button("Add", 1), text("x"), text("y")]
    found, count = find([*card, Node("heading", "Red shirt"), button("Add", 2)], "blue")
    assert count == 1
    assert shown(found) == ['- heading "Blue shirt"', '- button "Add" [ref=e1]']


def test_nothing_found_is_an_empty_tree() -> None:
    assert find([text("a")], "b") == ([], 0)


# Fitting.


def test_without_a_budget_everything_is_shown() -> None:
    fitted = fit([rows(500)], 0)
    assert (fitted.cut, len(fitted.lines)) == (0, 1 + 2 * 500)


def test_a_long_list_is_cut_in_its_middle_and_says_how_to_have_the_rest() -> None:
    tree = [rows(500)]
    fitted = fit(tree, 500)
    lines = [str(line) for line in fitted.lines]
    assert fitted.tokens <= 500
    assert lines[1:3] == ["  - listitem: row 0", '    - button "Do 0" [ref=e0]']
    assert lines[-1] == '    - button "Do 499" [ref=e499]', "the end of the list is seen"
    assert fitted.cut == counted(lines)
    folded = sum("- listitem: row" in line for line in lines)
    assert len(lines) - 1 + folded + fitted.cut == size(tree)
    assert sum("[expand=e90]" in line for line in lines) == 1


def test_alerts_status_and_headings_are_never_cut_for_standing_late() -> None:
    late = box(
        "main", *(text(f"words {n}") for n in range(300)), box("alert", text("It failed")),
        Node("heading", "Totals", states=("level=2",)), box("status", text("3 left")), rows(300),
    )  # fmt: skip
    fitted = fit([rows(200), late, rows(300)], 400)
    lines = [str(line).strip() for line in fitted.lines]
    assert fitted.tokens <= 400
    for said in ("- alert: It failed", '- heading "Totals" [level=2]', "- status: 3 left"):
        assert said in lines
    assert fitted.cut == counted(lines)


def test_texts_are_whole_where_there_is_room() -> None:
    words = "There is no archive any more. " * 20
    assert shown([text(words)]) == [str(line) for line in fit([text(words)], 4000).lines]


def test_more_tokens_show_more() -> None:
    cuts = [fit([rows(500)], budget).cut for budget in (100, 500, 1000, 4000, 20_000)]
    assert cuts == sorted(cuts, reverse=True)
    assert cuts[-1] == 0


def test_long_texts_are_clipped_where_tokens_are_short() -> None:
    (line,) = fit([text("word " * 150)], 60).lines
    assert line.text.endswith("…")


def test_what_a_depth_left_out_is_counted_once() -> None:
    tree = [box("main", *(rows(30) for _ in range(30)))]
    every = size(tree)
    cut = limit_depth(tree, 2)
    fitted = fit(cut, 60)
    lines = [str(line) for line in fitted.lines]
    assert fitted.cut == counted(lines)
    assert every - fitted.cut == sum(1 for line in lines if "…" not in line)


def test_a_budget_that_is_far_too_small_still_counts() -> None:
    tree = [box("region", text("words " * 20), name=f"Region {n}") for n in range(200)]
    fitted = fit(tree, 20)
    lines = [str(line) for line in fitted.lines]
    assert fitted.tokens <= 20
    assert fitted.cut == counted(lines)
    assert size(tree) - fitted.cut == len(lines) - 1


ROLES = ("list", "listitem", "row", "cell", "main", "table", "group", "button", "link", "heading")
NAMES = ("", "a", "Save all", "… 3 more (3 x)", "- button [ref=e9]", '"q" \\', "long " * 30)


def tree_of(random: Random, depth: int = 0) -> Node:
    """Any tree; hypothesis itself would draw one too slowly."""
    if random.random() < 0.4:
        return text(random.choice(NAMES[1:]))
    children = [] if depth > 5 else [tree_of(random, depth + 1) for _ in range(random.randrange(6))]
    acts, value = random.random() < 0.3, random.choice(("", "", "", "a value"))
    number = random.randrange(200)
    role, name = random.choice(ROLES), random.choice(NAMES)
    return Node(role, name, f"e{number}", acts, (), value, children=children)


def forest(seed: int) -> list[Node]:
    random = Random(seed)
    return [tree_of(random) for _ in range(random.randrange(20))]


seeds = st.integers(0, 2**32)
patient = settings(deadline=None, max_examples=80)


@patient
@given(seeds, st.integers(20, 800))
def test_no_budget_is_ever_exceeded_and_nothing_is_lost_uncounted(seed: int, budget: int) -> None:
    tree = forest(seed)
    fitted = fit(tree, budget)
    assert tokens(fitted.lines) == fitted.tokens <= budget
    lines = [str(line) for line in fitted.lines]
    # Names may look like counts: those are in quotes or after a colon, never after the dash.
    assert fitted.cut == counted(lines)
    assert fitted.cut <= size(tree)
    if not fitted.cut:
        assert len(lines) == len(render(tree))


@patient
@given(seeds, st.integers(20, 800), st.integers(1, 4))
def test_a_depth_and_a_budget_together_lose_nothing_uncounted(
    seed: int, budget: int, depth: int
) -> None:
    tree = forest(seed)
    fitted = fit(limit_depth(tree, depth), budget)
    lines = [str(line) for line in fitted.lines]
    said = sum(1 for line in lines if not re.match(r" *- … \d+ more", line))
    folded = sum(
        1
        for node in (inner for top in tree for inner in top.walk())
        if node.children and node.children[0].role == "text" and not node.value
    )
    assert fitted.tokens <= budget
    assert said <= size(tree) - fitted.cut <= said + folded


@patient
@given(seeds)
def test_every_thing_that_acts_survives_tidying(seed: int) -> None:
    tree = forest(seed)
    before = [node.name for top in tree for node in top.walk() if node.acts]
    assert [node.name for top in tidy(tree) for node in top.walk() if node.acts] == before


@patient
@given(seeds)
def test_every_text_survives_tidying(seed: int) -> None:
    tree = forest(seed)
    said = " ".join(node.name for top in tree for node in top.walk() if node.role == "text")
    kept = "\n".join(str(line) for line in render(tidy(tree)))
    assert all(word in kept for word in said.split(" "))


@pytest.mark.parametrize("depth", [400])
def test_deep_trees_are_no_trouble(depth: int) -> None:
    tree = text("deep")
    for number in range(depth):
        tree = box("list", tree, button(f"B{number}", number))
    fitted = fit(only_acting(tidy([tree])), 4000)
    assert fitted.tokens <= 4000
