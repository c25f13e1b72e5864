"""The generated client: what the script makes is what is there, and its calls are the verbs'."""

from __future__ import annotations

import inspect
from typing import Any

from pilothouse.code.client.tab import Tab
from pilothouse.tabs.verb import VERBS
from scripts.generate_client import TARGET, camel, source


def test_the_file_is_what_the_script_makes() -> None:
    made = source()
    assert TARGET.read_text("utf-8") == made, "run: python -m scripts.generate_client"


def test_every_verb_is_a_method_under_both_names() -> None:
    for name, verb in VERBS.items():
        method = getattr(Tab, name)
        assert getattr(Tab, camel(name)) is method
        wanted = [parameter.name for parameter in verb.parameters]
        assert list(inspect.signature(method).parameters)[1:] == wanted
        assert inspect.getdoc(method)


def test_a_method_calls_its_verb_on_its_tab() -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    def call(method: str, **params: Any) -> str:
        calls.append((method, params))
        return "done"

    assert Tab(call, "shop").click("text=Buy", count=2) == "done"
    ((method, params),) = calls
    assert method == "tab.click"
    assert params["tab"] == "shop"
    assert params["target"] == "text=Buy"
    assert params["count"] == 2
    assert params["modifiers"] == []
