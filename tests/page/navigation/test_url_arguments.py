"""Addresses as agents write them: pure."""

from __future__ import annotations

import re

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.navigation.url_arguments import (
    describe_pattern,
    normalize_url,
    pattern_matcher,
)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("example.com", "https://example.com"),
        (" example.com/a?b#c ", "https://example.com/a?b#c"),
        ("example.com:8080/x", "https://example.com:8080/x"),
        ("//example.com", "https://example.com"),
        ("localhost", "http://localhost"),
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("a.localhost:3000", "http://a.localhost:3000"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("HTTP://Example.com", "HTTP://Example.com"),
        ("about:blank", "about:blank"),
        ("data:text/html,<p>", "data:text/html,<p>"),
        ("blob:http://a/1", "blob:http://a/1"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("localhost.example.com", "https://localhost.example.com"),
    ],
)
def test_a_scheme_is_added_where_there_is_none(given: str, meant: str) -> None:
    assert normalize_url(given) == meant


@pytest.mark.parametrize(
    "given",
    [
        "",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "chrome://version",
        "devtools://devtools",
        "view-source:http://a/",
        "chrome-extension://abc/x.html",
        "about:config",
        "file:///etc/passwd",
        "http://",
        "http://:80/",
        "https://exa mple.com/",
        "http://a:port/",
    ],
)
def test_what_may_not_be_gone_to_is_refused_with_advice(given: str) -> None:
    with pytest.raises(ToolError) as caught:
        normalize_url(given)
    assert caught.value.hint


def test_files_are_gone_to_where_they_are_allowed() -> None:
    assert normalize_url("file:///tmp/a.html", files=True) == "file:///tmp/a.html"


def test_a_pattern_is_text_a_glob_or_an_expression() -> None:
    url = "http://a/api/v1/items?page=2"
    for pattern in ("/v1/", "**/api/**", "http://a/*/v1/items", re.compile(r"v\d")):
        assert pattern_matcher(pattern)(url), pattern
    for pattern in ("/v2/", "**/apis/**", "http://a/*", re.compile(r"v\d$")):
        assert not pattern_matcher(pattern)(url), pattern


def test_patterns_are_shown_as_they_were_written() -> None:
    assert describe_pattern("**/x") == "'**/x'"
    assert describe_pattern(re.compile("x+")) == "/x+/"
    assert describe_pattern(len) == "the predicate"
