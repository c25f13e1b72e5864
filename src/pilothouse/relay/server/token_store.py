"""The relay's tokens, in two private files.

    relay.token         the user's own token (paths.relay_token_path)
    relay.tokens.json   hashes of tokens created for owners, and counts of rotated URL tokens

Knows: the files. Must not know: what a token allows (security/relay_tokens.py).
"""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError, ToolError, UsageError, write_hint
from pilothouse.private_files import load_or_create_token
from pilothouse.relay.server.private_store import PrivateStore, write_private
from pilothouse.security.relay_tokens import (
    ATTACH_MODES,
    TokenBook,
    TokenRecord,
    make_created_token,
    make_url_token,
)

__all__ = ["TokenStore"]

MAX_TOKENS = 1000


class _StoredTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of relay.tokens.json."""

    tokens: dict[str, TokenRecord] = {}
    generations: dict[str, int] = {}


class TokenStore:
    """The tokens of one relay.

    Each method raises PilothouseError if others could have read or written the files, or if they
    cannot be written.
    """

    def __init__(self, own: Path) -> None:
        self.own_path = own
        self._store = PrivateStore(
            own.with_name("relay.tokens.json"),
            _StoredTokens,
            "tokens",
            "remove it, and create the tokens again: pilothouse relay token create",
        )

    @property
    def path(self) -> Path:
        """Return the path of the file with the created tokens."""
        return self._store.path

    def load(self) -> TokenBook:
        """Return all valid tokens. Creates the user's own if there is none."""
        stored = self._read()
        return TokenBook(self._load_own(), stored.tokens, stored.generations)

    def _load_own(self) -> str:
        try:
            self.own_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise PilothouseError(
                f"could not create {self.own_path.parent}: {error.strerror}",
                hint=write_hint(error),
            ) from None
        return load_or_create_token(self.own_path)

    def url_token(self, owner: str = "", attach: str = "owned") -> str:
        """Return the token for a URL: the user's own, or that of one owner."""
        book = self.load()
        if not owner:
            return book.own
        return make_url_token(book.own, owner, attach, book.generations.get(owner, 0))

    def create(
        self,
        owner: str,
        *,
        created: str,
        attach: str = "owned",
        label: str = "",
        files: tuple[str, ...] = (),
    ) -> tuple[str, str]:
        """Create a token for an owner. Returns its id and the token, which is not stored."""
        if not owner:
            raise ToolError(
                "owner: missing; expected the name of an owner",
                hint="run pilothouse relay token create --owner NAME",
            )
        if attach not in ATTACH_MODES:
            raise UsageError(
                f"attach: unknown value {attach!r}", hint=f"use one of {', '.join(ATTACH_MODES)}"
            )
        folders = tuple(str(_folder(folder)) for folder in files)
        name = secrets.token_hex(4)
        token, hashed = make_created_token(name, secrets.token_urlsafe(32))
        with self._store.lock():
            stored = self._read()
            if len(stored.tokens) >= MAX_TOKENS:
                raise ToolError(
                    f"there are {MAX_TOKENS} tokens already",
                    hint="revoke one: pilothouse relay token revoke ID",
                )
            record = TokenRecord(owner, hashed, created, attach, label, folders)
            self._store.write(replace(stored, tokens={**stored.tokens, name: record}))
        return name, token

    def revoke(self, name: str) -> bool:
        """Revoke a created token. Returns whether it existed."""
        with self._store.lock():
            stored = self._read()
            left = {key: one for key, one in stored.tokens.items() if key != name}
            if len(left) == len(stored.tokens):
                return False
            self._store.write(replace(stored, tokens=left))
        return True

    def rotate(self, owner: str = "") -> None:
        """Replace the user's own token, which also invalidates the URL tokens of all owners; with
        `owner`, only the URL tokens of that owner."""
        with self._store.lock():
            if not owner:
                write_private(self.own_path, secrets.token_urlsafe(32).encode())
                return
            stored = self._read()
            number = stored.generations.get(owner, 0) + 1
            self._store.write(replace(stored, generations={**stored.generations, owner: number}))

    def _read(self) -> _StoredTokens:
        return self._store.read() or _StoredTokens()


def _folder(given: str) -> Path:
    """Return a folder as an absolute path. Raises ToolError."""
    path = Path(given).expanduser()
    if not path.is_dir():
        raise ToolError(f"files: {given!r} is not a folder", hint="create it first")
    return path.resolve()
