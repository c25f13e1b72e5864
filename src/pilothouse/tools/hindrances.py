"""Pages that are not what was asked for: a check for robots, or a door that wants a login. Pure.

Knows: how such pages are titled and addressed. Must not know: browsers. These are hints, never
refusals: the agent decides.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

__all__ = ["auth_wall", "bot_check"]

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
