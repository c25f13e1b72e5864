"""What a token of the relay lets its holder do. Pure.

There are three kinds:

- the user's own: acts as any owner, sees every tab that the user shares;
- `owner.NAME.ATTACH.MAC`, which `pilothouse relay url --owner` prints: made from the user's own
  token, so that nothing is stored and the same URL is printed each time;
- `token.ID.SECRET`, which `pilothouse relay token create` makes: of its secret only a hash is kept.

The last two act as one owner and see what is that owner's.

Knows: how tokens are spelled and compared. Must not know: files, requests.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ATTACH", "OWN", "Grant", "TokenBook", "TokenRecord", "created_token", "url_token"]

OWN = "own"
ATTACH = ("owned", "lazy", "eager")
SHORTEST_TOKEN = 32
_OWNER, _TOKEN = "owner", "token"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the holder of a token may do. `id` names the token in lists and logs."""

    id: str
    # The one owner it acts as; "" for any.
    owner: str = ""
    # Whether it sees tabs of the user's Chrome that are no owner's.
    shared: bool = True
    # Folders that files may be uploaded from and downloaded to.
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token that was created, as it is kept: without its secret."""

    owner: str
    hash: str
    created: str = ""
    attach: str = "owned"
    label: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenBook:
    """All tokens that are good now."""

    own: str = field(repr=False)
    tokens: Mapping[str, TokenRecord] = field(default_factory=dict)
    # How often the tokens in an owner's URLs were replaced.
    generations: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.own) < SHORTEST_TOKEN:
            raise ValueError("the token is too short to keep anybody out")

    def grant(self, token: str) -> Grant | None:
        """What a token lets its holder do; None if it is good for nothing."""
        if hmac.compare_digest(token.encode(), self.own.encode()):
            return Grant(OWN)
        kind, *rest = token.split(".")
        if kind == _TOKEN and len(rest) == 2:
            return self._created(*rest)
        if kind == _OWNER and len(rest) == 3:
            return self._of_url(token, *rest[:2])
        return None

    def _created(self, name: str, secret: str) -> Grant | None:
        found = self.tokens.get(name)
        # Compared even if there is none: how long it takes tells nothing.
        good = hmac.compare_digest(_hash(secret), found.hash if found is not None else _hash(""))
        if found is None or not good:
            return None
        return Grant(name, found.owner, found.attach != "owned", found.files)

    def _of_url(self, token: str, name: str, attach: str) -> Grant | None:
        try:
            owner = base64.urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode()
        except (binascii.Error, ValueError):
            return None
        if not owner or attach not in ATTACH:
            return None
        right = url_token(self.own, owner, attach, self.generations.get(owner, 0))
        if not hmac.compare_digest(token.encode(), right.encode()):
            return None
        return Grant(f"url-{owner}", owner, attach != "owned")


def url_token(own: str, owner: str, attach: str = "owned", generation: int = 0) -> str:
    """The token for the URL of an owner."""
    said = f"pilothouse relay\0{owner}\0{attach}\0{generation}".encode()
    mac = hmac.new(own.encode(), said, hashlib.sha256).digest()
    return f"{_OWNER}.{_plain(owner.encode())}.{attach}.{_plain(mac)}"


def created_token(name: str, secret: str) -> tuple[str, str]:
    """A token of this id and secret, and the hash to keep of it."""
    return f"{_TOKEN}.{name}.{secret}", _hash(secret)


def _hash(secret: str) -> str:
    # The secret is random and long: a slow hash would add nothing.
    return hashlib.sha256(secret.encode()).hexdigest()


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
