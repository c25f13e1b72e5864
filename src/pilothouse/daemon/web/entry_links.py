"""One-time links to the dashboard, and the sessions that people get for them. Pure.

    secret = links.create(now)                # stands after `#` in the link
    session = links.redeem(secret, now)       # once, within 60 s
    links.is_session(session.cookie, session.csrf, now)

Only digests are kept, so a copy of the daemon's memory lets nobody in by a link that was not used
yet. All of it ends with the daemon.

Knows: secrets, and when they end. Must not know: HTTP, or what a session may do.
"""

from __future__ import annotations

import hashlib
import secrets

import msgspec

__all__ = ["LINK_S", "EntryLinks", "EntrySession"]

LINK_S = 60.0
SESSION_IDLE_S = 12 * 3600.0
MAX_LINKS = 16
MAX_SESSIONS = 32


class EntrySession(msgspec.Struct, frozen=True):
    """What a person's browser gets for a link: a cookie, and a value that pages of other ports
    cannot read."""

    cookie: str
    csrf: str


class EntryLinks:
    """The unused links and the sessions of one daemon. `now` is a monotonic time in seconds."""

    def __init__(self) -> None:
        # By digest, oldest first: when each link was made; each session's csrf and last use.
        self._links: dict[bytes, float] = {}
        self._sessions: dict[bytes, tuple[bytes, float]] = {}

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._sessions)

    def create(self, now: float) -> str:
        """Return the secret of a new link."""
        self._forget_old(now)
        secret = secrets.token_urlsafe(32)
        self._links[_digest(secret)] = now
        while len(self._links) > MAX_LINKS:
            del self._links[next(iter(self._links))]
        return secret

    def redeem(self, secret: str, now: float) -> EntrySession | None:
        """Use up a link and return a session; None if it is unknown, used or too old."""
        self._forget_old(now)
        if self._links.pop(_digest(secret), None) is None:
            return None
        made = EntrySession(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        self._sessions[_digest(made.cookie)] = _digest(made.csrf), now
        while len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return made

    def is_session(self, cookie: str, csrf: str, now: float) -> bool:
        """Return whether both values belong to one session; this keeps it from ending idle."""
        self._forget_old(now)
        key = _digest(cookie)
        known = self._sessions.get(key)
        if known is None or not secrets.compare_digest(known[0], _digest(csrf)):
            return False
        del self._sessions[key]  # to the end: most recently used
        self._sessions[key] = known[0], now
        return True

    def end(self, cookie: str) -> None:
        """End one session."""
        self._sessions.pop(_digest(cookie), None)

    def revoke_all(self) -> int:
        """End all links and sessions; return how many sessions there were."""
        count = len(self._sessions)
        self._links.clear()
        self._sessions.clear()
        return count

    def _forget_old(self, now: float) -> None:
        self._links = {key: at for key, at in self._links.items() if now - at < LINK_S}
        self._sessions = {
            key: kept for key, kept in self._sessions.items() if now - kept[1] < SESSION_IDLE_S
        }


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
