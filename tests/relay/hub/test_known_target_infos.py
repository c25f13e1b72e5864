"""A table of targets knows who opened whom."""

from __future__ import annotations

from pilothouse.relay.hub.known_target_infos import TargetList


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
