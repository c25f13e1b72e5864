"""The door of the relay: who is let in, on pages and on upgrades alike."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.relay.server.auth import PROTOCOL, ROUTES, TOKEN_PROTOCOL, RequestAuth, route_of
from pilothouse.relay.server.http_codec import Request
from pilothouse.security.relay_tokens import Grant, TokenBook, make_url_token

TOKEN = "a-token-of-forty-three-letters-as-ours-are-xy"
ID = "abcdefghijklmnopabcdefghijklmnop"
PORT = 19222
DOOR = RequestAuth(lambda: TokenBook(TOKEN), ID)

UPGRADE = (
    ("upgrade", "websocket"),
    ("connection", "Upgrade"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
)
HOST = ("host", f"127.0.0.1:{PORT}")
BEARER = ("authorization", f"Bearer {TOKEN}")
ORIGIN = ("origin", f"chrome-extension://{ID}")

# Of every kind of route one, and what is right for it.
RIGHT = {"/json/version": (HOST, BEARER), "/cdp": (HOST, BEARER, *UPGRADE)}
RIGHT_EXTENSION = (HOST, ORIGIN, *UPGRADE)


def asked(
    path: str, *more: tuple[str, str], without: str = "", method: str = "GET", query: str = ""
) -> int:
    """The status of a request that is right but for what is said here; 200 if it is let in."""
    right = RIGHT_EXTENSION if path == "/extension" else RIGHT.get(path, (HOST, BEARER))
    headers = [(name, value) for name, value in right if name != without]
    refused = DOOR.check(Request(method, path, query, (*headers, *more)), PORT)
    return refused.status if refused else 200


PATHS = ("/json/version", "/cdp", "/extension")


@pytest.mark.parametrize("path", PATHS)
def test_who_has_all_that_is_wanted_is_let_in(path: str) -> None:
    assert asked(path) == 200
    assert asked(path, ("user-agent", "x")) == 200
    for host in ("localhost", "[::1]", "LOCALHOST"):
        assert asked(path, ("host", f"{host}:{PORT}"), without="host") == 200


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        f"127.0.0.1.evil.example:{PORT}",
        f"localhost.evil.example:{PORT}",
        f"evil127.0.0.1:{PORT}",
        f"127.0.0.1:{PORT}@evil.example",
        f"user@127.0.0.1:{PORT}",
        f"127.0.0.1:{PORT}:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"0.0.0.0:{PORT}",
        f"127.1:{PORT}",
        f"2130706433:{PORT}",
        f"[::ffff:127.0.0.1]:{PORT}",
        f"::1:{PORT}",
        f"localhost.:{PORT}",
        "[::1",
        "[",
        "",
        "\xff\xfe",
        f"127.0.0.1:{PORT}, evil.example",
        f"http://127.0.0.1:{PORT}",
    ],
)
def test_no_other_host_is_served_on_pages_or_upgrades(path: str, host: str) -> None:
    assert asked(path, ("host", host), without="host") == 403


@pytest.mark.parametrize("path", PATHS)
def test_two_hosts_and_no_host_are_refused(path: str) -> None:
    assert asked(path, HOST) == 403
    assert asked(path, ("host", "evil.example")) == 403
    assert asked(path, without="host") == 403


ORIGINS = (
    "https://evil.example",
    "http://localhost:3000",
    "null",
    f"http://127.0.0.1:{PORT}",
    "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba",
    f"chrome-extension://{ID}.evil.example",
    f"chrome-extension://{ID}/",
    f"https://{ID}",
    f"moz-extension://{ID}",
    f"CHROME-EXTENSION://{ID}",
    "file://",
    "",
)


@pytest.mark.parametrize("path", [*ROUTES, "/elsewhere"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_no_web_page_and_no_other_extension_is_let_in_anywhere(path: str, origin: str) -> None:
    assert asked(path, ("origin", origin), without="origin") == 403
    assert asked(path, ("origin", origin), ORIGIN, without="origin") == 403
    referer = ("referer", f"chrome-extension://{ID}/")
    assert asked(path, ("origin", origin), referer, without="origin") == 403


def test_our_own_extension_reaches_its_own_route_and_nothing_else() -> None:
    for path in ROUTES:
        assert asked(path, ORIGIN, without="origin") == (200 if path == "/extension" else 403)


def test_only_an_origin_says_that_it_is_the_extension() -> None:
    assert asked("/extension", without="origin") == 403
    referer = ("referer", f"chrome-extension://{ID}/")
    assert asked("/extension", referer, without="origin") == 403
    assert asked("/extension", BEARER, without="origin", query=f"token={TOKEN}") == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "", "None"])
def test_what_a_page_fetches_is_refused(site: str) -> None:
    for path in ("/json/version", "/cdp", "/"):
        assert asked(path, ("sec-fetch-site", site)) == 403
        assert asked(path, ("sec-fetch-site", "none")) == 200
    assert asked("/json/version", ("sec-fetch-site", "none"), ("sec-fetch-site", site)) == 403


def test_every_route_wants_the_token_even_from_this_machine() -> None:
    assert len(ROUTES) == 10
    for path, kind in ROUTES.items():
        for spelt in (path, f"{path}/") if path != "/" else (path,):
            without = [(n, v) for n, v in (HOST, *UPGRADE) if kind == "client" or n == "host"]
            refused = DOOR.check(Request("GET", spelt, "", tuple(without)), PORT)
            assert refused is not None
            # The extension proves itself in another way; without its Origin it may not even try.
            assert refused.status == (403 if kind == "extension" else 401)
            assert TOKEN not in repr(refused)


@pytest.mark.parametrize(
    "path", ["/token", "/json/new", "/json/protocol", "/devtools", "/cdp/x", "/CDP", "//", "/cdp//"]
)
def test_there_is_nothing_elsewhere(path: str) -> None:
    assert asked(path) == 404
    assert asked(path, without="authorization") == 404
    assert route_of(path) == ""


@pytest.mark.parametrize("path", ["/json/version", "/cdp"])
def test_the_token_may_come_in_each_of_three_ways(path: str) -> None:
    assert asked(path, without="authorization", query=f"token={TOKEN}") == 200
    assert asked(path, ("authorization", f"bearer  {TOKEN}"), without="authorization") == 200
    offered = ("sec-websocket-protocol", f"{PROTOCOL}, {TOKEN_PROTOCOL}{TOKEN}")
    assert asked(path, offered, without="authorization") == 200
    assert asked(path, query=f"label=x&token={TOKEN}") == 200


@pytest.mark.parametrize(
    "given",
    ["", "x", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), f" {TOKEN} x", "ä" * 43, "\xff", "%00"],
)
def test_no_other_token_opens(given: str) -> None:
    query = f"token={given}"
    assert asked("/cdp", without="authorization", query=query) == 401
    assert asked("/cdp", ("authorization", f"Bearer {given}"), without="authorization") == 401
    offered = ("sec-websocket-protocol", f"{TOKEN_PROTOCOL}{given}")
    assert asked("/cdp", offered, without="authorization") == 401
    # Nor does a right one beside it.
    assert asked("/cdp", query=query) == 401
    assert asked("/cdp", offered) == 401
    assert asked("/cdp", ("authorization", f"Basic {TOKEN}"), without="authorization") == 401


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"])
def test_nothing_can_be_sent_only_asked(method: str) -> None:
    for path in ROUTES:
        assert asked(path, method=method) == 405
    # As a form of a web page sends it.
    origin = ("origin", "https://evil.example")
    assert asked("/json/version", origin, ("content-type", "text/plain"), method=method) == 403


def test_sockets_are_had_where_they_are_and_nowhere_else() -> None:
    assert asked("/cdp", without="upgrade") == 426
    assert asked("/extension", without="upgrade") == 426
    assert asked("/json/version", *UPGRADE) == 400


def test_the_address_is_for_who_asked_and_keeps_what_it_asked_with() -> None:
    headers = (("host", f"LocalHost:{PORT}"), BEARER)
    request = Request("GET", "/json/version/", "label=a%20b&attach=lazy", headers)
    found = urlsplit(DOOR.websocket_url(request))
    assert (found.scheme, found.netloc, found.path) == ("ws", f"localhost:{PORT}", "/cdp")
    assert parse_qsl(found.query) == [("token", TOKEN), ("label", "a b"), ("attach", "lazy")]
    request = Request("GET", "/json/version", f"x=1&token={TOKEN}", (HOST,))
    found = urlsplit(DOOR.websocket_url(request))
    assert parse_qsl(found.query) == [("token", TOKEN), ("x", "1")]


def test_the_subprotocol_agreed_on_is_one_that_was_offered() -> None:
    def agreed(*offered: str) -> str:
        headers = tuple(("sec-websocket-protocol", one) for one in offered)
        return DOOR.choose_subprotocol(Request("GET", "/cdp", "", headers))

    assert agreed() == ""
    assert agreed("other") == ""
    assert agreed(f"{TOKEN_PROTOCOL}{TOKEN}, {PROTOCOL}") == PROTOCOL
    assert agreed(f"{TOKEN_PROTOCOL}{TOKEN}") == f"{TOKEN_PROTOCOL}{TOKEN}"


def test_a_token_for_an_owner_lets_in_and_comes_back_in_the_address() -> None:
    token = make_url_token(TOKEN, "shop")
    request = Request("GET", "/json/version", f"token={token}", (HOST,))
    assert DOOR.check(request, PORT) is None
    assert DOOR.find_grant(DOOR.read_token(request)) == Grant("url-shop", "shop", shared=False)
    assert parse_qsl(urlsplit(DOOR.websocket_url(request)).query) == [("token", token)]


def test_two_different_tokens_let_nobody_in() -> None:
    good = make_url_token(TOKEN, "shop")
    request = Request("GET", "/json/version", f"token={TOKEN}&token={good}", (HOST,))
    refused = DOOR.check(request, PORT)
    assert refused is not None
    assert refused.status == 401


def test_nobody_is_let_in_while_the_tokens_cannot_be_read() -> None:
    refused = RequestAuth(lambda: None, ID).check(Request("GET", "/", "", (HOST, BEARER)), PORT)
    assert refused is not None
    assert refused.status == 401


headers = st.lists(
    st.tuples(
        st.sampled_from(
            ["host", "origin", "authorization", "sec-fetch-site", "sec-websocket-protocol"]
        ),
        st.text(st.characters(max_codepoint=255), max_size=40)
        | st.sampled_from([HOST[1], "none", "Bearer x", f"chrome-extension://{ID}"]),
    ),
    max_size=6,
)


@given(st.sampled_from([*ROUTES, "/x"]), st.text(st.characters(max_codepoint=127)), headers)
def test_nobody_who_does_not_hold_the_token_comes_in_whatever_they_say(
    path: str, query: str, said: list[tuple[str, str]]
) -> None:
    refused = DOOR.check(Request("GET", path, query, tuple(said)), PORT)
    assert refused is not None
    assert refused.status in (401, 403, 404, 426)
    assert TOKEN not in repr(refused)
