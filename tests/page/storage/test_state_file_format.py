"""Saved states as values."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.storage.state_file_format import (
    OriginState,
    build_state,
    origin_of,
    parse_state,
)

COOKIE = {"name": "a", "value": "1", "domain": "example.com", "path": "/"}


@pytest.mark.parametrize(
    ("state", "place"),
    [
        ([], "state: expected an object"),
        ({}, "neither cookies nor origins"),
        ({"cookies": {}}, "cookies: expected a list"),
        ({"cookies": [COOKIE, {**COOKIE, "path": "x"}]}, r"cookies\[1\]: path"),
        ({"cookies": [{"name": "a", "value": "1"}]}, r"cookies\[0\]: domain"),
        ({"origins": [{}]}, r"origins\[0\]\.origin"),
        ({"origins": [{"origin": "example.com"}]}, "not a web origin"),
        ({"origins": [{"origin": "file:///etc"}]}, "not a web origin"),
        ({"origins": [{"origin": "https://a.example/x"}]}, "not a web origin"),
        ({"origins": [{"origin": "https://a.example:99999"}]}, "not a web origin"),
        (
            {"origins": [{"origin": "https://a.example", "localStorage": {"a": "1"}}]},
            r"origins\[0\]\.localStorage: expected a list",
        ),
        (
            {"origins": [{"origin": "https://a.example", "localStorage": [{"name": "a"}]}]},
            r"origins\[0\]\.localStorage\[0\]",
        ),
        (
            {"origins": [{"origin": "https://a.example"}, {"origin": "https://A.example:443"}]},
            "twice",
        ),
    ],
)
def test_a_state_that_makes_no_sense_is_refused_where_it_does_not(state: Any, place: str) -> None:
    with pytest.raises(ToolError, match=place):
        parse_state(state)


def test_what_is_built_is_parsed_again() -> None:
    origin = OriginState("https://a.example", {"k": "v"}, {"s": "w"})
    stored = {**COOKIE, "expires": -1, "session": True, "httpOnly": False, "secure": False}
    parsed = parse_state(build_state([stored], [origin, OriginState("https://b.example", {})]))
    assert parsed.origins == (origin,)
    assert [cookie["name"] for cookie in parsed.cookies] == ["a"]
    assert parsed.ignored == ()


def test_what_is_not_restored_is_named() -> None:
    entry = {"origin": "https://a.example", "localStorage": [], "indexedDB": []}
    parsed = parse_state({"cookies": [], "origins": [entry], "extra": 1})
    assert parsed.ignored == ("extra", "origins[0].indexedDB")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Example.com:443/a?b#c", "https://example.com"),
        ("http://localhost:8080/", "http://localhost:8080"),
        ("http://[::1]:80/x", "http://[::1]"),
        ("about:blank", ""),
        ("data:text/html,x", ""),
        ("http://a:b:c/", ""),
    ],
)
def test_an_address_has_the_origin_a_page_would_name(url: str, origin: str) -> None:
    assert origin_of(url) == origin
