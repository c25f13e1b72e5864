"""Decides what a token of the relay lets its holder do. Pure.

There are three kinds:

- the user's own token: acts as any owner, sees every tab that the user shares;
- `owner.NAME.ATTACH_MODES.MAC`, which `pilothouse relay url --owner` prints: derived from the
user's own
  token, so nothing is stored and the same URL is printed each time;
- `token.ID.SECRET`, which `pilothouse relay token create` makes: only a hash of its secret is
  stored.

The last two act as one owner and see what belongs to that owner.

Knows: the form of tokens, and how to compare them. Must not know: files, requests.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = [
    "ATTACH_MODES",
    "OWN_TOKEN",
    "Grant",
    "TokenBook",
    "TokenRecord",
    "make_created_token",
    "make_url_token",
]

OWN_TOKEN = "own"
ATTACH_MODES = ("owned", "lazy", "eager")
MIN_TOKEN_LENGTH = 32
_OWNER, _TOKEN = "owner", "token"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the holder of a token may do. `id` identifies the token in lists and logs."""

    id: str
    # The owner that it acts as; empty: any.
    owner: str = ""
    # Whether it sees tabs of the user's Chrome that belong to no owner.
    shared: bool = True
    # Folders that files may be uploaded from and downloaded to.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A created token as it is stored: without its secret."""

    owner: str
    hash: str
    created: str = ""
    attach: str = "owned"
    label: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenBook:
    """All valid tokens."""

    own: str = field(repr=False)
    tokens: Mapping[str, TokenRecord] = field(default_factory=dict)
    # How often the URL token of each owner was rotated.
    generations: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.own) < MIN_TOKEN_LENGTH:
            raise ValueError(f"the token is shorter than {MIN_TOKEN_LENGTH} characters")

    def find_grant(self, token: str) -> Grant | None:
        """Return what a token permits; None if it is not valid."""
        if hmac.compare_digest(token.encode(), self.own.encode()):
            return Grant(OWN_TOKEN)
        kind, *rest = token.split(".")
        if kind == _TOKEN and len(rest) == 2:
            return self._find_created(*rest)
        if kind == _OWNER and len(rest) == 3:
            return self._find_url_grant(token, *rest[:2])
        return None

    def _find_created(self, name: str, secret: str) -> Grant | None:
        found = self.tokens.get(name)
        # Compare even if there is no such token, so that the time reveals nothing.
        matches = hmac.compare_digest(_hash(secret), found.hash if found is not None else _hash(""))
        if found is None or not matches:
            return None
        return Grant(name, found.owner, found.attach != "owned", found.files)

    def _find_url_grant(self, token: str, name: str, attach: str) -> Grant | None:
        try:
            owner = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode()
        except (binascii.Error, ValueError):
            return None
        if not owner or attach not in ATTACH_MODES:
            return None
        expected = make_url_token(self.own, owner, attach, self.generations.get(owner, 0))
        if not hmac.compare_digest(token.encode(), expected.encode()):
            return None
        return Grant(f"url-{owner}", owner, attach != "owned")


def make_url_token(own: str, owner: str, attach: str = "owned", generation: int = 0) -> str:
    """Derive the token in the URL of an owner."""
    message = f"pilothouse relay\0{owner}\0{attach}\0{generation}".encode()
    mac = hmac.new(own.encode(), message, hashlib.sha256).digest()
    return f"{_OWNER}.{_plain(owner.encode())}.{attach}.{_plain(mac)}"


def make_created_token(name: str, secret: str) -> tuple[str, str]:
    """Return the token with this id and secret, and the hash to store."""
    return f"{_TOKEN}.{name}.{secret}", _hash(secret)


def _hash(secret: str) -> str:
    # A slow hash would add nothing: the secret is long and random.
    return hashlib.sha256(secret.encode()).hexdigest()


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
