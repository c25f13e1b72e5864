"""Private files of the user: tokens that only this user may read, and writes of a whole file or
nothing.

Imported on every command line call, so expensive modules (pathlib, typing) are imported late.
"""

from __future__ import annotations

import os

from pilothouse.errors import PilothouseError, write_hint

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["load_or_create_token", "write_atomically"]


def load_or_create_token(path: Path) -> str:
    """Read the token in a private file, or create the file.

    Raises PilothouseError if other users could have read or written it, or if it cannot be written.
    """
    import secrets

    if os.path.lexists(path):
        return _read_token(path)
    token = secrets.token_urlsafe(32)
    try:
        write_atomically(path, token.encode(), replace=False)
    except FileExistsError:
        return _read_token(path)  # another process created it meanwhile
    except OSError as error:
        raise PilothouseError(
            f"could not write {path}: {error.strerror}", hint=write_hint(error)
        ) from None
    return token


def write_atomically(
    path: str | os.PathLike[str], data: bytes, mode: int = 0o600, *, replace: bool = True
) -> None:
    """Write a whole file or nothing.

    On a full disk the older file stays, and no temporary file is left. A device or pipe is written
    to directly. Raises OSError; with replace=False FileExistsError if the file exists.
    """
    import stat

    final = os.fspath(path)
    if replace:
        final = os.path.realpath(final)  # replace what a symlink points to, not the symlink
        if os.path.exists(final) and not stat.S_ISREG(os.stat(final).st_mode):
            with open(final, "wb") as special:
                special.write(data)
            return
    draft = f"{final}.{os.urandom(4).hex()}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if replace:
            os.replace(draft, final)
        else:
            # Unlike a rename, a hard link fails if the file exists.
            os.link(draft, final)
    finally:
        if os.path.lexists(draft):  # os.replace has moved it; os.link and errors leave it
            os.unlink(draft)


def _read_token(path: Path) -> str:
    import re
    import stat

    wrong = PilothouseError(
        f"{path} is not a private token file of yours", hint="remove it; a new one is created"
    )
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        raise wrong from None
    with os.fdopen(descriptor) as file:
        found = os.fstat(file.fileno())
        is_private = found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
        token = file.read(100)
    is_token = stat.S_ISREG(found.st_mode) and re.fullmatch(r"[A-Za-z0-9_-]{43}", token)
    if not (is_private and is_token):
        raise wrong
    return token
