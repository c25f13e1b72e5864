"""Pages that are not what was asked for: a check for robots, a door that wants a login, or none at
all. Pure.

Knows: how such pages are titled and addressed, and Chrome's names for what failed. Must not know:
browsers. These are hints, never refusals: the agent decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

__all__ = ["auth_wall", "bot_check", "failed"]

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


# What to do about Chrome's errors, by a part of their names; the first that fits.
_ADVICE = (
    ("NAME_NOT_RESOLVED", "there is no such host: check the spelling of the address"),
    ("CONNECTION_REFUSED", "nothing listens there: check host and port, or start the server"),
    ("UNSAFE_PORT", "Chrome refuses this port: use another one"),
    ("CERT", "its certificate is not trusted: check the address, or use http"),
    ("SSL", "it does not speak TLS as Chrome does: check the address, or use http"),
    ("BLOCKED", "it is blocked, by the URL policy or by the browser: go elsewhere"),
    ("TOO_MANY_REDIRECTS", "it redirects in a circle: clear its cookies, or go elsewhere"),
    ("TIMED_OUT", "the host does not answer: try again later"),
    ("INTERNET_DISCONNECTED", "there is no network: check the connection or the emulation"),
    ("PROXY", "the proxy does not answer: check the settings"),
    ("EMPTY_RESPONSE", "the server closed the connection: try again later"),
    ("CONNECTION", "the connection broke: try again"),
)


def failed(arrival: Mapping[str, Any]) -> tuple[str, str]:
    """Why a navigation did not come to a page, and what to do about it."""
    if arrival["kind"] == "pending":
        why = "nothing came in time; the page from before is still there"
        return why, "check the address; a longer timeout helps if the site is slow"
    error = str(arrival.get("error", ""))
    if arrival["kind"] == "aborted":
        why = f"it was stopped ({error})" if error else "it was stopped"
        hint = "a page that asks before it is left stays if that dialog is dismissed"
        return f"{why}; the page from before is still there", hint
    advice = next((hint for part, hint in _ADVICE if part in error), "check the address")
    return error or "Chrome shows an error page", advice


def bot_check(title: str, status: int = 0) -> str:
    """A warning if the page looks like a check for robots."""
    if found := _ROBOT_TITLES.search(title):
        return f"the page looks like a check for robots ({found[0]!r} in its title)"
    if status in _REFUSALS:
        return f"the site answered {status}: it may refuse automated visits"
    return ""


def auth_wall(asked: str, url: str, title: str) -> str:
    """A warning if another page came than was asked for, and it wants a login."""
    went, wanted = urlsplit(url), urlsplit(asked)
    if (went.netloc, went.path) == (wanted.netloc, wanted.path):
        return ""  # who asks for a login page gets one
    if _LOGIN_PATHS.search(went.path) or _LOGIN_HOSTS.match(went.hostname or ""):
        return f"sent to a login: {went.scheme}://{went.netloc}{went.path}"
    if found := _LOGIN_TITLES.search(title):
        return f"another page came, which seems to want a login ({found[0]!r} in its title)"
    return ""
