"""What a tool has at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.tools.context import Desk, Seat
from tests.tools.bench import Daemon


async def test_verbs_are_called_at_the_tab_without_what_is_not_given() -> None:
    daemon = Daemon(tab_click={"ok": True}, open={"text": "opened"})
    desk = Desk(Seat("me", tab="shop"), daemon.call)
    assert await desk.verb("click", target="e1", nth=None, name="n") == {"ok": True}
    assert await desk.call("open", name="x", url=None) == {"text": "opened"}
    assert daemon.calls == [
        ("tab.click", {"tab": "shop", "target": "e1", "name": "n"}),
        ("open", {"name": "x", "url": None}),
    ]


async def test_tab_that_is_named_goes_before_the_present_one() -> None:
    daemon = Daemon()
    desk = Desk(Seat("me", tab="shop"), daemon.call, tab="other")
    await desk.verb("title")
    assert daemon.calls == [("tab.title", {"tab": "other"})]


async def test_other_tools_are_called_through_the_gate() -> None:
    async def use(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"success": True, "name": name, **given}

    desk = Desk(Seat("me"), Daemon().call, use=use, settings={"a": 1})
    assert await desk.use("t", {"x": 1}) == {"success": True, "name": "t", "x": 1}
    assert desk.settings == {"a": 1}


def test_seats_do_not_share_what_they_keep() -> None:
    one, two = Seat("a"), Seat("b")
    one.kept["x"], one.notices[:] = 1, ["n"]
    assert (two.kept, two.notices, two.sees, two.tab) == ({}, [], True, "main")
