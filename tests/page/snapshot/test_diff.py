"""The difference of two texts: nothing is lost in it, and it is never longer than the whole."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from pilothouse.page.snapshot.diff import LONGEST, MOST_CAME, MOST_GONE, changed_lines, diff
from pilothouse.page.snapshot.render import SnapshotLine
from pilothouse.page.snapshot.tree import Node


def lines(text: str) -> list[SnapshotLine]:
    made = []
    for row in text.strip("\n").splitlines():
        bare = row.lstrip(" ")
        made.append(SnapshotLine((len(row) - len(bare)) // 2, bare))
    return made


LONG = "\n".join(f'- link "A link that stays {n}" [ref=e{n}]' for n in range(20))


def test_what_is_the_same_has_no_changes() -> None:
    assert diff(lines(LONG), lines(LONG)) == []


def test_lines_that_came_and_went_are_marked() -> None:
    before = lines(f'{LONG}\n- button "Save" [ref=e30]')
    after = lines(f'{LONG}\n- button "Saved" [ref=e31]')
    changes = diff(before, after)
    assert changes == ["  … 20 same", '- - button "Save" [ref=e30]', '+ - button "Saved" [ref=e31]']


def test_changes_stand_under_their_ancestors_once() -> None:
    before = lines(f"- main:\n  - list:\n    - text: one\n    - text: two\n{LONG}")
    after = lines(
        f"- main:\n  - list:\n    - text: uno\n    - text: two\n    - text: three\n{LONG}"
    )
    assert diff(before, after) == [
        "  … 2 same",
        "  - main:",
        "    - list:",
        "-     - text: one",
        "+     - text: uno",
        "  … 1 same",
        "+     - text: three",
    ]


def test_the_whole_is_given_when_it_is_no_longer() -> None:
    assert diff(lines("- text: old"), lines("- text: new")) is None
    assert diff(lines(LONG), lines("- text: short")) is None


def test_very_long_texts_are_not_compared() -> None:
    long = [SnapshotLine(0, f"- text: {n}") for n in range(LONGEST + 1)]
    assert diff(long, long[::-1]) is None


def test_a_small_change_of_a_very_long_text_is_found() -> None:
    long = [SnapshotLine(0, f"- text: {n}") for n in range(20 * LONGEST)]
    assert diff(long, [*long[:7000], SnapshotLine(0, "- text: new"), *long[7000:]]) == [
        "  … 7000 same",
        "+ - text: new",
    ]


rows = st.lists(
    st.builds(
        SnapshotLine,
        st.integers(0, 3),
        st.sampled_from([f"- text: {'word ' * 6}{n}" for n in range(9)]),
    ),
    max_size=30,
)


def applied(before: list[SnapshotLine], changes: list[str]) -> list[str]:
    """The new text, made of the old one and the changes."""
    old = [str(line) for line in before]
    made: list[str] = []
    at = 0
    for change in changes:
        if same := re.fullmatch(r"  … (\d+) same", change):
            made += old[at : at + int(same[1])]
            at += int(same[1])
        elif change.startswith("- "):
            assert old[at] == change[2:]
            at += 1
        elif change.startswith("+ "):
            made.append(change[2:])
    return made + old[at:]


@settings(deadline=None)
@given(rows, rows)
def test_the_old_text_and_its_changes_make_the_new_one(
    before: list[SnapshotLine], after: list[SnapshotLine]
) -> None:
    changes = diff(before, after)
    if changes is None:
        return
    assert applied(before, changes) == [str(line) for line in after]
    assert sum(map(len, changes)) < sum(len(str(line)) for line in after) or before == after


@settings(deadline=None)
@given(rows, rows)
def test_every_line_of_a_diff_can_be_placed(
    before: list[SnapshotLine], after: list[SnapshotLine]
) -> None:
    """What stands above a new line in the diff is what it stands under on the page."""
    changes = diff(before, after) or []
    shown = [c[2:] for c in changes if not c.startswith("- ") and not c.endswith(" same")]
    assert in_order(shown, [str(line) for line in after])


def in_order(some: list[str], every: list[str]) -> bool:
    rest = iter(every)
    return all(one in rest for one in some)


def texts(*words: str) -> list[Node]:
    return [Node("text", word) for word in words]


def test_news_are_the_lines_that_came_and_then_those_that_went() -> None:
    before = [*texts("one", "two"), Node("button", "Save", "e1", True)]
    after = [*texts("one", "three"), Node("button", "Save", "e1", True), *texts("more")]
    assert changed_lines(before, after) == ["+ text: three", "+ text: more", "- text: two"]
    assert changed_lines(before, before) == []


def test_the_focus_and_what_a_dialog_covers_are_no_news() -> None:
    plain = [*texts("one"), Node("button", "Save", "e1", True)]
    for state in ("focused", "covered"):
        other = [*texts("one"), Node("button", "Save", "e1", True, (state,))]
        assert changed_lines(plain, other) == []


def test_much_that_is_new_is_counted_and_never_crowded_out_by_what_is_gone() -> None:
    old = texts(*(f"old {n}" for n in range(30)))
    changes = changed_lines(old, texts(*(f"line {n}" for n in range(50))))
    assert changes[:2] == ["+ text: line 0", "+ text: line 1"]
    assert changes[MOST_CAME] == f"… {50 - MOST_CAME} more are new: take a snapshot"
    assert changes[MOST_CAME + 1] == "- text: old 0"
    assert changes[-1] == f"… {30 - MOST_GONE} more are gone"
    assert MOST_CAME >= 12
    whole = changed_lines([], texts(*(f"line {n}" for n in range(LONGEST + 1))))
    assert whole[0] == "+ text: line 0"
    assert f"{LONGEST + 1 - MOST_CAME} more are new" in whole[MOST_CAME]


def order(number: int, label: str = "Delete") -> Node:
    words = Node("text", f"Order {number} | Ann")
    return Node("row", children=[words, Node("button", label, f"e{number}", True)])


def test_a_new_row_is_told_whole_and_a_change_in_a_row_with_the_row() -> None:
    before = [Node("table", children=[order(1), order(2)])]
    more = [Node("table", children=[order(1), order(2), order(3)])]
    assert changed_lines(before, more) == ["+ row: Order 3 | Ann", '+   button "Delete" [ref=e3]']
    other = [Node("table", children=[order(1), order(2, "Restore")])]
    assert changed_lines(before, other) == [
        "  row: Order 2 | Ann",
        '+   button "Restore" [ref=e2]',
    ], "how the same element read before is not said"


def test_lines_that_only_stand_elsewhere_are_counted() -> None:
    before = texts("one", "two", "three")
    assert changed_lines(before, texts("three", "two", "one")) == ["… 2 lines stand elsewhere now"]
