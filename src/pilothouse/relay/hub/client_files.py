"""The folders of one client of the relay: where its uploads come from and its downloads go.

    <data>/relay/<owner>/uploads     what it may give to pages, beside the folders declared for it
    <data>/relay/<owner>/downloads   what it downloads to a place that it may not write to

Knows: folders, links, whose a folder is. Must not know: CDP. Nothing is read from or written to the
daemon's own directory, whatever was declared.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pilothouse.errors import ToolError
from pilothouse.page.local_files import check_upload, pin_upload
from pilothouse.security.file_access import folder_name
from pilothouse.security.relay_tokens import Grant

__all__ = ["ClientFiles", "FileRules"]

MOST_ENTRIES = 10_000
_ARTIFACTS = "playwright-artifacts-"


@dataclass(frozen=True, slots=True)
class FileRules:
    """What holds for all clients of a relay."""

    # Each client has its own folder below this one.
    base: Path
    # Nothing is read from or written to these.
    forbidden: tuple[Path, ...] = ()
    # Declared by the user: for uploads and downloads of every client.
    files: tuple[Path, ...] = ()
    # For downloads of clients that come with the user's own token.
    downloads: tuple[Path, ...] = ()


class ClientFiles:
    """See the module. `name` is the client's owner, or is made up for one that ends with it."""

    def __init__(self, rules: FileRules, name: str, client_id: str, grant: Grant) -> None:
        self._rules = rules
        self.home = rules.base / folder_name(name)
        self.uploads = self.home / "uploads"
        self.downloads = self.home / "downloads"
        self._pinned = self.home / f".{client_id}"
        declared = (*map(Path, grant.files), *rules.files)
        self.upload_roots = (self.uploads, *declared)
        own = () if grant.owner else rules.downloads
        self._download_roots = (self.downloads, *declared, *own)

    # Uploads.

    def prepare_uploads(self, paths: Sequence[str]) -> list[str]:
        """The files that a page is given for those that a client names: copies that nobody changes
        after they were checked. FolderAccess are checked with all that is in them. Raises ToolError."""
        _make(self.uploads)
        return [str(self._prepare_upload(path)) for path in paths]

    def _prepare_upload(self, path: str) -> Path:
        if not os.path.isabs(path):
            raise ToolError(f"the path {path!r} is not absolute", hint=self._describe_allowed())
        if os.path.isdir(path) and "\0" not in path:
            return self._check_folder(path)
        self._refuse_forbidden(path, check_upload(path, self.upload_roots))
        return pin_upload(path, self.upload_roots, self._pinned)

    def _check_folder(self, path: str) -> Path:
        real, roots = Path(path).resolve(), [root.resolve() for root in self.upload_roots]
        if not any(real.is_relative_to(root) for root in roots):
            raise ToolError(
                f"the path {path!r} is refused: it is outside the allowed folders",
                hint=self._describe_allowed(),
            )
        self._refuse_forbidden(path, real)
        entries = 0
        for at, folders, files in os.walk(real):
            for name in (*folders, *files):
                entries += 1
                led = Path(at, name).resolve()
                if entries > MOST_ENTRIES or not led.is_relative_to(real):
                    why = "a link in it leads out" if entries <= MOST_ENTRIES else "it is too large"
                    raise ToolError(f"the path {path!r} is refused: {why}", hint="give files")
        return real

    def _refuse_forbidden(self, path: str, real: Path) -> None:
        if self._is_forbidden(real):
            raise ToolError(
                f"the path {path!r} is refused: it is the daemon's own",
                hint=self._describe_allowed(),
            )

    def _describe_allowed(self) -> str:
        return "allowed folders: " + ", ".join(str(root) for root in self.upload_roots)

    # Downloads.

    def download_folder(self, path: str, *, named: bool) -> Path:
        """Where downloads go that a client wants at a path: there, if it may write there, else to
        its own folder. `named` says that the browser gives files the names that sites suggest."""
        if os.path.isabs(path) and "\0" not in path:
            real = Path(path).resolve()
            declared = any(real.is_relative_to(root.resolve()) for root in self._download_roots)
            if not self._is_forbidden(real) and (declared or (not named and _is_artifacts(real))):
                return real
        _make(self.downloads)
        return self.downloads

    def make_staging_folder(self, folder: Path) -> Path:
        """A new folder beside the files of another, where downloads wait for a name that is free.
        Raises OSError."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = folder / f".{secrets.token_hex(8)}.part"
        made.mkdir(mode=0o700)
        return made

    def _is_forbidden(self, real: Path) -> bool:
        if real.is_relative_to(self.home.resolve()):
            return False
        never = (*self._rules.forbidden, self._rules.base)
        return any(real.is_relative_to(one.resolve()) for one in never)

    # The end.

    def clean_up(self) -> None:
        """Remove what was made for the client and is empty now, and the copies of its uploads."""
        shutil.rmtree(self._pinned, ignore_errors=True)
        for folder in (self.uploads, self.downloads, self.home):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not make {folder}: {error.strerror}", hint="free space on that disk"
        ) from None


def _is_artifacts(real: Path) -> bool:
    """Whether it is a folder that Playwright has made for itself: Playwright looks for downloads
    there and nowhere else, and makes it before it connects, for this user alone."""
    try:
        found = os.lstat(real)
    except OSError:
        return False
    private = stat.S_ISDIR(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
    return real.name.startswith(_ARTIFACTS) and private and found.st_uid == os.getuid()
