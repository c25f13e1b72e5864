"""Headers of ASGI messages."""

from __future__ import annotations

import json
from typing import Any

from pilothouse.daemon.web.asgi import Message, header, refuse, with_headers


async def test_a_refusal_is_json_with_the_headers_of_every_reply() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await refuse(with_headers(send, [(b"x-one", b"1")]), 401, "no")
    start, body = sent
    assert start["status"] == 401
    assert header(start, b"x-one") == "1"
    assert header(start, b"www-authenticate") == "Bearer"
    assert json.loads(body["body"]) == {"error": "no"}
    assert [message for message in sent if message["type"] == "http.response.start"] == [start]


def test_a_header_is_found_in_any_case_and_is_empty_without_one() -> None:
    scope: dict[str, Any] = {"headers": [(b"Host", b"a")]}
    assert header(scope, b"host") == "a"
    assert header(scope, b"origin") == ""
