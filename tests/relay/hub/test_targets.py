"""Filters take what Chrome's would; a table knows who opened whom."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.hub.targets import (
    DEFAULT_FILTER,
    AutoAttach,
    TargetList,
    matches_filter,
    read_filter,
)


@pytest.mark.parametrize(
    ("wanted", "kind", "taken"),
    [
        (DEFAULT_FILTER, "page", True),
        (DEFAULT_FILTER, "tab", False),
        (DEFAULT_FILTER, "browser", False),
        ([{}], "tab", True),
        ([{"type": "page", "exclude": True}, {}], "page", False),
        ([{"type": "page", "exclude": True}, {}], "tab", True),
        ([{"type": "page"}], "worker", False),
        ([{"exclude": True}, {"type": "page"}], "page", False),
        ([], "page", False),
    ],
)
def test_the_first_entry_that_speaks_of_a_type_decides(
    wanted: list[dict[str, Any]], kind: str, taken: bool
) -> None:
    assert matches_filter(wanted, kind) is taken


def test_without_a_filter_chrome_s_own_holds() -> None:
    assert read_filter({}) is DEFAULT_FILTER
    assert read_filter({"filter": [{"type": "page"}]}) == ({"type": "page"},)


def test_auto_attach_is_read_from_its_command() -> None:
    assert AutoAttach.read({"autoAttach": False}) is None
    auto = AutoAttach.read({"autoAttach": True, "waitForDebuggerOnStart": True})
    assert auto == AutoAttach(DEFAULT_FILTER, wait_for_debugger=True)


def test_openers_are_followed_to_the_first_one_and_not_in_circles() -> None:
    targets = TargetList()
    assert targets.learn({"targetId": "a", "openerId": "c"})
    assert targets.learn({"targetId": "b", "openerId": "a"})
    assert not targets.learn({"targetId": "b", "openerId": "a"})
    targets.learn({"targetId": "c", "openerId": "b"})
    assert list(targets.openers({"targetId": "d", "openerId": "b"})) == ["b", "a", "c"]
    targets.forget("a")
    assert targets.get("a") is None
    assert [info["targetId"] for info in targets] == ["b", "c"]


def test_closed_target_is_listed_no_more_and_known_until_it_is_gone() -> None:
    targets = TargetList()
    for name in ("A", "B"):
        targets.learn({"targetId": name, "type": "page"})
    targets.closed("A")
    targets.learn({"targetId": "A", "type": "page", "attached": False})
    assert [info["targetId"] for info in targets] == ["B"]
    assert targets.get("A") is not None
    targets.forget("A")
    targets.closed("A")
    targets.learn({"targetId": "A", "type": "page"})
    assert [info["targetId"] for info in targets] == ["B", "A"]
