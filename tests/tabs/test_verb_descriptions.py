"""What a person reads of what an agent did in a tab."""

from __future__ import annotations

import pytest

from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.verb import VERBS
from pilothouse.tabs.verb_descriptions import VERB_WORDS, action_words


def test_every_verb_has_its_words_and_no_others_have() -> None:
    assert set(VERB_WORDS) == set(VERBS)


@pytest.mark.parametrize(
    ("verb", "params", "answer", "words"),
    [
        ("click", {"target": "e4"}, {"target": 'button "Search flights" [ref=e4]'},
         'clicked "Search flights"'),
        ("click", {"target": "#go"}, {"target": "button [ref=e4]"}, "clicked button"),
        ("type", {"target": "#q", "text": "hunter2"}, None, "typed in #q"),
        ("press", {"keys": "Enter"}, {}, "pressed a key"),
        ("goto", {"url": "https://ann:pw@shop.example/cart?token=1"}, {}, "went to shop.example"),
        ("goto", {"url": "data:text/html,secret"}, {}, "went to data"),
        ("snapshot", {}, {}, "read the page"),
        ("url", {}, "https://shop.example", ""),
    ],
)  # fmt: skip
def test_an_action_is_told_in_words_without_what_was_typed(
    verb: str, params: dict[str, str], answer: object, words: str
) -> None:
    assert action_words(verb, params, answer) == words


def test_a_long_name_is_cut() -> None:
    told = action_words("click", {}, {"target": f'link "{"x" * 200}" [ref=e1]'})
    assert len(told) < 80
    assert told.endswith('…"')
