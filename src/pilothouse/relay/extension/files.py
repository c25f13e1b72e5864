"""The extension's files: where they are, how they get to the user, and the secret that goes along.

    install(folder, port)   copies them to a folder of the user's and pairs the copy
    installed(folder)       what is there, or None

Knows: files and modes. Must not know: sockets, or what the extension does. Chrome loads the copy
(`Load unpacked`), so an upgrade of Pilothouse never changes a running extension under its feet.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from base64 import b64decode
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.page.world import read_only_script_table
from pilothouse.relay.server import PairingStore, is_install, new_secret

__all__ = [
    "EXTENSION_ID",
    "Installed",
    "data_dir",
    "default_folder",
    "id_of_key",
    "install",
    "installed",
    "is_known",
    "pairings_path",
    "source_dir",
    "source_version",
]

# Follows from the key in the manifest; a test holds them together.
EXTENSION_ID = "pghelcmpnljfajfjjdipjipocoahkpda"
# What our own readers look like: the extension lets them through under "read only".
SCRIPTS = "scripts.json"
PAIRING = "pairing.json"
DEFAULT_PORT = 19222


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed copy of the extension."""

    folder: Path
    version: str
    install: str = ""
    port: int = DEFAULT_PORT
    # Whether a copy was there before, and whether this one has another secret than it.
    upgraded: bool = False
    repaired: bool = False
    secret: str = field(default="", repr=False)

    @property
    def paired(self) -> bool:
        """Whether it carries a secret."""
        return bool(self.secret)


def id_of_key(key: str) -> str:
    """The id that Chrome gives an extension with this public key."""
    digest = hashlib.sha256(b64decode(key)).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)


def source_dir() -> Path:
    """The files as they came with Pilothouse. Raises PilothouseError where they are missing."""
    package = Path(__file__).resolve().parents[2]
    # In a wheel they lie within the package; in a checkout at its root.
    for found in (package / "_extension", package.parent.parent / "extension"):
        if (found / "manifest.json").is_file():
            return found
    raise PilothouseError("the extension's files are missing", hint="install pilothouse again")


def source_version() -> str:
    """The version of the extension that came with Pilothouse."""
    return str(_manifest(source_dir())["version"])


def data_dir() -> Path:
    """Where the user's things are kept that outlive a daemon."""
    if named := os.environ.get("PILOTHOUSE_DATA_DIR"):
        return Path(os.path.abspath(os.path.expanduser(named)))
    base = os.environ.get("XDG_DATA_HOME", "")
    # What is not absolute there is to be ignored, says the standard.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share"
    return root / "pilothouse"


def pairings_path() -> Path:
    """The relay's own record of the secrets."""
    return data_dir() / "pairings.json"


def default_folder() -> Path:
    """Where the extension is installed unless another folder is named."""
    return data_dir() / "extension"


def installed(folder: Path | None = None) -> Installed | None:
    """The copy in a folder; None if there is none."""
    where = folder if folder is not None else default_folder()
    try:
        version = str(_manifest(where)["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    pairing = _pairing(where)
    if pairing is None:
        return Installed(where, version)
    return Installed(where, version, pairing["install"], pairing["port"], secret=pairing["secret"])


def is_known(copy: Installed, pairings: PairingStore | None = None) -> bool:
    """Whether the relay's record has the same secret as a copy. Raises PilothouseError."""
    known = pairings if pairings is not None else PairingStore(pairings_path())
    return copy.paired and known.secret_of(copy.install) == copy.secret


def install(
    folder: Path | None = None,
    port: int | None = None,
    pairings: PairingStore | None = None,
    *,
    share: str = "",
) -> Installed:
    """Copy the extension to a folder and pair it. A copy that is there is replaced as a whole and
    keeps its pairing, unless it was unpaired: then it gets a new one. `share` is what it shares at
    first, "picked" tabs or "all"; without it the user is asked. Raises PilothouseError."""
    where = folder if folder is not None else default_folder()
    known = pairings if pairings is not None else PairingStore(pairings_path())
    before = _replaceable(where)
    wanted = port if port is not None else before.port if before else DEFAULT_PORT
    if not 0 < wanted < 65536:
        raise PilothouseError(f"{wanted} is no port", hint="a port is 1 to 65535")
    kept = before is not None and is_known(before, known)
    if before and kept:
        name, secret = before.install, before.secret
    else:
        name, secret = f"install-{secrets.token_hex(8)}", new_secret()
    try:
        first = {"share": share} if share else {}
        _swap_in(where, {"install": name, "secret": secret, "port": wanted, **first})
    except OSError as error:
        raise PilothouseError(
            f"{error.filename or where}: {error.strerror}", hint="name another folder: --to"
        ) from None
    # The relay's record last: a copy that could not be made leaves no secret behind.
    known.keep(name, secret)
    version = str(_manifest(where)["version"])
    return Installed(
        where, version, name, wanted, upgraded=before is not None, repaired=not kept, secret=secret
    )


def _replaceable(where: Path) -> Installed | None:
    """The copy that is there. Raises PilothouseError if the folder holds something else."""
    try:
        empty = not any(where.iterdir())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PilothouseError(f"{where}: {error.strerror}", hint="name another folder") from None
    if empty:
        return None
    before = installed(where)
    if before is None or id_of_key(str(_manifest(where).get("key", ""))) != EXTENSION_ID:
        raise PilothouseError(
            f"{where} holds something else", hint="name an empty folder, or one to be made"
        )
    return before


def _swap_in(where: Path, pairing: dict[str, Any]) -> None:
    """Make the whole copy beside its place, then put it there in one step."""
    where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = secrets.token_hex(4)
    new, old = (where.with_name(f".{where.name}.{kind}-{mark}") for kind in ("new", "old"))
    try:
        new.mkdir(mode=0o700)
        shutil.copytree(source_dir(), new, dirs_exist_ok=True, copy_function=shutil.copyfile)
        # copytree gives the folder the mode of the original.
        new.chmod(0o700)
        opened = os.open(new / PAIRING, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w") as file:
            json.dump(pairing, file)
        (new / SCRIPTS).write_text(json.dumps(read_only_script_table()), "utf-8")
        if where.exists():
            where.rename(old)
        new.rename(where)
    finally:
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)


def _manifest(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "manifest.json").read_text("utf-8"))
    if not isinstance(found, dict):
        raise ValueError("a manifest is an object")
    return found


def _pairing(folder: Path) -> dict[str, Any] | None:
    """What pairing.json holds; None if it is missing or broken."""
    try:
        found = json.loads((folder / PAIRING).read_text("utf-8"))
        name, secret, port = found["install"], found["secret"], int(found.get("port", 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not isinstance(name, str) or not is_install(name) or not secret:
        return None
    return {"install": name, "secret": str(secret), "port": port or DEFAULT_PORT}
