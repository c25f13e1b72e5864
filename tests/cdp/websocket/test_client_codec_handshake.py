"""The WebSocket's opening handshake as values: what is asked, and how the answer is judged."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.server import ServerProtocol

from pilothouse.cdp.websocket.client_codec import (
    accept_key,
    check_handshake,
    handshake_request,
    response_is_complete,
)

# The example of RFC 6455, section 1.3.
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

# How long an example takes says nothing about it, on a machine that does other things as well.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def answer(*lines: str, status: str = "101 Switching Protocols", body: bytes = b"") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


UPGRADE = ("Upgrade: WebSocket", "Connection: keep-alive, Upgrade")
FITS = f"Sec-WebSocket-Accept: {ACCEPT}"


def test_key_gives_the_accept_of_the_rfc() -> None:
    assert accept_key(KEY) == ACCEPT


def test_request_asks_for_a_websocket_without_extensions() -> None:
    request = handshake_request("h:9222", "/devtools?t=1", KEY, {"X-Token": "abc"}).decode()
    assert request.startswith("GET /devtools?t=1 HTTP/1.1\r\nHost: h:9222\r\n")
    assert "\r\nX-Token: abc\r\n" in request
    assert request.endswith("\r\n\r\n")
    assert "extensions" not in request.lower()


def test_server_of_the_peer_accepts_the_request_and_its_answer_is_accepted() -> None:
    server = ServerProtocol()
    server.receive_data(handshake_request("h", "/", KEY, {}))
    (event,) = server.events_received()
    server.send_response(server.accept(event))  # type: ignore[arg-type]
    response = b"".join(server.data_to_send())
    assert response_is_complete(response)
    assert check_handshake(response, KEY) is None


def test_host_header_of_the_caller_replaces_ours() -> None:
    request = handshake_request("h", "/", KEY, {"host": "localhost"})
    assert request.lower().count(b"host:") == 1
    assert b"host: localhost\r\n" in request


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X", "secret\r\nEvil: b"),
        ("X", "secret\xfc"),
        ("a b", "secret"),
        ("", "secret"),
        ("Upgrade", "secret"),
        ("Sec-WebSocket-Extensions", "secret"),
    ],
)
def test_header_that_cannot_be_sent_is_refused_without_showing_its_value(
    name: str, value: str
) -> None:
    with pytest.raises(ValueError, match="header") as caught:
        handshake_request("h", "/", KEY, {name: value})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (answer(*UPGRADE, FITS), None),
        (answer(*UPGRADE, FITS, "Sec-WebSocket-Extensions: x-deflate"), "x-deflate"),
        (answer(*UPGRADE, "Sec-WebSocket-Accept: nonsense"), "does not match the key"),
        (answer(*UPGRADE), "does not match the key"),
        (answer("Upgrade: h2c", "Connection: Upgrade", FITS), "not to websocket"),
        (answer("Upgrade: websocket", "Connection: close", FITS), "without Connection: Upgrade"),
        (
            answer("Content-Length: 9", status="403 Forbidden", body=b"go\naway!\0"),
            "HTTP 403 Forbidden: go away!",
        ),
        (answer("Content-Length: 0", status="404 Not Found"), "HTTP 404 Not Found"),
        (
            answer("Transfer-Encoding: chunked", status="500 Oops", body=b"4\r\nouch\r\n0\r\n\r\n"),
            "HTTP 500 Oops: ouch",
        ),
        (
            answer("Location: ws://elsewhere/", "Content-Length: 0", status="302 Found"),
            "HTTP 302 Found (a redirect, which is not followed)",
        ),
        (answer("Content-Length: 0", status="403 a\nb"), "HTTP 403 a b"),
        (answer(status="500 Long", body=b"x" * 300), "HTTP 500 Long: " + "x" * 200),
        (answer(*UPGRADE, FITS, status="10a Odd"), "not an HTTP response"),
        (b"HTTP/1.1 " + b"x" * 70_000, "do not end"),
        (b"\x15\x03\x01\0\2\2P", "speaks TLS"),
        (b"SSH-2.0-OpenSSH\r\n", "not an HTTP response: b'SSH-2.0-OpenSSH"),
    ],
)
def test_answer_is_judged_with_a_telling_reason(response: bytes, reason: str | None) -> None:
    verdict = check_handshake(response, KEY)
    if reason is None:
        assert verdict is None
    else:
        assert verdict is not None
        assert reason in verdict
        assert "\n" not in verdict


@pytest.mark.parametrize(
    ("response", "complete"),
    [
        (b"", False),
        (b"HT", False),
        (b"GARBAGE", True),
        (b"HTTP/1.1 101 Switching", False),
        (answer(*UPGRADE), True),
        (answer(status="403 Forbidden"), False),
        (answer(status="403 Forbidden", body=b"x" * 200), True),
        (answer("Content-Length: 5", status="403 Forbidden", body=b"four"), False),
        (answer("Content-Length: 4", status="403 Forbidden", body=b"four"), True),
        (answer("Content-Length: ?", status="403 Forbidden"), True),
        (answer("Transfer-Encoding: chunked", status="403 Forbidden"), False),
        (answer("Transfer-Encoding: chunked", status="403 No", body=b"1\r\nx\r\n"), True),
    ],
)
def test_answer_is_complete_when_more_bytes_cannot_improve_the_reason(
    response: bytes, complete: bool
) -> None:
    assert response_is_complete(response) is complete


def test_missing_answer_is_told_as_such() -> None:
    assert check_handshake(b"", KEY) == "closed without a response"


@unhurried
@given(st.binary(max_size=200), st.binary(max_size=50))
def test_any_answer_gets_a_verdict_on_one_line(head: bytes, body: bytes) -> None:
    for response in (head, b"HTTP/1.1 " + head + b"\r\n\r\n" + body):
        response_is_complete(response)
        assert "\n" not in (check_handshake(response, KEY) or "")
