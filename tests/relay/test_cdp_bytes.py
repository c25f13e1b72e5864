"""Messages as bytes: ids and sessions change, what is between is not looked at."""

from __future__ import annotations

import json

import pytest

from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand, MalformedCommand

REPLY = b'{"id":17,"result":{"a":",\\"sessionId\\":\\"no\\"}"},"sessionId":"S1"}'
EVENT = b'{"method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"S1"}'


def test_the_id_of_a_reply_is_at_its_front() -> None:
    assert cdp_bytes.read_reply_id(REPLY) == (17, 8)


@pytest.mark.parametrize("frame", [EVENT, b"{}", b'{"id":"x","result":{}}', b'{"id":1'])
def test_what_is_no_reply_has_no_id(frame: bytes) -> None:
    assert cdp_bytes.read_reply_id(frame) == (-1, 0)


def test_a_reply_takes_another_id_and_loses_its_session() -> None:
    changed = cdp_bytes.replace_session(cdp_bytes.replace_id(REPLY, 8, 5))
    assert json.loads(changed) == {"id": 5, "result": json.loads(REPLY)["result"]}


def test_a_message_takes_another_session() -> None:
    assert json.loads(cdp_bytes.replace_session(EVENT, b"other"))["sessionId"] == "other"


def test_the_session_of_a_message_is_at_its_end() -> None:
    assert cdp_bytes.read_session(EVENT) == b"S1"
    assert cdp_bytes.read_session(REPLY) == b"S1"


@pytest.mark.parametrize(
    "frame",
    [
        b'{"method":"Target.detachedFromTarget","params":{"sessionId":"S1"}}',
        b'{"method":"A.b","params":{"x":",\\"sessionId\\":\\"S1"}}',
        b'{"id":1,"result":{"sessionId":"S1"}}',
        b"{}",
    ],
)
def test_a_session_that_is_only_spoken_of_is_not_the_message_s(frame: bytes) -> None:
    assert cdp_bytes.read_session(frame) == b""


def test_an_event_s_method_and_params_are_read() -> None:
    assert cdp_bytes.read_method(EVENT) == b"Page.loadEventFired"
    assert cdp_bytes.read_params(EVENT) == {"timestamp": 1}
    assert cdp_bytes.read_method(REPLY) == b""
    assert cdp_bytes.read_params(b"nonsense") == {}


@pytest.mark.parametrize(
    ("odd", "usual"),
    [
        (
            b'{"sessionId":"S","result":{"a":1},"id":3}',
            b'{"id":3,"result":{"a":1},"sessionId":"S"}',
        ),
        (b'{"params":{},"method":"A.b"}', b'{"method":"A.b","params":{}}'),
        (b"not json", b""),
        (b"{}", b""),
    ],
)
def test_another_layout_is_brought_into_chrome_s(odd: bytes, usual: bytes) -> None:
    assert cdp_bytes.to_chrome_layout(odd) == usual


def test_an_error_in_another_layout_stays_one() -> None:
    usual = json.loads(cdp_bytes.to_chrome_layout(b'{"error":{"code":-1,"message":"m"},"id":2}'))
    assert (usual["id"], usual["error"]["message"]) == (2, "m")


def test_a_client_s_command_is_read_with_its_params_as_they_came() -> None:
    asked = cdp_bytes.decode_command(b'{"sessionId":"S","params":{"b": 1},"method":"A.b","id":4}')
    assert isinstance(asked, ClientCommand)
    assert (asked.id, asked.method, bytes(asked.params), asked.sessionId) == (
        4,
        "A.b",
        b'{"b": 1}',
        "S",
    )


@pytest.mark.parametrize(
    ("frame", "code", "number"),
    [
        (b"{", -32700, None),
        (b"[]", -32700, None),
        (b'{"method":"A.b"}', -32600, None),
        (b'{"id":"1","method":"A.b"}', -32600, None),
        (b'{"id":1}', -32600, 1),
        (b'{"id":1,"method":"A.b","sessionId":5}', -32600, 1),
        (b'{"id":1,"method":"A.b\\""}', -32601, 1),
    ],
)
def test_what_is_no_command_gets_chrome_s_error(
    frame: bytes, code: int, number: int | None
) -> None:
    asked = cdp_bytes.decode_command(frame)
    assert isinstance(asked, MalformedCommand)
    answer = json.loads(asked.reply)
    assert (answer["error"]["code"], answer.get("id")) == (code, number)


def test_answers_and_events_are_spelt_as_chrome_spells_them() -> None:
    assert cdp_bytes.encode_result(1, {"a": 1}, "S") == b'{"id":1,"result":{"a":1},"sessionId":"S"}'
    assert cdp_bytes.encode_event("A.b", {}) == b'{"method":"A.b","params":{}}'
    assert json.loads(cdp_bytes.encode_not_found(2, "A.b"))["error"] == {
        "code": -32601,
        "message": "'A.b' wasn't found",
    }
    assert json.loads(cdp_bytes.encode_session_not_found(3)) == {
        "id": 3,
        "error": {"code": -32001, "message": "Session with given id not found."},
    }
