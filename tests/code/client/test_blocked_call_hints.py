"""The description of what blocks a call."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.code.client.blocked_call_hints import describe_block, is_blocked

_DIALOG = {"id": "d-1", "kind": "dialog", "type": "confirm", "message": "sure?", "origin": ""}
_LOGIN = {"id": "i-2", "kind": "auth", "answers": ["provide", "cancel"], "origin": ""}


@pytest.mark.parametrize(
    ("answer", "blocked"),
    [
        ({"blocked_by": [_DIALOG], "action_id": "a-1"}, True),
        ({"blocked_by": [_DIALOG], "action_id": ""}, True),
        ({"blocked_by": [], "action_id": ""}, False),
        ({"blocked_by": [_DIALOG], "action_id": "a-1", "text": "clicked"}, False),
        ({"text": "clicked"}, False),
        ("blocked_by", False),
        (None, False),
    ],
)
def test_an_answer_is_blocked_only_in_its_one_form(answer: Any, blocked: bool) -> None:
    assert is_blocked(answer) is blocked


def test_a_dialog_is_named_with_the_two_calls_that_go_on() -> None:
    message, hint = describe_block("click", {"blocked_by": [_DIALOG], "action_id": "a-1"})
    assert message == "click is blocked by confirm 'sure?'"
    assert hint == "tab.handle_dialog(accept=True), then tab.result('a-1')"


def test_a_prompt_is_answered_with_a_text() -> None:
    prompt = {**_DIALOG, "type": "prompt"}
    _, hint = describe_block("click", {"blocked_by": [prompt], "action_id": ""})
    assert hint == "tab.handle_dialog(accept=True, text='…'), then call it again"


def test_other_interrupts_name_their_answers_and_work_not_begun_is_called_again() -> None:
    message, hint = describe_block("goto", {"blocked_by": [_LOGIN], "action_id": ""})
    assert message == "goto is blocked by auth 'auth'"
    assert hint == "tab.answer('i-2', action) with one of provide, cancel, then call it again"
