"""Where files may be read and written, and for whom: the one decision for all code.

    roots     the folders of a session: `pilothouse mcp --files`, what the client names (MCP roots),
              or the working directory of `pilothouse mcp`, or of the command that runs code
    reads     what may be given to pages: the roots, `browser.uploadDirs`, the session's downloads,
              copies that a client has put into the daemon's hands
    writes    where pictures, documents and state may go: the roots, `browser.screenshotDir`, the
              session's own folder
    downloads the one folder that downloads of the session are kept in

A path in a call is a word that a page may have talked an agent into: whoever opens a file asks
here which folders there are, and opens it with page/local_files.py, which follows no link out of
them.

Knows: rules about folders. Must not know: what is on the disk. Pure; docs/files.md says the same
to people.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Protocol

import msgspec

__all__ = [
    "DOWNLOADS",
    "FileAccess",
    "FileSettings",
    "Folders",
    "Roots",
    "decide_access",
    "folder_name",
    "session_roots",
    "too_wide",
]

# In a folder of the user's own, downloads have a folder to themselves: a page can start one by
# itself, and a file that a site has named must not lie among the user's code.
DOWNLOADS = "pilothouse-downloads"

_UNFIT = re.compile(r"[^\w.-]+")


class FileSettings(msgspec.Struct, frozen=True):
    """What the user's settings and the daemon's places say. `uploads` holds copies that clients
    hand over; nothing is read from or written to `never` by a root around it."""

    uploads: Path
    sessions: Path
    keep_downloads: bool = True
    download_dir: Path | None = None
    screenshot_dir: Path | None = None
    upload_dirs: tuple[Path, ...] = ()
    never: tuple[Path, ...] = ()


class Roots(msgspec.Struct, frozen=True):
    """The folders of one session. `named`: somebody has named them; else it is where `pilothouse
    mcp` was started. `refused` says which were left out, and why."""

    folders: tuple[Path, ...] = ()
    named: bool = False
    refused: tuple[str, ...] = ()


class FileAccess(msgspec.Struct, frozen=True):
    """The folders one session may read from and write to; a relative path is below the first.
    `own` is made when something is written to it; `downloads` is None where they are off."""

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    downloads: Path | None = None
    own: Path | None = None
    never: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()


class Folders(Protocol):
    """The same, as it is now: a session's roots may change."""

    @property
    def reads(self) -> tuple[Path, ...]:
        """See FileAccess."""

    @property
    def writes(self) -> tuple[Path, ...]:
        """See FileAccess."""

    @property
    def downloads(self) -> Path | None:
        """See FileAccess."""

    @property
    def own(self) -> Path | None:
        """See FileAccess."""

    @property
    def never(self) -> tuple[Path, ...]:
        """See FileAccess."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """See FileAccess."""


def session_roots(
    files: Iterable[Path], client: Iterable[Path], working: Path | None, home: PurePath
) -> Roots:
    """The folders of a session: those of `--files` and those the client names; where there are
    none, the working directory."""
    given = list(dict.fromkeys((*files, *client)))
    refused = {folder: why for folder in given if (why := too_wide(folder, home))}
    folders = tuple(folder for folder in given if folder not in refused)
    told = tuple(f"{folder} {why}: name a folder in it" for folder, why in refused.items())
    if given:
        return Roots(folders, True, told)
    if working is None or too_wide(working, home):
        return Roots()
    return Roots((working,))


def too_wide(folder: PurePath, home: PurePath) -> str:
    """Why a folder is no folder for an agent's files; empty if it is one."""
    if not folder.is_absolute():
        return "is not absolute"
    if folder == PurePath(folder.anchor):
        return "is the whole disk"
    if folder == home:
        return "is the home directory itself"
    return "holds the home directory" if home.is_relative_to(folder) else ""


def decide_access(settings: FileSettings, roots: Roots, owner: str) -> FileAccess:
    """The folders of one session."""
    own = settings.sessions / folder_name(owner)
    downloads: Path | None = None
    if settings.keep_downloads:
        beside = roots.folders[0] / DOWNLOADS if roots.named and roots.folders else own
        downloads = settings.download_dir or beside
    kept = (downloads,) if downloads else ()
    shots = (settings.screenshot_dir,) if settings.screenshot_dir else ()
    return FileAccess(
        reads=_each((*roots.folders, *settings.upload_dirs, *kept, own, settings.uploads)),
        writes=_each((*roots.folders, *shots, *kept, own)),
        downloads=downloads,
        own=own,
        never=settings.never,
        roots=roots.folders,
    )


def _each(folders: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folders))


def folder_name(owner: str) -> str:
    """A name for an owner's folder, another one for each owner."""
    plain = _UNFIT.sub("-", owner)[:40].strip(".-") or "client"
    if plain == owner:
        return plain
    return f"{plain}-{hashlib.sha256(owner.encode()).hexdigest()[:8]}"
