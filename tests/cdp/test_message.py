"""The envelope: what is read, what is replaced, what is refused."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.cdp.message import (
    ROOT,
    Command,
    Envelope,
    ErrorBody,
    Event,
    RawCommand,
    SessionId,
    decode_envelope,
    decode_object,
    encode_command,
    encode_envelope,
    encode_params,
    encode_raw_command,
    read_ends,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_command_travels_with_id_method_params_and_session() -> None:
    frame = encode_command(7, "Page.navigate", {"url": "about:blank"}, SessionId("S1"))
    assert json.loads(frame) == {
        "id": 7,
        "method": "Page.navigate",
        "params": {"url": "about:blank"},
        "sessionId": "S1",
    }


def test_root_command_without_params_carries_neither() -> None:
    assert json.loads(encode_command(1, "Browser.getVersion", None, ROOT)) == {
        "id": 1,
        "method": "Browser.getVersion",
    }


def test_params_json_cannot_say_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        encode_command(1, "Runtime.evaluate", {"expression": object()}, ROOT)


def test_a_command_with_undecoded_params_is_spelt_in_chromes_layout() -> None:
    params = encode_params({"url": "about:blank"})
    assert encode_raw_command(RawCommand(7, "Page.navigate", params, "S1")) == (
        b'{"id":7,"method":"Page.navigate","params":{"url":"about:blank"},"sessionId":"S1"}'
    )
    assert encode_raw_command(RawCommand(7, "Page.enable", encode_params(None))) == (
        b'{"id":7,"method":"Page.enable","params":{}}'
    )


DECODED = [
    Envelope(id=3, result=msgspec.Raw(b'{"a":1}'), sessionId=SessionId("S")),
    Envelope(id=3),
    Envelope(id=4, error=ErrorBody(-32000, 'a "quoted" word'), sessionId=SessionId("S")),
    Envelope(id=4, error=ErrorBody(-32000, "x", msgspec.Raw(b'"more"'))),
    Envelope(method="A.b", params=msgspec.Raw(b'{"c":[2]}'), sessionId=SessionId("S")),
    Envelope(method='strange "method"'),
]


@pytest.mark.parametrize("message", DECODED)
def test_a_decoded_message_is_encoded_as_it_would_have_come(message: Envelope) -> None:
    assert decode_envelope(encode_envelope(message)) == message


@pytest.mark.parametrize("message", DECODED[:-1])
def test_the_ends_of_a_decoded_message_are_those_of_its_encoding(message: Envelope) -> None:
    encoded = encode_envelope(message)
    head, tail, _ = read_ends(message)
    assert encoded.startswith(head)
    assert encoded.endswith(tail)
    first, last, size = read_ends(encoded)
    assert (first[:96], last[-64:], size) == (encoded[:96], encoded[-64:], len(encoded))


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_params_arrive_as_they_were_sent(params: dict[str, object]) -> None:
    envelope = decode_envelope(json.dumps({"method": "A.b", "params": params}).encode())
    assert envelope is not None
    expected = json.loads(json.dumps(params).encode().decode(), object_pairs_hook=dict)
    assert Event("A.b", ROOT, envelope.params).params == expected


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"nonsense",
        b"[1,2]",
        b'"text"',
        b'{"id":"7","result":{}}',
        b'{"id":7.5}',
        b'{"method":3}',
        b'{"id":1',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_message_decode_to_none(frame: bytes) -> None:
    assert decode_envelope(frame) is None


def test_lone_surrogates_in_page_text_are_replaced_and_the_message_kept() -> None:
    envelope = decode_envelope(rb'{"id":1,"result":{"value":"a\ud800b\ud83d\ude00","n":2}}')
    assert envelope is not None
    assert decode_object(envelope.result) == {"value": "a\ufffdb\U0001f600", "n": 2}


def test_object_is_none_for_anything_else() -> None:
    assert decode_object(msgspec.Raw(b"[1]")) is None
    assert decode_object(msgspec.Raw(b'{"a":"\xff"}')) is None


def test_event_params_that_are_no_object_are_empty() -> None:
    event: Event[dict[str, object]] = Event("A.b", ROOT, msgspec.Raw(b"[1]"))
    assert event.params == {}


def test_values_describe_themselves() -> None:
    assert repr(Command("A.b", {"c": 1})) == "Command('A.b', {'c': 1})"
    assert repr(Event("A.b", ROOT, msgspec.Raw(b"{}"))) == "Event('A.b', '', b'{}')"
