"""Decides which folders each session may read from and write to.

    roots     the folders of a session: from `pilothouse mcp --files`, from the client (MCP roots),
              or the working directory of `pilothouse mcp` or of the command that runs code
    reads     files that may be given to pages: the roots, `browser.uploadDirs`, the session's
              downloads, and copies that a client put into the daemon's upload folder
    writes    folders for images, documents and state: the roots, `browser.screenshotDir`, the
              session's own folder
    downloads the folder that the session's downloads are kept in

A page may have talked an agent into a path. So code that opens a file takes the folders from here
and opens it with page/local_files.py, which follows no symlink out of them.

Knows: rules about folders. Must not know: what is on the disk. Pure. docs/files.md describes the
rules for users.
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
    "FolderAccess",
    "Roots",
    "decide_access",
    "folder_name",
    "session_roots",
    "why_too_wide",
]

# Downloads get a folder of their own below a root: a page can start a download by itself, and a
# file that a site has named must not land among the user's code.
DOWNLOADS = "pilothouse-downloads"

_UNSAFE_CHARACTERS = re.compile(r"[^\w.-]+")


class FileSettings(msgspec.Struct, frozen=True):
    """The folders from the user's settings and the daemon's runtime paths.

    uploads: copies of files that clients upload
    sessions: the parent of the sessions' own folders
    never: folders that stay closed even if a root contains them
    """

    uploads: Path
    sessions: Path
    keep_downloads: bool = True
    download_dir: Path | None = None
    screenshot_dir: Path | None = None
    upload_dirs: tuple[Path, ...] = ()
    never: tuple[Path, ...] = ()


class Roots(msgspec.Struct, frozen=True):
    """The root folders of one session.

    named: the user or the client chose them; otherwise it is the working directory
    refused: which folders were left out, and why
    """

    folders: tuple[Path, ...] = ()
    named: bool = False
    refused: tuple[str, ...] = ()


class FileAccess(msgspec.Struct, frozen=True):
    """The folders one session may read from and write to. Relative paths start at the first one.

    downloads: None if downloads are off
    own: the session's own folder, created with the first file
    """

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    downloads: Path | None = None
    own: Path | None = None
    never: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()


class FolderAccess(Protocol):
    """A view of FileAccess that follows changes: the roots of a session may change."""

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
    """Choose the roots of a session: `--files` and the client's, or the working directory."""
    given = list(dict.fromkeys((*files, *client)))
    refused = {folder: why for folder in given if (why := why_too_wide(folder, home))}
    folders = tuple(folder for folder in given if folder not in refused)
    reasons = tuple(f"{folder} {why}: name a folder in it" for folder, why in refused.items())
    if given:
        return Roots(folders, True, reasons)
    if working is None or why_too_wide(working, home):
        return Roots()
    return Roots((working,))


def why_too_wide(folder: PurePath, home: PurePath) -> str:
    """Return why an agent may not have a folder as root; empty if it may."""
    if not folder.is_absolute():
        return "is not absolute"
    if folder == PurePath(folder.anchor):
        return "is the whole disk"
    if folder == home:
        return "is the home directory itself"
    return "contains the home directory" if home.is_relative_to(folder) else ""


def decide_access(settings: FileSettings, roots: Roots, owner: str) -> FileAccess:
    """Return the folders that one session may read from and write to."""
    own = settings.sessions / folder_name(owner)
    downloads: Path | None = None
    if settings.keep_downloads:
        beside = roots.folders[0] / DOWNLOADS if roots.named and roots.folders else own
        downloads = settings.download_dir or beside
    kept = (downloads,) if downloads else ()
    shots = (settings.screenshot_dir,) if settings.screenshot_dir else ()
    return FileAccess(
        reads=_unique((*roots.folders, *settings.upload_dirs, *kept, own, settings.uploads)),
        writes=_unique((*roots.folders, *shots, *kept, own)),
        downloads=downloads,
        own=own,
        never=settings.never,
        roots=roots.folders,
    )


def _unique(folders: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(folders))


def folder_name(owner: str) -> str:
    """Return the name of an owner's folder, different for each owner."""
    plain = _UNSAFE_CHARACTERS.sub("-", owner)[:40].strip(".-") or "client"
    if plain == owner:
        return plain
    return f"{plain}-{hashlib.sha256(owner.encode()).hexdigest()[:8]}"
