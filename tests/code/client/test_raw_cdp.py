"""The calls that raw CDP commands make."""

from __future__ import annotations

from typing import Any

from pilothouse.code.client.raw_cdp import RawPage
from pilothouse.code.client.tab import Tab


def test_a_command_goes_to_the_tab_with_its_parameters() -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    def call(method: str, /, **params: Any) -> str:
        calls.append((method, params))
        return "done"

    page = RawPage(call, "shop")
    assert repr(page) == "<RawPage of tab shop>"
    assert page.cdp("Page.reload", {"a": 1}, ignoreCache=True, frame_id="F") == "done"
    sent = {"a": 1, "ignoreCache": True}
    asked = {"tab": "shop", "command": "Page.reload", "params": sent, "frame_id": "F"}
    assert calls == [("page.cdp", asked)]


def test_a_tab_has_its_page() -> None:
    calls: list[str] = []

    def call(method: str, /, **params: Any) -> str:
        calls.append(params["tab"])
        return "key-1"

    arrived = Tab(call, "shop").page.expect("Page.loadEventFired")
    assert arrived() == "key-1"
    assert calls == ["shop", "shop"]
