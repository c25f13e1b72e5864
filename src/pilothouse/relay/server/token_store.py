"""The tokens of the relay, in two files of the user's alone.

    relay.token         the user's own
    relay.tokens.json   those that were created for owners, hashed, and what was replaced

Knows: the files. Must not know: what a token lets its holder do (security/relay_tokens.py). The
command line writes here while a relay may be running, so the files are read anew each time.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.paths import load_or_create_token, write_atomically
from pilothouse.security.relay_tokens import (
    ATTACH,
    TokenBook,
    TokenRecord,
    make_created_token,
    make_url_token,
)

__all__ = ["TokenStore"]

LARGEST_FILE = 1024 * 1024
MOST_TOKENS = 1000


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: dict[str, TokenRecord] = {}
    generations: dict[str, int] = {}


class TokenStore:
    """The tokens of one relay. Each method raises PilothouseError if others could have read or
    written the files, or if they cannot be written."""

    def __init__(self, own: Path) -> None:
        self.own_path = own
        self.path = own.with_name("relay.tokens.json")

    def load(self) -> TokenBook:
        """All that are good now; the user's own is made if there is none."""
        kept = self._read()
        return TokenBook(load_or_create_token(self.own_path), kept.tokens, kept.generations)

    def url_token(self, owner: str = "", attach: str = "owned") -> str:
        """The token for a URL: the user's own, or that of one owner."""
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
        """Make a token for an owner: its id and the token, which is kept nowhere."""
        if not owner:
            raise ToolError("owner: a token needs one", hint="relay token create --owner NAME")
        if attach not in ATTACH:
            raise ToolError(f"attach: unknown value {attach!r}", hint=f"one of {', '.join(ATTACH)}")
        folders = tuple(str(_folder(folder)) for folder in files)
        name = secrets.token_hex(4)
        token, hashed = make_created_token(name, secrets.token_urlsafe(32))
        with self._alone():
            kept = self._read()
            if len(kept.tokens) >= MOST_TOKENS:
                raise ToolError(f"there are {MOST_TOKENS} tokens", hint="relay token revoke ID")
            record = TokenRecord(owner, hashed, created, attach, label, folders)
            self._write(replace(kept, tokens={**kept.tokens, name: record}))
        return name, token

    def revoke(self, name: str) -> bool:
        """End a token that was created; whether there was one."""
        with self._alone():
            kept = self._read()
            left = {key: one for key, one in kept.tokens.items() if key != name}
            if len(left) == len(kept.tokens):
                return False
            self._write(replace(kept, tokens=left))
        return True

    def rotate(self, owner: str = "") -> None:
        """Replace the user's own token, and with it those in all URLs of owners; or only those in
        the URLs of one owner."""
        with self._alone():
            if not owner:
                self._put(self.own_path, secrets.token_urlsafe(32).encode())
                return
            kept = self._read()
            number = kept.generations.get(owner, 0) + 1
            self._write(replace(kept, generations={**kept.generations, owner: number}))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Between reading and writing nobody else writes."""
        try:
            lock = os.open(
                self.path.with_name(f"{self.path.name}.lock"),
                os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o600,
            )
        except OSError as error:
            raise PilothouseError(
                f"{self.path}: {error.strerror}", hint="check the directory"
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _read(self) -> _Kept:
        wrong = PilothouseError(
            f"{self.path} is not a file of yours alone, or does not hold tokens",
            hint="remove it, and create the tokens again: pilothouse relay token create",
        )
        try:
            opened = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return _Kept()
        except OSError:
            raise wrong from None
        with os.fdopen(opened, "rb") as file:
            found = os.fstat(file.fileno())
            alone = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
            if not alone or not stat.S_ISREG(found.st_mode):
                raise wrong
            data = file.read(LARGEST_FILE)
        try:
            return msgspec.json.decode(data, type=_Kept)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise wrong from None

    def _write(self, kept: _Kept) -> None:
        self._put(self.path, msgspec.json.format(msgspec.json.encode(kept), indent=1))

    def _put(self, path: Path, data: bytes) -> None:
        try:
            write_atomically(path, data)
        except OSError as error:
            raise PilothouseError(
                f"could not write {path}: {error.strerror}", hint="free space on that disk"
            ) from None


def _folder(given: str) -> Path:
    """A folder as it is kept. Raises ToolError."""
    path = Path(given).expanduser()
    if not path.is_dir():
        raise ToolError(f"files: {given!r} is no folder", hint="make it first")
    return path.resolve()
