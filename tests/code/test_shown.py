"""How a tab shows itself in a notebook."""

from __future__ import annotations

from typing import Any

from pilothouse.code.tab import Tab


def test_a_notebook_gets_a_picture_and_the_pages_text() -> None:
    def call(method: str, **params: Any) -> Any:
        assert params["tab"] == "shop"
        return {"tab.snapshot": {"text": "button <Buy>"}, "tab.screenshot": {"data": "aGk="}}[
            method
        ]

    tab = Tab(call, "shop")
    assert tab._repr_html_() == "<pre>button &lt;Buy&gt;</pre>"
    assert tab._repr_png_() == b"hi"
    assert repr(tab) == "<Tab shop>"
