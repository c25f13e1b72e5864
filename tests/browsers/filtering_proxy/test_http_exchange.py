"""HTTP as the proxy reads and writes it."""

from __future__ import annotations

import re
from itertools import pairwise

import h11
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilothouse.browsers.filtering_proxy.http_exchange import (
    MAX_HEAD_BYTES,
    HttpExchange,
    RequestHead,
)

# How long an example takes says nothing about it, on a machine that does other things as well.
unhurried = settings(deadline=None, max_examples=400, suppress_health_check=list(HealthCheck))


def forwarded(*chunks: bytes) -> tuple[RequestHead, bytes]:
    """The head of a request, and what its server gets. Raises ValueError."""
    exchange, head, out = HttpExchange(), None, b""
    for chunk in chunks:
        if head is None:
            head = exchange.read_head(chunk) if chunk else None
            out += exchange.open_request() if head and not head.tunnel else b""
        elif not exchange.request_is_complete and chunk:
            out += exchange.copy_request(chunk)
    if head is None or not (head.tunnel or exchange.request_is_complete):
        raise ValueError("incomplete")
    return head, out


def answered(*chunks: bytes, method: str = "GET") -> bytes:
    """What the browser gets for a response."""
    exchange = HttpExchange()
    exchange.read_head(f"{method} http://a/ HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    exchange.open_request()
    return b"".join(exchange.copy_response(chunk) for chunk in chunks)


def test_a_request_for_a_proxy_becomes_one_for_its_server() -> None:
    raw = (
        b"POST http://a.example:8080/x?y HTTP/1.1\r\nHost: a.example:8080\r\n"
        b"Proxy-Authorization: secret\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nab"
    )
    head, sent = forwarded(raw)
    assert head == RequestHead(b"POST", "http://a.example:8080/x?y")
    assert sent == (
        b"POST /x?y HTTP/1.1\r\nHost: a.example:8080\r\nContent-Length: 2\r\n"
        b"Connection: close\r\n\r\nab"
    )


@pytest.mark.parametrize(
    ("url", "target"),
    [("http://a", b"/"), ("http://a?x", b"/?x"), ("http://a/#f", b"/"), ("http://u@a/b", b"/b")],
)
def test_a_target_is_a_path(url: str, target: bytes) -> None:
    _, sent = forwarded(f"GET {url} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    assert sent.split(b" ")[1] == target


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"GET /",
        b"GET / HTTP/1.1",
        b"G http://a HTTP/2",
        b"get http://a HTTP/1.1",
        b"CONNECT a:1 HTTP/1.1\r\nContent-Length: 1",
        b"POST http://a HTTP/1.0\r\nTransfer-Encoding: chunked",
    ],
)
def test_what_is_no_request_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        HttpExchange().read_head(raw + b"\r\nHost: a\r\n\r\n")


def test_a_head_has_a_size_limit() -> None:
    with pytest.raises(ValueError, match="too long"):
        HttpExchange().read_head(b"GET http://a/ HTTP/1.1\r\nX: " + b"x" * MAX_HEAD_BYTES)


def test_early_answers_pass_and_the_last_one_ends_the_connection() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    last = b"HTTP/1.1 204 No Content\r\nKeep-Alive: x\r\nServer: y\r\n\r\n"
    assert answered(early) == early
    assert answered(early, last) == early + (
        b"HTTP/1.1 204 No Content\r\nServer: y\r\nConnection: close\r\n\r\n"
    )


def test_a_response_to_head_keeps_its_length() -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n"
    assert answered(whole, method="HEAD") == whole


def test_a_refusal_says_why() -> None:
    exchange = HttpExchange()
    exchange.read_head(b"GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
    assert b"blocked this request: because\n" in exchange.refuse(403, "because")


# What the server gets, read as servers do that disagree with each other.


def read_leniently(raw: bytes, *, bare_lf: bool, chunked_first: bool) -> list[tuple[bytes, ...]]:
    """Every request in these bytes: request line, Host, body. It accepts whatever it can."""
    line_end = re.compile(rb"\r?\n" if bare_lf else rb"\r\n")

    def next_line() -> bytes:
        nonlocal raw
        line, _, raw = _partition(raw, line_end)
        return line

    found: list[tuple[bytes, ...]] = []
    while raw:
        first, lines = next_line(), list[bytes]()
        while raw and (line := next_line()):
            lines.append(line)
        fields = [
            (n.strip().lower(), v.strip()) for n, _, v in (li.partition(b":") for li in lines)
        ]
        lengths = [int(v) for n, v in fields if n == b"content-length"]
        chunked = any(n == b"transfer-encoding" and b"chunked" in v for n, v in fields)
        hosts = b",".join(v for n, v in fields if n == b"host")
        body = b""
        if chunked and (chunked_first or not lengths):
            while True:
                count = int(next_line().partition(b";")[0], 16)
                body, raw = body + raw[:count], raw[count:]
                next_line()
                if not count:
                    break
        elif lengths:
            body, raw = raw[: lengths[0]], raw[lengths[0] :]
        found.append((first, hosts, body))
    return found


def _partition(raw: bytes, pattern: re.Pattern[bytes]) -> tuple[bytes, bytes, bytes]:
    found = pattern.search(raw)
    if found is None:
        return raw, b"", b""
    return raw[: found.start()], found[0], raw[found.end() :]


ends = st.sampled_from([b"\r\n"] * 12 + [b"\n", b"\r", b"\r\r\n", b"\n\r", b"\0"])
lengths = st.sampled_from(
    [b"0", b"4", b"4", b"+4", b"04", b"1_0", b"4,4", b"4, 5", b"-1", b" ", b"0x4"]
)
codings = st.sampled_from(
    [b"chunked", b"chunked", b"Chunked", b"identity", b"chunked, x", b"\x0bchunked"]
)
names = st.sampled_from([b"", b" ", b"\t"])
fields = st.one_of(
    st.tuples(st.sampled_from([b"Content-Length", b"content-length"]), names, lengths),
    st.tuples(st.sampled_from([b"Transfer-Encoding", b"TRANSFER-ENCODING"]), names, codings),
    st.tuples(st.just(b"Host"), names, st.sampled_from([b"a", b"b", b"a\r\n b", b"a, b"])),
    st.tuples(
        st.just(b"X"), names, st.sampled_from([b"y", b"y\r\n Host: b", b"y\r\n\tz", b"\x01"])
    ),
    st.tuples(st.just(b"Connection"), st.just(b""), st.sampled_from([b"Host", b"close, X"])),
    st.tuples(st.just(b"Expect"), st.just(b""), st.just(b"100-continue")),
)
targets = st.sampled_from(
    [b"http://a/p", b"http://a/p", b"HTTP://A:80/p", b"http://u:p@a/p", b"http://a\\@b/p", b"/p",
     b"http://b@a/p#f", b"https://a/p", b"http://a/p HTTP/1.1", b"*"]
)  # fmt: skip
bodies = st.sampled_from(
    [
        b"",
        b"abcd",
        b"4\r\nabcd\r\n0\r\n\r\n",
        b"4;x\r\nabcd\r\n0\r\nX: y\r\n\r\n",
        b"+4\r\nabcd\r\n0\r\n\r\n",
        b"4\nabcd\n0\n\n",
        b"4\r\nabcdX\n0\r\n\r\n",
        b"0\r\n\r\n",
        b"0\r\n\r\nGET /two HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
)


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """A request of a browser, with something odd about it or not."""
    method = draw(st.sampled_from([b"GET", b"POST", b"POST", b"PUT"]))
    version = draw(st.sampled_from([b"1.1", b"1.1", b"1.1", b"1.0"]))
    lines = [method + b" " + draw(targets) + b" HTTP/" + version, b"Host: a"]
    lines += [n + s + b":" + v for n, s, v in draw(st.lists(fields, max_size=3))]
    head = b"".join(line + draw(ends) for line in lines)
    return head + draw(ends) + draw(bodies)


@unhurried
@given(requests() | st.binary(max_size=80), st.lists(st.integers(min_value=0), max_size=5))
def test_whatever_is_forwarded_is_one_request_in_which_all_servers_agree(
    raw: bytes, places: list[int]
) -> None:
    borders = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    try:
        head, sent = forwarded(*(raw[a:b] for a, b in pairwise(borders)))
    except ValueError:
        return
    assert not head.tunnel
    line, host, _ = only = read_leniently(sent, bare_lf=False, chunked_first=True)[0]
    for bare_lf in (False, True):
        for chunked_first in (True, False):
            assert read_leniently(sent, bare_lf=bare_lf, chunked_first=chunked_first) == [only]
    assert re.fullmatch(rb"[A-Z]+ /\S* HTTP/1\.1", line)
    # The policy judges the URL; the server must understand the same host.
    assert host == b"a"
    server = h11.Connection(h11.SERVER)
    server.receive_data(sent)
    event = server.next_event()
    assert isinstance(event, h11.Request)
    assert b" ".join((event.method, event.target)) == line.rpartition(b" ")[0]


@unhurried
@given(st.binary(max_size=200), st.booleans(), st.lists(st.integers(min_value=0), max_size=5))
def test_no_response_raises_anything_but_value_error(
    noise: bytes, begun: bool, places: list[int]
) -> None:
    raw = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" if begun else b"") + noise
    borders = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    try:
        told = answered(*(raw[a:b] for a, b in pairwise(borders) if a != b), b"")
    except ValueError:
        return
    assert told.startswith(b"HTTP/1.1 ")
