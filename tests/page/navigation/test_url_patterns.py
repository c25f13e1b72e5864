"""Which addresses a pattern means."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.page.navigation.url_patterns import chrome_pattern, url_matcher


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("**/api/*", "http://h/api/x", True),
        ("**/api/*", "http://h/v1/api/x?q=a/b", True),
        ("**/api/*", "http://h/api/x/y", False),
        ("**/api/**", "http://h/api/x/y", True),
        ("**/*.png", "http://h/a/b.png?v=1", True),
        ("**/*.{png,jpg}", "http://h/b.jpg", True),
        ("**/*.{png,jpg}", "http://h/b.gif", False),
        ("http://h/*?page=1", "http://h/list?page=1", True),
        ("http://h/*?page=1", "http://h/list?page=2", False),
        ("**", "http://h/", True),
        ("*", "http://h/", False),
        ("/login", "http://h/login?x", True),
        ("/login", "http://h/logout", False),
        ("a.b?c", "http://h/a.b?c=1", True),
        ("a.b", "http://h/axb", False),
        ("{x", "http://h/{x", True),
        ("re:/v\\d+/", "http://h/v12/x", True),
        ("re:^https:", "http://h/https:", False),
    ],
)
def test_pattern_means(pattern: str, url: str, fits: bool) -> None:
    assert url_matcher(pattern)(url) is fits


@pytest.mark.parametrize("pattern", ["", "x" * 3000, "re:("])
def test_pattern_that_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError) as refused:
        url_matcher(pattern)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("pattern", "chrome"),
    [
        ("**/api/*", "*/api/*"),
        ("/x?y", "*/x\\?y*"),
        ("http://h/*?y", "http://h/*\\?y"),
        ("**/*.{png,jpg}", "*/*.*"),
        ("re:x", "*"),
        ("a\\b", "*a\\\\b*"),
    ],
)
def test_chrome_gets_a_wider_pattern(pattern: str, chrome: str) -> None:
    assert chrome_pattern(pattern) == chrome


def as_chrome_does(pattern: str, url: str) -> bool:
    """`*` any characters, `?` one, a backslash takes the meaning away."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    said = {"*": ".*", "?": "."}
    escaped = (re.escape(p[1]) if p[0] == "\\" else said.get(p) or re.escape(p) for p in parts)
    return re.fullmatch("".join(escaped), url, re.DOTALL) is not None


@given(st.text("ab/.?*{},\\", min_size=1, max_size=12), st.text("ab/.?{},\\", max_size=12))
def test_chrome_stops_everything_that_is_meant(pattern: str, url: str) -> None:
    if url_matcher(pattern)(url):
        assert as_chrome_does(chrome_pattern(pattern), url)
