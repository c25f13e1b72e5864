"""HTTP as the gateway reads and writes it."""

from __future__ import annotations

import pytest

from pilothouse.browsers.filtering_proxy.http import (
    parse_request_head,
    refusal,
    rewrite_response_head,
)


def test_a_request_for_a_proxy_becomes_one_for_its_server() -> None:
    raw = (
        b"POST http://a.example:8080/x?y HTTP/1.1\r\nHost: a.example:8080\r\n"
        b"Proxy-Authorization: secret\r\nConnection: keep-alive\r\nContent-Length: 12\r\n\r\n"
    )
    head = parse_request_head(raw)
    assert (head.url, head.length, head.tunnel) == ("http://a.example:8080/x?y", 12, False)
    assert head.origin_form() == (
        b"POST /x?y HTTP/1.1\r\nHost: a.example:8080\r\nContent-Length: 12\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("url", "target"),
    [("http://a", b"/"), ("http://a?x", b"/?x"), ("http://a/#f", b"/"), ("http://u@a/b", b"/b")],
)
def test_a_target_is_a_path(url: str, target: bytes) -> None:
    head = parse_request_head(f"GET {url} HTTP/1.1\r\n\r\n".encode())
    assert head.origin_form().split(b" ")[1] == target


@pytest.mark.parametrize("raw", [b"", b"GET /", b"GET / HTTP/1.1", b"G http://a HTTP/2"])
def test_what_is_no_request_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"no request line|not a proxy request"):
        parse_request_head(raw + b"\r\n\r\n")


def test_early_answers_pass_and_the_last_one_ends_the_connection() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    assert rewrite_response_head(early) == (early, False)
    last, final = rewrite_response_head(b"HTTP/1.1 200 OK\r\nKeep-Alive: x\r\nServer: y\r\n\r\n")
    assert (last, final) == (b"HTTP/1.1 200 OK\r\nServer: y\r\nConnection: close\r\n\r\n", True)


def test_a_refusal_says_why() -> None:
    assert b"blocked this request: because\n" in refusal(403, "because")
