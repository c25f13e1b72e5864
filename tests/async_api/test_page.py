"""The generated page of the asyncio API is what the script writes, and calls the verbs."""

from __future__ import annotations

import inspect
from typing import Any

from pilothouse.async_api.page import AsyncPage
from pilothouse.code.client.tab import Tab
from pilothouse.tabs.verb import VERBS
from scripts.generate_tab_classes import ASYNC, source


def test_the_file_is_what_the_script_writes() -> None:
    assert ASYNC.read_text("utf-8") == source(awaited=True), (
        "run: python -m scripts.generate_tab_classes"
    )


def test_both_clients_have_the_same_methods_with_the_same_parameters() -> None:
    for name in VERBS:
        blocking, awaited = getattr(Tab, name), getattr(AsyncPage, name)
        assert inspect.signature(blocking) == inspect.signature(awaited), name


async def test_a_method_calls_its_verb_on_its_page() -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    async def call(method: str, **params: Any) -> dict[str, Any]:
        calls.append((method, params))
        return {}

    await AsyncPage(call, "page1").click("text=Buy", count=2)
    ((method, params),) = calls
    assert method == "tab.click"
    assert (params["tab"], params["target"], params["count"]) == ("page1", "text=Buy", 2)
