"""Prompts: three common jobs, each a message with its arguments in it."""

from __future__ import annotations

import re

import pytest

from pilothouse.daemon.mcp.prompts import PROMPTS, list_prompts, render_prompt
from pilothouse.errors import ToolError
from pilothouse.tools import catalog
from pilothouse.tools.tool import TOOLS

assert catalog.DECLARED


def test_each_is_listed_with_its_arguments() -> None:
    listed = {one["name"]: one for one in list_prompts()}
    assert set(listed) == {"fill_form", "collect_data", "debug_page"}
    for one in listed.values():
        assert one["title"]
        assert one["description"]
        assert all(argument["description"] for argument in one["arguments"])
    required = [one["required"] for one in listed["debug_page"]["arguments"]]
    assert required == [True, False]


@pytest.mark.parametrize("name", PROMPTS)
def test_the_message_holds_what_was_given_and_names_tools_that_exist(name: str) -> None:
    given = {argument: f"<{argument}>" for argument in PROMPTS[name].arguments}
    (message,) = render_prompt(name, given)["messages"]
    text = message["content"]["text"]
    assert all(value in text for value in given.values())
    assert "{" not in text
    named = set(re.findall(r"browser_\w+", text))
    assert named
    assert named <= set(TOOLS)


def test_what_is_given_is_not_filled_in_twice() -> None:
    (message,) = render_prompt("fill_form", {"url": "http://a/", "data": "{url}"})["messages"]
    assert message["content"]["text"].count("http://a/") == 1


def test_an_optional_argument_may_be_left_out() -> None:
    (message,) = render_prompt("debug_page", {"url": "http://a/"})["messages"]
    assert "not described" in message["content"]["text"]


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("fill_forms", {}, "unknown prompt 'fill_forms'"),
        ("fill_form", {"url": "x"}, "missing argument 'data'"),
        ("fill_form", {"url": "x", "data": "y", "z": "z"}, "unknown argument 'z'"),
    ],
)
def test_what_is_wrong_is_named(name: str, given: dict[str, str], error: str) -> None:
    with pytest.raises(ToolError, match=re.escape(error)) as refused:
        render_prompt(name, given)
    assert refused.value.hint
