"""JSON-RPC lines: whatever comes in, what goes out is one line of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.daemon.rpc import messages
from pilothouse.daemon.rpc.messages import RpcRequest, parse

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def _refusal(line: bytes) -> dict[str, Any]:
    answer = parse(line)
    assert isinstance(answer, bytes)
    assert answer.endswith(b"\n")
    assert answer.count(b"\n") == 1
    refusal: dict[str, Any] = json.loads(answer)
    return refusal


def test_call_is_read_with_its_id_method_and_parameters() -> None:
    line = b'{"jsonrpc":"2.0","id":"a","method":"tab.click","params":{"target":"e1"}}\n'
    assert parse(line) == RpcRequest("tab.click", {"target": "e1"}, "a")


def test_notice_has_no_id_and_may_have_no_parameters() -> None:
    assert parse(b'{"jsonrpc":"2.0","method":"hello"}') == RpcRequest("hello", {}, None)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"hello", messages.PARSE_ERROR),
        (b"\xff\xfe\x00", messages.PARSE_ERROR),
        (b"[" * 100_000, messages.PARSE_ERROR),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b"}", messages.PARSE_ERROR),
        (b"[]", messages.INVALID_REQUEST),
        (b"null", messages.INVALID_REQUEST),
        (b'{"id":1,"method":"x"}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":1,"method":"x"}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":[1],"method":"x"}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":""}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', messages.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}', messages.INVALID_PARAMS),
    ],
)
def test_what_is_no_request_is_answered_with_the_standard_code(line: bytes, code: int) -> None:
    assert _refusal(line)["error"]["code"] == code


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_a_request_or_get_one_line_back(line: bytes) -> None:
    if not isinstance(parse(line), RpcRequest):
        _refusal(line)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.just("2.0") | _JSON,
            "id": _JSON,
            "method": st.text() | _JSON,
            "params": _JSON,
        },
    )
)
def test_objects_of_any_shape_are_a_request_or_get_one_line_back(shape: dict[str, Any]) -> None:
    line = json.dumps(shape).encode()
    request = parse(line)
    if isinstance(request, RpcRequest):
        assert isinstance(request.params, dict)
        assert request.method
    else:
        _refusal(line)


@given(_JSON, st.integers() | st.text() | st.none())
def test_results_of_any_value_are_one_line_that_says_the_same(
    value: Any, number: int | str | None
) -> None:
    line = messages.result(number, value)
    assert line.count(b"\n") == 1
    read = json.loads(line)
    assert read["id"] == number
    assert repr(read["result"]) == repr(json.loads(json.dumps(value)))


def test_error_carries_its_detail_only_if_there_is_one() -> None:
    bare = json.loads(messages.error(1, messages.REFUSED, "no"))
    assert bare == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no"}}
    detailed = json.loads(messages.error(1, messages.REFUSED, "no", {"hint": "yes"}))
    assert detailed["error"]["data"] == {"hint": "yes"}


def test_notice_has_no_id() -> None:
    said = json.loads(messages.notice("progress", {"text": "half"}))
    assert said == {"jsonrpc": "2.0", "method": "progress", "params": {"text": "half"}}


def test_notices_stand_beside_a_result_of_any_form() -> None:
    line = messages.result(1, messages.ResultWithNotices("title", ("disk full",)))
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": "title",
        "notices": ["disk full"],
    }
