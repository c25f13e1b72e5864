"""The generated client is up to date, and its methods call the verbs."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import pytest

from pilothouse.code.client.tab import Tab
from pilothouse.tabs.verb import VERBS
from scripts.generate_tab_classes import SYNC, source


def test_the_file_is_what_the_script_makes() -> None:
    assert SYNC.read_text("utf-8") == source(awaited=False), (
        "run: python -m scripts.generate_tab_classes"
    )


def test_every_verb_is_a_documented_method_with_its_parameters() -> None:
    for name, verb in VERBS.items():
        method = getattr(Tab, name)
        wanted = [parameter.name for parameter in verb.parameters]
        assert list(inspect.signature(method).parameters)[1:] == wanted
        assert inspect.getdoc(method)


def test_the_names_of_other_tools_are_callable_and_not_listed() -> None:
    tab: Any = Tab(lambda method, **params: (method, params))
    assert tab.waitFor("#a")[0] == tab.wait_for("#a")[0] == "tab.wait_for"
    assert tab.uploadFile("#f", "a.txt") == tab.upload_file("#f", "a.txt")
    assert not {"waitFor", "uploadFile", "upload_file"} & set(dir(tab))
    assert "waitFor(" not in pydoc.render_doc(Tab)
    with pytest.raises(AttributeError, match="waitUntilDone"):
        tab.waitUntilDone()


def test_a_method_calls_its_verb_on_its_tab() -> None:
    calls: list[tuple[str, dict[str, Any]]] = []

    def call(method: str, **params: Any) -> dict[str, str]:
        calls.append((method, params))
        return {"text": "clicked"}

    assert Tab(call, "shop").click("text=Buy", count=2)["text"] == "clicked"
    ((method, params),) = calls
    assert method == "tab.click"
    assert params["tab"] == "shop"
    assert params["target"] == "text=Buy"
    assert params["count"] == 2
    assert params["modifiers"] == []
