"""The folders of one client: where its uploads come from and its downloads go.

    <data>/relay/<owner>/uploads     files it may upload, besides the folders declared for it
    <data>/relay/<owner>/downloads   for downloads to a path that it may not write to

Knows: folders, links, file owners. Must not know: CDP. Nothing is read from or written to the
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

from pilothouse.errors import NotPermitted, ToolError, write_hint
from pilothouse.page.local_files import check_upload, pin_upload
from pilothouse.security.file_access import folder_name
from pilothouse.security.relay_tokens import Grant

__all__ = ["ClientFiles", "FileRules"]

MAX_ENTRIES = 10_000
_ARTIFACTS = "playwright-artifacts-"


@dataclass(frozen=True, slots=True)
class FileRules:
    """The file rules for all clients of a relay."""

    # Parent of the folders of all clients.
    base: Path
    # Never read from or written to.
    forbidden: tuple[Path, ...] = ()
    # Declared by the user, for uploads and downloads of every client.
    files: tuple[Path, ...] = ()
    # For downloads of clients with the user's own token.
    downloads: tuple[Path, ...] = ()


class ClientFiles:
    """The folders of one client.

    `name` is its owner, or unique for a client whose owner ends with it.
    """

    def __init__(self, rules: FileRules, name: str, client_id: str, grant: Grant) -> None:
        self._rules = rules
        self.home = rules.base / folder_name(name)
        self.uploads = self.home / "uploads"
        self.downloads = self.home / "downloads"
        self._upload_copies = self.home / f".{client_id}"
        declared = (*map(Path, grant.files), *rules.files)
        self.upload_roots = (self.uploads, *declared)
        own = () if grant.owner else rules.downloads
        self._download_roots = (self.downloads, *declared, *own)

    # Uploads.

    def prepare_uploads(self, paths: Sequence[str]) -> list[str]:
        """Return paths a page may be given for the files a client names.

        Files are checked copies that nobody can change afterwards; folders are checked with all
        they contain. Raises ToolError.
        """
        _make(self.uploads)
        return [str(self._prepare_upload(path)) for path in paths]

    def _prepare_upload(self, path: str) -> Path:
        if not os.path.isabs(path):
            raise ToolError(
                f"files: {path!r} is not an absolute path", hint=self._describe_allowed()
            )
        if os.path.isdir(path) and "\0" not in path:
            return self._check_folder(path)
        self._refuse_forbidden(path, check_upload(path, self.upload_roots))
        return pin_upload(path, self.upload_roots, self._upload_copies)

    def _check_folder(self, path: str) -> Path:
        real, roots = Path(path).resolve(), [root.resolve() for root in self.upload_roots]
        if not any(real.is_relative_to(root) for root in roots):
            raise NotPermitted(
                f"files: {path!r} is outside the allowed folders",
                hint=self._describe_allowed(),
            )
        self._refuse_forbidden(path, real)
        entries = 0
        for at, folders, files in os.walk(real):
            for name in (*folders, *files):
                entries += 1
                led = Path(at, name).resolve()
                if entries > MAX_ENTRIES or not led.is_relative_to(real):
                    problem = (
                        "contains a link that leads out of it"
                        if entries <= MAX_ENTRIES
                        else f"has more than {MAX_ENTRIES} entries"
                    )
                    raise NotPermitted(f"files: {path!r} {problem}", hint="name single files")
        return real

    def _refuse_forbidden(self, path: str, real: Path) -> None:
        if self._is_forbidden(real):
            raise NotPermitted(
                f"files: {path!r} is in the daemon's own directory",
                hint=self._describe_allowed(),
            )

    def _describe_allowed(self) -> str:
        return "allowed folders: " + ", ".join(str(root) for root in self.upload_roots)

    # Downloads.

    def download_folder(self, path: str, *, named: bool) -> Path:
        """Return where downloads go that a client wants at `path`: there if it may write there,
        else its own folder. `named`: the browser uses the file names that sites suggest."""
        if os.path.isabs(path) and "\0" not in path:
            real = Path(path).resolve()
            declared = any(real.is_relative_to(root.resolve()) for root in self._download_roots)
            if not self._is_forbidden(real) and (declared or (not named and _is_artifacts(real))):
                return real
        _make(self.downloads)
        return self.downloads

    def make_staging_folder(self, folder: Path) -> Path:
        """Create a folder beside the final files, where downloads wait for a free name.

        Raises OSError.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = folder / f".{secrets.token_hex(8)}.part"
        made.mkdir(mode=0o700)
        return made

    def _is_forbidden(self, real: Path) -> bool:
        if real.is_relative_to(self.home.resolve()):
            return False
        never = (*self._rules.forbidden, self._rules.base)
        return any(real.is_relative_to(one.resolve()) for one in never)

    # Cleanup.

    def clean_up(self) -> None:
        """Remove upload copies, and the folders that are empty now."""
        shutil.rmtree(self._upload_copies, ignore_errors=True)
        for folder in (self.uploads, self.downloads, self.home):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"could not create {folder}: {error.strerror}", hint=write_hint(error)
        ) from None


def _is_artifacts(real: Path) -> bool:
    """Return whether it is a folder that Playwright made for itself.

    Playwright reads downloads only from there, and creates it before it connects, private to this
    user.
    """
    try:
        found = os.lstat(real)
    except OSError:
        return False
    private = stat.S_ISDIR(found.st_mode) and not stat.S_IMODE(found.st_mode) & 0o077
    return real.name.startswith(_ARTIFACTS) and private and found.st_uid == os.getuid()
