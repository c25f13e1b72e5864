"""The folders that each owner may read and write, and the removal of old sessions' files.

Knows: the roots of each owner, and the daemon's own folders. Must not know: the rules
(security/file_access.py), or what files contain.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from pilothouse.errors import ToolError
from pilothouse.paths import RuntimePaths, data_dir
from pilothouse.security.file_access import (
    FileAccess,
    FileSettings,
    Roots,
    decide_access,
    session_roots,
    why_too_wide,
)
from pilothouse.settings import BrowserSettings

__all__ = ["OwnerFiles", "SessionFiles", "parse_folders"]

KEPT_DAYS = 7


class SessionFiles:
    """The folders of all owners of a daemon."""

    def __init__(self, paths: RuntimePaths, asked: BrowserSettings) -> None:
        self._paths = paths
        self.settings = FileSettings(
            uploads=paths.uploads,
            sessions=paths.files,
            keep_downloads=asked.downloads,
            download_dir=_folder(asked.downloadDir),
            screenshot_dir=_folder(asked.screenshotDir),
            upload_dirs=tuple(Path(one).expanduser() for one in asked.uploadDirs if one),
            # The data folder holds the relay's token and the pairing secrets.
            never=(paths.root, paths.files, data_dir()),
        )
        self._roots: dict[str, Roots] = {}

    def for_owner(self, owner: str) -> OwnerFiles:
        """Return the folders of an owner; they follow later changes of its roots."""
        return OwnerFiles(self, owner)

    def roots(self, owner: str) -> Roots:
        """Return the current roots of an owner."""
        return self._roots.get(owner, Roots())

    def access(self, owner: str, roots: Roots | None = None) -> FileAccess:
        """Return the current folders of an owner; `roots` overrides its roots for one call."""
        return decide_access(self.settings, roots or self.roots(owner), owner)

    def set_roots(
        self, owner: str, files: Iterable[Path], client: Iterable[Path], working: Path | None
    ) -> Roots:
        """Set an owner's roots: of `--files`, of the client, or its working directory."""
        found = session_roots(
            _resolved(files), _resolved(client), working and _resolved([working])[0], _home()
        )
        self._roots[owner] = found
        return found

    def working(self, folder: object) -> Roots:
        """Return the roots of one call that comes from a working directory."""
        if not isinstance(folder, str) or not Path(folder).is_absolute():
            return Roots()
        return session_roots((), (), Path(folder).resolve(), _home())

    def forget(self, owner: str) -> None:
        """Forget the roots of an owner that cannot come back. Its files stay for KEPT_DAYS."""
        self._roots.pop(owner, None)

    def sweep(self) -> None:
        """Remove unfinished downloads, and files of sessions older than KEPT_DAYS."""
        shutil.rmtree(self._paths.incoming, ignore_errors=True)
        if not self._paths.files.is_dir():
            return
        old = time.time() - KEPT_DAYS * 86400  # noqa: TID251 - as the file system counts
        for folder in self._paths.files.iterdir():
            with contextlib.suppress(OSError):  # removed in the meantime
                if folder.is_dir() and _newest(folder) < old:
                    shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Remove unfinished downloads, and the folder for sessions if it is empty."""
        shutil.rmtree(self._paths.incoming, ignore_errors=True)
        with contextlib.suppress(OSError):  # not empty
            self._paths.files.rmdir()


class OwnerFiles:
    """The folders of one owner: a `FileAccess` that is computed on each use."""

    def __init__(self, files: SessionFiles, owner: str) -> None:
        self._files = files
        self._owner = owner

    @property
    def _now(self) -> FileAccess:
        return self._files.access(self._owner)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The roots of the session."""
        return self._files.roots(self._owner).folders

    @property
    def reads(self) -> tuple[Path, ...]:
        """See FileAccess."""
        return self._now.reads

    @property
    def writes(self) -> tuple[Path, ...]:
        """See FileAccess."""
        return self._now.writes

    @property
    def downloads(self) -> Path | None:
        """See FileAccess."""
        return self._now.downloads

    @property
    def own(self) -> Path | None:
        """See FileAccess."""
        return self._now.own

    @property
    def never(self) -> tuple[Path, ...]:
        """See FileAccess."""
        return self._now.never


def parse_folders(given: object) -> tuple[Path, ...]:
    """Parse the folders of `--files`. Raises ToolError for folders that are missing or too wide."""
    asked = [given] if isinstance(given, str) else given or []
    if not isinstance(asked, list) or not all(isinstance(one, str) for one in asked):
        raise ToolError("files: expected a list of folders", hint="use --files DIR")
    folders = tuple(_resolved(Path(one) for one in asked))
    for folder in folders:
        if why := why_too_wide(folder, _home()):
            raise ToolError(f"files: {folder} {why}", hint="name a folder inside it")
        if not folder.is_dir():
            raise ToolError(f"files: {folder} is not a folder", hint="name an existing folder")
    return folders


def _resolved(folders: Iterable[Path]) -> list[Path]:
    return [folder.resolve() for folder in folders]


def _home() -> Path:
    return Path.home().resolve()


def _folder(setting: str) -> Path | None:
    return Path(setting).expanduser() if setting else None


def _newest(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder, *folder.rglob("*")))
