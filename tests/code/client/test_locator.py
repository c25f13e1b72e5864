"""The calls that locators make."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pilothouse.code.client.locator import Locator, by_engine, by_role, seconds
from pilothouse.code.client.tab import Tab
from pilothouse.code.run_result import CallFailed
from tests.code.fake_daemon_client import Answering


def _found(selector: str = "li", **answers: Any) -> tuple[Locator, Answering]:
    daemon = Answering(**answers)
    return Locator(Tab(daemon, "shop"), selector), daemon


@pytest.mark.parametrize(
    ("made", "selector"),
    [
        (by_role("button"), "role=button"),
        (by_role("button", "Save"), "role=button[name=Save]"),
        (by_role("button", "Save", True), 'role=button[name="Save"]'),
        (by_role("row", "Save [1] > a"), 'role=row[name="Save [1] > a" i]'),
        (by_engine("text", "Sign in"), "text=Sign in"),
        (by_engine("label", "Name", True), 'label="Name"'),
    ],
)
def test_words_become_selectors(made: str, selector: str) -> None:
    assert made == selector


def test_regular_expressions_are_refused_with_a_hint() -> None:
    with pytest.raises(CallFailed, match="give a part of the text"):
        by_engine("text", re.compile("a+"))


def test_milliseconds_become_seconds() -> None:
    assert [seconds(given) for given in (1500, 0.5, 0, None)] == [1.5, 0.0005, 300.0, 30.0]
    for wrong in ("soon", True, [1], {"a": 1}):
        with pytest.raises(CallFailed, match="expected a number of milliseconds"):
            seconds(wrong)


def test_actions_say_which_element_and_how_long() -> None:
    locator, daemon = _found()
    locator.nth(2).click(timeout=500, click_count=2, position={"x": 1, "y": 2}, force=True)
    method, params = daemon.calls[-1]
    assert method == "click"
    assert (params["target"], params["nth"], params["timeout"]) == ("li", 2, 0.5)
    assert (params["count"], params["position"]) == (2, [1, 2])


@pytest.mark.parametrize(
    ("name", "given", "method", "expected"),
    [
        ("fill", ("v",), "fill", {"value": "v"}),
        ("clear", (), "clear", {}),
        ("press", ("Enter",), "press", {"keys": "Enter"}),
        ("press_sequentially", ("abc",), "type", {"text": "abc"}),
        ("dblclick", (), "dblclick", {}),
        ("hover", (), "hover", {}),
        ("focus", (), "focus", {}),
        ("check", (), "check", {}),
        ("uncheck", (), "uncheck", {}),
        ("select_option", ("l",), "select", {"values": "l"}),
        ("set_input_files", (["/a", "/b"],), "upload", {"paths": ["/a", "/b"]}),
        ("scroll_into_view_if_needed", (), "scroll_into_view", {}),
    ],
)
def test_actions_call_verbs(
    name: str, given: tuple[Any, ...], method: str, expected: dict[str, Any]
) -> None:
    locator, daemon = _found("#it")
    getattr(locator, name)(*given)
    called, params = daemon.calls[-1]
    assert called == method
    assert {key: params[key] for key in expected} == expected
    assert params["target"] == "#it"


def test_options_are_chosen_by_label_or_index_too() -> None:
    locator, daemon = _found()
    locator.select_option(label="Large")
    assert daemon.calls[-1][1]["values"] == "Large"
    locator.select_option(index=0)
    assert daemon.calls[-1][1]["values"] == 0


def test_facts_are_asked_of_the_very_element() -> None:
    locator, daemon = _found(
        text="words",
        value="v",
        attr=None,
        box={"x": 1},
        is_visible=True,
        html="<p a=b>in<b>n</b></p>",
    )
    one = locator.first
    assert (one.inner_text(), one.text_content(), one.input_value()) == ("words", "words", "v")
    assert one.get_attribute("href") is None
    assert one.bounding_box() == {"x": 1}
    assert one.is_visible() is True
    assert one.is_hidden() is False
    assert one.inner_html() == "in<b>n</b>"
    assert {params["nth"] for _, params in daemon.calls} == {0}


def test_several_are_counted_and_walked() -> None:
    locator, daemon = _found(count=iter([3, 3, 1]), text=iter(["a", "b", "c"]))
    assert locator.count() == 3
    assert locator.all_inner_texts() == ["a", "b", "c"]
    assert repr(locator.last) == "<Locator 'li' nth=-1>"
    one = locator.nth(2)
    assert [repr(found) for found in one.all()] == [repr(one)]
    assert daemon.calls[-1][1]["target"] == "li >> nth=2"


def test_filter_finds_by_text_and_says_what_it_cannot() -> None:
    locator, _ = _found(count=iter([2, 2]), text=iter(["One", "Two", "One", "Two"]))
    assert repr(locator.filter(has_text="two")) == "<Locator 'li' nth=1>"
    with pytest.raises(CallFailed, match="has the text 'three'"):
        locator.filter(has_text="three")
    with pytest.raises(CallFailed, match="filter: has is not known here"):
        locator.filter(has="x")


@pytest.mark.parametrize(
    ("found", "selector"),
    [
        (lambda one: one.locator("input"), "form >> css=input"),
        (lambda one: one.locator("text=a"), "form >> text=a"),
        (lambda one: one.locator("//p"), "form >> //p"),
        (lambda one: one.nth(1).locator("aria/Save"), "form >> nth=1 >> aria/Save"),
        (lambda one: one.get_by_role("button", name="Save"), "form >> role=button[name=Save]"),
        (lambda one: one.get_by_text("a", exact=True), 'form >> text="a"'),
        (lambda one: one.get_by_label("a"), "form >> label=a"),
        (lambda one: one.get_by_placeholder("a"), "form >> placeholder=a"),
        (lambda one: one.get_by_alt_text("a"), "form >> alt=a"),
        (lambda one: one.get_by_title("a"), "form >> title=a"),
        (lambda one: one.get_by_test_id("a"), "form >> testid=a"),
    ],
)
def test_what_is_inside_is_a_step_further(
    found: Callable[[Locator], Locator], selector: str
) -> None:
    locator, _ = _found("form")
    assert repr(found(locator)) == f"<Locator {selector!r}>"


def test_a_ref_has_nothing_to_narrow_down() -> None:
    locator, _ = _found("form")
    with pytest.raises(CallFailed, match="cannot be looked for"):
        locator.locator("e12")


def test_waiting_is_for_the_selector() -> None:
    locator, daemon = _found()
    locator.wait_for(state="hidden", timeout=2000)
    method, params = daemon.calls[-1]
    assert (method, params["selector"], params["state"]) == ("wait_for", "li", "hidden")
    assert params["timeout"] == 2.0
    locator.nth(1).wait_for()
    assert daemon.calls[-1][1]["selector"] == "li >> nth=1"


def test_one_is_dragged_to_another() -> None:
    locator, daemon = _found("#a")
    locator.drag_to(Locator(Tab(daemon), ".b").nth(1))
    assert daemon.calls[-1][1]["source"] == "#a"
    assert daemon.calls[-1][1]["destination"] == ".b >> nth=1"
