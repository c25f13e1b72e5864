"""Lines as messages and back; test_stdio_session.py has what a client hears of wrong ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.daemon.mcp.json_rpc_lines import (
    InvalidLine,
    LineNotification,
    LineRequest,
    LineResponse,
    encode_line,
    error_reply,
    parse_line,
    result_reply,
)

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES))
def test_what_is_encoded_is_one_line_and_says_the_same(result: dict[str, Any]) -> None:
    line = encode_line(result_reply(1, result))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"jsonrpc": "2.0", "id": 1, "result": result}


@given(st.binary())
def test_no_line_breaks_the_parser(line: bytes) -> None:
    assert parse_line(line) is not None


@pytest.mark.parametrize("value", ["\ud800", 10**40, {"a": ["\udfff"]}])
def test_what_the_fast_encoder_cannot_encode_is_sent_all_the_same(value: Any) -> None:
    assert json.loads(encode_line(result_reply(1, {"value": value})))["result"]["value"] == value


def test_the_beginning_of_a_reply_is_what_the_pipe_looks_for() -> None:
    assert encode_line(result_reply("a", {})).startswith(b'{"jsonrpc":"2.0","id":"a","result"')
    assert encode_line(error_reply(7, -1, "x")).startswith(b'{"jsonrpc":"2.0","id":7,"error"')


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"m"}', LineRequest(1, "m", {})),
        (
            b'{"jsonrpc":"2.0","id":"1","method":"m","params":{"a":1}}',
            LineRequest("1", "m", {"a": 1}),
        ),
        (b'{"jsonrpc":"2.0","method":"m","params":null}', LineNotification("m", {})),
        (b'{"jsonrpc":"2.0","id":3,"result":{}}', LineResponse(3, {}, None)),
        (b'{"jsonrpc":"2.0","id":3,"error":{"code":1}}', LineResponse(3, None, {"code": 1})),
        (b"nonsense", InvalidLine(None, -32700, "the message is not valid JSON")),
        (b'{"method":"m","id":1}', InvalidLine(1, -32600, 'jsonrpc: expected "2.0"')),
    ],
)
def test_a_line_is_parsed(line: bytes, message: Any) -> None:
    assert parse_line(line) == message
