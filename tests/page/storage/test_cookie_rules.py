"""Which cookies make sense."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.page.storage.cookie_rules import (
    hide_values,
    matches_filter,
    to_storage_state,
    validate_cookie,
)

GOOD = {"name": "a", "value": "1", "domain": "example.com"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": None}, "name"),
        ({"name": 3}, "name"),
        ({"name": "a=b"}, "name"),
        ({"name": "", "value": ""}, "name"),
        ({"value": "1;2"}, "value"),
        ({"value": "1\n2"}, "value"),
        ({"value": "x" * 5000}, "value"),
        ({"domain": "https://example.com"}, "domain"),
        ({"domain": "exa mple.com"}, "domain"),
        ({"domain": None}, "domain"),
        ({"domain": None, "url": "ftp://x"}, "url"),
        ({"path": "shop"}, "path"),
        ({"path": "/" + "x" * 2000}, "path"),
        ({"expires": "soon"}, "expires"),
        ({"expires": True}, "expires"),
        ({"secure": 1}, "secure"),
        ({"sameSite": "Sometimes"}, "sameSite"),
        ({"sameSite": "None"}, "secure"),
        ({"name": "__Secure-a"}, "secure"),
        ({"name": "__Host-a"}, "secure"),
        ({"name": "__Host-a", "secure": True, "path": "/x"}, "domain"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_cookie_is_refused_by_its_field(change: dict[str, Any], field: str) -> None:
    with pytest.raises(ToolError, match=rf"cookies\[2\]: {field}\b"):
        validate_cookie({**GOOD, **change}, where="cookies[2]")


def test_something_that_is_no_cookie_is_refused() -> None:
    with pytest.raises(ToolError, match="expected an object"):
        validate_cookie("a=1")


def test_a_cookie_without_a_place_is_for_the_page_shown_now() -> None:
    cookie = validate_cookie({"name": "a", "value": "1"}, default_url="https://example.com/x")
    assert (cookie["url"], cookie["secure"]) == ("https://example.com/x", True)


def test_a_cookie_of_the_host_alone_is_set_by_address() -> None:
    cookie = validate_cookie({**GOOD, "name": "__Host-a", "secure": True})
    assert cookie["url"] == "https://example.com/"
    assert "domain" not in cookie


def test_the_case_of_same_site_and_the_session_do_not_matter() -> None:
    cookie = validate_cookie({**GOOD, "sameSite": "lax", "expires": -1})
    assert cookie["sameSite"] == "Lax"
    assert "expires" not in cookie


def test_a_cookie_survives_its_file() -> None:
    stored = {
        **GOOD,
        "path": "/",
        "expires": 2e9,
        "httpOnly": True,
        "secure": True,
        "session": False,
        "size": 2,
        "sameSite": "None",
        "partitionKey": {"topLevelSite": "https://top.example", "hasCrossSiteAncestor": True},
    }
    form = to_storage_state(stored)
    assert form["partitionKey"] == "https://top.example"
    again = validate_cookie(form)
    assert again["partitionKey"] == stored["partitionKey"]
    assert (again["expires"], again["httpOnly"]) == (2e9, True)


@pytest.mark.parametrize(
    ("name", "domain", "path", "meant"),
    [
        ("a", "", "", True),
        ("", ".example.com", "", True),
        ("", "EXAMPLE.com", "/", True),
        ("b", "", "", False),
        ("", "other.com", "", False),
        ("a", "example.com", "/x", False),
    ],
)
def test_cookies_are_meant_by_name_domain_and_path(
    name: str, domain: str, path: str, meant: bool
) -> None:
    assert matches_filter({**GOOD, "path": "/"}, name, domain, path) is meant


def test_a_shown_cookie_keeps_its_value_to_itself() -> None:
    (told,) = hide_values([{**GOOD, "value": "hush-hush", "path": "/"}])
    assert told["value"] == "[9 characters]"
    assert "hush" not in str(told)
