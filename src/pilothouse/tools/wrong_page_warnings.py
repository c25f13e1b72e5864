"""Recognize pages that are not the requested one: bot checks, login pages, failed loads. Pure.

Knows: typical titles and URLs of such pages, and Chrome's network error names. Must not know:
browsers. The results are warnings: the agent decides what to do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

__all__ = ["bot_check_warning", "explain_failed_navigation", "login_wall_warning"]

_ROBOT_TITLES = re.compile(
    r"just a moment|checking your browser|attention required|verify (?:that )?you(?: are|'re) "
    r"(?:a )?human|are you (?:a )?(?:human|robot)|not a robot|captcha|access (?:to this page )?"
    r"(?:has been )?denied|unusual traffic|bot (?:check|detection|protection)|ddos[- ]guard|"
    r"security (?:check|verification|challenge)|pardon our interruption|please wait\W*verifying",
    re.IGNORECASE,
)
_LOGIN_TITLES = re.compile(
    r"(?:sign|log)[ -]?in\b|\blogin\b|log on to|authenticat|session (?:has )?expired|"
    r"single sign[- ]on|anmelden|iniciar sesi|se connecter",
    re.IGNORECASE,
)
_LOGIN_PATHS = re.compile(
    r"/(?:log[-_]?in|log[-_]?on|sign[-_]?in|signon|sso|auth|authorize|oauth2?|saml2?|openid|"
    r"session/new|sessions/new|account/login|users/sign_in|checkpoint)(?:[/.?]|$)",
    re.IGNORECASE,
)
_LOGIN_HOSTS = re.compile(r"^(?:login|signin|sso|auth|accounts|idp|id)\.", re.IGNORECASE)
_REFUSALS = (403, 429, 503)


# Advice by a part of Chrome's error name, such as net::ERR_NAME_NOT_RESOLVED; the first match wins.
_ADVICE = (
    ("NAME_NOT_RESOLVED", "check the spelling: this host does not exist"),
    ("CONNECTION_REFUSED", "check host and port, or start the server: nothing listens there"),
    ("UNSAFE_PORT", "use another port: Chrome refuses this one"),
    ("CERT", "check the URL, or use http: the certificate is not trusted"),
    ("SSL", "check the URL, or use http: the TLS handshake failed"),
    ("BLOCKED", "use another URL: the URL policy or the browser blocks this one"),
    ("TOO_MANY_REDIRECTS", "clear the site's cookies, or use another URL: it redirects in a loop"),
    ("TIMED_OUT", "try again later: the host does not answer"),
    (
        "INTERNET_DISCONNECTED",
        "check the connection, or end offline emulation: there is no network",
    ),
    ("PROXY", "check the proxy settings: the proxy does not answer"),
    ("EMPTY_RESPONSE", "try again later: the server closed the connection without a response"),
    ("CONNECTION", "try again: the connection broke"),
)


def explain_failed_navigation(arrival: Mapping[str, Any]) -> tuple[str, str]:
    """Return why a navigation did not reach a page, and a hint."""
    if arrival["kind"] == "pending":
        why = "no response within the timeout; the previous page is still there"
        return why, "check the URL; give a longer timeout if the site is slow"
    error = str(arrival.get("error", ""))
    if arrival["kind"] == "aborted":
        why = f"the navigation was aborted ({error})" if error else "the navigation was aborted"
        hint = "navigate again; accept a beforeunload dialog to leave the page"
        return f"{why}; the previous page is still there", hint
    advice = next((hint for part, hint in _ADVICE if part in error), "check the URL")
    return error or "Chrome shows an error page", advice


def bot_check_warning(title: str, status: int = 0) -> str:
    """Return a warning if the page looks like a bot check; else ""."""
    if found := _ROBOT_TITLES.search(title):
        return f"the page looks like a bot check ({found[0]!r} in its title)"
    if status in _REFUSALS:
        return f"the site responded with status {status}: it may refuse automated visits"
    return ""


def login_wall_warning(requested: str, url: str, title: str) -> str:
    """Return a warning if the site redirected to a login page; else ""."""
    went, wanted = urlsplit(url), urlsplit(requested)
    if (went.netloc, went.path) == (wanted.netloc, wanted.path):
        return ""  # the login page itself was requested
    if _LOGIN_PATHS.search(went.path) or _LOGIN_HOSTS.match(went.hostname or ""):
        return f"redirected to a login page: {went.scheme}://{went.netloc}{went.path}"
    if found := _LOGIN_TITLES.search(title):
        return f"redirected to a page that seems to want a login ({found[0]!r} in its title)"
    return ""
