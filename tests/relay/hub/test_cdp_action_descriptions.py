"""What a person reads of what a client of the relay did."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.relay.hub.cdp_action_descriptions import (
    DESCRIBED_METHODS,
    action_words,
    in_page,
    node_name,
)
from pilothouse.relay.hub.commands.page_session import ACTION_METHODS
from pilothouse.security.cdp_policy import RELAY


def test_every_act_has_words_and_every_told_method_exists() -> None:
    assert set(ACTION_METHODS) <= DESCRIBED_METHODS <= set(RELAY)


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("Input.dispatchMouseEvent", {"type": "mousePressed"}, "clicked"),
        ("Input.dispatchMouseEvent", {"type": "mouseMoved"}, ""),
        ("Input.dispatchKeyEvent", {"type": "keyDown", "text": "s"}, "typed"),
        ("Input.insertText", {"text": "secret"}, "typed"),
        ("Page.navigate", {"url": "https://shop.example/?token=1"}, "went to shop.example"),
        ("Runtime.evaluate", {"expression": "document.cookie"}, "ran a script"),
        ("Network.enable", {}, ""),
    ],
)
def test_a_command_is_told_as_an_act_without_its_content(
    method: str, params: dict[str, Any], words: str
) -> None:
    assert action_words(method, params) == words


def test_an_act_is_told_with_its_page() -> None:
    assert in_page("clicked", "Flights") == "clicked in Flights"
    assert in_page("went to shop.example", "Flights") == "went to shop.example"


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ({"nodeName": "BUTTON", "attributes": ["aria-label", "Close"]}, '"Close"'),
        ({"nodeName": "INPUT", "attributes": ["type", "submit", "value", "Go"]}, '"Go"'),
        ({"nodeName": "INPUT", "attributes": ["type", "text", "value", "typed before"]}, ""),
        ({"nodeName": "A", "children": [
            {"nodeType": 1, "nodeName": "B", "children": [{"nodeType": 3, "nodeValue": "Search "}]},
            {"nodeType": 3, "nodeValue": "\n flights"}]}, '"Search flights"'),
    ],
)  # fmt: skip
def test_an_element_is_told_by_its_label_or_text_and_never_by_what_was_typed(
    node: dict[str, Any], name: str
) -> None:
    assert node_name(node) == name
