"""The display of tabs and results in notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.notebook_display import Picture, Snapshot, item_html
from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import CallFailed
from pilothouse.errors import PilothouseError


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
    shown = tab._repr_mimebundle_(include=None, exclude=None)
    assert shown["image/png"] == "aGk="
    assert shown["text/html"].startswith('<img src="data:image/png;base64,aGk="')
    assert shown["text/html"].endswith("<pre>button &lt;Buy&gt;</pre>")


@pytest.mark.parametrize(
    "error",
    [PilothouseError("it is <gone>", hint="open it"), CallFailed("it is <gone>", "open it")],
)
def test_a_page_that_cannot_be_shown_is_told_in_words(error: Exception) -> None:
    def call(method: str, **params: Any) -> Any:
        raise error

    tab = Tab(call)
    said = "<pre>it is &lt;gone&gt; (open it)</pre>"
    assert tab._repr_html_() == said
    assert tab._repr_png_() is None
    assert tab._repr_mimebundle_() == {"text/plain": "<Tab main>", "text/html": said}


def test_results_stay_mappings_that_json_has() -> None:
    answers = {
        "tab.snapshot": {"text": "heading <A>"},
        "tab.screenshot": {"data": "aGk=", "mime": "image/webp", "width": 2, "height": 1},
    }
    tab = Tab(lambda method, **params: answers[method])
    snapshot, picture = tab.snapshot(), tab.screenshot()
    assert json.loads(json.dumps([snapshot, picture])) == list(answers.values())
    assert isinstance(snapshot, Snapshot)
    assert str(snapshot) == "heading <A>"
    assert snapshot._repr_html_() == "<pre>heading &lt;A&gt;</pre>"
    assert repr(picture) == "<Picture image/webp 2x1>"
    assert picture._repr_mimebundle_()["image/webp"] == "aGk="


def test_a_picture_is_written_to_a_file(tmp_path: Path) -> None:
    picture = Picture(data="aGk=", mime="image/png")
    assert picture.save(tmp_path / "a.png") == str(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == b"hi"


def test_items_of_results_are_pictures_or_texts() -> None:
    assert item_html({"type": "text", "text": "a < b"}) == "<pre>a &lt; b</pre>"
    assert 'src="data:image/png;base64,aGk="' in item_html(
        {"mimeType": "image/png", "data": "aGk="}
    )


def test_an_older_snapshot_begins_with_the_reason() -> None:
    old = {"text": "words", "stale": "a dialog holds the page", "boundary": "b"}
    assert str(Snapshot(old)) == "(older than the page: a dialog holds the page)\nwords"
    assert str(Snapshot({**old, "boundary": ""})) == "words", "it says so itself"
    assert str(Snapshot({**old, "stale": ""})) == "words"
