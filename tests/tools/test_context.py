"""What a tool has at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pilothouse.tools.context import ToolContext, ToolSession
from tests.tools.fake_tool_context import Daemon


async def test_verbs_are_called_at_the_tab_without_what_is_not_given() -> None:
    daemon = Daemon(tab_click={"ok": True}, open={"text": "opened"})
    context = ToolContext(ToolSession("me", tab="shop"), daemon, daemon.call)
    assert await context.verb("click", target="e1", nth=None, name="n") == {"ok": True}
    assert await context.call("open", name="x", url=None) == {"text": "opened"}
    assert daemon.calls == [
        ("tab.click", {"tab": "shop", "target": "e1", "name": "n"}),
        ("open", {"name": "x", "url": None}),
    ]


async def test_tab_that_is_named_goes_before_the_present_one() -> None:
    daemon = Daemon()
    context = ToolContext(ToolSession("me", tab="shop"), daemon, daemon.call, tab="other")
    await context.verb("title")
    assert daemon.calls == [("tab.title", {"tab": "other"})]


async def test_other_tools_are_called_through_the_gate() -> None:
    async def use(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"success": True, "name": name, **given}

    context = ToolContext(ToolSession("me"), Daemon(), Daemon().call, use=use, settings={"a": 1})
    assert await context.use("t", {"x": 1}) == {"success": True, "name": "t", "x": 1}
    assert context.settings == {"a": 1}


def test_sessions_do_not_share_what_they_keep() -> None:
    one, two = ToolSession("a"), ToolSession("b")
    one.memory["x"], one.notices[:] = 1, ["n"]
    assert (two.memory, two.notices, two.accepts_images, two.tab) == ({}, [], True, "main")
