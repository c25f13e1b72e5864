"""Errors and messages."""

from __future__ import annotations

import json

import msgspec

from pilothouse.cdp.message import ErrorBody, encode_envelope
from pilothouse.relay.extension_browser.tab_and_message_types import (
    ErrorReply,
    SharedTab,
    TabEntry,
    context_id,
    decode_object,
    error_message,
    event_message,
    refusal,
    result_message,
    unknown_method,
)


def test_messages_carry_their_session_and_their_content_undecoded() -> None:
    made = result_message(3, b'{"a":1}', "S")
    assert (made.id, bytes(made.result), made.sessionId) == (3, b'{"a":1}', "S")
    assert result_message(3, msgspec.Raw(b"{}"), "").sessionId == ""
    said = event_message("A.b", b"{}", "S")
    assert (said.id, said.method, bytes(said.params), said.sessionId) == (None, "A.b", b"{}", "S")
    error = error_message(4, ErrorReply(-1, 'a "quoted" word'), "S").error
    assert error == ErrorBody(-1, 'a "quoted" word')


def test_what_is_no_object_is_an_empty_one() -> None:
    for text in (b"[]", b"null", b"{", b'"x"'):
        assert decode_object(msgspec.Raw(text)) == {}


def test_a_refusal_says_what_why_and_what_instead() -> None:
    said = refusal("X.y", "so it is", "do z").message
    assert said == "Pilothouse refuses X.y: so it is; instead do z"
    assert unknown_method("X.y") == ErrorReply(-32601, "'X.y' wasn't found")


def test_the_context_of_a_chrome_is_always_the_same_and_its_own() -> None:
    asked = [("a", "one"), ("a", "two"), ("b", "one"), ("a one", ""), ("a", "one")]
    made = [context_id(*one) for one in asked]
    assert made[0] == made[-1]
    # Two profiles may have loaded the same install.
    assert len(set(made)) == len(asked) - 1
    assert {len(one) for one in made} == {32}


def test_a_tab_is_read_with_what_is_missing_left_empty() -> None:
    tab = SharedTab.from_entry(TabEntry(3, title=None))
    assert (tab.tab_id, tab.target_id, tab.title, tab.opener) == (3, "", "", None)


def test_an_error_keeps_what_chrome_adds_of_the_reason() -> None:
    wrong = ErrorReply(-32602, "Invalid parameters", "url: string expected")
    told = json.loads(encode_envelope(error_message(1, wrong, "S")))
    assert told["error"] == wrong._asdict()
    bare = error_message(1, ErrorReply(-32000, "x"), "")
    assert "data" not in json.loads(encode_envelope(bare))["error"]
