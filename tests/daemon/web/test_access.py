"""The door of the web server: who is let in."""

from __future__ import annotations

import pytest

from pilothouse.daemon.web.access import ROUTES, RequestGuard

TOKEN = "a-token-of-forty-three-letters-as-ours-are-xy"
DOOR = RequestGuard(TOKEN, 7411, lambda cookie, csrf: (cookie, csrf) == ("c1", "s1"))
RIGHT = (
    (b"host", b"127.0.0.1:7411"),
    (b"authorization", b"Bearer " + TOKEN.encode()),
    (b"content-type", b"application/json"),
)


def status(
    *more: tuple[bytes, bytes], without: bytes = b"", method: str = "POST", path: str = "/mcp"
) -> int:
    kept = [(name, value) for name, value in RIGHT if name != without]
    refused = DOOR.refusal(method, path, [*kept, *more])
    return refused[0] if refused else 200


def test_a_program_of_this_machine_with_the_token_is_let_in() -> None:
    assert status() == 200
    for host in (b"localhost:7411", b"[::1]:7411", b"LOCALHOST:7411"):
        assert status((b"host", host), without=b"host") == 200
    assert status((b"origin", b"http://127.0.0.1:7411")) == 200
    kind = (b"content-type", b"application/json; charset=utf-8")
    assert status(kind, without=b"content-type") == 200


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"evil.example:7411",
        b"127.0.0.1.evil.example:7411",
        b"localhost.evil.example:7411",
        b"evil127.0.0.1:7411",
        b"127.0.0.1:7411@evil.example",
        b"user@127.0.0.1:7411",
        b"127.0.0.1:7411:7411",
        b"127.0.0.1",
        b"127.0.0.1:80",
        b"0.0.0.0:7411",
        b"127.1:7411",
        b"2130706433:7411",
        b"[::ffff:127.0.0.1]:7411",
        b"",
        b" ",
        b"\xff\xfe",
        b"127.0.0.1:7411, evil.example",
        b"127.0.0.1:7411\t",
        b"http://127.0.0.1:7411",
    ],
)
def test_no_other_host_is_served(host: bytes) -> None:
    assert status((b"host", host), without=b"host") == 403


def test_two_hosts_and_no_host_are_refused() -> None:
    assert status((b"host", b"127.0.0.1:7411")) == 403
    assert status((b"host", b"evil.example")) == 403
    assert status(without=b"host") == 403


@pytest.mark.parametrize(
    "origin",
    [
        b"https://evil.example",
        b"null",
        b"http://localhost:3000",
        b"http://127.0.0.1",
        b"https://127.0.0.1:7411",
        b"http://127.0.0.1:7411.evil.example",
        b"chrome-extension://abc",
        b"",
    ],
)
def test_no_web_page_is_let_in(origin: bytes) -> None:
    assert status((b"origin", origin)) == 403


def test_a_page_of_another_port_is_a_web_page_too() -> None:
    assert status((b"sec-fetch-site", b"cross-site")) == 403
    assert status((b"sec-fetch-site", b"same-site")) == 403


@pytest.mark.parametrize(
    "kind", [b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data", b""]
)
def test_what_a_form_can_send_is_refused(kind: bytes) -> None:
    assert status((b"content-type", kind), without=b"content-type") == 415


def test_no_content_type_and_two_are_refused() -> None:
    assert status(without=b"content-type") == 415
    assert status((b"content-type", b"text/plain")) == 415


def test_every_route_wants_the_token() -> None:
    for route in [one for one in ROUTES if one.who == "bearer"]:
        for method in route.methods:
            assert status(without=b"authorization", method=method, path=route.path) == 401


@pytest.mark.parametrize(
    "path",
    [
        "/index.html",
        "/mcp/",
        "/enter/",
        "/assets/",
        "//",
        "/api",
        "/sse",
        "/messages",
        "/json/version",
        "/token",
    ],
)
def test_there_is_nothing_elsewhere(path: str) -> None:
    assert status(path=path) == 404
    assert status(path=path, without=b"authorization") == 404


@pytest.mark.parametrize(
    "given",
    [
        b"Bearer ",
        b"Bearer x",
        b"Bearer " + TOKEN[:-1].encode(),
        b"Bearer " + TOKEN.encode() + b"x",
        b"Basic " + TOKEN.encode(),
        TOKEN.encode(),
        b"Bearer \xff",
    ],
)
def test_no_other_token_opens(given: bytes) -> None:
    assert status((b"authorization", given), without=b"authorization") == 401


def test_two_tokens_are_none() -> None:
    assert status((b"authorization", b"Bearer " + TOKEN.encode())) == 401


def test_the_token_is_never_in_what_is_said() -> None:
    refused = DOOR.refusal("POST", "/mcp", [RIGHT[0], RIGHT[2], (b"authorization", b"Bearer x")])
    assert refused is not None
    assert TOKEN not in refused[1]


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "PATCH", "HEAD"])
def test_only_what_mcp_needs_is_answered(method: str) -> None:
    assert status(method=method) == 405


# A person's browser: cookie and proof.

PERSON = (
    (b"host", b"127.0.0.1:7411"),
    (b"cookie", b"other=x; pilothouse-7411=c1"),
    (b"pilothouse-session", b"s1"),
    (b"origin", b"http://127.0.0.1:7411"),
    (b"content-type", b"application/json"),
    (b"sec-fetch-site", b"same-origin"),
)


def person(*more: tuple[bytes, bytes], without: bytes = b"", path: str = "/api/leave") -> int:
    kept = [(name, value) for name, value in PERSON if name != without]
    refused = DOOR.refusal("POST", path, [*kept, *more])
    return refused[0] if refused else 200


def test_a_person_with_a_session_is_let_in() -> None:
    assert person() == 200


@pytest.mark.parametrize(
    ("without", "expected"),
    [(b"cookie", 401), (b"pilothouse-session", 401), (b"origin", 403), (b"content-type", 415)],
)
def test_each_part_of_a_session_is_needed(without: bytes, expected: int) -> None:
    assert person(without=without) == expected


@pytest.mark.parametrize(
    "changed",
    [
        (b"cookie", b"pilothouse-7411=c2"),
        (b"cookie", b"pilothouse-7412=c1"),
        (b"cookie", b"pilothouse-7411=c1; pilothouse-7411=c2"),
        (b"pilothouse-session", b"s2"),
        (b"origin", b"http://127.0.0.1:3000"),
        (b"origin", b"null"),
        (b"sec-fetch-site", b"same-site"),
        (b"host", b"evil.example:7411"),
    ],
)
def test_another_session_or_origin_is_refused(changed: tuple[bytes, bytes]) -> None:
    assert person(changed, without=changed[0]) in (401, 403)


def test_a_cookie_does_not_open_mcp_and_the_token_not_the_dashboard() -> None:
    assert person(path="/mcp") == 401
    token = (b"authorization", RIGHT[1][1])
    assert person(token, without=b"cookie") == 401


def test_a_link_from_elsewhere_shows_the_page_of_the_dashboard_and_nothing_else() -> None:
    shows = [
        (b"host", b"127.0.0.1:7411"),
        (b"sec-fetch-site", b"cross-site"),
        (b"sec-fetch-mode", b"navigate"),
        (b"sec-fetch-dest", b"document"),
    ]
    assert DOOR.refusal("GET", "/enter", shows) is None
    assert DOOR.refusal("GET", "/assets/enter.js", shows) is not None
    framed = [*shows[:3], (b"sec-fetch-dest", b"iframe")]
    assert DOOR.refusal("GET", "/enter", framed) is not None
    loaded = [*shows[:2], (b"sec-fetch-mode", b"no-cors"), (b"sec-fetch-dest", b"script")]
    assert DOOR.refusal("GET", "/", loaded) is not None
