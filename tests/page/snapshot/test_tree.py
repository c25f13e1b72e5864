"""The walker's lines become a tree, and frames are put where they stand."""

from __future__ import annotations

from pilothouse.page.snapshot.tree import Absence, Node, WalkedFrame, parse_walk, stitch

HEAD = "7\t1\t41\t3 10\t2\t800\t600\t0\t10\t800\t2400\t2\tA title\thttp://a.test/"


def line(
    depth: int, role: str, name: str = "", number: int | str = "", states: str = "", value: str = ""
) -> str:
    return "\t".join((str(depth), role, name, str(number), states, value, ""))


def walked(*lines: str, prefix: str = "") -> WalkedFrame:
    return parse_walk("\n".join((HEAD, *lines)), prefix)


def shape(nodes: list[Node]) -> list[object]:
    return [(n.role, n.name, shape(n.children)) if n.children else (n.role, n.name) for n in nodes]


def test_the_head_says_what_was_walked() -> None:
    tree = walked()
    assert (tree.next_number, tree.viewport, tree.scroll) == (41, (800, 600), (0, 10, 800, 2400))
    assert (tree.suspects, tree.title, tree.url) == (2, "A title", "http://a.test/")
    assert (tree.first, tree.has_computed_names, tree.slot, tree.slot_count) == (
        7,
        True,
        (3, 10),
        2,
    )
    assert tree.roots == []


def test_depths_become_nesting() -> None:
    tree = walked(
        line(0, "main", "", 1),
        line(1, "list", "", 2),
        line(2, "text", "one"),
        line(1, "text", "two"),
        line(0, "text", "three"),
    )
    assert shape(tree.roots) == [
        ("main", "", [("list", "", [("text", "one")]), ("text", "two")]),
        ("text", "three"),
    ]


def test_a_skipped_depth_belongs_to_the_nearest_node_above() -> None:
    tree = walked(line(0, "main", "", 1), line(3, "text", "deep"), line(1, "text", "next"))
    assert shape(tree.roots) == [("main", "", [("text", "deep"), ("text", "next")])]


def test_a_tree_may_begin_below_the_top() -> None:
    assert shape(walked(line(2, "text", "first"), line(0, "text", "second")).roots) == [
        ("text", "first"),
        ("text", "second"),
    ]


def test_what_can_be_acted_on_carries_a_ref_with_the_prefix_of_its_frame() -> None:
    tree = walked(
        line(0, "button", "Save", 7, "disabled ref"),
        line(0, "button", "Under", 8, "covered"),
        line(0, "heading", "Head", 9, "level=2"),
        line(0, "list", "", 10),
        prefix="f3",
    )
    save, under, head, listed = tree.roots
    assert (save.ref, save.acts, save.states) == ("f3e7", True, ("disabled",))
    assert (under.ref, under.acts, under.states) == ("f3e8", True, ("covered",))
    assert (head.acts, head.states) == (False, ("level=2",))
    assert (listed.acts, listed.states) == (False, ())


def test_values_and_boxes_are_kept() -> None:
    tree = parse_walk(f"{HEAD}\n0\ttextbox\tEmail\t3\tref\tme@a.test\t1,2,30,40")
    assert (tree.roots[0].value, tree.roots[0].box) == ("me@a.test", "1,2,30,40")


def test_a_frame_stands_in_the_place_of_its_element() -> None:
    top = walked(line(0, "text", "before"), line(0, "iframe", "inner", 4), line(0, "text", "after"))
    inner = walked(line(0, "button", "In", 1, "ref"), line(0, "iframe", "", 2), prefix="f1")
    innermost = walked(line(0, "text", "deep"), prefix="f2")
    frame_elements = {"A": ("top", 4), "B": ("A", 2)}
    nodes = stitch(
        "top",
        {"top": top, "A": inner, "B": innermost},
        frame_elements.get,
        {"top": "http://a", "A": "http://b", "B": "http://b"},
    )
    assert shape(nodes) == [
        ("text", "before"),
        ("iframe", "inner", [("button", "In"), ("iframe", "", [("text", "deep")])]),
        ("text", "after"),
    ]
    outer = nodes[1]
    assert outer.origin == "http://b", "another origin is said"
    assert outer.children[1].origin == "", "the same origin is not"


def test_a_frame_that_gave_no_answer_says_so() -> None:
    top = walked(line(0, "iframe", "", 4))
    nodes = stitch("top", {"top": top, "A": Absence.NO_ANSWER}, {"A": ("top", 4)}.get, {})
    assert nodes[0].states == ("no-answer",)


def test_frames_without_a_painted_place_are_left_out() -> None:
    top = walked(line(0, "iframe", "", 4))
    stray = walked(line(0, "text", "stray"))
    frame_elements = {"unpainted": ("top", 99), "orphan": ("gone", 1)}
    trees: dict[str, WalkedFrame | Absence] = {"top": top, **dict.fromkeys(frame_elements, stray)}
    nodes = stitch("top", trees, frame_elements.get, {})
    assert shape(nodes) == [("iframe", "")]
    assert nodes[0].states == ()


def test_an_empty_place_is_not_taken_for_an_empty_frame_while_one_is_missing() -> None:
    top = walked(line(0, "iframe", "a", 4), line(0, "iframe", "b", 5))
    trees: dict[str, WalkedFrame | Absence] = {"top": top, "A": walked(), "late": Absence.NO_ANSWER}
    nodes = stitch("top", trees, {"A": ("top", 4)}.get, {})
    assert [node.states for node in nodes] == [(), ("no-answer",)]


def test_a_top_frame_without_a_tree_has_no_nodes() -> None:
    assert stitch("top", {"top": Absence.GONE}, lambda _: None, {}) == []
