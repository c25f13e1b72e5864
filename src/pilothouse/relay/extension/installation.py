"""The extension's files: where they ship, how they are installed, and the pairing secret.

    install(folder, port)   copies them to a folder of the user and pairs the copy
    installed(folder)       describes the copy in a folder, or returns None

Knows: files and file modes. Must not know: sockets, or what the extension does. Chrome loads the
copy (`Load unpacked`), so an upgrade of Pilothouse never changes a running extension.
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
from pilothouse.paths import data_dir
from pilothouse.relay.server import PairingStore, is_install, new_secret

__all__ = [
    "EXTENSION_ID",
    "Installed",
    "default_folder",
    "id_of_key",
    "install",
    "installed",
    "is_known",
    "pairings_path",
    "source_dir",
    "source_version",
]

# Follows from `key` in the manifest; a test checks it.
EXTENSION_ID = "pghelcmpnljfajfjjdipjipocoahkpda"
# Hashes of our own read-only scripts, which the extension allows under "read only".
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
    # Whether it replaced an older copy, and whether it got a new secret.
    upgraded: bool = False
    repaired: bool = False
    secret: str = field(default="", repr=False)

    @property
    def paired(self) -> bool:
        """Whether it has a pairing secret."""
        return bool(self.secret)


def id_of_key(key: str) -> str:
    """Return the id that Chrome derives from an extension's public key."""
    digest = hashlib.sha256(b64decode(key)).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)


def source_dir() -> Path:
    """Return the folder that ships with Pilothouse. Raises PilothouseError if it is missing."""
    package = Path(__file__).resolve().parents[2]
    # In a wheel they are inside the package; in a checkout, at its root.
    for found in (package / "_extension", package.parent.parent / "extension"):
        if (found / "manifest.json").is_file():
            return found
    raise PilothouseError(
        "the extension's files are missing from this installation", hint="reinstall pilothouse"
    )


def source_version() -> str:
    """Return the version of the extension that ships with Pilothouse."""
    return str(_manifest(source_dir())["version"])


def pairings_path() -> Path:
    """Return the file in which the relay keeps the pairing secrets."""
    return data_dir() / "pairings.json"


def default_folder() -> Path:
    """Return the folder in which the extension is installed by default."""
    return data_dir() / "extension"


def installed(folder: Path | None = None) -> Installed | None:
    """Describe the copy in a folder; None if there is none."""
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
    """Return whether the relay has the same secret as a copy. Raises PilothouseError."""
    known = pairings if pairings is not None else PairingStore(pairings_path())
    return copy.paired and known.secret_of(copy.install) == copy.secret


def install(
    folder: Path | None = None,
    port: int | None = None,
    pairings: PairingStore | None = None,
    *,
    share: str = "",
) -> Installed:
    """Copy the extension to a folder and pair it. An existing copy is replaced as a whole. It keeps
    its pairing, unless it was unpaired: then it gets a new one. `share` is what it shares at
    first, "picked" tabs or "all"; without it the extension asks the user. Raises
    PilothouseError."""
    where = folder if folder is not None else default_folder()
    known = pairings if pairings is not None else PairingStore(pairings_path())
    before = _replaceable(where)
    wanted = port if port is not None else before.port if before else DEFAULT_PORT
    if not 0 < wanted < 65536:
        raise PilothouseError(
            f"port: {wanted} is out of range; expected 1 to 65535",
            hint="choose another port: --port",
        )
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
            f"{error.filename or where}: {error.strerror}", hint="choose another folder: --to"
        ) from None
    # Store the secret last: a failed copy must leave none behind.
    known.add(name, secret)
    version = str(_manifest(where)["version"])
    return Installed(
        where, version, name, wanted, upgraded=before is not None, repaired=not kept, secret=secret
    )


def _replaceable(where: Path) -> Installed | None:
    """Return the copy in a folder. Raises PilothouseError if it holds something
    else."""
    try:
        empty = not any(where.iterdir())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PilothouseError(
            f"{where}: {error.strerror}", hint="choose another folder: --to"
        ) from None
    if empty:
        return None
    before = installed(where)
    if before is None or id_of_key(str(_manifest(where).get("key", ""))) != EXTENSION_ID:
        raise PilothouseError(
            f"{where} holds files that are not the Pilothouse extension",
            hint="choose an empty or a new folder: --to",
        )
    return before


def _swap_in(where: Path, pairing: dict[str, Any]) -> None:
    """Write the whole copy beside its folder, then move it there in one step."""
    where.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark = secrets.token_hex(4)
    new, old = (where.with_name(f".{where.name}.{kind}-{mark}") for kind in ("new", "old"))
    try:
        new.mkdir(mode=0o700)
        shutil.copytree(source_dir(), new, dirs_exist_ok=True, copy_function=shutil.copyfile)
        # copytree copies the mode of the source folder.
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
    """Read pairing.json; None if it is missing or broken."""
    try:
        found = json.loads((folder / PAIRING).read_text("utf-8"))
        name, secret, port = found["install"], found["secret"], int(found.get("port", 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not isinstance(name, str) or not is_install(name) or not secret:
        return None
    return {"install": name, "secret": str(secret), "port": port or DEFAULT_PORT}
