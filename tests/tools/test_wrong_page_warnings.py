"""Checks for robots and logins are told from pages by how they look."""

from __future__ import annotations

import pytest

from pilothouse.tools.wrong_page_warnings import (
    bot_check_warning,
    explain_failed_navigation,
    login_wall_warning,
)


@pytest.mark.parametrize(
    "title",
    [
        "Just a moment...",
        "Attention Required! | Somebody",
        "Verify you are human",
        "Are you a robot?",
        "Access Denied",
        "Access to this page has been denied",
        "Security Check",
        "reCAPTCHA challenge",
    ],
)
def test_titles_of_checks_for_robots(title: str) -> None:
    assert "bot check" in bot_check_warning(title)


@pytest.mark.parametrize("title", ["News", "A moment in time", "Robots of the world", ""])
def test_titles_of_other_pages(title: str) -> None:
    assert bot_check_warning(title, 200) == ""


@pytest.mark.parametrize("status", [403, 429, 503])
def test_refusing_status_is_pointed_out(status: int) -> None:
    assert f"status {status}" in bot_check_warning("Shop", status)
    assert bot_check_warning("Shop", 404) == ""


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("https://a.test/login?next=/x", "A"),
        ("https://a.test/users/sign_in", "A"),
        ("https://a.test/oauth2/authorize", "A"),
        ("https://login.a.test/", "A"),
        ("https://a.test/other", "Sign in - A"),
        ("https://a.test/other", "Log in to A"),
    ],
)
def test_login_instead_of_the_page(url: str, title: str) -> None:
    assert "login" in login_wall_warning("https://a.test/inbox", url, title)


@pytest.mark.parametrize(
    ("asked", "url", "title"),
    [
        ("https://a.test/login", "https://a.test/login?x=1", "Log in"),
        ("https://a.test/inbox", "https://a.test/inbox#top", "Log in or read"),
        ("https://a.test/", "https://a.test/home", "Home"),
        ("https://a.test/", "https://a.test/authors/poe", "Authors"),
    ],
)
def test_pages_that_were_asked_for_or_want_nothing(asked: str, url: str, title: str) -> None:
    assert login_wall_warning(asked, url, title) == ""


@pytest.mark.parametrize(
    ("arrival", "why", "hint"),
    [
        (
            {"kind": "error_page", "error": "net::ERR_NAME_NOT_RESOLVED"},
            "NAME",
            "this host does not exist",
        ),
        (
            {"kind": "error_page", "error": "net::ERR_CONNECTION_REFUSED"},
            "REFUSED",
            "host and port",
        ),
        ({"kind": "error_page", "error": "net::ERR_CERT_DATE_INVALID"}, "CERT", "certificate"),
        ({"kind": "error_page", "error": "net::ERR_ODD"}, "ODD", "check the URL"),
        ({"kind": "error_page"}, "error page", "check the URL"),
        ({"kind": "aborted", "error": "net::ERR_ABORTED"}, "still there", "beforeunload"),
        ({"kind": "pending"}, "still there", "longer timeout"),
    ],
)
def test_a_navigation_that_failed_says_why_and_what_helps(
    arrival: dict[str, str], why: str, hint: str
) -> None:
    told, advice = explain_failed_navigation(arrival)
    assert why in told
    assert hint in advice
    assert ("timeout" in advice) == (arrival["kind"] == "pending")
