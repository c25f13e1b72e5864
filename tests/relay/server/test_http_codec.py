"""Requests as values: what is read, what is refused, and what answers say."""

from __future__ import annotations

import base64
import json

import h11
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.http11 import Request as PeerRequest
from websockets.server import ServerProtocol

from pilothouse.relay.interfaces import HttpRefusal
from pilothouse.relay.server.http_codec import (
    MAX_HEAD_BYTES,
    Request,
    json_response,
    read_request,
    refusal_response,
    switching_response,
)

UPGRADE = (
    ("upgrade", "websocket"),
    ("connection", "keep-alive, Upgrade"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
)


def read(data: bytes) -> Request:
    found = read_request(data)
    assert isinstance(found, tuple)
    return found[0]


def test_a_head_is_read_whole_and_what_follows_is_kept() -> None:
    data = b"GET /cdp?a=1&b=%20x HTTP/1.1\r\nHost: h:1\r\nX-Two: a\r\nx-two:\tb, c \r\n\r\nmore"
    for at in range(data.index(b"more")):
        assert read_request(data[:at]) is None
    found = read_request(data)
    assert isinstance(found, tuple)
    request, rest = found
    assert (request.method, request.path, rest) == ("GET", "/cdp", b"more")
    assert request.query_fields() == [("a", "1"), ("b", " x")]
    assert request.header_values("host") == ["h:1"]
    assert request.header_values("x-two") == ["a", "b, c"]
    assert request.header_list("x-two") == ["a", "b", "c"]
    assert request.header_values("origin") == []


@pytest.mark.parametrize(
    "data",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"GET  / HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\n\r\n",
        b"CONNECT evil:443 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\nHost: evil\r\n\r\n",
        b"GET / HTTP/1.1\r\nA: b\0c\r\n\r\n",
        b"GET / HTTP/1.1\nHost: h\n\n\r\n\r\n",
        b": x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"hello",
        b"\0" * 10,
    ],
)
def test_what_is_malformed_is_a_value(data: bytes) -> None:
    assert isinstance(found := read_request(data), HttpRefusal)
    assert found.status == 400


def test_a_head_without_end_is_refused() -> None:
    long = b"GET / HTTP/1.1\r\nA: " + b"x" * MAX_HEAD_BYTES
    assert isinstance(found := read_request(long), HttpRefusal)
    assert found.status == 431
    assert isinstance(read_request(long + b"\r\n\r\n"), HttpRefusal)


@settings(deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_no_bytes_make_it_raise(noise: bytes, begun: bool) -> None:
    data = (b"GET /cdp?" if begun else b"") + noise
    for end in (b"", b"\r\n\r\n", b" HTTP/1.1\r\n\r\n"):
        found = read_request(data + end)
        if isinstance(found, tuple):
            request = found[0]
            request.query_fields()
            request.check_handshake()
            assert "cdp?" not in repr(request)


def test_a_request_does_not_show_its_query_or_headers() -> None:
    request = Request("GET", "/cdp", "token=hidden", (("authorization", "Bearer hidden"),))
    assert "hidden" not in repr(request)
    assert "hidden" not in str([request])


def test_more_fields_than_anybody_needs_are_none() -> None:
    assert Request("GET", "/", "&".join(["a=1"] * 1000)).query_fields() == []


def test_a_right_handshake_is_accepted_without_any_extension() -> None:
    offers = ("sec-websocket-extensions", "permessage-deflate; client_max_window_bits")
    request = Request("GET", "/cdp", "", (*UPGRADE, offers))
    assert request.check_handshake() is None
    answer = switching_response(request).decode()
    assert answer.startswith("HTTP/1.1 101 ")
    assert "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in answer
    assert "extensions" not in answer.lower()
    assert "Protocol" not in answer.partition("\r\n")[2]
    assert "\r\nSec-WebSocket-Protocol: p\r\n" in switching_response(request, "p").decode()


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("upgrade", "h2c", 426),
        ("upgrade", None, 426),
        ("connection", "close", 400),
        ("connection", None, 400),
        ("sec-websocket-version", "8", 426),
        ("sec-websocket-version", None, 426),
        ("sec-websocket-key", "short", 400),
        ("sec-websocket-key", "\xe4" * 24, 400),
        ("sec-websocket-key", "A" * 24, 400),
        ("sec-websocket-key", None, 400),
    ],
)
def test_a_wrong_handshake_is_refused(name: str, value: str | None, status: int) -> None:
    headers = [(known, text) for known, text in UPGRADE if known != name]
    if value is not None:
        headers.append((name, value))
    refused = Request("GET", "/cdp", "", tuple(headers)).check_handshake()
    assert refused is not None
    assert refused.status == status


def test_two_keys_are_none() -> None:
    refused = Request("GET", "/cdp", "", (*UPGRADE, UPGRADE[3])).check_handshake()
    assert refused is not None


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 405, 409, 426, 500, 503, 599])
def test_answers_are_whole_and_say_nothing_to_web_pages(status: int) -> None:
    head, _, body = json_response({"a": "ä\ud800"}, status).partition(b"\r\n\r\n")
    lines = head.decode("ascii").split("\r\n")
    assert lines[0].startswith(f"HTTP/1.1 {status} ")
    headers = {line.partition(": ")[0].lower(): line.partition(": ")[2] for line in lines[1:]}
    assert int(headers["content-length"]) == len(body)
    assert not [name for name in headers if name.startswith("access-control")]
    assert headers["cache-control"] == "no-store"
    assert json.loads(body) == {"a": "ä?"}


def test_a_refusal_says_why_and_what_to_do() -> None:
    body = refusal_response(HttpRefusal(409, "taken", hint="wait")).partition(b"\r\n\r\n")[2]
    assert json.loads(body) == {"error": "taken", "hint": "wait"}
    body = refusal_response(HttpRefusal(404, "nothing")).partition(b"\r\n\r\n")[2]
    assert json.loads(body) == {"error": "nothing"}
    assert b"WWW-Authenticate: Bearer\r\n" in refusal_response(HttpRefusal(401, "token"))


# Beside what h11 and `websockets` make of the same bytes.

unhurried = settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))

ends = st.sampled_from([b"\r\n"] * 12 + [b"\n", b"\r", b"\r\r\n", b"\0\r\n"])
targets = st.sampled_from(
    [b"/", b"/cdp?token=a&b=%20", b"/a?b#c", b"//a", b"/a b", b"http://a/", b"*", b"/\xe4", b""]
)
lines = st.builds(
    lambda name, gap, value: name + gap + b":" + value,
    st.sampled_from([b"Host", b"X-A", b"x-a", b"Origin", b"Upgrade", b"", b"A B", b"\xe4"]),
    st.sampled_from([b"", b"", b"", b" "]),
    st.sampled_from([b"", b" a", b"\ta \t", b" a, b", b" a:b", b" a\r\n folded", b"\xe4"])
    | st.binary(max_size=8),
)


@st.composite
def heads(draw: st.DrawFn) -> bytes:
    """The head of a request, with something odd about it or not."""
    method = draw(st.sampled_from([b"GET", b"POST", b"get", b""]))
    version = draw(st.sampled_from([b" HTTP/1.1", b" HTTP/1.1", b" HTTP/1.0", b" HTTP/2", b""]))
    drawn = [
        method + b" " + draw(targets) + version,
        b"Host: a",
        *draw(st.lists(lines, max_size=4)),
    ]
    return b"".join(line + draw(ends) for line in drawn) + draw(ends)


@unhurried
@given(heads())
def test_a_request_is_read_as_h11_reads_it_or_refused(data: bytes) -> None:
    found = read_request(data)
    if not isinstance(found, tuple):
        return
    request, rest = found
    hosts = request.header_values("host")
    peer = h11.Connection(h11.SERVER)
    peer.receive_data(data)
    if len(hosts) != 1:  # the server refuses it (auth.py), h11 even earlier
        with pytest.raises(h11.RemoteProtocolError):
            peer.next_event()
        return
    event = peer.next_event()
    assert isinstance(event, h11.Request)
    path, _, query = event.target.decode().partition("?")
    assert (request.method, request.path) == (event.method.decode(), path)
    assert request.query == query.partition("#")[0]
    names = {name.decode("ascii") for name, _ in event.headers}
    for name in names:
        values = [v.decode("latin-1") for n, v in event.headers if n.decode() == name]
        assert request.header_values(name) == values
    assert peer.trailing_data[0] == rest


@unhurried
@given(
    st.sampled_from(["websocket", "WebSocket", "h2c", None]),
    st.sampled_from(["Upgrade", "keep-alive, upgrade", "close", None]),
    st.sampled_from(["13", "13", "8", "", None]),
    st.sampled_from(["dGhlIHNhbXBsZSBub25jZQ==", "dGhl", "A" * 24, "dGhlIHNhbXBsZSBub25jZQ", None])
    | st.binary(min_size=15, max_size=17).map(lambda key: base64.b64encode(key).decode()),
)
def test_a_handshake_is_accepted_exactly_where_websockets_accepts_it(
    upgrade: str | None, connection: str | None, version: str | None, key: str | None
) -> None:
    fields = {
        "Upgrade": upgrade,
        "Connection": connection,
        "Sec-WebSocket-Version": version,
        "Sec-WebSocket-Key": key,
    }
    lines = [f"{name}: {value}\r\n" for name, value in fields.items() if value is not None]
    data = f"GET /cdp HTTP/1.1\r\nHost: a\r\n{''.join(lines)}\r\n".encode()
    peer = ServerProtocol()
    peer.receive_data(data)
    (asked,) = peer.events_received()
    assert isinstance(asked, PeerRequest)
    response = peer.accept(asked)
    request = read(data)
    assert (request.check_handshake() is None) == (response.status_code == 101)
    if response.status_code == 101:
        told = switching_response(request).decode()
        assert f"Sec-WebSocket-Accept: {response.headers['Sec-WebSocket-Accept']}\r\n" in told
